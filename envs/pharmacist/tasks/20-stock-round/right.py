"""The shelves of June, the one pack of tips, and the order that is right for them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from pi_gym.authoring import (
    Change,
    File,
    Stream,
    added_lines,
    count_words,
    csv_text,
    send_calls,
)
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
STEPS = {
    "words": ("stops", "slows", "waits"), "numbers": ("P1", "P2", "P3"), "lights": ("red", "amber", "green"),
    None: ("high", "medium", "low"),
}  # fmt: skip
COVERS = (3, 4, 6)


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Counts with which covers, lots and the summer show."""
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
    late = stream.integer(210, 890)
    rows = [
        (item, f"{item[:2].upper()}-{stream.integer(901, 999)}",
         {"fridge": "K1", "freezer -20": "F3"}.get(goods[item]["kept"], goods[item]["kept"]), amount,
         goods[item]["unit"], "2027-03-31")
        for item, amount in there.items() if amount
    ]  # fmt: skip
    rows += [("qmix", f"QM-{late}", "F3", 12 * use["qmix"], "reaction", "2026-06-14")]
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
        "use": use, "there": there, "late": 12 * use["qmix"], "lot": late,
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
    price = {item: one["price"] for item, one in world.goods.items()}
    there = dict(world.there) | {"rnakit": 2 * 50}
    there["qmix"] += 0 if wishes.short_dated else world.late
    packs, steps = {}, {}
    for item, one in world.goods.items():
        if item == "tips":
            packs[item], steps[item] = 1, 1
            continue
        comes = _comes(one)
        until = comes + timedelta(weeks=wishes.cover_weeks or 8)
        if wishes.summer and one["kept"] == "fridge":
            until = min(until, SUMMER)
        days = [FIRST_RUN + timedelta(days=7 * week) for week in range(9)]
        packs[item] = shelf.packs_needed(world.use[item] * sum(day < until for day in days), there[item], one["units"])
        out = shelf.runs_out([(day, world.use[item]) for day in days], there[item])
        steps[item] = 2 if out is None or out >= comes + timedelta(weeks=2) else 0 if out < comes else 1
    if wishes.frozen:
        packs["fbscs"] = 0
    totals = {}
    for letter in "CKNP":
        own = [item for item, one in world.goods.items() if one["supplier"] == letter]
        totals[letter] = sum(packs[item] * price[item] for item in own)
        if 0 < totals[letter] < world.suppliers[letter]["least"]:
            if wishes.below_min == "pull":
                rest = sorted((one for one in own if not packs[one]), key=lambda one: there[one] / world.use[one])
                while rest and totals[letter] < world.suppliers[letter]["least"]:
                    packs[rest[0]] = 1
                    totals[letter] += price[rest.pop(0)]
            elif wishes.below_min == "wait" and all(steps[item] for item in own if packs[item]):
                packs |= dict.fromkeys(own, 0)
                totals[letter] = 0
            else:
                totals[letter] += world.suppliers[letter]["fee"]
    goes = USED | {"tips": wishes.first_project or "degrader+service+topical"}
    bought = [item for item in world.goods if packs[item]]
    rows = [
        (item, world.suppliers[world.goods[item]["supplier"]]["name"], packs[item], packs[item] * price[item],
         STEPS[wishes.priority_words][steps[item]], goes[item])
        for item in bought
    ]  # fmt: skip
    forms, door = {}, ""
    for letter, total in totals.items():
        own = [item for item in bought if world.goods[item]["supplier"] == letter]
        if own:
            name, comes = world.suppliers[letter]["name"], max(_comes(world.goods[item]) for item in own)
            door += f"{comes} {name}\n"
            forms[f"{DAY}_{letter}.txt"] = shelf.form_text(
                {"Supplier": name, "Items": "; ".join(f"{one} x {packs[one]}" for one in own), "Total": total,
                 "Arrives": comes, "Signs": "Ingebjorg Aalen" if total <= 15000 else "Henrike Vossberg"}
            )  # fmt: skip
    second = [who for project, who in WHO.items() if project != wishes.first_project]
    hear = second if wishes.tell_stop == "owner" else HEARS[wishes.tell_stop]
    old = "rnakit,2,2026-06-15,Nordreagens\n"
    return {
        "list": File(f"{DAY}.csv", csv_text(["item", "supplier", "packs", "cost", "priority", "goes to"], rows)),
        "forms": forms,
        "stop": {
            "to": [f"{one}@brygge-lab.example" for one in hear], "subject": "Filter tips",
            "body": "There is one pack of filter tips until August, so what else needs them on 17 June stops.",
        },
        "on_way": Change({old: f"rnakit,1,2026-06-15,Nordreagens\nrnakit,1,{wishes.open_order},Nordreagens\n"})
        if wishes.open_order
        else None,
        "log": Change(append=f"- {DAY}: stock round, list and forms are with Ingebjorg (MT)\n"),
        "door": Change(append=door) if wishes.door_list else None,
        "total": sum(totals.values()),
    }  # fmt: skip


def tell(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """The one mail on what stops."""
    return send_calls(right(world, wishes)["stop"])


def check_told(evidence: Any) -> bool:
    """A reply that is no book speaks of the tips, whatever was seen to after it."""
    return any("tip" in text.lower() and count_words(text) <= 500 for text in evidence.replies)


def check_logged(evidence: Any) -> bool:
    """The log of what runs by itself has one new line."""
    return len(added_lines(evidence, "routine/log.md")) == 1


def check_sums(evidence: Any) -> bool:
    """Each form comes to what the list has for its supplier, or to that and a fee."""
    return bool(shelf.form_totals(evidence, (15_000, 25_000, 39_000, 45_000)))
