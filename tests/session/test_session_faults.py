"""Exceptions inside of a session: kept in its record, worth nothing, and the end of neither it nor others."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from support.packs import FOLDER, PROTOCOL, copy_pack, edit_yaml
from support.play import FINISHING, call, opened, play, step, write

from pi_gym.graders.rule import RuleGrader
from pi_gym.packs import Task, load_pack
from pi_gym.pibench import session as session_module
from pi_gym.pibench.env import PiEnv, PiVectorEnv
from pi_gym.pibench.replay import replay
from pi_gym.session import Trajectory
from pi_gym.session.faults import describe_error, describe_with_place, portable_trace
from pi_gym.tools import GENERAL, Registry, ToolContext, operation
from pi_gym.tools.files import list_dir
from pi_gym.types import Verdict
from pi_gym.users.rule import RuleUser

BROKEN = "Error: spill broke: the mistake is in the tool, not in your call. Nothing was changed; go on without it."


@operation("write")
def spill(context: ToolContext, secret: str = "hidden") -> str:
    """Write a file, and break.

    Args:
        secret: what the exception says.
    """
    context.workspace.write("spilt.txt", b"half")
    raise RuntimeError(secret)


WITH_SPILL = Registry([*GENERAL, spill])


class Raising(RuleUser):
    """A user that fails in a stage."""

    def __init__(self, stage: str) -> None:
        def broken(*_: object) -> object:
            raise KeyError(object())

        setattr(self, stage, broken)


class RaisingGrader(RuleGrader):
    """A grader that fails."""

    def grade(self, view: object, answers: object = None) -> tuple[Verdict, ...]:  # type: ignore[override]
        raise KeyError("judge")


def task_with_rule(folder: Path, body: str, place: str = "checklist") -> Task:
    """The task of three intents with a rule of its own in an item, or in the first wish."""
    copied = copy_pack(PROTOCOL, folder / "protocol")
    task = copied / "tasks" / "01-three"
    (task / "right.py").write_text(f"def check_it(evidence):\n    {body}\n", encoding="utf-8")
    edit_yaml(task / "task.yaml", lambda raw: raw[place][0].update(holds={"check": "it"}))
    return load_pack(copied).instantiate("01-three")


# -- tools -------------------------------------------------------------------------------------------------------------


def test_a_tool_that_raises_is_an_error_result_and_the_session_goes_on() -> None:
    session = opened(registry=WITH_SPILL, strict=False)
    before = session.world.state_hash()
    record = step(session, call("spill") + write("after.txt", "x"))
    assert record.messages[1].content == BROKEN
    assert session.world.workspace.read("spilt.txt") is None
    assert session.world.workspace.text("after.txt") == "x"
    assert session.world.state_hash() != before
    assert (record.failed, record.error, session.ended) == (("call_1",), "", False)
    (fault,) = session.engine_faults
    assert (fault.where, fault.step) == ("tool spill", 1)
    assert fault.error == f"RuntimeError: hidden ({__name__}:{spill.function.__code__.co_firstlineno + 8})"
    assert fault.traceback.endswith(f" in {spill.function.__qualname__}\nRuntimeError: hidden")
    assert not any("hidden" in message.content for message in record.messages)


def test_a_session_with_a_fault_is_scored_and_its_record_tells_it() -> None:
    session = opened(registry=WITH_SPILL, strict=False)
    play(session, call("spill"), call("spill"), call("spill", secret="other"), *FINISHING)
    record = session.trajectory()
    assert (record.scored, record.scores["proc"], record.scores["comp"]) == (True, 1.0, 1.0)
    assert [fault.step for fault in record.engine_faults] == [1, 3], "of each place and text the first"
    assert Trajectory.from_json(json.loads(record.to_line())) == record
    assert pickle.loads(pickle.dumps(session.fork())).engine_faults == session.engine_faults
    assert str(Path(__file__).parent) not in record.to_line()


def test_strict_raises_what_a_tool_raises() -> None:
    session = opened(registry=WITH_SPILL, strict=True)
    with pytest.raises(RuntimeError, match="hidden"):
        step(session, call("spill"))


def test_a_read_of_odd_arguments_that_raises_is_an_error_result(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(arguments: object) -> dict[str, Any]:
        raise RecursionError

    monkeypatch.setattr(list_dir, "check", broken)
    session = opened(strict=False)
    record = step(session, call("list_dir"))
    assert record.messages[-1].content.startswith("Error: list_dir broke: ")
    assert session.engine_faults[0].where == "tool list_dir"


# -- rules -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", ["return 1 / 0", "raise RecursionError", "import json; return json.loads('{')"])
def test_an_item_whose_rule_raises_is_unknown_and_there_is_no_comp(tmp_path: Path, body: str) -> None:
    session = opened(task_with_rule(tmp_path, body), strict=False)
    records = play(session, *FINISHING)
    assert (session.scored, session.proc, session.comp) == (True, 1.0, None)
    assert [verdict.verdict for verdict in session.verdicts] == [*["passed"] * 4, "unknown", "passed"]
    assert sum(record.reward for record in records) == 0.5
    assert [fault.where for fault in session.engine_faults] == ["rule checklist[0].holds"]
    assert str(tmp_path) not in session.trajectory().to_line()


def test_a_rule_is_named_by_its_module(tmp_path: Path) -> None:
    session = opened(task_with_rule(tmp_path, "return 1 / 0"), strict=False)
    session.truncate("now")
    (fault,) = session.engine_faults
    assert fault.error == "ZeroDivisionError: division by zero (pi_gym_variant_01_three:2)"
    assert "pi_gym_variant_01_three:2 in check_it\nZeroDivisionError" in fault.traceback


def test_an_intent_whose_rule_raises_is_not_met_and_the_others_are_judged(tmp_path: Path) -> None:
    session = opened(task_with_rule(tmp_path, "return 1 / 0", "wishes"), strict=False)
    play(session, write("out.txt", "done: blue, round\n"), "finished: it is large and blue.")
    statuses = {intent.name: session.statuses[intent.id] for intent in session.task.intents}
    broken, *others = statuses.values()
    assert broken in ("open", "provided")
    assert "completed" in others, statuses
    assert {fault.where for fault in session.engine_faults} == {"rule wishes[0].holds"}
    assert session.task.intents[0].id not in session.held


def test_strict_raises_what_a_rule_raises(tmp_path: Path) -> None:
    session = opened(task_with_rule(tmp_path, "return 1 / 0"), strict=True)
    with pytest.raises(ZeroDivisionError):
        session.truncate("now")


# -- roles, and the session itself -------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", ["satisfied", "asked", "message"])
def test_a_user_that_raises_credits_nothing_and_the_session_goes_on(stage: str) -> None:
    session = opened(user=Raising(stage), strict=False)
    record = step(session, "Hm.")
    assert not session.ended
    assert record.messages[-1].role == "user"
    assert record.messages[-1].content
    (fault,) = session.engine_faults
    assert fault.where == f"user {stage}"
    assert fault.error.startswith("KeyError: <object object at 0x...> (")


def test_a_grader_that_raises_leaves_every_item_unknown() -> None:
    session = opened(grader=RaisingGrader(), strict=False)
    play(session, *FINISHING)
    assert (session.scored, session.comp) == (True, None)
    assert {verdict.verdict for verdict in session.verdicts} == {"unknown"}
    assert session.engine_faults[0].where == "grader grade"


def test_an_error_of_the_session_itself_cuts_it_short_and_it_is_graded(monkeypatch: pytest.MonkeyPatch) -> None:
    session = opened(strict=False)
    step(session, FINISHING[0])

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("protocol")

    monkeypatch.setattr(session_module, "end_turn", broken)
    record = step(session, "Done.")
    assert (record.truncated, record.error, session.end_reason) == (True, "", "engine_fault")
    assert (session.scored, session.proc) == (True, 2 / 3)
    assert session.engine_faults[0].where == "session"


# -- environments ------------------------------------------------------------------------------------------------------


@pytest.fixture
def breaking(monkeypatch: pytest.MonkeyPatch) -> None:
    """`list_dir` breaks."""

    def broken(context: ToolContext, **_: object) -> str:
        raise RuntimeError("broken")

    monkeypatch.setattr(list_dir, "function", broken)


def vectors(pack: str) -> list[gym.vector.VectorEnv[Any, Any, Any]]:
    """Two sessions, in Gymnasium's vector environment and in ours."""
    return [gym.vector.SyncVectorEnv([lambda: PiEnv(pack)] * 2), PiVectorEnv(2, pack=pack)]


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.usefixtures("breaking")
def test_a_tool_that_raises_touches_no_other_session_of_a_batch(which: int) -> None:
    env = vectors(str(PROTOCOL))[which]
    env.reset(seed=0, options={"task": "01-three"})
    observation, rewards, terminated, truncated, info = env.step([call("list_dir"), write("a.txt", "x")])
    assert "list_dir broke" in observation["history"][0]
    assert "+x" in observation["workspace_diff"][1]
    assert not (terminated | truncated).any()
    assert rewards.tolist() == [0.0, 0.0]
    assert info["engine_faults"].tolist() == [1, 0]


