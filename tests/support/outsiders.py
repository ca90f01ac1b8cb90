"""Players from outside, one for each adapter: they play scripts through it, and tell what came of it."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import pytest

import pi_gym
from pi_gym.adapters.reply_tool import REPLY
from pi_gym.adapters.session_play import SessionPlay, ToolFailed, finish, single_session_env
from pi_gym.adapters.session_row import SessionRow
from pi_gym.environments import base_env, make_env
from pi_gym.session.actions import parse_action
from support.scripts import loaded

#: Tokens of a rollout.
ROOM = 300_000
MISSING = "needs {}: make test-connect"
#: The agent's messages by their number, from 0; None: whoever drives it leaves the session open.
Script: TypeAlias = Callable[[int], "dict[str, Any] | None"]
Message: TypeAlias = dict[str, Any]


@dataclass
class Played:
    """A session that was played from outside.

    Args:
        score: as the adapter gives it; None: unscored.
        heard: what came back to the agent's messages, in order: results of calls, the user's words.
        messages: the conversation as the agent's model has it; empty where the adapter gives it no messages.
    """

    score: float | None
    heard: list[str] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)


#: Plays sessions side by side: an environment's id, its arguments, rows and their scripts in.
Player: TypeAlias = Callable[[str, Mapping[str, Any], Sequence[SessionRow], Sequence[Script]], list[Played]]


def calling(name: str, call_id: str = "", **arguments: Any) -> Message:
    """A message that calls one tool."""
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    call = {"id": call_id or f"own-{name}", "type": "function", "function": function}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def saying(text: str) -> Message:
    """A message that is a reply."""
    return {"role": "assistant", "content": text}


def message_of(action: str, number: int) -> Message:
    """An action's text as the message of a model that calls tools."""
    parsed = parse_action(action)
    calls = [
        {**pi_gym.ToolCall(call.name, call.arguments).to_openai(), "id": f"own-{number}-{place}"}
        for place, call in enumerate(parsed.calls)
    ]
    return {"role": "assistant", "content": parsed.content, **({"tool_calls": calls} if calls else {})}


def scripted(moves: Sequence[Message | str], *, then: str | None = "Done.") -> Script:
    """The script of these moves: messages, or texts of actions; behind them the same reply again and again."""
    messages = [message_of(one, place) if isinstance(one, str) else one for place, one in enumerate(moves)]

    def script(number: int) -> Message | None:
        if number < len(messages):
            return messages[number]
        return None if then is None else saying(then)

    return script


def by_gym(env_id: str, env_kwargs: Mapping[str, Any], rows: Any, scripts: Any) -> list[Played]:
    """By `gym.make` and `step`: what the adapters are compared with."""
    return [_by_gym(env_id, env_kwargs, row, script) for row, script in zip(rows, scripts, strict=True)]


def _by_gym(env_id: str, env_kwargs: Mapping[str, Any], row: SessionRow, script: Script) -> Played:
    env = make_env(env_id, env_kwargs)
    _, info = env.reset(seed=row.seed, options=row.options)
    played = Played(None)
    session = base_env(env).session
    assert session is not None
    while not session.ended:
        said = script(len(played.heard))
        if said is None:
            session.truncate("left")
            break
        *_, info = env.step(said)
        played.heard.append(joined(info["new_messages"][1:]))
    record = session.trajectory()
    played.score = record.return_ if record.scored else None
    return played


def by_session_play(env_id: str, env_kwargs: Mapping[str, Any], rows: Any, scripts: Any) -> list[Played]:
    """By the part that all adapters stand on, the sessions in turns."""
    env = single_session_env(env_id, env_kwargs)
    plays = [SessionPlay(env.twin()) for _ in rows]
    played = [Played(None, messages=play.open(row)) for play, row in zip(plays, rows, strict=True)]
    going = list(zip(plays, played, scripts, strict=True))
    while going:
        left = []
        for play, found, script in going:
            said = script(len(found.heard))
            if said is None or play.over:
                continue
            news = play.act(said)
            found.heard.append(joined(news))
            found.messages += [said, *news]
            left.append((play, found, script))
        going = left
    for found, result in zip(played, finish(plays), strict=True):
        found.score = result.score
    return played


