"""The functions that answer what an environment's sessions ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from pi_gym.errors import unknown
from pi_gym.models.roles import role_answerer
from pi_gym.session.answerers import Answerers, Responder
from pi_gym.session.subagents import Subagent, SubagentResponder
from pi_gym.shell import Backend, ShellRunner
from pi_gym.web import LiveWeb

Web: TypeAlias = Literal["offline", "live"] | Responder


def environment_answerers(
    roles: Mapping[str, Any],
    responder: Responder | None,
    exec_backend: Backend,
    web: Web,
    subagent: Subagent | None,
) -> Answerers:
    """The functions that the arguments of an environment mean.

    Args:
        roles: by role, who plays it: "rule", a model (`pi_gym.ModelConfig` or "MODEL@URL"), or the caller's own.
        responder: answers the asks of the caller's own roles, and of the shell where there is no backend.
        exec_backend: the sandbox for shell commands.
        web: "offline", "live", or what answers asks of kind "web".
        subagent: does what the tool `spawn` asks for; None: there is none.

    Raises:
        ValueError: `web` is no known word.
        TypeError: `subagent` is no function.
    """
    if not callable(web) and web not in ("offline", "live"):
        raise ValueError(unknown("web", str(web), ("offline", "live")))
    if subagent is not None and not callable(subagent):
        raise TypeError(f"subagent: expected a function, got {subagent!r}")
    runner = ShellRunner(exec_backend)
    return Answerers(
        shell=responder if exec_backend == "off" and responder is not None else runner,
        web=web if callable(web) else LiveWeb(),
        policy=None if subagent is None else SubagentResponder(subagent),
        other=role_answerer(roles, responder) or responder,
    )
