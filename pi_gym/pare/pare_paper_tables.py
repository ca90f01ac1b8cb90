"""The tables and figures of the PARE paper over the sessions that were played."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from pi_gym.family import Family
from pi_gym.report.common_parts import AGENT, SESSIONS, judges_table
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
from pi_gym.report.session_pool import Ratio
from pi_gym.report.session_rows import ReportedSession

#: By title, the counts that make up a share, each with its sign.
Shares: TypeAlias = Mapping[str, Mapping[str, int]]
_SUCCESS = (
    AGENT,
    SESSIONS,
    TableColumn("k"),
    *(TableColumn(title, "%") for title in ("success@k", "success^k", "success", "proposal rate", "acceptance rate")),
    TableColumn("reads", decimals=1),
)
_LEVELS = {"none": 0.0, "low": 1.0, "medium": 2.0, "high": 3.0}


def pare_paper_parts(material: ReportMaterial) -> Iterator[ReportPart]:
    """The paper's tables, those on the person and its figures 3 and 4 where runs of several are there."""
    yield _table_1(material)
    yield from _proposals(material)
    persons = {one.label: _person(one) for one in material.contestants}
    if len(set(persons.values())) > 1:
        ordered = sorted(material.contestants, key=lambda one: persons[one.label])
        rows = [[persons[one.label], *_success_row(one, material.family)] for one in ordered]
        columns = [TableColumn("person"), *_SUCCESS]
        yield ReportTable("persons", "Success by who plays the person", columns, rows, "Table 4", material.notes)
    for name, number, title in (
        ("tool_failure", "Figure 3", "Calls that fail"),
        ("noise", "Figure 4", "Events that have nothing to do with it"),
    ):
        yield from _by_level(material, name, number, title)
    yield from judges_table(material.audits)


def _table_1(material: ReportMaterial) -> ReportTable:
    notes = ("Lower proposal rates are better: each proposal interrupts.", *material.notes)
    rows = [_success_row(one, material.family) for one in material.contestants]
    return ReportTable("overall", "Success and proposals", _SUCCESS, rows, "Table 1", notes)


def _success_row(one: Contestant, family: Family) -> list[TableCell]:
    tries = one.pool.tries(_succeeded)
    most = max(tries, default=None)
    at, all_of = tries[most] if most is not None else (None, None)
    measures = {each.name: each for each in family.measures}
    rates = [one.pool.mean(measures[name]) for name in ("success", "proposal_rate", "acceptance_rate", "reads")]
    return [one.label, len(one.pool.rows), most, at, all_of, *rates]


def _succeeded(row: ReportedSession) -> bool | None:
    value = row.score.values.get("success")
    return None if value is None else value == 1.0


def _person(one: Contestant) -> str:
    """The player of the person: "rule", the name of a model, or another role."""
    user = one.argument("user")
    return str(user.get("model", "model") if isinstance(user, Mapping) else user or "rule")


def _proposals(material: ReportMaterial) -> Iterator[ReportTable]:
    decisions: Shares = {
        "accepted": {"accepted": 1, "gathered_accepted": -1},
        "rejected": {"rejected": 1, "gathered": -1, "gathered_accepted": 1},
        "gathered first": {"looked": 1},
        "never answered": {"proposals": 1, "accepted": -1, "rejected": -1, "looked": -1, "gathered": 1},
        "replaced, of all": {"replaced": 1},
    }
    notes = (
        "The first four make up all proposals: answered at once, put off until the person had looked something up, or"
        " neither, because another one took their place or the session was over.",
        *material.notes,
    )
    yield _shares(material, "decisions", "How proposals were answered", "Table 2", "proposals", decisions, notes)
    resolutions: Shares = {
        "accepted": {"gathered_accepted": 1},
        "rejected": {"gathered": 1, "gathered_accepted": -1},
        "never answered": {"looked": 1, "gathered": -1},
    }
    if any(row.score.values.get("looked") for one in material.contestants for row in one.pool.rows):
        title = "What came of proposals for which the person looked something up"
        yield _shares(material, "resolutions", title, "Table 3", "looked", resolutions, material.notes)


def _shares(
    material: ReportMaterial, name: str, title: str, number: str, whole: str, shares: Shares, notes: tuple[str, ...]
) -> ReportTable:
    """A table of shares of a count, each the sum of some counts with their signs."""

    def counted(parts: Mapping[str, int]) -> Ratio:
        def ratio(row: ReportedSession) -> tuple[float, float] | None:
            values = {each: row.score.values.get(each) for each in (whole, *parts)}
            if None in values.values():
                return None  # a record that does not count them
            return sum(sign * (values[each] or 0) for each, sign in parts.items()), values[whole] or 0

        return ratio

    rows: list[list[TableCell]] = []
    for one in material.contestants:
        counts = [row.score.values.get(whole) or 0 for row in one.pool.rows]
        rows.append([one.label, int(sum(counts)), *(one.pool.ratio(counted(parts)) for parts in shares.values())])
    columns = [AGENT, TableColumn("proposals"), *(TableColumn(each, "%") for each in shares)]
    return ReportTable(name, title, columns, rows, number, notes)


def _by_level(material: ReportMaterial, name: str, number: str, title: str) -> Iterator[ReportPart]:
    """A small chart for each agent that played at several levels and, but for these, in the same setting."""
    alike: dict[str, list[Contestant]] = defaultdict(list)
    for one in sorted(material.contestants, key=lambda one: _place(_level(one, name))):
        setting = (part for part in one.label.split(", ") if not part.startswith(f"{name} "))
        alike[", ".join(setting)].append(one)
    measures = {one.name: one for one in material.family.measures}
    marks = [
        ChartMark(measures[each].title, _level(one, name), one.pool.mean(measures[each]), label)
        for label, found in sorted(alike.items())
        if len(found) > 1
        for one in found
        for each in ("success", "proposal_rate", "acceptance_rate")
    ]
    if marks:
        axes = ChartAxis(name.replace("_", " ")), ChartAxis("share", "%", span=(0, 1))
        yield ReportChart(f"by-{name}", title, "lines", *axes, marks, number, series="measure", notes=material.notes)


def _level(one: Contestant, name: str) -> str:
    value = one.argument(name)
    return "none" if value in (None, 0, "none") else str(value)


def _place(level: str) -> tuple[float, str]:
    try:
        return _LEVELS[level] if level in _LEVELS else float(level), level
    except ValueError:
        return 0.0, level
