"""A run's folder to which sessions come one by one, from several processes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pi_gym.adapters.session_play import SessionPlay, finish, single_session_env
from pi_gym.adapters.session_row import SessionRow
from pi_gym.rollout import shared_run
from pi_gym.rollout.shared_run import SharedRun
from pi_gym.runs import entries
from pi_gym.runs.lines import RunError
from pi_gym.runs.store import AlreadyScored, clear_run
from pi_gym.session.trajectory import Trajectory

ENV = single_session_env("PiBench-Mini-v0", {})
#: Adds sessions of these variants, each once it is told to, in a process of its own.
ADDING = """
import sys
sys.path.insert(0, {tests!r})
from rollout.test_shared_run import shared, session
run = shared({out!r})
for variant in range({begin}, {end}):
    run.add(session(variant), 1.0)
    print(variant, flush=True)
run.close()
"""


_OPEN: list[SharedRun] = []


def shared(out: Path | str, agent: str = "me") -> SharedRun:
    _OPEN.append(SharedRun(Path(out), ENV, agent, {}, source="test"))
    return _OPEN[-1]


@pytest.fixture(autouse=True)
def no_summary_is_left() -> Iterator[None]:
    yield
    for run in _OPEN:
        with suppress(RunError):
            run.close()
    _OPEN.clear()


def session(variant: int, _made: list[Trajectory] = []) -> Trajectory:  # noqa: B006
    if not _made:
        play = SessionPlay(ENV.twin())
        play.open(SessionRow("01-sign", 0, 0), agent="me")
        _made.append(finish([play])[0].record)
    return replace(_made[0], variant=variant)


def unscored(variant: int, error: str) -> Trajectory:
    return replace(session(variant), scored=False, scores={}, error=error, error_kind="model")


def lines(out: Path, name: str = "trajectories.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / name).read_text().splitlines()]


def variants(out: Path) -> list[int]:
    return [line["variant"] for line in lines(out)]


def adding(out: Path, begin: int, end: int) -> subprocess.Popen[str]:
    code = ADDING.format(tests=str(Path(__file__).parents[1]), out=str(out), begin=begin, end=end)
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)


def summary(out: Path) -> dict[str, Any]:
    return dict(json.loads((out / "summary.json").read_text()))


def test_what_others_have_added_is_known(tmp_path: Path) -> None:
    one, other = shared(tmp_path), shared(tmp_path)
    one.add(session(0), 1.0)
    other.add(session(1), 1.0)
    with pytest.raises(AlreadyScored):
        one.add(replace(session(1), turns=9), 1.0)
    one.add(session(2), 1.0)
    other.add(session(3), 1.0)
    one.close()
    other.close()
    assert variants(tmp_path) == [0, 1, 2, 3]
    assert summary(tmp_path)["scored"] == 4


def test_the_same_record_is_written_once(tmp_path: Path) -> None:
    for run in (shared(tmp_path), shared(tmp_path)):
        for _ in range(2):
            run.add(session(0), 1.0)
            run.add(unscored(1, "down"), 1.0)
            run.add(unscored(1, "down again"), 1.0)
    assert variants(tmp_path) == [0]
    assert [line["error"] for line in lines(tmp_path, "unscored.jsonl")] == ["down", "down again"]
    assert len(lines(tmp_path, "metrics.jsonl")) == 3


def test_a_score_hides_an_attempt_whoever_wrote_it(tmp_path: Path) -> None:
    one, other = shared(tmp_path), shared(tmp_path)
    one.add(unscored(0, "down"), 1.0)
    other.add(session(0), 1.0)
    one.add(session(1), 1.0)
    one.close()
    assert (summary(tmp_path)["scored"], summary(tmp_path)["unscored"]) == (2, 0)


def test_a_session_costs_the_same_however_many_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read of the folder does not grow with it, and the summary is not made for each."""
    run, summed, read = shared(tmp_path), [0], [0]
    summarise, loads = shared_run.summarise, entries.json.loads

    def counted(*given: Any, **named: Any) -> Any:
        summed[0] += 1
        return summarise(*given, **named)

    def loaded(text: Any) -> Any:
        read[0] += 1
        return loads(text)

    monkeypatch.setattr(shared_run, "summarise", counted)
    monkeypatch.setattr(shared_run, "SUMMARY_PAUSE", 100_000)
    run.add(session(0), 1.0)
    monkeypatch.setattr(entries.json, "loads", loaded)
    for variant in range(1, 60):
        read[0] = 0
        run.add(session(variant), 1.0)
        # run.json and what is asked for, and the last line of each of two files, which may be torn.
        assert read[0] <= 4, variant
    assert summed == [1]
    run.close()
    assert summed == [2]
    assert summary(tmp_path)["scored"] == 60


