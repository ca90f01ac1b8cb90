"""Twelve diffusion cells of two days, with one leak and one cold cell, and the table that is right for them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from pi_gym.authoring import Change, File, Stream, attempts, csv_text, curves, fixed, new_csv_rows

DAYS, LINES = ("2026-05-18", "2026-05-19"), ("2026-05-12", "2026-05-19")
HOURS = (0.5, 1, 2, 3, 4, 5, 6)
VOLUME, SAMPLE, AREA, SMALL = 12.0, 0.5, 1.77, 1.54
LEAK = "2026-05-19 4"
RULES = {
    "clamp": "out until the clamp is new", "seen": "out until the workshop has seen it",
    "water": "out until six hours with water",
}  # fmt: skip


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Two runs of six cells with four gels, the probe of the bath, and two lines of calibration."""
    products = preferences.shared.products
    gels = ["BL-07", *stream.shuffled(["BL-00", products["list"], products["wards"]])]
    for _ in attempts():
        monday = stream.shuffled([gels[0], gels[0], gels[1], gels[1], gels[2], gels[3]])
        tuesday = stream.shuffled([gels[0], gels[1], gels[2], gels[2], gels[3], gels[3]])
        layout = {
            f"{day} {n}": gel for day, row in zip(DAYS, (monday, tuesday), strict=True) for n, gel in enumerate(row, 1)
        }
        cold, door = stream.sample([cell for cell in layout if cell != LEAK and cell[-1] not in "35"], 2)
        small = [layout[cell] for cell in layout if cell[-1] in "35"]
        if layout[cold] != layout[LEAK] and len(set(small)) > 2:
            break
    rates = dict(zip(gels, stream.shuffled((stream.uniform(15, 17), stream.uniform(22, 25), stream.uniform(31, 35),
                                            stream.uniform(43, 48))), strict=True))  # fmt: skip
    lines = {day: (stream.uniform(*m), stream.uniform(0.002, 0.009)) for day, m in
             zip(LINES, ((0.0206, 0.0212), (0.0222, 0.0235)), strict=True)}  # fmt: skip
    points = {day: [(x, round(m * x + b + stream.uniform(-0.0015, 0.0015), 4)) for x in (1, 2, 5, 10, 15, 20)]
              for day, (m, b) in lines.items()}  # fmt: skip
    lag = {gel: stream.uniform(0.05, 0.3) for gel in gels}
    spread = {gel: iter(stream.shuffled((1.03, 0.97, 1.0))) for gel in gels}
    read = {}
    for cell, gel in layout.items():
        factor = 0.88 if cell == cold else next(spread[gel])
        read[cell] = _absorbances(rates[gel] * factor, lag[gel], cell, lines["2026-05-19"])
    facts = {
        "layout": layout, "read": read, "cold": cold, "gels": stream.shuffled(gels), "list": products["list"],
        "wards": products["wards"], "slowest_first": sorted(gels, key=lambda gel: rates[gel]),
        "lines": {day: curves.line_fit(points[day]) for day in LINES},
    }  # fmt: skip
    facts["printed"] = "".join(f"{day}: {m:.5f} {b:.4f}\n" for day, (m, b) in facts["lines"].items())
    total = [(*cell.split(), gel, fixed(_concentration(read[cell][-1], facts["lines"]["2026-05-12"]) * VOLUME, 1))
             for cell, gel in layout.items()]  # fmt: skip
    files = {
        "layout": csv_text(["day", "cell", "gel"], [(*cell.split(), gel) for cell, gel in layout.items()]),
        "amina": csv_text(["day", "cell", "gel", "ug at 6 h"], total),
        "bath": csv_text(["day", "time", *(f"cell {n}" for n in range(1, 7))], _bath(stream, cold, door)),
    }
    for day in DAYS:
        rows = [(n, hour, fixed(read[f"{day} {n}"][at], 4)) for n in range(1, 7) for at, hour in enumerate(HOURS)]
        files[f"run-{day}"] = csv_text(["cell", "hour", "absorbance"], rows)
    for day in LINES:
        files[f"calibration-{day}"] = csv_text(["ug/mL", "absorbance"], [(x, fixed(y, 4)) for x, y in points[day]])
    return facts, {f"topical/cells/{name}.csv": text for name, text in files.items()}


