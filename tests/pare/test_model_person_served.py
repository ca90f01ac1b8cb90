"""Pare sessions whose person a served model plays: in environments, vectors, runs, and sessions that are kept."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from support.commands import pi_gym_command
from support.faulty_server import FaultyServer, Gathering, Hang, Say, Status
from support.pare_model import OPEN, PASS, YES, agreeable, env_of, move, session_of
from support.pare_play import WAIT, call, variant_of
from support.served_roles import config

from pi_gym.driving.settling import settle
from pi_gym.env import ScoringFailed
from pi_gym.pare.env import PareEnv, PareVectorEnv
from pi_gym.pare.person import PASS as PASS_BY_RULES
from pi_gym.pare.person import PersonMove, PersonView, RulePerson
from pi_gym.pare.person_actions import ACCEPT, REJECT
from pi_gym.rollout import collect
from pi_gym.rollout.kept_session import KeptSession
from pi_gym.session import read_trajectories
from pi_gym.types import ToolCall

ID, RIDE = "Pare-v0", "stranded-friend"
WANTED = variant_of(RIDE, wanted=True)
OPTIONS = {"task": RIDE, "variant": WANTED}


def schema_of(body: Mapping[str, Any]) -> str:
    return json.dumps(body["response_format"]["json_schema"]["schema"])


def sound(body: Mapping[str, Any]) -> Say:
    """A server whose model accepts what is proposed, and passes otherwise."""
    return Say(YES if ACCEPT in schema_of(body) else PASS)


def env_at(url: str, cache: Path | None = None, **options: Any) -> Any:
    quick = {name: options.pop(name) for name in ("retries", "timeout_s") if name in options}
    return gym.make(ID, disable_env_checker=True, user=config(url, cache, **quick), **options)


# -- environments ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["rule", None])
def test_the_person_is_by_rules_where_nothing_else_is_said(value: Any) -> None:
    env = PareEnv(user=value)
    assert isinstance(env.user, RulePerson)
    assert env.models is None


def test_what_plays_no_person_is_refused() -> None:
    with pytest.raises(TypeError, match="an object with a method 'move'"):
        PareEnv(user=7)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected 'rule' or a model"):
        PareEnv(user="somebody")


@pytest.mark.parametrize("as_text", [True, False])
def test_a_session_with_a_served_person_is_scored(as_text: bool, monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setenv("PI_GYM_CACHE", str(tmp_path))
    with FaultyServer(sound) as server:
        user = f"small@{server.url}" if as_text else config(server.url)
        env = gym.make(ID, disable_env_checker=True, user=user)
        env.reset(seed=0, options=OPTIONS)
        base: Any = env.unwrapped
        for action in base.family.reference(base.session):
            _, _, terminated, _, info = env.step(action)
        record, usage = base.session.trajectory(), env.unwrapped.model_usage()  # type: ignore[attr-defined]
        env.close()
    assert terminated
    assert info["scores"]["success"] == 1.0
    assert (set(record.config["models"]), record.config["roles"]) == ({"user"}, {"user": "model"})
    assert usage["user"].answers == sum(event.kind == "answer" for event in record.events)
    assert "sk-very-secret" not in record.to_line()


GARBAGE = [
    Status(400),
    Say("I pass."),
    Say({"reason": "x", "move": {"action": ACCEPT, "arguments": {"content": "Yes."}}}),
    Say({"reason": "x", "move": {"action": "System__open_app", "arguments": {"app_name": 3}}}),
    Say({**PASS, "and": "more"}),
]


@pytest.mark.parametrize("fault", GARBAGE, ids=repr)
def test_what_fails_in_the_opening_is_an_unscored_session_and_never_a_number(fault: Any) -> None:
    with FaultyServer([fault]) as server:
        env = env_at(server.url, retries=1)
        _, info = env.reset(seed=0, options=OPTIONS)
        assert info["error"].startswith("user (move): ")
        assert (info["scored"], info["error_kind"]) == (False, "model")
        _, reward, terminated, truncated, info = env.step(WAIT)
        assert (terminated, truncated, info["scored"]) == (False, True, False)
        assert math.isnan(reward)
        with pytest.raises(gym.error.ResetNeeded, match="over"):
            env.unwrapped.step(WAIT)
        asked = len(server.requests)
        env.close()
    assert asked == (1 if isinstance(fault, Status) else 2), "a bad answer is asked for again, and a refusal is not"


def test_an_answer_that_is_no_action_is_asked_for_again() -> None:
    replies = iter([Say("Hm."), Say(move("Cab__fly"))])
    with FaultyServer(lambda body: next(replies, None) or sound(body)) as server:
        env = env_at(server.url)
        _, info = env.reset(seed=0, options=OPTIONS)
        assert (info["error"], len(server.requests)) == ("", 3)
        env.close()


def test_under_raise_a_reset_raises_what_a_step_would() -> None:
    with FaultyServer([Status(400)]) as server:
        env = env_at(server.url, on_error="raise")
        with pytest.raises(ScoringFailed, match="HTTP 400"):
            env.reset(seed=0, options=OPTIONS)
        env.close()


def test_a_reset_in_halves_is_a_reset() -> None:
    whole, halves = env_of(agreeable), env_of(agreeable)
    expected = whole.reset(seed=3)
    halves.begin_reset(seed=3)
    assert session_of(halves).pending
    waits = halves.waits()
    wait = next(waits)
    with pytest.raises(StopIteration):
        waits.send(wait.answerer(wait.asks))
    assert halves.end_reset() == expected


def test_an_environment_pickled_while_its_opening_waits_goes_on() -> None:
    expected = env_of(agreeable).reset(seed=3)
    with FaultyServer(sound) as server:
        env = PareEnv(user=config(server.url), strict=True)
        env.begin_reset(seed=3)
        copy = pickle.loads(pickle.dumps(env))
        for one in (env, copy):
            settle(one.waits())
            assert one.end_reset()[0] == expected[0]
            one.close()


def test_a_reset_that_was_left_waiting_is_left_for_the_next() -> None:
    env = env_of(agreeable)
    env.begin_reset(seed=0, options=OPTIONS)
    left = session_of(env)
    env.reset(seed=0, options=OPTIONS)
    assert left.error == "left before its asks were answered"
    assert not session_of(env).ended


# -- vectors ---------------------------------------------------------------------------------------------------------


def test_the_openings_of_a_vector_go_out_together() -> None:
    gathering = Gathering(4)  # who asks for one session after the other waits for ever

    def script(body: Mapping[str, Any]) -> Say:
        return Say(PASS, until=gathering.come())

    with FaultyServer(script) as server:
        vector = PareVectorEnv(4, user=config(server.url))
        _, infos = vector.reset(seed=0, options={"task": RIDE, "variant": [0, 1, 2, 3]})
        assert list(infos["error"]) == [""] * 4
        _, _, _, truncated, _ = vector.step([WAIT] * 4)
        assert not truncated.any()
        vector.close()


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_two_sessions_side_by_side_are_those_of_two_environments(mode: AutoresetMode) -> None:
    actions = [WAIT, "Shall I book a cab?", call("Cab__list_rides"), WAIT, "Done.", *[WAIT] * 8]
    with FaultyServer(sound) as server:
        ours = gym.make_vec(f"pi_gym:{ID}", num_envs=2, autoreset_mode=mode, user=config(server.url), max_turns=4)
        sync = gym.make_vec(
            f"pi_gym:{ID}",
            num_envs=2,
            vectorization_mode="sync",
            vector_kwargs={"autoreset_mode": mode},
            disable_env_checker=True,
            user=config(server.url),
            max_turns=4,
        )
        given = [one.reset(seed=5)[0]["history"] for one in (ours, sync)]
        assert given[0] == given[1]
        for action in actions:
            (first, *rest), (other, *same) = ours.step([action] * 2), sync.step([action] * 2)
            assert first["history"] == other["history"]
            for one, two in zip(rest[:3], same[:3], strict=True):
                np.testing.assert_array_equal(one, two)
            if mode is AutoresetMode.DISABLED and (rest[1] | rest[2]).any():
                break
        ours.close(), sync.close()


def test_an_opening_that_fails_touches_no_other_session() -> None:
    failing = iter([Status(400)])
    with FaultyServer(lambda body: next(failing, None) or sound(body)) as server:
        vector = PareVectorEnv(2, user=config(server.url, retries=0), autoreset_mode=AutoresetMode.DISABLED)
        _, infos = vector.reset(seed=0, options={"task": RIDE, "variant": [0, 1]})
        assert sum(bool(error) for error in infos["error"]) == 1
        _, rewards, _, truncated, infos = vector.step([WAIT] * 2)
        assert truncated.sum() == 1
        assert np.isnan(rewards).sum() == 1
        vector.close()


# -- runs ------------------------------------------------------------------------------------------------------------


def rolled(url: str, out: Path, **options: Any) -> Any:
    kwargs = {"user": config(url, retries=1), **options.pop("env_kwargs", {})}
    return collect(ID, "reference", sessions=4, env_kwargs=kwargs, out=out, **options)


def test_a_run_is_the_same_however_many_play_at_a_time_and_in_how_many_processes(tmp_path: Path) -> None:
    with FaultyServer(sound) as server:
        for name, options in {"one": {"concurrency": 1}, "many": {"concurrency": 4}, "two": {"workers": 2}}.items():
            summary = rolled(server.url, tmp_path / name, **options)
            assert summary.scored == 4, summary.first_error
    texts = [
        sorted((tmp_path / name / "trajectories.jsonl").read_text().splitlines()) for name in ("one", "many", "two")
    ]
    assert texts[0] == texts[1] == texts[2]


def test_sessions_of_a_run_open_at_one_time(tmp_path: Path) -> None:
    gathering = Gathering(4)
    with FaultyServer(lambda body: Say(PASS, until=gathering.come())) as server:
        summary = rolled(server.url, tmp_path, concurrency=4, env_kwargs={"max_turns": 1})
    assert summary.scored == 4


def test_sessions_that_fail_in_their_opening_are_counted_and_tried_again(tmp_path: Path) -> None:
    with FaultyServer([Status(400)]) as server:
        broken = rolled(server.url, tmp_path, concurrency=2)
    assert (broken.scored, dict(broken.error_kinds)) == (0, {"model": 4})
    with FaultyServer(sound) as server:
        whole = rolled(server.url, tmp_path, concurrency=2, resume=True)
    assert (whole.scored, whole.unscored) == (4, 0)


def test_a_model_that_hangs_in_an_opening_ends_that_session_alone(tmp_path: Path) -> None:
    first = iter([Hang()])
    with FaultyServer(lambda body: next(first, None) or sound(body)) as server:
        kwargs = {"user": config(server.url, retries=0, timeout_s=0.3)}
        summary = collect(ID, "reference", sessions=3, concurrency=3, env_kwargs=kwargs, out=tmp_path)
    assert (summary.scored, dict(summary.error_kinds)) == (2, {"model": 1})


def test_a_kept_session_asks_its_person_nothing_twice(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("PI_GYM_CACHE", str(tmp_path / "cache"))
    state, out = tmp_path / "state", tmp_path / "run"
    with FaultyServer(
        lambda body: Say(OPEN if 'name="home screen"' in body["messages"][1]["content"] else PASS)
    ) as server:
        kept = KeptSession.begin(state, ID, {"user": f"small@{server.url}"}, OPTIONS, seed=0, agent="plain", out=out)
        opening = list(kept.messages)
        kept.act(WAIT)
        told, asked = list(kept.messages), len(server.requests)
        kept.close()
    assert "System__open_app" in opening[-1]["content"]
    assert asked == 2, "the opening is asked for once"
    monkeypatch.setenv("PI_GYM_CACHE", str(tmp_path / "other"))
    again = KeptSession(state)  # the server is gone
    assert again.messages == told
    assert again.session.navigation.active == "Messages"  # type: ignore[attr-defined]
    again.close()
    assert "so it is" not in "".join(path.read_text() for path in state.iterdir())


# -- a served agent --------------------------------------------------------------------------------------------------


def agent_or_person(body: Mapping[str, Any]) -> Any:
    """A server of one model in both roles: the agent proposes at once, and then calls a tool that writes."""
    if "response_format" in body:
        return sound(body)
    text = json.dumps(body["messages"])
    names = [one["function"]["name"] for one in body["tools"]]
    assert ("Notes__create_note" in names) == ("was accepted" in text), "the tools are those of the mode"
    return Say("I would note it down." if "was accepted" not in text else "Noted.")


def test_a_served_agent_is_given_the_tools_of_its_mode(tmp_path: Path) -> None:
    with FaultyServer(agent_or_person) as server:
        chosen = ["--role", f"user=small@{server.url}", "--cache", "off", "--sessions", "1", "--out", tmp_path]
        pi_gym_command(
            "rollout", ID, "--agent", f"small@{server.url}", *chosen, "--env-option", "tools=mode", "--env-option",
            "max_turns=2",
        )  # fmt: skip
    (record,) = read_trajectories(tmp_path)
    assert record.scored, record.error
    assert record.labels["accepted"] == 1


def test_the_tools_of_the_mode_come_with_the_step_that_changes_it() -> None:
    env = env_of(agreeable, tools="mode")
    _, info = env.reset(seed=0, options=OPTIONS)
    watching = [one["function"]["name"] for one in info["tools"]]
    assert "Notes__create_note" not in watching
    assert "AgentUI__wait" in watching
    *_, info = env.step(WAIT)
    assert info["tools"] == []
    *_, info = env.step("Shall I?")
    assert len(info["tools"]) == len(env.unwrapped.session.registry)  # type: ignore[union-attr]
    *_, info = env.step("Done.")
    assert [one["function"]["name"] for one in info["tools"]] == watching
    with pytest.raises(ValueError, match="tools"):
        PareEnv(tools="some")  # type: ignore[arg-type]


def test_a_person_of_the_callers_needs_no_model() -> None:
    class Stubborn(RulePerson):
        name = "stubborn"

        def move(self, view: PersonView, answers: Any = None) -> PersonMove:
            return PersonMove(ToolCall(REJECT, {"content": "Never."})) if view.proposal else PASS_BY_RULES

    env = PareEnv(user=Stubborn(), strict=True)
    env.reset(seed=0, options=OPTIONS)
    *_, info = env.step("Shall I?")
    assert (env.models, info["rejected"]) == (None, 1)
    assert session_of(env).trajectory().config["roles"] == {"user": "stubborn"}
