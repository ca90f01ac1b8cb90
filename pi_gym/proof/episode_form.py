"""Checks of a pack's tasks together: what asking and guessing earn in the mean, and how the episode is built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from pi_gym.packs import Pack
from pi_gym.proof.recall import MIN_GAP
from pi_gym.proof.report_form import pack_task_report
from pi_gym.proof.resistance import MAX_MEMORISED
from pi_gym.validation.report import Sheet, TaskReport

CHECK = "episode"
MAX_GENERIC, MAX_GENERIC_TASK = 0.3, 0.5
SESSIONS, GROUPS, GROUP_SIZES, INDEPENDENT = 20, 6, (2, 3), 5
#: The tasks that a benchmark pack holds out: the numbers of groups, and of independent tasks.
HOLDOUT = (1, 2)
EVENTS, HEARTBEATS = 2, 1


def is_whole(pack: Pack) -> bool:
    """Whether a pack is a benchmark's, with all its sessions."""
    return pack.spec.benchmark and len(pack.task_ids) == SESSIONS


def check_task_means(task: TaskReport) -> list[Sheet]:
    """Check a task's variants together: generic questions earn half of it at most."""
    spread, sheet = task.number("generic questions", "Proc, most"), Sheet("generic questions", -1)
    if spread is not None and spread.mean > MAX_GENERIC_TASK:
        reason = f"generic questions earn a Proc of {spread.mean:.3g} in the mean, expected at most {MAX_GENERIC_TASK}"
        sheet.fail("generic questions", reason)
    return [sheet] if sheet.findings else []


def check_whole(pack: Pack, tasks: Sequence[TaskReport], judged: bool) -> TaskReport:
    """The pack's means and its episode.

    Args:
        pack: the pack.
        tasks: the reports of all its tasks.
        judged: whether the standards of a whole benchmark pack hold for it; else it is only measured.
    """
    sheet = Sheet(CHECK, -1)
    told = sheet.fail if judged else sheet.note
    _means(tasks, sheet, told)
    _structure(pack, sheet, sheet.fail if judged else None)
    return pack_task_report("", [sheet])


def _means(tasks: Sequence[TaskReport], sheet: Sheet, told: Callable[[str, str], None]) -> None:
    for title, check, name, low, high in (
        ("generic questions", "generic questions", "Proc, most", None, MAX_GENERIC),
        *(("memorised questions", "memorised questions", name, None, most) for name, most in MAX_MEMORISED.items()),
        ("visible request", "memory", "gap", MIN_GAP, None),
    ):
        found = [spread.mean for task in tasks if (spread := task.number(check, name)) is not None]
        if not found:
            continue
        sheet.numbers[f"{title}: {name.removesuffix(', most')}"] = mean = sum(found) / len(found)
        if high is not None and mean > high:
            told(title, f"{name} is {mean:.3g} in the mean over the tasks, expected at most {high}")
        if low is not None and mean < low:
            told(title, f"Proc is only {mean:.3g} below the memory agent's in the mean, expected {low} or more")


def _structure(pack: Pack, sheet: Sheet, fail: Callable[[str, str], None] | None) -> None:
    cards = [pack.card(name) for name in pack.task_ids]
    groups = Counter(card.group for card in cards if card.group)
    held = {card.group for card in cards if card.group and card.holdout}
    counts = {
        "sessions": (len(cards), SESSIONS),
        "groups": (len(groups), GROUPS),
        "independent": (sum(not card.group for card in cards), INDEPENDENT),
        "groups held out": (len(held), HOLDOUT[0]),
        "independent held out": (sum(card.holdout and not card.group for card in cards), HOLDOUT[1]),
        "events": (sum(card.details["trigger"] == "event" for card in cards), EVENTS),
        "heartbeats": (sum(card.details["trigger"] == "heartbeat" for card in cards), HEARTBEATS),
    }
    sheet.numbers |= {name: count for name, (count, _) in counts.items()}
    categories = Counter(card.details["category"] for card in cards)
    sheet.numbers |= {f"category {name}": categories[name] for name in sorted(categories)}
    if fail is None:
        return
    times = [(pack.instantiate(name).time, name) for name in pack.task_ids]
    for (before, _), (time, name) in pairwise(times):
        if time <= before:
            fail("order", f"{name} is at {time}, and the session before it in episode.yaml at {before}")
    for name, (count, due) in counts.items():
        if count != due:
            fail(name, f"{count}, expected {due}")
    for group, size in sorted(groups.items()):
        if not GROUP_SIZES[0] <= size <= GROUP_SIZES[1]:
            fail(f"group {group}", f"{size} sessions, expected {GROUP_SIZES[0]} to {GROUP_SIZES[1]}")
        if group in held and not all(card.holdout for card in cards if card.group == group):
            fail(f"group {group}", "some of its sessions are held out and some are not")
