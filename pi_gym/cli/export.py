"""`pi-gym export`: a run as a data set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from pi_gym.cli.common_options import path

if TYPE_CHECKING:
    from pi_gym.export import Exported
    from pi_gym.export.forms import Format
    from pi_gym.export.sft import RowKind


def command(
    run: Annotated[Path, typer.Argument(parser=path, metavar="RUN", help="A run's folder, or a trajectories.jsonl.")],
    format_: Annotated[
        str, typer.Option("--format", help="parquet: a row a session; chat: JSON lines; sft: rows for fine-tuning.")
    ] = "parquet",
    out: Annotated[
        Path | None, typer.Option(parser=path, metavar="FILE", help="Where to; without it, into the run's folder.")
    ] = None,
    rows: Annotated[str, typer.Option(help="Of sft: one row for each session, turn or step.")] = "session",
    thoughts: Annotated[
        bool, typer.Option("--thoughts", help="Of chat and sft: with the agent's thoughts, as reasoning_content.")
    ] = False,
    min_return: Annotated[float | None, typer.Option(help="Only sessions with at least this return.")] = None,
    include_unscored: Annotated[
        bool, typer.Option("--include-unscored", help="Attempts without a score too, after the sessions.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Write a run's sessions into one file: Parquet, chats as JSON lines, or rows for supervised fine-tuning."""
    from pi_gym.export import export

    done = export(
        run,
        out,
        format=cast("Format", format_),
        rows=cast("RowKind", rows),
        thoughts=thoughts,
        min_return=min_return,
        include_unscored=include_unscored,
        force=force,
    )
    typer.echo(_report(done))


def _report(done: Exported) -> str:
    counts = done.counts
    sessions = f"{counts.sessions} session{'' if counts.sessions == 1 else 's'}"
    text = f"{sessions} in {done.rows} row{'' if done.rows == 1 else 's'}, written to {done.path}"
    left = {
        "without a score": counts.unscored,
        "below the least return": counts.below,
        "without an action, or with a number that the format cannot hold exactly": counts.unfit,
    }
    parts = [f"{count} {why}" for why, count in left.items() if count]
    return text + (f"\nleft out: {'; '.join(parts)}" if parts else "")
