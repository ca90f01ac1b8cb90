"""Tasks that need a sandbox: left out where that is asked for, refused where there is none, never by the machine."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.envs.registration import registry
from support.shell import fault, no_shell, shell_pack
from typer.testing import CliRunner

import pi_gym
from pi_gym.cli.main import app
from pi_gym.errors import BadArgument, SandboxNeeded, UnknownName
from pi_gym.pibench.env import PiEnv
from pi_gym.pibench.replay import replay
from pi_gym.rollout import collect
from pi_gym.runs.lines import RunError

ENV_ID = "PiBench-Researcher-v0"
OFF = "PiBench-NoShell-v0"
WITHOUT = ("exec",)


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> str:
    """01-list needs a shell; the others, one of them in the past of others, do not."""
    return str(shell_pack(tmp_path_factory.mktemp("shell")))


def drawn(env: Any, count: int = 20) -> set[str]:
    return {env.reset(seed=seed)[1]["task_id"] for seed in range(count)}


def opened(pack: str, **options: Any) -> PiEnv:
    return PiEnv(pack, **{"history": "none", "exec_backend": "off", **options})


# -- left out where that is asked for ----------------------------------------------------------------------------------


@pytest.mark.parametrize("split", ["test", "train"])
def test_no_draw_opens_what_is_excluded(pack: str, split: Any) -> None:
    everything = drawn(opened(pack, split=split, responder=no_shell))
    assert "01-list" in everything
    assert drawn(opened(pack, split=split, exclude_needs=WITHOUT)) == everything - {"01-list"}


def test_a_vector_environment_draws_the_same(pack: str) -> None:
    options = {"pack": pack, "history": "none", "exec_backend": "off", "exclude_needs": WITHOUT}
    vector = gym.make_vec(ENV_ID, num_envs=12, vectorization_mode="vector_entry_point", **options)
    assert set(vector.reset(seed=0)[1]["task_id"]) == {"02-memo", "03-ping"}


def test_an_episode_goes_on_without_what_is_excluded(pack: str) -> None:
    env = opened(pack, history="own", exclude_needs=WITHOUT)
    tasks = [env.reset(seed=3)[1]["task_id"], env.reset()[1]["task_id"], env.reset()[1]["task_id"]]
    assert tasks == ["02-memo", "03-ping", "02-memo"]


def test_the_pasts_of_the_others_stay_as_they_are(pack: str) -> None:
    histories = []
    for more in ({"responder": no_shell}, {"exclude_needs": WITHOUT}):
        env = opened(pack, history="reference", **more)
        histories.append(env.reset(options={"task": "02-memo", "variant": 3})[0]["history"])
    assert histories[0] == histories[1]


def test_what_is_excluded_is_refused_by_its_name(pack: str) -> None:
    env = opened(pack, exclude_needs=["exec"])
    with pytest.raises(BadArgument, match=r"'01-list' needs exec, which exclude_needs=\('exec',\) leaves out"):
        env.reset(options={"task": "01-list"})
    with pytest.raises(BadArgument, match="leaves out"):
        collect(ENV_ID, "silent", tasks=["01-list"], env_kwargs={"pack": pack, "exclude_needs": WITHOUT})


@pytest.mark.parametrize(("value", "error"), [("exec", TypeError), (("exe",), UnknownName), (None, TypeError)])
def test_an_exclusion_that_is_none_is_refused(pack: str, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="exclude_needs"):
        opened(pack, exclude_needs=value)


def test_a_record_says_what_was_excluded_and_is_replayed(pack: str) -> None:
    env = opened(pack, exclude_needs=WITHOUT)
    env.reset(options={"task": "02-memo", "variant": 0})
    env.step("Done.")
    assert env.session is not None
    record = env.session.trajectory()
    assert record.config["exclude_needs"] == ["exec"]
    assert replay(record, pack=pi_gym.load_pack(pack)).trajectory() == record


def test_a_run_is_resumed_with_the_same_exclusion_alone(pack: str, tmp_path: Path) -> None:
    kwargs = {"pack": pack, "history": "none", "exec_backend": "off", "responder": no_shell}
    first = collect(ENV_ID, "silent", env_kwargs=kwargs | {"exclude_needs": WITHOUT}, out=tmp_path / "run")
    assert [task for _, task in first.plan.skipped] == ["01-list"]
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert (summary["exclude_needs"], summary["skipped_tasks"]) == (["exec"], ["01-list"])
    with pytest.raises(RunError, match="holds another run"):
        collect(ENV_ID, "silent", env_kwargs=kwargs, out=tmp_path / "run", resume=True)
    collect(ENV_ID, "silent", env_kwargs=kwargs | {"exclude_needs": ["exec"]}, out=tmp_path / "run", resume=True)


# -- refused where there is none ---------------------------------------------------------------------------------------


def test_a_reset_onto_such_a_task_says_what_to_do(pack: str) -> None:
    env = opened(pack)
    with pytest.raises(SandboxNeeded, match=r"01-list: .*exec_backend=\"off\".*exclude_needs=\('exec',\)") as found:
        env.reset(options={"task": "01-list"})
    assert str(pickle.loads(pickle.dumps(found.value))) == str(found.value)
    assert env.reset(options={"task": "02-memo"})[1]["task_id"] == "02-memo"


def test_a_reset_that_is_refused_leaves_the_session_as_it_was(pack: str) -> None:
    env = opened(pack)
    env.reset(options={"task": "02-memo"})
    before = env.session
    with pytest.raises(SandboxNeeded):
        env.reset(options={"task": "01-list"})
    assert env.session is before


def test_a_vector_environment_refuses_likewise(pack: str) -> None:
    options = {"pack": pack, "history": "none", "exec_backend": "off"}
    vector = gym.make_vec(ENV_ID, num_envs=2, vectorization_mode="vector_entry_point", **options)
    with pytest.raises(SandboxNeeded, match="exclude_needs"):
        vector.reset(options={"task": ["02-memo", "01-list"]})


def test_a_sandbox_that_is_asked_for_by_name_must_work(pack: str) -> None:
    broken = [name for name in ("landlock", "bubblewrap") if fault(name)]
    if not broken:
        pytest.skip("every sandbox works here")
    with pytest.raises(SandboxNeeded, match=f"exec_backend='{broken[0]}' does not work here: {broken[0]}: .*To enable"):
        PiEnv(pack, exec_backend=broken[0], exclude_needs=WITHOUT)  # type: ignore[arg-type]


def test_collecting_ends_before_a_session_is_played(pack: str, tmp_path: Path) -> None:
    kwargs = {"pack": pack, "exec_backend": "off"}
    with pytest.raises(SandboxNeeded, match="these tasks need: 01-list"):
        collect(ENV_ID, "silent", env_kwargs=kwargs, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


# -- the demo ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def off(pack: str) -> Iterator[str]:
    """The id of an environment in which nothing runs commands."""
    pi_gym.register(
        OFF,
        "pi_gym.pibench.env:PiEnv",
        vector_entry_point="pi_gym.pibench.env:PiVectorEnv",
        kwargs={"pack": pack, "exec_backend": "off"},
    )
    yield OFF
    del registry[OFF]


def demo(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["demo", "--variants", "1", "--num-envs", "1", "--quiet", *map(str, arguments)])


def test_a_demo_without_a_sandbox_says_on_its_first_line_what_it_leaves_out(off: str, tmp_path: Path) -> None:
    done = demo("--pack", off, "--out", tmp_path / "demo")
    assert done.exit_code == 0, done.output
    first, *rest = done.stdout.splitlines()
    assert first.startswith("No sandbox runs shell commands here, so this is played as with --exclude-needs exec.")
    assert 'exec_backend="off"' in first
    assert "left out by --exclude-needs exec: 01-list" in rest
    agents = json.loads((tmp_path / "demo" / "summary.json").read_text())["agents"]
    assert all(summary["exclude_needs"] == ["exec"] for summary in agents.values())


def test_a_demo_that_is_told_to_leave_them_out_says_no_more(off: str, tmp_path: Path) -> None:
    done = demo("--pack", off, "--out", tmp_path / "demo", "--exclude-needs", "exec")
    assert done.exit_code == 0, done.output
    assert "No sandbox" not in done.stdout
    assert "left out by --exclude-needs exec: 01-list" in done.stdout.splitlines()
