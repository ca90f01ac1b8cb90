"""Making a report: from folders of runs to Markdown, HTML and JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from importlib.resources import files
from pathlib import Path

from pi_gym.environments import family_named
from pi_gym.errors import PiGymError
from pi_gym.evaluation.evaluation_folder import EVALUATION
from pi_gym.export.draft_file import draft
from pi_gym.family import load_entry
from pi_gym.report.bootstrap import DRAWS
from pi_gym.report.common_parts import common_parts, judges_table
from pi_gym.report.contestants import ReadRun, ReportMaterial, contestants_of, task_cards
from pi_gym.report.discovery import AuditResult, find_runs
from pi_gym.report.html_page import html_page
from pi_gym.report.markdown_page import markdown_page
from pi_gym.report.report_parts import BenchmarkReport, ReportPart, ReportSection, ReportTable, TableCell, TableColumn
from pi_gym.report.session_rows import read_rows
from pi_gym.runs.comparability import incomparable
from pi_gym.runs.lines import RunError
from pi_gym.runs.recorded import RESCORED_FROM, read_run_json
from pi_gym.runs.run_json import FORMAT

MARKDOWN, HTML, FIGURES = "report.md", "report.html", "figures.json"
_NAMES = ("env_id", "family", "agent", "history_mode")
_OBJECTS = ("env_kwargs", "agent_settings", "packs")


def make_report(places: Sequence[Path]) -> BenchmarkReport:
    """The report on some runs and audits.

    Args:
        places: runs' folders, folders that hold some at any depth, and audits' JSON files.

    Raises:
        RunError: a path holds neither, or none of the runs can be read.
    """
    folders, audits, warnings = find_runs(places)
    runs: list[ReadRun] = []
    for folder in folders:
        try:
            run = _read(folder, folders)
        except PiGymError as error:
            warnings.append(f"{folder} is left out: {error}")
            continue
        runs.append(run)
        warnings += _unfinished(run)
    if not runs and (warnings or not audits):
        raise RunError("none of the runs can be reported on: " + "; ".join(warnings))
    families = dict.fromkeys(str(run.asked["family"]) for run in runs)
    if len(families) > 1:
        warnings.append("The runs are of several families; each has a section, and they are not compared.")
    sections = [_section([run for run in runs if run.asked["family"] == name], audits) for name in families]
    others = [one for one in audits if one.family not in families]
    if others:
        sections.append(ReportSection("Audits", (), tuple(judges_table(others))))
    return BenchmarkReport(_runs_table(runs), tuple(dict.fromkeys(warnings)), tuple(sections), DRAWS)


def write_report(report: BenchmarkReport, out: Path, *, force: bool = False) -> None:
    """Write a report's three files, all or none.

    Args:
        report: the report.
        out: the folder; made where it does not exist.
        force: replace files that are there.

    Raises:
        RunError: one is there already, or it cannot be written.
    """
    intervals = files("pi_gym.report").joinpath("page/intervals.txt").read_text(encoding="utf-8")
    told = intervals.strip().format(draws=f"{report.draws:,}")
    if out.is_file():
        raise RunError(f"{out} is a file; name a folder with --out")
    texts = {
        FIGURES: json.dumps(report.to_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n",
        MARKDOWN: markdown_page(report, told),
        HTML: html_page(report, told),
    }
    with ExitStack() as drafts:
        places = {name: drafts.enter_context(draft(out / name, force=force)) for name in texts}
        for name, text in texts.items():
            # A name can hold half of a surrogate pair, which UTF-8 cannot.
            places[name].write_bytes(text.encode("utf-8", "backslashreplace"))


def _read(folder: Path, folders: Sequence[Path]) -> ReadRun:
    asked = read_run_json(folder)
    if asked.get("format") != FORMAT:
        raise RunError(f"expected a run.json of format {FORMAT}, got format {asked.get('format')!r}")
    lacking = [name for name in _NAMES if not isinstance(asked.get(name), str)]
    if lacking:
        raise RunError(f"its run.json lacks {', '.join(lacking)}")
    odd = [name for name in _OBJECTS if not isinstance(asked.get(name) or {}, dict)]
    if odd:
        raise RunError(f"in its run.json {', '.join(odd)} should be an object each; it was changed by hand")
    if RESCORED_FROM in asked:
        source = (folder / str(asked[RESCORED_FROM])).resolve()
        if source in {one.resolve() for one in folders}:
            raise RunError(f"it re-scores {source}, which is in the report; compare the two by pi-gym audit")
    return ReadRun(
        folder, asked, read_rows(folder, family_named(asked["family"]).tallied), _label(folder, asked["agent"])
    )


def _label(folder: Path, agent: str) -> str:
    """The label of the agent in the evaluation that holds the run's folder; its name where none does."""
    place = folder.resolve().parent
    try:
        agents = json.loads((place.parent / EVALUATION).read_text(encoding="utf-8"))["agents"]
        return next((str(label) for label, one in agents.items() if one["folder"] == place.name), agent)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return agent


def _unfinished(run: ReadRun) -> list[str]:
    found = [f"{run.path}: {remark}." for remark in run.rows.remarks]
    missing = _missing(run)
    if not run.rows.scored:
        found.append(f"{run.path} has no session with a score.")
    if missing:
        found.append(f"{run.path} is unfinished: {missing} of its sessions were not played; go on by --resume.")
    return found


def _missing(run: ReadRun) -> int:
    planned = run.asked.get("sessions")
    there = len(run.rows.scored) + len(run.rows.unscored)
    return max(0, planned - there) if isinstance(planned, int) else 0


def _section(runs: Sequence[ReadRun], audits: Sequence[AuditResult]) -> ReportSection:
    family = family_named(str(runs[0].asked["family"]))
    cards, notes = task_cards(runs)
    warnings = [*notes, *incomparable((one.path, one.asked) for one in runs)]
    beside = ("Not all rows can be compared: see the head of the section.",) if warnings else ()
    own = tuple(one for one in audits if one.family == family.name)
    material = ReportMaterial(family, contestants_of(runs), cards, own, beside)
    parts: list[ReportPart] = list(load_entry(family.report, "tables")(material)) if family.report else []
    parts += common_parts(material)
    environments = ", ".join(sorted({str(run.asked["env_id"]) for run in runs}))
    return ReportSection(environments, tuple(warnings), tuple(parts))


def _runs_table(runs: Sequence[ReadRun]) -> ReportTable:
    heads = ("run", "agent", "environment", "history", "split", "scored", "unscored", "missing")
    rows: list[list[TableCell]] = [
        [
            str(run.path),
            run.label,
            str(run.asked["env_id"]),
            str(run.asked["history_mode"]),
            str(run.asked.get("split", "-")),
            len(run.rows.scored),
            len(run.rows.unscored),
            _missing(run),
        ]
        for run in runs
    ]
    return ReportTable("runs", "Runs", [TableColumn(head) for head in heads], rows)
