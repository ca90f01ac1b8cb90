"""The arguments that several commands have in common."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from pi_gym.errors import UnknownName, unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pi_gym.models.config import ModelConfig

MAX_VARIANTS = 10_000
#: The values of an option for a role.
ROLE = "rule|MODEL@URL"
HISTORIES = ("reference", "own", "none")


def path(text: str | Path) -> Path:
    """The parser of a path to write to: an empty text is none, although Python takes it for the folder one is in."""
    if not str(text):
        raise typer.BadParameter("expected a path, got an empty text.")
    return Path(text)


def require_history(history: str | None) -> None:
    """Raise UnknownName where there is no such history."""
    if history not in (None, *HISTORIES):
        raise UnknownName(unknown("history", history or "''", HISTORIES))


def unscored_text(count: int, kinds: str, first: str) -> str:
    """The line that says how many sessions have no score, and what went wrong in the first."""
    number = "1 session is" if count == 1 else f"{count} sessions are"
    return f"pi-gym: {number} unscored ({kinds}); {'it' if count == 1 else 'the first'}: {first}"


def named_values(texts: Sequence[str]) -> dict[str, Any]:
    """The values of NAME=VALUE arguments: a value that is JSON is taken as such, any other as text.

    Raises:
        typer.BadParameter: one has another form, or a name comes twice.
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not (sign and name.isidentifier()):
            raise typer.BadParameter(f"expected NAME=VALUE, got {text!r}.")
        if name in found:
            raise typer.BadParameter(f"{name} is given twice.")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def role_models(
    user: str, grader: str, timeout_s: float | None, cache: str, max_requests: int | None = None
) -> dict[str, ModelConfig]:
    """The models of the roles that are not played by rules, by role.

    Args:
        user: "rule" or MODEL@URL.
        grader: likewise.
        timeout_s: for one request; None: the usual.
        cache: the folder of kept answers, "auto", or "off".
        max_requests: out at one time for each; None: the usual.

    Raises:
        BadModel: a text is neither.
    """
    from pi_gym.models.roles import model_of

    options: dict[str, Any] = {"cache": None if cache == "off" else cache}
    if timeout_s is not None:
        options["timeout_s"] = timeout_s
    if max_requests is not None:
        options["max_concurrency"] = max_requests
    found = {"user": model_of("user", user), "grader": model_of("grader", grader)}
    return {role: config.with_options(**options) for role, config in found.items() if config is not None}
