"""Every table and chart of a report, compared with figures computed here from the runs' files in another way."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, combinations
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, TypeAlias

import pytest
from support.drawn_runs import KEY, PEOPLE, SCENARIOS, TASKS, PlayedRows, estimates, records

Record: TypeAlias = dict[str, Any]
Sessions: TypeAlias = list[Record]
#: A figure and its spread over repeats.
Figure: TypeAlias = tuple[float | None, float | None]
#: The part and the whole of a session; None: it does not count.
Parts: TypeAlias = Callable[[Record], "tuple[float, float] | None"]
Agents: TypeAlias = Mapping[str, PlayedRows]
Rows: TypeAlias = "list[list[Any]]"


def figure(sessions: Sessions, parts: Parts) -> Figure:
    """The ratio of sums, and its standard deviation over the repeats (here the samples) that are whole."""
    tasks = len({one["task_id"] for one in sessions})

    def ratio(some: Sessions) -> float | None:
        found = [pair for one in some if (pair := parts(one)) is not None]
        whole = sum(pair[1] for pair in found)
        return sum(pair[0] for pair in found) / whole if whole else None

    repeats = [[one for one in sessions if one["sample"] == sample] for sample in (0, 1)]
    whole = [found for some in repeats if len(some) == tasks and (found := ratio(some)) is not None]
    return ratio(sessions), stdev(whole) if len(whole) > 1 else None


def number(*names: str) -> Parts:
    """A number of a session's record, wherever in it; several: the first over the sum of the others."""

    def value(record: Record, name: str) -> float | None:
        places = (record, record["scores"], record["labels"])
        return next((place[name] for place in places if name in place), None)

    def parts(record: Record) -> tuple[float, float] | None:
        found = value(record, names[0])
        if found is None:
            return None
        return found, sum(value(record, name) or 0 for name in names[1:]) if names[1:] else 1

    return parts


def where(label: str, truth: bool, parts: Parts) -> Parts:
    return lambda record: parts(record) if record["labels"][label] is truth else None


PROC, STRICT, COMP, TURNS, RETURN = map(number, ("proc", "strict_proc", "comp", "turns", "return"))
MEASURES: Mapping[str, Mapping[str, Parts]] = {
    "pibench": {
        "Proc": PROC, "strict Proc": STRICT, "Comp": COMP, "return": RETURN, "turns": TURNS,
        "questions": number("questions"), "needless": number("needless"), "question misses": number("question_misses"),
    },
    "pare": {
        "success": number("success"), "score": number("score"), "return": RETURN,
        "help": where("wanted", True, number("success")), "false": where("wanted", False, number("proposed")),
        "proposed": number("proposed"), "proposal": number("proposals", "turns"),
        "acceptance": number("accepted", "proposals"), "gathered rate": number("gathered", "accepted", "rejected"),
        **{name: number(name) for name in ("turns", "reads", "writes")},
        **{name: number(name) for name in ("proposals", "accepted", "rejected", "gathered")},
    },
}  # fmt: skip
HEADLINE = {"pibench": ("Proc", "strict Proc", "Comp"), "pare": ("success", "score", "return")}


def played(agents: Agents) -> Iterator[tuple[str, Sessions]]:
    return ((label, records(one.run)) for label, one in agents.items())


def by_person(agents: Agents, *parts: Parts) -> Rows:
    """Of each person's tasks, and of all."""
    rows: Rows = []
    for label, sessions in played(agents):
        of = [[one for one in sessions if one["task_id"] in tasks] for tasks in PEOPLE.values()]
        assert {one["pack"] for one in sessions} == {*PEOPLE}
        rows.append([label, *(figure(some, one) for some in (*of, sessions) for one in parts)])
    return rows


def of_all(agents: Agents, *parts: Parts) -> Rows:
    return [[label, *(figure(sessions, one) for one in parts)] for label, sessions in played(agents)]


# -- any family ------------------------------------------------------------------------------------------------------


def measures(agents: Agents, family: str) -> Rows:
    rows = []
    for label, one in agents.items():
        for name, run in ((label, one.run), (f"{label}, history none", one.ablation)):
            if run is not None:
                found = records(run)
                worlds = len({record["task_id"] for record in found})
                rows.append([name, len(found), worlds, *(figure(found, each) for each in MEASURES[family].values())])
    return rows