def by_trl_methods(env_id: str, env_kwargs: Mapping[str, Any], rows: Any, scripts: Any) -> list[Played]:
    """By the environments of TRL's factory: methods that are tools."""
    from pi_gym.adapters.trl import EnvironmentFactory, session_reward

    factory = EnvironmentFactory(env_id, **env_kwargs)
    environments = [factory() for _ in rows]
    played = []
    for environment, row, script in zip(environments, rows, scripts, strict=True):
        environment.reset(**asdict(row))
        played.append(Played(None))
        while not environment._session.over and (said := script(len(played[-1].heard))) is not None:
            results = []
            for name, arguments in steps_of(said):
                try:
                    results.append(getattr(environment, name)(**arguments))
                except (ToolFailed, AttributeError) as error:
                    results.append(str(error))
            played[-1].heard.append("\n\n".join(results))
    rewards = session_reward([], [[] for _ in rows], environments)
    for found, reward in zip(played, rewards, strict=True):
        found.score = reward
    return played


def by_trl_rollout(env_id: str, env_kwargs: Mapping[str, Any], rows: Any, scripts: Any) -> list[Played]:
    """By TRL's whole conversations, one after the other: tokens."""
    return [_by_trl_rollout(env_id, env_kwargs, row, script) for row, script in zip(rows, scripts, strict=True)]


def _by_trl_rollout(env_id: str, env_kwargs: Mapping[str, Any], row: SessionRow, script: Script) -> Played:
    from pi_gym.adapters.trl import SessionRollout
    from support.toy_tokenizer import END, ToyTokenizer

    tokenizer, prompts = ToyTokenizer(), list[str]()

    def generate(ids: list[list[int]], trainer: Any) -> Any:
        prompts.append(tokenizer.decode(ids[0]))
        said = script(len(prompts) - 1)
        # A rollout is ended by an answer that has no room.
        return [
            [3] * (ROOM + 1) if said is None else tokenizer(text_of(said) + END, add_special_tokens=False)["input_ids"]
        ], None

    rollout = SessionRollout(env_id, generate=generate, **env_kwargs)
    (done,) = rollout.play([asdict(row)], tokenizer, max_completion_length=ROOM)
    whole = [*prompts[1:], tokenizer.decode([*done.sample.prompt_ids, *done.sample.completion_ids])]
    heard = [after.removeprefix(before) for before, after in zip(prompts, whole, strict=True)]
    return Played(done.result.score, heard)


def by_mcp(env_id: str, env_kwargs: Mapping[str, Any], rows: Any, scripts: Any) -> list[Played]:
    """By the tools of the Model Context Protocol, a client each, side by side."""
    need("mcp", "mcp")
    import anyio
    from mcp import Client

    from pi_gym.adapters.mcp.session_server import SessionServer
    from pi_gym.adapters.mcp.tool_session import OPEN, ToolSessions

    played = [Played(None) for _ in rows]

    async def play(sessions: ToolSessions, sample: int, row: SessionRow, script: Script) -> None:
        session = sessions.begin("/".join((row.pack, row.task)).lstrip("/"), row.variant, row.seed, sample)
        served, heard = SessionServer(session), played[sample].heard
        async with Client(served.server) as client:
            await client.call_tool(OPEN, {})
            while not session.over and (said := script(len(heard))) is not None:
                results = [await client.call_tool(name, arguments) for name, arguments in steps_of(said)]
                heard.append("\n\n".join(part.text for result in results for part in result.content))
        await served.end()

    async def play_all(sessions: ToolSessions) -> None:
        async with anyio.create_task_group() as group:
            for sample, (row, script) in enumerate(zip(rows, scripts, strict=True)):
                group.start_soon(play, sessions, sample, row, script)

    with TemporaryDirectory() as folder:
        anyio.run(play_all, ToolSessions(env_id, env_kwargs, Path(folder), "scripted"))
        for record in pi_gym.read_trajectories(folder):
            played[record.sample].score = record.return_
    return played


def by_inspect(env_id: str, env_kwargs: Mapping[str, Any], rows: Any, scripts: Any) -> list[Played]:
    """By Inspect's evaluation, its scripted model in the provider's place, all samples side by side."""
    need("inspect_ai", "inspect")
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import get_model

    from pi_gym.adapters.inspect.inspect_messages import action_of
    from pi_gym.adapters.inspect.session_solver import SessionSolving, session_scorer, session_solver

    solving = SessionSolving(env_id, env_kwargs, None)
    samples = [Sample(id=place + 1, input="-", metadata=asdict(row)) for place, row in enumerate(rows)]
    task = Task(
        dataset=MemoryDataset(samples),
        solver=session_solver(solving),
        scorer=session_scorer(solving.env.family.scores),
    )

    def play(messages: Any, tools: Any, tool_choice: Any, config: Any) -> Any:
        from inspect_ai.log._samples import sample_active

        active = sample_active()
        assert active is not None
        return inspect_output(scripts[active.sample.id - 1](sum(one.role == "assistant" for one in messages)))

    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of what Inspect stands on
        (log,) = eval(task, model=get_model("mockllm/model", custom_outputs=play), log_dir=folder, display="none")
        assert log.status == "success", log.error
        samples_played = sorted(log.samples or [], key=lambda one: one.id)
    played = []
    for sample in samples_played:
        (score,) = (sample.scores or {}).values()
        number = score.value["return"] if isinstance(score.value, dict) else None
        chat = [one for one in sample.messages if one.role in ("user", "assistant", "tool")]
        found = Played(number)
        for one in chat[1:]:
            if one.role == "assistant":
                found.heard.append("")
                found.messages.append(action_of(one))
            elif found.heard:
                found.heard[-1] += f"\n\n{one.text}"
                given = {"tool_call_id": one.tool_call_id} if one.role == "tool" else {}
                found.messages.append({"role": one.role, "content": one.text, **given})
        played.append(found)
    return played