@pytest.mark.parametrize("which", [0, 1])
def test_a_rule_that_raises_touches_no_other_session_of_a_batch(which: int, tmp_path: Path) -> None:
    body = "return 1 / 0 if 'BREAK' in evidence.reply else False"
    env = vectors(task_with_rule(tmp_path, body, "wishes").pack_source)[which]
    env.reset(seed=0, options={"task": "01-three"})
    _, rewards, terminated, truncated, info = env.step(["BREAK", "Hm."])
    assert info["engine_faults"].tolist() == [1, 0]
    assert not (terminated | truncated).any()
    assert rewards.tolist() == [0.0, 0.0]


@pytest.mark.usefixtures("breaking")
def test_a_strict_environment_raises() -> None:
    env = PiEnv(PROTOCOL, strict=True)
    env.reset(seed=0, options={"task": "01-three"})
    with pytest.raises(RuntimeError, match="broken"):
        env.step(call("list_dir"))


@pytest.mark.usefixtures("breaking")
def test_a_record_with_faults_is_replayed_with_the_same_faults() -> None:
    session = opened(strict=False)
    play(session, call("list_dir"), *FINISHING)
    record = session.trajectory()
    assert record.engine_faults
    assert replay(record, pack=load_pack(PROTOCOL)).trajectory().to_line() == record.to_line()


