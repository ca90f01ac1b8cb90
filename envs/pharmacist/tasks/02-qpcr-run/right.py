"""Two plates of the night, the curves that they are read with, and the table that is right for them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from pi_gym.authoring import Change, File, Stream, assays, csv_text, curves, fixed, replicates, telling

COMPOUNDS, TARGETS = ("ESD-114", "ESD-121", "ESD-127"), ("KLK3", "TMPRSS2")
PLATES = {"A": ("KLK3", "HPRT1"), "B": ("TMPRSS2", "GAPDH")}
GENES = ("KLK3", "TMPRSS2", "HPRT1", "GAPDH")
LEFT = {"KLK3": (0.13, 0.37, 0.47), "TMPRSS2": (0.16, 0.29, 0.44)}
SAMPLES = [(name, dish) for name in ("DMSO", *COMPOUNDS) for dish in "ab"]
ROWS = [(compound, gene) for compound in COMPOUNDS for gene in TARGETS]
REFERENCES = {"hprt1": ("HPRT1",), "gapdh": ("GAPDH",), "both": ("HPRT1", "GAPDH")}
MOVED = "ESD-121"  # moves GAPDH most, and is what the abstract speaks of
QUOTED = (MOVED, "KLK3")
FAILING = "TMPRSS2"  # its control comes too early; a gene that is void is not quoted in an abstract
HOWS = ("median", "nearest", "mean")
RUN = "2026-05-04_ar-genes"


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw plates on which each way of reckoning gives other figures."""
    for _ in telling.attempts():
        plates = _plates(stream)
        choices = HOWS, REFERENCES, (True, False), (True, False)
        ratios = telling.by_belief(partial(_ratios, plates), *choices)
        pavel = _ratios(plates, "mean", "gapdh", True, True, flat=True)
        accepted = all(1.90 < factor < 2.10 for _, factor in plates["curves"][False].values())
        if accepted and _is_telling(ratios, pavel, plates["wide"]):
            break
    limit = stream.integer(6, 8)
    every, kept = plates["curves"][True], plates["curves"][False]
    at, right_ones = ROWS.index(QUOTED), ratios["median hprt1 False False"]
    quoted, out = fixed(pavel[at][0], 0), plates["bad"] + 1
    facts = {
        "ratios": ratios, "pair": plates["pair"], "tube": out, "limit": limit, "shift": plates["shift"],
        "times": fixed(1.97 ** -plates["shift"], 1), "quoted": quoted, "plain": [left for left, _ in pavel],
        "quotable": sorted(
            {
                fixed(figure, digits)
                for one in ratios.values()
                for left in (one[at][0],)
                for figure, places in ((left, 3), (100 - left, 3), (left / 100, 5))
                for digits in range(2 * (places > 3), places)
            }
            - {quoted}
        ),
        "in_use": [f"{line},in use,PN" for line in _lines("2026-04", every)], "mended": _lines("2026-04b", kept),
        "strongest": min(COMPOUNDS, key=lambda one: right_ones[ROWS.index((one, "KLK3"))][0]),
        "about": {" / ".join(row).lower(): left for row, (left, _) in zip(ROWS, right_ones, strict=True)},
        "printed": "".join(
            f"{gene} without tube {tube}: slope {fixed(slope, 3)}, factor {fixed(factor, 3)}\n"
            for gene in GENES
            for tube, (slope, factor) in (("none", every[gene]), (out, kept[gene]))
        ),
    }  # fmt: skip
    sheet = []
    for name in ("2025-06", "2026-01"):
        older = [(gene, stream.integer(191, 207) / 100) for gene in GENES]
        sheet += [f"{one},replaced,SK" for one in _lines(name, {g: (-1 / math.log10(f), f) for g, f in older})]
    sheet += facts["in_use"]
    points = [(gene, tube, x, fixed(ct, 2)) for gene in GENES for tube, (x, ct) in enumerate(plates["points"][gene], 1)]
    folder = f"assay/runs/{RUN}"
    return facts, {f"{folder}/plate{name}.csv": _export(plates, name, limit) for name in PLATES} | {
        "assay/curves/2026-04-28_points.csv": csv_text(["gene", "tube", "log10_quantity", "ct"], points),
        "assay/curves.csv": "gene,curve,slope,factor,status,by\n" + "".join(f"{line}\n" for line in sheet),
    }


def _lines(name: str, fitted: Mapping[str, tuple[float, float]]) -> list[str]:
    return [f"{gene},{name},{fixed(slope, 2)},{fixed(factor, 2)}" for gene, (slope, factor) in fitted.items()]