def inspect_output(message: Message | None) -> Any:
    """A scripted message as what Inspect's provider gives; None: a limit of Inspect's is reached."""
    from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput, ModelUsage
    from inspect_ai.model._call_tools import parse_tool_call
    from inspect_ai.util import LimitExceededError

    if message is None:
        raise LimitExceededError("custom", value=1, limit=1)
    calls = [(call["id"], call["function"]) for call in message.get("tool_calls", ())]
    said = ChatMessageAssistant(
        content=message["content"],
        tool_calls=[parse_tool_call(own, one["name"], one["arguments"]) for own, one in calls] or None,
    )
    # Without a count Inspect would load a tokenizer to make one.
    usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return ModelOutput(model="mock", choices=[ChatCompletionChoice(message=said)], usage=usage)


def by_openenv(env_id: str, env_kwargs: Mapping[str, Any], rows: Any, scripts: Any) -> list[Played]:
    """By OpenEnv's server and client, a WebSocket each, side by side."""
    need("openenv", "openenv")
    import anyio

    from pi_gym.adapters.openenv.session_client import SessionClient
    from pi_gym.adapters.openenv.session_messages import SessionAction
    from support.openenv_server import serving

    played = [Played(None) for _ in rows]

    async def play(address: str, found: Played, row: SessionRow, script: Script) -> None:
        async with SessionClient(address) as client:
            result = await client.reset(**asdict(row) | {"pack": row.pack or None})
            found.messages += result.observation.messages
            while not result.done:
                assert result.reward is None
                said = script(len(found.heard))
                result = await client.step(SessionAction(message=said, end=said is None))
                if said is not None:
                    found.heard.append(joined(result.observation.messages))
                    found.messages += [said, *result.observation.messages]
            found.score = result.reward
            assert result.observation.scored == (result.reward is not None)

    async def play_all(address: str) -> None:
        async with anyio.create_task_group() as group:
            for found, row, script in zip(played, rows, scripts, strict=True):
                group.start_soon(play, address, found, row, script)

    with serving(env_id, env_kwargs) as address:
        anyio.run(play_all, address)
    return played


def by_openenv_harness(env_id: str, env_kwargs: Mapping[str, Any], rows: Any, scripts: Any) -> list[Played]:
    """By OpenEnv's rollouts in one process, with a scripted model, one after the other."""
    need("openenv", "openenv")
    from openenv.core.harness import HarnessRunLimits

    from pi_gym.adapters.openenv.conversation_harness import ConversationHarness
    from pi_gym.adapters.openenv.resource_sessions import PlayedResources
    from support.openenv_server import scripted_model

    factory, played = PlayedResources(env_id, **env_kwargs), []
    for row, script in zip(rows, scripts, strict=True):
        session = factory.create(asdict(row))
        turns = next(number for number in range(ROOM) if number == 100 or script(number) is None)
        done = ConversationHarness().run_white_box(scripted_model(script), session, HarnessRunLimits(max_turns=turns))
        found = Played(session.verify(done.messages).env_reward)
        for message in done.messages[len(session.initial_messages()) :]:
            if message["role"] == "assistant":
                found.heard.append("")
            else:
                found.heard[-1] += f"\n\n{message['content']}"
        played.append(found)
    return played


