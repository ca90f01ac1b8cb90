"""`pi-gym report`: several runs side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pi_gym.cli.common_options import path


def command(
    runs: Annotated[
        list[Path],
        typer.Argument(
            parser=path, metavar="DIR…", help="Runs' folders, or folders that hold some; with --out audits' JSON too."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            parser=path, metavar="FOLDER", help="Write tables and charts: report.html, report.md, figures.json."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="With --out: replace a report that is there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line, with all measures.")] = False,
) -> None:
    """Show the measures of runs, a row each, beside the settings in which they differ; with --out write a report."""
    if out is not None:
        if as_json:
            raise typer.BadParameter("--json and --out are different things; figures.json has all figures.")
        _write(runs, out, force)
        return
    import json

    from pi_gym.cli.text_table import number, table
    from pi_gym.environments import family_named
    from pi_gym.report.discovery import find_runs
    from pi_gym.runs.comparability import incomparable
    from pi_gym.runs.run_table import common_tries, differing, reported_runs

    found = reported_runs(find_runs(runs)[0])
    named = differing(found)
    if as_json:
        for run in found:
            typer.echo(json.dumps(run.to_json(named), ensure_ascii=False))
        return
    measures, tries = family_named(found[0].summary["family"]).shown, common_tries(found)
    heads = [one.title for one in measures]
    if tries is not None:
        heads += [f"{tries[0]}{sign}{tries[1]}" for sign in "@^"]
    rows = []
    for run in found:
        means = [run.summary["overall"].get(one.name, {}).get("mean") for one in measures]
        texts = [number(mean, one.decimals) for mean, one in zip(means, measures, strict=True)]
        if tries is not None:
            of, most = tries
            texts += [number(run.summary["tries"][f"{of}{sign}k"][most]) for sign in "@^"]
        settings = [run.settings.get(name, "-") for name in named]
        rows.append([str(run.path), *settings, str(run.summary["scored"]), *texts])
    columns = ["run", *named, "sessions", *heads]
    typer.echo(table(columns, rows, right=range(len(named) + 1, len(columns))))
    for sentence in incomparable((run.path, run.asked) for run in found):
        typer.echo(f"not comparable: {sentence}")
    for run in found:
        if run.summary["unscored"] or run.summary["missing"] or run.summary["faulty"]:
            counts = ", ".join(f"{run.summary[name]} {name}" for name in ("unscored", "missing", "faulty"))
            typer.echo(f"{run.path}: {counts}")


def _write(places: list[Path], out: Path, force: bool) -> None:
    from pi_gym.report.benchmark import HTML, make_report, write_report
    from pi_gym.report.charts import charts_missing

    report = make_report(places)
    write_report(report, out, force=force)
    for text in (*report.warnings, *filter(None, [charts_missing()])):
        typer.echo(f"pi-gym: {text}", err=True)
    typer.echo(f"written to {out / HTML}")
    if any(" is left out: " in text for text in report.warnings):
        raise typer.Exit(1)
