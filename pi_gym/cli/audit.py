"""`pi-gym audit`: judgements of the same sessions compared, and the kit with which readers audit tasks blind."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from pi_gym.cli.common_options import path

KIT = "Readers who judge"


def command(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            parser=path,
            metavar="RUN",
            help="Runs' folders. Without an option: RUN_A and another judgement of it, by default its re-scoring.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            parser=path,
            metavar="PATH",
            help="Write the report: JSON for *.json, else Markdown. The folder of --bundle and --plan.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    bundle: Annotated[
        bool, typer.Option("--bundle", help="Write a page for judges of every session.", rich_help_panel=KIT)
    ] = False,
    verdicts: Annotated[
        Path | None,
        typer.Option(
            parser=path, metavar="DIR", help="Compare the runs with judges' NAME.JUDGE.json.", rich_help_panel=KIT
        ),
    ] = None,
    brief: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Print the brief of a player (helpful, plain) or judge; of Pare pare-helpful, pare-plain, pare-judge.",
            rich_help_panel=KIT,
        ),
    ] = None,
    plan: Annotated[
        str | None, typer.Option(metavar="ENV_ID", help="Write the sheet of an audit's sessions.", rich_help_panel=KIT)
    ] = None,
    split: Annotated[
        str, typer.Option(help="With --plan: where the variants are drawn from.", rich_help_panel=KIT)
    ] = "validation",
    seed: Annotated[int, typer.Option(min=0, help="With --plan: draws the sheet.", rich_help_panel=KIT)] = 0,
    tasks: Annotated[
        int | None,
        typer.Option(min=1, help="With --plan: so many tasks, drawn; else all.", rich_help_panel=KIT),
    ] = None,
    pack: Annotated[
        str | None,
        typer.Option(
            help="With --plan: another pack than the id's; with --bundle: where it is not where the run had it.",
            rich_help_panel=KIT,
        ),
    ] = None,
) -> None:
    """Compare judgements of the same sessions: rule against model, model against model, rules against readers.

    With an option of the kit: plan an audit, print its briefs, write the bundles that judges read, and compare the runs
    with what they found.
    """
    runs = runs or []
    asked = {"--bundle": bundle, "--verdicts": verdicts is not None, "--brief": brief is not None, "--plan": bool(plan)}
    given = [name for name, is_given in asked.items() if is_given]
    if len(given) > 1:
        raise typer.BadParameter(f"{' and '.join(given)} are different things; give one.")
    if brief is not None:
        typer.echo(_brief(brief), nl=False)
    elif plan is not None:
        _plan(plan, out, split, seed, pack, tasks)
    elif not runs:
        raise typer.BadParameter("is needed.", param_hint="RUN")
    elif bundle:
        _bundle(_played(runs), out, pack)
    elif verdicts is not None:
        from pi_gym.audit.audit_page import audit_page
        from pi_gym.audit.comparison import compare_verdicts
        from pi_gym.environments import family_named
        from pi_gym.runs.recorded import run_family

        runs = _played(runs)
        audit = compare_verdicts(runs, verdicts)
        titles = {one.name: one.title for one in family_named(run_family(runs[0])).shown}
        _report(audit.to_json(), audit_page(audit, titles), out, as_json=as_json)
    elif len(runs) > 2:
        raise typer.BadParameter("expected RUN_A and RUN_B, got more.", param_hint="RUN")
    else:
        from pi_gym.rejudging.agreement import compare_runs

        found = compare_runs(*runs)
        _report(found.to_json(), found.markdown(), out, as_json=as_json)


def _played(runs: list[Path]) -> list[Path]:
    from pi_gym.audit.bundles import played_runs

    played = played_runs(runs)
    for run in runs:
        if run not in played:
            typer.echo(f"pi-gym: {run} is left out, for it has no scored session yet", err=True)
    return played


def _report(content: dict[str, Any], text: str, out: Path | None, *, as_json: bool) -> None:
    from pi_gym.errors import PiGymError

    written = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    typer.echo(written if as_json else text, nl=False)
    if out is not None:
        try:
            out.write_text(written if out.suffix == ".json" else text, encoding="utf-8")
        except OSError as error:
            raise PiGymError(f"{out} cannot be written: {error.strerror}") from error


def _brief(name: str) -> str:
    from importlib.resources import files

    from pi_gym.errors import UnknownName, unknown

    briefs = {one.name.removesuffix(".md"): one for one in files("pi_gym.audit").joinpath("briefs").iterdir()}
    if name not in briefs:
        raise UnknownName(unknown("brief", name, sorted(briefs)))
    return briefs[name].read_text(encoding="utf-8")


def _plan(env_id: str, out: Path | None, split: str, seed: int, pack: str | None, tasks: int | None) -> None:
    from pi_gym.audit.sheet import BEGIN, SHEET, plan_audit, write_sheet
    from pi_gym.errors import UnknownName, unknown
    from pi_gym.sampling import SPLITS

    if out is None:
        raise typer.BadParameter("is needed with --plan.", param_hint="--out")
    if split not in SPLITS:
        raise UnknownName(unknown("split", split, SPLITS))
    if pack is not None and Path(pack).exists():
        pack = str(Path(pack).resolve())
    kwargs = {} if pack is None else {"pack": pack}
    rows = plan_audit(env_id, kwargs, split=split, seed=seed, tasks=tasks)
    write_sheet(rows, out, env_id, () if pack is None else ("--pack", pack))
    twice = sum(row.judges > 1 for row in rows)
    typer.echo(f"{len(rows)} sessions, {twice} of them judged twice: {out / SHEET}; begin them with sh {out / BEGIN}")


def _bundle(runs: Sequence[Path], out: Path | None, pack: str | None) -> None:
    from pi_gym.audit.bundles import bundles_folder, write_bundles
    from pi_gym.runs.recorded import unjudged

    failures: dict[str, str] = {}
    for run in runs:
        folder = out or bundles_folder(run)
        written, failed = write_bundles(run, folder, pack=pack)
        left_out = f"; left out, for they have no score: {unjudged(run)}" if unjudged(run) else ""
        typer.echo(f"{run}: bundles in {folder}: {len(written)}{left_out}")
        failures |= failed
    for name, why in failures.items():
        typer.echo(f"pi-gym: no bundle {name}: {why}", err=True)
    if failures:
        raise typer.Exit(1)
