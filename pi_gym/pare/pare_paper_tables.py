"""The tables and figures of the PARE paper over the sessions that were played."""

from __future__ import annotations

from collections.abc import Iterator

from pi_gym.report.common_parts import AGENT, SESSIONS
from pi_gym.report.contestants import Contestant, ReportMaterial
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
from pi_gym.report.session_pool import Ratio
from pi_gym.report.session_rows import ReportedSession

_LEVELS = {"none": 0.0, "low": 1.0, "medium": 2.0, "high": 3.0}


def pare_paper_parts(material: ReportMaterial) -> Iterator[ReportPart]:
    """The paper's tables 1 and 2, and its figures 3 and 4 where runs of several levels are there."""
    yield _table_1(material)
    yield _table_2(material)
    for name, number, title in (
        ("tool_failure", "Figure 3", "Calls that fail"),
        ("noise", "Figure 4", "Events that have nothing to do with it"),
    ):
        yield from _by_level(material, name, number, title)
    rows: list[list[TableCell]] = [
        [str(audit.path), kind, of, Estimate(value, low, high)]
        for audit in material.audits
        for kind, (value, low, high, of) in audit.rates.items()
    ]
    if rows:
        columns = [TableColumn("audit"), TableColumn("judgement"), TableColumn("compared"), TableColumn("apart", "%")]
        yield ReportTable("judges", "How often judges are apart", columns, rows)


def _table_1(material: ReportMaterial) -> ReportTable:
    measures = {one.name: one for one in material.family.measures}
    rates = ("success", "proposal_rate", "acceptance_rate")
    rows: list[list[TableCell]] = []
    for one in material.contestants:
        tries = one.pool.tries(_succeeded)
        most = max(tries, default=None)
        at, all_of = tries[most] if most is not None else (None, None)
        cells = [one.pool.mean(measures[name]) for name in rates]
        rows.append([one.label, len(one.pool.rows), most, at, all_of, *cells, one.pool.mean(measures["reads"])])
    columns = [
        AGENT,
        SESSIONS,
        TableColumn("k"),
        *(
            TableColumn(title, "%")
            for title in ("success@k", "success^k", "success", "proposal rate", "acceptance rate")
        ),
        TableColumn("reads", decimals=1),
    ]
    notes = ("Lower proposal rates are better: each proposal interrupts.", *material.notes)
    return ReportTable("overall", "Success and proposals", columns, rows, "Table 1", notes)


def _succeeded(row: ReportedSession) -> bool | None:
    value = row.score.values.get("success")
    return None if value is None else value == 1.0


def _table_2(material: ReportMaterial) -> ReportTable:
    def share(name: str) -> Ratio:
        def ratio(row: ReportedSession) -> tuple[float, float] | None:
            whole = row.score.values.get("proposals") or 0.0
            return (row.score.values.get(name) or 0.0, whole) if whole else None

        return ratio

    def unanswered(row: ReportedSession) -> tuple[float, float] | None:
        values = [row.score.values.get(name) or 0.0 for name in ("proposals", "accepted", "rejected", "replaced")]
        return (values[0] - sum(values[1:]), values[0]) if values[0] else None

    ratios = [*map(share, ("accepted", "rejected", "replaced")), unanswered, share("gathered")]
    rows: list[list[TableCell]] = []
    for one in material.contestants:
        proposals = int(sum(row.score.values.get("proposals") or 0 for row in one.pool.rows))
        rows.append([one.label, proposals, *map(one.pool.ratio, ratios)])
    titles = ("accepted", "rejected", "replaced", "never answered", "answered after gathering")
    columns = [AGENT, TableColumn("proposals"), *(TableColumn(title, "%") for title in titles)]
    notes = ("The first four make up all proposals; the last is of any answer that came after the person had looked.",)
    return ReportTable("decisions", "How proposals were answered", columns, rows, "Table 2", (*notes, *material.notes))


def _by_level(material: ReportMaterial, name: str, number: str, title: str) -> Iterator[ReportPart]:
    levels = {one.label: _level(one, name) for one in material.contestants}
    if len(set(levels.values())) < 2:
        return
    measures = {one.name: one for one in material.family.measures}
    marks = [
        ChartMark(str(one.runs[0].asked["agent"]), levels[one.label], one.pool.mean(measure), measure.title)
        for one in sorted(material.contestants, key=lambda one: _place(levels[one.label]))
        for measure in (measures["success"], measures["proposal_rate"], measures["acceptance_rate"])
    ]
    axes = ChartAxis(name.replace("_", " ")), ChartAxis("share", "%", span=(0, 1))
    yield ReportChart(f"by-{name}", title, "lines", *axes, marks, number, notes=material.notes)


def _level(one: Contestant, name: str) -> str:
    value = one.argument(name)
    return "none" if value in (None, 0, "none") else str(value)


def _place(level: str) -> tuple[float, str]:
    try:
        return _LEVELS[level] if level in _LEVELS else float(level), level
    except ValueError:
        return 0.0, level