# -- the plates ------------------------------------------------------------------------------------------------------


def _plates(stream: Stream) -> dict[str, Any]:
    """Cycles by gene, sample and dish, three wells each, and the dilution series with one bad tube."""
    factors = dict(zip(GENES, stream.sample((1.91, 1.93, 1.95, 1.97, 1.99, 2.01, 2.04, 2.07), 4), strict=True))
    bad, shift = stream.choice((0, 4)), stream.choice((-1, 1)) * stream.uniform(0.8, 1.2)
    series = {}
    for gene in GENES:
        top = stream.uniform(17, 20)
        noise = [stream.uniform(-0.06, 0.06) + (shift if tube == bad else 0) for tube in range(5)]
        step = 1 / math.log10(factors[gene])
        series[gene] = [(-tube, round(top + tube * step + noise[tube], 2)) for tube in range(5)]
    wide = stream.choice(COMPOUNDS)
    wells = {}
    for gene in GENES:
        basal = stream.uniform(20, 24)
        lefts = [one + stream.uniform(0, 0.06) for one in LEFT.get(gene, ())]
        left = dict(zip(COMPOUNDS, stream.shuffled(lefts), strict=False))
        while left.get(MOVED, 0) > 0.45:  # seen against a gene that it moves too, it would not fall at all
            left = dict(zip(COMPOUNDS, stream.shuffled(lefts), strict=False))
        signs = {compound: stream.choice((-1, 1)) for compound in COMPOUNDS}
        for name, dish in SAMPLES:
            middle = basal + (0.15 if dish == "b" else 0)
            if gene in TARGETS and name != "DMSO":
                apart = (1.32 if name == wide else 1.05) ** (1 if dish == "a" else -1)
                middle -= math.log(left[name] * apart) / math.log(factors[gene])
            elif gene == "GAPDH" and name != "DMSO":
                middle += stream.uniform(0.45, 0.65) if name == MOVED else stream.uniform(0.15, 0.25)
            three = [middle + stream.uniform(-0.04, 0.04) for _ in range(3)]
            if name != "DMSO" and gene != "HPRT1":  # one well beside the other two, and one far from both
                three = [
                    middle,
                    middle + signs[name] * stream.uniform(0.15, 0.22),
                    middle + signs[name] * stream.uniform(0.44, 0.56),
                ]
            wells[gene, name, dish] = stream.shuffled(_untied([round(one, 2) for one in three]))
    pair = stream.choice(((4, 5), (6, 7), (5, 8)))
    fitted = {
        every: {
            gene: curves.standard_curve([one for tube, one in enumerate(points) if every or tube != bad])
            for gene, points in series.items()
        }
        for every in (True, False)
    }
    cycles = {how: {sample: replicates.combine_replicates(cts, how) for sample, cts in wells.items()} for how in HOWS}
    return {
        "points": series, "bad": bad, "shift": shift, "wide": wide, "wells": wells, "pair": pair, "curves": fitted,
        "cycles": cycles,
    }  # fmt: skip


def _untied(three: list[float]) -> list[float]:
    """The wells, with no two pairs equally near."""
    low, middle, high = sorted(three)
    return three if abs((middle - low) - (high - middle)) > 0.015 else [low, middle, high + 0.02]


def _export(plates: Any, plate: str, limit: int) -> str:
    """A plate as the machine gives it; on plate B two columns hold each other's samples."""
    pair = dict([plates["pair"], plates["pair"][::-1]]) if plate == "B" else {}
    rows = []
    for place, gene in enumerate(PLATES[plate]):
        for column in range(1, 9):
            name, dish = SAMPLES[pair.get(column, column) - 1]
            rows += [
                (f"{'ABCDEF'[3 * place + n]}{column}", f"S{column}", gene, fixed(ct, 2))
                for n, ct in enumerate(plates["wells"][gene, name, dish])
            ]
        latest = max(max(cts) for (one, _, _), cts in plates["wells"].items() if one == gene)
        early = latest + limit + (-0.6 if gene == FAILING else 0.9)
        found = [fixed(early + 0.31, 2), fixed(early, 2)] if gene in TARGETS else ["Undetermined"] * 2
        rows += [(f"{'ABCDEF'[3 * place + n]}9", "NTC", gene, ct) for n, ct in enumerate(found)]
    return csv_text(["well", "sample", "gene", "ct"], rows)


