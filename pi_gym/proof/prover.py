"""Running every check over tasks and variants, in this process or in several."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pi_gym.errors import StateMismatch
from pi_gym.packs import Pack, referred_pack
from pi_gym.proof import (
    commands,
    consistency,
    damage,
    declining,
    episode_form,
    form,
    knowledge,
    leaks,
    other_ways,
    recall,
    resistance,
    secrecy,
    sizes,
    step_removal,
    variety,
    work,
)
from pi_gym.proof.case import Case, make_case
from pi_gym.proof.coherence import check_coherence
from pi_gym.proof.open_report import open_report
from pi_gym.proof.report_form import LIMITS, OVERVIEW, pack_task_report
from pi_gym.sampling import FIRST_VALIDATION
from pi_gym.validation.report import Report, Sheet, TaskReport
from pi_gym.validation.validated import ProgressCount, Teller, chosen_variants

_CHECKS: tuple[tuple[str, Callable[[Case, Sheet], None]], ...] = (
    ("reference", work.check_reference),
    ("untouched", work.check_untouched),
    ("questions", work.check_questions),
    ("stuffing", resistance.check_stuffing),
    ("repetition", resistance.check_repetition),
    ("dump", resistance.check_dump),
    ("shotgun", resistance.check_shotgun),
    ("blind shotgun", resistance.check_blind_shotgun),
    ("generic questions", resistance.check_generic),
    ("damage", damage.check_damage),
    ("memorised questions", resistance.check_memorised),
    ("leaks", leaks.check_leaks),
    ("secrecy", secrecy.check_secrecy),
    ("recovery", knowledge.check_recovery),
    ("memory", recall.check_recall),
    ("wrong beliefs", knowledge.check_wrong_beliefs),
    ("undrawn values", knowledge.check_undrawn),
    ("declined", declining.check_declined),
    ("shell", commands.check_commands),
    ("other ways", other_ways.check_ways),
    ("own facets", other_ways.check_own_facets),
    ("consistency", consistency.check_consistency),
    ("form", form.check_form),
    ("sizes", sizes.check_sizes),
    ("tokens", sizes.check_tokens),
)


@dataclass(slots=True)
class Batch:
    """The findings of one job: sheets and facts by task."""

    sheets: dict[str, list[Sheet]] = field(default_factory=dict)
    facts: dict[str, list[variety.Facts]] = field(default_factory=dict)
    removals: dict[str, list[step_removal.Removal]] = field(default_factory=dict)


def validate_pack(
    pack: Pack,
    tasks: Sequence[str] | None = None,
    variants: int = 15,
    jobs: int = 1,
    progress: Teller | None = None,
    whole: bool | None = None,
    first: int = 0,
) -> Report:
    """Prove a pack's tasks over many variants.

    Args:
        pack: the pack, from `load_pack`.
        tasks: ids of the tasks to prove; None: all.
        variants: how many variants.
        first: the first of them; up to five of the validation split are added where it is 0.
        jobs: number of processes. With 1 everything runs in this one.
        progress: told of every finished (task, variant).
        whole: whether the pack must be a benchmark's, whole: 20 sessions, six groups and so on. None: where it is
            marked so and has 20 sessions. It is judged where all its tasks are played.

    Returns:
        The report. It depends on the pack and the variants only, not on `jobs`. Of a pack without predicates it says
        what it cannot prove.

    Raises:
        UnknownName: no such task.
        PackError: files of the pack cannot be read, or do not fit together; the message names file and field.
        StateMismatch: files of the pack change meanwhile.
        ValueError: `variants` or `jobs` is below 1.
    """
    if jobs < 1:
        raise ValueError(f"jobs: expected 1 or more, got {jobs}")
    wanted = set(pack.task_ids if tasks is None else tasks)
    for name in sorted(wanted):
        pack.require_task(name)
    numbers = chosen_variants(variants, first)
    names = [name for name in pack.task_ids if name in wanted]
    if not pack.has_rules:
        return open_report(pack, names, ProgressCount(progress, len(names)))
    check_coherence(pack)
    told = ProgressCount(progress, len(names) * len(numbers))
    if jobs == 1:
        batches = [check_variants(pack, names, numbers, told)]
    else:
        batches = list(_in_processes(pack, names, numbers, jobs, told))
    reports = tuple(_merged(pack, name, batches) for name in names)
    judged = episode_form.is_whole(pack) if whole is None else whole
    together = episode_form.check_whole(pack, reports, judged) if len(names) == len(pack.task_ids) else None
    return Report(pack.name, pack.content_hash, numbers, reports, whole=together, overview=OVERVIEW, limits=LIMITS)


def check_variants(
    pack: Pack,
    tasks: Sequence[str],
    variants: Iterable[int],
    told: Callable[[str], None] = lambda label: None,
    fresh: Pack | None = None,
    left_out: Collection[str] = (),
) -> Batch:
    """Every check of these tasks on these variants. All tasks of a variant share its chain of pasts.

    Args:
        pack: the pack.
        tasks: ids of tasks, in episode order.
        variants: the variants' numbers.
        told: called with what is done.
        fresh: the pack, read anew; None: it is read now.
        left_out: checks that are not made.
    """
    batch = Batch({name: [] for name in tasks}, {name: [] for name in tasks}, {name: [] for name in tasks})
    fresh = fresh or read_anew(pack)
    for variant in variants:
        for name in tasks:
            _check_case(pack, fresh, name, variant, batch, left_out)
            told(f"{name}, variant {variant}")
    return batch


def read_anew(pack: Pack) -> Pack:
    """The same pack under another name for its folder, so that no cache of the pack's serves it.

    Raises:
        StateMismatch: its files have changed.
    """
    fresh = Pack(pack.folder, f"{pack.folder}/.")
    if fresh.content_hash != pack.content_hash:
        raise StateMismatch(f"the files of pack {pack.name!r} changed since it was read; validate it again")
    return fresh


def _check_case(pack: Pack, fresh: Pack, task_id: str, variant: int, batch: Batch, left_out: Collection[str]) -> None:
    sheets = batch.sheets[task_id]
    try:
        case = make_case(pack, task_id, variant)
        batch.facts[task_id].append(variety.facts(case))
    except Exception as error:  # whatever an author's code raises is what the author has to know
        sheets.append(_raised(Sheet("reference", variant), error, "the task cannot be opened"))
        return
    checks: list[tuple[str, Callable[[Case, Sheet], None]]] = list(_CHECKS)
    checks.append((step_removal.CHECK, lambda case, sheet: batch.removals[task_id].extend(step_removal.removals(case))))
    if case.early:
        checks.append(("same bytes", lambda case, sheet: variety.check_same_bytes(case, sheet, fresh)))
    for name, check in checks:
        if name in left_out:
            continue
        sheet = Sheet(name, variant)
        try:
            check(case, sheet)
        except Exception as error:
            _raised(sheet, error, "the check could not be made")
        sheets.append(sheet)


def _raised(sheet: Sheet, error: Exception, what: str) -> Sheet:
    sheet.fail("error", f"{what}: {type(error).__name__}: {error}")
    return sheet


def _merged(pack: Pack, task_id: str, batches: Iterable[Batch]) -> TaskReport:
    sheets = [sheet for batch in batches for sheet in batch.sheets[task_id]]
    found = sorted((f for batch in batches for f in batch.facts[task_id]), key=lambda one: one.variant)
    removed = [one for batch in batches for one in batch.removals[task_id]]
    sheets += step_removal.check_removal(removed, len({sheet.variant for sheet in sheets}))
    source = pack.source_of(task_id)
    always_all = source.spec.draw.max == sum(intent.always for intent in source.pool)
    sheets.append(variety.check_variety(task_id, found, always_all))
    return pack_task_report(task_id, [*sheets, *episode_form.check_task_means(pack_task_report(task_id, sheets))])


def _in_processes(
    pack: Pack, tasks: Sequence[str], variants: Sequence[int], jobs: int, told: ProgressCount
) -> Iterator[Batch]:
    # A fresh interpreter for each process: it shares no cache with this one, and no threads.
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        # The early variants of either split are read anew, too: begun first, none of them is waited for at the end.
        order = sorted(variants, key=lambda variant: (variant % FIRST_VALIDATION, variant))
        futures: dict[Any, int] = {
            pool.submit(_job, pack.source, pack.content_hash, tasks, variant): variant for variant in order
        }
        for future in as_completed(futures):
            batch = future.result()
            for name in tasks:
                told(f"{name}, variant {futures[future]}")
            yield batch


def _job(source: str, content_hash: str, tasks: Sequence[str], variant: int) -> Batch:
    return check_variants(referred_pack(source, content_hash), tasks, [variant], fresh=_fresh(source, content_hash))


@cache
def _fresh(source: str, content_hash: str) -> Pack:
    """The pack that a process of its own reads anew, once."""
    return read_anew(referred_pack(source, content_hash))