def test_the_summary_follows_by_itself(tmp_path: Path) -> None:
    run = shared(tmp_path)
    for variant in range(5):
        run.add(session(variant), 1.0)
    last = time.monotonic() + 60
    while summary(tmp_path)["scored"] < 5:
        assert time.monotonic() < last
        time.sleep(0.05)


def test_a_summary_that_cannot_be_written_stays_due_and_no_session_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_run, "SUMMARY_PAUSE", 0)
    run = shared(tmp_path)
    run.add(session(0), 1.0)
    with monkeypatch.context() as full:

        def refused(self: Any, summary: Any) -> None:
            raise RunError("no space left")

        full.setattr(shared_run.RunFolder, "write_summary", refused)
        run.add(session(1), 1.0)
        assert variants(tmp_path) == [0, 1]
        for _ in range(2):
            with pytest.raises(RunError, match="no space left"):
                run.close()
    assert summary(tmp_path)["scored"] == 1
    run.close()
    assert summary(tmp_path)["scored"] == 2


def test_a_process_ends_after_its_summary(tmp_path: Path) -> None:
    code = ADDING.replace("run.close()", "").format(
        tests=str(Path(__file__).parents[1]), out=str(tmp_path), begin=0, end=6
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert summary(tmp_path)["scored"] == 6


def test_a_torn_line_of_a_process_that_was_killed_is_cut_off(tmp_path: Path) -> None:
    one, other = shared(tmp_path), shared(tmp_path)
    one.add(session(0), 1.0)
    with (tmp_path / "trajectories.jsonl").open("a") as file:
        file.write(session(1).to_line()[:500])
    other.add(session(2), 1.0)
    one.add(session(1), 1.0)
    assert variants(tmp_path) == [0, 2, 1]


def test_two_processes_share_a_folder_and_one_is_killed(tmp_path: Path) -> None:
    first, second = adding(tmp_path, 0, 400), adding(tmp_path, 400, 430)
    assert first.stdout is not None
    assert second.stdout is not None
    told = [int(first.stdout.readline()) for _ in range(5)]
    first.send_signal(signal.SIGKILL)
    first.wait(timeout=200)
    told += map(int, first.stdout.read().split())
    told += map(int, second.stdout.read().split())
    assert second.wait(timeout=200) == 0
    found = variants(tmp_path)
    assert len(found) == len(set(found))
    # What was told of is there; the killed one may have written one more.
    assert set(told) <= set(found)
    assert len(found) <= len(told) + 1
    again = shared(tmp_path)
    for variant in told:
        again.add(session(variant), 1.0)
    again.close()
    assert variants(tmp_path) == found
    assert summary(tmp_path)["scored"] == len(found)


def test_a_folder_that_was_emptied_is_begun_again(tmp_path: Path) -> None:
    run = shared(tmp_path / "run")
    run.add(session(0), 1.0)
    run.add(session(1), 1.0)
    clear_run(tmp_path / "run")
    run.add(session(1), 1.0)
    run.close()
    assert variants(tmp_path / "run") == [1]
    clear_run(tmp_path / "run")
    shared(tmp_path / "run", "somebody else").add(session(0), 1.0)
    with pytest.raises(RunError, match="another run"):
        run.add(session(2), 1.0)


def test_a_line_that_others_broke_is_named_by_its_number(tmp_path: Path) -> None:
    run = shared(tmp_path)
    for variant in range(3):
        run.add(session(variant), 1.0)
    with (tmp_path / "trajectories.jsonl").open("a") as file:
        file.write(f"{{}}\n{session(3).to_line()}\n")
    for _ in range(2):
        with pytest.raises(RunError, match=r"line 4: not a trajectory"):
            run.add(session(5), 1.0)


@pytest.mark.parametrize("where", ["/dev/null/run", "/proc/run"])
def test_a_folder_that_cannot_be_written_is_told(where: str) -> None:
    with pytest.raises(RunError, match="cannot be written"):
        shared(where).add(session(0), 1.0)
