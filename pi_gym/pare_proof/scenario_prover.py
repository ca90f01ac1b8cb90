"""Proving scenarios: every check over scenarios and variants, in this process or in several."""

from __future__ import annotations

import multiprocessing
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from pi_gym.errors import StateMismatch
from pi_gym.pare.scenario_set import ScenarioSet
from pi_gym.pare_proof.plays import ScenarioCase
from pi_gym.pare_proof.scenario_checks import CHECKS
from pi_gym.pare_proof.set_checks import check_set, check_worth
from pi_gym.validation.report import Report, ReportColumn, Sheet, task_report
from pi_gym.validation.validated import ProgressCount, Teller, chosen_variants

LIMITS = (
    "This proves that each scenario can be solved, by nothing less than its help, and only with consent. It says"
    " nothing of how hard they are for a model."
)
#: All checks in the order of the report.
ALL_CHECKS = (*CHECKS, "worth", "set")
OVERVIEW = (
    ReportColumn("turns", "reference", "turns"),
    ReportColumn("calls", "reference", "calls"),
    ReportColumn("wanted", "reference", "wanted"),
    ReportColumn("writing calls", "steps", "writing calls"),
    ReportColumn("at once", "consent", "at once"),
    ReportColumn("unasked", "consent", "unasked"),
    ReportColumn("with harm", "harm", "passed"),
    ReportColumn("fixed proposal", "worth", "fixed-proposal"),
    ReportColumn("everything", "worth", "propose-everything"),
    ReportColumn("others' taken", "stuffing", "others taken"),
    ReportColumn("lines", "form", "lines"),
)


def validate_scenarios(
    scenarios: ScenarioSet,
    tasks: Sequence[str] | None = None,
    variants: int = 15,
    jobs: int = 1,
    progress: Teller | None = None,
    whole: bool | None = None,
    first: int = 0,
) -> Report:
    """Prove the scenarios of a set over many variants.

    Args:
        scenarios: the set.
        tasks: names of the scenarios to prove; None: all.
        variants: how many variants.
        first: the first of them; up to five of the validation split are added where it is 0.
        jobs: number of processes. With 1 everything runs in this one.
        progress: told of every finished (scenario, variant).
        whole: whether the set is judged as a whole; None: where all its scenarios are played.

    Returns:
        The report. It depends on the set and the variants only, not on `jobs`.

    Raises:
        UnknownName: no such scenario.
        StateMismatch: files of the set change meanwhile.
        ValueError: `variants` or `jobs` is below 1.
    """
    if jobs < 1:
        raise ValueError(f"jobs: expected 1 or more, got {jobs}")
    numbers = chosen_variants(variants, first)
    wanted = set(scenarios.task_ids if tasks is None else tasks)
    for name in sorted(wanted):
        scenarios.source(name)
    names = [name for name in scenarios.task_ids if name in wanted]
    told = ProgressCount(progress, len(names) * len(numbers))
    sheets: dict[str, list[Sheet]] = {name: [] for name in names}
    found = _here(scenarios, names, numbers) if jobs == 1 else _in_processes(scenarios, names, numbers, jobs)
    for name, made in found:
        sheets[name] += made
        for variant in numbers:
            told(f"{name}, variant {variant}")
    reports = tuple(task_report(name, [*made, check_worth(made)], ALL_CHECKS) for name, made in sheets.items())
    judged = len(names) == len(scenarios.task_ids) if whole is None else whole
    together = task_report("set", [check_set(scenarios, reports)], ALL_CHECKS) if judged and reports else None
    return Report(
        scenarios.name, scenarios.content_hash, numbers, reports, whole=together, overview=OVERVIEW, limits=LIMITS
    )


def check_scenario(
    scenarios: ScenarioSet, name: str, variants: Sequence[int], left_out: Collection[str] = ()
) -> list[Sheet]:
    """Every check of a scenario over these variants.

    Args:
        scenarios: the set.
        name: the scenario.
        variants: their numbers.
        left_out: checks that are not made.
    """
    sheets = []
    for variant in variants:
        try:
            case = ScenarioCase(scenarios, scenarios.instantiate(name, variant))
        except Exception as error:  # whatever an author's file raises is what the author has to know
            sheets.append(_raised(Sheet("reference", variant), error, "the world cannot be made"))
            continue
        for check, make in CHECKS.items():
            if check in left_out:
                continue
            sheet = Sheet(check, variant)
            try:
                make(case, sheet)
            except Exception as error:
                _raised(sheet, error, "the check could not be made")
            sheets.append(sheet)
    return sheets


def _raised(sheet: Sheet, error: Exception, what: str) -> Sheet:
    sheet.fail("error", f"{what}: {type(error).__name__}: {error}")
    return sheet


def _here(scenarios: ScenarioSet, names: Sequence[str], variants: Sequence[int]) -> Iterator[tuple[str, list[Sheet]]]:
    for name in names:
        yield name, check_scenario(scenarios, name, variants)


def _in_processes(
    scenarios: ScenarioSet, names: Sequence[str], variants: Sequence[int], jobs: int
) -> Iterator[tuple[str, list[Sheet]]]:
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        jobs_of = {
            pool.submit(_job, scenarios.folder, scenarios.content_hash, name, tuple(variants)): name for name in names
        }
        for future in as_completed(jobs_of):
            yield jobs_of[future], future.result()


def _job(folder: Path, content_hash: str, name: str, variants: Sequence[int]) -> list[Sheet]:
    scenarios = ScenarioSet(folder)
    if scenarios.content_hash != content_hash:
        raise StateMismatch(f"the files of {folder.name!r} changed since they were read; validate them again")
    return check_scenario(scenarios, name, variants)
