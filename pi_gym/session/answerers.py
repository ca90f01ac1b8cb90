"""The functions that answer what a session asks for: one for each kind of ask, in one place."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pi_gym.session.protocol import Session
from pi_gym.types import Answer, Ask

#: Asks in, answers out, in order.
Responder: TypeAlias = Callable[[Sequence[Ask]], Sequence[Answer]]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A session waits for answers.

    Args:
        asks: what it asks, all of one kind.
        answerer: what answers it; gives one `Answer` for each, in order.
    """

    asks: tuple[Ask, ...]
    answerer: Responder


#: The waits of a session, one after the other: yields each, and is sent its answers.
Waits: TypeAlias = Generator[Waiting, Sequence[Answer], None]


@dataclass(slots=True)
class Answerers:
    """The functions that answer asks.

    Args:
        shell: for asks of kind "shell".
        web: for asks of kind "web".
        policy: for asks of kind "policy".
        other: for those of kind "model", and of every kind that has no function of its own.
    """

    shell: Responder | None = None
    web: Responder | None = None
    policy: Responder | None = None
    other: Responder | None = None

    def of(self, kind: str) -> Responder | None:
        """The function for a kind of ask; None where nothing answers it."""
        own = {"shell": self.shell, "web": self.web, "policy": self.policy}.get(kind)
        return own if own is not None else self.other

    def waits(self, session: Session) -> Waits:
        """A session's asks, until none is pending, for a driver; where nothing answers one, the session ends unscored.

        All asks of a kind go out together, so that their answerer can work on them at one time.
        """
        while session.pending:
            asks = session.pending
            unheard = next((ask.kind for ask in asks if self.of(ask.kind) is None), None)
            if unheard is not None:
                session.fail(f"nothing answers asks of kind {unheard!r}; give the environment a responder", "engine")
                return
            for kind in dict.fromkeys(ask.kind for ask in asks):
                answerer = self.of(kind)
                chosen = tuple(ask for ask in asks if ask.kind == kind)
                assert answerer is not None
                deliver(session, chosen, (yield Waiting(chosen, answerer)), answerer)


def deliver(session: Session, asks: Sequence[Ask], answers: Sequence[Answer], answerer: Responder) -> None:
    """Feed answers back.

    An answerer with a method `forget` is told of asks whose answers came, and left the session unscored all the same:
    what it keeps of them would fail a retry too.

    Raises:
        TypeError: what the answerer gave is no list of one `Answer` for each ask.
    """
    require_answers(asks, answers)
    for ask, answer in zip(asks, answers, strict=True):
        session.answer(ask.id, answer)
    useless = session.error_kind == "model" and not any(answer.error for answer in answers)
    forget = getattr(answerer, "forget", None)
    if useless and callable(forget):
        forget([ask for ask in asks if ask.kind == "model"])


def require_answers(asks: Sequence[Ask], answers: Sequence[Answer]) -> None:
    """See to it that a function of asks gave one answer for each.

    Raises:
        TypeError: it did not.
    """
    if (
        isinstance(answers, str | Mapping)
        or len(answers) != len(asks)
        or not all(isinstance(one, Answer) for one in answers)
    ):
        raise TypeError(
            f"a function that answers asks must give a list with one Answer for each of the {len(asks)} asks, in their"
            f" order; it gave {type(answers).__name__}: {repr(answers)[:200]}"
        )
