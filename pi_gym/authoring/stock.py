"""A shelf and its orders: when something arrives, how many packs, when it runs out, and how much that matters."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date, timedelta
from typing import Any

from pi_gym.authoring.amounts import amounts_in
from pi_gym.authoring.leavings import new_csv_rows
from pi_gym.authoring.working_days import next_weekday, working_day_after
from pi_gym.authoring.written_tables import csv_text


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


def meet_least(
    packs: Mapping[str, int],
    goods: Mapping[str, Mapping[str, Any]],
    suppliers: Mapping[str, Mapping[str, Any]],
    lasts: Mapping[str, float],
    must: Collection[str],
    how: str | None,
) -> tuple[dict[str, int], dict[str, int]]:
    """The packs of an order, and its totals by supplier, once one has seen to those below the supplier's least.

    Args:
        packs: by item, as they are needed.
        goods: by item, its `supplier` and `price`.
        suppliers: by letter, what an order has to come to at `least`, and the `fee` where it does not.
        lasts: by item, for how long its stock lasts.
        must: items that cannot wait.
        how: "pull" (what is out next of that supplier comes now, a pack of each), "wait" (nothing of that supplier is
            ordered, where nothing must be), else its fee is paid.

    >>> goods = {"rpmi": {"supplier": "C", "price": 310}, "fbs": {"supplier": "C", "price": 5480}}
    >>> least = {"C": {"least": 3000, "fee": 450}}
    >>> needed, ways = {"rpmi": 2, "fbs": 0}, ("pull", "wait", "fee")
    >>> [meet_least(needed, goods, least, {"fbs": 3}, [], how)[1]["C"] for how in ways]
    [6100, 0, 1070]
    """
    found, totals = dict(packs), {}
    for letter, supplier in suppliers.items():
        own = [item for item in found if goods[item]["supplier"] == letter]
        totals[letter] = sum(found[item] * goods[item]["price"] for item in own)
        if not 0 < totals[letter] < supplier["least"]:
            continue
        if how == "pull":
            rest = sorted((item for item in own if not found[item]), key=lambda item: lasts[item])
            while rest and totals[letter] < supplier["least"]:
                found[rest[0]] = 1
                totals[letter] += goods[rest.pop(0)]["price"]
        elif how == "wait" and not any(found[item] for item in own if item in must):
            found |= dict.fromkeys(own, 0)
            totals[letter] = 0
        else:
            totals[letter] += supplier["fee"]
    return found, totals


def order_list(
    packs: Mapping[str, int],
    goods: Mapping[str, Mapping[str, Any]],
    suppliers: Mapping[str, Mapping[str, Any]],
    priority: Mapping[str, str],
    goes: Mapping[str, str],
) -> str:
    r"""The list of an order as a CSV file, a row for each item of which something is ordered.

    Args:
        packs: how many, by item.
        goods: by item, its `supplier` and `price`.
        suppliers: by letter, the `name`.
        priority: by item, how much it matters, in a word.
        goes: by item, the projects that it goes to.

    >>> goods = {"rpmi": {"supplier": "C", "price": 310}}
    >>> order_list({"rpmi": 2}, goods, {"C": {"name": "Cellebanken"}}, {"rpmi": "P1"}, {"rpmi": "degrader"})
    'item,supplier,packs,cost,priority,goes to\nrpmi,Cellebanken,2,620,P1,degrader\n'
    """
    rows = [
        (item, suppliers[goods[item]["supplier"]]["name"], n, n * goods[item]["price"], priority[item], goes[item])
        for item, n in packs.items()
        if n
    ]
    return csv_text(["item", "supplier", "packs", "cost", "priority", "goes to"], rows)


def order_forms(
    day: date | str,
    packs: Mapping[str, int],
    totals: Mapping[str, int],
    goods: Mapping[str, Mapping[str, Any]],
    suppliers: Mapping[str, Mapping[str, Any]],
    arrives: Mapping[str, date],
    signs: Callable[[int], str],
) -> dict[str, str]:
    r"""The forms of an order by the names of their files, one for each supplier of whom something is ordered.

    Args:
        day: of the order.
        packs: how many, by item.
        totals: by letter of the supplier, as `meet_least` gives them.
        goods: by item, its `supplier`.
        suppliers: by letter, the `name`.
        arrives: by item, the day on which it comes; of a form the last one counts.
        signs: who signs a form that comes to so much.

    >>> packs, goods = {"rpmi": 2}, {"rpmi": {"supplier": "C"}}
    >>> come, named = {"rpmi": date(2026, 5, 12)}, {"C": {"name": "Cellebanken"}}
    >>> order_forms("2026-05-08", packs, {"C": 1070}, goods, named, come, lambda total: "Siri")["2026-05-08_C.txt"]
    'Supplier: Cellebanken\nItems: rpmi x 2\nTotal: 1070\nArrives: 2026-05-12\nSigns: Siri\n'
    """
    forms = {}
    for letter, total in totals.items():
        own = [item for item, count in packs.items() if count and goods[item]["supplier"] == letter]
        if own:
            forms[f"{day}_{letter}.txt"] = form_text(
                {
                    "Supplier": suppliers[letter]["name"],
                    "Items": "; ".join(f"{item} x {packs[item]}" for item in own),
                    "Total": total,
                    "Arrives": max(arrives[item] for item in own),
                    "Signs": signs(total),
                }
            )
    return forms


def lot_row(
    stream: Any, item: str, goods: Mapping[str, Any], amount: int, expires: str, place: str = ""
) -> tuple[Any, ...]:
    """A row of a count: item, a lot whose number is drawn, place, amount, unit and expiry.

    Args:
        stream: what the number is drawn from.
        item: its key, of which the lot has the first two letters.
        goods: its `unit`, and the `place` where it is kept.
        amount: in that unit.
        expires: an ISO date.
        place: where this lot stands, if it is not kept where the others are.
    """
    return (
        item,
        f"{item[:2].upper()}-{stream.integer(901, 999)}",
        place or goods["place"],
        amount,
        goods["unit"],
        expires,
    )


def form_text(fields: Mapping[str, object]) -> str:
    r"""A form with a line "Label: value" for each field.

    >>> form_text({"Supplier": "Nordreagens", "Total": 4150})
    'Supplier: Nordreagens\nTotal: 4150\n'
    """
    return "".join(f"{label}: {value}\n" for label, value in fields.items())


def forms_fit(evidence: Any, fees: Collection[int]) -> bool:
    """Whether there are new forms, and each fits the list; arguments as of `form_totals`."""
    return bool(form_totals(evidence, fees))


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
