"""The history of a session: the chain of worlds that the reference sessions before it leave behind.

The world before a session is a function of (pack, variant, session): it is built once per process by following the
references in order, and shared by every session that begins there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from pi_gym.caches import BoundedCache
from pi_gym.errors import PackError, RolesNeeded
from pi_gym.heap import paused_collection
from pi_gym.packs import Pack, Task, pack_world, referred_pack
from pi_gym.pibench.declared_shell import declared_answer
from pi_gym.pibench.opening import Opening, open_task
from pi_gym.pibench.past import composed_world, with_entry
from pi_gym.pibench.session import PiSession
from pi_gym.pibench.settings import DEFAULT_LIMITS, Limits, SessionConfig
from pi_gym.state import World

CHAIN_CACHE = 512
OPENING_CACHE = 512


@dataclass(frozen=True, slots=True)
class ChainOrigin:
    """The world before one session of a variant, as the reference sessions before it left it.

    A pickle of it is a reference to the pack.

    Args:
        pack: the pack.
        variant: the world's number.
        before: the session that the world is for.
    """

    pack: Pack
    variant: int
    before: str

    def world(self) -> World:
        """Build it, or take it from the cache."""
        return world_before(self.pack, self.before, self.variant)

    def __reduce__(self) -> tuple[Any, ...]:
        return _referred_chain, (self.pack.source, self.pack.content_hash, self.variant, self.before)


def _referred_chain(source: str, content_hash: str, variant: int, before: str) -> ChainOrigin:
    return ChainOrigin(referred_pack(source, content_hash), variant, before)


def earlier_sessions(pack: Pack, task_id: str, variant: int) -> list[str]:
    """The sessions whose traces a task's world holds.

    For variants of 1 and more, the past of a task that is not holdout leaves the holdout sessions out: training must
    not see them.
    """
    pack.require_task(task_id)
    before = list(pack.task_ids[: pack.task_ids.index(task_id)])
    if variant >= 1 and not pack.card(task_id).holdout:
        before = [name for name in before if not pack.card(name).holdout]
    return before


def require_references(pack: Pack) -> None:
    """Raise RolesNeeded where a pack's tasks have no predicates, and so no references that a past could be made of."""
    if not pack.has_rules:
        raise RolesNeeded(
            f"history='reference' plays the references of earlier tasks, and pack {pack.name!r}, in the official"
            " layout, has none; use history='own' (the agent's own past) or 'none'"
        )


_chain: BoundedCache[tuple[Pack, int, tuple[str, ...]], World] = BoundedCache(CHAIN_CACHE)


def world_before(pack: Pack, task_id: str, variant: int) -> World:
    """The world as the reference sessions before a task left it. Shared: fork it before you change it.

    Raises:
        RolesNeeded: the pack's tasks have no predicates, so they have no references either.
    """
    require_references(pack)
    sessions = earlier_sessions(pack, task_id, variant)
    if not sessions:
        return pack_world(pack)
    world = _world_after(pack, variant, tuple(sessions))
    shared = World(world.workspace, world.apps, ChainOrigin(pack, variant, task_id))
    return shared


def _world_after(pack: Pack, variant: int, sessions: tuple[str, ...]) -> World:
    def make() -> World:
        start = pack_world(pack) if len(sessions) == 1 else _world_after(pack, variant, sessions[:-1])
        world = world_left(pack.instantiate(sessions[-1], variant), start)
        return World(world.workspace.settled(), world.apps)

    return _chain.get((pack, variant, sessions), make)


def world_left(task: Task, start: World) -> World:
    """The world that a task's reference leaves to the next session.

    Raises:
        PackError: the reference does not reach the session's end, or a call of it fails.
    """
    return composed_world(task, start) or world_after(play_reference(task, start))


def play_reference(task: Task, start: World) -> PiSession:
    """A session in which the task's reference has been played to its end; what it leaves counts, so it is not graded.

    Raises:
        PackError: the reference does not reach the session's end.
    """
    session = PiSession(replace(task, checklist=()), start, config=SessionConfig())
    for action in task.reference:
        if session.ended:
            break
        session.apply(action)
        while session.pending:
            for ask in session.pending:
                session.answer(ask.id, declared_answer(session, ask, action))
        broken = session.error or "; ".join(f"{fault.where}: {fault.error}" for fault in session.engine_faults)
        if broken:
            raise PackError(f"tasks/{task.id}/task.yaml", "reference", f"{broken} (variant {task.variant})")
    if session.ended:
        return session
    open_ones = ", ".join(intent.name for intent in session.open_intents()) or "none"
    raise PackError(
        f"tasks/{task.id}/task.yaml",
        "reference",
        f"ends before the session does (variant {task.variant}; intents still open: {open_ones})",
    )


def world_after(session: PiSession) -> World:
    """The world that a session leaves to the next: its files and apps, and its entry in the log."""
    return with_entry(session.world, session.task, session.log)


StartMode = Literal["reference", "none"]


def start_world(pack: Pack, task: Task, mode: StartMode) -> World:
    """The world that a task's session begins from under a history mode."""
    return world_before(pack, task.id, task.variant) if mode == "reference" else pack_world(pack)


_openings: BoundedCache[tuple[Pack, str, int, str, str, str, bool, Limits, bool], Opening] = BoundedCache(OPENING_CACHE)


def opening_for(
    pack: Pack,
    task: Task,
    mode: StartMode,
    tools: Literal["task", "all"],
    subagent: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    paper_letter: bool = False,
) -> Opening:
    """The opening of a task, made once for all sessions that open alike.

    The least recently used are forgotten beyond `OPENING_CACHE`.
    """
    key = (pack, task.id, task.variant, task.canary, mode, tools, subagent, limits, paper_letter)

    def make() -> Opening:
        with paused_collection():
            start = start_world(pack, task, mode)
            return open_task(task, start, tools, subagent=subagent, limits=limits, paper_letter=paper_letter)

    return _openings.get(key, make)