def differences(agents: Agents, family: str) -> Rows:
    rows = []
    for (a, one), (b, other) in combinations(played(agents), 2):
        cells = [lost(one, other, MEASURES[family][name]) for name in HEADLINE[family]]
        rows.append([f"{a} less {b}", len({r["task_id"] for r in one} & {r["task_id"] for r in other}), *cells])
    return rows


def lost(one: Sessions, other: Sessions, parts: Parts) -> Figure:
    """The difference over the worlds in which both have the figure."""
    having = [{r["task_id"] for r in some if parts(r) is not None} for some in (one, other)]
    a, b = (figure([r for r in some if r["task_id"] in having[0] & having[1]], parts)[0] for some in (one, other))
    return None if a is None or b is None else a - b, None


def difference_marks(agents: Agents, family: str) -> Rows:
    return [
        [name, cell, pair]
        for pair, _, *cells in differences(agents, family)
        for name, cell in zip(HEADLINE[family], cells, strict=True)
    ]


def tries(agents: Agents, succeeds: Callable[[Record], bool]) -> Rows:
    """By drawing each k of the tries at a world."""
    rows: Rows = []
    for label, sessions in played(agents):
        worlds = defaultdict(list)
        for record in sessions:
            worlds[record["task_id"]].append(succeeds(record))
        for k in (1, 2):
            draws = [list(combinations(found, k)) for found in worlds.values() if len(found) >= k]
            chances = [(fmean(fmean(map(kind, found)) for found in draws), None) for kind in (any, all)]
            rows.append([label, k, *chances])
    return rows


def most_tries(agents: Agents, label: str) -> list[Any]:
    return next(row[1:] for row in reversed(tries(agents, succeeded)) if row[0] == label)


def succeeded(record: Record) -> bool:
    return record["scores"]["success"] == 1.0


def shares(agents: Agents) -> Rows:
    found = dict(played(agents))
    names = sorted({one["name"] for sessions in found.values() for r in sessions for one in r["labels"]["shares"]})

    def share(name: str) -> Parts:
        return lambda record: next(
            ((one["met"], one["of"]) for one in record["labels"]["shares"] if one["name"] == name), None
        )

    return [[name, *(figure(sessions, share(name)) for sessions in found.values())] for name in names]


def share_marks(agents: Agents) -> Rows:
    return [[label, cell, row[0]] for row in shares(agents) for label, cell in zip(agents, row[1:], strict=True)]


def tokens_of(run: Path) -> Parts:
    used = {tuple(one[name] for name in KEY): one for one in records(run, "metrics.jsonl")}

    def parts(record: Record) -> tuple[float, float] | None:
        one = used.get(tuple(record[name] for name in KEY))
        if one is None:
            return None
        asked = one["models"]["user"]
        return asked["prompt_tokens"] + asked["completion_tokens"] + one["agent_metadata"]["prompt_tokens"], 1

    return parts


def cost(agents: Agents) -> Rows:
    names = ("return", "turns", "steps", "tool_calls", "invalid_actions")
    return [
        [label, *(figure(sessions, number(name)) for name in names), figure(sessions, tokens_of(agents[label].run))]
        for label, sessions in played(agents)
    ]


def cost_marks(agents: Agents, place: int) -> Rows:
    return [[row[0], row[place], row[1]] for row in cost(agents)]


def unscored(agents: Agents) -> Rows:
    rows: Rows = []
    for label, one in agents.items():
        failed = records(one.run, "unscored.jsonl")
        if failed:
            rows.append([label, "model", len(failed), failed[0]["error"].replace("\n", " ")])
        faults = [fault for record in records(one.run) for fault in record["engine_faults"]]
        if faults:
            told = f"{faults[0]['where']}: {faults[0]['error']}"
            rows.append([label, "scored, with an error of pi_gym's own", len(faults), told])
    return rows


def judges(audit: Path) -> Rows:
    content = json.loads(audit.read_text())
    rows: Rows = [
        [str(audit), f"{kind}: {between}", one["of"], (one["value"], None)]
        for kind, pairs in content["apart"].items()
        for between, one in pairs.items()
    ]
    rows += [[str(audit), kind, one["judged"], (1 - one["agreement"], None)] for kind, one in content["rates"].items()]
    return rows


# -- PiBench ---------------------------------------------------------------------------------------------------------


def of_status(status: str) -> Parts:
    def parts(record: Record) -> tuple[float, float]:
        intents = record["labels"]["intents"]
        return sum(one["status"] == status for one in intents), len(intents)

    return parts


