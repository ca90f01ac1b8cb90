"""Sessions whose roles ask a served model: sound, failing, and in every place where an environment may be stepped."""

from __future__ import annotations

import asyncio
import json
import math
import multiprocessing
import pickle
import signal
import threading
import warnings
from dataclasses import replace

import gymnasium as gym
import pytest
from gymnasium.vector import AsyncVectorEnv
from support.faulty_server import Drip, Drop, FaultyServer, Hang, Say, Status
from support.packs import TINY
from support.served_roles import AGREES, agree, anyhow, config, failing, served, stage_of, task_of

from pi_gym.graders.model import ModelGrader
from pi_gym.models.answerer import ModelAnswerer
from pi_gym.models.loop import close_model_loop
from pi_gym.pibench.replay import replay
from pi_gym.session import read_trajectories
from pi_gym.users.model import ModelUser
from tests.support.records import proc_comp

TASK = "01-list"
ID = "pi_gym:PiBench-v0"


def make(url, cache=None, **options):
    """An environment over the tiny pack; with `retries` and the like for its models."""
    quick = {name: options.pop(name) for name in ("retries", "timeout_s", "impatient") if name in options}
    return gym.make(ID, disable_env_checker=True, **{**served(url, TINY, cache, **quick), **options})


def play(env, task=TASK, variant=0):
    """The reference's actions; what the last step gave, and the rewards."""
    env.reset(seed=0, options={"task": task, "variant": variant})
    rewards = []
    for action in env.unwrapped.session.task.reference:
        _, reward, terminated, truncated, info = env.step(action)
        rewards.append(reward)
        if terminated or truncated:
            break
    return rewards, terminated, truncated, info


def test_a_session_with_sound_models_is_scored():
    with FaultyServer(agree) as server:
        env = make(server.url)
        rewards, terminated, truncated, info = play(env)
        record = env.unwrapped.session.trajectory()
        usage = env.unwrapped.model_usage()
        env.close()
    assert (terminated, truncated, info["scored"], info["error"]) == (True, False, True, "")
    assert sum(rewards) == pytest.approx(1.0)
    assert {stage_of(body) for body in server.requests} >= {"satisfied", "grade"}
    assert record.config["models"]["user"] == config("http://any/v1").recorded()
    assert "sk-very-secret" not in record.to_line()
    assert usage["user"].answers + usage["grader"].answers == len(server.requests)
    assert record.to_json() == json.loads(record.to_line())


def test_the_record_of_a_session_with_models_plays_again_without_them():
    with FaultyServer(agree) as server:
        env = make(server.url)
        play(env)
        record, user, grader = env.unwrapped.session.trajectory(), env.unwrapped.user, env.unwrapped.grader
        env.close()
    pack = env.unwrapped.packs[0]
    assert replay(record, pack=pack, user=user, grader=grader).trajectory().to_line() == record.to_line()


FAULTS = [
    Status(429),
    Status(500),
    Status(400),
    Hang(),
    Drop(),
    Drip(AGREES),
    Say(""),
    Say("YES"),
    Say({"reason": "r", "agree": "yes"}),
    Say({"agree": True}),
    Say(AGREES, finish="length"),
    Say(AGREES, refusal="no"),
    Say({"reason": "r", "agree": False}),  # fits the schema, and the role can make nothing of it
]


@pytest.mark.parametrize("stage", ["satisfied", "grade"])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{type(fault).__name__}-{str(fault)[-40:]}")
def test_whatever_fails_leaves_the_session_unscored_and_never_zero_or_one(fault, stage):
    # The role that fails is asked nothing before that, so no sound answer has to come in so short a time.
    role = "grader" if stage == "grade" else "user"
    impatient = {role: 0.15} if isinstance(fault, Hang | Drip) else {}
    with FaultyServer(failing(TASK, fault, stage)) as server:
        env = make(server.url, retries=1, impatient=impatient)
        rewards, terminated, truncated, info = play(env)
        record = env.unwrapped.session.trajectory()
        env.close()
    assert (terminated, truncated) == (False, True)
    assert math.isnan(rewards[-1])
    assert info["scored"] is False
    assert info["error"].startswith(f"{role} ({stage}): ")
    assert (info["proc"], info["comp"]) == (-1.0, -1.0)
    assert (*proc_comp(record), record.return_, record.error_kind) == (
        None,
        None,
        None,
        "model",
    )
    assert all(item["verdict"] not in ("passed", "failed") for item in record.labels["checklist"])


def test_under_raise_an_unscored_session_is_an_exception():
    from pi_gym.env import ScoringFailed

    with FaultyServer([Status(400)]) as server:
        env = make(server.url, on_error="raise")
        with pytest.raises(ScoringFailed, match="HTTP 400"):
            play(env)
        env.close()


