"""The progress bars, on stderr, where stderr is a terminal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pi_gym.cli.text_table import number

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from pi_gym.evaluation.evaluation_progress import EvaluationProgress
    from pi_gym.rollout import Progress as RunProgress

_ROOM_FOR_NAME, _ROOM_FOR_BAR, _ROOM_FOR_LOAD = 70, 100, 140


@contextmanager
def bars(quiet: bool) -> Iterator[Callable[[str], Callable[[RunProgress], None]]]:
    """Bars for runs: call it with a run's name for what `collect(progress=...)` takes."""
    with _progress(quiet) as progress:

        def add(name: str) -> Callable[[RunProgress], None]:
            bar = progress.add_task(name, total=None, told="", rate="", load="")

            def tell(now: RunProgress) -> None:
                told = "  ".join(f"{name} {number(mean)}" for name, mean in now.means.items())
                if now.unscored:
                    told += f"  {now.unscored} unscored"
                rate = f"{now.sessions_per_s:.1f}/s  {now.steps_per_s:.0f} steps/s"
                progress.update(bar, total=now.total, completed=now.done, told=told, rate=rate, load=load_text(now))

            return tell

        yield add


def load_text(now: RunProgress) -> str:
    """The load in words: what sessions wait for, how long they did lately, and how many requests are out.

    One part for each: "user 3 wait, 1.2 s (p95 2), 3/64 out".
    """
    requests = {("policy" if role == "agent" else role): found for role, found in now.load.requests.items()}
    parts = []
    for name in dict.fromkeys([*now.latency, *now.load.waiting, *requests]):
        found = []
        if now.load.waiting:
            found.append(f"{now.load.waiting.get(name, 0)} wait")
        if name in now.latency:
            found.append(f"{now.latency[name].mean_s:.2g} s (p95 {now.latency[name].p95_s:.2g})")
        if name in requests:
            found.append(f"{requests[name].in_flight}/{requests[name].limit} out")
        if found:
            parts.append(f"{name} {', '.join(found)}")
    return "  ".join(parts)


@contextmanager
def evaluation_bar(quiet: bool) -> Iterator[Callable[[EvaluationProgress], None]]:
    """One bar over all agents of an evaluation: what `evaluate(progress=...)` takes."""
    with _progress(quiet, remaining=False) as progress:
        task = progress.add_task("", total=None, told="", rate="", load="")

        def tell(now: EvaluationProgress) -> None:
            told = [f"{name} {number(mean)}" for name, mean in now.means.items()]
            told += [f"{now.unscored} unscored"] if now.unscored else []
            told += [f"{time_text(now.remaining_s)} left"] if now.remaining_s is not None else []
            if now.cost is not None:
                told.append(f"cost {now.cost:.2f} of about {number(now.cost_in_all, 2)}")
            progress.update(task, description=now.label, total=now.total, completed=now.done, told="  ".join(told))

        yield tell


def time_text(seconds: float) -> str:
    """A time in hours and minutes.

    >>> time_text(4000), time_text(20)
    ('1 h 07 min', '1 min')
    """
    hours, minutes = divmod(max(1, math.ceil(seconds / 60)), 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min"


@contextmanager
def bar(name: str, quiet: bool) -> Iterator[Callable[[int, int, str], None]]:
    """One bar: call it with what is done, what there is in all, and what was done last."""
    with _progress(quiet) as progress:
        task = progress.add_task(name, total=None, told="", rate="", load="")

        def tell(done: int, total: int, label: str) -> None:
            progress.update(task, total=total, completed=done, told=label)

        yield tell


def _progress(quiet: bool, *, remaining: bool = True) -> Progress:
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    return Progress(*_columns(console.width, remaining), console=console, disable=quiet or not console.is_terminal)


def _columns(width: int, remaining: bool) -> list[ProgressColumn]:
    """The columns that fit into so many characters: counts and means first, then the name, then the rest."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.table import Column

    columns: list[ProgressColumn] = [MofNCompleteColumn(), TextColumn("{task.fields[told]}")]
    if width >= _ROOM_FOR_NAME:
        name = Column(no_wrap=True, overflow="ellipsis", max_width=width // 5)
        columns.insert(0, TextColumn("{task.description}", table_column=name))
        columns.append(TextColumn("{task.fields[rate]}"))
    if width >= _ROOM_FOR_LOAD:
        columns.append(TextColumn("{task.fields[load]}", table_column=Column(no_wrap=True, overflow="ellipsis")))
    if width >= _ROOM_FOR_BAR:
        columns.insert(1, BarColumn(bar_width=width // 6))
        columns += [TimeRemainingColumn()] if remaining else []
    return columns
