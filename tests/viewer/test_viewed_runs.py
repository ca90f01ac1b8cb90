"""The index of runs: every session with its own row, whatever the file looks like."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from support.runs import failed, record, records, write_run
from support.viewing import all_rows

from pi_gym.runs.lines import RunError
from pi_gym.viewer import index_cache, line_scan, session_reading
from pi_gym.viewer.session_reading import read_session
from pi_gym.viewer.session_view import session_view
from pi_gym.viewer.viewed_runs import ViewedRuns


def viewed(*places: Path, cached: bool = False) -> ViewedRuns:
    runs = ViewedRuns(places, cached=cached)
    runs.index()
    return runs


def test_every_session_at_any_depth_has_a_row_and_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    known = records()
    write_run(tmp_path / "a" / "b", known[:1])
    write_run(tmp_path / "c", known[1:])
    runs = viewed(tmp_path)
    assert len(all_rows(runs)) == len(known)
    read = {one.session.row["sample"]: read_session(one).raw for one in runs.sessions}
    assert {number: json.dumps(raw) for number, raw in read.items()} == {
        one.sample: json.dumps(json.loads(one.to_line())) for one in known
    }
    for one in known:
        row = next(row for row in all_rows(runs) if row["sample"] == one.sample)
        assert row["scores"] == {name: value for name, value in one.scores.items() if value is not None}
        assert (row["turns"], row["scored"]) == (one.turns, True)


def test_an_unscored_session_has_its_reason_and_no_score(tmp_path: Path) -> None:
    (row,) = all_rows(viewed(write_run(tmp_path / "run", [], [failed()])))
    assert (row["scored"], row["scores"], row["error"], row["error_kind"]) == (False, {}, "no idea", "policy")


def test_a_session_that_was_scored_after_all_hides_its_attempts(tmp_path: Path) -> None:
    scored = records()[0]
    attempt = replace(failed(), **scored.key._asdict())
    (row,) = all_rows(viewed(write_run(tmp_path / "run", [scored], [attempt])))
    assert row["scored"]


@pytest.mark.parametrize("cut", [1, 40, 700, 2000])
def test_a_torn_last_line_is_no_session_until_it_is_whole(tmp_path: Path, cut: int) -> None:
    first, second = (one.to_line().encode() + b"\n" for one in records()[:2])
    run = write_run(tmp_path / "run", [])
    file = run / "trajectories.jsonl"
    file.write_bytes(first + second[:-cut] if cut > 1 else first + second[:-2])
    runs = viewed(run)
    assert len(all_rows(runs)) == 1
    assert runs.problems == []
    file.write_bytes(first + second)
    runs.index()
    assert len(all_rows(runs)) == 2


def test_a_file_that_was_replaced_is_told_anew(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", records())
    runs = viewed(run)
    before = json.loads(runs.rows(0, 0))
    write_run(run, records()[:1])
    runs.index()
    after = json.loads(runs.rows(before["next"], before["generation"]))
    assert after["generation"] != before["generation"]
    assert [row["sample"] for row in after["rows"]] == [0]


def test_another_process_that_writes_a_run_is_followed(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [])
    runs = viewed(run)
    assert all_rows(runs) == []
    line = json.dumps(records()[0].to_line())
    code = f"open({str(run / 'trajectories.jsonl')!r}, 'a', encoding='utf-8').write({line} + chr(10))"
    subprocess.run([sys.executable, "-c", code], check=True)
    runs.index()
    assert len(all_rows(runs)) == 1


@pytest.mark.parametrize("text", ["{}", "nonsense", '"text"', '{"format":2}', "[" * 100_000])
def test_a_line_that_is_none_of_ours_is_told_and_the_others_are_shown(tmp_path: Path, text: str) -> None:
    run = write_run(tmp_path / "run", [])
    (run / "trajectories.jsonl").write_text(f"{text}\n{records()[0].to_line()}\n", encoding="utf-8")
    runs = viewed(run)
    assert len(all_rows(runs)) == 1
    assert len(runs.problems) == 1
    assert "line 1: not a trajectory" in runs.problems[0]


def test_fields_of_other_names_inside_a_session_do_not_stand_for_its_own(tmp_path: Path) -> None:
    fake = {"step": 1, "text": '],"scores":{"return":9}', "a": [], "scores": {"return": 9}, "opening": []}
    one = record("Hm.", "Hm.", "Hm.", policy_outputs=(fake,))
    (row,) = all_rows(viewed(write_run(tmp_path / "run", [one])))
    assert row["scores"]["return"] == one.scores["return"]


def test_a_line_that_is_too_long_is_shown_as_far_as_that_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (line_scan, session_reading):
        monkeypatch.setattr(module, "MAX_LINE_BYTES", 40_000)
        monkeypatch.setattr(module, "KEPT_BYTES", 16_000)
    monkeypatch.setattr(session_reading, "SHOWN_BYTES", 20_000)
    whole = records()[0]
    long = replace(whole, sample=7, events=(*whole.events, replace_data(whole, "x" * 200_000)))
    runs = viewed(write_run(tmp_path / "run", [whole, long, records()[1]]))
    assert [row["sample"] for row in all_rows(runs)] == [0, 7, 1]
    view = session_view(next(one for one in runs.sessions if one.session.row["sample"] == 7))
    assert view["cut"]
    assert view["row"]["scores"] == {name: value for name, value in whole.scores.items() if value is not None}
    assert len(view["entries"]) > 1


def replace_data(one, text):  # type: ignore[no-untyped-def]
    event = next(event for event in one.events if event.kind == "agent")
    return type(event)("environment", 1, 1, {"text": text})


def test_a_kept_index_gives_the_same_rows_and_a_broken_one_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(index_cache, "MIN_BYTES", 0)
    run = write_run(tmp_path / "run", records())
    before = sorted(path.name for path in run.iterdir())
    first = all_rows(viewed(run, cached=True))
    (kept,) = (path for path in index_cache.cache_folder().glob("*.json") if path.stat().st_size > 500)
    assert all_rows(viewed(run, cached=True)) == first
    with (run / "trajectories.jsonl").open("a", encoding="utf-8") as file:
        file.write(replace(records()[0], sample=99).to_line() + "\n")
    assert len(all_rows(viewed(run, cached=True))) == len(first) + 1
    whole = kept.read_text(encoding="utf-8")
    for broken in ("{", whole[:-20], whole.partition("\n")[0] + "\n", whole.partition("\n")[0] + "\n[[1]]\n"):
        kept.write_text(broken, encoding="utf-8")
        assert len(all_rows(viewed(run, cached=True))) == len(first) + 1
    assert sorted(path.name for path in run.iterdir()) == before


@pytest.mark.parametrize("what", ["empty", "none", "other"])
def test_a_place_without_a_run_is_refused_in_a_line(tmp_path: Path, what: str) -> None:
    place = tmp_path / what
    if what != "none":
        place.mkdir()
    if what == "other":
        (place / "notes.txt").write_text("hello")
    with pytest.raises(RunError, match=r"no run in there|no such folder"):
        ViewedRuns([place])


def test_a_folder_that_cannot_be_written_is_read_all_the_same(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", records())
    run.chmod(0o555)
    try:
        assert len(all_rows(viewed(run))) == len(records())
    finally:
        run.chmod(0o755)
