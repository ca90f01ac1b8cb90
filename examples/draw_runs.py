"""Draw how trainers' runs went, and set their evaluations side by side.

    python examples/draw_runs.py runs/train-mini                        # curve.png in the run's folder
    python examples/draw_runs.py runs/grpo/seed-* --out runs/grpo       # runs of several seeds: one picture, one table

Of one run the picture shows what it has logged so far, so it can be drawn while the run goes on. Of several it shows
each and their mean, and the table has for each split the first evaluation, the last one and what was gained, session by
session, with the 95 % interval over worlds: for each seed, and for all together. Needs matplotlib, which the extra
`train` brings.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from shared.curve import gained, measured

matplotlib.use("Agg")
from matplotlib import pyplot

Run = Mapping[str, Any]
_COLOURS = {"proc": "tab:green", "comp": "tab:purple", "return": "tab:brown"}


def draw(runs: Sequence[Run], path: Path, window: int = 10) -> None:
    """The runs as a picture: what was logged at every step, and the evaluations with their intervals."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(12, 4), constrained_layout=True)
    for name, axis, colour in (("loss", left, "tab:blue"), ("reward", left.twinx(), "tab:orange")):
        rows = [[one[name] for one in run["logged"] if name in one] for run in runs]
        if not any(rows):
            axis.set_yticks([])
            continue
        axis.set_ylabel(name, color=colour)
        for row in rows:
            axis.plot(range(1, len(row) + 1), row, color=colour, linewidth=0.6, alpha=0.4 if len(row) > window else 1)
        shortest = min(map(len, rows))
        if shortest > window:
            mean = np.mean([row[:shortest] for row in rows], axis=0)
            smooth = np.convolve(mean, np.ones(window) / window, "valid")
            axis.plot(range(window, shortest + 1), smooth, color=colour, linewidth=2)
    left.set_xlabel("logged step")
    draw_evaluations(runs, right)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def draw_evaluations(runs: Sequence[Run], axis: Any) -> None:
    """The evaluations: a line for each measure and split, over all runs."""
    whens = list(dict.fromkeys(one["when"] for run in runs for one in run["evaluations"]))
    splits = list(dict.fromkeys(one["split"] for run in runs for one in run["evaluations"]))
    for split, style in zip(splits, ("-", ":", "--"), strict=False):
        for name in ("proc", "comp", "return"):
            points = [(place, pooled(runs, when, split, name)) for place, when in enumerate(whens)]
            known = [(place, one) for place, one in points if one]
            if known:
                means = [one["mean"] for _, one in known]
                ends = [[one["mean"] - one["low"] for _, one in known], [one["high"] - one["mean"] for _, one in known]]
                axis.errorbar(
                    *([place for place, _ in known], means, ends), label=f"{name}, {split}", color=_COLOURS[name],
                    linestyle=style, marker="o", markersize=5, capsize=3,
                )  # fmt: skip
    axis.set_xticks(range(len(whens)), whens, rotation=20, ha="right")
    if splits:
        axis.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def of(run: Run, when: str, split: str) -> Mapping[str, Any] | None:
    """An evaluation of a run."""
    return next((one for one in run["evaluations"] if (one["when"], one["split"]) == (when, split)), None)


def pooled(runs: Sequence[Run], when: str, split: str, name: str) -> Mapping[str, float] | None:
    """A measure in the sessions of all runs."""
    found = [one for run in runs if (one := of(run, when, split)) and name in one["measures"]]
    return together(found, name)["measures"][name] if found else None


def together(evaluations: Sequence[Mapping[str, Any]], name: str) -> dict[str, Any]:
    """A measure of several evaluations as if their sessions were one's."""
    values = [value for one in evaluations for value in one["values"][name]]
    worlds = [world for one in evaluations for world in one["worlds"]]
    return {"values": {name: values}, "worlds": worlds, "measures": {name: measured(values, worlds)}}


def table(runs: Mapping[str, Run], measures: Sequence[str] = ("return", "proc", "comp")) -> str:
    """The first and the last evaluation of each run and what lies between, in Markdown; a row for all of them below."""
    lines = [f"| split | run | {' | '.join(f'{name}, before | after | gained' for name in measures)} |"]
    lines.append("| --- " * (2 + 3 * len(measures)) + "|")
    for split in dict.fromkeys(one["split"] for run in runs.values() for one in run["evaluations"]):
        pairs = []
        for label, run in runs.items():
            own = [one for one in run["evaluations"] if one["split"] == split]
            if len(own) > 1:
                pairs.append((own[0], own[-1]))
                cells = [cell for name in measures for cell in _cells(own[0], own[-1], name)]
                lines.append(f"| {split} | {label} | {' | '.join(cells)} |")
        if len(runs) > 1 and pairs:
            cells = []
            for name in measures:
                first, last = (together(ends, name) for ends in zip(*pairs, strict=True))
                cells += _cells(first, last, name)
            lines.append(f"| {split} | all | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cells(first: Mapping[str, Any], last: Mapping[str, Any], name: str) -> list[str]:
    before, after, rise = first["measures"].get(name), last["measures"].get(name), gained(first, last, name)
    return [
        "{mean:.3f}".format(**before) if before else "",
        "{mean:.3f}".format(**after) if after else "",
        "{mean:+.3f} ({low:+.3f} to {high:+.3f})".format(**rise) if rise else "",
    ]


def main() -> None:
    """Draw, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, help="folders of runs, each with curve.json")
    parser.add_argument("--out", type=Path, help="the folder of the picture; by default the first run's")
    asked = parser.parse_args()
    missing = [place for place in asked.runs if not (place / "curve.json").is_file()]
    if missing:
        parser.error(f"{missing[0]}: expected the folder of a run, which holds curve.json")
    runs = {place.name: json.loads((place / "curve.json").read_text(encoding="utf-8")) for place in asked.runs}
    path = (asked.out or asked.runs[0]) / "curve.png"
    draw(list(runs.values()), path)
    print(table(runs))
    print(f"written: {path}")


if __name__ == "__main__":
    main()
