"""Checks that variants differ, and that one variant is always the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pi_gym.packs import Pack, Task
from pi_gym.proof.case import Case, make_case
from pi_gym.validation.report import Sheet

MIN_VARIANTS = 5


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts that are compared between variants of a task.

    Args:
        variant: the number.
        drawn: names of the drawn intents.
        values: the hidden values, as JSON.
        world: digest of the task's opening, its files and its rows in apps.
    """

    variant: int
    drawn: tuple[str, ...]
    values: str
    world: str


def facts(case: Case) -> Facts:
    """The facts of one case."""
    task = case.task
    values = json.dumps(dict(task.values), sort_keys=True, default=str)
    return Facts(task.variant, tuple(intent.name for intent in task.intents), values, _digest(task, world_only=True))


def check_same_bytes(case: Case, sheet: Sheet, fresh: Pack) -> None:
    """A pack read anew makes the same task, the same past and the same trajectory."""
    again = make_case(fresh, case.task.id, case.task.variant)
    for name, mine, other in (
        ("task", _digest(case.task), _digest(again.task)),
        ("predicates", _spec(case), _spec(again)),
        ("opening", case.opening.history, again.opening.history),
        ("world", case.opening.world.state_hash(), again.opening.world.state_hash()),
        ("trajectory", _line(case), _line(again)),
    ):
        if mine != other:
            sheet.fail(name, "two builds of the same variant differ: something is not deterministic")


def _spec(case: Case) -> str:
    return json.dumps(case.plain.spec, default=str)


def _line(case: Case) -> str:
    return case.reference.session.trajectory().to_line()


def _digest(task: Task, world_only: bool = False) -> str:
    parts: list[bytes] = [task.opening.encode(), task.time.encode()]
    for path, data in sorted(task.files.items()):
        parts += [path.encode(), data]
    parts.append(json.dumps(_rows(task), sort_keys=True).encode())
    if not world_only:
        texts = [text for intent in task.intents for text in (intent.name, intent.text, intent.reveal)]
        texts += [text for item in task.checklist for text in (item.name, item.text)]
        parts += [text.encode() for text in (*texts, *task.reference)]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def _rows(task: Task) -> dict[str, Any]:
    """The rows that the task puts into its apps, by app, table and id."""
    return {
        app: {table: {key: row.given for key, row in rows.items()} for table, rows in tables.items()}
        for app, tables in task.apps.items()
    }


def check_variety(task_id: str, found: Sequence[Facts], always_all: bool) -> Sheet:
    """Check over all variants that values, draws and worlds differ.

    Args:
        task_id: the task.
        found: the facts of its variants.
        always_all: every variant draws the same intents by declaration.
    """
    sheet = Sheet("variety", -1)
    counts = {
        "different draws": len({one.drawn for one in found}),
        "different values": len({one.values for one in found}),
        "different worlds": len({one.world for one in found}),
    }
    sheet.numbers |= {**counts, "of": len(found)}
    if len(found) < MIN_VARIANTS:
        return sheet
    for name, count in counts.items():
        if count > 1 or (name == "different draws" and always_all):
            continue
        reason = f"all {len(found)} variants of {task_id} are alike; expected them to differ"
        if name == "different worlds":
            sheet.note(name, reason)
        else:
            sheet.fail(name, reason)
    return sheet
