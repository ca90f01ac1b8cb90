"""Six blots, what is read from them, and which compound goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

from pi_gym.authoring import (
    Change,
    File,
    Stream,
    csv_text,
    curves,
    fixed,
    markdown_rows,
    markdown_table,
    measures,
    new_text,
    telling,
)

COMPOUNDS = ("ESD-114", "ESD-121", "ESD-127", "ESD-133")
PURITY = {"ESD-114": 0.972, "ESD-121": 0.958, "ESD-127": 0.984, "ESD-133": 0.784}
DOSES = (1, 3, 10, 30, 100, 300, 1000, 3000)
LOADINGS = ("total", "actin", "both")


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw blots that show what is shared of the compounds, and on which each way of reading gives other figures."""
    panel, p = preferences.shared.degraders, preferences.p
    for _ in telling.attempts():
        marred, spared = _marred(stream, panel)
        bands = {one: _bands(stream, panel, one, marred, spared) for one in COMPOUNDS}
        reckon = partial(_table, bands, panel, marred)
        tables: dict[str, Any] = telling.by_belief(reckon, LOADINGS, (True,), (True, False), (True, False))
        if _is_telling(tables, panel, marred[0]):
            break
    twins = {5: stream.uniform(11, 15), 6: stream.uniform(1.5, 4)}
    curves_of = {blot: _twin(stream, loss) for blot, loss in twins.items()}
    blots = [*bands.values(), *curves_of.values()]
    names = [*COMPOUNDS, "ESD-121n", "ESD-121n"]
    lanes = [
        (blot, lane, names[blot - 1], dose, fixed(ar, 0), fixed(actin, 0), fixed(total, 0))
        for blot, rows in enumerate(blots, 1)
        for lane, (dose, (ar, actin, total)) in enumerate(zip((0, *DOSES), rows, strict=True), 1)
    ]
    weighed = {one: panel["window"][one] * panel["dc50"][one] / PURITY[one] for one in COMPOUNDS} | {"ESD-121n": 8400}
    tables["half"] = {one: float(fixed(half, 0)) for one, half in weighed.items()}
    facts = {
        "tables": tables, "marred": (COMPOUNDS.index(marred[0]) + 1, marred[1] + 2), "lead": panel["lead"],
        "assumed": panel["assumed"], "firsts": [*panel["first"].values()],
        "twin": {str(blot): {how: 100 - min(_left(rows, how)) for how in LOADINGS} for blot, rows in curves_of.items()},
        "repeat": fixed(100 - twins[p.negative] + 0.4, 0),
        "about": {one: {"Dmax %": panel["dmax"][one]} for one in COMPOUNDS},
        "printed": "".join(f"{blot} {name} 9\n" for blot, name in enumerate(names, 1)),
    }  # fmt: skip
    heads = ["blot", "lane", "compound", "nM", "AR", "actin", "total"]
    return facts, {"degraders/panel/bands.csv": csv_text(heads, lanes)}


# -- the blots -------------------------------------------------------------------------------------------------------


def _marred(stream: Stream, panel: Any) -> tuple[tuple[str, int], float]:
    """The compound and the dose whose lane is marred, beside the half of the curve, and how much is left of it."""
    one = stream.choice([name for name in COMPOUNDS if name not in (panel["hooked"], panel["lead"], "ESD-133")])
    below = [place for place, dose in enumerate(DOSES) if dose * PURITY[one] < panel["dc50"][one]]
    return (one, stream.choice(below[-2:])), stream.uniform(0.4, 0.85)


def _bands(
    stream: Stream, panel: Any, one: str, marred: tuple[str, int], spared: float
) -> list[tuple[float, float, float]]:
    """Bands of a blot by lane, vehicle first, that read as the DC50 and the Dmax that are shared of the compound."""
    half, bottom = panel["dc50"][one] / PURITY[one], 100 - panel["dmax"][one]
    steep = stream.uniform(1.0, 1.3)
    middle, low = half, bottom
    keep = [place for place in range(len(DOSES)) if (one, place) != marred]
    for _ in range(12):
        left = [low + (100 - low) / (1 + (dose / middle) ** steep) for dose in DOSES]
        if one == panel["hooked"]:
            left[6:] = [left[5] + 16, left[5] + 31]
        found, down = _read([(DOSES[place], left[place]) for place in keep], True)
        middle, low = middle * half / (found or middle), low + bottom - (100 - down)
    # Under ESD-133 actin moves less, so that its impurity and actin are not taken for each other.
    drift = stream.choice((-1, 1)) * (0.08 if one == "ESD-133" else stream.uniform(0.15, 0.3))
    lanes = []
    for place, share in enumerate([100.0, *left]):
        load = stream.uniform(0.85, 1.15)
        actin = load * (1 + drift * place / len(DOSES)) * 41000
        ar = load * share * 620 * (spared if (one, place - 1) == marred else 1)
        lanes.append((ar, actin, load * 88000))
    return lanes


