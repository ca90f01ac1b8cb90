"""Asks of a vector environment: those of a step go out together; a session whose model fails touches no other."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from support.faulty_server import LONG_S, FaultyServer, Gathering, Say, Status
from support.packs import TINY
from support.play import call
from support.served_roles import AGREES, ServedGrader, ServedUser, agree, served, stage_of
from vector_cases import MODES, assert_same, ours, records, sync

from pi_gym.models.answerer import ModelsClosed
from pi_gym.models.scripted import ScriptedModel
from pi_gym.shell import ShellRunner
from pi_gym.types import Answer, Ask
from pi_gym.vector import VectorScoringFailed

TASK = "01-list"


def variant_of(body: Mapping[str, Any]) -> int:
    return int(body["messages"][1]["content"].split()[1])


def gathered(stage: str, count: int) -> Any:
    """A script that answers in one stage only when so many are there: who sends one after the other waits for ever."""
    gathering = Gathering(count)
    return lambda body: Say(AGREES, until=gathering.come()) if stage_of(body) == stage else agree(body)


def opened(url: str, count: int, mode: AutoresetMode = AutoresetMode.DISABLED, **settings: Any) -> Any:
    """Sessions of one task; each has its own variant, by which the server knows it."""
    model = {name: settings.pop(name) for name in ("retries", "timeout_s") if name in settings}
    vector = ours(count, mode, **served(url, TINY, **{"timeout_s": LONG_S, **model}), **settings)
    vector.reset(seed=0, options={"task": TASK, "variant": list(range(count))})
    return vector


def test_the_asks_of_all_sessions_go_out_together() -> None:
    gathering = Gathering(8)  # who asks for one session after the other waits for ever
    with FaultyServer(
        lambda body: Say(AGREES, until=gathering.come()) if stage_of(body) == "satisfied" else agree(body)
    ) as server:
        vector = opened(server.url, 8, max_steps=5)
        _, _, _, truncated, infos = vector.step(["Hello."] * 8)
        vector.close()
    assert not truncated.any()
    assert infos["turn"].tolist() == [2] * 8


def test_a_session_goes_on_as_soon_as_its_own_answers_are_there() -> None:
    went_on = threading.Event()

    def script(body: Mapping[str, Any]) -> Say:
        if variant_of(body) == 0 and stage_of(body) == "satisfied":
            return Say(AGREES, until=went_on)  # not before the other session is two stages on
        if variant_of(body) == 1 and stage_of(body) == "message":
            went_on.set()
        return agree(body)

    with FaultyServer(script) as server:
        vector = opened(server.url, 2)
        _, _, _, truncated, _ = vector.step(["Hello."] * 2)
        vector.close()
    assert went_on.is_set()
    assert not truncated.any()


def test_the_asks_of_resets_go_out_together_too() -> None:
    with FaultyServer(gathered("grade", 4)) as server:
        vector = ours(4, pack=TINY, history="own", **_roles(server.url))
        vector.reset(seed=0, options={"variant": [0, 1, 2, 3]})
        sessions = vector.sessions
        vector.reset()  # truncates four open sessions, which are graded
        vector.close()
    assert [session.end_reason for session in sessions] == ["reset"] * 4
    assert all(session.scored for session in sessions)


def _roles(url: str) -> dict[str, Any]:
    return {name: value for name, value in served(url, TINY, timeout_s=LONG_S).items() if name != "pack"}


@pytest.mark.parametrize("mode", MODES)
def test_a_model_that_fails_leaves_one_session_unscored_and_touches_no_other(mode: AutoresetMode) -> None:
    def script(body: Mapping[str, Any]) -> Any:
        return Status(500) if variant_of(body) == 1 and stage_of(body) == "satisfied" else agree(body)

    with FaultyServer(script) as server:
        vector = opened(server.url, 3, mode, retries=0)
        sound = opened(server.url, 3, mode)
        others = [0, 2]
        sound.reset(seed=0, options={"task": TASK, "variant": [0, 0, 2]})
        one, other = vector.step(["Hello."] * 3), sound.step(["Hello."] * 3)
        session = vector.envs[1].session
    _, rewards, terminated, truncated, infos = one
    assert math.isnan(rewards[1])
    assert (terminated.tolist(), truncated.tolist()) == ([False] * 3, [False, True, False])
    assert_same(rewards[others], other[1][others])
    assert [one[0]["history"][place] for place in others] == [other[0]["history"][place] for place in others]
    lines = [records(vector), records(sound)]
    assert [lines[0][place] for place in others] == [lines[1][place] for place in others]
    ended = infos["final_info"] if mode is AutoresetMode.SAME_STEP else infos
    assert "HTTP 500" in ended["error"][1]
    assert ended["error_kind"][1] == "model"
    assert not ended["scored"][1]
    if mode is AutoresetMode.SAME_STEP:
        assert infos["steps"].tolist() == [1, 0, 1]
        assert infos["error"].tolist() == [""] * 3
    else:
        assert session.ended


def test_under_raise_the_step_is_taken_in_all_sessions_before_it_raises() -> None:
    def script(body: Mapping[str, Any]) -> Any:
        return Status(500) if variant_of(body) == 0 and stage_of(body) == "satisfied" else agree(body)

    with FaultyServer(script) as server:
        vector = opened(server.url, 3, AutoresetMode.NEXT_STEP, retries=0, on_error="raise")
        with pytest.raises(VectorScoringFailed, match=r"^session 0: .*HTTP 500") as raised:
            vector.step(["Hello."] * 3)
        assert [session.steps for session in vector.sessions] == [1, 1, 1]
        assert raised.value.places == (0,)
        observations, rewards, _, truncated, infos = raised.value.result
        assert truncated.tolist() == [True, False, False]
        assert infos["turn"].tolist()[1:] == [2, 2]
        assert observations["history"][1] == vector.sessions[1].history
        # The next step goes on: the session that failed is reset, the others take their second step.
        _, rewards, _, truncated, infos = vector.step(["Hello again."] * 3)
        assert infos["steps"].tolist() == [0, 2, 2]
        assert (rewards[0], truncated.any()) == (0.0, False)
        vector.close()


def test_served_sessions_are_those_of_sync() -> None:
    with FaultyServer(agree) as server:
        both = [make(3, **served(server.url, TINY)) for make in (ours, sync)]
        assert_same(*(vector.reset(seed=2) for vector in both))
        for _ in range(12):
            references = [session.task.reference for session in both[0].sessions]
            actions = [
                steps[min(s.steps, len(steps) - 1)] for s, steps in zip(both[0].sessions, references, strict=True)
            ]
            assert_same(*(vector.step(actions) for vector in both))
            assert records(both[0]) == records(both[1])
        usage = both[0].model_usage()
        assert usage["user"].answers + usage["grader"].answers == len(server.requests) // 2
        for vector in both:
            vector.close()


# -- functions of the caller's -----------------------------------------------------------------------------------------


class Batches(ScriptedModel):
    """Keeps how many asks came at one time, and where."""

    def __init__(self) -> None:
        super().__init__(lambda ask: {"agree": True, "reason": ""})
        self.sizes: list[int] = []
        self.threads: set[threading.Thread] = set()

    def __call__(self, asks: Sequence[Ask]) -> list[Answer]:
        self.sizes.append(len(asks))
        self.threads.add(threading.current_thread())
        return super().__call__(asks)


def test_a_function_of_the_callers_gets_the_asks_of_all_sessions_in_the_thread_that_steps() -> None:
    model = Batches()
    vector = ours(5, pack=TINY, user=ServedUser(), grader=ServedGrader(), responder=model)
    vector.reset(seed=0, options={"task": TASK, "variant": list(range(5))})
    vector.step(["Hello."] * 5)
    assert model.sizes == [5, 5, 5]  # satisfied, asked, message
    assert model.threads == {threading.current_thread()}


@pytest.mark.parametrize("given", [[], [Answer({})], "four", None])
def test_a_function_that_gives_too_few_answers_is_told_so_and_a_reset_goes_on(given: Any) -> None:
    vector = ours(2, pack=TINY, user=ServedUser(), grader=ServedGrader(), responder=lambda asks: given)
    vector.reset(seed=0)
    with pytest.raises(TypeError, match="|".join(["one Answer for each of the 2 asks", "NoneType"])):
        vector.step(["a", "b"])
    _, infos = vector.reset()
    assert infos["steps"].tolist() == [0, 0]


class Meeting(ShellRunner):
    """A runner whose commands wait until two of them are there."""

    def __init__(self) -> None:
        super().__init__("auto", parallel=2)
        self.barrier = threading.Barrier(2, timeout=LONG_S)

    def __call__(self, asks: Sequence[Ask]) -> tuple[Answer, ...]:
        self.barrier.wait()
        return super().__call__(asks)


def test_commands_run_side_by_side() -> None:
    vector = ours(4, pack=TINY, tools="all")
    vector.envs[0].shell = Meeting()  # one for all: nothing that is no session's own exists twice
    vector.reset(seed=0)
    _, _, _, truncated, infos = vector.step([call("exec", command=f"echo {place}") for place in range(4)])
    assert not truncated.any()
    if ShellRunner().available():
        assert [place for place in range(4) if f"{place}\n" in infos["new_messages"][place][-1]["content"]] == [
            0,
            1,
            2,
            3,
        ]


def test_models_and_commands_work_at_the_same_time() -> None:
    asked, running = threading.Event(), threading.Event()

    class Waits(ShellRunner):
        def __call__(self, asks: Sequence[Ask]) -> tuple[Answer, ...]:
            running.set()
            assert asked.wait(LONG_S)
            return super().__call__(asks)

    def script(body: Mapping[str, Any]) -> Any:
        asked.set()
        return Say(AGREES if "response_format" in body else "Well.", until=running)

    with FaultyServer(script) as server:
        for order in ((0, 1), (1, 0)):
            for event in (asked, running):
                event.clear()
            vector = opened(server.url, 2, tools="all")
            vector.envs[0].shell = Waits()
            actions = ["Hello.", call("exec", command="echo hi")]
            _, _, _, truncated, _ = vector.step([actions[place] for place in order])
            assert not truncated.any()
            vector.close()


def test_what_was_asked_is_cancelled_where_a_function_raises() -> None:
    """The model never answers; the other session's function raises, and that is what the caller sees, at once."""
    never = threading.Event()

    def broken(asks: Sequence[Ask]) -> list[Answer]:
        raise RuntimeError("the caller's own mistake")

    with FaultyServer(lambda body: Say(AGREES, until=never)) as server:
        vector = opened(server.url, 2, tools="all", web=broken)
        with pytest.raises(RuntimeError, match="the caller's own mistake"):
            vector.step(["Hello.", call("web_search", query="x")])
        assert [len(session.pending) for session in vector.sessions] == [1, 1]
        vector.reset(seed=1)
        assert np.array_equal(vector.step([call("list_dir")] * 2)[4]["steps"], [1, 1])
        vector.close()
        never.set()


