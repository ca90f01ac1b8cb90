from __future__ import annotations

import pytest
import re2

from pi_gym.cli.bar import bar, bars, load_text
from pi_gym.rollout import Progress
from pi_gym.runs.progress import Latency, Load, RequestLoad


def drawn(capsys, monkeypatch, width, **fields):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with bars(quiet=False) as add:
        add("my_package.my_agents:MyVeryOwnAgent")(Progress(1000, 1000, 0, 0, {"proc": 0.125, "comp": 0.75}, **fields))
    text = re2.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    return text.replace("\r", "\n").strip().splitlines()[-1]


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_counts_and_means_are_whole_on_every_terminal(capsys, monkeypatch, width):
    line = drawn(capsys, monkeypatch, width)
    assert "1000/1000" in line
    assert "proc 0.125  comp 0.750" in line
    assert len(line.rstrip()) <= width


def test_wide_terminals_have_the_rest_too(capsys, monkeypatch):
    assert "my_p" not in drawn(capsys, monkeypatch, 40)
    assert "my_p" in drawn(capsys, monkeypatch, 80)
    assert "━" in drawn(capsys, monkeypatch, 120)
    assert "/s" in drawn(capsys, monkeypatch, 120)


def test_where_stderr_is_no_terminal_nothing_is_drawn(capsys, monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    with bar("tiny", quiet=False) as tell:
        tell(1, 2, "01-list")
    assert capsys.readouterr().err == ""


LOAD = Load({"policy": 12, "user": 3}, {"agent": RequestLoad(9, 64), "user": RequestLoad(3, 32)})


def test_what_is_waited_for_stands_beside_the_counts_where_there_is_room(capsys, monkeypatch):
    fields = {"load": LOAD, "latency": {"policy": Latency(1.04, 2.5)}, "sessions_per_s": 3.21, "steps_per_s": 20.4}
    line = drawn(capsys, monkeypatch, 250, **fields)
    assert "policy 12 wait, 1 s (p95 2.5), 9/64 out  user 3 wait, 3/32 out" in line
    assert "3.2/s  20 steps/s" in line
    assert "wait" not in drawn(capsys, monkeypatch, 100, **fields)


def test_what_is_played_one_at_a_time_has_latencies_and_no_queue():
    assert load_text(Progress(1, 1, 0, 0, 1.0, 1.0, latency={"user": Latency(0.5, 0.75)})) == "user 0.5 s (p95 0.75)"
