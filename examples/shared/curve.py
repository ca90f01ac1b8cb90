"""The curve of a training run: evaluations, and what was logged. examples/draw_runs.py makes a picture of it."""

from __future__ import annotations

import atexit
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pi_gym.loggers import Logger, make_logger

#: The measures of every evaluation; `strict_proc` does not count intents that were asked for needlessly. Beside them
#: stands `cut_short`, the share of sessions that outgrew `--room`: where it is high, that is what was measured.
MEASURES = ("proc", "strict_proc", "comp", "return", "turns", "needless", "invalid_actions")
RESAMPLES = 10_000
#: Arguments that a run may have others of when it goes on: how far, how fast, and the address of what is served.
MAY_CHANGE = frozenset({"out", "resume", "rounds", "log", "stage", "steps", "threads", "wave", "policy_url"})


def interval(values: Sequence[float], worlds: Sequence[int], seed: int = 0) -> tuple[float, float, float]:
    """The mean, and the ends of its 95 % interval by the bootstrap.

    Args:
        values: of N sessions.
        worlds: of each session its world's number. Sessions of one world have much in common (what the user prefers),
            so worlds are drawn, each with all its sessions.
        seed: of the draw.
    """
    array = np.asarray(values, dtype=float)
    _, places = np.unique(np.asarray(worlds), return_inverse=True)
    counts = np.bincount(places)
    sums = np.bincount(places, weights=array)
    drawn = np.random.default_rng(seed).integers(0, len(counts), (RESAMPLES, len(counts)))
    low, high = np.percentile(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1), [2.5, 97.5])
    return float(array.mean()), float(low), float(high)


def measured(values: Sequence[float | None], worlds: Sequence[int]) -> dict[str, float]:
    """The mean of the values that are known, with its interval."""
    known = [(value, world) for value, world in zip(values, worlds, strict=True) if value is not None]
    return dict(zip(("mean", "low", "high"), interval(*zip(*known, strict=True)), strict=True))


def gained(first: Mapping[str, Any], last: Mapping[str, Any], measure: str) -> dict[str, float] | None:
    """How much a measure rose between two evaluations of the same sessions, session by session; None: nobody knows."""
    pairs = zip(first["values"][measure], last["values"][measure], strict=True)
    rises = [None if before is None or after is None else after - before for before, after in pairs]
    return measured(rises, first["worlds"]) if any(rise is not None for rise in rises) else None


