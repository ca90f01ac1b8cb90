"""The row that a list shows of a recorded session, cut from its line without reading what happened in it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pi_gym.session.trajectory import FORMAT, SessionKey

#: Where the long middle of a record begins and ends. Inside a JSON string each `"` has a backslash before it, so these
#: bytes are always keys; that they are keys of the record itself shows when what is cut off is read.
_MIDDLE = b',"opening":['
_END = b'],"scores":{'
MAX_TEXT_CHARS = 400


@dataclass(slots=True)
class ListedSession:
    """A session's place in its file, and its row.

    Args:
        offset: of its line, in bytes; `length` of the line without its end.
        row: what a list shows, JSON values.
        labels: of the record, until its family has been asked for the shortcomings.
    """

    offset: int
    length: int
    row: dict[str, Any]
    labels: Mapping[str, Any] | None = None


def read_fields(head: bytes, tail: bytes) -> dict[str, Any]:
    """The fields of a record beside its opening and its events.

    Args:
        head: the line, or its beginning.
        tail: the line, or its end.

    Raises:
        ValueError: it is no record of this version; the message says why.
    """
    begin, end = head.find(_MIDDLE), tail.rfind(_END)
    try:
        if begin < 0 or end < 0:
            raise ValueError
        fields = {**json.loads(head[:begin] + b"}"), **json.loads(b"{" + tail[end + 2 :])}
    except (ValueError, RecursionError):
        if head is not tail:
            raise ValueError("a long line whose fields cannot be found") from None
        fields = _whole(head)
    found = fields.get("format")
    if found != FORMAT:
        raise ValueError(f"expected a trajectory of format {FORMAT}, got format {found!r}")
    return fields


def _whole(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except RecursionError:
        raise ValueError("nested too deeply to be read") from None
    if not isinstance(found, dict):
        raise ValueError("expected a JSON object")
    return found


def listed(fields: Mapping[str, Any], run: str, offset: int, length: int) -> ListedSession:
    """The row of a record.

    Args:
        fields: what `read_fields` gave.
        run: the resolved path of the run; sessions of two runs with one key are two.
        offset: of the line, in bytes.
        length: of the line, likewise.

    Raises:
        ValueError: a field is missing, or is no such value.
    """
    try:
        key = SessionKey.of(fields)
        scores = {str(name): value for name, value in dict(fields["scores"]).items() if _is_number(value)}
        row = {
            "id": session_id(run, key),
            **{name: _short(value) for name, value in key._asdict().items()},
            "group": _short(fields["group_id"]),
            "scored": fields["scored"] is True,
            "scores": scores if fields["scored"] is True else {},
            "error": _short(fields["error"]),
            "error_kind": _short(fields["error_kind"]),
            "end": "" if fields["terminated"] is True else _short(fields["end_reason"]),
            **{name: int(fields[name]) for name in ("turns", "steps", "tool_calls", "invalid_actions")},
            "faults": len(fields["engine_faults"]),
            "bytes": length,
            "lacks": [],
        }
        labels = dict(fields["labels"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"a field is missing or is no such value: {error}") from error
    return ListedSession(offset, length, row, labels)


def session_id(run: str, key: SessionKey) -> str:
    """The name of a session in addresses of the page: the same each time the run is opened."""
    return hashlib.sha256(json.dumps([run, *key]).encode()).hexdigest()[:16]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _short(value: Any) -> Any:
    """A value as a list shows it: a number, or a text that is cut to size."""
    if _is_number(value):
        return value
    text = str(value)
    return text if len(text) <= MAX_TEXT_CHARS else f"{text[:MAX_TEXT_CHARS]}…"
