"""The forms of models' answers: JSON schemas that leave no count open, and the strict reading of what comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pi_gym.errors import AnswerError

MAX_REASON_CHARS = 400
MAX_QUOTE_CHARS = 300
MAX_CLAUSES = 24
MAX_INTENTS = 2
_YES, _NO = "YES", "NO"
_KINDS = ("targeted", "generic")


@dataclass(frozen=True, slots=True)
class Decision:
    """YES or NO on one intent or item, with the model's reason."""

    yes: bool
    reason: str


@dataclass(frozen=True, slots=True)
class NamedClause:
    """An asking clause as a model listed it; `intents` are the ids that it hits, none for a generic one."""

    quote: str
    reason: str
    intents: tuple[str, ...]


def decisions_schema(ids: Sequence[str]) -> dict[str, Any]:
    """The schema of one decision for each id, the reason before the decision."""
    one = _object(reason=_text(MAX_REASON_CHARS), decision={"type": "string", "enum": [_YES, _NO]})
    return _object(**dict.fromkeys(ids, one))


def read_decisions(value: Any, ids: Sequence[str]) -> dict[str, Decision]:
    """The decisions by id, in the order of `ids`.

    Raises:
        AnswerError: an id is missing or unknown, or a part has not the form that the schema gives.
    """
    parts = _fields(value, ids, "the answer")
    found = {}
    for number in ids:
        part = _fields(parts[number], ("reason", "decision"), number)
        decision = part["decision"]
        if decision not in (_YES, _NO):
            raise AnswerError(f"{number}: expected the decision YES or NO, got {_shown(decision)}")
        found[number] = Decision(decision == _YES, _string(part["reason"], f"{number}: reason", MAX_REASON_CHARS))
    return found


def clauses_schema(ids: Sequence[str]) -> dict[str, Any]:
    """The schema of a list of asking clauses, each with its kind and the ids that it hits."""
    clause = _object(
        quote=_text(MAX_QUOTE_CHARS),
        reason=_text(MAX_REASON_CHARS),
        kind={"type": "string", "enum": list(_KINDS)},
        intents={"type": "array", "items": {"type": "string", "enum": list(ids)}, "maxItems": MAX_INTENTS},
    )
    return _object(clauses={"type": "array", "items": clause, "maxItems": MAX_CLAUSES})


def read_clauses(value: Any, ids: Sequence[str]) -> tuple[NamedClause, ...]:
    """The clauses in the model's order; what a generic one is said to hit does not count.

    Raises:
        AnswerError: as in `read_decisions`.
    """
    listed = _fields(value, ("clauses",), "the answer")["clauses"]
    if not isinstance(listed, list) or len(listed) > MAX_CLAUSES:
        raise AnswerError(f"clauses: expected a list of at most {MAX_CLAUSES}, got {_shown(listed)}")
    found = []
    for number, one in enumerate(listed, start=1):
        name = f"clause {number}"
        part = _fields(one, ("quote", "reason", "kind", "intents"), name)
        kind, hits = part["kind"], part["intents"]
        if kind not in _KINDS:
            raise AnswerError(f"{name}: expected the kind targeted or generic, got {_shown(kind)}")
        if not isinstance(hits, list) or len(hits) > MAX_INTENTS or any(hit not in ids for hit in hits):
            raise AnswerError(f"{name}: expected at most {MAX_INTENTS} of {', '.join(ids)}, got {_shown(hits)}")
        quote = _string(part["quote"], f"{name}: quote", MAX_QUOTE_CHARS)
        reason = _string(part["reason"], f"{name}: reason", MAX_REASON_CHARS)
        found.append(NamedClause(quote, reason, tuple(dict.fromkeys(hits)) if kind == "targeted" else ()))
    return tuple(found)


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _text(most: int) -> dict[str, Any]:
    # A bound keeps a weak model, held to the schema by its server, from writing for ever.
    return {"type": "string", "maxLength": most}


def _fields(value: Any, names: Sequence[str], what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise AnswerError(f"{what}: expected an object, got {_shown(value)}")
    missing = [name for name in names if name not in value]
    odd = [str(name) for name in value if name not in names]
    if missing or odd:
        told = [f"{len(part)} {word} ({', '.join(part[:5])})" for part, word in ((missing, "missing"), (odd, "unknown"))
                if part]  # fmt: skip
        raise AnswerError(f"{what}: {' and '.join(told)}; expected {', '.join(names)}")
    return value


def _string(value: Any, what: str, most: int) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise AnswerError(f"{what}: expected text of at most {most} characters, got {_shown(value)}")
    return value.strip()


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."
