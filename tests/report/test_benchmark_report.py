"""Reports: their figures are those of the runs' files, and what cannot be read is said."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.drawn_runs import BENCH, PHONE, TASKS, records, report, written

from pi_gym.report.benchmark import make_report
from pi_gym.report.bootstrap import difference_interval, ratio_interval
from pi_gym.report.html_page import in_script

REPORT_AND_PEAK = """
from pathlib import Path
from pi_gym.cli.main import app
app(standalone_mode=False)
print(Path("/proc/self/status").read_text())
"""
HOSTILE = '</script><img src=x onerror=alert(1)>|`*"{{7*7}}'


def row(part: dict[str, Any], *begin: object) -> dict[str, Any]:
    (found,) = [one for one in part["rows"] if one[: len(begin)] == list(begin)]
    return dict(zip([one["title"] for one in part["columns"]], found, strict=True))


def sections(out: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((out / "figures.json").read_text())["sections"]
    return found


@pytest.mark.slow
def test_each_family_has_a_section_and_audits_of_no_run_one_of_their_own(
    reported: Path, audits: dict[str, Path]
) -> None:
    found = sections(reported)
    assert [one["title"] for one in found] == [BENCH, PHONE, "Audits"]
    (table,) = found[-1]["parts"]
    assert {cells[0] for cells in table["rows"]} == {str(audits["elsewhere"])}


def test_the_protocols_are_those_of_the_summary(bench: Path) -> None:
    summary = json.loads((bench / "summary.json").read_text())["overall"]
    (section,) = make_report([bench]).to_json()["sections"]
    found = row(next(part for part in section["parts"] if part["name"] == "protocols"), "asking", "paper")
    for title, name in (("Proc", "proc"), ("strict Proc", "strict_proc"), ("Comp", "comp")):
        assert (found[title]["value"], found[title]["std"]) == pytest.approx(
            (summary[name]["mean"], summary[name]["std"])
        )


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    random = np.random.default_rng(7)
    inside = 0
    for _ in range(100):
        values = random.beta(2, 3, size=20)
        low, high = ratio_interval(np.column_stack([values, np.ones(20)])) or (0.0, 0.0)
        inside += low <= 0.4 <= high
    assert 0.90 <= inside / 100 <= 0.99


@settings(max_examples=20)
@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 5)), min_size=2, max_size=12))
def test_an_interval_lies_within_its_worlds_and_has_the_mean_in_it(worlds: list[tuple[float, int]]) -> None:
    sums = np.array([(value * count, count) for value, count in worlds])
    low, high = ratio_interval(sums) or (1.0, 0.0)
    values = [value for value, _ in worlds]
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9
    same = difference_interval(np.hstack([sums, sums]))
    assert same == pytest.approx((0.0, 0.0), abs=1e-9)


def test_one_world_has_no_interval() -> None:
    assert ratio_interval(np.array([[1.0, 2.0]])) is None


@given(st.text())
def test_nothing_breaks_out_of_a_script(text: str) -> None:
    written = in_script({"name": text})
    assert "<" not in written
    assert json.loads(written) == {"name": text}


def copied(run: Path, out: Path, *, name: str | None = None) -> Path:
    shutil.copytree(run, out)
    if name is not None:
        asked = json.loads((out / "run.json").read_text()) | {"agent": name}
        (out / "run.json").write_text(json.dumps(asked))
        written(out, [one | {"agent": name} for one in records(out)])
    return out


def test_an_unfinished_line_is_left_out_and_told(bench: Path, tmp_path: Path) -> None:
    run = copied(bench, tmp_path / "run")
    with (run / "trajectories.jsonl").open("rb+") as file:
        file.truncate(file.seek(0, 2) - 40)
    done = report(run, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "last line of trajectories.jsonl is unfinished" in done.stderr
    assert "1 of its sessions were not played" in done.stderr


def changed(name: str, old: str, new: str) -> Callable[[Path], object]:
    """A change of a text in one of a run's files."""
    return lambda run: (run / name).write_text(re.sub(old, new, (run / name).read_text()))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda run: (run / "run.json").write_text('{"format": 9}'), "expected a run.json of format 1, got format 9"),
        (lambda run: (run / "run.json").write_text("["), "is no JSON object"),
        (lambda run: (run / "run.json").unlink(), "has trajectories.jsonl and no run.json"),
        (changed("run.json", '"packs": {[^}]*}', '"packs": [1]'), "packs should be an object each"),
        (changed("run.json", '"pibench"', '"gone"'), "Unknown family 'gone'"),
        (lambda run: (run / "trajectories.jsonl").write_text("{}\n"), "line 1: expected a trajectory of format 1"),
        (lambda run: (run / "trajectories.jsonl").write_text("x\ny\n"), "line 1: not a trajectory"),
        (lambda run: (run / "trajectories.jsonl").write_bytes(b"\xff\xfe\n"), "line 1: not a trajectory"),
        (changed("trajectories.jsonl", '"return":[-0-9.]+', '"return":NaN'), "return is nan"),
        (changed("trajectories.jsonl", '"proc":[0-9.]+', '"proc":"high"'), "line 1: not a trajectory"),
        (changed("trajectories.jsonl", '"met":0', '"met":"none"'), "line 1: not a trajectory"),
        (changed("trajectories.jsonl", '"intents":\\[', '"intents":[7,'), "line 1: not a trajectory"),
    ],
)
def test_a_run_that_cannot_be_read_is_named_and_the_others_are_told_of(
    bench: Path, tmp_path: Path, change: Any, told: str
) -> None:
    change(copied(bench, tmp_path / "runs" / "odd"))
    done = report(tmp_path / "runs", "--out", tmp_path / "none")
    assert done.exit_code == 1
    assert told in done.stderr
    assert not (tmp_path / "none").exists()
    copied(bench, tmp_path / "runs" / "sound")
    done = report(tmp_path / "runs", "--out", tmp_path / "out")
    assert done.exit_code == 1
    assert told in done.stderr
    assert "asking" in (tmp_path / "out" / "report.md").read_text()


