"""JSON as it is sent, put together from parts that are encoded once.

A session asks again and again with the same tools and with messages that it asked with before. Encoding all of it for
each request would cost the square of the session's length.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Encoded:
    """The JSON of a value; it may stand in the value's place in what `encode_object` gets.

    Args:
        data: in UTF-8.
    """

    data: bytes


def encode(value: Any) -> Encoded:
    """A value as JSON, without spaces and with all characters as they are.

    Raises:
        TypeError, ValueError: it is none that JSON has.
    """
    return Encoded(json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode())


def encode_object(members: Mapping[str, Any]) -> bytes:
    """An object as JSON: what `encode` gives of it with every `Encoded` member as what it stands for.

    >>> encode_object({"model": "m", "messages": Encoded(b"[]")})
    b'{"model":"m","messages":[]}'
    """
    parts = (
        encode(name).data + b":" + (value if isinstance(value, Encoded) else encode(value)).data
        for name, value in members.items()
    )
    return b"{" + b",".join(parts) + b"}"


class EncodedList:
    """The JSON of a list that grows, or of which parts are replaced: elements of the last time are not encoded again.

    Elements are known by their identity, so none may be changed in place. What the last list did not hold is
    forgotten.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, bytes]] = {}

    def of(self, elements: Sequence[Any]) -> Encoded:
        """The list as it is now."""
        known, parts = {}, []
        for element in elements:
            # The element is held with its JSON, and looked at: in a copy of this, other objects have these identities.
            found = self._known.get(id(element))
            if found is None or found[0] is not element:
                found = (element, encode(element).data)
            known[id(element)] = found
            parts.append(found[1])
        self._known = known
        return Encoded(b"[" + b",".join(parts) + b"]")
