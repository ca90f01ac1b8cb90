"""Sessions as verifiers' rollouts: traces that do not fork, tokens, groups, and what is no sample."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.asking import AskingGrader, AskingUser
from support.chat_server import ChatServer, Reply
from support.outsiders import by_gym, calling, need, saying, scripted

import pi_gym
from pi_gym.adapters.session_play import single_session_env
from pi_gym.adapters.session_row import SessionRow, plan_rows
from pi_gym.adapters.verifiers.threaded_play import ThreadedPlay
from pi_gym.errors import BadArgument, PiGymError
from pi_gym.models.scripted import ScriptedModel
from pi_gym.types import Answer, ToolCall

vf = need("verifiers.v1", "verifiers")
from support.verifiers_runs import LOCAL, MODULE, env_config, registered, rollouts, server_of  # noqa: E402

import pi_gym_verifiers  # noqa: E402
from pi_gym.adapters.verifiers.session_harness import SessionHarness, own_message  # noqa: E402
from pi_gym.adapters.verifiers.session_taskset import RESULT, SessionTaskset  # noqa: E402

MINI = "PiBench-Mini-v0"
SIGN = {"env_id": MINI, "tasks": ["01-sign"], "variants": [1]}
MOVES = [calling("read_file", "abc_1", path="notes.txt"), saying("What should the last line be?")]
PLAY = scripted(MOVES)


def answer(body: Mapping[str, Any]) -> Reply:
    said = PLAY(sum(one["role"] == "assistant" for one in body["messages"]))
    assert said is not None
    return {**said, "finish_reason": "tool_calls" if said.get("tool_calls") else "stop"}


def played(taskset: Mapping[str, Any], script: Any = answer, group: int = 1, **agent: Any) -> list[Any]:
    with ChatServer(script) as server:
        return rollouts(env_config(taskset, **agent), server_of(server.url), group)


def by_reference(**env_kwargs: Any) -> float | None:
    (found,) = by_gym(MINI, env_kwargs, [SessionRow("01-sign", 1, 0)], [PLAY])
    return found.score


# -- what verifiers finds --------------------------------------------------------------------------------------------


def test_the_module_s_name_is_the_id_of_taskset_and_harness() -> None:
    assert isinstance(vf.load_taskset(vf.taskset_config_type(MODULE)(id=MODULE)), SessionTaskset)
    assert vf.default_harness_id(MODULE) == MODULE
    assert isinstance(vf.load_harness(vf.harness_config_type(MODULE)(id=MODULE)), SessionHarness)


def test_tasks_are_the_rows_that_collect_would_play() -> None:
    config = env_config({"env_id": "PiBench-Researcher-v0", "split": "test", "size": 30, "seed": 3})
    tasks = list(vf.load_taskset(config.taskset))
    planned = plan_rows(single_session_env("PiBench-Researcher-v0", {"split": "test"}), 30, 3)
    assert [task.data.row for task in tasks] == planned
    assert [task.data.idx for task in tasks] == list(range(30))
    assert len({task.key for task in tasks}) == 30
    assert tasks[0].data.env_kwargs == {"split": "test"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"env_id": "PiBench-Nobody-v0"}, "Nobody"),
        ({"split": "exam"}, "exam"),
        ({"tasks": ["99-nothing"]}, "99-nothing"),
        ({"env_kwargs": {"colour": 1}}, "colour"),
        ({"env_kwargs": {"history": "own"}}, "history"),
    ],
)
def test_what_there_is_not_is_said_before_anything_is_played(given: Mapping[str, Any], message: str) -> None:
    config = env_config({"env_id": MINI, **given})
    with pytest.raises(PiGymError, match=message):
        list(vf.load_taskset(config.taskset))


def test_a_system_prompt_of_the_run_s_is_refused(tmp_path: Path) -> None:
    (tmp_path / "prompt.txt").write_text("Be brief.")
    config = env_config({**SIGN, "system_prompt": str(tmp_path / "prompt.txt")})
    with pytest.raises(BadArgument, match="system message"):
        vf.load_environment(config)


# -- the trace -------------------------------------------------------------------------------------------------------


def test_the_trace_is_one_branch_of_the_model_s_own_messages_and_ids() -> None:
    (trace,) = played(SIGN)
    assert trace.ok, trace.errors
    assert trace.num_branches == 1
    roles = [message.role for message in trace.messages]
    assert roles[:6] == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert [node.sampled for node in trace.nodes] == [role == "assistant" for role in roles]
    assert trace.messages[3].tool_call_id == "abc_1"
    assert "read_file" in {tool.name for tool in trace.tools}
    assert trace.reward == pytest.approx(by_reference())
    assert trace.metrics["proc"] == trace.info[RESULT]["scores"]["proc"]
    assert trace.metrics["terminated"] == 1
    json.dumps(trace.to_record())


def test_what_a_server_says_without_saying_anything_forks_no_trace() -> None:
    """Servers give every field of their protocol, and refuse some of them."""
    nothing = {"refusal": None, "audio": None, "function_call": None, "annotations": [], "reasoning": None}

    def script(body: Mapping[str, Any]) -> Reply:
        said = dict(answer(body))
        if not said.get("content"):
            said["content"] = None
        return {**nothing, "tool_calls": [], **said}

    with ChatServer(script) as server:
        (trace,) = rollouts(env_config(SIGN), server_of(server.url))
        shown = [one for one in server.bodies[-1]["messages"] if one["role"] == "assistant"]
    assert trace.ok, trace.errors
    assert trace.num_branches == 1
    assert all(None not in one.values() and [] not in one.values() for one in shown)
    assert trace.reward == pytest.approx(by_reference())


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ({"role": "assistant", "content": None}, {"role": "assistant", "content": ""}),
        ({"role": "assistant", "content": "", "tool_calls": []}, {"role": "assistant", "content": ""}),
        (
            {"role": "assistant", "content": None, "reasoning_content": "Hm.", "tool_calls": [{"id": "x"}]},
            {"role": "assistant", "reasoning_content": "Hm.", "tool_calls": [{"id": "x"}]},
        ),
    ],
)
def test_a_message_keeps_all_that_it_says(said: Mapping[str, Any], shown: Mapping[str, Any]) -> None:
    assert own_message(said) == shown


def test_thoughts_are_the_trace_s_and_are_shown_to_the_model_again() -> None:
    def script(body: Mapping[str, Any]) -> Reply:
        return {**answer(body), "reasoning_content": "I think."}

    with ChatServer(script) as server:
        (trace,) = rollouts(env_config(SIGN), server_of(server.url))
        (first, *_) = [one for one in server.bodies[-1]["messages"] if one["role"] == "assistant"]
    assert trace.num_branches == 1
    assert first == {**MOVES[0], "reasoning_content": "I think."}
    assert trace.reward == pytest.approx(by_reference())


def test_mistakes_of_the_model_are_observations() -> None:
    broken = calling("read_file", "abc_2")
    broken["tool_calls"][0]["function"]["arguments"] = "{"
    script = scripted([broken, calling("no_such_tool", "abc_3"), {"role": "assistant", "content": ""}, *MOVES])

    def wrong(body: Mapping[str, Any]) -> Reply:
        said = script(sum(one["role"] == "assistant" for one in body["messages"]))
        assert said is not None
        return said

    (trace,) = played(SIGN, wrong)
    assert trace.ok, trace.errors
    assert trace.num_branches == 1
    results = {one.tool_call_id: one.content for one in trace.tool_messages}
    assert "was not run" in results["abc_2"]
    assert "no_such_tool" in results["abc_3"]
    assert trace.metrics["invalid_actions"] >= 2
    (expected,) = by_gym(MINI, {}, [SessionRow("01-sign", 1, 0)], [script])
    assert trace.reward == pytest.approx(expected.score)


@pytest.mark.parametrize(
    ("env_id", "task"), [("PiBench-Researcher-v0", "03-paper-alert"), ("Pare-v0", "stranded-friend")]
)
def test_what_is_hidden_is_in_no_message_and_not_in_what_the_model_is_sent(env_id: str, task: str) -> None:
    with ChatServer(lambda body: saying("Done.")) as server:
        (trace,) = rollouts(env_config({"env_id": env_id, "tasks": [task], "variants": [2]}), server_of(server.url))
    assert trace.ok, trace.errors
    messages = json.dumps([one.model_dump(mode="json") for one in trace.messages], ensure_ascii=False)
    sent = json.dumps(list(server.bodies), ensure_ascii=False)
    if env_id != "Pare-v0":
        made = pi_gym.load_pack("researcher").instantiate(task, 2)
        hidden = [text for text in (made.canary, *(one.text for one in (*made.intents, *made.checklist))) if text]
        assert len(hidden) > 3
        assert not [text for text in hidden if json.dumps(text, ensure_ascii=False)[1:-1] in messages + sent]
    for name in (*trace.info[RESULT]["scores"], "scored", "end_reason"):
        assert f'"{name}"' not in messages + sent


# -- tokens ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("thought", "renderer"),
    [("", {"enable_thinking": False}), ("<think>\nHm.\n</think>\n\n", {"thinking_retention": "all"})],
)
def test_token_ids_masks_and_log_probabilities_come_through(
    tmp_path: Path, thought: str, renderer: Mapping[str, Any]
) -> None:
    from support.byte_tokenizer import qwen3_tokenizer
    from support.generate_server import GenerateServer

    tokenizer = qwen3_tokenizer()
    tokenizer.save_pretrained(tmp_path)
    texts = [
        f"I look.\n<tool_call>\n{json.dumps({'name': 'read_file', 'arguments': {'path': 'notes.txt'}})}\n</tool_call>",
        "What should the last line be?",
    ]
    with GenerateServer(lambda turn: thought + (texts[turn] if turn < len(texts) else "Done."), tokenizer) as server:
        client = vf.TrainClientConfig(
            base_url=server.url,
            api_key_var="NONE",
            renderer={"name": "qwen3", **renderer},
            renderer_model_name=str(tmp_path),
        )
        traces = rollouts(env_config(SIGN), client)
    (trace,) = traces
    assert trace.ok, trace.errors
    assert trace.num_branches == 1
    (branch,) = trace.branches
    assert branch.token_ids == server.prompts[-1] + server.completions[-1]
    sampled = [token for token, mask in zip(branch.token_ids, branch.sampled_mask, strict=True) if mask]
    assert sampled == [token for one in server.completions for token in one]
    logprobs = [node.logprobs for node in trace.nodes if node.sampled]
    assert logprobs == server.logprobs
    # Each prompt is the one before, what the model said to it, and what came back.
    for before, said, after in zip(server.prompts, server.completions, server.prompts[1:], strict=False):
        assert after[: len(before) + len(said)] == before + said
    assert trace.reward == pytest.approx(by_reference())


# -- groups ----------------------------------------------------------------------------------------------------------


def test_a_group_is_of_one_world_and_other_tasks_are_of_others() -> None:
    traces = played({"env_id": MINI, "tasks": ["01-sign", "02-order"], "variants": [1, 2]}, group=3)
    openings: dict[str, set[str]] = {}
    for trace in traces:
        assert trace.ok, trace.errors
        heard = [message.model_dump_json() for message in trace.messages if message.role != "assistant"]
        openings.setdefault(trace.task.key, set()).add("\n".join(heard))
    assert len(traces) == 12
    assert len(openings) == 4
    assert all(len(one) == 1 for one in openings.values())
    assert len(set.union(*openings.values())) == 4


def test_hundreds_of_sessions_wait_side_by_side_and_block_no_loop() -> None:
    """The user's model answers none of them before all have asked it."""
    sessions = 100
    gate = threading.Barrier(sessions, timeout=60)

    def together(_: Any) -> Answer:
        gate.wait()
        return Answer(None)

    one_ask = {"grader": AskingGrader(), "responder": ScriptedModel(together)}
    with registered(MINI, one_ask) as env_id:
        traces = played({**SIGN, "env_id": env_id}, group=sessions)
    assert [trace.last_error for trace in traces if not trace.ok] == []
    assert [trace.reward for trace in traces] == pytest.approx([by_reference()] * sessions)


