"""Two plates of cells, the curves on them, and the table, the doses and the bottle that follow from these."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

from pi_gym.authoring import (
    Change,
    File,
    Stream,
    assays,
    csv_records,
    csv_text,
    curves,
    fixed,
    measures,
    new_csv_rows,
    plate,
    replicates,
    telling,
)

COMPOUNDS, CELLS = ("ESD-114", "ESD-121", "ESD-127"), ("LNCaP", "DU145")
YELLOW = "ESD-127"
STEPS = (3.2, 16, 80, 400, 2000, 10000)
ROWS = [(cells, compound) for cells in CELLS for compound in COMPOUNDS]
HOWS, HALVES = ("median", "nearest", "mean"), ("vehicle", "between")
RUN = "2026-05-18_wst8"
UNTIL = {10: "2026-05-28", 14: "2026-06-01", 21: "2026-06-08"}
AGAIN = ["again", "repeat", "rerun", "re-run", "redo", "once more", "second time", "z'", "below 0.5"]

FIRST = "median vehicle True True"

Table = list[tuple[float, float | None, float]]  # by row: per cent left at the top, half-point, last fall


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw plates on which each way of reading them gives other half-points."""
    for _ in telling.attempts():
        plates = _plates(stream)
        tables = telling.by_belief(partial(_table, plates), HOWS, HALVES, (True, False), (True, False))
        if _is_telling(tables, plates["noisy"]):
            break
    lot = f"N-26{stream.integer(2, 4):02}-{stream.integer(11, 89)}"
    older = [stream.integer(1000, 9999), stream.integer(1000, 9999), stream.integer(11, 89), stream.integer(1000, 9999)]
    old = [(*row[::-1], stream.choice((1000, 2000, 5000, 10000)), "2026-03-19_wst8-pilot", "PN") for row in ROWS]
    z = {cells: curves.z_prime(plates["vehicle"][cells], plates["lysed"][cells]) for cells in CELLS}
    right = tables[FIRST]
    line = CELLS["AB".index(plates["noisy"])]
    facts = {
        "good_for": (good_for := stream.choice([*UNTIL])), "until": UNTIL[good_for], "read": CELLS[line == CELLS[0]],
        "word": [[f"plate {plates['noisy']}".lower(), line.lower()], AGAIN],
        "tables": tables, "rim": plates["rim"], "dry": plates["dry"], "noisy": plates["noisy"], "lot": lot,
        "older": older,
        "strongest": min(COMPOUNDS, key=lambda one: right[ROWS.index(("LNCaP", one))][0]),
        "about": {" / ".join(row).lower(): right[place][0] for place, row in enumerate(ROWS)},
        "valid": [place for place, (cells, _) in enumerate(ROWS) if "AB"[CELLS.index(cells)] != plates["noisy"]],
        "doses": [",".join(map(str, line)) for line in old],
        "printed": "".join(f"plate {name}: Z' {fixed(z[cells], 2)}\n" for name, cells in zip("AB", CELLS, strict=True)),
    }  # fmt: skip
    layout = [(well, *plates["layout"][well]) for well in plate.WELLS]
    grids = {
        name: plate.plate_csv({well: fixed(a, 3) for well, a in plates["wells"][cells].items()}, grid=True)
        for name, cells in zip("AB", CELLS, strict=True)
    }
    return facts, {f"assay/runs/{RUN}/{name}.csv": text for name, text in grids.items()} | {
        f"assay/runs/{RUN}/layout.csv": csv_text(["well", "sample", "nM"], layout),
        "bench/doses.csv": csv_text(["compound", "cells", "top nM", "from", "by"], old),
    }


# -- the plates ------------------------------------------------------------------------------------------------------


