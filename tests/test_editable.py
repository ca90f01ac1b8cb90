"""An editable install is found from every folder, the one above a checkout that is called pi_gym included."""

import base64
import csv
import hashlib
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from support.checkout import ROOT, copy_tracked

pytestmark = pytest.mark.slow

OPEN = """
import gymnasium, pi_gym
env = gymnasium.make("PiBench-Mini-v0")
env.reset(seed=0)
print(pi_gym.__file__)
"""


def run_in(folder, python, code):
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run([python, "-c", code], cwd=folder, env=variables, capture_output=True, text=True, check=False)


def test_from_the_folder_above_a_checkout_the_package_is_found(tmp_path):
    (tmp_path / "pi_gym").symlink_to(ROOT)
    done = run_in(tmp_path, sys.executable, OPEN)
    assert done.returncode == 0, f"install again with `pip install --editable .`:\n{done.stderr}"
    assert Path(done.stdout.strip()).name == "__init__.py"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the tracked files in a folder with the package's name."""
    return copy_tracked(tmp_path_factory.mktemp("above") / "pi_gym")


def editable_wheel(checkout, out, settings=None):
    out.mkdir()
    code = f"from setuptools import build_meta; build_meta.build_editable({str(out)!r}, {settings!r})"
    subprocess.run([sys.executable, "-c", code], cwd=checkout, check=True, capture_output=True)
    (wheel,) = out.glob("*.whl")
    return wheel


@pytest.mark.parametrize("settings", [None, {"editable_mode": "strict"}], ids=["default", "strict"])
def test_an_editable_wheel_agrees_with_its_record(checkout, tmp_path, settings):
    with zipfile.ZipFile(editable_wheel(checkout, tmp_path / "out", settings)) as wheel:
        (record,) = (name for name in wheel.namelist() if name.endswith(".dist-info/RECORD"))
        for name, digest, size in csv.reader(wheel.read(record).decode().splitlines()):
            if name != record:
                made = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).rstrip(b"=").decode()
                assert (digest, int(size)) == (f"sha256={made}", len(wheel.read(name))), name


@pytest.mark.slow
def test_a_checkout_installed_editable_is_found_from_the_folder_above_it_and_from_within(checkout, tmp_path):
    home = tmp_path / "venv"
    venv.create(home, symlinks=True)
    python = home / "bin" / "python"
    # What it needs is taken from here, this environment's own editable install apart.
    (site,) = home.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    wheel = editable_wheel(checkout, tmp_path / "out")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--force-reinstall", "--ignore-installed", wheel], check=True, capture_output=True)
    for folder in (checkout.parent, checkout, tmp_path):
        done = run_in(folder, python, OPEN)
        assert done.returncode == 0, f"{folder}: {done.stderr}"
        assert Path(done.stdout.strip()) == checkout / "pi_gym" / "__init__.py", folder
