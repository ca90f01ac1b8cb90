"""The report on a pack without predicates and references: that it opens, and what is odd about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pi_gym.packs import Pack
from pi_gym.pibench.history import opening_for
from pi_gym.proof.report_form import OPENING, pack_task_report
from pi_gym.validation.report import Report, Sheet, TaskReport

NOTICE = (
    "These tasks are in the official layout: they have no predicates and no references. So nothing is proved of"
    " solvability, of what pays, of leaks beyond the opening, of recovery or of variants; model roles judge them. What"
    " was checked: every task can be made and opened, and its opening says no hidden intent and no criterion."
)


def open_report(pack: Pack, tasks: Sequence[str], told: Callable[[str], None]) -> Report:
    """Open every task once.

    Args:
        pack: without predicates.
        tasks: what to open, in episode order.
        told: called with each task's name.
    """
    reports = []
    for name in tasks:
        reports.append(_opened(pack, name))
        told(name)
    shown = tuple(f"tasks/{name}/" for name in pack.task_ids)
    general = " ".join(f"{warning}." for warning in pack.warnings if not warning.startswith(shown))
    return Report(pack.name, pack.content_hash, (0,), tuple(reports), f"{NOTICE} {general}".strip())


def _opened(pack: Pack, task_id: str) -> TaskReport:
    sheet = Sheet(OPENING, 0)
    try:
        task = pack.instantiate(task_id)
        opening = opening_for(pack, task, "none", "task")
    except Exception as error:  # whatever is wrong is what the user has to know
        sheet.fail("error", f"the task cannot be opened: {type(error).__name__}: {error}")
        return pack_task_report(task_id, [sheet])
    sheet.numbers |= {"intents": len(task.intents), "items": len(task.checklist), "files": len(task.files)}
    said = "\n".join(message.content for message in opening.messages).casefold()
    hidden = [*((f"intent {one.id}", one.text) for one in task.intents)]
    hidden += [(f"item {one.id}", one.text) for one in task.checklist]
    for subject, text in hidden:
        if text.casefold() in said:
            sheet.note(subject, "the opening says it, word for word")
    slips: dict[str, list[str]] = {}
    for warning in pack.warnings:
        if warning.startswith(f"tasks/{task_id}/"):
            where, _, text = warning.partition(": ")[2].partition(": ")
            slips.setdefault(where if text else "task.yaml", []).append(text or where)
    for where, texts in slips.items():
        sheet.note(where, "; ".join(texts))
    return pack_task_report(task_id, [sheet])
