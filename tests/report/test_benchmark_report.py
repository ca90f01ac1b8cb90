"""Reports: their figures are those of the runs' files, and what cannot be read is said."""

from __future__ import annotations

import json
import shutil
from collections import Counter, defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

import pi_gym
from pi_gym.cli.main import app
from pi_gym.report.bootstrap import difference_interval, ratio_interval
from pi_gym.report.html_page import in_script
from pi_gym.report.session_rows import read_rows

ENV = "PiBench-Researcher-v0"
TASKS = ["16-challenge-entry", "19-summer-application", "20-money-round", "14-cabin-settling"]
HOSTILE = '</script><img src=x onerror=alert(1)>|`*"{{7*7}}'


def report(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["report", *map(str, arguments)])


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bench")
    for agent in ("asking", "memory"):
        for history in ("reference", "none"):
            place = folder / agent / f"history-{history}"
            pi_gym.collect(
                ENV, agent, sessions=8, tasks=TASKS, variants=[0, 5], env_kwargs={"history": history}, out=place
            )
    return folder


@pytest.fixture(scope="session")
def figures(bench: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("out") / "report"
    done = report(bench, "--out", out)
    assert done.exit_code == 0, done.output
    (section,) = json.loads((out / "figures.json").read_text())["sections"]
    return {part["name"]: part for part in section["parts"]} | {"out": out}


def lines(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "trajectories.jsonl").read_text().splitlines()]


def records(bench: Path, agent: str, history: str = "reference") -> list[dict[str, Any]]:
    return lines(bench / agent / f"history-{history}")


def row(part: dict[str, Any], *begin: object) -> dict[str, Any]:
    (found,) = [one for one in part["rows"] if one[: len(begin)] == list(begin)]
    return dict(zip([one["title"] for one in part["columns"]], found, strict=True))


@pytest.mark.parametrize("agent", ["asking", "memory"])
def test_figures_are_those_of_the_files(bench: Path, figures: dict[str, Any], agent: str) -> None:
    played = records(bench, agent)
    proc, comp = (fmean(one["scores"][name] for one in played) for name in ("proc", "comp"))
    first = row(figures["overall"], agent)
    for person in ("researcher", "all"):
        assert first[f"{person}: Proc"]["value"] == pytest.approx(proc)
        assert first[f"{person}: Comp"]["value"] == pytest.approx(comp)
    measures = row(figures["measures"], agent)
    assert (measures["sessions"], measures["worlds"]) == (8, 8)
    for title, values in {
        "turns": [one["turns"] for one in played],
        "questions": [one["labels"]["questions"] for one in played],
        "needless": [one["labels"]["needless"] for one in played],
        "question misses": [one["labels"]["question_misses"] for one in played],
        "return": [one["scores"]["return"] for one in played],
    }.items():
        assert measures[title]["value"] == pytest.approx(fmean(values))
    statuses = Counter(part["status"] for one in played for part in one["labels"]["intents"])
    told = row(figures["statuses"], agent)
    assert told["intents"] == statuses.total()
    for status in ("completed", "inferred", "provided"):
        assert told[status]["value"] == pytest.approx(statuses[status] / statuses.total())
    cost = row(figures["cost"], agent)
    assert cost["steps"]["value"] == pytest.approx(fmean(one["steps"] for one in played))
    shares: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for one in played:
        for share in one["labels"]["shares"]:
            shares[share["name"]][0] += share["met"]
            shares[share["name"]][1] += share["of"]
    for name, (met, of) in shares.items():
        assert row(figures["shares"], name)[agent]["value"] == pytest.approx(met / of)
    for name, x, y in (("proc-comp", proc, comp), ("turns-proc", fmean(one["turns"] for one in played), proc)):
        point = figures[name]["rows"][["asking", "memory"].index(agent)]
        assert [point[1]["value"], point[2]["value"]] == pytest.approx([x, y])
    by_type = {"A": TASKS[:1], "C": TASKS[1:2] + TASKS[3:], "R": TASKS[2:3]}
    for letter, tasks in by_type.items():
        of_type = fmean(one["scores"]["proc"] for one in played if one["task_id"] in tasks)
        assert row(figures["categories"], letter, agent)["Proc"]["value"] == pytest.approx(of_type)


def test_the_ablation_and_differences_are_paired_by_world(bench: Path, figures: dict[str, Any]) -> None:
    last = {"19-summer-application", "20-money-round"}  # the last of their groups that were played
    means = [
        fmean(one["scores"]["proc"] for one in records(bench, "memory", history) if one["task_id"] in last)
        for history in ("reference", "none")
    ]
    found = row(figures["ablation"], "memory")
    got = [found[title]["value"] for title in ("Proc with the past", "Proc without", "Proc lost")]
    assert got == pytest.approx([*means, means[0] - means[1]])
    difference = row(figures["differences"], "asking less memory")
    apart = [fmean(one["scores"]["proc"] for one in records(bench, agent)) for agent in ("asking", "memory")]
    assert difference["Proc"]["value"] == pytest.approx(apart[0] - apart[1])
    assert difference["worlds"] == 8


