"""What several commands' arguments have in common."""

from __future__ import annotations

from pathlib import Path

import typer

from pi_gym.errors import UnknownName, unknown

MAX_VARIANTS = 10_000
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
