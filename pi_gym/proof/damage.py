"""The check that the guards see damage to files and rows that the reference leaves alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pi_gym.apps import SIGNED_IN, apps_of
from pi_gym.proof.case import Case
from pi_gym.proof.stage import StagedPlay, step_once
from pi_gym.seeding import Stream
from pi_gym.state import World
from pi_gym.validation.report import Sheet

#: The numbers of files and rows that are damaged in one variant, each alone.
MOST_FILES, MOST_ROWS = 4, 3
_OWN = "memory/"
_SCRATCH = b"overwritten\n"


@dataclass(frozen=True, slots=True)
class Damage:
    """The damage to something that should not have been touched.

    Args:
        shown: what is done, for a finding.
        do: does it to a world.
    """

    shown: str
    do: Callable[[World], None]


def check_damage(case: Case, sheet: Sheet) -> None:
    """The reference with one file or row deleted or overwritten before its last action fails a guard."""
    done = case.reference.session
    if not done.ended or done.error:
        return
    guards = {item.id: item.name for item in case.task.checklist if item.requires}
    if not guards:
        told = sheet.fail if case.pack.spec.benchmark else sheet.note
        told("checklist", "no item is a guard, so that nothing forbids to touch what should be left alone")
        return
    actions = case.task.reference[: done.steps]
    before = case.stage.play(actions[:-1], None).session
    tried = 0
    for damage in (*_files(case, done.world), *_rows(case, done.world)):
        session = before.fork()
        damage.do(session.world)
        step_once(session, actions[-1])
        while not session.ended:
            step_once(session, actions[-1])
        tried += 1
        if not any(verdict.verdict == "failed" for verdict in session.verdicts if verdict.id in guards):
            passed = "; ".join(one for one in StagedPlay(session, (), 0).passed if one.split(" ")[0] in guards.values())
            sheet.fail(damage.shown, f"every guard passes all the same: {passed}")
    sheet.numbers["damages"] = tried


def _files(case: Case, after: World) -> Iterator[Damage]:
    """Files that the reference leaves alone, the task's own first, deleted and overwritten in turn."""
    start = case.opening.world.workspace
    kept = [path for path, blob in start.walk() if not path.startswith(_OWN) and after.workspace.blob(path) == blob]
    stream = Stream("validate", case.task.id, case.task.variant, "damage")
    own = stream.shuffled([path for path in kept if path in case.task.files])
    others = stream.shuffled([path for path in kept if path not in case.task.files])
    for number, path in enumerate([*own[: MOST_FILES - 1], *others][:MOST_FILES]):
        yield _deleted(path) if number % 2 else _overwritten(path)


def _deleted(path: str) -> Damage:
    return Damage(f"deleting {path}", lambda world: world.workspace.delete(path))


def _overwritten(path: str) -> Damage:
    def do(world: World) -> None:
        world.workspace.write(path, _SCRATCH, limited=False)

    return Damage(f"overwriting {path}", do)


def _rows(case: Case, after: World) -> Iterator[Damage]:
    """Rows that the reference leaves alone in the apps that the task offers, deleted and changed in turn.

    What a guard allows by name is left out: there the author says that it may be touched.
    """
    guards = (item for item in case.task.checklist if item.requires)
    allowed = [rows for item in guards for rows in item.check.footprint().allows]

    def may(app: str, table: str, change: int | str) -> bool:
        return any(rows.covers(app, table, change) for rows in allowed)

    places = [
        (app, table, kind)
        for app in apps_of(case.opening.registry.names)
        for table in case.opening.world.apps[app].names
        for kind in ("deleted", "updated")
        if table != SIGNED_IN and not may(app, table, kind)
    ]
    stream = Stream("validate", case.task.id, case.task.variant, "damage rows")
    found = 0
    for app, table, kind in stream.shuffled(places):
        rows = case.opening.world.apps[app].table(table)
        ended = after.apps[app].table(table)
        kept = [key for key, row in rows.rows() if ended.get(key) == row and not may(app, table, key)]
        if kept and found < MOST_ROWS:
            yield _lost(app, table, stream.choice(kept), kind)
            found += 1


def _lost(app: str, table: str, key: int, kind: str) -> Damage:
    def do(world: World) -> None:
        rows = world.apps[app].table(table)
        row = rows.get(key) or {}
        column = next((name for name, value in row.items() if isinstance(value, str)), next(iter(row), ""))
        rows = rows.update(key, **{column: "overwritten"}) if kind == "updated" else rows.delete(key)
        world.put_app(app, world.apps[app].put(table, rows))

    return Damage(f"{'overwriting' if kind == 'updated' else 'deleting'} {app}.{table} {key}", do)
