"""Reading a run for an export: whole lines, the selected sessions, and nothing that is no record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.runs import failed, record, records, unopened, write_run

from pi_gym.errors import BadArgument, StateMismatch
from pi_gym.export.chat import chat_line
from pi_gym.export.records import RunRecords, Selection
from pi_gym.pibench.family import PIBENCH
from pi_gym.runs.lines import RunError


def samples(found: RunRecords) -> list[int]:
    return list(found.read(lambda one: one.sample))


def test_scored_sessions_come_in_the_order_of_the_lines(tmp_path: Path) -> None:
    run = write_run(tmp_path, records(), [failed()])
    found = RunRecords(run)
    assert samples(found) == [0, 1, 2]
    assert (found.counts.sessions, found.counts.unscored) == (3, 1)
    assert samples(found) == [0, 1, 2]
    assert found.counts.sessions == 3  # of the last reading


def test_attempts_without_a_score_come_last_and_only_when_asked_for(tmp_path: Path) -> None:
    run = write_run(tmp_path, records(), [failed(), unopened()])
    found = RunRecords(run, Selection(include_unscored=True))
    assert samples(found) == [0, 1, 2, 9, 10]
    assert found.counts.unscored == 0


@pytest.mark.parametrize(
    ("least", "taken"), [(-1.0, [0, 1, 2]), (0.0, [0, 1, 2]), (0.5, [0, 1]), (1.0, [0]), (1.1, [])]
)
def test_a_least_return_is_included(tmp_path: Path, least: float, taken: list[int]) -> None:
    run = write_run(tmp_path, records())
    assert [one.return_ for one in records()] == [1.0, pytest.approx(5 / 6), 0.0]
    found = RunRecords(run, Selection(min_return=least))
    assert samples(found) == taken
    assert found.counts.below == 3 - len(taken)


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), "1", True])
def test_a_least_return_is_a_finite_number(wrong: Any) -> None:
    with pytest.raises(BadArgument, match="finite number"):
        Selection(min_return=wrong)


def test_what_has_no_return_has_no_least_one() -> None:
    with pytest.raises(BadArgument, match="include_unscored"):
        Selection(min_return=0.0, include_unscored=True)


def test_a_file_is_a_run_too(tmp_path: Path) -> None:
    run = write_run(tmp_path, records(), [failed()])
    assert samples(RunRecords(run / "trajectories.jsonl")) == [0, 1, 2]
    alone = RunRecords(run / "unscored.jsonl")
    assert samples(alone) == []
    assert alone.counts.unscored == 1
    assert samples(RunRecords(run / "unscored.jsonl", Selection(include_unscored=True))) == [9]


# -- a run that grows -----------------------------------------------------------------------------------------------


def test_half_a_line_is_not_there_yet(tmp_path: Path) -> None:
    run = write_run(tmp_path, records()[:2])
    line = records()[2].to_line().encode() + b"\n"
    with (run / "trajectories.jsonl").open("ab") as file:
        file.write(line[:700])
        file.flush()
        assert samples(RunRecords(run)) == [0, 1]
        file.write(line[700:])
        file.flush()
        assert samples(RunRecords(run)) == [0, 1, 2]


def test_what_is_appended_later_is_not_read(tmp_path: Path) -> None:
    run = write_run(tmp_path, records()[:2])
    found = RunRecords(run)
    reading = found.read(lambda one: one.sample)
    assert next(reading) == 0
    with (run / "trajectories.jsonl").open("ab") as file:
        file.write(records()[2].to_line().encode() + b"\n")
    assert list(reading) == [1]
    assert samples(RunRecords(run)) == [0, 1, 2]


def test_a_run_that_has_just_begun_is_empty(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    assert samples(RunRecords(tmp_path)) == []
    write_run(tmp_path, [])
    assert samples(RunRecords(tmp_path)) == []
    (tmp_path / "trajectories.jsonl").write_bytes(b'{"format"')
    assert samples(RunRecords(tmp_path)) == []


# -- what is no run -------------------------------------------------------------------------------------------------


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="there is no such run"):
        RunRecords(tmp_path / "nope")


def test_a_folder_of_other_things(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(RunError, match="holds no run"):
        RunRecords(tmp_path)


def changed(raw: dict[str, Any], **values: Any) -> str:
    return json.dumps({**raw, **values})


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda raw: "\0\0\0\0", "--resume"),
        (lambda raw: "[]", "format None"),
        (lambda raw: "[" * 100_000, "not a trajectory"),
        (lambda raw: changed(raw, format=99), "expected a trajectory of format 1, got format 99"),
        (lambda raw: changed(raw, surprise=1), "unknown .'surprise'."),
        (lambda raw: changed(raw, events=[7]), "not a trajectory"),
        (lambda raw: changed(raw, events=[{"kind": "call", "turn": 1, "step": 1}]), "no conversation"),
    ],
    ids=["torn", "no object", "deep", "another format", "unknown field", "no events", "odd events"],
)
def test_a_line_that_is_no_record_is_named(tmp_path: Path, make: Any, told: str) -> None:
    run = write_run(tmp_path, records())
    with (run / "trajectories.jsonl").open("a") as file:
        file.write(make(records()[0].to_json()) + "\n")
    with pytest.raises(RunError, match=told) as caught:
        list(RunRecords(run).read(lambda record: chat_line(record, PIBENCH)))
    assert "line 4" in str(caught.value)


def test_a_record_of_other_tools_is_named(tmp_path: Path) -> None:
    run = write_run(tmp_path, [*records(), record("Hm.", tools_hash="0" * 64)])
    with pytest.raises(StateMismatch, match="line 4: the record was made with other tools"):
        list(RunRecords(run).read(lambda record: chat_line(record, PIBENCH)))


def test_half_a_surrogate_pair_becomes_a_replacement_character(tmp_path: Path) -> None:
    outputs = ({"step": 1, "text": "a\ud800b"},)
    (tmp_path / "trajectories.jsonl").write_text(json.dumps(record("Hm.", policy_outputs=outputs).to_json()) + "\n")
    (found,) = RunRecords(tmp_path).read(lambda one: one.policy_outputs)
    assert found == ({"step": 1, "text": "a\ufffdb"},)