def _ratios(
    plates: Any, how: str, reference: str, every: bool, planned: bool, flat: bool = False
) -> list[tuple[float, float]]:
    """For each row of the table, what is left in per cent of the vehicle, and how far the dishes are apart."""
    logs = {gene: math.log(2 if flat else plates["curves"][every][gene][1]) for gene in GENES}
    pair = dict([plates["pair"], plates["pair"][::-1]]) if planned else {}
    cycles, genes = plates["cycles"][how], REFERENCES[reference]

    def fall(gene: str, column: int) -> float:
        """The logarithm of a gene's ratio to the vehicle, in the sample that a column is taken for."""
        stood = SAMPLES[pair.get(column, column) - 1 if gene in PLATES["B"] else column - 1]
        return logs[gene] * (cycles[gene, "DMSO", "ba"[column % 2]] - cycles[gene, *stood])

    found = []
    for place, (_, gene) in enumerate(ROWS):
        columns = (3 + 2 * (place // 2), 4 + 2 * (place // 2))
        dishes = [fall(gene, one) - statistics.fmean(fall(other, one) for other in genes) for one in columns]
        found.append((100 * math.exp(statistics.fmean(dishes)), math.exp(abs(dishes[0] - dishes[1]))))
    return found


def _is_telling(ratios: Mapping[str, Any], pavel: Sequence[Any], wide: str) -> bool:
    """Whether two beliefs that differ in one thing differ in two rows, whatever figures are asked for."""
    for one, other in telling.one_apart(ratios):
        if sum(abs(a - b) > 1.2 for (a, _), (b, _) in zip(one, other, strict=True)) < 2:
            return False
    for name, rows in ratios.items():
        # As pipetted, the dishes of one compound alone lie far apart.
        far = [(spread > 1.5) == (compound == wide) for (compound, _), (_, spread) in zip(ROWS, rows, strict=True)]
        if name.endswith("False") and not (all(far) and all(abs(spread - 1.5) > 0.03 for _, spread in rows)):
            return False
        # Who knows all but one thing still has another figure than the abstract.
        if abs(rows[ROWS.index(QUOTED)][0] - pavel[ROWS.index(QUOTED)][0]) < 1.05 and not name.endswith("True True"):
            return False
    if any(left > 97 for left, _ in pavel):  # the abstract says that all of them fall
        return False
    order = [sorted(COMPOUNDS, key=lambda one: rows[ROWS.index((one, "KLK3"))][0])[0] for rows in ratios.values()]
    return len(set(order)) == 1


# -- the right table -------------------------------------------------------------------------------------------------


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The table, the run's line, the curves and the abstract. Who knows nothing goes by the SOP and the plan."""
    read = (wishes.replicates or "mean", wishes.reference_gene or "gapdh", not wishes.curve_point, not wishes.swapped)
    rows = world.ratios[telling.belief(*read)]
    good, between, bad = world.shared.words["verdict"][wishes.verdict_words or ""]
    verdicts = [
        bad if wishes.ntc_rule and gene == FAILING else between if spread > 1.5 else good
        for (_, gene), (_, spread) in zip(ROWS, rows, strict=True)
    ]
    form = wishes.what_left or "left"

    def text(lefts: Sequence[float], *forms: str, unit: str = "") -> str:
        lines = [
            (*row, *assays.left_cells(left, forms, wishes.sig_figs, unit), verdict)
            for row, left, verdict in zip(ROWS, lefts, verdicts, strict=True)
        ]
        return csv_text(["compound", "gene", *(assays.LEFT_HEADS[one] for one in forms), "verdict"], lines)

    lefts = [left for left, _ in rows]
    table = File(f"{RUN}.csv", text(lefts, form))
    april = {line: line.replace("in use", "withdrawn") for line in world.in_use}
    curves_page = Change(april, "".join(f"{line},in use,MT\n" for line in world.mended))
    new = f"{fixed(lefts[ROWS.index(QUOTED)], 0)} %"
    return {
        "table": table,
        "run_book": Change(append=f'2026-05-05,{RUN},MT,"KLK3, TMPRSS2; two plates",SK\n'),
        "curves": curves_page if wishes.curve_sheet else None,
        "abstract": Change(append=f"- Afresh, KLK3 is at {new} under ESD-121.\n") if wishes.abstract else None,
        "machine": Change(append="Amina, April's factors are wrong. MT\n") if wishes.april_factors else None,
        # What ways.yaml plays.
        "new": new,
        "by_gene": "".join(sorted(table.text.splitlines(True)[1:], key=lambda line: line.split(",")[1])),
        "body": table.text.partition("\n")[2],
        "percent": text(lefts, form, unit="" if form == "ratio" else " %"),
        "two_heads": text(lefts, form, "ratio" if form == "left" else "left"),
        "flat": text(world.plain, form),
    }  # fmt: skip
