"""Playing the Researcher's tasks: what an agent does first in all of them, and what is not right in the end."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from pi_gym.packs import Task, load_pack
from pi_gym.pibench.session import PiSession

from .play import call, play, step

NORA = "nora.lindqvist@halden-it.example"
ACCOUNTS = {
    "amazon": (NORA, "copper-kettle-19"),
    "gmail": (NORA, "lantern-tide-58"),
    "phone": ("5550142001", "pocket-tide-19"),
    "simple_note": (NORA, "tidal-marsh-42"),
    "splitwise": (NORA, "shared-kettle-3"),
    "spotify": (NORA, "seven-sorts-of-snow"),
    "todoist": (NORA, "low-water-mark-3"),
}
"""User name and password by app."""

Lost = tuple[set[str], set[str]]
"""The shortfall of a session at its end: the intents that are open or were provided, and the items that failed."""
NOTHING: Lost = (set(), set())


def task_of(task: str, variant: int) -> Task:
    return load_pack("researcher").instantiate(task, variant)


def drawing(task: str, *intents: str) -> int:
    """The first variant that draws the intents; an empty name stands for none."""
    return next(v for v in range(100) if {*intents} - {""} <= {intent.name for intent in task_of(task, v).intents})


def sign_in(session: PiSession, *apps: str) -> None:
    for app in apps:
        username, password = ACCOUNTS[app]
        result(session, f"{app}__login", username=username, password=password)


def result(session: PiSession, tool: str, **arguments: Any) -> Any:
    """The result of a call that must go well: read as JSON where it is JSON, else its text."""
    step(session, call(tool, **arguments))
    data = [event.data for event in session.log if event.kind == "call"][-1]
    assert data["ok"], data["result"]
    try:
        return json.loads(data["result"])
    except ValueError:
        return data["result"]


def text(session: PiSession, path: str) -> str:
    """A file of the workspace; none reads as empty."""
    return session.world.workspace.text(path) or ""


def shortfall(session: PiSession, last: str = "Done so far.") -> Lost:
    """The shortfall after the work is done; the session is brought to its end with the same reply."""
    names = {intent.id: intent.name for intent in session.task.intents}
    missed = {names[key] for key, status in session.statuses.items() if status not in ("completed", "inferred")}
    while not session.ended:
        play(session, last)
    items = {item.id: item.name for item in session.task.checklist}
    return missed, {items[one.id] for one in session.verdicts if one.verdict != "passed"}


class Prepared(Protocol):
    """A variant that was opened, read and asked, with the right work for it."""

    session: PiSession
    work: Any


P = TypeVar("P", bound=Prepared)


@lru_cache(maxsize=96)
def prepared(kind: Callable[[int], P], variant: int) -> P:
    """The variant read once for all tests, which leave it as it is."""
    return kind(variant)


def again(kind: Callable[[int], P], variant: int) -> P:
    """The variant as it is after the answers; what a test does with it does not touch another one's."""
    fresh = copy.copy(prepared(kind, variant))
    fresh.session, fresh.work = fresh.session.fork(), copy.deepcopy(fresh.work)
    return fresh
