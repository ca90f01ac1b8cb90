"""What several commands' arguments have in common."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from pi_gym.errors import UnknownName, unknown

if TYPE_CHECKING:
    from pi_gym.models.config import ModelConfig
    from pi_gym.rollout import Agent

MAX_VARIANTS = 10_000
#: What an option for a role takes.
ROLE = "rule|MODEL@URL"
HISTORIES = ("reference", "none")


def path(text: str | Path) -> Path:
    """The parser of a path to write to: an empty text is none, although Python takes it for the folder one is in."""
    if not str(text):
        raise typer.BadParameter("expected a path, got an empty text.")
    return Path(text)


def require_history(history: str | None) -> None:
    """Raise UnknownName where there is no such history; "own" is one, of which each command says why it is refused."""
    if history not in (None, "own", *HISTORIES):
        raise UnknownName(unknown("history", history or "''", HISTORIES))


def unscored_text(count: int, kinds: str, first: str) -> str:
    """The line that says how many sessions have no score, and what went wrong in the first."""
    number = "1 session is" if count == 1 else f"{count} sessions are"
    return f"pi-gym: {number} unscored ({kinds}); {'it' if count == 1 else 'the first'}: {first}"


def role_models(user: str, grader: str, timeout_s: float | None, cache: str) -> dict[str, ModelConfig]:
    """The models of the roles that are not played by rules, by role.

    Args:
        user: "rule" or MODEL@URL.
        grader: likewise.
        timeout_s: for one request; None: the usual.
        cache: the folder of kept answers, "auto", or "off".

    Raises:
        BadModel: a text is neither.
    """
    from pi_gym.models.roles import model_of

    options: dict[str, Any] = {"cache": None if cache == "off" else cache}
    if timeout_s is not None:
        options["timeout_s"] = timeout_s
    found = {"user": model_of("user", user), "grader": model_of("grader", grader)}
    return {role: config.with_options(**options) for role, config in found.items() if config is not None}


def served_agent(text: str, context_tokens: int) -> Agent:
    """The agent MODEL@URL with a context of its own.

    Raises:
        BadModel: the text has another form.
    """
    from pi_gym.baselines.chat import ChatAgent
    from pi_gym.models.config import ModelConfig

    return ChatAgent(ModelConfig.from_text(text), context_tokens=context_tokens)
