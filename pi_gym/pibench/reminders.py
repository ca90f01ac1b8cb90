"""Scheduled jobs that fall due: they reach the agent as environment events, before what the user says next.

What falls due in the course of a session comes with the next user message; what fell due since the last session comes
before the opening message. `pi_gym.tools.cron` is where an agent schedules them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from pi_gym.state import Database, Table
from pi_gym.templates import render_prompt
from pi_gym.tools.jobs import JOBS, Fired, with_fired
from pi_gym.types import Message

SOURCE, EVENT = "cron", "reminder.due"


def reminder_message(fired: Fired) -> Message:
    """The event as the agent sees it, with the header that all environment events have."""
    payload = {"job_id": fired.job, "due": fired.due}
    if fired.after is not None:
        payload["next_run"] = fired.after["next_run"]
    text = render_prompt(
        "opening_event.md", source=SOURCE, event=EVENT, payload=json.dumps(payload, indent=2), request=fired.message
    )
    return Message("user", text.strip())


def reminder_data(fired: Fired) -> dict[str, object]:
    """The event as the log keeps it: `text` is what was scheduled, `shown` the whole message that the agent gets."""
    return {"job": fired.job, "due": fired.due, "text": fired.message, "shown": reminder_message(fired).content}


def start_after(start: Database | None, fired: Iterable[Fired]) -> Database:
    """The jobs as the session found them, with what firing did to them since: that is no work of the agent's.

    Args:
        start: the database at the session's start, firings so far included; None where there was none.
        fired: what fired now.
    """
    start = start or Database({JOBS: Table()})
    return start.put(JOBS, with_fired(start.table(JOBS), tuple(fired)))
