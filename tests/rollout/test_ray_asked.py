"""Messages about Ray where it is not used, or not there."""

from __future__ import annotations

import subprocess
import sys

import pytest
from rollout_cases import run
from support.packs import tiny
from typer.testing import CliRunner

from pi_gym.cli.main import app
from pi_gym.cluster.ray_worker import WorkerContent
from pi_gym.errors import BadArgument, PiGymError, UnknownName


def test_ray_is_asked_for_where_it_is_not_installed(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r"^engine='ray' needs the package ray: pip install 'pi-gym\[ray\]'$"):
        run(engine="ray", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_folder_that_is_called_ray_is_not_taken_for_it(tmp_path, monkeypatch):
    (tmp_path / "ray").mkdir()
    monkeypatch.delitem(sys.modules, "ray", raising=False)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *(path for path in sys.path if "site-packages" not in path)])
    with pytest.raises(ImportError, match="pip install"):
        run(engine="ray")


def test_options_of_ray_are_refused_where_it_does_not_play():
    with pytest.raises(BadArgument, match="ray_options: they are for engine='ray'"):
        run(ray_options={"num_cpus": 2})
    with pytest.raises(UnknownName, match=r"'max_restarts'.* Known: accelerator_type, "):
        run(engine="ray", ray_options={"max_restarts": 2})
    with pytest.raises(UnknownName, match=r"engine 'rya'\. Did you mean 'ray'"):
        run(engine="rya")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"num_cpus": "two"}, "num_cpus: expected a number of 0 or more, got 'two'"),
        ({"num_gpus": -1}, "num_gpus: expected a number of 0 or more, got -1"),
        ({"memory": float("nan")}, "memory: expected a number of 0 or more, got nan"),
        ({"resources": {"slot": "one"}}, "slot: expected a number of 0 or more, got 'one'"),
        ({"resources": ["slot"]}, r"resources: expected amounts by name, got \['slot'\]"),
    ],
)
def test_amounts_for_a_worker_on_ray_are_numbers(options, told):
    with pytest.raises(BadArgument, match=f"^ray_options: {told}$"):
        run(engine="ray", ray_options=options)


def test_the_command_says_so_in_a_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    result = CliRunner().invoke(app, ["rollout", "PiBench-Researcher-v0", "--engine", "ray"])
    assert result.exit_code == 1
    assert result.stderr == "pi-gym: engine='ray' needs the package ray: pip install 'pi-gym[ray]'\n"


def test_a_local_run_imports_no_ray():
    code = (
        "import sys, pi_gym, pi_gym.cluster.ray_engine, pi_gym.cli.rollout;"
        "pi_gym.collect('PiBench-Mini-v0', 'silent', sessions=1);"
        "assert 'ray' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ({"version": "9.9"}, r"pi_gym 9\.9 is installed there, and [\d.]+ where the run was begun"),
        ({"prompts": "ab" * 32}, r"pi_gym has other prompts there \(abababababab, here \w{12}\)"),
        ({"packs": {"tiny": "cd" * 32}}, r"the pack 'tiny' has other content there \(cdcdcdcdcdcd, here \w{12}\)"),
        ({"packs": {}}, r"the pack 'tiny' has other content there \(none, here \w{12}\)"),
    ],
)
def test_a_node_with_something_else_is_told_what(there, told):
    here = WorkerContent.here([tiny()])
    here.require(here)
    with pytest.raises(PiGymError, match=told):
        here.require(WorkerContent(**{"version": here.version, "prompts": here.prompts, "packs": here.packs, **there}))