def test_an_audit_stands_in_the_section_of_its_family(bench: Path, tmp_path: Path) -> None:
    rate = {"judged": 40, "disagreement": 0.05, "agreement": 0.95}
    apart = {"rules and judges": {"value": 0.1, "low": 0.05, "high": 0.2, "of": 60}}
    written = {
        "two.json": {"family": "pibench", "rates": {"checklist items": rate}},
        "judges.json": {"family": "pibench", "apart": {"intent": apart}},
        "other.json": {"family": "elsewhere", "apart": {"intent": apart}},
    }
    for name, content in written.items():
        (tmp_path / name).write_text(json.dumps(content))
    assert report(bench, *(tmp_path / name for name in written), "--out", tmp_path / "out").exit_code == 0
    own, alone = json.loads((tmp_path / "out/figures.json").read_text())["sections"]
    tables = [next(part for part in section["parts"] if part["name"] == "judges") for section in (own, alone)]
    told = [[(Path(str(cells[0])).name, cells[1], cells[2]) for cells in table["rows"]] for table in tables]
    assert told[0] == [("two.json", "checklist items", 40), ("judges.json", "intent: rules and judges", 60)]
    assert [name for name, _, _ in told[1]] == ["other.json"]
    assert [cells[3]["value"] for cells in tables[0]["rows"]] == [0.05, 0.1]


def test_the_protocols_are_those_of_the_summary(bench: Path, figures: dict[str, Any]) -> None:
    summary = json.loads((bench / "asking/history-reference/summary.json").read_text())
    for title, name in (("Proc", "proc"), ("Comp", "comp")):
        found = row(figures["protocols"], "asking", "paper")[title]
        assert {key: found[key] for key in ("value", "std")} == pytest.approx(
            {"value": summary["overall"][name]["mean"], "std": summary["overall"][name]["std"]}
        )


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    random = np.random.default_rng(7)
    inside = 0
    for _ in range(200):
        values = random.beta(2, 3, size=20)
        low, high = ratio_interval(np.column_stack([values, np.ones(20)])) or (0.0, 0.0)
        inside += low <= 0.4 <= high
    assert 0.90 <= inside / 200 <= 0.99


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


def copied(bench: Path, out: Path, *, name: str | None = None) -> Path:
    shutil.copytree(bench / "asking/history-reference", out)
    if name is not None:
        asked = json.loads((out / "run.json").read_text()) | {"agent": name}
        (out / "run.json").write_text(json.dumps(asked))
        played = [json.dumps(one | {"agent": name}, separators=(",", ":")) for one in lines(out)]
        (out / "trajectories.jsonl").write_text("".join(f"{line}\n" for line in played))
    return out


def test_an_unfinished_line_is_left_out_and_told(bench: Path, tmp_path: Path) -> None:
    run = copied(bench, tmp_path / "run")
    with (run / "trajectories.jsonl").open("rb+") as file:
        file.truncate(file.seek(0, 2) - 40)
    done = report(run, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "last line of trajectories.jsonl is unfinished" in done.stderr
    assert "1 of its sessions were not played" in done.stderr


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda run: (run / "run.json").write_text('{"format": 9}'), "expected a run.json of format 1, got format 9"),
        (lambda run: (run / "run.json").write_text("["), "is no JSON object"),
        (lambda run: (run / "trajectories.jsonl").write_text("{}\n"), "line 1: expected a trajectory of format 1"),
        (lambda run: (run / "trajectories.jsonl").write_text("x\ny\n"), "line 1: not a trajectory"),
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
    run = copied(bench, tmp_path / "run")
    assert report(run, "--out", tmp_path / "out").exit_code == 0
    again = report(run, "--out", tmp_path / "out")
    assert again.exit_code == 1
    assert "--force" in again.stderr
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == ["figures.json", "report.html", "report.md"]


def test_sessions_without_a_score_are_counted_and_in_no_mean(bench: Path, tmp_path: Path) -> None:
    run = copied(bench, tmp_path / "run")
    failed = [one | {"scored": False, "scores": {}, "error": "no answer", "error_kind": "model"} for one in lines(run)]
    (run / "trajectories.jsonl").write_text("")
    (run / "unscored.jsonl").write_text("".join(json.dumps(one) + "\n" for one in failed))
    done = report(run, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    (section,) = json.loads((tmp_path / "out" / "figures.json").read_text())["sections"]
    parts = {part["name"]: part for part in section["parts"]}
    assert row(parts["unscored"], "asking") == {
        "agent": "asking", "kind": "model", "sessions": 8, "the first": "no answer",
    }  # fmt: skip
    assert row(parts["measures"], "asking")["Proc"]["value"] is None


def test_two_families_have_a_section_each(bench: Path, tmp_path: Path) -> None:
    pi_gym.collect("Pare-v0", "silent", sessions=4, out=tmp_path / "pare")
    done = report(bench / "asking", tmp_path / "pare", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "of several families" in done.stderr
    found = json.loads((tmp_path / "out" / "figures.json").read_text())["sections"]
    assert [one["title"] for one in found] == [ENV, "Pare-v0"]
    overall = next(part for part in found[1]["parts"] if part["name"] == "overall")
    values = [one["scores"]["success"] for one in lines(tmp_path / "pare")]
    assert row(overall, "silent")["success"]["value"] == pytest.approx(fmean(values))


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


@pytest.mark.slow
def test_a_line_of_200_mb_is_read(bench: Path, tmp_path: Path) -> None:
    run = copied(bench, tmp_path / "run")
    played = lines(run)
    played[0]["events"].append({"kind": "note", "turn": 1, "step": 1, "content": 'x],"scores":{' * 16_000_000})
    (run / "trajectories.jsonl").write_text("".join(json.dumps(one, separators=(",", ":")) + "\n" for one in played))
    rows = read_rows(run, {"intents": "status"})
    assert len(rows.scored) == 8
    assert rows.scored[0].score.values["proc"] == played[0]["scores"]["proc"]
