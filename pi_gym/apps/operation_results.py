"""Results as an agent gets them: whole JSON, whatever the records hold.

Limits of texts count characters, but JSON writes a quote as two of them and a control character as six. So a record
within its limits may still not fit; then its longest texts are cut, and where that is not enough its longest lists.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Any

from pi_gym.tools.registry import MAX_RESULT_CHARS

_ENCODER = json.JSONEncoder(ensure_ascii=False)
LEAST_CHARS = 400
"""Texts are not cut below so many characters of JSON as long as a list can be shortened instead."""
NOTE = "… ({:,} characters; too long to show whole)"
LEFT_OUT = "Too long to show whole: of {} the last {} of {} are left out; ask for fewer at a time."
TOO_LONG = "This is too long to be shown; ask for less at a time."


def fitted(result: Any, most: int = MAX_RESULT_CHARS) -> str:
    """A result as JSON of at most so many characters.

    Args:
        result: a JSON value; it stays as it is.
        most: what the agent is shown of a result.
    """
    text = _json(result)
    if len(text) <= most:
        return text
    shown = _with_texts_cut(result, most, LEAST_CHARS)
    shown = _with_texts_cut(_with_lists_cut(shown, most), most, 0)
    text = _json(shown)
    return text if len(text) <= most else _json({"message": TOO_LONG})


def _with_texts_cut(value: Any, most: int, least: int) -> Any:
    """A copy whose longest texts are cut alike, so that it fits, but none to less than `least` characters of JSON."""
    lengths = [_size(text) for text in _found(value, str)]
    room = most - _size(value) + sum(lengths)
    # The greatest length that all texts may have.
    limit = bisect_right(range(most), room, key=lambda each: sum(min(length, each) for length in lengths)) - 1
    return _mapped(value, lambda text: _cut(text, max(limit, least)))


def _cut(text: str, most: int) -> str:
    """A text, or its beginning and a note, in at most so many characters of JSON, but for the note."""
    if _size(text) <= most:
        return text
    note = NOTE.format(len(text))
    # Texts grow with their JSON, so the longest beginning that fits can be looked for by halves.
    kept = bisect_right(range(len(text)), most - len(note), key=lambda chars: _size(text[:chars])) - 1
    return text[: max(0, kept)] + note


def _with_lists_cut(value: Any, most: int) -> Any:
    """The value without the last entries of its longest lists, and with a word on that; it is changed in place."""
    whole: dict[int, int] = {}
    while _size(value) > most:
        longest = max((one for one in _found(value, list) if one), default=None, key=_size)
        if longest is None:
            break
        whole.setdefault(id(longest), len(longest))
        del longest[-max(1, len(longest) // 8) :]
        if isinstance(value, dict):
            name = next((key for key, one in value.items() if one is longest), "a list")
            value["left_out"] = LEFT_OUT.format(name, whole[id(longest)] - len(longest), whole[id(longest)])
    return value


def _found(value: Any, kind: type) -> Iterator[Any]:
    """The values of a type within a value, the outer ones first."""
    if isinstance(value, kind):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _found(one, kind)


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _mapped(one, change) for key, one in value.items()}
    return [_mapped(one, change) for one in value] if isinstance(value, list) else value


def _size(value: Any) -> int:
    return len(_json(value))


def _json(value: Any) -> str:
    return _ENCODER.encode(value)