@dataclass
class Curve:
    """The curve of a run: evaluations, and what the trainer logged. Saved whenever something comes.

    Args:
        out: a folder.
        arguments: of the run; where `log` is one of them, what comes is logged there, too.
    """

    out: Path
    arguments: Mapping[str, Any]
    evaluations: list[dict[str, Any]] = field(default_factory=list)
    logged: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._begun = time.monotonic()
        target = self.arguments.get("log")
        self._logger: Logger | None = make_logger(target) if target else None
        if self._logger is not None:
            atexit.register(self._logger.close)

    @classmethod
    def begun(cls, out: Path, arguments: Mapping[str, Any], *, resume: bool) -> Curve:
        """The curve of a run that begins, or of one that goes on.

        What an earlier run left (checkpoints, played sessions, finished stages) would be taken for this one's, so a
        folder that holds a run is refused unless that run is to go on.
        """
        if resume:
            return cls.resumed(out, arguments)
        if (out / "curve.json").exists():
            raise SystemExit(f"--out {out}: there is a run already; go on with it by --resume, or name another folder")
        curve = cls(out, arguments)
        curve.save()
        return curve

    @classmethod
    def resumed(cls, out: Path, arguments: Mapping[str, Any]) -> Curve:
        """The curve of a run that goes on; with other arguments than the run's it would be another run."""
        curve = cls(out, arguments)
        if (out / "curve.json").exists():
            found = json.loads((out / "curve.json").read_text(encoding="utf-8"))
            now = curve.content()["arguments"]
            for name in sorted(now.keys() & found["arguments"].keys() - MAY_CHANGE):
                was = found["arguments"][name]
                if was != now[name]:
                    option = "--" + name.replace("_", "-")
                    raise SystemExit(f"--resume: the run in {out} has {option} {was}, not {now[name]}")
            curve.evaluations, curve.logged = found["evaluations"], found["logged"]
            curve._begun -= max((one["seconds"] for one in (*curve.evaluations, *curve.logged)), default=0.0)
        return curve

    def has(self, when: str, split: str) -> bool:
        """Whether that evaluation was made."""
        return any((one["when"], one["split"]) == (when, split) for one in self.evaluations)

    def logs(self, stage: str) -> bool:
        """Whether anything was noted of a stage."""
        return any(one["stage"] == stage for one in self.logged)

    def evaluated(self, when: str, split: str, results: Sequence[Any]) -> dict[str, Any]:
        """Note an evaluation, by what came of its sessions, and print it."""
        found: dict[str, Any] = {"when": when, "split": split, "sessions": len(results), "measures": {}}
        found["unscored"] = sum(one.score is None for one in results)
        found["worlds"] = [one.variant for one in results]
        found["values"] = {name: [one.values.get(name) for one in results] for name in MEASURES}
        found["values"]["cut_short"] = [float(one.cut_short) for one in results]
        for name, values in found["values"].items():
            if any(value is not None for value in values):
                found["measures"][name] = measured(values, found["worlds"])
        told = ", ".join(f"{name} {one['mean']:.3f}" for name, one in found["measures"].items())
        print(f"{self.out.name}: {when}, {split} ({len(results)} sessions): {told}", flush=True)
        means = {f"{split}/{name}": one["mean"] for name, one in found["measures"].items()}
        return self._add(self.evaluations, found, means)

    def log(self, stage: str, step: int = 0, **values: float) -> None:
        """Note what a trainer logged at a step, from 1; 0: before its training.

        A run that goes on from a checkpoint takes the steps behind it again: what was noted of them is replaced.
        """
        again = [
            one
            for one in self.logged
            if one["stage"] == stage and (one["step"] > step or (one["step"] == step and one.keys() & values.keys()))
        ]
        self.logged = [one for one in self.logged if one not in again]
        figures = {f"{stage}/{name}": value for name, value in values.items()}
        self._add(self.logged, {"stage": stage, "step": step, **values}, figures)

    def _add(self, where: list[dict[str, Any]], what: dict[str, Any], figures: Mapping[str, float]) -> dict[str, Any]:
        where.append({**what, "seconds": round(time.monotonic() - self._begun, 1)})
        self.save()
        if self._logger is not None:
            # Stages count their steps anew, which a logger's may not: theirs is the number of what has come.
            self._logger.log(len(self.logged) + len(self.evaluations), figures)
        return what

    def content(self) -> dict[str, Any]:
        """All of it, as JSON has it."""
        plain = {name: str(value) if isinstance(value, Path) else value for name, value in self.arguments.items()}
        return {"arguments": plain, "evaluations": self.evaluations, "logged": self.logged}

    def save(self) -> None:
        """Write curve.json."""
        self.out.mkdir(parents=True, exist_ok=True)
        fresh = self.out / "curve.json.new"
        fresh.write_text(json.dumps(self.content(), indent=1) + "\n", encoding="utf-8")
        fresh.replace(self.out / "curve.json")

    def table(self, measures: Sequence[str] = ("proc", "strict_proc", "comp", "return")) -> str:
        """The evaluations as a table in Markdown, and what was gained between the first and the last of each split."""
        lines = [f"| split | when | sessions | {' | '.join(measures)} |", "| --- " * (3 + len(measures)) + "|"]
        for split in dict.fromkeys(one["split"] for one in self.evaluations):
            found = [one for one in self.evaluations if one["split"] == split]
            rows = [(one["when"], one["measures"]) for one in found]
            if len(found) > 1:
                rows.append(("gained", {name: gained(found[0], found[-1], name) for name in measures}))
            for when, values in rows:
                cells = [_cell(values.get(name)) for name in measures]
                lines.append(f"| {split} | {when} | {found[0]['sessions']} | {' | '.join(cells)} |")
        return "\n".join(lines)


def _cell(value: Mapping[str, float] | None) -> str:
    return "" if value is None else "{mean:.3f} ({low:.3f} to {high:.3f})".format(**value)
