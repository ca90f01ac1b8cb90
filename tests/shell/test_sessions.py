"""The shell in sessions: environment, records, replay, references, rollout, validation."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.packs import TINY, edit_yaml
from support.play import call
from support.shell import need, no_shell, shell_pack

from pi_gym.errors import PackError
from pi_gym.packs import Pack, load_pack
from pi_gym.pibench.env import PiEnv
from pi_gym.pibench.history import world_before
from pi_gym.pibench.opening import choose_tools
from pi_gym.pibench.replay import replay
from pi_gym.pibench.session import PiSession
from pi_gym.proof import validate_pack
from pi_gym.rollout import collect
from pi_gym.session import Trajectory
from pi_gym.tools.shell_result import ShellResult
from pi_gym.types import Answer, Ask
from pi_gym.validation.report import TaskReport

MAKE = call("exec", command="mkdir out && echo made > out/x.txt && ls out")
ENV_ID = "pi_gym:PiBench-v0"


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    return load_pack(shell_pack(tmp_path))


def opened(pack: Pack, **options: Any) -> PiEnv:
    env = PiEnv(pack.source, history="none", **options)
    env.reset(seed=0, options={"task": "01-list", "variant": 0})
    return env


def test_only_tasks_that_name_it_are_offered_the_shell(pack: Pack) -> None:
    assert "exec" in choose_tools(pack.instantiate("01-list", 0), "task")
    assert "exec" not in choose_tools(pack.instantiate("02-memo", 0), "task")
    assert "exec" in choose_tools(pack.instantiate("02-memo", 0), "all")


def test_a_command_in_the_environment_changes_the_workspace(pack: Pack) -> None:
    need()
    env = opened(pack)
    observation, _, terminated, truncated, info = env.step(MAKE)
    assert "[exit status 0]\nx.txt\n" in observation["history"]
    assert "+made" in observation["workspace_diff"]
    assert (terminated, truncated, info["error"]) == (False, False, "")
    env.step(call("exec", command="rm -r ../out; pwd", working_dir="out"))
    assert env.session is not None
    assert not env.session.world.workspace.is_folder("out")


def test_sessions_that_used_the_shell_are_marked_and_replay_without_one(
    pack: Pack, monkeypatch: pytest.MonkeyPatch
) -> None:
    need()
    env = opened(pack)
    env.step(call("exec", command="date +%N > now; head -c 20 /dev/urandom > noise; cat now"))
    env.step("Done.")
    assert env.session is not None
    record = env.session.trajectory(agent="x")
    assert record.nondeterministic
    line = record.to_line()
    monkeypatch.setattr("pi_gym.shell.runner.run_command", None)
    again = replay(Trajectory.from_json(json.loads(line)), pack=pack)
    assert again.trajectory(agent="x").to_line() == line
    assert again.world.workspace.state_hash() == env.session.world.workspace.state_hash()


def test_sessions_without_the_shell_are_not_marked(pack: Pack) -> None:
    env = opened(pack, exec_backend="off", responder=no_shell)
    env.step("Done.")
    assert env.session is not None
    record = env.session.trajectory()
    assert not record.nondeterministic


def test_without_a_sandbox_the_tool_says_so_and_no_more_where_the_task_needs_none(pack: Pack) -> None:
    env = PiEnv(pack.source, history="none", tools="all", exec_backend="off")
    env.reset(seed=0, options={"task": "02-memo", "variant": 0})
    observation, _, terminated, truncated, info = env.step(MAKE)
    said = observation["history"].rpartition("=== tool")[2]
    assert "exec is not available here" in said
    for advice in ("exec_backend", "install", "exclude_needs", "bubblewrap", "landlock"):
        assert advice not in said
    assert (terminated, truncated, info["error"]) == (False, False, "")


def test_a_responder_is_asked_where_the_sandbox_is_off(pack: Pack) -> None:
    seen: list[Ask] = []

    def respond(asks: Any) -> list[Answer]:
        seen.extend(asks)
        return [Answer({"unavailable": "ask somebody else"}) for _ in asks]

    env = opened(pack, exec_backend="off", responder=respond)
    observation, *_ = env.step(MAKE)
    assert [ask.kind for ask in seen] == ["shell"]
    assert "ask somebody else" in observation["history"]


def test_a_failure_of_the_sandbox_leaves_the_session_unscored(pack: Pack) -> None:
    env = opened(pack)
    env.shell = lambda asks: [Answer(error="the sandbox failed") for _ in asks]
    *_, truncated, info = env.step(MAKE)
    assert truncated
    assert "the sandbox failed" in info["error"]
    assert env.session is not None
    assert env.session.error_kind == "shell"


def test_a_session_whose_command_was_starved_says_so(pack: Pack) -> None:
    for starved in (True, False):
        done = ShellResult(137, ended="timeout", starved=starved)
        answer = lambda asks, done=done: [Answer(done.to_json()) for _ in asks]  # noqa: E731
        env = opened(pack, exec_backend="off", responder=answer)
        observation, *_ = env.step(MAKE)
        assert ("too busy" in observation["history"]) is starved
        assert env.session is not None
        assert env.session.trajectory().starved is starved


def test_an_unknown_backend_is_refused(pack: Pack) -> None:
    with pytest.raises(LookupError, match="landlock"):
        opened(pack, exec_backend="docker")


def test_a_session_that_waits_for_a_command_can_be_pickled_and_forked(pack: Pack) -> None:
    env = opened(pack, exec_backend="off", responder=no_shell)
    session = env.session
    assert session is not None
    session.apply(MAKE)
    copies: list[PiSession] = [session.fork(), pickle.loads(pickle.dumps(session))]
    for one in (session, *copies):
        (ask,) = one.pending
        one.answer(ask.id, Answer({"unavailable": "no"}))
    assert {one.history for one in copies} == {session.history}


# -- references ------------------------------------------------------------------------------------------------------


def test_the_past_of_a_task_takes_what_references_declare(pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_gym.shell.runner.run_command", None)
    before = world_before(pack, "02-memo", 0).workspace
    plain = world_before(load_pack(TINY), "02-memo", 0).workspace
    assert before.read("seeds.txt") == plain.read("seeds.txt")
    assert b"exec" in (before.read("memory/HISTORY.md") or b"")


@pytest.mark.parametrize(
    ("result", "field"),
    [
        (None, "result"),
        ({"out": "x"}, "result"),
        ({"exit": "one"}, "result.exit"),
        ({"output": 3}, "result.output"),
        ({"output": "x" * 10_001}, "result.output"),
        ({"files": ["x"]}, "result.files"),
        ({"files": {"../x": "x"}}, "result.files"),
        ({"files": {"x": 3}}, "result.files.x"),
    ],
)
def test_a_reference_that_declares_no_result_is_a_broken_task(tmp_path: Path, result: Any, field: str) -> None:
    folder = shell_pack(tmp_path)
    task = folder / "tasks" / "01-list" / "task.yaml"
    edit_yaml(task, lambda raw: raw["solution"][2]["calls"][0].update(result=result))
    with pytest.raises(PackError, match=r"solution\[2\]\.calls\[0\]\." + field.replace(".", r"\.")):
        load_pack(folder).instantiate("01-list", 0).reference  # noqa: B018 (it is made here)


def test_declared_results_delete_and_hold_bytes(tmp_path: Path) -> None:
    folder = shell_pack(tmp_path)
    task = folder / "tasks" / "01-list" / "task.yaml"
    files = {"seeds.txt": "{{ right.seeds }}", "shop.txt": None}
    edit_yaml(task, lambda raw: raw["solution"][2]["calls"][0]["result"].update(files=files))
    assert yaml.safe_load(task.read_text())["solution"][2]["calls"][0]["result"]["files"]["shop.txt"] is None
    assert world_before(load_pack(folder), "02-memo", 0).workspace.read("shop.txt") is None


# -- runners and proofs ----------------------------------------------------------------------------------------------


def test_rollout_plays_tasks_that_need_a_shell_where_there_is_one(pack: Pack) -> None:
    need()
    summary = collect(ENV_ID, "reference", env_kwargs={"pack": pack.source}, tasks=["01-list"])
    assert summary.plan.skipped == ()
    assert summary.overall["return"].mean == 1.0
    assert [trajectory.nondeterministic for trajectory in summary.trajectories] == [True]


def shell_row(report: TaskReport) -> Any:
    return next(row for row in report.rows if row.check == "shell")


def test_validation_runs_the_commands_and_compares(pack: Pack) -> None:
    need()
    (task,) = validate_pack(pack, ["01-list"], variants=1).tasks
    assert shell_row(task).ok
    assert shell_row(task).numbers["commands"].low == 1
    assert not [finding for finding in task.findings if finding.check in ("shell", "reference", "leaks")]


def test_validation_finds_a_reference_that_declares_something_else(tmp_path: Path) -> None:
    need()
    command = "printf '%s' \"{{ right.seeds }}\" > seeds.txt; echo x > more.txt; echo other; exit 1"
    (task,) = validate_pack(load_pack(shell_pack(tmp_path, command)), ["01-list"], variants=1).tasks
    assert not shell_row(task).ok
    told = " | ".join(finding.reason for finding in task.failures if finding.check == "shell")
    assert "exit status: declared 0, got 1" in told
    assert "output: declared 'written\\n', got 'other\\n'" in told
    assert "more.txt: declared no change" in told


def test_validation_without_a_sandbox_says_that_it_did_not_compare(pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    from pi_gym.shell import ShellRunner

    monkeypatch.setattr("pi_gym.proof.commands._RUNNER", ShellRunner("off"))
    (task,) = validate_pack(pack, ["01-list"], variants=1).tasks
    assert shell_row(task).ok
    assert [f.level for f in task.findings if f.check == "shell"] == ["note", "note"]
