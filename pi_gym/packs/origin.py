"""Finding a pack's content again from a reference: what pickles and records hold instead of the content."""

from __future__ import annotations

from dataclasses import dataclass

from pi_gym.errors import StateMismatch
from pi_gym.packs.pack import Pack, load_pack
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
    """The world of a pack before any session."""

    source: str
    pack_hash: str

    def world(self) -> World:
        """Build it."""
        return pack_world(referred_pack(self.source, self.pack_hash))


def pack_world(pack: Pack) -> World:
    """The world of a pack before any session: the persona's own files, skills, an empty memory."""
    return World(pack.base.fork(), origin=PackOrigin(pack.source, pack.content_hash))


def referred_task(source: str, content_hash: str, task_id: str, variant: int, canary: str) -> Task:
    """The task that a pickle means."""
    return referred_pack(source, content_hash).instantiate(task_id, variant, canary=canary)