def test_a_folder_without_runs_and_a_report_that_is_there_are_refused(bench: Path, tmp_path: Path) -> None:
    done = report(tmp_path, "--out", tmp_path / "out")
    assert done.exit_code == 1
    assert "holds no run" in done.stderr
    assert report(bench, "--out", tmp_path / "out").exit_code == 0
    again = report(bench, "--out", tmp_path / "out")
    assert again.exit_code == 1
    assert "--force" in again.stderr
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == ["figures.json", "report.html", "report.md"]


@pytest.mark.parametrize("out", ["file", "file/report", "/proc/report"])
def test_where_nothing_can_be_written_one_line_says_so(bench: Path, tmp_path: Path, out: str) -> None:
    (tmp_path / "file").touch()
    done = report(bench, "--out", tmp_path / out)
    assert done.exit_code == 1
    assert len(done.stderr.splitlines()) == 1
    assert str(tmp_path / out) in done.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_a_run_that_was_stopped_before_its_first_session_is_told_of(bench: Path, tmp_path: Path) -> None:
    run = copied(bench, tmp_path / "run")
    (run / "trajectories.jsonl").unlink()
    done = report(run, "--out", tmp_path / "out")
    assert done.exit_code == 0
    assert "has no session with a score" in done.stderr
    assert f"{2 * len(TASKS)} of its sessions were not played" in done.stderr


def test_sessions_without_a_score_are_counted_and_in_no_mean(bench: Path, tmp_path: Path) -> None:
    run = copied(bench, tmp_path / "run")
    failed = [
        one | {"scored": False, "scores": {}, "error": "no answer", "error_kind": "model"} for one in records(run)
    ]
    written(run, [])
    written(run, failed, "unscored.jsonl")
    done = report(run, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    (section,) = sections(tmp_path / "out")
    parts = {part["name"]: part for part in section["parts"]}
    assert row(parts["unscored"], "asking") == {
        "agent": "asking", "kind": "model", "sessions": 2 * len(TASKS), "the first": "no answer",
    }  # fmt: skip
    assert row(parts["measures"], "asking")["Proc"]["value"] is None


@pytest.mark.slow
def test_the_page_works_offline_in_both_colours(bench: Path, tmp_path: Path, browser: Any) -> None:
    copied(bench, tmp_path / "runs" / "a")
    copied(bench, tmp_path / "runs" / "b", name=HOSTILE)
    assert report(tmp_path / "runs", "--out", tmp_path / "out").exit_code == 0
    for scheme in ("light", "dark"):
        context = browser.new_context(offline=True, color_scheme=scheme)
        page = context.new_page()
        asked: list[str] = []
        said: list[str] = []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.on("console", lambda message, said=said: said.append(message.text))
        page.on("pageerror", lambda error, said=said: said.append(str(error)))
        page.goto((tmp_path / "out" / "report.html").as_uri())
        charts = page.locator(".chart").count()
        assert charts > 3
        page.wait_for_function(f"document.querySelectorAll('.chart svg').length === {charts}", timeout=30_000)
        assert [url for url in asked if not url.startswith("file:")] == []
        assert said == []
        assert page.locator("img").count() == 0
        assert page.get_by_role("cell", name=HOSTILE, exact=True).count() > 0
        context.close()


def test_agents_of_an_evaluation_are_told_apart_by_their_labels(bench: Path, tmp_path: Path) -> None:
    place = tmp_path / "evaluation"
    folders = {"first": "first", "second/one": "second-one"}
    for folder in folders.values():
        copied(bench, place / folder / "history-none")
    agents = {label: {"folder": folder, "agent": "asking"} for label, folder in folders.items()}
    (place / "evaluation.json").write_text(json.dumps({"agents": agents}))
    (section,) = make_report([place]).to_json()["sections"]
    table = section["parts"][0]
    assert [cells[0] for cells in table["rows"]] == [*folders]
    (place / "evaluation.json").write_text("[]")
    (section,) = make_report([place]).to_json()["sections"]
    assert [cells[0] for cells in section["parts"][0]["rows"]] == ["asking"]


@pytest.mark.slow
def test_a_line_of_200_mb_is_read_without_a_copy_of_it(bench: Path, tmp_path: Path) -> None:
    run = copied(bench, tmp_path / "run")
    played = records(run)
    played[0]["events"].append({"kind": "note", "turn": 1, "step": 1, "content": 'x],"scores":{' * 16_000_000})
    written(run, played)
    # The peak of its own memory, by Linux: that of getrusage is as large as the test's own.
    asked = [sys.executable, "-c", REPORT_AND_PEAK, "report", str(run), "--out", str(tmp_path / "out")]
    told = subprocess.run(asked, check=True, timeout=120, capture_output=True, text=True).stdout
    peak = 1024 * int(re.findall(r"VmHWM:\s*(\d+) kB", told)[0])
    assert peak < 2 * (run / "trajectories.jsonl").stat().st_size  # the file itself is mapped, and counts
    (section,) = sections(tmp_path / "out")
    assert section["parts"] == make_report([bench]).to_json()["sections"][0]["parts"]
