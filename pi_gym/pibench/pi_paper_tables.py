"""The tables and figures of the π-Bench paper, by number, over the sessions that were played."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from pi_gym.catalogue import TaskName
from pi_gym.report.common_parts import AGENT, SESSIONS, WORLDS, figure_marks, judges_table, tries_table
from pi_gym.report.contestants import Contestant, ReportMaterial
from pi_gym.report.report_parts import (
    ChartAxis,
    ChartMark,
    ReportChart,
    ReportPart,
    ReportTable,
    TableCell,
    TableColumn,
)
from pi_gym.report.session_pool import Ratio, measure_ratio, paired_difference
from pi_gym.report.session_rows import ReportedSession

#: By the paper's letter, what the tasks of a type are about.
_TYPES = {
    "A": "keeping up with research",
    "B": "experiments, papers and rebuttals",
    "C": "a researcher's life and plans",
    "D": "checking financial models",
    "E": "financial data and curves",
    "F": "drafting pleadings and contracts",
    "G": "compliance and evidence in law",
    "H": "running legal matters",
    "I": "medical literature",
    "J": "assays and their results",
    "K": "designing drugs and products",
    "L": "orders and stock of a laboratory",
    "M": "markets and brands",
    "N": "marketing copy",
    "O": "brands together",
    "P": "crises and reputation",
    "Q": "choosing, buying, playing",
    "R": "administration with tools",
}
_STATUSES = ("completed", "inferred", "provided", "open")
_PROC, _COMP = ChartAxis("Proc", "%", span=(0, 1)), ChartAxis("Comp", "%", span=(0, 1))


def paper_parts(material: ReportMaterial) -> Iterator[ReportPart]:
    """The paper's tables and figures, what is in all first, and tries beside."""
    yield _table_1(material)
    measures = {one.name: one for one in material.family.measures}
    both = list(figure_marks(material.contestants, measures["proc"], measures["comp"]))
    yield ReportChart(
        "proc-comp", "Proc and Comp", "points", _PROC, _COMP, both, "Figure 3d", diagonal=True, notes=material.notes
    )
    turns = list(figure_marks(material.contestants, measures["turns"], measures["proc"]))
    axis = ChartAxis("turns a session", decimals=1, span=(0, 1))
    yield ReportChart("turns-proc", "Turns and Proc", "points", axis, _PROC, turns, "Figure 4", notes=material.notes)
    yield from judges_table(material.audits, "Table 6")
    yield from _table_7(material)
    yield from _by_category(material)
    yield from _figure_5(material)
    for name, title, of in (
        ("all-items", "Every checklist item passed", ("comp",)),
        ("all-met", "Every intent met and every item passed", ("proc", "comp")),
    ):
        yield from tries_table(material, name, f"{title}, in several tries at one world", _all_one(of))


def _all_one(names: tuple[str, ...]) -> Callable[[ReportedSession], bool | None]:
    def success(row: ReportedSession) -> bool | None:
        values = [row.score.values.get(name) for name in names]
        return None if None in values else all(value == 1.0 for value in values)

    return success


def _table_1(material: ReportMaterial) -> ReportTable:
    places = material.places
    packs = [pack for _, pack in places]
    titles = [pack if packs.count(pack) == 1 else f"{pack} ({env_id})" for env_id, pack in places]
    measures = [one for one in material.family.measures if one.name in ("proc", "comp", "strict_proc")]
    rows: list[list[TableCell]] = []
    for one in material.contestants:
        pools = [
            one.pool.where(lambda row, place=place: (row.key.env_id, row.key.pack) == place)  # type: ignore[misc]
            for place in places
        ]
        rows.append([one.label, *(pool.mean(each) for pool in [*pools, one.pool] for each in measures)])
    heads = [TableColumn(f"{title}: {each.title}", "%") for title in [*titles, "all"] for each in measures]
    notes = (
        "Mean ± standard deviation over repeats, in hundredths; a person's column is empty for whom it was not played.",
    )
    return ReportTable(
        "overall", "Proc and Comp by person", [AGENT, *heads], rows, "Table 1", (*notes, *material.notes)
    )


def _table_7(material: ReportMaterial) -> Iterator[ReportTable]:
    def share(status: str) -> Ratio:
        def ratio(row: ReportedSession) -> tuple[float, float] | None:
            counts = row.tallies.get("intents", {})
            return counts.get(status, 0), sum(counts.values())

        return ratio

    known = {name for one in material.contestants for row in one.pool.rows for name in row.tallies.get("intents", {})}
    statuses = [name for name in _STATUSES if name in known or name != "open"] + sorted(known - set(_STATUSES))
    rows: list[list[TableCell]] = []
    for one in material.contestants:
        intents = sum(sum(row.tallies.get("intents", {}).values()) for row in one.pool.rows)
        rows.append([one.label, intents, *(one.pool.ratio(share(name)) for name in statuses)])
    columns = [AGENT, TableColumn("intents"), *(TableColumn(name, "%") for name in statuses)]
    notes = ("Of all intents of an agent's sessions together.", *material.notes)
    yield ReportTable("statuses", "Statuses of hidden intents at the end", columns, rows, "Table 7", notes)


