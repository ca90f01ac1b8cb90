"""The environments that TRL plays: methods that are tools, rows, rewards."""

from __future__ import annotations

import inspect
import math
import pickle
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import gymnasium as gym
import pytest
from support.asking import AskingGrader

import pi_gym
from pi_gym.adapters.session_play import SessionResult, ToolFailed
from pi_gym.adapters.trl import BadRow, EnvironmentFactory, environment_factories, make_dataset, session_reward
from pi_gym.errors import BadArgument, SandboxNeeded, SessionError, UnknownName
from pi_gym.models.scripted import ScriptedModel
from pi_gym.rollout import collect
from pi_gym.session.actions import parse_action
from pi_gym.tools.declare import read_docstring
from pi_gym.types import Answer, EngineFault

MINI, RESEARCHER, PARE = "PiBench-Mini-v0", "PiBench-Researcher-v0", "Pare-v0"


def methods(environment: object) -> list[str]:
    """What TRL takes for tools."""
    found = inspect.getmembers(type(environment), predicate=inspect.isfunction)
    return [name for name, _ in found if name not in ("reset", "get_reward") and not name.startswith("_")]


def said(text: str) -> list[dict[str, Any]]:
    """A completion that ends with these words."""
    return [{"role": "assistant", "content": text}]


def act_out(environment: Any, reference: Sequence[str]) -> list[dict[str, Any]]:
    """Play a reference by calling methods, as TRL does; gives the completion that is left."""
    *before, last = [parse_action(action) for action in reference]
    for action in before:
        for call in action.calls:
            getattr(environment, call.name)(**call.arguments)
        if not action.calls:
            environment.reply_to_user(action.content)
    assert not last.calls
    return said(last.content)


def row_of(task: str, variant: int = 1) -> dict[str, Any]:
    return {"prompt": [], "task": task, "variant": variant, "seed": 0}


@pytest.mark.parametrize("env_id", [MINI, RESEARCHER, PARE])
def test_public_methods_are_the_tools_of_all_tasks_and_the_reply(env_id: str) -> None:
    environment = EnvironmentFactory(env_id)()
    offered: set[str] = set()
    env = gym.make(env_id, disable_env_checker=True)
    for task in env.unwrapped.packs[0].task_ids:
        _, info = env.reset(options={"task": task})
        offered |= {tool["function"]["name"] for tool in info["tools"]}
    assert set(methods(environment)) == offered | {"reply_to_user"}
    assert {name for name in dir(environment) if not name.startswith("_")} == offered | {"reply_to_user", "reset"}


@pytest.mark.parametrize("env_id", [MINI, RESEARCHER, PARE])
def test_each_row_s_environment_has_its_session_s_tools(env_id: str) -> None:
    factories = environment_factories(env_id)
    env = gym.make(env_id, disable_env_checker=True)
    for row in make_dataset(env_id, split="test"):
        _, info = env.reset(options={"task": row["task"]})
        offered = {tool["function"]["name"] for tool in info["tools"]}
        assert set(methods(factories[row["environment"]]())) == offered | {"reply_to_user"}


@pytest.mark.parametrize("env_id", [MINI, RESEARCHER, PARE])
def test_methods_describe_the_tools_as_we_do(env_id: str) -> None:
    env = gym.make(env_id, disable_env_checker=True)
    environment = EnvironmentFactory(env_id)()
    for task in env.unwrapped.packs[0].task_ids:
        _, info = env.reset(options={"task": task})
        for schema in (tool["function"] for tool in info["tools"]):
            method = getattr(environment, schema["name"])
            description, arguments = read_docstring(method)
            properties = schema["parameters"]["properties"]
            assert description == schema["description"]
            assert arguments == {name: one["description"] for name, one in properties.items()}
            signature = inspect.signature(method)
            assert list(signature.parameters) == list(properties)
            required = [n for n, one in signature.parameters.items() if one.default is inspect.Parameter.empty]
            assert required == schema["parameters"]["required"]


@pytest.mark.slow
@pytest.mark.parametrize("env_id", [MINI, RESEARCHER, PARE])
def test_transformers_derives_our_schema(env_id: str) -> None:
    utils = pytest.importorskip("transformers.utils", reason="needs transformers: make test-train")
    environment = EnvironmentFactory(env_id)()
    for name in methods(environment):
        derived = utils.get_json_schema(getattr(environment, name))["function"]
        assert derived["name"] == name
        assert derived["parameters"]["type"] == "object"


