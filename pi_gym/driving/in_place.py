"""Playing sessions in place: whatever they wait for is called in the thread that asks for their results."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import partial
from time import perf_counter
from typing import Any

from pi_gym.driving.calls import LoopCalls, Result, call_here
from pi_gym.driving.waits import Move, Play, R, SessionEnd, Wait, Work, name_of
from pi_gym.session.answerers import Waiting


def play_in_place(play: Play[R]) -> Iterator[SessionEnd[R]]:
    """Play in this thread, waiting for one thing after the other, and give results as they come."""
    waits: dict[str, list[float]] = {}
    result = Result()
    while True:
        try:
            found = play.send(result.value) if result.error is None else play.throw(result.error)
        except StopIteration:
            return
        if isinstance(found, Move | Work | Waiting):
            begin_s = perf_counter()
            result = call_here(partial(_wait_here, found))
            waits.setdefault(name_of(found), []).append(perf_counter() - begin_s)
        else:
            yield SessionEnd(found, waits)
            waits, result = {}, Result()


def _wait_here(wait: Wait) -> Any:
    if isinstance(wait, Waiting):
        return wait.answerer(wait.asks)
    value = wait.call()
    if not (isinstance(wait, Move) and inspect.isawaitable(value)):
        return value
    future = LoopCalls().submit(lambda: value)
    try:
        return future.result().get()
    finally:
        future.cancel()  # where it is not done: somebody pressed Ctrl-C