def statuses(agents: Agents) -> Rows:
    rows: Rows = []
    for label, sessions in played(agents):
        counts = Counter(one["status"] for record in sessions for one in record["labels"]["intents"])

        names = ("completed", "inferred", "provided", "open")
        rows.append([label, counts.total(), *(figure(sessions, of_status(name)) for name in names)])
    return rows


def categories(agents: Agents) -> Rows:
    rows: Rows = []
    for letter in "ACJR":
        tasks = [task for task, (category, _) in TASKS.items() if category == letter]
        for label, sessions in played(agents):
            found = [one for one in sessions if one["task_id"] in tasks]
            rows.append([letter, label, len(tasks), *(figure(found, each) for each in (PROC, COMP))])
    return rows


def ablation(agents: Agents) -> Rows:
    """The last sessions of the researcher's group of three and of the pharmacist's of two."""
    last = ("11-viability-plate", "20-money-round")
    rows: Rows = []
    for label, one in agents.items():
        assert one.ablation is not None
        pair = [[r for r in records(run) if r["task_id"] in last] for run in (one.run, one.ablation)]
        cells = chain.from_iterable(
            (*(figure(some, each) for some in pair), lost(*pair, each)) for each in (PROC, COMP)
        )
        rows.append([label, len(pair[0]), len(last), *cells])
    return rows


def ablation_marks(agents: Agents) -> Rows:
    return [
        [history, title, row[place], row[0]]
        for row in ablation(agents)
        for title, begin in (("Proc", 3), ("Comp", 6))
        for history, place in (("with the past", begin), ("history none", begin + 1))
    ]


def bench_protocols(agents: Agents) -> Rows:
    """Under "official" with each task's pool of intents spelled out, and its weight by what it builds on."""
    weights = dict.fromkeys(TASKS, 1) | {"11-viability-plate": 2, "18-quarter-bill": 2, "20-money-round": 3}

    def official(sessions: Sessions, name: str) -> Figure:
        by_task = {(one["task_id"], one["sample"]): one for one in sessions}

        def parts(record: Record) -> tuple[float, float] | None:
            weight = weights[record["task_id"]]
            if name == "comp":
                return record["scores"]["comp"] * weight, weight
            pool = [by_task.get((task, record["sample"])) for task in (record["task_id"], *TASKS[record["task_id"]][1])]
            if any(one is None or one["scores"][name] is None for one in pool):
                return None
            whole = [one for one in pool if one is not None]
            met = sum(one["scores"][name] * one["labels"]["intent_count"] for one in whole)
            return weight * met / sum(one["labels"]["intent_count"] for one in whole), weight

        return figure(sessions, parts)

    rows: Rows = []
    for label, sessions in played(agents):
        rows.append([label, "paper", *(figure(sessions, each) for each in (PROC, STRICT, COMP))])
        rows.append([label, "official", *(official(sessions, name) for name in ("proc", "strict_proc", "comp"))])
    return rows


# -- Pare ------------------------------------------------------------------------------------------------------------


def success(agents: Agents) -> Rows:
    names = ("success", "proposal", "acceptance", "reads")
    return [
        [
            label,
            len(sessions),
            *most_tries(agents, label),
            *(figure(sessions, MEASURES["pare"][name]) for name in names),
        ]
        for label, sessions in played(agents)
    ]


def persons(agents: Agents) -> Rows:
    return [[one.person, *row] for one, row in zip(agents.values(), success(agents), strict=True)]


def of_proposals(agents: Agents, whole: str, *counts: Callable[[Mapping[str, int]], int]) -> Rows:
    def share(count: Callable[[Mapping[str, int]], int]) -> Parts:
        return lambda record: (count(record["labels"]), record["labels"][whole])

    return [
        [label, sum(record["labels"][whole] for record in sessions), *(figure(sessions, share(one)) for one in counts)]
        for label, sessions in played(agents)
    ]


def decisions(agents: Agents) -> Rows:
    return of_proposals(
        agents,
        "proposals",
        lambda of: of["accepted"] - of["gathered_accepted"],
        lambda of: of["rejected"] - (of["gathered"] - of["gathered_accepted"]),
        lambda of: of["looked"],
        lambda of: of["proposals"] - (of["accepted"] + of["rejected"] - of["gathered"]) - of["looked"],
        lambda of: of["replaced"],
    )


