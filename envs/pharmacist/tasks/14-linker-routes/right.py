"""Three linkers and three routes on paper, and the page that Luca begins from."""

from __future__ import annotations

import math
from datetime import date
from typing import Any

from pi_gym.authoring import (
    Change,
    File,
    Stream,
    attempts,
    csv_text,
    fixed,
    markdown_table,
    measures,
    new_text,
    own_choices,
)

AR_ACID, PARTS = 405.4, {"VHL": ("VH-01", 430.6), "CRBN": ("CR-04", 316.3)}
LIGASES = {"ESD-114": "VHL", "ESD-121": "VHL", "ESD-127": "CRBN", "ESD-133": "CRBN"}
WATER = 18.015
LINKERS = {
    "L1": ("6-aminohexanoic acid", 131.17),
    "L2": ("amino-PEG2-acid", 177.20),
    "L3": ("3-(piperidin-4-yl)propanoic acid", 157.21),
}
SOLVENTS = {"dmf": "N,N-dimethylformamide", "dcm": "Dichloromethane"}


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw linkers of which each is first by something, and routes of which only one may be begun."""
    panel = preferences.shared["degraders"]
    keys = stream.shuffled(list(LINKERS))
    dc50 = dict(zip(keys, (stream.uniform(2, 4), stream.uniform(6, 9), stream.uniform(13, 20)), strict=True))
    dmax = dict(zip(keys[1:] + keys[:1], (stream.uniform(92, 95), stream.uniform(84, 88), 76.5), strict=True))
    window = dict(zip(keys[2:] + keys[:2], (stream.uniform(420, 700), stream.uniform(150, 260), 64.2), strict=True))
    assumed = stream.choice(keys)
    linkers = [
        (
            key, name, mass, fixed(dc50[key], 1), fixed(dmax[key], 1), fixed(window[key], 1),
            "supposed, no pair was made" if key == assumed else f"computed from {stream.integer(3, 9)} matched pairs",
        )
        for key, (name, mass) in LINKERS.items()
    ]  # fmt: skip
    for _ in attempts():
        # By letter: reagent, solvent, equivalents, yields of the sheet, yields of now.
        letters = stream.shuffled("ABC")
        azide, missing, good = letters
        routes, now, overall = {}, {}, {}
        for letter, steps in ((azide, 4), (missing, 5), (good, 5)):
            routes[letter] = [stream.integer(70, 92) for _ in range(steps)]
            now[letter] = list(routes[letter])
            for step in stream.sample(range(steps), 2 if letter != azide else 1):
                now[letter][step] -= stream.integer(*((9, 20) if letter != azide else (5, 9)))
            overall[letter] = [100 * math.prod(one / 100 for one in yields) for yields in (routes[letter], now[letter])]
        before, after = ([overall[letter][one] for letter in letters] for one in (0, 1))
        # The barred routes are the better ones, whichever yields one takes, and whole per cents are clear.
        ranked = all(yields[0] > yields[1] + 3 > yields[2] + 6 for yields in (before, after))
        apart = {*map(round, before)}.isdisjoint(map(round, after))
        if ranked and apart and after[2] > 18 and all(abs(one % 1 - 0.5) > 0.05 for one in before + after):
            break
    solvents = dict(zip((missing, good), stream.shuffled(("dmf", "dcm")), strict=True)) | {azide: "dmf"}
    reagents = {azide: "sodium azide; Pd/C"}
    reagents |= {one: "HATU; DIPEA" if solvents[one] == "dmf" else "T3P 50 %; triethylamine" for one in (missing, good)}
    equivalents = {letter: fixed(1 + stream.integer(0, 5) / 10, 1) for letter in "ABC"}
    sheet = [
        (letter, step, f"step {step} of {len(routes[letter])}", percent)
        for letter in "ABC"
        for step, percent in enumerate(routes[letter], 1)
    ]
    rows = [(letter, reagents[letter], SOLVENTS[solvents[letter]], equivalents[letter]) for letter in "ABC"]
    here = stream.choice([date(2026, 6, day) for day in (2, 3, 4, 5)])
    window_of = panel["window"][panel["first"][preferences.persona.rank_by]]
    number = stream.choice((134, 136, 139, 141))
    facts = {
        "dc50": {key: round(dc50[key], 1) for key in LINKERS}, "dmax": dmax, "window": window, "assumed": assumed,
        "overall": overall, "azide": azide, "missing": missing, "good": good, "here": here.isoformat(),
        "out": reagents[missing].partition(";")[0], "routes": rows,
        "equivalents": {letter: float(one) for letter, one in equivalents.items()}, "number": number,
        "repeats": [
            f"route {letter}, step {step + 1}: {now[letter][step]} %"
            for letter in "ABC"
            for step in range(len(routes[letter]))
            if now[letter][step] != routes[letter][step]
        ],
        "panel": {by: (one, panel["window"][one], LIGASES[one]) for by, one in panel["first"].items()},
        "reagents": reagents, "target": _target(window_of),
        "about": {key: {"Dmax %": dmax[key]} for key in LINKERS},
    }  # fmt: skip
    return facts, {
        "degraders/routes/linkers.csv": csv_text(
            ["linker", "name", "g/mol", "DC50 nM", "Dmax %", "window", "from"], linkers
        ),
        "degraders/routes/steps-2025.csv": csv_text(["route", "step", "what", "yield %"], sheet),
    }


def _target(window: float) -> int:
    """The milligrams that the README asks for, by the window of the compound that goes on."""
    return 25 if window >= 100 else 40 if window >= 35 else 60


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The page, the day at the quay door, the card of the hood. Who knows nothing goes by the sheet of last year."""
    mark, by = wishes.assumed_mark, wishes.rank_by or "dc50"
    keys = {"dc50": world.dc50.get, "dmax": lambda key: -world.dmax[key], "window": lambda key: -world.window[key]}
    order = sorted(LINKERS, key=keys[by])
    route = world.good if wishes.no_azide and wishes.in_house else world.missing if wishes.no_azide else world.azide
    share = world.overall[route][1 if wishes.yields else 0]
    goes_on, window, ligase = world.panel[by]
    target = _target(window) if wishes.amount else 50
    product = AR_ACID + LINKERS[order[0]][1] + PARTS[ligase][1] - 2 * WATER

    def page(tag: bool, column: bool, section: bool, weight: float = world.equivalents[route]) -> str:
        rows, apart = [], ""
        for key in order:
            figures = [
                measures.written_potency(world.dc50[key], wishes.potency_unit),
                fixed(world.dmax[key], 1),
                fixed(world.window[key], 1),
            ]
            if key == world.assumed and section:
                apart = f"\n## Assumed\n\n- {key}: {', '.join(figures)}\n"
                figures = ["-"] * 3
            if key == world.assumed and tag:
                figures = [f"{figure} (assumed)" for figure in figures]
            rows.append([key, *figures, "assumed" if key == world.assumed else "computed"][: 5 if column else 4])
        head = ["linker", measures.POTENCY_HEADS[wishes.potency_unit], "Dmax %", "window", "basis"][
            : 5 if column else 4
        ]
        weigh_in = target / product / (share / 100) * AR_ACID * weight
        lines = {
            "goes on": goes_on, "linker": order[0], "route": route, "yield %": fixed(share, 0), "target mg": target,
            "weigh in mg": fixed(weigh_in, 1), "linker here": world.here if wishes.delivery else "2026-06-23",
        }  # fmt: skip
        below = "".join(f"{label}: {said}\n" for label, said in lines.items())
        return f"{markdown_table(head, rows)}\n{below}{apart}"

    due, here, card = "23 June: three linkers", f"{world.here[-1:]} June, confirmed: three linkers", "route {}, {} in "
    old, new = (card.format(one, world.reagents[one]) for one in (world.azide, world.good))
    return {
        "page": File("2026-05-26_screening.md", page(mark == "tag", mark == "column", mark == "section")),
        "door": Change({due: here}) if wishes.door_page else None,
        "hood": Change({old: new}) if wishes.hood_card else None,
        "henrike": File("for-henrike.txt", f"Professor Vossberg, it is {world.target} mg.\n")
        if wishes.henrike_word
        else None,
        "linker": order[0], "route": route,
        # Pages that ways.yaml plays.
        "no_equivalents": page(mark == "tag", mark == "column", mark == "section", weight=0.8),
        "unmarked": page(False, False, False),
    }  # fmt: skip


def check_weigh_in_follows(evidence: Any, overall: Any, equivalents: Any) -> bool:
    """What is weighed in is what the page's own compound, linker, route and target ask for, to three per cent."""
    said = own_choices.said_in_lines(new_text(evidence, "degraders/routes/", ".md"))
    try:
        linker, route = said["linker"][:2].upper(), said["route"][:1].upper()
        target, weighed = (float(said[label].split()[0]) for label in ("target mg", "weigh in mg"))
        product = AR_ACID + LINKERS[linker][1] + PARTS[LIGASES[said["goes on"][:7].upper()]][1] - 2 * WATER
        whole = [
            target / product / (share / 100) * AR_ACID * equivalents[route]
            for share in overall[route]
            if abs(share - float(said["yield %"].split()[0].rstrip("%"))) < 0.6
        ]
    except (KeyError, ValueError, IndexError):
        return False
    return any(abs(weighed / one - 1) < 0.03 for one in whole)
