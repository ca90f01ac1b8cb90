"""The laboratory's calendar, its shelves, and the order that is right for them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from itertools import combinations
from operator import ne
from typing import Any

from pi_gym.authoring import File, Stream, attempts, csv_text, messages, see_to
from pi_gym.authoring import stock as shelf

TODAY, ETHANOL_RUN = date(2026, 5, 8), date(2026, 5, 13)
SHUT = {date(2026, 5, 14), date(2026, 5, 15), date(2026, 5, 25)}
COVERS = (3, 4, 6)
# What runs each week: weekday, project, what, and the items that it uses.
RUNS = (
    (1, "service", "RNA of the week", ("rnakit", "rtmix")),
    (1, "degrader", "blot", ("ecl",)),
    (2, "degrader", "passage and seed", ("rpmi", "fbs", "trypsin")),
    (2, "degrader", "viability", ("wst8", "fbscs", "dmso", "plate96", "tips")),
    (2, "service", "qPCR of the week", ("qmix", "qplate")),
    (2, "topical", "diffusion run", ("membrane", "ethanol", "pg", "carbomer", "phosph", "tips")),
)
SAME = ("fbs", "fbscs", "tips", "ethanol", "dmso", "phosph", "ecl")  # one pack under every cover
OPEN = ("rpmi", "trypsin", "wst8", "rnakit", "rtmix")  # packs depend on the cover
# Per cent of a pack that a week uses.
SHARES = {"fbs": (5, 9), "carbomer": (2, 4), "phosph": (2, 4)}
FEES = (15_000, 25_000, 39_000, 45_000)


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw counts and uses for which each cover, lot, price and mail shows in the order."""
    stock = preferences.shared.stock
    for _ in attempts():
        drawn = {item: _shelf(stream, item, stock[item]["units"]) for *_, items in RUNS for item in items}
        uses, there = ({item: pair[place] for item, pair in drawn.items()} for place in (0, 1))
        if _is_apart(there, uses, stock):
            break
    facts = {
        "uses": uses, "there": there,
        "bottle": stream.choice((2090, 2150, 2190)), "new_number": stream.integer(1000, 9999),
        "on_way": 2 * stock["qmix"]["units"],
    }  # fmt: skip
    counted = []
    for item, one in stock.items():
        amount = there.get(item, one["units"] // 2 or 1)
        part = amount // 3 if amount > 20 else 0
        counted.append(shelf.lot_row(stream, item, one, amount - part, "2027-03-31"))
        if part:
            counted.append((item, f"{item[:2].upper()}-188", one["place"], part, one["unit"], "2026-12-31"))
    lines = [
        (day, project, what, "; ".join(f"{item}:{_share(uses, item)}" for item in items), "planned")
        for day, project, what, items in _runs()
    ]
    facts["stopped"] = f"{ETHANOL_RUN},topical,diffusion run,"
    facts["stopped_uses"] = next(line[3] for line in lines if line[0] == ETHANOL_RUN and line[1] == "topical")
    return facts, {
        "orders/stock.csv": csv_text(["item", "lot", "place", "counted", "unit", "expires"], counted),
        "bench/calendar.csv": csv_text(["day", "project", "what", "uses", "state"], lines),
    }


def _runs() -> list[tuple[date, str, str, tuple[str, ...]]]:
    monday = date(2026, 5, 11)
    return [
        (monday + timedelta(days=7 * week + weekday), project, what, items)
        for week in range(7)
        for weekday, project, what, items in RUNS
    ]


def _share(uses: Mapping[str, int], item: str) -> int:
    """The amount of an item in one run; two runs share the tips of a week."""
    return uses[item] // 2 if item == "tips" else uses[item]


def _shelf(stream: Stream, item: str, units: int) -> tuple[int, int]:
    """The use of an item a week, and the amount that is there."""
    for _ in attempts():
        share = stream.integer(*SHARES.get(item, (45, 60) if item in OPEN else (16, 28)))
        use = 2 if item == "tips" else round(units * share / 100)
        least, most = 7 * use, 10 * use
        if item in OPEN:
            least, most = use, 2 * units
        elif item == "ethanol":  # it comes a week later, so a cover of three weeks has four uses
            least, most = max(1, 7 * use - units), use - 1
        elif item == "qmix" or item in SAME:
            least, most = max((2 if item == "tips" else 1) * use, 6 * use - units), 3 * use - 1
        if least > most:
            continue
        there = stream.integer(least, most)
        packs = [-(-max(0, count * use - there) // units) for count in COVERS]
        if item not in OPEN or packs in ([1, 2, 3], [1, 2, 4], [2, 3, 4]):
            break
    return use, there


def _is_apart(there: Mapping[str, int], uses: Mapping[str, int], stock: Mapping[str, Any]) -> bool:
    """Whether covers differ in two items, and it is plain which of Plastdepotet's goods would have to come next."""
    packs = {
        weeks: [-(-max(0, weeks * uses[item] - there[item]) // stock[item]["units"]) for item in OPEN]
        for weeks in (*COVERS, 5)
    }
    differ = (sum(map(ne, one, other)) for one, other in combinations(packs.values(), 2))
    last = sorted(there[item] / uses[item] for item in ("plate96", "qplate", "membrane"))
    return min(differ) >= 2 and last[1] - last[0] > 0.5


# -- the right order -------------------------------------------------------------------------------------------------


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The list, the forms and what they leave on the bench. Who knows nothing goes by RULES.md, for five weeks."""
    goods = {item: {**world.shared.stock[item]} for item in world.uses}
    if wishes.new_number:
        goods["wst8"] |= {"price": world.bottle, "units": 500}
    there = dict(world.there)
    there["qmix"] += world.on_way if wishes.on_the_way else 0
    days = {item: _arrival(one, wishes) for item, one in goods.items()}
    cover = timedelta(weeks=wishes.cover_weeks or 5)
    needed, steps = {}, {}
    for item, one in goods.items():
        uses = _uses(world, item)
        used = sum(amount for day, amount in uses if day < days[item] + cover)
        needed[item] = shelf.packs_needed(used, there[item], one["units"])
        steps[item] = shelf.urgency(shelf.runs_out(uses, there[item]), days[item], 13)
    lasts = {item: there[item] / world.uses[item] for item in goods}
    must = [item for item, step in steps.items() if step == 0]
    packs, totals = shelf.meet_least(needed, goods, world.shared.suppliers, lasts, must, wishes.below_min)
    words = world.shared.words["priority"][wishes.priority_words or ""]
    goes = {item: "+".join(sorted({project for _, project, _, items in RUNS if item in items})) for item in goods}
    priority = {item: words[step] for item, step in steps.items()}
    line, slot = f"{world.stopped}{world.stopped_uses},", "2026-05-13,H1,09:00,16:00,"
    mail = {
        "to": "ketil.brunstad@eidsund-hospital.example", "subject": "Wednesday",
        "body": "The diffusion run of Wednesday is off: the ethanol is not here before the 18th.",
    }  # fmt: skip
    return {
        "list": File(f"{TODAY}.csv", shelf.order_list(packs, goods, world.shared.suppliers, priority, goes)),
        "forms": shelf.order_forms(
            TODAY, packs, totals, goods, world.shared.suppliers, days, lambda total: _signs(total, wishes.signer)
        ),
        "calendar": see_to("mended" if wishes.stopped_line else None, "planned", "held", around=f"{line}{{}}\n"),
        "bookings": see_to("mended" if wishes.hood_slot else None, "Amina", "free", around=f"{slot}{{}}\n"),
        "ketil": mail if wishes.ketil else None,
        "total": sum(totals.values()),
        "pavel": csv_text(["item", "packs"], [("rpmi", 4), ("fbs", 2), ("tips", 3), ("pklk3", 1), ("qmix", 3)]),
    }


def _arrival(one: Mapping[str, Any], wishes: Any) -> date:
    """The day on which an item arrives that is ordered today before the hour."""
    cold = one["supplier"] == "N" and one["kept"] != "room"
    tuesday = one["supplier"] == "C" or (one["kept"] == "flammables" and wishes.hazard_day)
    leaves = (1,) if tuesday else (0, 1, 2) if cold else range(5)
    return shelf.arrival(TODAY, leaves, {"N": 1, "C": 1, "K": 2, "O": 4, "P": 2}[one["supplier"]], SHUT, cold=cold)


def _uses(world: Any, item: str) -> list[tuple[date, int]]:
    """What the calendar uses of an item, by day."""
    return [(day, _share(world.uses, item)) for day, _, _, items in _runs() if item in items]


def _signs(total: int, limit: int | None) -> str:
    if total <= (limit or 5000):
        return "Ingebjorg Aalen"
    return "Oddvar Lillebo" if limit else "Henrike Vossberg"


def check_sums(evidence: Any) -> bool:
    """Each form comes to what the list has for its supplier, or to that and a fee; the last word has the sum of all."""
    totals = shelf.form_totals(evidence, FEES)
    return bool(totals) and messages.reply_tells(evidence, {"": sum(totals.values())})
