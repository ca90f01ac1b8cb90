"""Replaying a record gives its very bytes; a record survives JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.asking import AskingGrader, AskingUser
from support.packs import PROTOCOL, TINY, copy_pack, edit_yaml, protocol, tiny
from support.play import FINISHING, agreeing, ask, call, opened, play, step, write

from pi_gym.errors import StateMismatch
from pi_gym.packs import load_pack
from pi_gym.pibench.replay import replay
from pi_gym.pibench.session import PiSession
from pi_gym.pibench.settings import Limits
from pi_gym.rewards import RewardConfig
from pi_gym.session import Trajectory, read_trajectories
from pi_gym.types import Answer, Message, ToolCall

words = st.text(max_size=30)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
names = st.sampled_from(["read_file", "write_file", "message", "ask_user", "glob", "nothing", ""])
calls = st.builds(ToolCall, names, st.dictionaries(st.sampled_from(["path", "content", "question", "x"]), values))
marks = st.sampled_from(["<think>", "</think>", "<tool_call>", "</tool_call>", "{", "}", '"', "\n", "Which colour? "])
texts = st.lists(words | marks, max_size=6).map("".join)
actions = st.one_of(
    texts,
    calls,
    st.lists(calls, max_size=3),
    st.builds(Message, st.just("assistant"), texts, st.lists(calls, max_size=2).map(tuple)),
    st.fixed_dictionaries(
        {"role": st.just("assistant"), "content": texts | st.none()},
        optional={"reasoning_content": texts, "tool_calls": st.lists(values, max_size=2)},
    ),
    values,
)


def again(line: str) -> Trajectory:
    record = Trajectory.from_json(json.loads(line))
    user, grader = (AskingUser(), AskingGrader()) if record.config["roles"]["user"] == "asking" else (None, None)
    pack = load_pack(TINY if record.pack == "tiny" else PROTOCOL)
    session = replay(record, pack=pack, user=user, grader=grader)
    return session.trajectory(agent=record.agent, sample=record.sample)


@given(st.lists(actions, max_size=6))
def test_any_record_survives_json_and_replay(taken: list[object]) -> None:
    session = opened(limits=Limits(max_steps=5))
    play(session, *taken)
    line = session.trajectory(agent="fuzz", sample=2).to_line()
    assert "\n" not in line
    assert Trajectory.from_json(json.loads(line)).to_line() == line
    assert again(line).to_line() == line


@pytest.mark.parametrize("history", ["reference", "none"])
@pytest.mark.parametrize("variant", [0, 1, 7])
@pytest.mark.parametrize("pack", [tiny(), protocol()], ids=lambda pack: pack.name)
def test_references_replay_to_the_same_bytes(pack: object, variant: int, history: str) -> None:
    for task_id in pack.task_ids:  # type: ignore[attr-defined]
        task = pack.instantiate(task_id, variant)  # type: ignore[attr-defined]
        session = opened(task, history=history)
        play(session, *task.reference)
        line = session.trajectory().to_line()
        assert again(line).to_line() == line


def test_answers_come_from_the_record() -> None:
    session = opened(user=AskingUser(), grader=AskingGrader())
    play(session, "What size?", *FINISHING, model=agreeing())
    assert session.ended
    line = session.trajectory().to_line()
    assert again(line).to_line() == line


def test_an_unfinished_session_replays_up_to_its_open_asks() -> None:
    session = opened(user=AskingUser(2), grader=AskingGrader(2))
    step(session, "Hm.", agreeing())
    session.apply("Hm again.")
    session.answer(session.pending[1].id, Answer())
    record = session.trajectory()
    copy = replay(record, pack=protocol(), user=AskingUser(2), grader=AskingGrader(2))
    assert copy.trajectory().to_line() == record.to_line()
    assert [one.id for one in copy.pending] == [one.id for one in session.pending]


def interrupted(how: str) -> PiSession:
    session = opened(user=AskingUser(), grader=AskingGrader())
    step(session, "Which colour?", agreeing())
    if how == "truncate":
        session.truncate("operator")
        session.answer(session.pending[0].id, Answer())
    elif how == "fail":
        session.fail("policy died", "policy")
    else:
        session.apply("Hm.")
        if how == "fail while pending":
            session.fail("driver died", "engine")
        else:
            session.answer(session.pending[0].id, Answer(error="model down"))
    return session


@pytest.mark.parametrize("how", ["truncate", "fail", "fail while pending", "model failure"])
def test_sessions_cut_short_from_outside_replay_too(how: str) -> None:
    session = interrupted(how)
    assert session.ended
    line = session.trajectory().to_line()
    assert again(line).to_line() == line


def test_settings_are_part_of_the_replay() -> None:
    reward = RewardConfig(cost_per_turn=0.125, cost_per_question=0.25, credit_needless=0.5, pay_held_only=True)
    session = opened(patience=1, limits=Limits(9, 8, 7), reward=reward, tools="all")
    play(session, "Which font? What shape?", call("nothing"), *FINISHING)
    line = session.trajectory().to_line()
    assert again(line).to_line() == line


def test_a_changed_pack_is_refused(tmp_path: Path) -> None:
    session = opened()
    play(session, *FINISHING)
    folder = copy_pack(PROTOCOL, tmp_path / "protocol")
    edit_yaml(folder / "pack.yaml", lambda raw: raw.update(title="Another"))
    with pytest.raises(StateMismatch, match="content"):
        replay(session.trajectory(), pack=load_pack(folder))


def test_the_own_past_has_to_be_given() -> None:
    task = protocol().instantiate("01-three")
    session = opened(task, history="own")
    session.world.workspace.write("x", b"x")
    play(session, *FINISHING)
    with pytest.raises(ValueError, match="start="):
        replay(session.trajectory(), pack=protocol())


def test_roles_other_than_the_rules_have_to_be_given() -> None:
    session = opened(user=AskingUser())
    with pytest.raises(ValueError, match="user 'asking'"):
        replay(session.trajectory(), pack=protocol())


# -- files -----------------------------------------------------------------------------------------------------------


def finished() -> Trajectory:
    session = opened()
    play(session, ask("Which colour?"), write("out.txt", "ünï\u2028cödé 🌱"), *"abcd")
    return session.trajectory(agent="me")


def test_a_file_of_records_is_read_back(tmp_path: Path) -> None:
    one = finished()
    two = replace(one, sample=1)
    (tmp_path / "trajectories.jsonl").write_text(f"{one.to_line()}\n{two.to_line()}\n", encoding="utf-8")
    assert [t.to_line() for t in read_trajectories(tmp_path)] == [one.to_line(), two.to_line()]
    assert one.key != two.key


@pytest.mark.parametrize("line", ["{}", "[]", "not json", '{"format": 99}'])
def test_a_line_that_is_no_record_is_named_with_its_number(tmp_path: Path, line: str) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text(f"{finished().to_line()}\n{line}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 2"):
        list(read_trajectories(path))


def test_counts_of_a_record() -> None:
    record = finished()
    assert (
        record.turns,
        record.steps,
        record.tool_calls,
        record.labels["questions"],
        record.labels["question_misses"],
    ) == (5, 6, 2, 1, 0)
    assert record.labels["words_by_user"] == sum(
        len(t.split()) for t in ("Make it blue.", "It should be round.", "Go ahead.", "A LARGE one, mind.")
    )
    assert [row["turn"] for row in record.labels["intents"]] == [1, 4, 2]
    assert record.actions[2:] == ["a", "b", "c", "d"]


def test_the_group_and_the_policys_own_output_are_kept() -> None:
    session = opened()
    play(session, "Done.")
    given = {"text": "Done.", "token_ids": [5, 6], "logprobs": [-0.5, -0.25]}
    record = session.trajectory(agent="x", group_id="g", policy_outputs=(given,))
    assert Trajectory.from_json(json.loads(record.to_line())) == record