def _twin(stream: Stream, loss: float) -> list[tuple[float, float, float]]:
    """Bands of the twin, which falls a little with the dose, or hardly."""
    loads = [stream.uniform(0.85, 1.15) for _ in range(len(DOSES) + 1)]
    lefts = [100.0, *(100 - loss * (place + 1) / len(DOSES) for place in range(len(DOSES)))]
    return [
        (load * left * 620, load * 41000 * stream.uniform(0.985, 1.015), load * 88000)
        for load, left in zip(loads, lefts, strict=True)
    ]


def _left(rows: Sequence[tuple[float, float, float]], loading: str) -> list[float]:
    """Per cent of the vehicle lane that are left at each dose, of bands as the export has them."""
    whole = [tuple(round(band) for band in row) for row in rows]
    actin, total = ([row[place] / whole[0][place] for row in whole] for place in (1, 2))
    load = {"actin": actin, "total": total, "both": [(a + b) / 2 for a, b in zip(actin, total, strict=True)]}[loading]
    return [100 * row[0] / whole[0][0] / one for row, one in zip(whole[1:], load[1:], strict=True)]


def _read(points: Sequence[tuple[float, float]], hook: bool) -> tuple[float | None, float]:
    """DC50 as weighed in, and Dmax; without an eye for the hook the bottom is where the curve ends."""
    ordered = curves.until_lowest(points) if hook else list(points)
    bottom = ordered[-1][1]
    return curves.half_point(ordered, bottom=bottom), 100 - bottom


def _table(
    bands: Mapping[str, Any], panel: Any, marred: tuple[str, int], loading: str, hook: bool, out: bool, pure: bool
) -> dict[str, tuple[float, float, str]]:
    """By compound DC50, Dmax, and from where the hook is."""
    rows = {}
    for one in COMPOUNDS:
        left = _left(bands[one], loading)
        points = [(dose, left[place]) for place, dose in enumerate(DOSES) if not (out and (one, place) == marred)]
        half, down = _read(points, hook)
        beyond = [dose for dose, share in points if dose > min(points, key=lambda p: p[1])[0] and share >= 110 - down]
        rows[one] = ((half or 0) * (PURITY[one] if pure else 1), down, str(beyond[0]) if hook and beyond else "-")
    return rows


def _is_telling(tables: Mapping[str, Any], panel: Any, marred: str) -> bool:
    """Whether each belief shows, whatever the others are, the firsts are as shared, and the old lead is never first."""
    for one, other in combinations(tables, 2):
        differs = telling.differing(one, other)
        for thing, name in ((2, marred), (3, "ESD-133")):
            halves = sorted(tables[belief][name][0] for belief in (one, other))
            if differs[thing] and halves[1] < 1.1 * halves[0]:
                return False
            # 1.94 nM read with the marred lane is a pDC50 of 8.71, and no 8.7 nM.
            if thing == 2 and differs[2] and halves[0] and abs(measures.negative_log(halves[0]) - halves[1]) < 0.1:
                return False
        downs = [abs(tables[one][name][1] - tables[other][name][1]) > 1 for name in COMPOUNDS]
        if differs[0] and sum(downs) < 2:
            return False
    for name, table in tables.items():
        if any(not row[0] or row[1] < 25 for row in table.values()):
            return False
        shares = {one: PURITY[one] if name.endswith("False") else 1 for one in COMPOUNDS}
        windows = {one: panel["window"][one] * panel["dc50"][one] / shares[one] / table[one][0] for one in COMPOUNDS}
        if name.endswith("True True True") and (
            [min(table, key=lambda one: table[one][0]), max(table, key=lambda one: table[one][1])]
            != [panel["first"]["dc50"], panel["first"]["dmax"]]
            or [one for one in COMPOUNDS if table[one][2] != "-"] != [panel["hooked"]]
            or any(_target(windows[one]) != _target(panel["window"][one]) for one in panel["first"].values())
            or any(
                abs(table[one][1] - table[other][1]) < 2 or abs(table[one][0] / table[other][0] - 1) < 0.04
                for one, other in combinations(COMPOUNDS, 2)
            )
        ):
            return False
        orders = _orders(table, windows)
        if panel["lead"] in (order[0] for order in orders):
            return False
        if name.endswith("True True True") and len(set(map(tuple, orders))) < 3:
            return False
    return True


