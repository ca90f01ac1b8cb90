"""The progress bars, on stderr, where stderr is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pi_gym.cli.tables import number

if TYPE_CHECKING:
    from rich.progress import Progress

    from pi_gym.rollout import Progress as RunProgress


@contextmanager
def bars(quiet: bool) -> Iterator[Callable[[str], Callable[[RunProgress], None]]]:
    """Bars for runs: call it with a run's name for what `rollout(progress=...)` takes."""
    with _progress(quiet) as progress:

        def add(name: str) -> Callable[[RunProgress], None]:
            bar = progress.add_task(name, total=None, told="")

            def tell(now: RunProgress) -> None:
                elapsed = progress.tasks[bar].elapsed or 0.0
                rate = (now.done - now.earlier) / elapsed if elapsed > 0 else 0.0
                told = f"{rate:.1f}/s  Proc {number(now.proc)}  Comp {number(now.comp)}"
                if now.unscored:
                    told += f"  {now.unscored} unscored"
                progress.update(bar, total=now.total, completed=now.done, told=told)

            return tell

        yield add


@contextmanager
def bar(name: str, quiet: bool) -> Iterator[Callable[[int, int, str], None]]:
    """One bar: call it with what is done, what there is in all, and what was done last."""
    with _progress(quiet) as progress:
        task = progress.add_task(name, total=None, told="")

        def tell(done: int, total: int, label: str) -> None:
            progress.update(task, total=total, completed=done, told=label)

        yield tell


def _progress(quiet: bool) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[told]}"),
        TimeRemainingColumn(),
        console=console,
        disable=quiet or not console.is_terminal,
    )
