"""Reading one session out of its file: the record, or as much of a very long one as can be shown."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pi_gym.errors import PiGymError
from pi_gym.session.trajectory import FORMAT
from pi_gym.viewer.line_scan import KEPT_BYTES, MAX_LINE_BYTES
from pi_gym.viewer.listed_session import read_fields
from pi_gym.viewer.viewed_runs import FoundSession

#: The bytes of a very long line in which its first events are looked for.
SHOWN_BYTES = 4 << 20


class UnreadableSession(PiGymError):
    """A session's line is not what the index saw, or cannot be read."""


@dataclass(frozen=True, slots=True)
class ReadSession:
    """A session that was read.

    Args:
        raw: the record as a JSON object.
        cut: it is too large to show, and `raw` has only its first events.
    """

    raw: dict[str, Any]
    cut: bool = False


def read_session(found: FoundSession) -> ReadSession:
    """Read a session.

    Raises:
        UnreadableSession: the file has changed, or the line cannot be read; the message says what to do.
    """
    length = found.session.length
    long = length > MAX_LINE_BYTES
    try:
        with found.path.open("rb") as file:
            file.seek(found.session.offset)
            head = file.read(SHOWN_BYTES if long else length)
            file.seek(found.session.offset + max(0, length - KEPT_BYTES))
            tail = file.read(KEPT_BYTES) if long else head
    except OSError as error:
        raise UnreadableSession(f"{found.path} cannot be read: {error.strerror or error}") from error
    try:
        raw = {**read_fields(head, tail), **_first_parts(head)} if long else json.loads(head)
        if not isinstance(raw, dict) or raw.get("format") != FORMAT:
            raise ValueError("it is no trajectory of this version")
        return ReadSession(raw, long)
    except RecursionError:
        raise UnreadableSession("this session is nested too deeply to be shown; its line can be downloaded") from None
    except ValueError as error:
        raise UnreadableSession(
            f"{found.path} has changed, or the session is broken ({error}); load the page anew"
        ) from error


def _first_parts(head: bytes) -> dict[str, Any]:
    """The opening and the first events of a line of which this is the beginning."""
    text, decoder = head.decode("utf-8", errors="ignore"), json.JSONDecoder()
    parts: dict[str, Any] = {"opening": [], "events": []}
    for name, mark in (("opening", ',"opening":['), ("events", ',"events":[')):
        place = text.find(mark)
        at = place + len(mark)
        try:
            while place >= 0 and text[at] != "]":
                value, at = decoder.raw_decode(text, at + (text[at] == ","))
                parts[name].append(value)
        except (ValueError, IndexError, RecursionError):
            break
    return parts