# -- what is no sample -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["user", "grader"])
def test_a_session_that_our_own_model_fails_is_no_sample(role: str) -> None:
    down = ScriptedModel(lambda _: Answer(error="the server is down"))
    asking: dict[str, Any] = {"user": AskingUser(), "grader": AskingGrader()}
    with registered(MINI, {role: asking[role], "responder": down}) as env_id:
        (trace,) = played({**SIGN, "env_id": env_id})
    assert not trace.ok
    assert (trace.rewards, trace.last_error.type) == ({}, "TaskError")
    assert "the server is down" in trace.last_error.message
    assert trace.info[RESULT]["error_kind"] == "model"
    assert not trace.info[RESULT]["scored"]


def test_a_served_user_that_fails_is_no_sample_either() -> None:
    with ChatServer(lambda body: (400, "no such model")) as user:
        (trace,) = played({**SIGN, "user": f"person@{user.url}"})
    assert user.bodies
    assert (trace.ok, trace.rewards) == (False, {})


def test_a_failure_of_the_model_s_server_is_no_sample() -> None:
    (trace,) = played(SIGN, lambda body: (400, "no such model"))
    assert (trace.ok, trace.rewards, trace.stop_condition) == (False, {}, "provider_error")
    assert RESULT not in trace.info


class OtherTask(vf.Task[vf.TaskData]):
    """A task that is no session."""


