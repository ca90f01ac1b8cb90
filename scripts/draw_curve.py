"""Draw how a trainer's run went: `python scripts/draw_curve.py runs/train-mini` makes curve.png of its curve.json.

Needs matplotlib, which the extra `train` brings.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot


def draw(content: Mapping[str, Any], path: Path) -> None:
    """The curve as a picture: what was logged at every step, and the evaluations with their intervals."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4), constrained_layout=True)
    for name, axis, colour in (("loss", left, "tab:blue"), ("reward", left.twinx(), "tab:orange")):
        points = [(place, one[name]) for place, one in enumerate(content["logged"], 1) if name in one]
        if points:
            axis.plot(*zip(*points, strict=True), color=colour, marker=".", linewidth=1)
            axis.set_ylabel(name, color=colour)
        else:
            axis.set_yticks([])
    left.set_xlabel("logged step")
    whens = list(dict.fromkeys(one["when"] for one in content["evaluations"]))
    splits = dict.fromkeys(one["split"] for one in content["evaluations"])
    for split, style in zip(splits, ("-", ":", "--"), strict=False):
        for name, colour, size in (
            ("comp", "tab:purple", 4),
            ("proc", "tab:green", 8),
            ("strict_proc", "tab:olive", 4),
        ):
            known = [
                (whens.index(one["when"]), one["measures"][name])
                for one in content["evaluations"]
                if one["split"] == split and name in one["measures"]
            ]
            places = [place for place, _ in known]
            means = [one["mean"] for _, one in known]
            ends = [[one["mean"] - one["low"] for _, one in known], [one["high"] - one["mean"] for _, one in known]]
            right.errorbar(
                *(places, means, ends), label=f"{name}, {split}", color=colour, linestyle=style, marker="o",
                markersize=size, capsize=3,
            )  # fmt: skip
    right.set_xticks(range(len(whens)), whens, rotation=20, ha="right")
    right.set_ylim(-0.03, 1.03)
    if content["evaluations"]:
        right.legend(fontsize=8)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


if __name__ == "__main__":
    if len(sys.argv) != 2 or not (found := Path(sys.argv[1]) / "curve.json").is_file():
        sys.exit("expected: draw_curve.py RUN, the folder of a run, which holds curve.json")
    draw(json.loads(found.read_text(encoding="utf-8")), found.with_suffix(".png"))
    print(f"written: {found.with_suffix('.png')}")
