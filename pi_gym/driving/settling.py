"""Answering what many sessions ask, all at one time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import CancelledError, Future
from queue import SimpleQueue
from typing import Any

from pi_gym.driving.threads import BlockingCalls
from pi_gym.models.answering import ModelAnswerer, ModelsClosed
from pi_gym.session.answerers import Waiting, Waits, require_answers
from pi_gym.shell import ShellRunner
from pi_gym.types import Answer


def settle_together(sessions: Iterable[Waits]) -> None:
    """Have all sessions get their answers, until none waits.

    Everything that is asked is asked at once. Models answer on the process's background loop, commands run in a few
    threads, and a session goes on as soon as its own answers are there, whatever the others wait for. Any other
    function is called here, in the thread that steps, with the asks of all sessions that wait for it.

    Raises:
        ModelsClosed: another thread closed the environment meanwhile.
        whatever an answerer raises; what was asked of the others is then cancelled.
    """
    settling = _Settling()
    try:
        for session in sessions:
            settling.go_on(session)
        settling.finish()
    finally:
        settling.close()


class _Settling:
    def __init__(self) -> None:
        self._asked: dict[Waits, Future[Any]] = {}
        self._answered: SimpleQueue[Waits] = SimpleQueue()
        # By answerer: the sessions that wait for a function that is to be called here.
        self._here: dict[int, list[tuple[Waits, Waiting]]] = {}
        self._threads: BlockingCalls | None = None

    def go_on(self, session: Waits, answers: Sequence[Answer] | None = None) -> None:
        """Let a session go on with its answers (None: it has just begun), up to what it waits for next."""
        try:
            wait = next(session) if answers is None else session.send(answers)
        except StopIteration:
            return
        answerer = wait.answerer
        if isinstance(answerer, ModelAnswerer) and all(map(answerer.takes, wait.asks)):
            self._ask(session, answerer.submit(wait.asks))
        elif isinstance(answerer, ShellRunner):
            self._threads = self._threads or BlockingCalls(answerer.parallel, "pi_gym-shell")
            self._ask(session, self._threads.submit(answerer, wait.asks))
        else:
            self._here.setdefault(id(answerer), []).append((session, wait))

    def finish(self) -> None:
        """Let all go on, as their answers come, to where they wait for nothing."""
        while self._asked or self._here:
            if self._here:
                self._call(self._here.pop(next(iter(self._here))))
            else:
                session = self._answered.get()
                self.go_on(session, _answers(self._asked.pop(session)))

    def close(self) -> None:
        """Drop what nobody waits for any more."""
        for future in self._asked.values():
            future.cancel()
        if self._threads is not None:
            self._threads.close()

    def _ask(self, session: Waits, future: Future[Any]) -> None:
        self._asked[session] = future
        future.add_done_callback(lambda _: self._answered.put(session))

    def _call(self, group: Sequence[tuple[Waits, Waiting]]) -> None:
        asks = [ask for _, wait in group for ask in wait.asks]
        answers = group[0][1].answerer(asks)
        require_answers(asks, answers)
        begin = 0
        for session, wait in group:
            end = begin + len(wait.asks)
            self.go_on(session, answers[begin:end])
            begin = end


def _answers(future: Future[Any]) -> Any:
    try:
        return future.result()
    except CancelledError:
        raise ModelsClosed("closed while the answers of models were awaited") from None
