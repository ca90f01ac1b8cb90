"""The sessions that a server has open, and their records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pi_gym
from pi_gym.adapters.openenv.served_sessions import ServedSessions
from pi_gym.runs.lines import RunError

MINI = "PiBench-Mini-v0"
SIGN: dict[str, Any] = {"task": "01-sign", "variant": 1, "seed": 0}


def played(sessions: ServedSessions, **named: Any) -> None:
    session = sessions.open(**SIGN, **named)
    session.act("What should the last line be?")
    session.finish()


@pytest.mark.parametrize("error", [RunError("no space left"), OSError("no space left")])
@pytest.mark.parametrize("again", [True, False])
def test_a_record_that_cannot_be_written_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, again: bool
) -> None:
    def full(*_: Any) -> None:
        raise error

    sessions = ServedSessions(MINI, {}, out=tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(sessions._run, "add", full)
        played(sessions)
        assert sessions.failures == ["no space left"]
    if again:
        played(sessions)
    else:
        sessions.close()
    assert sessions.failures == []
    assert sorted(one.sample for one in pi_gym.read_trajectories(tmp_path)) == list(range(1 + again))


def test_two_servers_of_one_folder_lose_no_session_that_they_numbered(tmp_path: Path) -> None:
    desks = [ServedSessions(MINI, {}, out=tmp_path) for _ in range(2)]
    opened = [desk.open(**SIGN) for desk in desks]
    for session, text in zip(opened, ["What should the last line be?", "Done."], strict=True):
        session.act(text)
        session.finish()
    assert [desk.failures for desk in desks] == [[], []]
    assert sorted(one.sample for one in pi_gym.read_trajectories(tmp_path)) == [0, 1]


def test_a_second_score_of_a_sample_that_two_clients_named_is_told(tmp_path: Path) -> None:
    desk = ServedSessions(MINI, {}, out=tmp_path)
    opened = [desk.open(**SIGN, sample=3) for _ in range(2)]
    for session, text in zip(opened, ["What should the last line be?", "Done."], strict=True):
        session.act(text)
        session.finish()
    assert len(desk.failures) == 1
    assert [one.sample for one in pi_gym.read_trajectories(tmp_path)] == [3]
