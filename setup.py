"""All metadata is in setup.cfg; here are packages, modules, clean builds, editable installs that every folder sees."""

import base64
import hashlib
import shutil
import zipfile
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py
from setuptools.command.editable_wheel import editable_wheel

BEHIND_THE_PATH, BEFORE_THE_PATH = b"sys.meta_path.append(", b"sys.meta_path.insert(0, "


class CleanBuild(build_py):
    """Starts from an empty folder: setuptools would add to the last build's, deleted modules and packs included."""

    def run(self):
        """Clear, then build."""
        if not self.editable_mode:
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


class EditableFirst(editable_wheel):
    """Has an editable install asked before the path.

    A checkout is called pi_gym, as the package within it is. From the folder above, the path finds the checkout, which
    has no code of its own, and takes it for a namespace package; setuptools has its finder asked only after the path.
    """

    def run(self):
        """Build, then move the finder to the front; a wheel without one (`editable_mode=strict`) stays as it is."""
        super().run()
        for path in Path(self.dist_dir).glob("*.whl"):
            with zipfile.ZipFile(path) as wheel:
                files = {entry: wheel.read(entry) for entry in wheel.infolist()}
            moved = {
                entry.filename: (data, data.replace(BEHIND_THE_PATH, BEFORE_THE_PATH))
                for entry, data in files.items()
                if entry.filename.startswith("__editable__") and BEHIND_THE_PATH in data
            }
            if not moved:
                continue
            with zipfile.ZipFile(path, "w") as wheel:
                for entry, data in files.items():
                    if entry.filename in moved:
                        data = moved[entry.filename][1]
                    elif entry.filename.endswith(".dist-info/RECORD"):
                        for name, (old, new) in moved.items():
                            data = data.replace(recorded(name, old), recorded(name, new))
                    wheel.writestr(entry, data)


def recorded(name, data):
    """A file's line in a wheel's RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}".encode()


#: All folders of pi_gym/, and those that become parts of it.
PACKAGES = [
    *find_packages(include=["pi_gym", "pi_gym.*"]),
    "pi_gym.envs",
    "pi_gym.wrappers",
    "pi_gym.baselines",
    *(f"pi_gym.baselines.{name}" for name in find_packages("baselines")),
]

#: At the top, as frameworks name them that find plug-ins by the name of a module.
MODULES = ["pi_gym_verifiers"]

setup(packages=PACKAGES, py_modules=MODULES, cmdclass={"build_py": CleanBuild, "editable_wheel": EditableFirst})
