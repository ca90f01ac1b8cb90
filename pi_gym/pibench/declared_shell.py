"""Answering the shell asks of a reference with what it declares."""

from __future__ import annotations

from collections.abc import Sequence

from pi_gym.packs.task import ReferenceAction
from pi_gym.pibench.session import PiSession
from pi_gym.types import Answer, Ask


def declared_answer(session: PiSession, ask: Ask, action: str) -> Answer:
    """The answer to an ask of a reference's action; an error where the reference declares none.

    Args:
        session: it waits inside the action.
        ask: what it waits for.
        action: the action, as the task's reference gave it.
    """
    results = action.results if isinstance(action, ReferenceAction) else ()
    # The calls that wait, the pending one first, are still in the queue.
    position = len(results) - len(session.queue)
    found = results[position] if ask.kind == "shell" and 0 <= position < len(results) else None
    if found is None:
        return Answer(error=f"the reference declares no result for an ask of kind {ask.kind!r}")
    return Answer(dict(found))


class DeclaredShell:
    """Answers a session's shell asks with what the action at hand declares; for `PiEnv.shell`.

    Args:
        session: the session.
        action: the action that is about to be applied.
    """

    def __init__(self, session: PiSession, action: str) -> None:
        self.session, self.action = session, action

    def __call__(self, asks: Sequence[Ask]) -> list[Answer]:
        """The answers, in order."""
        return [declared_answer(self.session, ask, self.action) for ask in asks]