def resolutions(agents: Agents) -> Rows:
    return of_proposals(
        agents,
        "looked",
        lambda of: of["gathered_accepted"],
        lambda of: of["gathered"] - of["gathered_accepted"],
        lambda of: of["looked"] - of["gathered"],
    )


def by_tag(agents: Agents, kind: str) -> Rows:
    rows: Rows = []
    for tag in sorted({tag for tags in SCENARIOS.values() for tag in tags[kind]}):
        tasks = [task for task, tags in SCENARIOS.items() if tag in tags[kind]]
        for label, sessions in played(agents):
            found = [one for one in sessions if one["task_id"] in tasks]
            cells = [figure(found, MEASURES["pare"][name]) for name in HEADLINE["pare"]]
            rows.append([tag, label, len(found), *cells])
    return rows


def by_level(agents: Agents, name: str) -> Rows:
    other = {"noise": "tool_failure", "tool_failure": "noise"}[name]
    rows: Rows = []
    for label, one in agents.items():
        if label.startswith("brisk") and getattr(one, other) == "none":
            for each in ("success", "proposal", "acceptance"):
                cell = figure(records(one.run), MEASURES["pare"][each])
                rows.append([each, f"brisk, {other} as usual", getattr(one, name), cell])
    return rows


def phone_protocols(agents: Agents) -> Rows:
    rows: Rows = []
    for label, sessions in played(agents):
        means = [figure(sessions, MEASURES["pare"][name]) for name in HEADLINE["pare"]]
        worlds = defaultdict(list)
        for record in sessions:
            worlds[record["task_id"]].append(succeeded(record))
        paper = [(fmean(map(kind, worlds.values())), None) for kind in (any, all)]
        rows += [[label, "mean", *means, *most_tries(agents, label)], [label, "paper", *means, 2, *paper]]
    return rows


#: By family and name of a table or chart, its rows.
EXPECTED: Mapping[str, Mapping[str, Callable[[Agents], Rows]]] = {
    "pibench": {
        "overall": lambda agents: by_person(agents, PROC, STRICT, COMP),
        "statuses": statuses,
        "categories": categories,
        "proc-comp-types": lambda agents: [[row[1], row[0], *row[3:]] for row in categories(agents)],
        "proc-comp": lambda agents: of_all(agents, PROC, COMP),
        "turns-proc": lambda agents: of_all(agents, TURNS, PROC),
        "ablation": ablation,
        "ablation-chart": ablation_marks,
        "all-items": lambda agents: tries(agents, lambda one: one["scores"]["comp"] == 1.0),
        "all-met": lambda agents: tries(agents, lambda one: one["scores"]["comp"] == one["scores"]["proc"] == 1.0),
        "shares": shares,
        "shares-chart": share_marks,
        "protocols": bench_protocols,
    },
    "pare": {
        "overall": success,
        "decisions": decisions,
        "resolutions": resolutions,
        "persons": persons,
        "by-noise": lambda agents: by_level(agents, "noise"),
        "by-tool_failure": lambda agents: by_level(agents, "tool_failure"),
        "success-tries": lambda agents: tries(agents, succeeded),
        "by-app": lambda agents: by_tag(agents, "app"),
        "by-theme": lambda agents: by_tag(agents, "theme"),
        "protocols": phone_protocols,
    },
}
COMMON: Mapping[str, Callable[[Agents, str], Rows]] = {
    "measures": measures,
    "differences": differences,
    "differences-chart": difference_marks,
    "cost": lambda agents, _: cost(agents),
    "return-steps": lambda agents, _: cost_marks(agents, 3),
    "return-tokens": lambda agents, _: cost_marks(agents, 6),
    "unscored": lambda agents, _: unscored(agents),
}


def same(cell: Any, expected: Any) -> bool:
    """Whether a cell is what was expected: a figure with its spread, or a text, a count or nothing as it is."""
    if not isinstance(cell, dict):
        return bool(cell == expected)
    return all(
        a is b is None or (None not in (a, b) and a == pytest.approx(b, abs=1e-9))
        for a, b in zip((cell["value"], cell["std"]), expected, strict=True)
    )