def _absorbances(rate: float, lag: float, cell: str, line: tuple[float, float]) -> list[float]:
    """What the photometer reads of a cell's samples, each replaced by fresh receptor; one cell leaks from hour 3."""
    area, drawn, found = _area(cell, True), 0.0, []
    for hour in HOURS:
        released = rate * (math.sqrt(hour) - lag) * (0.75 if hour < 1 else 1.6 if cell == LEAK and hour >= 3 else 1)
        concentration = (released * area - drawn * SAMPLE) / VOLUME
        drawn += concentration
        found.append(round(line[0] * concentration + line[1], 4))
    return found


def _bath(stream: Stream, cold: str, door: str) -> list[tuple[str, ...]]:
    """Every quarter of an hour; one cell is cold for two hours and a half, another at one reading."""
    at, once, rows = stream.integer(4, 12), stream.integer(6, 16), []
    for day in DAYS:
        for n in range(25):
            degrees = [stream.uniform(31.7, 32.4) for _ in range(6)]
            for cell, times in ((cold, range(at, at + 10)), (door, (once,))):
                if cell.split()[0] == day and n in times:
                    degrees[int(cell[-1]) - 1] = stream.uniform(26.5, 28.4)
            rows.append((day, f"{8 + (n + 1) // 4:02}:{(n + 1) % 4 * 15:02}", *(fixed(one, 1) for one in degrees)))
    return rows


def _area(cell: str, measured: Any) -> float:
    return SMALL if measured and cell[-1] in "35" else AREA


def _concentration(absorbance: float, line: Sequence[float]) -> float:
    return (absorbance - line[1]) / line[0]


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The table. Who knows nothing takes Amina's totals of all cells, by the old line and the maker's area."""
    out = [LEAK] * bool(wishes.leak) + [world.cold] * bool(wishes.cold_cell)
    counted = {
        gel: [_figure(world, wishes, cell) for cell, of in world.layout.items() if of == gel and cell not in out]
        for gel in world.gels
    }
    mean = {gel: statistics.fmean(values) for gel, values in counted.items()}
    yard = {"wards": world.wards, "list": world.list, "own": "BL-00", None: "BL-07"}[wishes.yardstick]
    cells = [(gel, len(counted[gel]), fixed(mean[gel], 2), fixed(mean[gel] - mean[yard], 2)) for gel in world.gels]
    heads = ["gel", "cells", world.shared.words["release"][wishes.release_by or ""], "difference"]
    logged = f"- 2026-05-19 cell 4, leak under the clamp, {RULES.get(wishes.cell_log)}, MT\n"
    return {
        "table": File("2026-05-21_BL-07.csv", csv_text(heads, cells)),
        "cell_log": Change(append=logged) if wishes.cell_log else None,
        "label": Change({"anhydrous salt,": "dihydrate salt,"}) if wishes.buffer_label else None,
        "notes": Change(append="Thu 21: both runs are reckoned again. MT\n") if wishes.amina_note else None,
    }


def _figure(world: Any, wishes: Any, cell: str) -> float:
    """The release of one cell, as it is asked for."""
    line = world.lines["2026-05-19" if wishes.calibration else "2026-05-12"]
    found, drawn = [], 0.0
    for absorbance in world.read[cell]:
        concentration = _concentration(absorbance, line)
        found.append((concentration * VOLUME + (drawn * SAMPLE if wishes.make_up else 0)) / _area(cell, wishes.area))
        drawn += concentration
    by = wishes.release_by
    if by == "slope":
        return curves.line_fit([(math.sqrt(hour), q) for hour, q in zip(HOURS, found, strict=True) if hour >= 1])[0]
    if by == "flux":
        return curves.line_fit([(hour, q) for hour, q in zip(HOURS, found, strict=True) if hour >= 2])[0]
    return found[-1] if by == "six" else found[-1] * _area(cell, wishes.area)


def check_reckoned(evidence: Any, slowest_first: Sequence[str]) -> bool:
    """The third column ranks the gels as the runs do, but for one pair; which figure it has does not matter."""
    found = {row[0]: row[2] for row in new_csv_rows(evidence, "topical/cells/results/")[1:] if len(row) > 2}
    figures = [found.get(gel.lower(), "") for gel in slowest_first]
    if not all(figure.replace(".", "", 1).isdigit() for figure in figures):
        return False
    return sum(float(one) < float(other) for one, other in combinations(figures, 2)) >= 5