class OtherHarness(SessionHarness):
    """A harness that plays no session."""

    async def launch(self, *given: Any, **named: Any) -> Any:
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


def test_tasks_and_harness_of_others_are_told_what_they_lack(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run(task: Any) -> Any:
        given = {**LOCAL, "harness": {"id": MODULE}, "model": "toy", "client": server_of("http://127.0.0.1:1/v1")}
        async with vf.make_agent(vf.AgentConfig.model_validate(given)) as agent:
            return await agent.run(task)

    trace = asyncio.run(run(OtherTask(vf.TaskData(prompt="-"))))
    assert "names no session" in trace.last_error.message
    monkeypatch.setattr(pi_gym_verifiers, "SessionHarness", OtherHarness)
    (task,) = vf.load_taskset(env_config(SIGN).taskset)
    trace = asyncio.run(run(task))
    assert "no session was played" in trace.last_error.message
    assert (trace.ok, trace.rewards) == (False, {})


# -- what ends a rollout early ---------------------------------------------------------------------------------------


def test_a_limit_of_the_run_s_cuts_the_session_short_and_it_is_graded() -> None:
    (trace,) = played(SIGN, max_turns=2)
    assert trace.ok, trace.errors
    assert (trace.stop_condition, trace.is_truncated) == ("max_turns", True)
    assert trace.info[RESULT]["end_reason"] == "left open"
    (expected,) = by_gym(MINI, {}, [SessionRow("01-sign", 1, 0)], [scripted(MOVES, then=None)])
    assert trace.reward == pytest.approx(expected.score)
    assert trace.metrics["terminated"] == 0


def test_a_context_without_room_cuts_the_session_short_too() -> None:
    def script(body: Mapping[str, Any]) -> Reply:
        if len(body["messages"]) > 4:
            return 400, "This model's maximum context length is 4096 tokens"
        return answer(body)

    (trace,) = played(SIGN, script)
    assert trace.ok, trace.errors
    assert trace.info[RESULT]["end_reason"] == "left open"
    assert trace.rewards["session_return"].score > 0


@pytest.mark.parametrize("where", ["model", "user"])
def test_a_limit_of_time_cuts_the_session_short_and_it_is_graded(where: str) -> None:
    """Also while a step waits for the user's model, which is then waited for."""
    waited = threading.Event()

    def slow(_: Any) -> Answer:
        if where == "user" and not waited.is_set():
            waited.set()
            time.sleep(3)
        return Answer(None)

    def script(body: Mapping[str, Any]) -> Reply:
        if where == "model" and len(body["messages"]) > 4:
            time.sleep(3)
        return answer(body)

    with registered(MINI, {"user": AskingUser(), "responder": ScriptedModel(slow)}) as env_id:
        (trace,) = played({**SIGN, "env_id": env_id}, script, timeout={"rollout": 2})
    assert (trace.stop_condition, trace.is_timeout) == ("agent_timeout", True)
    assert trace.ok, trace.errors
    assert trace.info[RESULT]["end_reason"] == "left open"
    assert trace.rewards["session_return"].score > 0


def test_a_grading_that_takes_longer_than_it_may_gives_no_reward() -> None:
    slow = {"grader": AskingGrader(), "responder": ScriptedModel(lambda _: time.sleep(2))}
    with registered(MINI, slow) as env_id:
        (trace,) = played({**SIGN, "env_id": env_id}, max_turns=1, timeout={"finalize": 0.5})
    assert not trace.ok
    assert "unscored" in trace.last_error.message
    assert all(one is None for one in trace.rewards.values())


def test_a_rollout_that_is_cancelled_leaves_nothing() -> None:
    asked = threading.Event()

    def script(body: Mapping[str, Any]) -> Reply:
        asked.set()
        time.sleep(1)
        return answer(body)

    traces, plays = list[Any](), weakref.WeakSet[ThreadedPlay]()

    async def run(url: str) -> None:
        env = vf.load_environment(env_config(SIGN))
        async with env.serving():
            (task,) = env.taskset
            (slot,) = env.slots(task)
            context = vf.ModelContext(model="toy", client=server_of(url))
            going = asyncio.create_task(env.run_slot(slot, context, on_trace=traces.append))
            await asyncio.to_thread(asked.wait, 60)
            plays.add(traces[0].state.play)
            going.cancel()
            with pytest.raises(asyncio.CancelledError):
                await going

    with ChatServer(script) as server:
        asyncio.run(run(server.url))
    (trace,) = traces
    assert (trace.ok, trace.rewards, trace.state.play) == (False, {}, None)
    gc.collect()
    assert not plays


# -- over processes --------------------------------------------------------------------------------------------------


def test_sessions_are_played_by_the_server_that_trainers_start() -> None:
    from verifiers.v1.serve import EnvClient, EnvServer

    async def run(url: str) -> Any:
        config = env_config(SIGN)
        (task,) = vf.load_taskset(config.taskset)
        server = EnvServer(config, "tcp://127.0.0.1:0")
        serving, client = asyncio.create_task(server.run()), EnvClient(server.address)
        try:
            sampling = vf.SamplingConfig()
            return await client.run(server_of(url), "toy", sampling, task.data.model_dump(mode="json"))
        finally:
            await client.close()
            serving.cancel()
            await serving

    with ChatServer(answer) as server:
        episode = asyncio.run(run(server.url))
    (trace,) = episode.traces
    assert trace.ok, trace.errors
    assert trace.num_branches == 1
    assert trace.reward == pytest.approx(by_reference())
    assert trace.info[RESULT]["scored"]


def test_the_command_plays_with_the_local_runtime_and_pushes_nothing(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).with_name("vf-eval")), MODULE, "--model", "toy", "--client.api-key-var", "NONE"]
    given = {"env-id": MINI, "tasks": '["01-sign", "02-order"]', "variants": "[1]"}
    options = [part for name, value in given.items() for part in (f"--env.taskset.{name}", value)]
    with ChatServer(answer) as server:
        done = subprocess.run(
            [
                *[*command, "--client.base-url", server.url, "--env.agent.runtime.type", "subprocess", "--no-push"],
                *[*options, "-r", "2", "--no-rich", "-o", str(tmp_path), "--run.name", "mini"],
            ],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (tmp_path / "mini" / "traces.jsonl").read_text().splitlines()
    traces = [trace for line in lines for trace in json.loads(line).get("traces", [json.loads(line)])]
    assert sorted(trace["task"]["data"]["task"] for trace in traces) == ["01-sign"] * 2 + ["02-order"] * 2
    assert all(trace["ok"] for trace in traces)
    assert {"session_return"} == {name for trace in traces for name in trace["rewards"]}


def test_a_call_is_given_back_by_the_id_that_the_model_gave_it() -> None:
    """Of several in one message, some of which fail."""
    twice = calling("read_file", "first", path="notes.txt")
    twice["tool_calls"].append({**ToolCall("read_file", {"path": "nowhere.txt"}).to_openai(), "id": "second"})
    script = scripted([twice, *MOVES[1:]])

    def both(body: Mapping[str, Any]) -> Reply:
        said = script(sum(one["role"] == "assistant" for one in body["messages"]))
        assert said is not None
        return said

    (trace,) = played(SIGN, both)
    assert trace.num_branches == 1
    assert [one.tool_call_id for one in trace.tool_messages] == ["first", "second"]
    assert "nowhere.txt" in trace.tool_messages[1].content