@pytest.mark.parametrize(
    ("family", "name"), [(family, name) for family, own in EXPECTED.items() for name in (*own, *COMMON, "judges")]
)
def test_a_table_or_chart_says_what_the_files_do(
    figures: Any, contestants: Any, audits: dict[str, Path], family: str, name: str
) -> None:
    agents = contestants[family]
    if name == "judges":
        expected = judges(audits[family])
    else:
        own = EXPECTED[family].get(name)
        expected = own(agents) if own is not None else COMMON[name](agents, family)
    found = figures[family][name]["rows"]

    def texts(row: Sequence[Any]) -> list[str]:
        return [one for one in row if isinstance(one, str)]

    assert len(found) == len(expected) > 0
    for row, wanted in zip(sorted(found, key=texts), sorted(expected, key=texts), strict=True):
        assert [same(*cells) for cells in zip(row, wanted, strict=True)] == [True] * len(row), (row, wanted)


def test_no_table_or_chart_is_without_such_figures(figures: Any, reported: Path, contestants: Any) -> None:
    for family, parts in figures.items():
        assert set(parts) == {*EXPECTED[family], *COMMON, "judges"}
    runs = json.loads((reported / "figures.json").read_text())["runs"]["rows"]
    folders = [
        run for found in contestants.values() for one in found.values() for run in (one.run, one.ablation) if run
    ]
    counts = [[len(records(run, name)) for name in ("trajectories.jsonl", "unscored.jsonl")] for run in folders]
    assert sorted([row[0], *row[5:]] for row in runs) == sorted(
        [str(run), *found, 0] for run, found in zip(folders, counts, strict=True)
    )


@pytest.mark.parametrize("family", ["pibench", "pare"])
def test_an_interval_is_around_its_figure(figures: Any, family: str) -> None:
    found = [one for one in estimates(figures[family]) if one[1]["low"] is not None]
    assert len(found) > 100
    for place, one in found:
        assert one["low"] - 1e-9 <= one["value"] <= one["high"] + 1e-9, place


def told_numbers(text: str) -> list[float]:
    return [float(one) for one in re.findall(r"[+-]?\d+(?:\.\d+)?", text)]


def test_markdown_has_the_same_figures(figures: Any, reported: Path) -> None:
    tables = (reported / "report.md").read_text().split("\n## ")
    tables = tables[2:-1]  # without the head, the table of runs, and audits of no run
    parts = [part for family in figures.values() for part in family.values()]
    for part, text in zip(parts, tables, strict=True):
        heading, *lines = [line for line in text.splitlines() if line]
        rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines if line.startswith("|")][2:]
        assert (part["number"] in heading, len(rows)) == (True, len(part["rows"]))
        for shown, row in zip(rows, part["rows"], strict=True):
            for text_cell, cell, column in zip(shown, row, part["columns"], strict=True):
                if isinstance(cell, dict):
                    times = 100 if column["unit"] == "%" else 1
                    there = [times * cell[n] for n in ("value", "std", "low", "high") if cell[n] is not None]
                    assert (
                        told_numbers(text_cell)
                        == pytest.approx(there, abs=0.0501 if times == 100 or column["title"] != "tokens" else 0.501)
                        or not there
                    ), heading
                else:
                    assert re.sub(r"\\(.)", r"\1", text_cell.strip()) == ("-" if cell is None else str(cell))


def test_charts_have_the_same_figures(figures: Any, reported: Path) -> None:
    page = (reported / "report.html").read_text()
    specs = re.findall(r'<script type="application/json" id="[^"]*">(.*?)</script>', page)
    charts = [part for family in figures.values() for part in family.values() if part["kind"] == "chart"]
    for part, text in zip(charts, specs, strict=True):
        marks = drawn_marks(json.loads(text))
        assert len(marks) == len(part["rows"])
        for mark, row in zip(marks, part["rows"], strict=True):
            assert mark["series"] == row[0]
            for axis, cell, column in zip("xy", row[-2:], part["columns"][-2:], strict=True):
                if not isinstance(cell, dict):
                    assert mark[axis] == cell
                    continue
                times = 100 if column["unit"] == "%" else 1
                drawn = {
                    name: mark[f"{axis}{end}"] for name, end in (("value", ""), ("low", "_low"), ("high", "_high"))
                }
                told = {name: None if cell[name] is None else times * cell[name] for name in drawn}
                assert drawn == pytest.approx(told)


def drawn_marks(spec: Any) -> list[dict[str, Any]]:
    """The data of a chart, wherever in its specification they stand."""
    if isinstance(spec, dict):
        values = spec.get("data", {}).get("values", [])
        if values and "series" in values[0]:
            return list(values)
    parts = spec.values() if isinstance(spec, dict) else spec if isinstance(spec, list) else ()
    return next((found for part in parts if (found := drawn_marks(part))), [])
