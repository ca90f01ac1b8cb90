"""Ida's Spotify over the fixture pack `notes`, and short words for calling its operations."""

from __future__ import annotations

from typing import Any

from pi_gym.tools import ToolContext

from .apps import app_context, done, refused

IDA = {"username": "ida@notes.example", "password": "oven"}
PER = {"username": "per@notes.example", "password": "flour"}


def signed_in(clock: str = "2026-04-01T09:00:00") -> ToolContext:
    """A context in which Ida has signed in."""
    context = app_context("spotify", clock=clock)
    done(context, "spotify__login", **IDA)
    return context


def do(context: ToolContext, operation: str, **arguments: Any) -> Any:
    """The result of an operation that has to succeed."""
    return done(context, f"spotify__{operation}", **arguments)


def error(context: ToolContext, operation: str, **arguments: Any) -> str:
    """The message of an operation that has to fail."""
    return refused(context, f"spotify__{operation}", **arguments)


def song_ids(result: dict[str, Any]) -> list[int]:
    """The ids of a list of songs."""
    return [song["song_id"] for song in result["songs"]]
