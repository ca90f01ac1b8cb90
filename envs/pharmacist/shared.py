"""What several of Mairead's sessions must agree on, a function for each domain."""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Mapping
from operator import ne
from typing import Any

from pi_gym.authoring import attempts, keyed_rows

#: A study by its acronym, by first author and year, and by its register number.
STUDIES = {
    "FULMAR-1": ("Hallgrim 2024", "NSR-2021-0114"),
    "FULMAR-2": ("Okereke 2025", "NSR-2022-0347"),
    "PETREL": ("Sandell 2022", "NSR-2020-0288"),
    "SKUA-R": ("Mjelde 2025", "NSR-2023-0076"),
}
#: Endpoints by their hazard ratio in hundredths and the median of the placebo arm in tenths of months.
#: Last, half the width of the interval on the scale of logarithms, in thousandths, as so many events allow.
ENDPOINTS = {
    "OS": ((66, 73), (270, 300), (158, 166)), "PFS2": ((64, 72), (220, 250), (150, 160)),
    "MFS": ((54, 60), (125, 145), (180, 200)),
}  # fmt: skip
#: How sure one is, from the lowest step to the highest, in each way of writing it.
STEPS = {
    "words": ("very low", "low", "moderate", "high"), "plus": ("+", "++", "+++", "++++"),
    "letters": ("D", "C", "B", "A"), "counted": ("1 of 4", "2 of 4", "3 of 4", "4 of 4"),
}  # fmt: skip
#: Words of a lasting wish by its value, "" where it is not known: three steps, the first for what is best or most
#: urgent, or the head of a column.
WORDS = {
    "priority": {
        "words": ("stops", "slows", "waits"), "numbers": ("P1", "P2", "P3"), "lights": ("red", "amber", "green"),
        "": ("high", "medium", "low"),
    },
    "verdict": {
        "words": ("pass", "repeat", "void"), "lights": ("green", "amber", "red"), "letters": ("A", "B", "C"),
        "": ("ok", "check", "fail"),
    },
    "release": {
        "slope": "slope ug per cm2 per root h", "six": "ug per cm2 at 6 h", "flux": "flux ug per cm2 per h",
        "": "ug at 6 h",
    },
}  # fmt: skip
#: The fridge and the freezer in which the laboratory keeps what is to be kept so.
PLACES = {"fridge": "K1", "freezer -20": "F3"}
BOARD_DAYS = ("2024-09-18", "2025-02-12", "2025-09-10", "2025-11-05", "2026-03-11")
MAKERS = ("Ulvik 5", "Ulvik 10", "Dermalind", "Myrkrem", "Havsalve", "Lyngkrem")
ASKED = {"wool": "wool alcohols", "pg": "propylene glycol", "perfume": "perfume"}
DEGRADERS = ("ESD-114", "ESD-121", "ESD-127", "ESD-133")


def shared(stream: Any, preferences: Any) -> dict[str, Any]:
    """Draw each domain from a stream of its own."""
    stock = keyed_rows(preferences.data["stock.csv"])
    numbers = stream.child("numbers").sample(range(1000, 9999), len(stock))
    return {
        "stock": {
            key: {**one, "number": f"{one['supplier']}-{number}", "place": PLACES.get(str(one["kept"]), one["kept"])}
            for (key, one), number in zip(stock.items(), numbers, strict=True)
        },
        "suppliers": keyed_rows(preferences.data["suppliers.csv"]),
        "words": WORDS,
        "asked": ASKED,
        "trials": _trials(stream.child("trials")),
        "pathway": _pathway(stream.child("pathway"), preferences.data["pathway.csv"]),
        "products": _products(stream.child("products")),
        "degraders": _degraders(stream.child("degraders")),
    }


# -- trials ----------------------------------------------------------------------------------------------------------


def _trials(stream: Any) -> dict[str, Any]:
    """Effects of FULMAR-1 (OS, PFS2) and FULMAR-2 (MFS) by endpoint and analysis set, in each form."""
    for _ in attempts():
        effects = {name: _endpoint(stream, *ranges) for name, ranges in ENDPOINTS.items()}
        # Two endpoints of one study with the same ratio would look like a slip.
        hazards = [[one["hazard"][0] for one in effects[name].values()] for name in ("OS", "PFS2")]
        if all(map(ne, *hazards)) and all(_are_apart(effects, form) for form in ("hr", "months", "nnt")):
            break
    named = {
        acronym: {"acronym": acronym, "author": author, "register": register, "mixed": f"{acronym}, {author}"}
        for acronym, (author, register) in STUDIES.items()
    }
    return {
        "named": named, "effects": effects, "interim": _interim(stream, effects["OS"]), "quality": _quality(stream),
    }  # fmt: skip