def _target(window: float) -> int:
    """How many of the limits by which the next session says how much is made a window reaches."""
    return (window >= 35) + (window >= 100)


def _orders(table: Mapping[str, Any], windows: Mapping[str, float]) -> list[list[str]]:
    return [_ranked(table, windows, by) for by in ("dc50", "dmax", "window")]


def _ranked(table: Mapping[str, Any], windows: Mapping[str, float], by: str) -> list[str]:
    """The compounds, the best first."""
    keys = {"dc50": lambda one: table[one][0], "dmax": lambda one: -table[one][1], "window": lambda one: -windows[one]}
    return sorted(COMPOUNDS, key=keys[by])


# -- what is right ---------------------------------------------------------------------------------------------------


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The panel, the page at the door, the plates. Who knows nothing goes by actin and by what is weighed in."""
    read = (wishes.loading or "actin", True, bool(wishes.bad_lane), bool(wishes.purity))
    table = world.tables[telling.belief(*read)]
    windows = {
        one: world.tables["half"][one] * (PURITY[one] if wishes.purity else 1) / table[one][0] for one in COMPOUNDS
    }
    order = _ranked(table, windows, wishes.rank_by or "dc50")
    mark = wishes.assumed_mark

    def text(tag: bool, column: bool, section: bool) -> str:
        rows = []
        for one in order:
            supposed = one == world.assumed
            window = fixed(windows[one], 1) + (" (assumed)" if supposed and tag else "")
            row = [
                one,
                measures.written_potency(table[one][0], wishes.potency_unit),
                fixed(table[one][1], 1),
                "-" if supposed and section else window,
            ]
            rows.append([*row, table[one][2], *(["assumed" if supposed else "computed"] if column else [])])
        twin = fixed(world.twin[str(wishes.negative or 5)][wishes.loading or "actin"], 1)
        rows.append(["ESD-121n", "-", twin, "-", "-", *(["computed"] if column else [])])
        head = ["compound", measures.POTENCY_HEADS[wishes.potency_unit], "Dmax %", "window", "hook from nM"]
        head += ["basis"] if column else []
        below = f"\ngoes on: {order[0]}\n"
        if section:
            below += f"\n## Assumed\n\n- {world.assumed}: window {fixed(windows[world.assumed], 1)}, PC-3 not run yet\n"
        return markdown_table(head, rows) + below

    march, may = ("What goes on: {}, by the panel of 12 " + month for month in ("March", "May"))
    booked = "{}, as the one that goes on"
    return {
        "panel": File("2026-05-12_panel.md", text(mark == "tag", mark == "column", mark == "section")),
        "series": Change({march.format(world.lead): may.format(order[0])}) if wishes.series_page else None,
        "plates": Change({booked.format(world.lead): booked.format(order[0])}) if wishes.plates_page else None,
        "luca": File("for-luca.txt", f"Luca, {order[0]} goes on.\n") if wishes.luca_word else None,
        "first": order[0],
        # Panels that ways.yaml plays.
        "all_marks": text(True, True, False),
        "unmarked": text(False, False, False),
    }  # fmt: skip


def check_ranked(evidence: Any, by: str) -> bool:
    """The rows stand in the order of this measure by the page's own figures, wherever the assumed one stands."""
    page = new_text(evidence, "degraders/panel/", ".md")
    head, *rows = markdown_rows(page) or [[]]
    place = next((place for place, cell in enumerate(head) if by in cell), 0)
    below = page.lower().partition("## assumed")[2].splitlines()
    figures = []
    for row in rows:
        if row[0] in [one.lower() for one in COMPOUNDS]:
            apart = next((line.partition(by)[2] for line in below if row[0] in line), "")
            numbers = [_number(cell) for cell in (*row[place : place + 1], apart)]
            figures.append(next((one for one in numbers if one is not None), None))
    known = [one for one in figures if one is not None]
    upwards = by == "dc50" and "pdc50" not in head[place : place + 1]
    return place > 0 and len(known) == len(COMPOUNDS) and known == sorted(known, reverse=not upwards)


def _number(text: str) -> float | None:
    word = (text.strip(" :=~<>|-*").split() or [""])[0].rstrip("%,;.")
    return float(word) if word.replace(".", "", 1).isdigit() else None


def check_choice_follows(evidence: Any) -> bool:
    """The compound of the line `goes on` is that of the table's first row."""
    lines = new_text(evidence, "degraders/panel/", ".md").splitlines()
    first = next((line for line in lines if "ESD-" in line and "|" in line), "")
    said = next((line for line in lines if "goes on" in line.lower()), "")
    return any(one in first and one in said for one in COMPOUNDS)
