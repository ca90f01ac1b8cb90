"""Rows of an app's table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pi_gym.predicates.node import Node, Span
from pi_gym.predicates.value_rules import ValueCondition, parse_value
from pi_gym.predicates.wording import shown
from pi_gym.results.content import Records
from pi_gym.results.demands import DEMANDS
from pi_gym.results.facets import Aspect, AspectReading, Demand, Facet, Parts
from pi_gym.results.sameness import same_value


def _values(content: Records, reading: AspectReading) -> Parts:
    """The values of the rows in the columns that are meant; without `of`, in all that right.py gives."""
    meant = {one.casefold() for one in reading.rows}
    return {
        (one.key, name): value
        for one in content.each
        if not meant or one.key in meant
        for name, value in one.values.items()
        if name in reading.of or not reading.of
    }


def _rows(content: Records, reading: AspectReading) -> Parts:
    meant = {one.casefold() for one in reading.rows}
    return {one.key: True for one in content.each if not meant or one.key in meant}


def _parts(content: Records, reading: AspectReading) -> Parts:
    """By row and person, which part of the whole it is; rows with one key count as one."""
    who, amounts = reading.of or ("debtor_emails", "debt_amounts")
    meant = {one.casefold() for one in reading.rows}
    found: dict[tuple[str, str], float] = {}
    for one in content.each:
        if not meant or one.key in meant:
            for name, amount in zip(one.values[who], one.values[amounts], strict=False):
                found[one.key, name] = found.get((one.key, name), 0.0) + amount
    wholes: dict[str, float] = {}
    for (key, _), amount in found.items():
        wholes[key] = wholes.get(key, 0.0) + amount
    return {
        place: round(amount / wholes[place[0]], 6) for place, amount in found.items() if amount and wholes[place[0]]
    }


def _sharers(content: Records, reading: AspectReading) -> Parts:
    return dict.fromkeys(_parts(content, reading), True)


def _same_part(found: Any, right: Any, reading: AspectReading) -> bool:
    return bool(abs(found - right) <= (reading.tolerance or PART_TOLERANCE))


def _same(found: Any, right: Any, reading: AspectReading) -> bool:
    if isinstance(found, int | float) and isinstance(right, int | float) and reading.is_loose:
        return reading.takes(found, right)
    if isinstance(found, str) and isinstance(right, str) and found[10:11] == "T" and len(right) == 10:
        # A to-do may be due on the right day at some hour.
        found = found[:10]
    return same_value(found, right)


@dataclass(frozen=True, slots=True)
class CountedRows:
    """So many rows were made or changed."""

    span: Span

    def fault(self, content: Records) -> str:
        """See `Condition`."""
        return "" if len(content.each) in self.span else f"has {len(content.each)} rows; expected {self.span}"


def _parse_count(node: Node) -> CountedRows:
    return CountedRows(node.span())


@dataclass(frozen=True, slots=True)
class EachRow:
    """Every row meets conditions on its columns."""

    conditions: tuple[tuple[str, ValueCondition], ...]

    def fault(self, content: Records) -> str:
        """See `Condition`."""
        for one in content.each:
            for name, condition in self.conditions:
                if not condition.holds(one.values.get(name)):
                    return f"has {shown(one.values.get(name))} as {name} of {one.key}"
        return ""


@dataclass(frozen=True, slots=True)
class LacksRows:
    """None of these rows is among those that were made or changed."""

    keys: frozenset[str]

    def fault(self, content: Records) -> str:
        """See `Condition`."""
        there = [one.key for one in content.each if one.key in self.keys]
        return f"has the row {shown(there[0])}, which it must not" if there else ""


def _parse_lacks_rows(node: Node) -> LacksRows:
    return LacksRows(frozenset(str(one.scalar()).casefold() for one in node.one_or_more()))


def _parse_each(node: Node) -> EachRow:
    return EachRow(tuple((name, parse_value(one)) for name, one in node.named().items()))


#: By how much somebody's part of a bill may be off: the cents that are left over go to anybody.
PART_TOLERANCE = 0.0002

KINDS = {"rows": "Rows of an app's table."}
FACETS: tuple[Facet, ...] = (
    Aspect("rows", _rows, "has the right rows", "rows", of="rows by their keys"),
    Aspect("values", _values, "has the right values", "{values: due_date}", "columns", _same),
    Aspect("sharers", _sharers, "is shared by the right people", "sharers", "the column of people, that of amounts"),
    Aspect(
        "parts", _parts, "is shared in the right parts", "parts", "the column of people, that of amounts", _same_part
    ),
    Demand("count", _parse_count, "has so many rows", "{count: 1}", "N or `{min, max}`", whole=True),
    Demand("each", _parse_each, "meets these in every row", "{each: {done: true}}", "conditions by column", whole=True),
    Demand("lacks_rows", _parse_lacks_rows, "has none of these rows", '{lacks_rows: ["300"]}', "keys", whole=True),
    *DEMANDS,
)
