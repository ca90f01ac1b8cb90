"""A shelf and its orders: when something arrives, how many packs, when it runs out, and how much that matters."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from datetime import date, timedelta
from typing import Any

from pi_gym.authoring.amounts import amounts_in
from pi_gym.authoring.leavings import new_csv_rows
from pi_gym.authoring.working_days import next_weekday, working_day_after


def arrival(
    ordered: date | str, leaves: Collection[int], days: int, shut: Collection[date] = (), *, cold: bool = False
) -> date:
    """The day on which an order arrives.

    Args:
        ordered: the day from which it may leave, or its ISO date: the day of the order, if that was in time.
        leaves: weekdays on which the supplier sends (0 is Monday).
        days: working days on the way.
        shut: days of the week on which nobody sends or takes anything in.
        cold: it stays on the way over no weekend and no closed day.

    Raises:
        ValueError: nothing ever leaves so.

    >>> shut = [date(2026, 5, 14), date(2026, 5, 15)]
    >>> [str(arrival("2026-05-08", *rule, shut)) for rule in (([1], 1), ([1], 2), (range(5), 4))]
    ['2026-05-13', '2026-05-18', '2026-05-18']
    >>> str(arrival("2026-05-13", range(5), 1, shut, cold=True))
    '2026-05-19'
    """
    sent = next_weekday(ordered, leaves, shut)
    for _ in range(60):
        there = working_day_after(sent, days, shut)
        if not cold or there - sent == timedelta(days=days):
            return there
        sent = next_weekday(sent + timedelta(days=1), leaves, shut)
    raise ValueError(f"cold goods that leave on weekdays {[*leaves]} never arrive within {days} days in a row")


def packs_needed(need: float, stock: float, pack: float) -> int:
    """The number of whole packs with which a stock is enough; 0 where it is without.

    Args:
        need: what is used until then.
        stock: what is there and valid then, what is on the way included; in the unit of the need.
        pack: what one pack has, in that unit.

    >>> packs_needed(1650, 420, 500), packs_needed(300, 420, 500)
    (3, 0)
    """
    return max(0, math.ceil((need - stock) / pack - 1e-9))


def runs_out(uses: Iterable[tuple[date | str, float]], stock: float) -> date | None:
    """The day of the first use for which a stock is not enough; None where it is for all.

    Args:
        uses: day (or its ISO date) and amount of each.
        stock: what is there, in the unit of the uses.

    >>> str(runs_out([("2026-05-13", 300), ("2026-05-11", 200)], 420))
    '2026-05-13'
    """
    for day, amount in sorted(uses, key=lambda use: str(use[0])):
        stock -= amount
        if stock < -1e-9:
            return date.fromisoformat(str(day))
    return None


def urgency(out: date | None, arrives: date, late: int = 7) -> int:
    """The place of an item among three priorities.

    Args:
        out: the day for which the stock is not enough, as `runs_out` gives it.
        arrives: the day on which an order arrives.
        late: in days.

    Returns:
        0 where it runs out before the order arrives, 1 where within so many days of that, 2 where later or never.

    >>> [urgency(date(2026, 5, day), date(2026, 5, 13)) for day in (12, 14, 25)]
    [0, 1, 2]
    """
    if out is None or out > arrives + timedelta(days=late):
        return 2
    return 0 if out < arrives else 1


def form_text(fields: Mapping[str, object]) -> str:
    r"""A form with a line "Label: value" for each field.

    >>> form_text({"Supplier": "Nordreagens", "Total": 4150})
    'Supplier: Nordreagens\nTotal: 4150\n'
    """
    return "".join(f"{label}: {value}\n" for label, value in fields.items())


def form_totals(evidence: Any, fees: Collection[int]) -> dict[str, int]:
    """The totals of the new forms in orders/forms/ by supplier, in small letters; none where one does not fit.

    A form fits that comes to what the new list in orders/lists/ has for its supplier, or to that and a fee.

    Args:
        evidence: what the check was given.
        fees: that a supplier may ask for, in cents.
    """
    costs: dict[str, int] = {}
    for row in new_csv_rows(evidence, "orders/lists/")[1:]:
        if len(row) > 3:
            costs[row[1]] = costs.get(row[1], 0) + sum(amounts_in(row[3]))
    totals = {}
    for path in evidence.created:
        if path.startswith("orders/forms/"):
            lines = (evidence.text(path) or "").lower().splitlines()
            said = {label.strip(): value.strip() for label, _, value in (line.partition(":") for line in lines)}
            totals[said.get("supplier", "")] = sum(amounts_in(said.get("total", "")))
    return totals if all(total - costs.get(name, 0) in (0, *fees) for name, total in totals.items()) else {}