def test_whoever_waits_while_the_environment_is_closed_is_told() -> None:
    asked, never = threading.Event(), threading.Event()

    def script(body: Mapping[str, Any]) -> Say:
        asked.set()
        return Say(AGREES, until=never)

    with FaultyServer(script) as server:
        vector = opened(server.url, 2)
        closer = threading.Thread(target=lambda: (asked.wait(LONG_S), vector.close()))
        closer.start()
        with pytest.raises(ModelsClosed):
            vector.step(["Hello."] * 2)
        closer.join()
        assert vector.sessions == (None, None)
        never.set()


def test_a_step_whose_environment_is_closed_between_its_halves_is_told() -> None:
    env = ours(2, pack=TINY).envs[0]
    env.reset(seed=1)
    env.begin_step(call("list_dir"))
    env.close()
    assert list(env.waits()) == []
    with pytest.raises(ModelsClosed, match="the session is gone"):
        env.end_step()


def test_nothing_that_answers_leaves_the_session_unscored() -> None:
    vector = ours(2, pack=TINY, user=ServedUser(), grader=ServedGrader())
    vector.reset(seed=0)
    _, rewards, _, truncated, infos = vector.step(["Hello.", call("list_dir")])
    assert truncated.tolist() == [True, False]
    assert math.isnan(rewards[0])
    assert infos["error_kind"].tolist() == ["engine", ""]