@pytest.mark.parametrize("task", pi_gym.load_pack("mini").task_ids)
@pytest.mark.parametrize("variant", [0, 1, 77])
def test_the_reference_s_work_is_worth_one(task: str, variant: int) -> None:
    environment = EnvironmentFactory(MINI)()
    environment.reset(**row_of(task, variant))
    reference = pi_gym.load_pack("mini").instantiate(task, variant).reference
    logged: dict[str, float] = {}
    (reward,) = session_reward([], [act_out(environment, reference)], [environment], logged.__setitem__)
    assert reward == pytest.approx(1.0, abs=1e-12)
    assert logged["pi_gym/proc"] == logged["pi_gym/strict_proc"] == logged["pi_gym/comp"] == 1.0
    assert logged["pi_gym/unscored"] == logged["pi_gym/invalid_actions"] == logged["pi_gym/needless"] == 0.0
    assert logged["pi_gym/cut_short"] == 0.0


def test_the_opening_is_what_the_agent_is_told() -> None:
    text = EnvironmentFactory(MINI)().reset(**row_of("01-sign"))
    _, info = gym.make(MINI, disable_env_checker=True).reset(options={"task": "01-sign", "variant": 1})
    for message in info["new_messages"]:
        assert message["content"].strip() in text
    assert "reply_to_user" in text


def test_a_reply_brings_the_user_s_next_words() -> None:
    environment = EnvironmentFactory(MINI)()
    environment.reset(**row_of("01-sign"))
    assert "as the last line" in environment.reply_to_user("What should the last line be?")


def test_a_call_that_fails_raises_what_the_agent_is_told() -> None:
    environment = EnvironmentFactory(MINI)()
    environment.reset(**row_of("01-sign"))
    with pytest.raises(ToolFailed, match=r"no file 'nothing\.txt'"):
        environment.read_file("nothing.txt")
    logged: dict[str, float] = {}
    session_reward([], [said("done")], [environment], logged.__setitem__)
    assert logged["pi_gym/invalid_actions"] == 1
    assert logged["pi_gym/cut_short"] == 1  # the user would have gone on


def test_a_tool_that_the_session_does_not_offer_answers_with_an_error() -> None:
    environment = EnvironmentFactory(RESEARCHER)()
    environment.reset(**row_of("01-baseline-table", 0))
    with pytest.raises(ToolFailed, match="does not offer 'gmail__show_inbox_threads'"):
        environment.gmail__show_inbox_threads()


def test_nothing_can_be_done_after_the_end() -> None:
    environment = EnvironmentFactory(MINI)()
    environment.reset(**row_of("01-sign"))
    session_reward([], [said("done")], [environment])
    with pytest.raises(ToolFailed, match="conversation is over"):
        environment.read_file("notes.txt")
    with pytest.raises(ToolFailed, match="conversation is over"):
        environment.reply_to_user("Anything else?")


def test_a_session_that_is_left_open_is_graded_as_things_stand() -> None:
    environment = EnvironmentFactory(MINI)()
    environment.reset(**row_of("01-sign"))
    environment.reply_to_user("What should the last line be?")
    cut = [{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "read_file"}}]}]
    (reward,) = session_reward([], [cut], [environment])
    assert 0 < reward < 0.5
    assert session_reward([], [cut], [environment]) == [reward]


def test_the_last_words_are_the_last_reply() -> None:
    environment = EnvironmentFactory(MINI)()
    environment.reset(**row_of("01-sign"))
    (reward,) = session_reward([], [said("What should the last line be?")], [environment])
    assert reward > 0


def test_an_instance_is_used_again() -> None:
    environment = EnvironmentFactory(MINI)()
    rewards = []
    for _ in range(2):
        environment.reset(**row_of("02-order", 5))
        rewards += session_reward([], [said("done")], [environment])
    assert rewards[0] == rewards[1]


def test_instances_do_not_touch_each_other() -> None:
    factory = EnvironmentFactory(MINI)
    first, second = factory(), factory()
    assert type(first) is type(second)
    for environment in (first, second):
        environment.reset(**row_of("01-sign"))
    first.write_file("sign.txt", "mine")
    with pytest.raises(ToolFailed):
        second.read_file("sign.txt")


def test_a_factory_survives_pickling() -> None:
    factory = pickle.loads(pickle.dumps(EnvironmentFactory(MINI, split="train")))
    assert type(factory()) is type(EnvironmentFactory(MINI)())


