"""The tables and charts that every family's sessions have in a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from pi_gym.family import Measure
from pi_gym.report.contestants import Contestant, ReportMaterial
from pi_gym.report.discovery import AuditResult
from pi_gym.report.report_parts import (
    ChartAxis,
    ChartMark,
    Estimate,
    ReportChart,
    ReportPart,
    ReportTable,
    TableCell,
    TableColumn,
)
from pi_gym.report.session_pool import SessionPool, measure_ratio, paired_difference, value_ratio
from pi_gym.report.session_rows import ReportedSession

AGENT = TableColumn("agent")
SESSIONS, WORLDS = TableColumn("sessions"), TableColumn("worlds")


def common_parts(material: ReportMaterial) -> Iterator[ReportPart]:
    """The common tables and charts, in order; those with nothing in them are left out."""
    yield _measures(material)
    if len(material.contestants) > 1:
        yield from _differences(material)
    if material.family.tried:
        yield from tries_table(
            material,
            f"{material.family.tried}-tries",
            f"{material.family.tried.capitalize()} in several tries at one world",
            lambda row: _truth(row.score.values.get(material.family.tried)),
        )
    for kind in sorted({kind for card in material.cards.values() for kind in card.tags}):
        yield _by_tag(material, kind)
    yield from _shares(material)
    yield from _cost(material)
    yield from _unscored(material)
    yield from _protocols(material)


def shown_column(measure: Measure) -> TableColumn:
    """The column of a measure."""
    return TableColumn(measure.title or measure.name.replace("_", " "), decimals=measure.decimals)


def tries_table(
    material: ReportMaterial, name: str, title: str, success: Callable[[ReportedSession], bool | None], number: str = ""
) -> Iterator[ReportTable]:
    """The table of k tries at one world, k a row; nothing where each world was tried once."""
    rows: list[list[TableCell]] = []
    for one in material.contestants:
        rows += [[one.label, k, *both] for k, both in one.pool.tries(success).items()]
    if rows:
        columns = [AGENT, TableColumn("k"), TableColumn("one of k succeeds", "%"), TableColumn("all k succeed", "%")]
        notes = (
            "Of the tries at a world k are drawn; intervals are over worlds with at least k tries.",
            *material.notes,
        )
        yield ReportTable(name, title, columns, rows, number, notes)


def judges_table(audits: Sequence[AuditResult], number: str = "") -> Iterator[ReportTable]:
    """The table of how often judges are apart; nothing where no audit says it."""
    rows: list[list[TableCell]] = [
        [str(audit.path), kind, of, Estimate(value, low, high)]
        for audit in audits
        for kind, (value, low, high, of) in audit.rates.items()
    ]
    if rows:
        columns = [TableColumn("audit"), TableColumn("judgement"), TableColumn("compared"), TableColumn("apart", "%")]
        notes = ("Lower is better. Intervals are those of the audit, over sessions.",)
        yield ReportTable("judges", "How often judges are apart", columns, rows, number, notes)


def _measures(material: ReportMaterial) -> ReportTable:
    measures = material.family.measures
    rows: list[list[TableCell]] = []
    for label, pool in _with_ablations(material):
        worlds = len({row.world for row in pool.rows})
        rows.append([label, len(pool.rows), worlds, *(pool.mean(one) for one in measures)])
    meanings = [f"{shown_column(one).title}: {one.meaning}." for one in measures if one.meaning]
    columns = [AGENT, SESSIONS, WORLDS, *map(shown_column, measures)]
    return ReportTable("measures", "All measures", columns, rows, notes=(*meanings, *material.notes))


def _with_ablations(material: ReportMaterial) -> Iterator[tuple[str, SessionPool]]:
    for one in material.contestants:
        yield one.label, one.pool
        if one.ablation is not None:
            yield f"{one.label}, history none", one.ablation


def _differences(material: ReportMaterial) -> Iterator[ReportPart]:
    headline = material.family.headline
    rows: list[list[TableCell]] = []
    marks = []
    for one, other in combinations(material.contestants, 2):
        found = [paired_difference(one.pool, other.pool, measure_ratio(measure)) for measure in headline]
        label = f"{one.label} less {other.label}"
        rows.append([label, max((each.worlds for each in found), default=0), *found])
        marks += [
            ChartMark(measure.title, each, label) for measure, each in zip(headline, found, strict=True) if each.worlds
        ]
    notes = (
        "Over the worlds that both played. An interval without 0 in it says that they differ; of many pairs, one in"
        " twenty does so by chance.",
        *material.notes,
    )
    columns = [TableColumn("pair"), WORLDS, *(TableColumn(one.title, "", 3, True) for one in headline)]
    yield ReportTable("differences", "Paired differences between agents", columns, rows, notes=notes)
    if marks:
        yield ReportChart(
            "differences-chart",
            "Paired differences between agents",
            "dots",
            ChartAxis("difference"),
            ChartAxis("pair"),
            marks,
            series="measure",
            zero=True,
            notes=notes,
        )


def _by_tag(material: ReportMaterial, kind: str) -> ReportTable:
    headline = material.family.headline
    tags = sorted({tag for card in material.cards.values() for tag in card.tags.get(kind, ())})
    rows: list[list[TableCell]] = []
    for tag in tags:
        tasks = {task for task, card in material.cards.items() if tag in card.tags.get(kind, ())}
        for one in material.contestants:
            pool = one.pool.where(lambda row, tasks=tasks: row.task in tasks)  # type: ignore[misc]
            if pool.rows:
                rows.append([tag, one.label, len(pool.rows), *(pool.mean(measure) for measure in headline)])
    columns = [TableColumn(kind), AGENT, SESSIONS, *map(shown_column, headline)]
    return ReportTable(f"by-{kind}", f"By {kind}", columns, rows, notes=("A task can have several.", *material.notes))


def _shares(material: ReportMaterial) -> Iterator[ReportPart]:
    names = sorted({name for one in material.contestants for row in one.pool.rows for name in row.score.shares})
    if not names:
        return

    def share(name: str) -> Callable[[ReportedSession], tuple[float, float] | None]:
        return lambda row: row.score.shares.get(name)

    found = {(name, one.label): one.pool.ratio(share(name)) for name in names for one in material.contestants}
    columns = [TableColumn("parts tagged"), *(TableColumn(one.label, "%") for one in material.contestants)]
    rows: list[list[TableCell]] = [[name, *(found[name, one.label] for one in material.contestants)] for name in names]
    notes = ("Share of the sessions' parts of that kind that were met; a part can be of several.", *material.notes)
    yield ReportTable("shares", "By kind of evidence and difficulty", columns, rows, notes=notes)
    marks = [ChartMark(label, each, name) for (name, label), each in found.items() if each.value is not None]
    axes = ChartAxis("parts met", "%", span=(0, 1)), ChartAxis("parts tagged")
    yield ReportChart("shares-chart", "By kind of evidence and difficulty", "dots", *axes, marks, notes=notes)


def _cost(material: ReportMaterial) -> Iterator[ReportPart]:
    names = ("turns", "steps", "tool_calls", "invalid_actions")
    columns = [AGENT, TableColumn("return"), *(TableColumn(one.replace("_", " "), decimals=1) for one in names)]
    columns.append(TableColumn("tokens", decimals=0))
    rows: list[list[TableCell]] = []
    marks: dict[str, list[ChartMark]] = {"steps": [], "tokens": []}

    def tokens(row: ReportedSession) -> tuple[float, float] | None:
        return None if row.tokens is None else (row.tokens, 1)

    for one in material.contestants:
        gain, *costs = (one.pool.ratio(value_ratio(name)) for name in ("return", *names))
        used = one.pool.ratio(tokens)
        rows.append([one.label, gain, *costs, used])
        for name, cost in (("steps", costs[1]), ("tokens", used)):
            if None not in (gain.value, cost.value):
                marks[name].append(ChartMark(one.label, cost, gain))
    notes = (
        "Means of a session. Tokens are those of all models that were asked, in and out; none where none was.",
        *material.notes,
    )
    yield ReportTable("cost", "Return and cost", columns, rows, notes=notes)
    for name, found in marks.items():
        if found:
            axes = ChartAxis(f"{name} a session", decimals=1, span=(0, 1)), ChartAxis("return")
            yield ReportChart(f"return-{name}", f"Return against {name}", "points", *axes, found, notes=notes)


def _unscored(material: ReportMaterial) -> Iterator[ReportTable]:
    rows: list[list[TableCell]] = []
    for one in material.contestants:
        failed = [row.score for run in one.runs for row in run.rows.unscored]
        for kind, count in sorted(Counter(score.error_kind for score in failed).items()):
            first = next(score.error for score in failed if score.error_kind == kind)
            rows.append([one.label, kind or "unknown", count, first])
        broken = [score for run in one.runs for row in run.rows.scored for score in [row.score] if score.fault]
        if broken:
            rows.append([one.label, "scored, with an error of pi_gym's own", len(broken), broken[0].fault])
    if rows:
        columns = [AGENT, TableColumn("kind"), SESSIONS, TableColumn("the first")]
        notes = ("Sessions without a score are in no mean, neither as zeros.",)
        yield ReportTable("unscored", "Sessions without a score, and faults", columns, rows, notes=notes)


def _protocols(material: ReportMaterial) -> Iterator[ReportTable]:
    family = material.family
    if len(family.protocols) < 2:
        return
    measures = family.headline
    rows: list[list[TableCell]] = []
    for one in material.contestants:
        if not one.pool.rows or any(task not in material.cards for task in one.pool.tasks):
            continue
        for protocol in family.protocols:
            overall, tries = one.pool.under(family, material.cards, protocol)
            means = [overall[measure.name] for measure in measures]
            cells: list[TableCell] = [Estimate(mean.mean, std=mean.std, sessions=mean.sessions) for mean in means]
            if family.tried:
                most = max(tries.one_of) if tries is not None else None
                cells += [
                    most,
                    *(Estimate(by[most]) if tries is not None and most is not None else None
                      for by in ((tries.one_of, tries.all_of) if tries is not None else ({}, {}))),
                ]  # fmt: skip
            rows.append([one.label, protocol, *cells])
    if rows:
        columns = [AGENT, TableColumn("protocol"), *map(shown_column, measures)]
        if family.tried:
            columns += [TableColumn("k"), TableColumn(f"{family.tried}@k"), TableColumn(f"{family.tried}^k")]
        notes = ("Mean ± standard deviation over repeats; how each averages stands in docs/report.md.", *material.notes)
        yield ReportTable("protocols", "The same sessions under each protocol", columns, rows, notes=notes)


def _truth(value: float | None) -> bool | None:
    return None if value is None else value == 1.0


def figure_marks(contestants: tuple[Contestant, ...], x: Measure, y: Measure, panel: str = "") -> Iterator[ChartMark]:
    """A point a contestant, of those that have both measures."""
    for one in contestants:
        both = one.pool.mean(x), one.pool.mean(y)
        if all(each.value is not None for each in both):
            yield ChartMark(one.label, *both, panel)
