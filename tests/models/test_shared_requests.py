"""The same request, asked by several at one time."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

from support.faulty_server import LONG_S, FaultyServer, Gathering, Say, Status
from support.model_asks import answers, ask, wait_for
from support.served_roles import AGREES, config

from pi_gym.models.answerer import ModelAnswerer
from pi_gym.models.flights import Flights
from pi_gym.types import Answer

GOOD = Say(AGREES)


def test_the_same_request_is_sent_once_while_its_answer_is_under_way(tmp_path):
    failures = iter([Status(500)])

    def script(body):  # which of the two comes first is open; the first "q" is lost
        return next(failures, GOOD) if body["messages"][0]["content"] == "q" else GOOD

    with FaultyServer(script) as server:
        one, other = (ModelAnswerer({"user": config(server.url, tmp_path)}) for _ in range(2))
        futures = [one.submit([ask("q", number=n) for n in range(20)]), other.submit([ask("q"), ask("r")])]
        found = [answer for future in futures for answer in future.result(LONG_S)]
        one.close(), other.close()
    assert found == [Answer(AGREES)] * 22
    assert sorted(body["messages"][0]["content"] for body in server.requests) == ["q", "q", "r"]
    assert one.usage["user"].answers == 20
    assert one.usage["user"].shared + other.usage["user"].shared + other.usage["user"].cache_hits == 20


def test_without_a_cache_everyone_asks_for_himself():
    with FaultyServer([GOOD]) as server:
        answers(server.url, [ask("q", number=n) for n in range(5)])
    assert len(server.requests) == 5


def test_a_failure_is_that_of_all_who_share_the_request(tmp_path):
    with FaultyServer([Status(400)]) as server:
        found, usage = answers(server.url, [ask("q", number=n) for n in range(3)], cache=tmp_path)
    assert [bool(answer.error) for answer in found] == [True] * 3
    assert (len(server.requests), usage.failures, usage.answers) == (1, 3, 0)


def test_an_answer_that_another_would_not_take_is_asked_for_again(tmp_path):
    odd, even, both = Say({"reason": "odd", "agree": True}), Say({"reason": "even", "agree": True}), threading.Event()

    def check(value):
        return "odd" if len(value["reason"]) % 2 else ""

    with FaultyServer([replace(odd, until=both), even]) as server:
        answerer = ModelAnswerer({"user": config(server.url, tmp_path)})
        easy = answerer.submit([ask("q")])
        wait_for(lambda: server.requests)
        strict = answerer.submit([replace(one, request=replace(one.request, check=check)) for one in [ask("q")]])
        wait_for(lambda: answerer.usage["user"].shared)
        both.set()
        assert easy.result(LONG_S) == [Answer(odd.value)]
        assert strict.result(LONG_S) == [Answer(even.value)]
        answerer.close()


def test_whoever_gives_up_leaves_the_others_their_answer(tmp_path):
    both = Gathering(2)
    with FaultyServer(lambda body: Say(AGREES, until=both.come())) as server:
        patient, hasty = (ModelAnswerer({"user": config(server.url, tmp_path, timeout_s=1000.0)}) for _ in range(2))
        leaving = hasty.submit([ask("q")])
        wait_for(lambda: server.requests)
        staying = patient.submit([ask("q")])
        wait_for(lambda: patient.usage["user"].shared)
        hasty.close()
        assert leaving.cancelled()
        patient.submit([ask("r")])
        assert staying.result(LONG_S) == [Answer(AGREES)]
        patient.close()
    assert [body["messages"][0]["content"] for body in server.requests] == ["q", "r"]


def test_work_is_cancelled_with_the_last_who_waits_for_it():
    async def case():
        flights, ends, began = Flights(), [], asyncio.Event()

        async def work():
            began.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                ends.append("cancelled")
                raise

        waiting = [asyncio.ensure_future(flights.join(b"k", work)) for _ in range(2)]
        await began.wait()
        waiting[0].cancel()
        await asyncio.wait([waiting[0]])
        assert (ends, b"k" in flights) == ([], True)
        waiting[1].cancel()
        await asyncio.wait([waiting[1]])
        await asyncio.sleep(0)
        return ends, b"k" in flights

    assert asyncio.run(case()) == (["cancelled"], False)
