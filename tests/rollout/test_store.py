from __future__ import annotations

import json
import sys

import pytest
from rollout_cases import keys, lines, run

from pi_gym.rollout import RunError
from pi_gym.runs.outcome import Score, SessionOutcome
from pi_gym.runs.plan import PlannedSession
from pi_gym.runs.store import RunFolder, clear_run, write_json

ASKED = {"agent": "a", "seed": 1}


def test_a_folder_with_a_run_says_how_to_go_on(tmp_path):
    RunFolder(tmp_path / "run", ASKED).close()
    with pytest.raises(RunError, match=r"--resume, or choose another --out"):
        RunFolder(tmp_path / "run", ASKED)


def test_a_folder_with_other_things_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    for resume in (False, True):
        with pytest.raises(RunError, match=r"other things and no run \(thesis\.tex\)"):
            RunFolder(tmp_path, ASKED, resume=resume)
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.tex"]


def test_another_run_is_not_resumed_and_the_differences_are_named(tmp_path):
    RunFolder(tmp_path, ASKED).close()
    with pytest.raises(RunError, match=r"seed was 1, now 2; split was null, now \"test\""):
        RunFolder(tmp_path, {**ASKED, "seed": 2, "split": "test"}, resume=True)
    assert json.loads((tmp_path / "run.json").read_text()) == ASKED
    # and it can still be resumed by who asks for the same
    RunFolder(tmp_path, ASKED, resume=True).close()


def test_a_folder_is_written_by_one_at_a_time(tmp_path):
    with RunFolder(tmp_path, ASKED), pytest.raises(RunError, match=r"another process \(pid \d+\)"):
        RunFolder(tmp_path, ASKED, resume=True)
    RunFolder(tmp_path, ASKED, resume=True).close()


def test_what_was_killed_before_it_began_can_begin(tmp_path):
    (tmp_path / "run.lock").touch()
    (tmp_path / "run.json.tmp").write_text('{"ag')
    RunFolder(tmp_path, ASKED).close()
    assert json.loads((tmp_path / "run.json").read_text()) == ASKED


@pytest.mark.parametrize("where", ["/dev/null/run", "/proc/run"])
def test_where_nothing_can_be_written_one_line_says_so(where):
    with pytest.raises(RunError, match=r"cannot be written"):
        RunFolder(where, ASKED)


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "run").write_text("")
    with pytest.raises(RunError, match="is a file"):
        RunFolder(tmp_path / "run", ASKED)


def test_a_line_broken_by_hand_is_named(tmp_path):
    run(sessions=3, out=tmp_path)
    path = tmp_path / "trajectories.jsonl"
    first, *rest = path.read_text().splitlines(keepends=True)
    path.write_text("".join([first, "oops\n", *rest]))
    with pytest.raises(RunError, match=r"trajectories\.jsonl, line 2: not a trajectory"):
        run(sessions=3, out=tmp_path, resume=True)


def test_a_session_that_is_there_twice_is_named(tmp_path):
    run(sessions=2, out=tmp_path)
    path = tmp_path / "trajectories.jsonl"
    path.write_text(path.read_text() * 2)
    with pytest.raises(RunError, match=r"holds the session .* twice"):
        run(sessions=2, out=tmp_path, resume=True)


def test_timings_are_in_metrics_and_nowhere_else(tmp_path):
    run(sessions=3, out=tmp_path)
    assert keys(tmp_path, "metrics.jsonl") == keys(tmp_path)
    for line in lines(tmp_path, "metrics.jsonl"):
        assert line["wall_s"] > 0
        assert line["steps_per_s"] > 0
    assert not any("wall" in name or "second" in name for line in lines(tmp_path) for name in line)


def test_a_failed_write_leaves_the_old_file_and_no_draft(tmp_path):
    write_json(tmp_path / "x.json", {"a": 1})
    with pytest.raises(ValueError):
        write_json(tmp_path / "x.json", {"a": float("nan")})
    assert json.loads((tmp_path / "x.json").read_text()) == {"a": 1}
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.json"]


def test_clearing_deletes_a_run_and_nothing_else(tmp_path):
    run(sessions=1, out=tmp_path / "a")
    run(sessions=1, out=tmp_path / "b")
    (tmp_path / "b" / "notes.txt").write_text("mine")
    for name in ("a", "b", "c"):
        clear_run(tmp_path / name)
    assert [entry.name for entry in tmp_path.iterdir()] == ["b"]
    assert [entry.name for entry in (tmp_path / "b").iterdir()] == ["notes.txt"]


def test_a_run_that_is_being_written_is_not_cleared(tmp_path):
    with RunFolder(tmp_path, ASKED), pytest.raises(RunError, match="another process"):
        clear_run(tmp_path)
    assert (tmp_path / "run.json").exists()


def test_an_interrupt_at_any_moment_leaves_file_and_scores_in_agreement(tmp_path):
    """KeyboardInterrupt at each traced line of `add`, in turn."""
    (trajectory,) = run("silent", sessions=1).trajectories
    record = trajectory.to_json()
    at = 0
    while True:
        out = tmp_path / str(at)
        outcome = SessionOutcome(
            PlannedSession(0, trajectory.pack, trajectory.task_id, 0, 0, 0, 0),
            trajectory.key,
            trajectory.to_line(),
            Score.of(record),
            0.1,
        )
        with RunFolder(out, ASKED) as folder:
            interrupted = interrupt_at(at, lambda folder=folder, outcome=outcome: folder.add(outcome))
            assert (trajectory.key in folder.scores) == bool(keys(out)), f"line {at}"
        assert keys(out) in ([], [trajectory.key])
        if not interrupted:
            break
        at += 1
    assert at > 10


def interrupt_at(count, call):
    """Run `call`, raising KeyboardInterrupt when its `count`-th line begins; whether that happened."""
    seen = 0

    def trace(frame, event, _):
        nonlocal seen
        inside = "pi_gym/runs" in frame.f_code.co_filename and frame.f_code.co_name != "cut"
        if event == "line" and inside:
            seen += 1
            if seen == count + 1:
                raise KeyboardInterrupt
        return trace if inside else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False
