"""The shelves of June, the one pack of tips, and the order that is right for them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from pi_gym.authoring import Change, File, Stream, csv_text, see_to
from pi_gym.authoring import stock as shelf

DAY, FIRST_RUN, SUMMER = date(2026, 6, 12), date(2026, 6, 17), date(2026, 6, 29)
RUNS = {
    "passage and seed": ("degrader", ("rpmi", "fbs", "fbscs", "trypsin")),
    "blot": ("degrader", ("ecl",)),
    "RNA and RT": ("service", ("rnakit", "rtmix", "qmix")),
    "viability": ("service", ("plate96",)),
    "gel": ("topical", ("pg", "dmso", "carbomer")),
}
USED = {item: project for project, items in RUNS.values() for item in items}
OPEN, FRIDGE, ONE = ("trypsin", "rtmix", "plate96"), ("rpmi", "ecl"), ("fbs", "fbscs", "pg")
NEXT = ("dmso", "carbomer")  # what Kjemihandel would have to bring next
SHARES = {"fbs": 5, "carbomer": 3}  # per cent of a pack that a week uses, where that is not 22
COMES = {"C": date(2026, 6, 17), "K": date(2026, 6, 16), "P": date(2026, 6, 16)}
WHO = {"service": "pavel.novotny", "degrader": "siri.kvamme", "topical": "amina.yusuf"}
HEARS = {"head": ["henrike.vossberg"], "keeper": ["ingebjorg.aalen"], None: ["henrike.vossberg", "ingebjorg.aalen"]}


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Counts with which covers and the summer show."""
    goods = {item: dict(preferences.shared.stock[item]) for item in (*USED, "tips")}
    use, there = {}, {}
    for item in USED:
        units = goods[item]["units"]
        share = stream.integer(46, 58) if item in OPEN else SHARES.get(item, 22)
        use[item] = max(1, round(units * share / 100))
        there[item] = {"rnakit": 0, "qmix": 0}.get(item, 2 * use[item] + use[item] // 2)
        if item in ONE:
            there[item] = use[item] + use[item] // 2
        elif item in FRIDGE:
            there[item] = 2 * use[item]
        elif item in OPEN:
            there[item] = use[item] + use[item] // 3
        elif item in NEXT:
            there[item] = (9 if item == "dmso" else 12) * use[item]
    nearer = stream.choice(NEXT)
    there[nearer] = 8 * use[nearer]
    rows = [shelf.lot_row(stream, item, goods[item], amount, "2027-03-31") for item, amount in there.items() if amount]
    totals: dict[str, int] = {}
    for item, _, _, amount, *_ in rows:
        totals[item] = totals.get(item, 0) + amount
    weeks = [FIRST_RUN + timedelta(days=7 * week) for week in range(9)]
    lines = [
        (day, project, what, "; ".join(f"{item}:{use[item]}" for item in items), "planned")
        for day in weeks
        for what, (project, items) in RUNS.items()
    ]
    lines += [(date(2026, 6, 17), project, "pipetting week", "tips:10", "planned") for project in WHO]
    return {
        "goods": goods, "suppliers": {key: dict(one) for key, one in preferences.shared.suppliers.items()},
        "use": use, "there": there, "second": str(date(2026, 6, stream.integer(23, 25))),
        "printed": "".join(f"{item} {amount}\n" for item, amount in sorted(totals.items())),
    }, {
        "orders/stock.csv": csv_text(["item", "lot", "place", "counted", "unit", "expires"], rows),
        "bench/calendar.csv": csv_text(["day", "project", "what", "uses", "state"], sorted(lines)),
    }  # fmt: skip


def _comes(one: Mapping[str, Any]) -> date:
    if one["supplier"] == "N":
        return date(2026, 6, 15) if one["kept"] == "room" else date(2026, 6, 16)
    return COMES[one["supplier"]]


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """List, forms, mail and pages. Who knows nothing goes by RULES.md, for eight weeks."""
    there = dict(world.there) | {"rnakit": 2 * 50}
    days = [FIRST_RUN + timedelta(days=7 * week) for week in range(9)]
    comes = {item: _comes(one) for item, one in world.goods.items()}
    needed, steps = {}, {"tips": 1}
    for item, one in world.goods.items():
        if item in world.use:
            until = comes[item] + timedelta(weeks=wishes.cover_weeks or 8)
            if wishes.summer and one["kept"] == "fridge":
                until = min(until, SUMMER)
            use = world.use[item]
            needed[item] = shelf.packs_needed(use * sum(day < until for day in days), there[item], one["units"])
            out = shelf.runs_out([(day, use) for day in days], there[item])
            steps[item] = 2 if out is None or out >= comes[item] + timedelta(weeks=2) else 0 if out < comes[item] else 1
    needed |= {"fbscs": 0 if wishes.frozen else needed["fbscs"], "tips": 1}
    suppliers = {letter: world.suppliers[letter] for letter in "CKNP"}
    lasts = {item: there[item] / use for item, use in world.use.items()}
    must = [item for item, step in steps.items() if step == 0]
    packs, totals = shelf.meet_least(needed, world.goods, suppliers, lasts, must, wishes.below_min)
    words = world.shared.words["priority"][wishes.priority_words or ""]
    priority = {item: words[step] for item, step in steps.items()}
    goes = USED | {"tips": wishes.first_project or "degrader+service+topical"}
    forms = shelf.order_forms(
        DAY, packs, totals, world.goods, suppliers, comes,
        lambda total: "Ingebjorg Aalen" if total <= 15000 else "Henrike Vossberg",
    )  # fmt: skip
    second = [who for project, who in WHO.items() if project != wishes.first_project]
    hear = second if wishes.tell_stop == "owner" else HEARS[wishes.tell_stop]
    word = f"Only one of the two RNA kits comes on Monday. The second comes on {world.second}."
    return {
        "list": File(f"{DAY}.csv", shelf.order_list(packs, world.goods, suppliers, priority, goes)),
        "forms": forms,
        "stop": {
            "to": [f"{one}@brygge-lab.example" for one in hear], "subject": "Filter tips",
            "body": "There is one pack of filter tips until August, so what else needs them on 17 June stops.",
        },
        "ketil": {"to": "ketil.brunstad@eidsund-hospital.example", "subject": "Monday at the quay", "body": word}
        if wishes.ketil
        else None,
        "log": Change(append=f"- {DAY}: stock round, list and forms are with Ingebjorg (MT)\n"),
        "door": see_to("mended" if wishes.door_list else None, "two parcels", "one parcel"),
        "tips": see_to("mended" if wishes.tips_sheet else None, "five packs", "one pack, the only one until August,"),
        "total": sum(totals.values()),
    }  # fmt: skip
