"""The driver of sessions: what it begins, in which order it goes on, and what it drops."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Any

import pytest

from pi_gym.driving.calls import BlockingCalls
from pi_gym.driving.driver import Driver
from pi_gym.driving.settling import settle
from pi_gym.driving.waits import Move, Play, SessionTimeout, Work
from pi_gym.session.answerers import Waiting
from pi_gym.types import Answer, Ask, ModelRequest

LONG_S = 30.0


def moves(*calls: Callable[[], Any], is_async: bool = False) -> Play[list[Any]]:
    """A session that waits for calls, one after the other; its result is what they gave."""
    found = []
    for call in calls:
        found.append((yield Move(call, is_async)))
    yield found


def driver_of(*plays: Play[Any], **options: Any) -> Driver[Any]:
    driver: Driver[Any] = Driver(**{"concurrency": max(len(plays), 1), **options})
    driver.add(plays)
    driver.end()
    return driver


def results(*plays: Play[Any], **options: Any) -> list[Any]:
    return [end.result for end in driver_of(*plays, **options).results() if end is not None]


def test_one_at_a_time_is_played_in_this_thread() -> None:
    here = [threading.current_thread] * 2
    assert results(moves(*here), moves(*here), concurrency=1) == [[threading.current_thread()] * 2] * 2


@pytest.mark.parametrize("options", [{"concurrency": 2}, {"concurrency": 1, "timeout_s": LONG_S}])
def test_otherwise_what_blocks_is_called_in_another(options: dict[str, Any]) -> None:
    (found,) = results(moves(threading.current_thread), **options)
    assert found != [threading.current_thread()]


def test_sessions_go_on_as_what_they_wait_for_ends() -> None:
    release = threading.Event()
    ends = driver_of(moves(lambda: release.wait(LONG_S)), moves(lambda: "a")).results()
    found = [next(end for end in ends if end is not None).result]
    release.set()
    found += [end.result for end in ends if end is not None]
    assert found == [["a"], [True]]


def test_no_more_sessions_are_under_way_than_may_be() -> None:
    under_way, most, lock = [0], [0], threading.Lock()
    three = threading.Barrier(3, timeout=LONG_S)

    def session() -> Play[int]:
        with lock:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
        yield Move(three.wait)
        with lock:
            under_way[0] -= 1
        yield 1

    assert sum(results(*(session() for _ in range(12)), concurrency=3)) == 12
    assert most == [3]


def test_the_next_session_of_a_play_has_waits_and_time_of_its_own() -> None:
    def episode() -> Play[str]:
        for name in ("first", "second"):
            yield Work(lambda: None)
            yield name

    ends = [end for end in driver_of(episode(), timeout_s=LONG_S).results() if end is not None]
    assert [end.result for end in ends] == ["first", "second"]
    assert [{name: len(seconds) for name, seconds in end.waits.items()} for end in ends] == [{"environment": 1}] * 2


def test_what_a_call_raises_is_raised_in_its_session_alone() -> None:
    def caught() -> Play[str]:
        try:
            yield Move(lambda: 1 // 0)
        except ZeroDivisionError as error:
            yield str(error)

    assert sorted(map(str, results(caught(), moves(lambda: 1)))) == ["[1]", "integer division or modulo by zero"]
    assert results(caught()) == ["integer division or modulo by zero"]


@pytest.mark.parametrize("concurrency", [1, 2])
def test_what_a_session_does_not_catch_ends_the_run(concurrency: int) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        results(moves(interrupted), moves(lambda: 1), concurrency=concurrency)


@pytest.mark.parametrize("options", [{"concurrency": 1}, {"concurrency": 2}])
def test_a_call_that_gives_something_to_await_is_awaited(options: dict[str, Any]) -> None:
    async def answer() -> int:
        await asyncio.sleep(0)
        return 7

    assert results(moves(answer), moves(answer, is_async=True), **options) == [[7], [7]]


def test_a_session_that_takes_too_long_is_told_and_its_thread_is_given_up() -> None:
    forever = threading.Event()

    def hanging() -> Play[str]:
        try:
            yield Move(lambda: forever.wait(LONG_S))
        except SessionTimeout as error:
            yield str(error)

    found = results(hanging(), moves(lambda: 1), moves(lambda: 2), concurrency=1, timeout_s=0.2)
    forever.set()
    assert found == ["the session took longer than 0.2 s; it was waiting for the policy", [1], [2]]


def test_a_coroutine_that_is_dropped_has_ended_before_the_driver_is_closed() -> None:
    begun, ended = threading.Event(), []

    async def waiting() -> None:
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.01)
            ended.append(1)

    driver = driver_of(moves(waiting, is_async=True), moves(lambda: begun.wait(LONG_S)), concurrency=2)
    with closing(driver.results()) as ends:
        assert next(ends) is not None
    assert ended == [1]


def test_who_waits_hears_of_a_driver_that_has_nothing_to_play_and_may_add_to_it() -> None:
    driver: Driver[Any] = Driver(concurrency=2)
    ends = driver.results()
    assert next(ends) is None
    driver.add([moves(lambda: 1)])
    assert next(end for end in ends if end is not None).result == [1]
    driver.end()
    assert list(ends) == []


def test_a_driver_that_is_stopped_plays_no_further() -> None:
    driver = driver_of(*(moves(lambda: 1) for _ in range(9)), concurrency=2)
    ends = driver.results()
    assert next(ends) is not None
    driver.stop()
    assert list(ends) == []


def test_what_sessions_wait_for_is_counted() -> None:
    release = threading.Event()
    driver = driver_of(moves(lambda: release.wait(LONG_S)), moves(lambda: release.wait(LONG_S)), moves(lambda: 1))
    ends = driver.results()
    assert next(ends) is not None
    assert driver.waiting() == {"policy": 2}
    release.set()
    assert len([end for end in ends if end is not None]) == 2
    assert driver.waiting() == {}


# -- functions of the caller's ---------------------------------------------------------------------------------------


class Function:
    """Answers asks with their ids, and remembers how many came at a time, and where."""

    def __init__(self) -> None:
        self.sizes, self.threads = list[int](), set[threading.Thread]()

    def __call__(self, asks: Sequence[Ask]) -> list[Answer]:
        self.sizes.append(len(asks))
        self.threads.add(threading.current_thread())
        return [Answer(ask.id) for ask in asks]


def asking(function: Function, name: str, rounds: int) -> Generator[Waiting, Sequence[Answer], None]:
    for number in range(rounds):
        ask = Ask(f"{name}{number}", "model", "user", "message", ModelRequest(messages=()))
        (answer,) = yield Waiting((ask,), function)
        assert answer.value == ask.id


def test_settling_calls_a_function_once_for_all_sessions_that_wait_for_it() -> None:
    function = Function()
    settle(asking(function, "a", 1), asking(function, "b", 3), asking(function, "c", 2))
    assert function.sizes == [3, 2, 1]
    assert function.threads == {threading.current_thread()}


def test_a_run_calls_it_in_a_thread_for_each_session() -> None:
    function = Function()
    assert results(asking(function, "a", 2), asking(function, "b", 2)) == []
    assert function.sizes == [1] * 4
    assert threading.current_thread() not in function.threads


def test_a_call_that_never_ends_and_is_given_up_holds_up_no_other() -> None:
    calls = BlockingCalls(1, "test")
    assert [calls.submit(int, number).result(10) for number in ("1", "2", "3")] == [1, 2, 3]
    hung = threading.Event()
    calls.submit(hung.wait)
    waiting = calls.submit(int, "4")
    calls.give_up_one()
    try:
        assert waiting.result(10) == 4
        assert calls.submit(int, "5").result(10) == 5
    finally:
        hung.set()
        calls.close()
