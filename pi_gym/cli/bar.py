"""The progress bars, on stderr, where stderr is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pi_gym.cli.tables import number

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from pi_gym.rollout import Progress as RunProgress

_ROOM_FOR_NAME, _ROOM_FOR_BAR = 70, 100


@contextmanager
def bars(quiet: bool) -> Iterator[Callable[[str], Callable[[RunProgress], None]]]:
    """Bars for runs: call it with a run's name for what `rollout(progress=...)` takes."""
    with _progress(quiet) as progress:

        def add(name: str) -> Callable[[RunProgress], None]:
            bar = progress.add_task(name, total=None, told="", rate="")

            def tell(now: RunProgress) -> None:
                elapsed = progress.tasks[bar].elapsed or 0.0
                rate = (now.done - now.earlier) / elapsed if elapsed > 0 else 0.0
                told = f"Proc {number(now.proc)}  Comp {number(now.comp)}"
                if now.unscored:
                    told += f"  {now.unscored} unscored"
                progress.update(bar, total=now.total, completed=now.done, told=told, rate=f"{rate:.1f}/s")

            return tell

        yield add


@contextmanager
def bar(name: str, quiet: bool) -> Iterator[Callable[[int, int, str], None]]:
    """One bar: call it with what is done, what there is in all, and what was done last."""
    with _progress(quiet) as progress:
        task = progress.add_task(name, total=None, told="", rate="")

        def tell(done: int, total: int, label: str) -> None:
            progress.update(task, total=total, completed=done, told=label)

        yield tell


def _progress(quiet: bool) -> Progress:
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    return Progress(*_columns(console.width), console=console, disable=quiet or not console.is_terminal)


def _columns(width: int) -> list[ProgressColumn]:
    """What there is room for on a terminal of so many columns: counts and means first, then the name, then the rest."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.table import Column

    columns: list[ProgressColumn] = [MofNCompleteColumn(), TextColumn("{task.fields[told]}")]
    if width >= _ROOM_FOR_NAME:
        name = Column(no_wrap=True, overflow="ellipsis", max_width=width // 5)
        columns.insert(0, TextColumn("{task.description}", table_column=name))
        columns.append(TextColumn("{task.fields[rate]}"))
    if width >= _ROOM_FOR_BAR:
        columns.insert(1, BarColumn(bar_width=width // 6))
        columns.append(TimeRemainingColumn())
    return columns
