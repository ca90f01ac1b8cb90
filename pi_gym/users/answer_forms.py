"""The forms of models' answers: JSON schemas that leave no count open, and the strict reading of what comes back.

The schemas keep to what every server of structured output takes: objects with all their properties required and no
others, lists, texts, choices. Lengths stand in them for servers that can hold a model to these (`portable` in
`pi_gym.models.json_schema` takes them out); the reading here decides. What it finds wrong it says without repeating it,
since a model may have written what is hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pi_gym.errors import AnswerError
from pi_gym.models.answer_parts import fields_of, kind_of, object_schema, reading_fault, text_of, text_schema

MAX_REASON_CHARS = 400
MAX_ASKS_CHARS = 200
MAX_CLAUSES = 24
MAX_INTENTS = 2
_YES, _NO = "YES", "NO"


@dataclass(frozen=True, slots=True)
class IntentDecision:
    """YES or NO on one intent or item, with the model's reason."""

    yes: bool
    reason: str


@dataclass(frozen=True, slots=True)
class NamedClause:
    """An asking clause as a model listed it.

    Args:
        sentence: the id of the sentence in which it stands.
        asks: what it asks for, in the model's words.
        intents: the ids that it hits; none for a generic one.
    """

    sentence: str
    asks: str
    intents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DecisionsForm:
    """One decision for each id, the reason before the decision."""

    ids: tuple[str, ...]

    @property
    def schema(self) -> dict[str, Any]:
        """See `AnswerForm`."""
        one = object_schema(reason=text_schema(MAX_REASON_CHARS), decision={"type": "string", "enum": [_YES, _NO]})
        return object_schema(**dict.fromkeys(self.ids, one))

    def read(self, value: Any) -> dict[str, IntentDecision]:
        """The decisions by id, in the order of `ids`.

        Raises:
            AnswerError: an id is missing or unknown, or a part has not the form that the schema gives.
        """
        parts = fields_of(value, self.ids, "the answer")
        found = {}
        for number in self.ids:
            part = fields_of(parts[number], ("reason", "decision"), number)
            decision = part["decision"]
            if decision not in (_YES, _NO):
                raise AnswerError(f"{number}: expected the decision YES or NO, got {kind_of(decision)}")
            found[number] = IntentDecision(decision == _YES, text_of(part["reason"], f"{number}: reason"))
        return found

    def fault(self, value: Any) -> str:
        """See `AnswerForm`."""
        return reading_fault(self.read, value)


@dataclass(frozen=True, slots=True)
class ClausesForm:
    """The asking clauses of a reply, each by its sentence and with the intents that it hits.

    Args:
        sentences: ids of the reply's sentences, in reading order.
        intents: ids of the intents.
    """

    sentences: tuple[str, ...]
    intents: tuple[str, ...]

    @property
    def schema(self) -> dict[str, Any]:
        """See `AnswerForm`."""
        clause = object_schema(
            sentence={"type": "string", "enum": list(self.sentences)},
            asks=text_schema(MAX_ASKS_CHARS),
            intents={
                "type": "array",
                "items": {"type": "string", "enum": list(self.intents)},
                "maxItems": MAX_INTENTS,
            },
        )
        return object_schema(clauses={"type": "array", "items": clause, "maxItems": MAX_CLAUSES})

    def read(self, value: Any) -> tuple[NamedClause, ...]:
        """The clauses in reading order; those of one sentence in the model's. What it lists twice is there once.

        Raises:
            AnswerError: a part has not the form that the schema gives, names a sentence or an intent that is not
                there, or more intents than a clause may hit.
        """
        listed = fields_of(value, ("clauses",), "the answer")["clauses"]
        if not isinstance(listed, list):
            raise AnswerError(f"clauses: expected a list, got {kind_of(listed)}")
        found = [self._clause(one, f"clause {number}") for number, one in enumerate(listed, start=1)]
        place = {number: at for at, number in enumerate(self.sentences)}
        once: dict[tuple[str, str, tuple[str, ...]], NamedClause] = {}
        for one in sorted(found, key=lambda clause: place[clause.sentence]):
            once.setdefault((one.sentence, " ".join(one.asks.casefold().split()), one.intents), one)
        return tuple(once.values())

    def fault(self, value: Any) -> str:
        """See `AnswerForm`."""
        return reading_fault(self.read, value)

    def _clause(self, value: Any, name: str) -> NamedClause:
        part = fields_of(value, ("sentence", "asks", "intents"), name)
        sentence, hits = part["sentence"], part["intents"]
        if not isinstance(sentence, str) or sentence not in self.sentences:
            raise AnswerError(f"{name}: expected the id of a sentence, got {kind_of(sentence)} that is none")
        if not isinstance(hits, list) or any(not isinstance(hit, str) or hit not in self.intents for hit in hits):
            raise AnswerError(f"{name}: expected a list of {', '.join(self.intents)}, got {kind_of(hits)} that is none")
        intents = tuple(dict.fromkeys(hits))
        if len(intents) > MAX_INTENTS:
            raise AnswerError(f"{name}: expected at most {MAX_INTENTS} intents, got {len(intents)}")
        return NamedClause(sentence, text_of(part["asks"], f"{name}: asks"), intents)


@dataclass(frozen=True, slots=True)
class MessageForm:
    """A message, as free text of at most so many characters."""

    most_chars: int

    @property
    def schema(self) -> None:
        """See `AnswerForm`."""
        return None

    def read(self, value: Any) -> str:
        """The message without blanks around it.

        Raises:
            AnswerError: it is no text, empty, or too long.
        """
        if not isinstance(value, str) or not value.strip():
            raise AnswerError(f"expected a message, got {kind_of(value) if value else 'nothing'}")
        if len(value) > self.most_chars:
            raise AnswerError(f"a message of {len(value)} characters; at most {self.most_chars} are taken")
        return value.strip()

    def fault(self, value: Any) -> str:
        """See `AnswerForm`."""
        return reading_fault(self.read, value)