def test_an_answer_that_fits_and_is_of_no_use_is_not_kept(tmp_path):
    replies = iter([Say({"reason": "r", "agree": False})])
    with FaultyServer(lambda body: next(replies, None) or agree(body)) as server:
        env = make(server.url, tmp_path)
        assert play(env)[3]["scored"] is False
        assert play(env)[3]["scored"] is True
        env.close()


def test_a_second_session_asks_nothing(tmp_path):
    with FaultyServer(agree) as server:
        env = make(server.url, tmp_path)
        first = play(env)
        asked = len(server.requests)
        assert play(env)[:3] == first[:3]
        assert len(server.requests) == asked
        env.close()


@pytest.mark.parametrize("as_text", [True, False])
def test_a_configuration_or_its_text_is_a_role(as_text, monkeypatch, tmp_path):
    pytest.importorskip("pi_gym.users.model")
    monkeypatch.setenv("PI_GYM_CACHE", str(tmp_path))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("PI_GYM_API_KEY", "sk-of-the-environment")
    with FaultyServer(anyhow) as server:
        role = f"small@{server.url}" if as_text else config(server.url, api_key=None)
        env = gym.make(ID, disable_env_checker=True, pack=str(TINY), user=role, grader=role)
        _, _, _, info = play(env)
        assert info["scored"], info["error"]
        assert env.unwrapped.model_usage()["user"].requests > 0
        assert {headers["authorization"] for headers in server.headers} == {"Bearer sk-of-the-environment"}
        assert "sk-of-the-environment" not in env.unwrapped.session.trajectory().to_line()
        env.close()


def test_one_role_may_be_a_model_and_the_other_the_rules(tmp_path):
    pytest.importorskip("pi_gym.users.model")
    with FaultyServer(anyhow) as server:
        env = gym.make(ID, disable_env_checker=True, pack=str(TINY), user=config(server.url))
        _, _, _, info = play(env)
        record = env.unwrapped.session.trajectory()
        env.close()
    assert info["scored"], info["error"]
    assert (record.config["roles"]["grader"], set(record.config["models"])) == ("rule", {"user"})


def sceptical(body):
    """What fits the schema, with NO for every decision."""
    return Say(json.loads(json.dumps(anyhow(body).value).replace('"YES"', '"NO"')))


def play_silently(env):
    """Say little until the session ends; the last info."""
    env.reset(seed=0, options={"task": TASK, "variant": 0})
    ended = False
    while not ended:
        _, _, terminated, truncated, info = env.step("Hm. Is that so?")
        ended = terminated or truncated
    return info


def test_a_user_that_never_stops_talking_says_the_tasks_own_words_and_again_so_from_the_cache(tmp_path):
    def talking(body):
        return sceptical(body) if "response_format" in body else Say("And then. And", finish="length")

    with FaultyServer(talking) as server:
        role = config(server.url, tmp_path, retries=1)
        env = gym.make(ID, disable_env_checker=True, pack=str(TINY), user=role, grader=role)
        lines = []
        for _ in range(2):
            info = play_silently(env)
            assert info["scored"], info["error"]
            session = env.unwrapped.session
            lines.append(session.trajectory().to_line())
        asked = [body for body in server.requests if "response_format" not in body]
        usage = env.unwrapped.model_usage()["user"]
        env.close()
    assert lines[0] == lines[1]
    said = [event.data["text"] for event in session.log if event.kind == "user"]
    assert said
    assert set(said) <= {intent.reveal for intent in session.task.intents}
    notes = [event.data["note"] for event in session.log if event.kind == "answer" and "note" in event.data]
    assert len(notes) == len(said)
    assert all("not the model's: the answer was cut off at max_tokens" in note for note in notes)
    assert len(asked) == 2 * len(said)  # one retry each; the second session asks nothing
    assert usage.fallbacks > 0


def test_a_verbatim_user_and_a_grader_are_objects_beside_their_models():
    with FaultyServer(sceptical) as server:
        models = ModelAnswerer({"user": config(server.url), "grader": config(server.url)})
        roles = {"user": ModelUser(verbatim=True), "grader": ModelGrader(all_items=True), "responder": models}
        env = gym.make(ID, disable_env_checker=True, pack=str(TINY), **roles)
        info = play_silently(env)
        record = env.unwrapped.session.trajectory()
        env.close()
    assert info["scored"], info["error"]
    assert (record.config["roles"]["user"], record.config["roles"]["grader"]) == ("model-verbatim", "model-all")
    assert {event.data["stage"] for event in record.events if event.kind == "ask"} == {"satisfied", "asked", "grade"}