def _quality(stream: Any) -> dict[str, dict[str, Any]]:
    """What is weak in each study, and how sure one is of it for that, from 4 (high) to 1 (very low)."""
    found = {}
    for study, start in (("FULMAR-1", 4), ("FULMAR-2", 4), ("SKUA-R", 2)):
        flaws = [stream.choice((True, False)), stream.choice((True, False))]
        lost = stream.integer(111, 148) if flaws[0] else stream.integer(21, 89)
        against = stream.integer(24, 39) if flaws[1] else stream.integer(2, 15)
        step = max(1, start - sum(flaws))
        sure = {name: steps[step - 1] for name, steps in STEPS.items()}
        found[study] = {"lost": lost / 10, "against": against / 10, "step": step, "sure": sure}
    return found


def _endpoint(stream: Any, *ranges: tuple[int, int]) -> dict[str, Any]:
    at, control, half = (stream.integer(*one) for one in ranges)
    # Who kept to the protocol are fewer and gain a little more; who took it at all are nearly all who were randomised.
    gaps = {"randomised": (0, 0, 0), "protocol": (-stream.integer(3, 5), 9, 10), "treated": (1, 2, 5)}
    return {
        name: _effect((at + gap) / 100, (control + stream.integer(-apart, apart)) / 10, (half + wider) / 1000)
        for name, (gap, apart, wider) in gaps.items()
    }


def _effect(hazard: float, median: float, half: float) -> dict[str, Any]:
    """An effect by what its table has and what is reckoned from that; event-free shares in per cent, placebo second."""
    median = round(median, 1)
    placebo = {month: round(100 * 0.5 ** (month / median), 1) for month in range(0, 49, 6)}
    free = {month: (round(100 * (share / 100) ** hazard, 1), share) for month, share in placebo.items()}
    medians = (round(median / hazard, 1), median)
    needed, gained = 100 / (free[24][0] - free[24][1]), round(medians[0] - medians[1], 1)
    low, high = hazard * math.exp(-half), hazard * math.exp(half)
    return {
        "hazard": [f"{one:.2f}" for one in (hazard, low, high)], "medians": medians, "free": free, "needed": needed,
        # A figure and its interval, in each form.
        "hr": [f"{hazard:.2f}", f"{low:.2f} to {high:.2f}"], "months": [f"{gained:.1f} months", "-"],
        "nnt": [str(math.ceil(needed - 1e-6)), "-"],
    }  # fmt: skip


def _interim(stream: Any, final: Mapping[str, Any]) -> dict[str, Any]:
    """The effects on survival at the first cut-off, which were larger."""
    larger, longer = stream.integer(3, 6) / 100, stream.integer(4, 11) / 10
    return {
        name: _effect(round(float(one["hazard"][0]) - larger, 2), one["medians"][1] + longer, 0.2)
        for name, one in final.items()
    }


def _are_apart(effects: Mapping[str, Any], form: str) -> bool:
    """Whether each two sets have other figures in a form, for survival and one endpoint more, none mistakable."""
    for one, other in itertools.combinations(effects["OS"], 2):
        apart = {name: effects[name][one][form] != effects[name][other][form] for name in ENDPOINTS}
        if not (apart["OS"] and sum(apart.values()) > 1):
            return False
    return all(
        0.03 < effect["needed"] % 1 < 0.97 and abs(float(effect["months"][0].split()[0]) - int(effect["nnt"][0])) > 0.6
        for by_set in effects.values()
        for effect in by_set.values()
    )


def _pathway(stream: Any, table: str) -> dict[str, Any]:
    """The drugs of the map with what speaks for each, and which of them are on the house list, before May and after.

    What some wish speaks of passes every bar and stays on the list, so that the wish shows whatever the bar is.
    """
    drugs = {row["drug"]: dict(row) for row in csv.DictReader(table.splitlines(), delimiter=";")}
    listed, other = stream.shuffled(("apalutamide", "darolutamide"))
    # The board has carboplatin and not pembrolizumab; with two studies it is the other way round, with a trial neither.
    out = ["pembrolizumab", "lutetium-177 PSMA", stream.choice((other, "osteparib"))]
    branch = stream.choice(("before", "after"))
    drugs["radium-223"]["place"] = branch
    for name, drug in drugs.items():
        studies = str(drug["studies"]).split()
        drug["trial"] = any(one[0] == "3" for one in studies)
        drug["two"] = len({one[1] for one in studies if one[0] != "x"}) > 1
        day = BOARD_DAYS[-1] if drug["since"] == "2026" else stream.choice(BOARD_DAYS)
        drug["board"] = day if name not in out else ""
    # What has no authorisation as yet was in nobody's use two years ago.
    old, waits = stream.shuffled([one for one in out if one != "osteparib"])[:2]
    off = {other, "velorutamide", "osteparib", "lutetium-177 PSMA"}
    return {
        "drugs": drugs, "branch": branch, "old": old, "waits": waits, "gained": "velorutamide", "lost": listed,
        "off_before": sorted(off), "off": sorted(off - {"velorutamide"} | {listed}),
    }  # fmt: skip