def _plates(stream: Stream) -> dict[str, Any]:
    """Absorbances by line and well; one plate has a dry rim, the other a vehicle that scatters."""
    rim = (stream.choice("AH"), stream.choice((1, 12)))
    dry, noisy = stream.shuffled("AB")
    deepest = stream.choice([one for one in COMPOUNDS if one != YELLOW])
    conditions = [(compound, step) for compound in COMPOUNDS for step in STEPS]
    controls = [("vehicle", "")] * 8 + [("lysed", "")] * 6 + [("blank", "")] * 4
    controls += [("own blank of ESD-127", step) for step in STEPS]
    at_rim = [well for well in plate.WELLS if well[0] == rim[0] or int(well[1:]) == rim[1]]
    within = [well for well in plate.WELLS if well not in at_rim]
    # Of each concentration one well stands in the rim; the nineteenth well there is a blank.
    layout = dict(zip(at_rim, stream.shuffled([*conditions, ("blank", "")]), strict=True))
    controls.remove(("blank", ""))
    layout |= dict(zip(within, stream.shuffled(conditions * 3 + controls), strict=True))
    found: dict[str, Any] = {name: {} for name in ("wells", "vehicle", "lysed", "blank", "own", "four")}
    colour = stream.uniform(0.12, 0.2)
    for name, cells in zip("AB", CELLS, strict=True):
        blank, high = stream.uniform(0.09, 0.13), stream.uniform(1.15, 1.4)
        size = stream.uniform(0.19, 0.215) if name == noisy else stream.uniform(0.05, 0.09)
        spread = [1.2, -1.1, 0.9, -0.9, 0.5, -0.6, 1.0, -1.0]
        values: dict[tuple[str, Any], list[float]] = {
            ("vehicle", ""): [blank + high * (1 + size * one) for one in spread],
            ("lysed", ""): [blank + 0.02 + stream.uniform(0, 0.02) for _ in range(6)],
            ("blank", ""): [blank + stream.uniform(-0.004, 0.004) for _ in range(4)],
        }
        for step in STEPS:
            values["own blank of ESD-127", step] = [blank + colour * step / 10000 + stream.uniform(-0.002, 0.002)]
        for compound in COMPOUNDS:
            half = 10 ** (stream.uniform(1.4, 3.1) if cells == "LNCaP" else stream.uniform(1.8, 3.4))
            bottom = stream.uniform(20, 44) if cells == "DU145" else stream.uniform(20, 32)
            if cells == "LNCaP" and compound == deepest:
                bottom = stream.uniform(9, 12)
            steep = stream.uniform(0.6, 0.95)
            for step in STEPS:
                left = (bottom + (100 - bottom) / (1 + (step / half) ** steep)) / 100
                own = colour * step / 10000 if compound == YELLOW else 0
                # The well of the rim first, which is dry on one plate: so each way of taking them gives another value.
                apart = (-0.38 if name == dry else 0.05, -0.4 + stream.uniform(0, 0.02), 0, stream.uniform(0.21, 0.25))
                four = [blank + own + high * left * (1 + one + stream.uniform(-0.01, 0.01)) for one in apart]
                values[compound, step] = [four[0], *stream.shuffled(four[1:])]
        queues = {what: list(readings)[::-1] for what, readings in values.items()}
        wells = {well: round(queues[layout[well]].pop(), 3) for well in (*at_rim, *within)}
        found["wells"][cells] = wells
        for what in ("vehicle", "lysed", "blank"):
            found[what][cells] = [wells[well] for well in plate.WELLS if layout[well][0] == what]
        found["own"][cells] = {layout[w][1]: wells[w] for w in plate.WELLS if layout[w][0].startswith("own")}
        for compound, step in conditions:
            stands = plate.wells_of(layout, (compound, step))
            found["four"][cells, compound, step] = {
                out: [wells[well] for well in stands if not (out and name == dry and well in at_rim)]
                for out in (True, False)
            }
    return found | {"rim": rim, "dry": dry, "noisy": noisy, "layout": layout}


def _table(plates: Any, how: str, half: str, own: bool, out: bool) -> Table:
    """What is read for each row, if the yellow compound has its own blank or not, and the dry wells are out or not."""
    rows: Table = []
    for cells, compound in ROWS:
        blank = statistics.fmean(plates["blank"][cells])
        high = statistics.fmean(plates["vehicle"][cells]) - blank
        points = []
        for step in STEPS:
            a = replicates.combine_replicates(plates["four"][cells, compound, step][out], how)
            below = plates["own"][cells][step] if own and compound == YELLOW else blank
            points.append((step, 100 * (a - below) / high))
        bottom = min(left for _, left in points) if half == "between" else 0
        rows.append((points[-1][1], curves.half_point(points, bottom=bottom), points[-2][1] - points[-1][1]))
    return rows


def _is_telling(tables: Mapping[str, Table], noisy: str) -> bool:
    """Whether every two beliefs give another half-point or value in some row, and the falls are clear."""
    valid = [place for place, (cells, _) in enumerate(ROWS) if "AB"[CELLS.index(cells)] != noisy]
    for name, table in tables.items():
        if name.endswith("True True") and not all(
            _rounds_alike(value) for left, half, _ in table for value in (left, half)
        ):
            return False
        falls = [table[place][2] for place in valid]
        if name.endswith("True True") and not (
            min(falls) < 14 and max(falls) > 16 and all(abs(f - 15) > 1 for f in falls)
        ):
            return False
        if min(range(3), key=lambda place: table[place][0]) != min(range(3), key=lambda place: tables[FIRST][place][0]):
            return False
    for one, other in combinations(tables, 2):
        places = [*zip(tables[one], tables[other], strict=True)]
        halves = [_differ(places[place][0][1], places[place][1][1]) for place in valid]
        values = [_differ(a, b) and _differ(100 - a, 100 - b) for (a, _, _), (b, _, _) in places]
        if not any(halves + values):
            return False
    return True