def test_unscored_is_none_and_never_a_number() -> None:
    factory = EnvironmentFactory(MINI, grader=AskingGrader(), responder=ScriptedModel(lambda _: Answer(error="down")))
    environments = [factory(), EnvironmentFactory(MINI)()]
    for environment in environments:
        environment.reset(**row_of("01-sign"))
    logged: dict[str, float] = {}
    rewards = session_reward(
        [], [[{"role": "assistant", "content": "", "tool_calls": [1]}]] * 2, environments, logged.__setitem__
    )
    assert rewards[0] is None
    assert rewards[1] is not None
    assert logged["pi_gym/unscored"] == 0.5
    assert all(math.isfinite(value) for value in logged.values())


def test_a_reward_before_any_reset_is_an_error() -> None:
    with pytest.raises(SessionError, match="`reset` comes first"):
        session_reward([], [said("done")], [EnvironmentFactory(MINI)()])


def test_rewards_without_sessions_say_what_to_pass() -> None:
    with pytest.raises(SessionError, match="environment_factory=EnvironmentFactory"):
        session_reward([], [said("done")])
    with pytest.raises(SessionError, match="got dict"):
        session_reward([], [said("done")], [{}])


@pytest.mark.parametrize(
    ("row", "match"),
    [
        ({}, "its columns are none"),
        ({"prompt": "x", "task": "01-sign"}, "'variant' as int"),
        ({"task": 3, "variant": 1, "seed": 0}, "'task' as str"),
        ({"task": "01-sign", "variant": True, "seed": 0}, "'variant' as int"),
        ({"task": "01-sign", "variant": 1, "seed": None}, "'seed' as int"),
    ],
)
def test_a_row_without_a_session_is_refused(row: dict[str, Any], match: str) -> None:
    with pytest.raises(BadRow, match=match):
        EnvironmentFactory(MINI)().reset(**row)


def test_an_unknown_task_is_named_with_the_closest() -> None:
    with pytest.raises(UnknownName, match="01-sign"):
        EnvironmentFactory(MINI)().reset(**row_of("01-sing"))


def test_episodes_are_refused() -> None:
    with pytest.raises(BadArgument, match="history='own'"):
        EnvironmentFactory(MINI, history="own")


def test_an_unknown_set_of_tools_is_refused() -> None:
    with pytest.raises(BadArgument, match="general"):
        EnvironmentFactory(MINI, toolset="generel")


def test_rows_are_the_sessions_that_collect_plays() -> None:
    rows = make_dataset(MINI, split="train", size=7, seed=3)
    played = collect(MINI, "silent", sessions=7, seed=3, split="train").trajectories
    assert [(r["task"], r["variant"], r["seed"]) for r in rows] == [(t.task_id, t.variant, t.seed) for t in played]
    assert len({row["variant"] for row in rows}) > 1


def test_tasks_that_need_a_shell_are_left_out_where_that_is_asked_for_alone() -> None:
    pack = pi_gym.load_pack("researcher")
    rows = make_dataset(RESEARCHER, split="test", exclude_needs=("exec",))
    assert [row["task"] for row in rows] == [name for name in pack.task_ids if "exec" not in pack.card(name).needs]
    assert {row["environment"] for row in rows} == set(environment_factories(RESEARCHER, exclude_needs=("exec",)))
    with pytest.raises(SandboxNeeded, match=r"exclude_needs=\('exec',\)"):
        make_dataset(RESEARCHER, split="test", exec_backend="off")


def test_the_asynchronous_worker_says_that_trl_is_missing() -> None:
    code = (
        "import sys; sys.modules['trl'] = None\n"
        "from pi_gym.adapters.trl.asynchronous import TrlMissing, loop_arguments\n"
        "try: loop_arguments(None, None, model='m', tokenizer=None, dataset=None, max_length=100)\n"
        "except TrlMissing as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'pi-gym[train]'" in done.stdout


def test_a_session_in_which_pi_gym_broke_teaches_nothing() -> None:
    record = collect("PiBench-Mini-v0", "reference", sessions=1).trajectories[0]
    family = gym.make("PiBench-Mini-v0").unwrapped.family
    assert SessionResult.of(record, family).score == record.return_
    broken = replace(record, engine_faults=(EngineFault("tool grep", 2, "KeyError: 'x'", ""),))
    found = SessionResult.of(broken, family)
    assert (found.score, found.values, found.error) == (None, {}, "engine fault, tool grep: KeyError: 'x'")
