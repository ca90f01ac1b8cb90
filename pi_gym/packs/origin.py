"""Finding a pack's content again from a reference: what pickles and records hold instead of the content."""

from __future__ import annotations

import copyreg
from dataclasses import dataclass
from typing import Any

from pi_gym.errors import StateMismatch
from pi_gym.packs.app_seeds import SeedRows
from pi_gym.packs.formats import load_pack
from pi_gym.packs.pack import Pack
from pi_gym.packs.task import Task
from pi_gym.state import World


def referred_pack(source: str, content_hash: str) -> Pack:
    """The pack that a reference means; StateMismatch where its content has changed since."""
    pack = load_pack(source)
    if pack.content_hash != content_hash:
        raise StateMismatch(
            f"this refers to pack {source!r} with content {content_hash[:12]}…, but the installed one has"
            f" {pack.content_hash[:12]}…; use the version of the pack that it was made with"
        )
    return pack


@dataclass(frozen=True, slots=True)
class PackOrigin:
    """The world of a pack before any session. A pickle of it is a reference to the pack."""

    pack: Pack

    def world(self) -> World:
        """Build it."""
        return pack_world(self.pack)

    def __reduce__(self) -> tuple[Any, ...]:
        return _referred_origin, (self.pack.source, self.pack.content_hash)


def _referred_origin(source: str, content_hash: str) -> PackOrigin:
    return PackOrigin(referred_pack(source, content_hash))


def pack_world(pack: Pack) -> World:
    """The world of a pack before any session: the persona's own files, skills, an empty memory."""
    return World(pack.base.fork(), origin=PackOrigin(pack))


def _referred_task(source: str, content_hash: str, task_id: str, variant: int, canary: str) -> Task:
    return referred_pack(source, content_hash).instantiate(task_id, variant, canary=canary)


def _task_reference(task: Task) -> tuple[Any, ...]:
    return _referred_task, (task.pack_source, task.pack_hash, task.id, task.variant, task.canary)


# A pickle of a task is a reference to its pack; a task is made by a pack, so it cannot say so itself.
copyreg.pickle(Task, _task_reference)


def _referred_rows(source: str, content_hash: str, app: str, table: str) -> Any:
    return referred_pack(source, content_hash).app_seeds.database(app).table(table).base


def _rows_reference(rows: SeedRows) -> tuple[Any, ...]:
    source = rows.seeds.source
    return _referred_rows, (source, load_pack(source).content_hash, rows.app, rows.table)


copyreg.pickle(SeedRows, _rows_reference)
