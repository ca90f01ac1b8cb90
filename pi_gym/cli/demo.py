"""`pi-gym demo`: three agents over a spread of sessions of everybody, or over all of a pack, and what they come to."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pi_gym.cli.common_options import MAX_VARIANTS, faulty_text, left_out_text, path, unscored_text
from pi_gym.cli.text_table import number, table

if TYPE_CHECKING:
    from pi_gym.env import SessionEnv
    from pi_gym.rollout import RunSummary
    from pi_gym.runs.plan import Plan

AGENTS = ("reference", "silent")
#: The third agent by family: it has the family's way of reaching the person, and knows nothing.
THIRD = {"pibench": "asking", "pare": "propose-everything"}
#: The spread that is played where no pack is named: everybody's environment, by the name of its folder.
SPREAD = {"researcher": "PiBench-Researcher-v0", "pharmacist": "PiBench-Pharmacist-v0", "pare": "Pare-v0"}
#: How many tasks of each are in it, and how many worlds of each task. One process plays them: to begin one, and to make
#: the past of its sessions, takes longer than to play so few.
SPREAD_TASKS, SPREAD_VARIANTS = 10, 2
_EVERY = (*AGENTS, *THIRD.values())
MARK = "demo.json"
_SUMMARY = "summary.json"
_GATHERED = ("trajectories.jsonl", "unscored.jsonl", "metrics.jsonl")
_ERRORS = "errors.log"


def command(
    out: Annotated[Path, typer.Option(parser=path, metavar="PATH", help="Where the runs are written.")] = Path(
        "runs/demo"
    ),
    variants: Annotated[
        int | None, typer.Option(min=1, max=MAX_VARIANTS, help="How many worlds; 4 of a pack, 2 of the spread.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            "--num-envs",
            min=1,
            help="Number of processes; by default all cores for a pack, 1 for the spread.",
        ),
    ] = None,
    pack: Annotated[
        str | None,
        typer.Option(help="What is played whole: an environment's id, a pack's name, or the path of its folder."),
    ] = None,
    exclude_needs: Annotated[
        list[str] | None,
        typer.Option(help="Leave out tasks that need this: exec, a sandbox; without one they are left out anyway."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> None:
    """Let three agents play sessions of everybody, or all of one pack, in several worlds, and compare them.

    `reference` plays each task's own solution, `silent` does nothing, `asking` asks general questions and does
    nothing, and `propose-everything` does so on the phone with proposals. A folder of an earlier demo is written anew.
    Without `--pack` a spread of sessions of each person and of Pare is played that needs no shell, the same on every
    machine. Of a pack, tasks that run shell commands are left out where no sandbox works, and the first line says so.
    """
    from pi_gym.cli.finding import named_ids, open_environment
    from pi_gym.runs.store import write_json

    if pack is None:
        _prepare(out)
        played = [
            _play(out / folder, env_id, {}, _spread(env_id), variants or SPREAD_VARIANTS, workers or 1, quiet)
            for folder, env_id in SPREAD.items()
        ]
        written = ", ".join(SPREAD)
    else:
        (name, kwargs), *_ = named_ids(pack)
        env = open_environment(name, kwargs)
        if not exclude_needs and (why := _why_unplayable(env)):
            exclude_needs = ["exec"]
            typer.echo(f"No sandbox runs shell commands here, so this is played as with --exclude-needs exec. ({why})")
        env.close()
        if exclude_needs:
            kwargs = {**kwargs, "exclude_needs": tuple(exclude_needs)}
        played = [_play(out, name, kwargs, None, variants or 4, workers or len(os.sched_getaffinity(0)), quiet)]
        written = ", ".join(_GATHERED)
    found = {one.env_id: one.to_json() for one in played}
    write_json(out / _SUMMARY, found[played[0].env_id] if pack is not None else {"parts": list(found.values())})
    typer.echo("\n\n".join(_report(part, named=pack is None) for part in _by_family(played)))
    if left_out := left_out_text(played[0].plan).strip():
        typer.echo(left_out)
    typer.echo(f"written to {out}: {written}, {_SUMMARY}")
    folders = [out] if pack is not None else [out / folder for folder in SPREAD]
    failed = [_tell_failures(one, folder) for one, folder in zip(played, folders, strict=True)]
    if any(failed):
        raise typer.Exit(1)


@dataclass(frozen=True)
class _Played:
    """The runs of the three agents in one environment.

    Args:
        env_id: its id; `variants` how many worlds.
        summaries: of each agent's run.
    """

    env_id: str
    variants: int
    summaries: dict[str, RunSummary]

    @property
    def plan(self) -> Plan:
        """The plan of the first agent, and but for its name of every other one."""
        return next(iter(self.summaries.values())).plan

    @property
    def who(self) -> str:
        """Whose sessions they are, in a word."""
        return self.env_id.removesuffix("-v0").removeprefix("PiBench-")

    def to_json(self) -> dict[str, object]:
        """The entry of summary.json."""
        agents = {agent: summary.to_json() for agent, summary in self.summaries.items()}
        return {"env_id": self.env_id, "variants": self.variants, "agents": agents}


def _spread(env_id: str) -> list[str]:
    """Tasks of an environment that need nothing beyond the engine, evenly from first to last."""
    from pi_gym.cli.finding import open_environment

    env = open_environment(env_id, {})
    (pack,) = env.packs
    tasks = [task for task in pack.task_ids if not pack.card(task).needs]
    env.close()
    count = min(SPREAD_TASKS, len(tasks))
    return [tasks[place * len(tasks) // count] for place in range(count)]


def _play(
    out: Path,
    env_id: str,
    kwargs: dict[str, Any],
    tasks: list[str] | None,
    variants: int,
    workers: int,
    quiet: bool,
) -> _Played:
    """Have the agents play in one environment, and make one run folder of their runs."""
    from pi_gym.cli.bar import bars
    from pi_gym.environments import family_of
    from pi_gym.rollout import collect

    summaries: dict[str, RunSummary] = {}
    _prepare(out)
    with bars(quiet) as bar:
        for agent in (*AGENTS, THIRD[family_of(env_id).name]):
            summaries[agent] = collect(
                env_id,
                agent,
                tasks=tasks,
                variants=list(range(variants)),
                workers=workers,
                env_kwargs=kwargs,
                out=out / agent,
                progress=bar(agent),
            )
    _gather(out)
    return _Played(env_id, variants, summaries)


def _tell_failures(played: _Played, out: Path) -> bool:
    """Say on stderr what has no score, and what broke; whether there is any of it."""
    summaries = played.summaries
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
    return bool(unscored or faulty)


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
        for agent in _EVERY:
            odd = sorted({entry.name for entry in (out / agent).glob("*")} - set(RUN_FILES))
            if odd:
                raise RunError(f"{out / agent} holds {odd[0]!r}, which no demo wrote; choose another --out.")
        for agent in _EVERY:
            clear_run(out / agent)
        for name in (*_GATHERED, _ERRORS, _SUMMARY):
            (out / name).unlink(missing_ok=True)
        out.mkdir(parents=True, exist_ok=True)
        write_json(out / MARK, {"written_by": "pi-gym demo", "agents": list(_EVERY)})


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
            parts = [out / agent / name for agent in _EVERY if (out / agent / name).exists()]
            if parts:
                with (out / name).open("wb") as target:
                    for part in parts:
                        target.write(part.read_bytes())
        for agent in _EVERY:
            clear_run(out / agent)


def _by_family(played: list[_Played]) -> list[list[_Played]]:
    """The parts that are measured alike, together."""
    found: dict[str, list[_Played]] = {}
    for one in played:
        found.setdefault(one.plan.family, []).append(one)
    return list(found.values())


def _report(played: list[_Played], *, named: bool) -> str:
    """The table of one family, and below it what its columns are; `named` says whose each row is."""
    measures = next(iter(played[0].summaries.values())).family.shown
    rows = [
        [
            *([one.who] if named else []),
            agent,
            str(summary.scored),
            *(number(summary.overall[measure.name].mean, measure.decimals) for measure in measures),
        ]
        for one in played
        for agent, summary in one.summaries.items()
    ]
    heads = [*(["who"] if named else []), "agent", "sessions", *(measure.title for measure in measures)]
    first = 2 if named else 1
    legend = "; ".join(f"{measure.title}: {measure.meaning}" for measure in measures if measure.meaning)
    return f"{table(heads, rows, right=range(first, len(heads)))}\n{legend}; reference sees each task's solution."
