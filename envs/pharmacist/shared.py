"""What several of Mairead's sessions must agree on, a function for each domain."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

#: A study by its acronym, by first author and year, and by its register number.
STUDIES = {
    "FULMAR-1": ("Hallgrim 2024", "NSR-2021-0114"),
    "FULMAR-2": ("Okereke 2025", "NSR-2022-0347"),
    "PETREL": ("Sandell 2022", "NSR-2020-0288"),
    "SKUA-R": ("Mjelde 2025", "NSR-2023-0076"),
}
#: Endpoints by their hazard ratio in hundredths and the median of the placebo arm in tenths of months.
ENDPOINTS = {"OS": ((66, 73), (270, 300)), "PFS2": ((64, 72), (220, 250)), "MFS": ((54, 60), (125, 145))}
#: How sure one is, from the lowest step to the highest, in each way of writing it.
STEPS = {
    "words": ("very low", "low", "moderate", "high"), "plus": ("+", "++", "+++", "++++"),
    "letters": ("D", "C", "B", "A"), "counted": ("1 of 4", "2 of 4", "3 of 4", "4 of 4"),
}  # fmt: skip
SETS = ("randomised", "protocol", "treated")


def shared(stream: Any, preferences: Any) -> dict[str, Any]:
    """The figures of the trials, for 01, 06 and 15."""
    return {"trials": _trials(stream)}


# -- trials ----------------------------------------------------------------------------------------------------------


def _trials(stream: Any) -> dict[str, Any]:
    """Effects of FULMAR-1 (OS, PFS2) and FULMAR-2 (MFS) by endpoint and analysis set, in each form."""
    while True:
        effects = {name: _endpoint(stream, *ranges) for name, ranges in ENDPOINTS.items()}
        if all(_are_apart(effects, form) for form in ("hr", "months", "nnt")):
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
        older = stream.integer(24, 39) if flaws[1] else stream.integer(2, 15)
        step = max(1, start - sum(flaws))
        sure = {name: steps[step - 1] for name, steps in STEPS.items()}
        found[study] = {"lost": lost / 10, "older": older / 10, "step": step, "sure": sure}
    return found


def _endpoint(stream: Any, hazard: tuple[int, int], median: tuple[int, int]) -> dict[str, Any]:
    at, control = stream.integer(*hazard), stream.integer(*median)
    # Who kept to the protocol gains a little more, who took it at all a little less than all who were drawn for it.
    gaps = {"randomised": 0, "protocol": -stream.integer(3, 5), "treated": stream.integer(3, 5)}
    return {
        name: _effect((at + gap) / 100, control / 10 + stream.integer(-9, 9) / 10, stream.integer(110, 140) / 1000)
        for name, gap in gaps.items()
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
    found = {}
    for name in SETS:
        hazard = round(float(final[name]["hazard"][0]) - stream.integer(3, 6) / 100, 2)
        found[name] = _effect(hazard, final[name]["medians"][1] + stream.integer(4, 11) / 10, 0.16)
    return found


def _are_apart(effects: Mapping[str, Any], form: str) -> bool:
    """Whether each two sets have other figures in a form, for survival and one endpoint more, none mistakable."""
    for one, other in (("randomised", "protocol"), ("randomised", "treated"), ("protocol", "treated")):
        apart = {name: effects[name][one][form] != effects[name][other][form] for name in ENDPOINTS}
        if not (apart["OS"] and sum(apart.values()) > 1):
            return False
    return all(
        0.03 < effect["needed"] % 1 < 0.97 and abs(float(effect["months"][0].split()[0]) - int(effect["nnt"][0])) > 0.6
        for by_set in effects.values()
        for effect in by_set.values()
    )
