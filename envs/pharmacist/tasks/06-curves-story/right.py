"""Three studies in figures: curves, numbers at risk, what is wrong in them, and the story that is right."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pi_gym.authoring import Stream, attempts, csv_text, fixed, markdown_table, see_to

FIGURES = "evidence/club/figures/"
HEADS = ("point", "study", "says", "figure", "interval", "sure")
STUDY = {
    "population": "SKUA-R", "at-risk": "FULMAR-1", "survival": "FULMAR-1", "metastasis": "FULMAR-2",
    "year-one": "FULMAR-2", "routine": "SKUA-R", "rash": "FULMAR-2",
}  # fmt: skip
PARTS = {"men": ("population", "at-risk"), "good": ("survival", "metastasis", "year-one", "routine"), "harm": ("rash",)}
ORDERS = {
    None: ("good", "men", "harm"), "harm": ("harm", "good", "men"), "benefit": ("good", "harm", "men"),
    "people": ("men", "good", "harm"),
}  # fmt: skip
MIXED = {"survival": "months", "metastasis": "nnt", "routine": "hr"}
# Points of older stories by the part that they belong to.
OLDER = {
    "eider": {
        "harm": ["| itch | One in nine itched. | 11 % |"], "good": ["| sleep | Half an hour more. | 31 min |"],
        "men": ["| women | Women of two towns. | 188 |"],
    },
    "teal": {
        "good": ["| walk | They walked further. | 40 m |", "| work | Back to work a week earlier. | 7 d |"],
        "men": ["| people | From nine wards. | 402 |"], "harm": ["| bleeding | Two bleeds in a hundred. | 2.1 % |"],
    },
    "smew": {
        "men": ["| people | Young, and few. | 77 |"], "harm": ["| nausea | A third felt sick. | 34 % |"],
        "good": ["| fever | A day less of it. | 1.2 d |"],
    },
}  # fmt: skip


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw numbers at risk, a cohort whose curves cross and how many had a rash; the rest is the trials' own."""
    trials = preferences.shared["trials"]
    survival, metastasis = trials["effects"]["OS"]["randomised"], trials["effects"]["MFS"]["randomised"]
    interim = trials["interim"]["randomised"]
    for _ in attempts():
        risk = {"interim": _at_risk(stream, interim, 24), "final": _at_risk(stream, survival, 60)}
        cohort = _cohort(stream)
        if len({row[month] for row in risk.values() for month in (18, 24)}) == 4:
            break
    effects = {"survival": survival, "interim": interim, "metastasis": metastasis, "routine": cohort["effect"]}
    year = [fixed(one, 1) for one in reversed(metastasis["free"][12])]
    facts = {
        "effects": effects, "men": 1340, "year": year, "at_risk": risk,
        "rash": [stream.integer(121, 189) / 10, stream.integer(31, 69) / 10],
        "risk": {"right": risk["final"][24], "wrong": risk["final"][18], "interim": risk["interim"]},
        "older": {name: {how: _older(points, how) for how in ORDERS if how} for name, points in OLDER.items()},
    }  # fmt: skip
    return facts, {FIGURES + "fig3.csv": csv_text(["month", "newer", "older"], cohort["curve"])}


def _at_risk(stream: Stream, effect: Mapping[str, Any], followed: int) -> dict[int, int]:
    """Men on velorutamide who are alive and still watched, by month."""
    found, n = {}, 506
    for month, (free, _) in effect["free"].items():
        watched = max(0.0, 1 - 0.5 * (month / followed) ** 3)
        n = min(n, max(0, round(506 * free / 100 * watched) - (stream.integer(0, 3) if month else 0)))
        found[month] = n
    return found


def _cohort(stream: Stream) -> dict[str, Any]:
    """Curves of which the newer agents' lies below up to some month, and above from then on."""
    cross, median = stream.integer(5, 8) + 0.5, stream.integer(150, 175) / 10
    early, late = stream.integer(26, 34) / 100, stream.integer(34, 44) / 100
    curve = []
    for month in range(37):
        older = 0.5 ** (month / median)
        times = 1 + early * (1 - month / cross) if month < cross else 1 - late * (1 - cross / month)
        curve.append((month, fixed(100 * older**times, 1), fixed(100 * older, 1)))
    newer = next(month for month, one, _ in curve if float(one) < 50)
    needed = math.ceil(100 / (float(curve[24][1]) - float(curve[24][2])) - 1e-6)
    hazard = [fixed(one - late, 2) for one in (1.2, 1.09, 1.33)]
    effect = {
        "hazard": hazard, "medians": (float(newer), median), "hr": (hazard[0], " to ".join(hazard[1:])),
        "months": (f"{fixed(newer - median, 1)} months", "-"), "nnt": (str(needed), "-"),
    }  # fmt: skip
    return {"effect": effect, "curve": curve}


def _older(points: Mapping[str, Sequence[str]], how: str) -> str:
    return "".join(f"{line}\n" for part in ORDERS[how] for line in points[part])


# -- the right story -------------------------------------------------------------------------------------------------


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The story, and the pages that it shows to be wrong. Who knows nothing takes what is printed."""
    effects = world.effects | ({} if wishes.cut_off else {"survival": world.effects["interim"]})
    risk = {24: world.risk["right"], 18: world.risk["wrong"]} if wishes.cut_off else world.risk["interim"]
    rows, trials = [], world.shared.trials
    for point in [point for part in ORDERS[wishes.story_order] for point in PARTS[part]]:
        study = STUDY[point]
        called = trials["named"][study][wishes.study_name or "mixed"]
        figure, interval = _figure(world, wishes, effects, risk, point)
        sure = trials["quality"][study]["sure"][wishes.certainty or "counted"] if point not in PARTS["men"] else "-"
        rows.append([point, called, SAYS[point], figure, interval, sure])
    wrong, mended = world.year
    old, new = str(world.risk["wrong"]), str(world.risk["right"])
    note = "SKUA-R's curves cross, so there is no single effect to tell.\n"
    story = f"# The story for 21 May\n\n{markdown_table(HEADS, rows)}"
    return {
        "story": story,
        "slides": see_to("mended" if wishes.slide else None, f"{wrong} %", f"{mended} %"),
        "faq": see_to("mended" if wishes.faq else None, old, new, around="{} men on"),
        "annelise": note if wishes.annelise_note else None,
    }


SAYS = {
    "population": "SKUA-R took every man who began in routine care.",
    "at-risk": "This is what the right end of the first curve rests on.",
    "survival": "Men lived longer with velorutamide on top.",
    "metastasis": "Metastases came later with it.",
    "year-one": "After a year most men on velorutamide have none.",
    "routine": "How long men stay on treatment differs early and late.",
    "rash": "A rash is what the skin clinic will see.",
}


def _figure(world: Any, wishes: Any, effects: Any, risk: Any, point: str) -> tuple[str, str]:
    """A point's number and its interval."""
    counts = {
        "population": str(world.men), "rash": f"{world.rash[0]} %", "at-risk": str(risk[24 if wishes.at_risk else 18]),
        "year-one": f"{world.year[1 if wishes.legend else 0]} %",
    }  # fmt: skip
    if point in counts:
        return counts[point], "-"
    if point == "routine" and wishes.crossing:
        return "none", "-"
    figure, interval = effects[point][wishes.effect_form or MIXED[point]]
    reached = wishes.cut_off or point != "survival" or not figure.endswith("months")
    return (figure, interval) if reached else ("not reached", "-")
