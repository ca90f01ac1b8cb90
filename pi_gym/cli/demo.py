"""`pi-gym demo`: three agents over all sessions of a pack, and what they come to."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pi_gym.cli.common_options import MAX_VARIANTS, faulty_text, left_out_text, path, unscored_text
from pi_gym.cli.text_table import number, table

if TYPE_CHECKING:
    from pi_gym.env import SessionEnv
    from pi_gym.rollout import RunSummary

AGENTS = ("reference", "silent", "asking")
MARK = "demo.json"
_SUMMARY = "summary.json"
_GATHERED = ("trajectories.jsonl", "unscored.jsonl", "metrics.jsonl")
_ERRORS = "errors.log"


def command(
    out: Annotated[Path, typer.Option(parser=path, metavar="PATH", help="Where the runs are written.")] = Path(
        "runs/demo"
    ),
    variants: Annotated[int, typer.Option(min=1, max=MAX_VARIANTS, help="How many worlds.")] = 4,
    workers: Annotated[
        int | None, typer.Option("--workers", "--num-envs", min=1, help="Number of processes; all cores by default.")
    ] = None,
    pack: Annotated[
        str, typer.Option(help="What is played: an environment's id, a pack's name, or the path of its folder.")
    ] = "researcher",
    exclude_needs: Annotated[
        list[str] | None,
        typer.Option(help="Leave out tasks that need this: exec, a sandbox; without one they are left out anyway."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> None:
    """Let three agents play every session in several worlds, and compare them.

    `reference` plays each task's own solution, `silent` does nothing, `asking` asks general questions and does
    nothing. A folder of an earlier demo is written anew. Where no sandbox works, tasks that run shell commands are left
    out, and the first line says so.
    """
    from pi_gym.cli.bar import bars
    from pi_gym.cli.finding import named_ids, open_environment
    from pi_gym.rollout import collect
    from pi_gym.runs.store import write_json

    (name, kwargs), *_ = named_ids(pack)
    env = open_environment(name, kwargs)
    if not exclude_needs and (why := _why_unplayable(env)):
        exclude_needs = ["exec"]
        typer.echo(f"No sandbox runs shell commands here, so this is played as with --exclude-needs exec. ({why})")
    env.close()
    _prepare(out)
    if exclude_needs:
        kwargs = {**kwargs, "exclude_needs": tuple(exclude_needs)}
    summaries: dict[str, RunSummary] = {}
    with bars(quiet) as bar:
        for agent in AGENTS:
            summaries[agent] = collect(
                name,
                agent,
                variants=list(range(variants)),
                workers=workers or len(os.sched_getaffinity(0)),
                env_kwargs=kwargs,
                out=out / agent,
                progress=bar(agent),
            )
    _gather(out)
    found = {agent: summary.to_json() for agent, summary in summaries.items()}
    write_json(out / _SUMMARY, {"env_id": name, "variants": variants, "agents": found})
    typer.echo(f"{_report(summaries)}\n{_legend(summaries)}")
    if left_out := left_out_text(next(iter(summaries.values())).plan).strip():
        typer.echo(left_out)
    typer.echo(f"written to {out}: {', '.join(_GATHERED)}, {_SUMMARY}")
    unscored = sum(summary.unscored for summary in summaries.values())
    if unscored:
        kinds = ", ".join(f"{summary.unscored} of {agent}" for agent, summary in summaries.items() if summary.unscored)
        first = next(summary.first_error for summary in summaries.values() if summary.unscored)
        typer.echo(unscored_text(unscored, kinds, first), err=True)
        logs = " and ".join(str(out / name) for name in ("unscored.jsonl", _ERRORS) if (out / name).exists())
        typer.echo(f"pi-gym: see {logs}", err=True)
    faulty = sum(summary.faulty for summary in summaries.values())
    if faulty:
        first = next(summary.first_fault for summary in summaries.values() if summary.faulty)
        typer.echo(faulty_text(faulty, first), err=True)
    if unscored or faulty:
        raise typer.Exit(1)


def _prepare(out: Path) -> None:
    """An empty folder with our mark; what an earlier demo wrote is deleted, and only that."""
    from pi_gym.runs.lines import RunError, explained
    from pi_gym.runs.run_files import RUN_FILES
    from pi_gym.runs.store import clear_run, write_json

    with explained(out, "cannot be written"):
        if out.exists() and not out.is_dir():
            raise RunError(f"{out} is a file; choose a folder with --out.")
        if out.is_dir() and any(out.iterdir()) and not _is_marked(out):
            raise RunError(f"{out} holds other things than an earlier demo; choose another --out.")
        for agent in AGENTS:
            odd = sorted({entry.name for entry in (out / agent).glob("*")} - set(RUN_FILES))
            if odd:
                raise RunError(f"{out / agent} holds {odd[0]!r}, which no demo wrote; choose another --out.")
        for agent in AGENTS:
            clear_run(out / agent)
        for name in (*_GATHERED, _ERRORS, _SUMMARY):
            (out / name).unlink(missing_ok=True)
        out.mkdir(parents=True, exist_ok=True)
        write_json(out / MARK, {"written_by": "pi-gym demo", "agents": list(AGENTS)})


def _why_unplayable(env: SessionEnv) -> str:
    """The reason why some of an environment's tasks cannot be played here; empty where all can."""
    from pi_gym.errors import SandboxNeeded

    try:
        env.require_needs((pack.name, task_id) for pack in env.packs for task_id in pack.task_ids)
    except SandboxNeeded as error:
        return error.reason
    return ""


def _is_marked(out: Path) -> bool:
    try:
        mark = json.loads((out / MARK).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return False
    return isinstance(mark, dict) and mark.get("written_by") == "pi-gym demo"


def _gather(out: Path) -> None:
    """Make one run folder of the agents' own: a session's key names its agent, so the lines stay apart."""
    from pi_gym.runs.lines import explained
    from pi_gym.runs.store import clear_run

    with explained(out, "cannot be written"):
        for name in (*_GATHERED, _ERRORS):
            parts = [out / agent / name for agent in AGENTS if (out / agent / name).exists()]
            if parts:
                with (out / name).open("wb") as target:
                    for part in parts:
                        target.write(part.read_bytes())
        for agent in AGENTS:
            clear_run(out / agent)


def _legend(summaries: dict[str, RunSummary]) -> str:
    shown = next(iter(summaries.values())).family.shown
    return "; ".join([f"{one.title}: {one.meaning}" for one in shown if one.meaning]) + (
        "; reference sees each task's solution."
    )


def _report(summaries: dict[str, RunSummary]) -> str:
    measures = next(iter(summaries.values())).family.shown
    rows = [
        [agent, str(summary.scored), *(number(summary.overall[one.name].mean, one.decimals) for one in measures)]
        for agent, summary in summaries.items()
    ]
    heads = [one.title for one in measures]
    return table(["agent", "sessions", *heads], rows, right=range(1, len(heads) + 2))
