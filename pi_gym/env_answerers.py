"""The functions that answer what an environment's sessions ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from pi_gym.errors import PiGymError, SandboxNeeded, unknown
from pi_gym.models.roles import role_answerer
from pi_gym.session.answerers import Answerers, Responder
from pi_gym.session.subagents import Subagent, SubagentResponder
from pi_gym.shell import Backend, ShellRunner
from pi_gym.web import LiveWeb

Web: TypeAlias = Literal["offline", "live"] | Responder


class WebMissing(PiGymError, ImportError):
    """The error that the live web is asked for, and what reaches it is not installed; the message says how to."""


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
        SandboxNeeded: the sandbox that is asked for by name does not work here.
        WebMissing: the live web is asked for, and a package of the extra `web` is not installed.
        ValueError: `web` is no known word.
        TypeError: `subagent` is no function.
    """
    if not callable(web) and web not in ("offline", "live"):
        raise ValueError(unknown("web", str(web), ("offline", "live")))
    if subagent is not None and not callable(subagent):
        raise TypeError(f"subagent: expected a function, got {subagent!r}")
    live = LiveWeb()
    if web == "live" and (why := live.unavailable()):
        raise WebMissing(f"web='live' does not work here: {why}")
    runner = ShellRunner(exec_backend)
    if exec_backend not in ("auto", "off") and not (found := runner.available()):
        raise SandboxNeeded(f"exec_backend={exec_backend!r} does not work here", found.text)
    return Answerers(
        shell=responder if exec_backend == "off" and responder is not None else runner,
        web=web if callable(web) else live,
        policy=None if subagent is None else SubagentResponder(subagent),
        other=role_answerer(roles, responder) or responder,
    )


def why_no_shell(answerers: Answerers) -> str:
    """The reason why nothing runs shell commands here, and what would; empty where something does."""
    shell = answerers.of("shell")
    if shell is None:
        return "nothing answers asks of kind 'shell'"
    found = shell.available() if isinstance(shell, ShellRunner) else None
    return "" if found is None or found else found.text
