"""Who answers what an environment's sessions ask for."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pi_gym.errors import unknown
from pi_gym.graders.base import Grader
from pi_gym.models.config import ModelConfig
from pi_gym.models.roles import role_answerer
from pi_gym.session.answerers import Answerers, Responder
from pi_gym.session.subagents import Subagent, SubagentResponder
from pi_gym.shell import Backend, ShellRunner
from pi_gym.users.base import User
from pi_gym.web import LiveWeb

Web: TypeAlias = Literal["offline", "live"] | Responder


def environment_answerers(
    user: str | ModelConfig | User,
    grader: str | ModelConfig | Grader,
    responder: Responder | None,
    exec_backend: Backend,
    web: Web,
    subagent: Subagent | None,
) -> Answerers:
    """The functions that the arguments of an environment mean; `PiEnv` says what each is.

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
        other=role_answerer(user, grader, responder) or responder,
    )
