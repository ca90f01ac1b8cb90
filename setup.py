"""All metadata is in setup.cfg; this only keeps a build from shipping what an earlier one left behind."""

import shutil

from setuptools import setup
from setuptools.command.build_py import build_py


class CleanBuild(build_py):
    """Starts from an empty folder: setuptools would add to the last build's, deleted modules and packs included."""

    def run(self):
        """Clear, then build."""
        if not self.editable_mode:
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


setup(cmdclass={"build_py": CleanBuild})
