"""`pi-gym validate`: prove that tasks are what they claim to be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from pi_gym.cli.common_options import MAX_VARIANTS, path


def command(
    pack: Annotated[str | None, typer.Argument(help="A name or a folder; without it every installed pack.")] = None,
    task: Annotated[list[str] | None, typer.Option(help="Only this task; can be repeated.")] = None,
    variants: Annotated[
        int,
        typer.Option(
            min=1,
            max=MAX_VARIANTS,
            help="How many variants of each task; up to five of the validation split are added.",
        ),
    ] = 15,
    first: Annotated[
        int, typer.Option(min=0, help="The first of these variants; those of the validation split are added only to 0.")
    ] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option(
            parser=path,
            metavar="PATH",
            help="Write the report: JSON for *.json, Markdown for *.md, both into a folder.",
        ),
    ] = None,
    whole: Annotated[
        bool | None,
        typer.Option("--whole/--part", help="Judge the episode as a benchmark's of 20 sessions, whatever the pack."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> None:
    """Prove that the tasks of a pack can be solved, leak nothing and reward nothing else.

    The exit status is 1 where some task does not hold.
    """
    from pi_gym.cli.bar import bar
    from pi_gym.cli.finding import named_ids, open_environment
    from pi_gym.family import load_entry
    from pi_gym.runs.plan import named_task

    packs: list[Any] = []
    provers: list[Any] = []
    for env_id, kwargs in named_ids(pack):
        env = open_environment(env_id, kwargs)
        if pack is None and not env.family.prover:
            typer.echo(f"{env_id}: left out, for there is no prover of tasks of {env.family.name}", err=True)
            continue
        for one in env.packs:
            packs.append(one)
            provers.append(load_entry(env.family.prover, f"prover of tasks of {env.family.name}"))
    chosen = [named_task(packs, name) for name in task or ()]
    reports = []
    for found, validate_pack in zip(packs, provers, strict=True):
        wanted = [name for of_pack, name in chosen if of_pack == found.name] if task else None
        if wanted != []:
            with bar(found.name, quiet) as tell:
                reports.append((found.name, validate_pack(found, wanted, variants, jobs, tell, whole, first)))
    text = "\n".join(report.markdown() for _, report in reports)
    typer.echo(text)
    if out is not None:
        _write(out, text, {name: report.to_json() for name, report in reports})
    if not all(report.ok for _, report in reports):
        raise typer.Exit(1)


def _write(out: Path, text: str, data: dict[str, Any]) -> None:
    from pi_gym.errors import PiGymError

    forms = {".json": json.dumps(data, indent=2, ensure_ascii=False) + "\n", ".md": text + "\n"}
    places = (
        {out: forms[out.suffix]} if out.suffix in forms else {out / f"validation{end}": forms[end] for end in forms}
    )
    try:
        for place, content in places.items():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(content)
    except OSError as error:
        raise PiGymError(f"{out} cannot be written: {error.strerror or error}") from error