def _products(stream: Any) -> dict[str, Any]:
    """Three have one thing each that may be unwanted, one of these is on the list, another is what the wards use.

    Of the others one is sold in cartons that became smaller, one is cheapest of all and not fully declared, one is
    cheapest by weight, and the pharmacy's own is cheapest by what it holds of urea.
    """
    has = dict(zip(ASKED, stream.sample(MAKERS, 3), strict=True))
    carton, gap, plain = stream.shuffled([name for name in MAKERS if name not in has.values()])
    old, wards = stream.sample(list(has.values()), 2)
    while {old, wards} == {"Ulvik 5", "Ulvik 10"}:  # which come in two orders by name
        old, wards = stream.sample(list(has.values()), 2)
    price = {name: stream.integer(3000, 3600) for name in has.values()} | {
        old: stream.integer(4400, 5200), carton: stream.integer(3000, 3400), gap: stream.integer(1500, 1700),
        plain: stream.integer(2350, 2600), "BL-00": stream.integer(3500, 3900),
    }  # fmt: skip
    label = {name: stream.integer(5, 7) for name in has.values()} | {
        old: 5, carton: stream.integer(6, 7), gap: stream.integer(10, 11), plain: stream.integer(3, 4),
        "BL-00": stream.integer(13, 15),
    }  # fmt: skip
    over = stream.sample([plain, *has.values()], 2)
    tubes = dict(zip((*has.values(), plain), stream.shuffled((100, 100, 250, 250)), strict=True))
    tubes |= {carton: 250, gap: 100, "BL-00": 250}
    said = {name: {key: "yes" if has[key] == name else "no" for key in ASKED} for name in (*MAKERS, "BL-00")}
    for name in (gap, has[stream.choice(tuple(ASKED))]):
        said[name][stream.choice([key for key in ASKED if has[key] != name])] = ""
    rows = {}
    for name, number in zip((*MAKERS, "BL-00"), stream.sample(range(20100, 20999), 7), strict=True):
        found = label[name] * (stream.integer(103, 108) if name in over else stream.integer(91, 97)) / 100
        rows[name] = {
            # In steps of 20 oere, so that with VAT, by the carton and per fingertip unit no half digit is left over.
            "number": str(number), "grams": tubes[name], "price": round(round(price[name] * tubes[name] / 2000) / 5, 1),
            "label": label[name], "found": round(found, 1), "has": said[name],
        }  # fmt: skip
    return {"rows": rows, "list": old, "wards": wards, "carton": carton, "gap": gap, "plain": plain, "has": has}


def _degraders(stream: Any) -> dict[str, Any]:
    """What the four compounds do, concentrations as those of pure compound, and who is first by what.

    DC50 is in nM, Dmax in per cent, the window without a unit. No two orders are one, the three firsts are three
    compounds, and the fourth is the lead of before.
    """
    for _ in attempts():
        orders = [stream.shuffled(DEGRADERS) for _ in range(3)]
        firsts = [order[0] for order in orders]
        lead = next((one for one in DEGRADERS if one not in firsts), "")
        # Whoever misreads a blot takes the second for the first, and that must not be the lead of before.
        if len(set(firsts)) == 3 and lead not in (orders[0][1], orders[1][1]) and orders[0][-1] != "ESD-133":
            break
    by_dc50, by_dmax, by_window = orders
    dc50, dmax, window = {}, {}, {}
    half, loss, wide = stream.uniform(4, 9), stream.uniform(92, 95), stream.uniform(400, 750)
    for place in range(len(DEGRADERS)):
        dc50[by_dc50[place]], dmax[by_dmax[place]] = round(half, 2), round(loss, 1)
        window[by_window[place]] = round(wide, 1)
        # Behind ESD-133 the next one follows so closely that as weighed, and not as pure, it is the other way round.
        half *= stream.uniform(1.13, 1.15) if by_dc50[place] == "ESD-133" else stream.uniform(1.8, 2.3)
        loss -= stream.uniform(6, 8)
        wide = stream.uniform(130, 200) if place == 0 else wide / stream.uniform(2.6, 3.2)
    return {
        "dc50": dc50, "dmax": dmax, "window": window, "lead": lead,
        "first": {"dc50": firsts[0], "dmax": firsts[1], "window": firsts[2]},
        "assumed": stream.choice(firsts[:2]),
        "hooked": stream.choice([one for one in ("ESD-114", "ESD-121") if one != lead]),
    }  # fmt: skip