def _by_category(material: ReportMaterial) -> Iterator[ReportPart]:
    of: dict[str, set[TaskName]] = {}
    for task, card in material.cards.items():
        of.setdefault(card.details.get("category", ""), set()).add(task)
    of.pop("", None)
    measures = {one.name: one for one in material.family.measures}
    rows: list[list[TableCell]] = []
    marks: list[ChartMark] = []
    for category, tasks in sorted(of.items()):
        there = tuple(
            replace(one, pool=one.pool.where(lambda row, tasks=tasks: row.task in tasks))  # type: ignore[misc]
            for one in material.contestants
        )
        for one in there:
            if one.pool.rows:
                both = one.pool.mean(measures["proc"]), one.pool.mean(measures["comp"])
                rows.append([category, one.label, len(one.pool.tasks), *both])
        marks += figure_marks(there, measures["proc"], measures["comp"], category)
    if not rows:
        return
    columns = [TableColumn("type"), AGENT, TableColumn("tasks"), TableColumn("Proc", "%"), TableColumn("Comp", "%")]
    meant = "; ".join(f"{one}: {_TYPES[one]}" for one in sorted(of))
    notes = (f"{meant}.", *material.notes)
    yield ReportTable("categories", "Proc and Comp by type of task", columns, rows, "Table 8", notes)
    notes = ("The paper shows three types; here is each that was played.", *material.notes)
    yield ReportChart(
        "proc-comp-types",
        "Proc and Comp by type",
        "points",
        _PROC,
        _COMP,
        marks,
        "Figure 3a–c",
        diagonal=True,
        notes=notes,
    )


def _figure_5(material: ReportMaterial) -> Iterator[ReportPart]:
    last = _last_sessions(material)
    measures = [one for one in material.family.measures if one.name in ("proc", "comp")]
    rows: list[list[TableCell]] = []
    marks: list[ChartMark] = []
    for one in material.contestants:
        pair = _ablated(one, last)
        if pair is None:
            continue
        cells: list[TableCell] = []
        for each in measures:
            with_past, without = pair.pool.mean(each), pair.ablation.mean(each)  # type: ignore[union-attr]
            lost = paired_difference(pair.pool, pair.ablation, measure_ratio(each))  # type: ignore[arg-type]
            cells += [with_past, without, lost]
            marks += [
                ChartMark("with the past", with_past, one.label, each.title),
                ChartMark("history none", without, one.label, each.title),
            ]
        worlds = len({row.world for row in pair.pool.rows})
        rows.append([one.label, len(pair.pool.rows), worlds, *cells])
    if not rows:
        return
    heads = [
        head
        for each in measures
        for head in (
            TableColumn(f"{each.title} with the past", "%"),
            TableColumn(f"{each.title} without", "%"),
            TableColumn(f"{each.title} lost", "%", signed=True),
        )
    ]
    notes = (
        "The last session of each dependency group, in the worlds that were played both ways; what is lost is paired by"
        " world.",
        *material.notes,
    )
    title = "What the past is worth: last sessions of groups"
    yield ReportTable("ablation", title, [AGENT, SESSIONS, WORLDS, *heads], rows, "Figure 5", notes)
    axes = ChartAxis("score", "%", span=(0, 1)), ChartAxis("agent")
    yield ReportChart("ablation-chart", title, "dots", *axes, marks, "Figure 5", series="history", notes=notes)


def _last_sessions(material: ReportMaterial) -> set[TaskName]:
    built_on = {(task[0], name) for task, card in material.cards.items() for name in card.depends_on}
    return {task for task, card in material.cards.items() if card.depends_on and task not in built_on}


def _ablated(one: Contestant, last: set[TaskName]) -> Contestant | None:
    """The contestant's last sessions in the worlds that were played with and without a past; None: there are none."""
    if one.ablation is None:
        return None
    worlds = {row.world for row in one.pool.rows} & {row.world for row in one.ablation.rows}
    pools = [pool.where(lambda row: row.task in last and row.world in worlds) for pool in (one.pool, one.ablation)]
    return replace(one, pool=pools[0], ablation=pools[1]) if pools[0].rows else None
