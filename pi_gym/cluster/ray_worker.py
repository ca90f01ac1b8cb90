"""A worker on a Ray cluster: it plays what it is sent, and hands over the outcomes when it is asked.

Nothing here needs Ray but `begin`, which runs in a process of Ray's.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from queue import Empty, Queue
from time import monotonic
from typing import Any

from pi_gym.catalogue import TaskSet
from pi_gym.driving.driver import TICK_S
from pi_gym.env_answerers import why_no_shell
from pi_gym.environments import base_env
from pi_gym.errors import PiGymError
from pi_gym.rollout.engines.slots import SlotMaker, SlotPlayer, SlotSetup
from pi_gym.runs.assignments import Assignment
from pi_gym.runs.outcome import SessionOutcome
from pi_gym.runs.progress import Load
from pi_gym.session.faults import describe_error
from pi_gym.templates import prompt_hash
from pi_gym.version import __version__

#: Results in one report. As many may lie ready beside it; a worker whose results are not taken plays no further.
REPORT = 4
#: The time that a report waits for a second result once it has one, so that short sessions share a way to the driver.
LINGER_S = 0.05


@dataclass(frozen=True)
class WorkerContent:
    """The content that must be the same wherever sessions of a run are played.

    Args:
        version: of pi_gym.
        prompts: the prompts' hash.
        packs: content hashes by name.
    """

    version: str
    prompts: str
    packs: Mapping[str, str]

    @classmethod
    def here(cls, packs: Iterable[TaskSet]) -> WorkerContent:
        """The content of this process."""
        return cls(__version__, prompt_hash(), {pack.name: pack.content_hash for pack in packs})

    def require(self, other: WorkerContent) -> None:
        """Raise PiGymError where another place has something else; the message says what."""
        if other.version != self.version:
            raise PiGymError(f"pi_gym {other.version} is installed there, and {self.version} where the run was begun")
        if other.prompts != self.prompts:
            raise PiGymError(f"pi_gym has other prompts there ({other.prompts[:12]}, here {self.prompts[:12]})")
        for name, sha256 in self.packs.items():
            there = other.packs.get(name, "none")
            if there != sha256:
                raise PiGymError(f"the pack {name!r} has other content there ({there[:12]}, here {sha256[:12]})")


@dataclass(frozen=True)
class WorkerStart:
    """The start of a worker: all that it needs to begin.

    Args:
        setup: a `SlotSetup`, pickled: it may name modules that are only found by `paths`.
        content: what the driver has.
        has_commands: whether there are tasks that run shell commands.
        folder: where the driver stands; relative paths are looked up there, where the node has it.
        paths: where the driver finds modules.
    """

    setup: bytes
    content: WorkerContent
    has_commands: bool
    folder: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Begun:
    """The message of a worker that began, or could not.

    Args:
        node_id: Ray's name of the node; `node` its address.
        broken: why it cannot play; empty where it can.
    """

    node_id: str
    node: str
    broken: str = ""


@dataclass(frozen=True, slots=True)
class WorkerReport:
    """The report of a worker: outcomes, and its load.

    Args:
        outcomes: of sessions that ended, at most `REPORT`.
        load: what the others wait for.
    """

    outcomes: Sequence[SessionOutcome] = ()
    load: Load = field(default_factory=Load)


class RayWorker:
    """A process that plays sessions, as an actor of Ray's. Nothing is made before `begin`, which says what fails."""

    def __init__(self) -> None:
        self._ready: Queue[SessionOutcome] = Queue(2 * REPORT)
        self._player: SlotPlayer | None = None
        self._error: BaseException | None = None

    def begin(self, start: WorkerStart) -> Begun:
        """Make environment and agent, and see to it that they are those of the driver."""
        ray: Any = import_module("ray")
        context = ray.get_runtime_context()
        broken = ""
        try:
            _stand_where(start, has_folder=bool(context.runtime_env.get("working_dir")))
            self._player = _player(start)
            threading.Thread(target=self._play, args=(self._player,), name="pi_gym-sessions", daemon=True).start()
        except Exception as error:
            broken = str(error) if isinstance(error, PiGymError) else describe_error(error)
        return Begun(context.get_node_id(), ray.util.get_node_ip_address(), broken)

    def exchange(self, assignments: Sequence[Assignment]) -> WorkerReport:
        """Take more to play, and give what came of what was sent before: at once, or after `TICK_S` nothing."""
        assert self._player is not None
        self._player.add(assignments)
        found: list[SessionOutcome] = []
        until = monotonic() + TICK_S
        while len(found) < REPORT:
            try:
                found.append(self._ready.get(timeout=max(until - monotonic(), 0.0)))
            except Empty:
                break
            until = min(until, monotonic() + LINGER_S)
        if not found and self._error is not None:
            raise PiGymError(f"the worker stopped playing: {describe_error(self._error)}")
        return WorkerReport(found, self._player.load())

    def _play(self, player: SlotPlayer) -> None:
        try:
            for outcome in player.outcomes():
                if outcome is not None:
                    self._ready.put(outcome)
        except BaseException as error:  # an interrupt out of a policy's move, or a mistake of ours
            self._error = error


def _stand_where(start: WorkerStart, *, has_folder: bool) -> None:
    """Look things up where the driver does, as far as the node has these folders; what the node has goes first."""
    if not has_folder and Path(start.folder).is_dir():
        os.chdir(start.folder)
    sys.path += [path for path in start.paths if path not in sys.path and Path(path).exists()]


def _player(start: WorkerStart) -> SlotPlayer:
    WorkerContent(start.content.version, start.content.prompts, {}).require(WorkerContent.here(()))
    setup: SlotSetup = import_module("ray.cloudpickle").loads(start.setup)
    slots = SlotMaker(setup)
    base = base_env(slots.make_first().env)
    start.content.require(WorkerContent.here(base.packs))
    # Told before any session is played, and with the node's name.
    if start.has_commands and (why := why_no_shell(base.answerers)):
        raise PiGymError(f"tasks run shell commands, and nothing runs those there ({why})")
    return SlotPlayer(slots)
