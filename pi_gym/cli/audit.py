"""`pi-gym audit`: how far two judgements of the same sessions agree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from pi_gym.cli.common_options import path


def command(
    run_a: Annotated[Path, typer.Argument(parser=path, metavar="RUN_A", help="A run's folder.")],
    run_b: Annotated[
        Path | None,
        typer.Argument(parser=path, metavar="RUN_B", help="Another judgement of it; by default its re-scoring."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(parser=path, metavar="PATH", help="Write the report: JSON for *.json, else Markdown."),
    ] = None,
) -> None:
    """Compare two judgements of the same sessions: rule against model, model against model."""
    from pi_gym.errors import PiGymError
    from pi_gym.rejudging.agreement import compare_runs

    found = compare_runs(run_a, run_b)
    text = found.markdown()
    typer.echo(text, nl=False)
    if out is not None:
        written = json.dumps(found.to_json(), indent=2, ensure_ascii=False) + "\n" if out.suffix == ".json" else text
        try:
            out.write_text(written, encoding="utf-8")
        except OSError as error:
            raise PiGymError(f"{out} cannot be written: {error.strerror}") from error