def _rounds_alike(value: float | None) -> bool:
    """Whether two figures come to the same, as judged, for whoever has rounded to three before."""
    if value is None:
        return True
    once, twice = (float(measures.significant(one, 2)) for one in (value, float(measures.significant(value, 3))))
    return abs(once - twice) <= 0.05 * min(once, twice)


def _differ(one: float | None, other: float | None) -> bool:
    """Whether two figures are told apart by a twentieth of them, with however many significant figures they stand."""
    if one is None or other is None:
        return one != other
    return all(
        abs(a - b) > 0.05 * max(a, b)
        for a, b in ([float(measures.significant(value, figures)) for value in (one, other)] for figures in (2, 3))
    )


# -- what is right ---------------------------------------------------------------------------------------------------


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The table and the pages behind it. Who knows nothing goes by the SOP and takes all wells."""
    read = (wishes.replicates or "mean", wishes.half_point or "vehicle", bool(wishes.colour_blank), bool(wishes.edge))
    table = world.tables[telling.belief(*read)]
    good, between, bad = world.shared.words["verdict"][wishes.verdict_words or ""]
    form, digits = wishes.what_left or "left", wishes.sig_figs
    failing = [place for place in range(len(ROWS)) if place not in world.valid]

    def text(*forms: str, failed: Sequence[int] = failing if wishes.repeat else (), unit: str = "") -> str:
        lines = []
        for place, (left, half, fall) in enumerate(table):
            given = "-" if place in failed else "> 10000" if half is None else assays.written_figure(half, digits)
            verdict = bad if place in failed else good if fall <= 15 else between
            lines.append((*ROWS[place], *assays.left_cells(left, forms, digits, unit), given, verdict))
        return csv_text(
            ["cells", "compound", *(assays.LEFT_HEADS[one] for one in forms), "half-point nM", "verdict"], lines
        )

    tops = {place: min(10000, measures.next_step(10 * (table[place][1] or 1000))) for place in world.valid}
    doses = {place: f"{ROWS[place][1]},{ROWS[place][0]},{top:g},{RUN},MT\n" for place, top in tops.items()}
    bottle = {f"{world.lot},,": f"{world.lot},2026-05-18,{world.until}"}
    name = f"{RUN}.csv"
    return {
        "table": File(name, text(form)),
        "doses": Change(append="".join(doses.values())) if wishes.dose_list else None,
        "lots": Change(bottle) if wishes.kit_lot else None,
        "siri": Change(append=f"Siri: plate {world.noisy} is run again. MT\n") if wishes.siri_word else None,
        # Tables that ways.yaml plays.
        "written_over": "".join(doses.get(place, f"{line}\n") for place, line in enumerate(world.doses)),
        "first_dose": next(iter(doses.values())),
        "percent": text(form, unit="" if form == "ratio" else " %"),
        "two_heads": text(form, "ratio" if form == "left" else "left"),
        "all_given": text(form, failed=()),
        "body": text(form).partition("\n")[2],
        "turned": "".join(sorted(text(form).splitlines(True)[1:], key=lambda line: line.split(",")[1])),
    }


def check_doses_follow(evidence: Any, valid: str) -> bool:
    """The last line of each compound on one line of cells follows from its half-point in the table; no other is new."""
    lines = csv_records(evidence.text("bench/doses.csv"))
    last = {one.get("compound"): one for one in lines if one.get("cells") == valid}
    try:
        halves = {row[1]: row[-2] for row in new_csv_rows(evidence, "assay/results/")[1:] if row[0] == valid.lower()}
        for compound in COMPOUNDS:
            half, line = halves[compound.lower()], last[compound]
            # A half-point is rounded when it stands in the table, and so may be just across a step.
            near = [10000.0] if half.startswith(">") else [float(half) * share for share in (0.95, 1, 1.05)]
            tops = {min(10000.0, measures.next_step(10 * one)) for one in near}
            if RUN not in line["from"] or float(line["top nM"]) not in tops:
                return False
    except (IndexError, KeyError, ValueError):
        return False
    return not any(RUN in one.get("from", "") and one.get("cells") != valid for one in lines)
