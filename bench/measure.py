"""The common parts of the benchmarks: a figure, the timing of a call, the facts of the machine."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from time import perf_counter_ns, process_time_ns
from typing import Any

PACKAGES = ("gymnasium", "numpy", "pydantic", "google-re2", "rpds-py")


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured quantity.

    Args:
        group: the benchmark that it belongs to.
        name: what was measured.
        unit: of the values and of the target.
        values: the samples, in the order in which they were taken.
        target: what the median is held to, or None.
        least: the target is a lower bound; otherwise an upper one.
        note: what a reader must know beside the name.
    """

    group: str
    name: str
    unit: str
    values: tuple[float, ...]
    target: float | None = None
    least: bool = False
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """Median, tenth and ninetieth percentile, sample count, and whether the target is met (null: there is none)."""
        middle = median(self.values)
        met = None if self.target is None else bool(middle >= self.target if self.least else middle <= self.target)
        return {
            "group": self.group,
            "name": self.name,
            "unit": self.unit,
            "median": middle,
            "p10": quantile(self.values, 0.1),
            "p90": quantile(self.values, 0.9),
            "n": len(self.values),
            "target": self.target,
            "target_is": "at least" if self.least else "at most",
            "met": met,
            "note": self.note,
        }


def quantile(values: Sequence[float], share: float) -> float:
    """The sample that `share` of the samples do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def timed_us(call: Callable[[], object]) -> float:
    """The time of one call, in microseconds."""
    begin = perf_counter_ns()
    call()
    return (perf_counter_ns() - begin) / 1e3


def cpu_us(call: Callable[[], object]) -> float:
    """The CPU time of this process during one call, in microseconds."""
    begin = process_time_ns()
    call()
    return (process_time_ns() - begin) / 1e3


def ratios(above: Iterable[float], below: Iterable[float]) -> tuple[float, ...]:
    """The ratios of two interleaved series, pair by pair: what slows the machine for a while slows both."""
    return tuple(one / other for one, other in zip(above, below, strict=True))


def slope(points: Sequence[tuple[float, float]]) -> float:
    """The slope of the least-squares line through (x, y) points."""
    x_mean = sum(x for x, _ in points) / len(points)
    y_mean = sum(y for _, y in points) / len(points)
    spread = sum((x - x_mean) ** 2 for x, _ in points)
    return sum((x - x_mean) * (y - y_mean) for x, y in points) / spread if spread else 0.0


def shown(value: float) -> str:
    """A number with three digits that count, or all of its whole ones."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def resident_bytes() -> int:
    """The memory of this process that lies in RAM (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def machine_facts() -> dict[str, Any]:
    """CPU, cores, load at the start, interpreter and the versions of what the figures depend on."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "load_at_start": round(os.getloadavg()[0], 2),
        "system": f"{platform.system()} {platform.release()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "versions": {name: version(name) for name in PACKAGES},
    }


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())
