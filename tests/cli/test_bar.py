from __future__ import annotations

import pytest
import re2

from pi_gym.cli.bar import bar, bars
from pi_gym.rollout import Progress


def drawn(capsys, monkeypatch, width, **fields):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with bars(quiet=False) as add:
        add("my_package.my_agents:MyVeryOwnAgent")(Progress(1000, 1000, 0, 0, 0.125, 0.75, **fields))
    text = re2.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    return text.replace("\r", "\n").strip().splitlines()[-1]


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_counts_and_means_are_whole_on_every_terminal(capsys, monkeypatch, width):
    line = drawn(capsys, monkeypatch, width)
    assert "1000/1000" in line
    assert "Proc 0.125  Comp 0.750" in line
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
