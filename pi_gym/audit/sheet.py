"""The sheet of an audit: which sessions are played, by whom, under which history, and how many judge each."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from math import ceil
from pathlib import Path
from typing import Any

from pi_gym.audit.bundles import session_name
from pi_gym.catalogue import TaskCard
from pi_gym.environments import base_env, make_env
from pi_gym.errors import BadArgument
from pi_gym.runs.lines import explained
from pi_gym.runs.plan import task_label
from pi_gym.sampling import Split, split_variants
from pi_gym.seeding import Stream
from pi_gym.session.trajectory import SessionKey

HELPFUL, PLAIN = "helpful", "plain"
SHEET, BEGIN = "sheet.csv", "begin.sh"
#: One session of so many is judged twice.
TWICE = 5


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One session of an audit.

    Args:
        session: its name, by which folders, bundles and verdicts are found.
        brief: the player's; the agent's name in the record, too.
        pack: the set that the task is of.
        task: the task's id; `variant` its world's number.
        history: what happened before.
        judges: how many judge it.
    """

    session: str
    brief: str
    pack: str
    task: str
    variant: int
    history: str
    judges: int


def plan_audit(
    env_id: str, env_kwargs: Mapping[str, Any], *, split: Split = "validation", seed: int = 0, tasks: int | None = None
) -> list[SheetRow]:
    """The sessions of an audit: every task helpful and plain, the last ones of dependency groups without history too.

    The sessions of a task are of one world, so that what differs between them is who played, and what was known.

    Args:
        env_id: the environment.
        env_kwargs: its arguments.
        split: where the variants are drawn from; a task of which there is one world has variant 0.
        seed: draws the tasks, the variants, and the sessions that are judged twice.
        tasks: how many tasks; None: all.
    """
    env = make_env(env_id, env_kwargs)
    base = base_env(env)
    assert base.spec is not None
    packs, mode, named, family = base.packs, str(base.history_mode), base.spec.id, base.family.name
    env.close()
    draw = Stream("audit", named, split, seed)
    planned: list[tuple[str, str, TaskCard, int, str]] = []
    for pack in packs:
        named_tasks = list(pack.task_ids)
        if tasks is not None:
            chosen = set(draw.child(pack.name, "tasks").sample(named_tasks, min(tasks, len(named_tasks))))
            named_tasks = [name for name in named_tasks if name in chosen]
        cards = [pack.card(task_id) for task_id in named_tasks]
        last = _last_of_groups(cards)
        for card in cards:
            drawn = draw.child(pack.name, card.id).integer(*split_variants(split))
            variant = 0 if card.fixed else drawn
            played = [(HELPFUL, mode), (PLAIN, mode)]
            played += [(HELPFUL, "none")] if card.id in last and mode != "none" else []
            planned += [(brief, pack.name, card, variant, history) for brief, history in played]
    twice = set(draw.child("twice").sample(range(len(planned)), ceil(len(planned) / TWICE)))
    return [
        SheetRow(
            session_name(
                SessionKey(brief, named, family, name, card.id, variant, seed=0, history_mode=history, sample=0)
            ),
            brief,
            name,
            card.id,
            variant,
            history,
            2 if place in twice else 1,
        )
        for place, (brief, name, card, variant, history) in enumerate(planned)
    ]


def write_sheet(rows: Sequence[SheetRow], folder: Path, env_id: str, options: Sequence[str] = ()) -> None:
    """Write the sheet, and a script that begins its sessions: each player's folder under players/, the runs in runs/.

    Args:
        rows: the sessions.
        folder: is made; must hold no sheet.
        env_id: the environment.
        options: of `pi-gym play`, for every session.

    Raises:
        BadArgument: the folder holds a sheet.
        RunError: it cannot be written.
    """
    if (folder / SHEET).exists():
        raise BadArgument(f"{folder} holds a sheet already; its sessions may have been played: name another folder")
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(one.name for one in fields(SheetRow))
    table.writerows(map(astuple, rows))
    with explained(folder, "cannot be written"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / BEGIN).write_text("\n".join(_script(rows, env_id, options)) + "\n", encoding="utf-8")
        (folder / SHEET).write_text(text.getvalue(), encoding="utf-8")


def _script(rows: Sequence[SheetRow], env_id: str, options: Sequence[str]) -> Iterator[str]:
    yield "#!/bin/sh"
    yield "# Begins every session of the sheet that has not begun; PI_GYM may name the command."
    yield 'set -e; cd "$(dirname "$0")"'
    packs = {row.pack for row in rows}
    own = rows[0].history if rows else ""
    for row in rows:
        with_history = () if row.history == own else ("--history", row.history)
        run = row.brief if row.history == own else f"{row.brief}-{row.history}"
        words = [env_id, *options, "--task", task_label((row.pack, row.task), packs), "--variant", str(row.variant)]
        words += [*with_history, "--agent", row.brief, "--state", f"players/{row.session}", "--out", f"runs/{run}"]
        yield f'[ -e players/{row.session}/session.json ] || "${{PI_GYM:-pi-gym}}" play {shlex.join(words)} > /dev/null'


def _last_of_groups(cards: Sequence[TaskCard]) -> set[str]:
    """The ids of the last tasks of the groups, where they build on others."""
    last = {card.group: card for card in cards if card.group}
    return {card.id for card in last.values() if card.depends_on}