# -- descriptions ------------------------------------------------------------------------------------------------------


def raised(work: Callable[[], object]) -> Exception:
    with pytest.raises(Exception) as caught:
        work()
    return caught.value


def test_the_place_is_the_innermost_one_outside_of_libraries() -> None:
    import json

    error = raised(lambda: json.loads("{"))
    assert f"({__name__}:" in describe_with_place(error)
    error = raised(lambda: load_pack("no-such-pack"))
    assert "(pi_gym.packs." in describe_with_place(error)


class Speechless(Exception):
    """An exception without words."""

    def __str__(self) -> str:
        raise RuntimeError


def test_exceptions_without_text_with_surrogates_or_of_any_length_can_be_told() -> None:
    assert describe_error(Speechless()) == "Speechless: (no text)"
    assert describe_error(ValueError()) == "ValueError"
    describe_error(ValueError("\ud800")).encode()
    assert describe_error(ValueError("für 0xdeadbeef – 0x12")) == "ValueError: für 0x... – 0x12"
    assert len(describe_error(ValueError("x" * 100_000))) < 3_000
    assert describe_with_place(ValueError("never raised")) == "ValueError: never raised"
    assert portable_trace(ValueError("never raised")) == "ValueError: never raised"


def test_a_mistake_of_the_packs_author_leaves_the_session_unscored(tmp_path: Path) -> None:
    """An app's rows are read at its first call; they are no fault of the engine, and no result of the agent's."""
    folder = copy_pack(FOLDER / "skipper", tmp_path / "skipper")
    (folder / "apps/simple_note.json").write_text('{"notes": {"columns": ["id", "titel"], "rows": [[1, "x"]]}}')
    env = PiEnv(folder, tools="all")
    env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step(
        call("simple_note__login", username="nobody@example.org", password="wrong")
    )
    assert (terminated, truncated, info["scored"], info["error_kind"]) == (False, True, False, "engine")
    assert reward != reward
    assert "apps/simple_note.json" in info["error"]
