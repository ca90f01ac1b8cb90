"""An agent that does the right work with what it can find out about the user: the value of a good memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from pi_gym.baselines.reference import NOTHING_LEFT, session_of
from pi_gym.errors import PiGymError
from pi_gym.packs import Task, referred_pack
from pi_gym.packs.folder import PackFolder
from pi_gym.packs.task import Intent
from pi_gym.pibench.family import PIBENCH
from pi_gym.pibench.session import PiSession
from pi_gym.schema import ParamSpec
from pi_gym.schema.params import alternatives
from pi_gym.seeding import Stream
from pi_gym.state import World


@dataclass(frozen=True, slots=True)
class Recollection:
    """The beliefs about a session's user.

    Args:
        values: the belief about every hidden parameter that a drawn intent stands for.
        missed: the names of the intents that nothing tells and that are not declared to be asked for.
    """

    values: Mapping[str, Any]
    missed: tuple[str, ...]


class MemoryAgent:
    """Plays each task's own solution for the values that it finds where the intents declare them.

    It looks at the places that the drawn intents declare, in the world that the session opens with. What `extract`
    reads there it believes, and where `shows` matches it believes what the intent says. Where nothing is found it takes
    a wrong value, and what is declared `ask` it asks for as the solution does. So with `history="reference"` it scores
    like the reference, and with `history="none"` it loses what only the past tells.

    Like the reference agent it is privileged: it knows which intents are drawn, where they can be found and how the
    work is done. It is a yardstick for memory alone.
    """

    name = "memory"
    families = (PIBENCH.name,)

    def reset(self, observation: Mapping[str, str], info: Mapping[str, Any], env: gym.Env[Any, Any]) -> None:
        """Look at the world that the session opens with."""
        session, _ = session_of(env, "memory")
        if not isinstance(session, PiSession):
            raise PiGymError("the memory agent plays PiBench sessions only; choose another")
        task = session.task
        if not task.reference:
            raise PiGymError(f"task {task.id!r} has no reference, so the memory agent cannot play it; choose another")
        pack = referred_pack(task.pack_source, task.pack_hash)
        belief = recollect(pack, task, session.world).values
        self._actions: Iterator[str] = iter(task.reference_for(belief))

    def act(self, observation: Mapping[str, str], info: Mapping[str, Any]) -> str:
        """The next action."""
        return next(self._actions, NOTHING_LEFT)


def recollect(pack: PackFolder, task: Task, world: World) -> Recollection:
    """The beliefs about the drawn intents that a world gives, and a wrong value for all else that is not asked for.

    Args:
        pack: the task's pack.
        task: the task.
        world: the world that the session opens with, the task's files included.
    """
    asked = {name for intent in task.intents if not intent.recover for name in intent.values}
    values: dict[str, Any] = {name: task.values[name] for name in sorted(asked)}
    missed: list[str] = []
    for intent in task.intents:
        if intent.recover:
            found = _told(pack, task, intent, world)
            if found is None or any(name not in found for name in intent.values if name not in asked):
                missed.append(intent.name)
            values |= {name: value for name, value in (found or {}).items() if name not in asked}
    lacking = {name for intent in task.intents for name in intent.values} - set(values)
    return Recollection(values | {name: another(pack, task, name) for name in sorted(lacking)}, tuple(missed))


def _told(pack: PackFolder, task: Task, intent: Intent, world: World) -> dict[str, Any] | None:
    """The values that the first place that tells an intent tells; None where none does."""
    for way in intent.recover:
        read = way.found(world)
        if read is None:
            continue
        found = {name: _typed(parameter(pack, task, name), value) for name, value in read.items()}
        if way.shows is not None:
            # The pattern is made of the true values, so a text that it matches tells them.
            found |= {name: task.values[name] for name in intent.values if name not in found}
        return found
    return None


def _typed(spec: ParamSpec, read: Any) -> Any:
    """A value as the parameter has it: what is read from a text is a text."""
    if spec.choices is not None:
        return next((choice for choice in spec.choices if str(choice) == str(read)), read)
    if spec.range is not None and isinstance(read, str) and read.lstrip("-").isdecimal():
        return int(read)
    return read


def parameter(pack: PackFolder, task: Task, name: str) -> ParamSpec:
    """The declaration of a hidden parameter ("persona.decimals", "headline")."""
    if name.startswith("persona."):
        return pack.persona.preferences[name.removeprefix("persona.")]
    return pack.source_of(task.id).params[name]


def another(pack: PackFolder, task: Task, name: str) -> Any:
    """A value that a parameter could have had and has not; the true one where there is no other."""
    stream = Stream("baseline", "memory", task.id, task.variant, name)
    return alternatives(parameter(pack, task, name), task.values[name], stream)


AGENT = MemoryAgent
