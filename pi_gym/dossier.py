"""Dossiers and lives: what readers of a recorded session are shown beside its conversation, whatever its family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

#: How something stands, for its colour: as it should, not as it should, not settled, or none of these.
Tone: TypeAlias = Literal["good", "bad", "open", "plain"]


@dataclass(frozen=True, slots=True)
class JudgedPart:
    """A kind of judgement that readers give too.

    Args:
        kind: as judgements of a record name it.
        key: its name in a verdict's file.
        title: the heading over it.
        values: what readers may find, the words of the records.
        credited: those that count as reached.
        measure: the score that is the share of credited ones; "": none is.
        same: values of a record for which readers have another word, with that word.
        is_criterion: readers say whether it holds, values[0], or not, values[1], and whether it is unfair.
    """

    kind: str
    key: str
    title: str
    values: tuple[str, ...]
    credited: tuple[str, ...]
    measure: str = ""
    same: Mapping[str, str] = field(default_factory=dict)
    is_criterion: bool = False


@dataclass(frozen=True, slots=True)
class PutQuestion:
    """A question that the agent put to the user.

    Args:
        turn: in which.
        text: the sentence, or the clause that was taken as a question.
        answer: the user's next message; "" where none came.
        heard: whether the user still answers questions; False past the number of them.
    """

    turn: int
    text: str
    answer: str
    heard: bool = True


@dataclass(frozen=True, slots=True)
class Dossier:
    """The part of a session that its conversation does not show.

    Args:
        texts: of whatever is judged, by kind and id: it in words.
        changes: by turn, the diff of the files that it changed.
        final: by heading, text on the session's end.
        rewards: by step, its reward by component.
    """

    texts: Mapping[tuple[str, str], str] = field(default_factory=dict)
    changes: Mapping[int, str] = field(default_factory=dict)
    final: Mapping[str, str] = field(default_factory=dict)
    rewards: Mapping[int, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LifeMoment:
    """A moment in the life of something that is judged.

    Args:
        turn: in which, from 1; `step` the number of the agent's action.
        state: what happened to it, in a word or two ("asked", "revealed").
        text: the words that decided it.
        tone: how it stands for that.
    """

    turn: int
    step: int
    state: str
    text: str = ""
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Life:
    """The life in a session of something that is judged, from the record alone.

    Args:
        kind: what it is ("intent"), as judgements name it; `id` and `name` which one.
        value: how it ended, in the record's word.
        tone: how it stands at the end.
        moments: what happened to it, in order.
    """

    kind: str
    id: str
    name: str
    value: str
    tone: Tone
    moments: tuple[LifeMoment, ...]