def by_skyrl(env_id: str, env_kwargs: Mapping[str, Any], rows: Any, scripts: Any) -> list[Played]:
    """By the environment of SkyRL's in examples, made as its trainer makes it, in the threads that it has for steps."""
    gym = need("skyrl_gym", "skyrl-gym")
    from skyrl_gym.envs.registration import deregister

    example = loaded("skyrl_env")
    gym.register(id=example.NAME, entry_point=example.text_env(env_id, unscored_reward=0.0, **env_kwargs))

    def play(row: SessionRow, script: Script) -> Played:
        left = next((number for number in range(1, 50) if script(number) is None), 0)
        columns = {**example.columns(env_id, 0, row), "max_turns": left}
        env = gym.make(example.NAME, env_config={}, extras=columns)
        env.init(columns["prompt"])
        played, done, paid = Played(None), False, list[float]()
        while not done:
            step = env.step(text_of(script(len(played.heard)) or {}))
            played.heard.append(joined(step["observations"]))
            paid.append(step["reward"])
            done = step["done"]
        env.close()
        played.score = sum(paid) if env.get_metrics()["scored"] else None
        return played

    try:
        with ThreadPoolExecutor(4) as threads:
            return list(threads.map(play, rows, scripts))
    finally:
        deregister(example.NAME)


def by_verl(env_id: str, env_kwargs: Mapping[str, Any], rows: Any, scripts: Any) -> list[Played]:
    """By the agent loop of verl's in examples, all on one event loop, with scripted servers."""
    need("verl", "verl")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what verl stands on
        from support.verl_loop import play

        return play(env_id, env_kwargs, rows, scripts)


def by_verifiers(env_id: str, env_kwargs: Mapping[str, Any], rows: Any, scripts: Any) -> list[Played]:
    """By verifiers' rollouts, an agent each, side by side; its limit of turns is where a script leaves the session."""
    need("verifiers", "verifiers")
    import asyncio

    import verifiers.v1 as vf

    from pi_gym.adapters.verifiers.session_taskset import SessionTask, SessionTaskData
    from support.chat_server import ChatServer
    from support.verifiers_runs import LOCAL, MODULE, registered, server_of

    def answer(body: Mapping[str, Any]) -> Message:
        said = scripts[int(body["model"])](sum(one["role"] == "assistant" for one in body["messages"]))
        assert said is not None
        return said

    async def play(place: int, row: SessionRow, script: Script, client: Any) -> Any:
        turns = next((number for number in range(50) if script(number) is None), None)
        config = {**LOCAL, "harness": {"id": MODULE}, "model": str(place), "client": client, "max_turns": turns}
        data = SessionTaskData(prompt="-", env_id=given, env_kwargs={}, **asdict(row))
        async with vf.make_agent(vf.AgentConfig.model_validate(config)) as agent:
            return await agent.run(SessionTask(data))

    async def play_all(client: Any) -> list[Any]:
        return await asyncio.gather(
            *(play(place, *one, client) for place, one in enumerate(zip(rows, scripts, strict=True)))
        )

    with registered(env_id, env_kwargs) as given, ChatServer(answer) as server:
        traces = asyncio.run(play_all(server_of(server.url)))
    played = []
    for place, trace in enumerate(traces):
        shown = [body["messages"] for body in server.bodies if body["model"] == str(place)][-1]
        heard: list[list[Message]] = []
        for message in trace.messages:
            if message.role == "assistant":
                heard.append([])
            elif heard:
                heard[-1].append({"content": message.content})
        score = trace.reward if trace.ok and trace.rewards else None
        played.append(Played(score, [joined(one) for one in heard], shown))
    return played


#: By name, the adapters' players; those of other packages skip where these are missing.
PLAYERS: dict[str, Player] = {
    "session_play": by_session_play,
    "trl_methods": by_trl_methods,
    "trl_rollout": by_trl_rollout,
    "mcp": by_mcp,
    "inspect": by_inspect,
    "openenv": by_openenv,
    "openenv_harness": by_openenv_harness,
    "skyrl": by_skyrl,
    "verl": by_verl,
    "verifiers": by_verifiers,
}


def need(module: str, package: str) -> Any:
    """A package that an adapter is for; the test is skipped where it is missing."""
    return pytest.importorskip(module, reason=MISSING.format(package))


def steps_of(message: Message) -> list[tuple[str, dict[str, Any]]]:
    """The calls that a message is, to an agent that has nothing but tools."""
    calls = [call["function"] for call in message.get("tool_calls", ())]
    return [(one["name"], json.loads(one["arguments"])) for one in calls] or [(REPLY, {"content": message["content"]})]


def text_of(message: Message) -> str:
    """The text that a message is, in the action syntax."""
    calls = [call["function"] for call in message.get("tool_calls", ())]
    return message["content"] + "".join(
        pi_gym.ToolCall(one["name"], json.loads(one["arguments"])).to_text() for one in calls
    )


def joined(messages: Sequence[Mapping[str, Any]]) -> str:
    """What messages bring to an agent."""
    return "\n\n".join(str(message["content"]) for message in messages)
