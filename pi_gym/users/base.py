"""The interface of a simulated user.

Each of the three stages is one function of a view. It returns the result, or the model requests that it needs; then
the session asks, and calls the function again with the answers. So a user simulator is pure and picklable, and a
session can wait between any two of its stages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from pi_gym.models.role_requests import Answers, Requests
from pi_gym.packs.task import Intent, Task
from pi_gym.predicates import Evidence
from pi_gym.questions import Asked
from pi_gym.types import Event


@dataclass(frozen=True)
class TurnView:
    """The turn as a user simulator sees it at its end.

    Args:
        task: the session's task.
        open: the intents still open, in file order.
        reply: the agent's text of this turn: what `message` sent, then the final reply or the question.
        evidence: this turn's replies and calls, and the changed files; never what the user said.
        log: the session's events so far, for a model that words the next message.
        misses: replies with a question that hit nothing so far in the session.
        patience: after so many of these questions are not answered any more; None: never.
        spared: ids of settled intents that have had their one clause without a miss.
        room: gives the number of asking clauses that the user still takes notice of; None: any number.
        intents_only: the user answers nothing but what the session's intents hold.
    """

    task: Task
    open: tuple[Intent, ...]
    reply: str
    evidence: Evidence
    log: Iterable[Event] = ()
    misses: int = 0
    patience: int | None = 3
    spared: tuple[str, ...] = ()
    room: Callable[[], int | None] = lambda: None
    intents_only: bool = False


@dataclass(frozen=True, slots=True)
class Satisfied:
    """Stage 1: the open intents that this turn satisfied, by id, each with a reason."""

    reasons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision on the user's next message.

    Args:
        kind: "answer" to what was asked or announced, "reveal" of one open intent, or "wait" for what was announced.
        intents: the intents that the message states, in the order asked.
        words: by intent id, what is said in place of the intent's reveal.
        remarks: fixed words on questions about no intent of the session.
        leaves_rest: whether questions are left to the assistant without a word on what they are about.
    """

    kind: Literal["answer", "reveal", "wait"]
    intents: tuple[Intent, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    leaves_rest: bool = False

    @property
    def points(self) -> tuple[str, ...]:
        """The words of the message on each of its intents."""
        return tuple(self.words.get(intent.id, intent.reveal) for intent in self.intents)


class User(Protocol):
    """A simulated user. `name` goes into the trajectory."""

    name: str

    def satisfied(self, view: TurnView, answers: Answers | None = None) -> Satisfied | Requests:
        """Stage 1: the open intents that this turn satisfies."""
        ...

    def asked(self, view: TurnView, answers: Answers | None = None) -> Asked | Requests:
        """Stage 2: the rest of the open intents (`view.open`) that the reply asks for."""
        ...

    def message(self, view: TurnView, decision: Decision, answers: Answers | None = None) -> str | Requests:
        """The user's next message, stating exactly `decision.intents`."""
        ...
