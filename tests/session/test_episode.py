"""Episodes of the agent's own that are taken up from their records, at any session."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from support.packs import PROTOCOL, TINY, copy_pack, edit_yaml
from support.play import call, write
from support.shell import no_shell

import pi_gym  # noqa: F401 (registers the environments)
from pi_gym.errors import SessionError, StateMismatch, UnknownName
from pi_gym.session import Trajectory
from pi_gym.types import Answer, Ask, ToolRequest

MEMORY = "memory/MEMORY.md"


def env_of(pack: Path | str = PROTOCOL, **options: Any) -> Any:
    return gym.make("PiBench-v0", disable_env_checker=True, pack=str(pack), **{"history": "own", **options}).unwrapped


def play(env: Any, actions: Sequence[object]) -> Trajectory:
    """Play a session with these actions, and then with replies until it ends."""
    number = 0
    while not env.session.ended:
        env.step(actions[number] if number < len(actions) else f"That is all, {number}.")
        number += 1
    found: Trajectory = env.session.trajectory(agent="x")
    return found


def moves(env: Any) -> list[object]:
    """What the agent does: a part of it is the task's own solution, which uses whatever tools the task is about."""
    session = env.session
    kept = f"{session.task.id} after {len(session.history)} characters\n"
    return [*session.task.reference[:-1], write(MEMORY, kept), write("kept.txt", kept), "Which colour? Done."]


def whole(env: Any, variant: int = 0) -> list[Trajectory]:
    _, info = env.reset(seed=1, options={"variant": variant})
    first, found = info["task_id"], []
    while True:
        found.append(play(env, moves(env)))
        if env.reset()[1]["task_id"] == first:
            return found


def taken_up(env: Any, records: Sequence[Trajectory], task: str, variant: int = 0) -> None:
    env.reset(seed=1, options={"variant": variant})
    env.take_up(task, [Trajectory.from_json(json.loads(record.to_line())) for record in records])
    env.reset()


@pytest.mark.parametrize(("pack", "variant"), [(TINY, 2), (PROTOCOL, 0), ("researcher", 3)])
def test_an_episode_goes_on_from_its_records_as_if_it_had_never_stopped(pack: Path | str, variant: int) -> None:
    options = {"max_steps": 12, "exec_backend": "off", "responder": no_shell}
    records = whole(env_of(pack, **options), variant)
    assert len(records) > 2
    for number in sorted({1, len(records) // 2, len(records) - 1}):
        env = env_of(pack, **options)
        taken_up(env, records[:number], records[number].task_id, variant)
        assert play(env, moves(env)).to_line() == records[number].to_line()
        if number + 1 < len(records):
            env.reset()
            assert play(env, moves(env)).to_line() == records[number + 1].to_line()


def test_sessions_that_ended_at_a_limit_are_taken_up_too() -> None:
    options = {"max_steps": 2, "max_turns": 1}
    records = whole(env_of(**options))
    assert any(record.truncated for record in records)
    env = env_of(**options)
    taken_up(env, records[:-1], records[-1].task_id)
    assert play(env, moves(env)).to_line() == records[-1].to_line()


def test_what_tools_were_answered_from_outside_comes_from_the_record(tmp_path: Path) -> None:
    asked: list[Ask] = []

    def shell(asks: Sequence[Ask]) -> list[Answer]:
        asked.extend(asks)
        assert all(isinstance(ask.request, ToolRequest) for ask in asks)
        return [Answer({"unavailable": f"this is try {len(asked)}"}) for _ in asks]

    options: dict[str, Any] = {"tools": "all", "exec_backend": "off", "responder": shell}
    env = env_of(**options)
    env.reset(seed=1, options={"variant": 0})
    first = play(env, [call("exec", command="date"), write("kept.txt", "mine")])
    assert first.nondeterministic
    assert "this is try 1" in first.to_line()
    env.reset()
    second = play(env, [call("read_file", path="memory/HISTORY.md")])
    before = len(asked)
    again = env_of(**options)
    taken_up(again, [first], second.task_id)
    assert len(asked) == before
    assert play(again, [call("read_file", path="memory/HISTORY.md")]).to_line() == second.to_line()


def test_records_of_another_pack_are_refused(tmp_path: Path) -> None:
    records = whole(env_of())
    other = copy_pack(PROTOCOL, tmp_path / "protocol")
    edit_yaml(other / "persona.yaml", lambda raw: raw.update(name="Somebody Else"))
    env = env_of(other)
    env.reset(seed=1, options={"variant": 0})
    with pytest.raises(StateMismatch):
        env.take_up(records[1].task_id, records[:1])


def test_records_that_do_not_come_out_as_they_were_made_are_refused() -> None:
    records = whole(env_of())
    env = env_of()
    env.reset(seed=1, options={"variant": 0})
    with pytest.raises(SessionError, match="does not come out as it was recorded"):
        env.take_up(records[1].task_id, [_changed(records[0])])


def _changed(record: Trajectory) -> Trajectory:
    raw = json.loads(record.to_line())
    for event in raw["events"]:
        if event["kind"] == "call":
            event["result"] += "more"
    return Trajectory.from_json(raw)


def test_sessions_of_an_episode_can_be_left_out() -> None:
    env = env_of()
    tasks = [record.task_id for record in whole(env)]
    env.reset(seed=1, options={"variant": 0})
    play(env, [])
    env.take_up(tasks[2])
    assert env.reset()[1]["task_id"] == tasks[2]
    assert env.session.world.workspace.text("memory/HISTORY.md").count("## Conversation") == 1
    assert env.reset()[1]["task_id"] == tasks[3]


def test_what_is_no_session_of_the_episode_is_named() -> None:
    env = env_of()
    with pytest.raises(ValueError, match="reset the environment first"):
        env.take_up("02-beat")
    env.reset(seed=1)
    with pytest.raises(UnknownName, match="Did you mean '02-beat'"):
        env.take_up("02-bet")
    alone = env_of(history="none")
    alone.reset(seed=1)
    with pytest.raises(ValueError, match="no episode of history='own' has begun"):
        alone.take_up("02-beat")


def test_every_session_has_the_seed_of_its_episode() -> None:
    assert [record.seed for record in whole(env_of())] == [1] * 4
    env = env_of()
    env.reset(seed=5)
    for _ in range(4):
        env.reset()
    assert env.session.config.seed == -1  # a new episode, which no seed began
