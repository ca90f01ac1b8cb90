"""All metadata is in setup.cfg; here are the packages, and a build that ships nothing an earlier one left behind."""

import shutil

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py


class CleanBuild(build_py):
    """Starts from an empty folder: setuptools would add to the last build's, deleted modules and packs included."""

    def run(self):
        """Clear, then build."""
        if not self.editable_mode:
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


#: All folders of pi_gym/, and those that become parts of it.
PACKAGES = [
    *find_packages(include=["pi_gym", "pi_gym.*"]),
    "pi_gym.envs",
    "pi_gym.wrappers",
    "pi_gym.baselines",
    *(f"pi_gym.baselines.{name}" for name in find_packages("baselines")),
]

setup(packages=PACKAGES, cmdclass={"build_py": CleanBuild})
