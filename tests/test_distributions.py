"""The wheel and the source distribution as users install them, in fresh environments: `make test-dist` builds both.

PI_GYM_DIST names the folder in which they lie, PI_GYM_PYTHONS the interpreters, with a space between them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from support.checkout import installed

import pi_gym

DIST = os.environ.get("PI_GYM_DIST")
PYTHONS = os.environ.get("PI_GYM_PYTHONS", sys.executable).split()
SMOKE = Path(__file__).parent / "support" / "smoke.py"
OLDEST = (3, 11)

pytestmark = [pytest.mark.slow, pytest.mark.skipif(DIST is None, reason="`make test-dist` builds what is tried here")]


def built(pattern: str) -> Path:
    (found,) = Path(DIST or "").resolve().glob(pattern)
    return found


def run(*command: object, cwd: Path) -> str:
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PI_GYM"))}
    parts = [str(part) for part in command]
    done = subprocess.run(parts, cwd=cwd, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(parts)}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def interpreter(name: str, folder: Path) -> str:
    """An interpreter that starts, or skip; one that is too old is none that was meant."""
    code = "import sys; print(*sys.version_info[:2])"
    found = shutil.which(name)
    done = found and subprocess.run([found, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    if not found or not done or done.returncode:
        pytest.skip(f"{name} is not at hand; PYTHONS of make test-dist names those that are")
    assert tuple(map(int, done.stdout.split())) >= OLDEST, f"{name} is older than {OLDEST}"
    return found


def test_the_wheel_that_was_built_holds_exactly_the_tracked_files() -> None:
    with zipfile.ZipFile(built("*.whl")) as wheel:
        assert {name for name in wheel.namelist() if ".dist-info/" not in name} == installed()


@pytest.mark.parametrize("pattern", ["*.whl", "*.tar.gz"], ids=["wheel", "sdist"])
@pytest.mark.parametrize("python", PYTHONS)
def test_it_installs_and_plays_in_a_fresh_environment(python: str, pattern: str, tmp_path: Path) -> None:
    found = interpreter(python, tmp_path)
    run(found, "-m", "venv", "env", cwd=tmp_path)
    fresh = tmp_path / "env" / "bin"
    run(fresh / "python", "-m", "pip", "install", "--quiet", built(pattern), cwd=tmp_path)
    run(fresh / "python", "-m", "pip", "check", cwd=tmp_path)
    run(fresh / "python", "-I", "-W", "error", SMOKE, pi_gym.__version__, cwd=tmp_path)
    assert "PiBench-Researcher-v0" in run(fresh / "pi-gym", "list", cwd=tmp_path)
    run(fresh / "pi-gym", "demo", "--pack", "mini", "--variants", 2, "--quiet", "--out", "runs", cwd=tmp_path)
    run(fresh / "pi-gym", "view", "runs", "--static", "page.html", cwd=tmp_path)
    assert (tmp_path / "page.html").stat().st_size > 10_000