# -- where an environment may be stepped -----------------------------------------------------------------------------


def test_under_a_running_event_loop_a_step_waits_as_anywhere():
    async def cell():
        env = make(server.url)
        found = play(env)
        # And the caller's own loop goes on beside the asynchronous form.
        answerer, ticks = ModelAnswerer({"user": config(server.url)}), []

        async def tick():
            while True:
                ticks.append(1)
                await asyncio.sleep(0.005)

        ticking = asyncio.create_task(tick())
        request = {**server.requests[0], "model": "x"}
        from pi_gym.types import Ask, ModelRequest

        ask = Ask("a1", "model", "user", "message", ModelRequest(tuple(request["messages"])))
        answers = await answerer.answer([ask] * 3)
        ticking.cancel()
        env.close(), answerer.close()
        return found, answers, len(ticks)

    with FaultyServer(lambda body: agree(body, wait_s=0.03)) as server:
        (rewards, *_), answers, ticks = asyncio.run(cell())
    assert sum(rewards) == pytest.approx(1.0)
    assert [answer.value for answer in answers] == ["All right."] * 3
    assert ticks >= 3


def in_a_child(url, pipe, env):
    rewards, *_ = play(env if env is not None else make(url))
    close_model_loop()
    pipe.send(sum(rewards))


@pytest.mark.parametrize("inherited", [True, False])
def test_a_fork_of_a_process_that_has_asked_asks_for_itself(inherited, tmp_path):
    with FaultyServer(agree) as server:
        env = make(server.url, tmp_path)
        assert sum(play(env)[0]) == pytest.approx(1.0)
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        process = context.Process(target=in_a_child, args=(server.url, theirs, env if inherited else None))
        process.start()
        assert ours.poll(20), "the child hangs"
        assert ours.recv() == pytest.approx(1.0)
        process.join(10)
        assert process.exitcode == 0
        assert sum(play(env, variant=3)[0]) == pytest.approx(1.0)  # and the parent goes on
        env.close()


def test_workers_of_a_vectorised_environment_ask_for_themselves():
    with FaultyServer(agree) as server:
        envs = AsyncVectorEnv([lambda: make(server.url)] * 2, shared_memory=False)
        envs.reset(seed=0, options={"task": TASK, "variant": 0})
        _, rewards, terminated, truncated, infos = envs.step(["Done.", "Done."])
        envs.close()
    assert list(rewards) == [0.0, 0.0]
    assert not any(terminated)
    assert not any(truncated)
    assert list(infos["error"]) == ["", ""]
    assert {stage_of(body) for body in server.requests} == {"satisfied", "asked", "message"}


def test_a_pickled_environment_asks_where_it_wakes_up():
    with FaultyServer(agree) as server:
        env = make(server.url)
        env.reset(seed=0, options={"task": TASK, "variant": 0})
        env.step("Which of these?")
        other = pickle.loads(pickle.dumps(env.unwrapped))
        _, _, _, truncated, info = other.step("Done.")
        assert not truncated, info["error"]
        env.close(), other.close()


def test_closing_leaves_neither_thread_nor_socket():
    with FaultyServer(agree) as server:
        env = make(server.url)
        play(env)
        env.close()
        play(env)  # and what is closed opens again
        env.close()
        with warnings.catch_warnings():
            warnings.simplefilter("error", ResourceWarning)
            close_model_loop()
    assert not [thread for thread in threading.enumerate() if thread.name == "pi_gym-models"]


def test_an_interrupt_while_waiting_is_the_callers_and_leaves_the_models_usable():
    main, pressed, heard = threading.main_thread().ident, threading.Event(), threading.Event()

    def press_at_the_first(body):
        if pressed.is_set():
            return agree(body)
        pressed.set()
        # Nothing is answered before the interrupt has come, so it is while waiting that it comes.
        threading.Timer(0.1, signal.pthread_kill, (main, signal.SIGINT)).start()
        return replace(agree(body), until=heard)

    with FaultyServer(press_at_the_first) as server:
        env = make(server.url)
        with pytest.raises(KeyboardInterrupt):
            play(env)
        heard.set()
        assert play(env)[3]["scored"] is True
        env.close()


def test_trajectories_of_served_sessions_are_read_back(tmp_path):
    with FaultyServer(agree) as server:
        env = make(server.url)
        play(env)
        line = env.unwrapped.session.trajectory().to_line()
        env.close()
    (tmp_path / "trajectories.jsonl").write_text(line + "\n")
    (found,) = read_trajectories(tmp_path)
    assert found.config["models"]["grader"]["model"] == "small"
    assert task_of(server.requests[0]) == TASK
