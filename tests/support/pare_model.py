"""Pare sessions whose person a scripted model plays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pi_gym.models.scripted import ScriptedModel
from pi_gym.pare.env import PareEnv
from pi_gym.pare.model_person import ModelPerson
from pi_gym.pare.person_actions import ACCEPT, PASS_BY, REJECT
from pi_gym.pare.session import PareSession
from pi_gym.types import Ask
from support.pare_play import WAIT


def move(action: str, **arguments: Any) -> dict[str, Any]:
    return {"reason": "so it is", "move": {"action": action, "arguments": arguments}}


OPEN = move("System__open_app", app_name="Messages")
PASS, YES, NO = move(PASS_BY), move(ACCEPT, content="Yes, do."), move(REJECT, content="No, thanks.")


def offered(ask: Ask) -> list[str]:
    """The actions among which an ask lets the model choose."""
    schema: Any = ask.request.schema  # type: ignore[union-attr]
    return [one["properties"]["action"]["enum"][0] for one in schema["properties"]["move"]["anyOf"]]


def prompt_of(ask: Ask) -> str:
    """The material of an ask, without the instructions."""
    return str(ask.request.messages[1]["content"])  # type: ignore[union-attr]


def agreeable(ask: Ask) -> dict[str, Any]:
    """Accepts whatever is proposed, and does nothing else."""
    return YES if ACCEPT in offered(ask) else PASS


def env_of(script: Iterable[object] | Callable[[Ask], object], **options: Any) -> PareEnv:
    """An environment whose person answers from a script; an error of ours is raised."""
    return PareEnv(user=ModelPerson(), responder=ScriptedModel(script), **{"strict": True, **options})


def opened_env(
    script: Iterable[object] | Callable[[Ask], object], task_id: str, variant: int, **options: Any
) -> PareEnv:
    env = env_of(script, **options)
    env.reset(seed=0, options={"task": task_id, "variant": variant})
    return env


def session_of(env: PareEnv) -> PareSession:
    assert env.session is not None
    return env.session


def until_evidence(env: PareEnv) -> PareEnv:
    """The environment once something has come in."""
    while not session_of(env).happened.at:
        env.step(WAIT)
    return env
