"""The wheel: what it holds, and that it works elsewhere with nothing but the core dependencies."""

import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from support.checkout import MODULES, PLACES, copy_tracked, installed, tracked

pytestmark = pytest.mark.slow

#: What the source distribution holds beside the packages: what builds them, and what is read.
BESIDE = {
    "CHANGELOG.md",
    "CITATION.cff",
    "LICENSE",
    "MANIFEST.in",
    "README.md",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
}


@pytest.fixture(scope="session")
def source(tmp_path_factory):
    """A copy of the tracked files, with what must not be shipped."""
    source = copy_tracked(tmp_path_factory.mktemp("source"))
    # What must not be shipped, planted where it could be swept up.
    (source / "envs" / "researcher" / "__pycache__").mkdir()
    (source / "envs" / "researcher" / "__pycache__" / "variant.cpython-311.pyc").write_bytes(b"x")
    stale = source / "build" / "lib" / "pi_gym" / "envs" / "gone" / "pack.yaml"
    stale.parent.mkdir(parents=True)
    stale.write_text("title: from an earlier build")
    return source


@pytest.fixture(scope="session")
def wheel(source, tmp_path_factory):
    """The wheel."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", out, source]
    subprocess.run(command, check=True, capture_output=True)
    (built,) = out.glob("*.whl")
    return built


def test_the_wheel_holds_exactly_the_tracked_files_of_the_packages(wheel):
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == installed()


def test_the_wheel_installs_no_bare_top_level_packages(wheel):
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"pi_gym", *MODULES}


def test_the_source_distribution_holds_what_the_wheel_is_built_from(source, tmp_path):
    code = f"from setuptools import build_meta; build_meta.build_sdist({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=source, check=True, capture_output=True)
    (built,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(built) as archive:
        held = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    held = {name for name in held if not name.startswith("pi_gym.egg-info/")}
    assert held - {"PKG-INFO"} == BESIDE | set(tracked(*PLACES, *MODULES))


def core_distributions():
    """The distributions that the core requirements bring, and theirs."""
    found, queue = {}, [Requirement(text) for text in distribution("pi-gym").requires or []]
    queue = [requirement for requirement in queue if not requirement.marker or requirement.marker.evaluate()]
    while queue:
        requirement = queue.pop()
        key = requirement.name.lower().replace("_", "-")
        if key in found:
            continue
        try:
            found[key] = distribution(requirement.name)
        except PackageNotFoundError:
            continue
        for text in found[key].requires or []:
            further = Requirement(text)
            if not further.marker or any(
                further.marker.evaluate({"extra": extra}) for extra in ("", *requirement.extras)
            ):
                queue.append(further)
    return found


@pytest.fixture(scope="session")
def elsewhere(wheel, tmp_path_factory):
    """A folder with the unpacked wheel and links to the core dependencies, and nothing else."""
    target = tmp_path_factory.mktemp("site")
    zipfile.ZipFile(wheel).extractall(target)
    for dist in core_distributions().values():
        for top in {file.parts[0] for file in dist.files or [] if file.parts[0] not in ("..", "__pycache__")}:
            place, link = Path(str(dist.locate_file(top))), target / top
            if place.exists() and not link.exists():
                link.symlink_to(place)
    return target


def run_elsewhere(elsewhere, tmp_path, code):
    """Run code with only the core importable, outside the repository; -S leaves site-packages out."""
    return subprocess.run(
        [sys.executable, "-S", "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(elsewhere), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_session_runs_with_only_the_core_installed(elsewhere, tmp_path):
    code = """
import importlib.util, gymnasium as gym
for name in ("pytest", "hypothesis", "torch", "aiohttp", "trl", "vllm", "ruff"):
    assert importlib.util.find_spec(name) is None, name
env = gym.make("pi_gym:PiBench-Researcher-v0")
env.reset(seed=0, options={"task": "03-paper-alert"})  # after two sessions of history
for action in env.unwrapped.session.task.reference:
    _, _, terminated, truncated, info = env.step(action)
assert terminated and info["proc"] == info["comp"] == 1.0, info
import pi_gym
assert "site" in pi_gym.__file__, pi_gym.__file__
"""
    done = run_elsewhere(elsewhere, tmp_path, code)
    assert done.returncode == 0, done.stderr


def test_every_module_imports_with_only_the_core_installed(elsewhere, tmp_path):
    code = """
import importlib, pkgutil, pi_gym
names = [m.name for m in pkgutil.walk_packages(pi_gym.__path__, "pi_gym.")]
assert len(names) > 50, names
# Its classes extend those of a package of the extra `web`; only the live backend imports it. The others are what
# another framework loads, or what is loaded once that is there.
needing = {
    "pi_gym.web.download": "urllib3",
    "pi_gym.adapters.http_server": "uvicorn",
    "pi_gym.adapters.mcp.session_server": "anyio",
    "pi_gym.adapters.mcp.sessions_app": "anyio",
    "pi_gym.adapters.mcp.serving": "anyio",
    "pi_gym.adapters.inspect.inspect_messages": "inspect_ai",
    "pi_gym.adapters.inspect.inspect_tasks": "inspect_ai",
    "pi_gym.adapters.inspect.session_solver": "anyio",
    "pi_gym.adapters.openenv.connection_guard": "anyio",
    "pi_gym.adapters.openenv.conversation_harness": "openenv",
    "pi_gym.adapters.openenv.resource_sessions": "openenv",
    "pi_gym.adapters.openenv.env_serving": "fastapi",
    "pi_gym.adapters.openenv.session_client": "openenv",
    "pi_gym.adapters.openenv.served_environment": "openenv",
    "pi_gym.adapters.openenv.session_messages": "openenv",
    "pi_gym.adapters.verifiers.session_harness": "verifiers",
    "pi_gym.adapters.verifiers.session_taskset": "verifiers",
}
for name in names:
    if name != "pi_gym.__main__":
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            assert needing.get(name) == error.name, (name, error)
"""
    done = run_elsewhere(elsewhere, tmp_path, code)
    assert done.returncode == 0, done.stderr


def test_chats_are_written_with_only_the_core_installed_and_tables_name_the_extra(elsewhere, tmp_path):
    code = """
import gymnasium as gym, pi_gym
from pi_gym.export import export
from pi_gym.wrappers import RecordTrajectory
env = RecordTrajectory(gym.make("pi_gym:PiBench-Researcher-v0", max_turns=1), "trajectories.jsonl", agent="me")
env.reset(seed=0, options={"task": "01-baseline-table"})
env.step("Hm.")
env.close()
assert export("trajectories.jsonl", "chat.jsonl", format="chat").rows == 1
for make in (lambda: pi_gym.to_dataset("trajectories.jsonl"), lambda: export("trajectories.jsonl", "x.parquet")):
    try:
        make()
    except ImportError as error:
        assert str(error) == "tables need the packages datasets and pyarrow: pip install 'pi-gym[data]'", error
    else:
        raise AssertionError("there are tables")
"""
    done = run_elsewhere(elsewhere, tmp_path, code)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} >= {"chat.jsonl", "trajectories.jsonl"}
    assert not (tmp_path / "x.parquet").exists()


def test_the_command_line_works_with_only_the_core_installed(elsewhere, tmp_path):
    done = run_elsewhere(
        elsewhere, tmp_path, "import sys; sys.argv = ['pi-gym', 'list']; from pi_gym.cli.main import main; main()"
    )
    assert done.returncode == 0, done.stderr
    assert "PiBench-Researcher-v0" in done.stdout
