"""The size of a task: what an agent has to read, what the reference has to do, in files, characters and tokens."""

from __future__ import annotations

import json
from functools import lru_cache

from pi_gym.apps import operations
from pi_gym.proof.case import Case
from pi_gym.proof.token_estimate import estimated_tokens
from pi_gym.validation.report import Sheet


def check_sizes(case: Case, sheet: Sheet) -> None:
    """The files and texts that the session opens with."""
    opening = case.opening
    blobs = [blob for _, blob in opening.world.workspace.walk()]
    sheet.numbers |= {
        "system message, characters": len(opening.messages[0].content),
        "opening history, characters": len(opening.history),
        "request, characters": len(opening.messages[-1].content),
        "workspace files": len(blobs),
        "workspace, kB": sum(len(blob.data) for blob in blobs) / 1000,
        "largest file, kB": max((len(blob.data) for blob in blobs), default=0) / 1000,
        "rows put into apps": sum(len(rows) for tables in case.task.apps.values() for rows in tables.values()),
        "reference actions": len(case.task.reference),
        "final history, characters": len(case.reference.session.history),
    }


def check_tokens(case: Case, sheet: Sheet) -> None:
    """Estimate the tokens of the system message, of the tools, and of the whole session of the reference."""
    system = case.opening.messages[0].content
    session = case.reference.session.history.removeprefix(case.opening.history)
    opened = "\n".join(message.content for message in case.opening.messages)
    tools = _schema_tokens(case.opening.registry.names)
    sheet.numbers |= {
        "system message": estimated_tokens(system),
        "tool schemas": tools,
        "reference session": estimated_tokens(opened) + tools + estimated_tokens(session),
    }


@lru_cache(maxsize=64)
def _schema_tokens(names: tuple[str, ...]) -> int:
    return estimated_tokens(json.dumps(operations(names).schemas(), ensure_ascii=False))
