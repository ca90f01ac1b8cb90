"""Whole conversations for TRL's `AsyncGRPOTrainer`; without trl it can be imported, and not used.

TRL's own rollout worker gives reward functions no environments, and hands an environment to the next rollout before it
scores; so a session must be scored where it was played. This worker does that, in the place that TRL has for it: a loop
that brings a reward of its own for each rollout.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Mapping
from typing import Any

from pi_gym.adapters.reply_tool import REPLY
from pi_gym.adapters.session_play import SessionPlay, SessionResult, finish
from pi_gym.adapters.trl.factory import EnvironmentFactory
from pi_gym.adapters.trl.reward_function import session_metrics
from pi_gym.errors import BadArgument, PiGymError

_MISSING: ImportError | None = None
try:
    from trl.chat_template_utils import parse_response
    from trl.experimental.async_grpo.async_rollout_worker import (
        AsyncRolloutWorker,
        TurnRecord,
        _AsyncRolloutLoop,
        _chain_to_sequences,
    )
except ImportError as error:  # all our modules can be imported without it; who wants a worker is told
    _MISSING = error
    AsyncRolloutWorker = _AsyncRolloutLoop = object

#: The column of the rewards in TRL's log: `rewards/pi_session`.
REWARD_NAME = "pi_session"


class TrlMissing(PiGymError, ImportError):
    """The error that trl is not installed, or is another version than this is written for."""


class SessionLoop(_AsyncRolloutLoop):  # type: ignore[misc]  # trl has no types
    """Plays and scores sessions in TRL's rollout process.

    A conversation is the session's: its system message, its tools, the user's words in messages of the user's role, on
    until the session ends. Nothing is generated once the context has no room for a whole answer: vLLM refuses what is
    too long, and TRL asks again for minutes and then ends the run.

    Args:
        max_length: tokens of prompt and answer together that the server takes (its `--max-model-len`).
        options: TRL's.
    """

    _provides_rollout_reward = True

    def __init__(self, *, max_length: int, **options: Any) -> None:
        super().__init__(**options)
        self.max_length = max_length
        self.reward_func_names.append(REWARD_NAME)

    async def _generate_one(
        self, prompt: Any, tool_dict: Mapping[str, Any], tools: Any, group_id: int = 0
    ) -> tuple[list[dict[str, Any]], list[int], list[Any], int, int, float | None]:
        """Play the session that TRL has just reset, from opening to end; TRL's prompt and tools are not used."""
        begun, play = time.monotonic(), _play(tool_dict)
        schemas, messages = play.session.tool_schemas(), play.opening
        completion: list[dict[str, Any]] = []
        turns: list[TurnRecord] = []
        while (prompt_ids := self._room_for_an_answer([*messages, *completion], schemas, len(turns))) is not None:
            ids, logprobs = await self._generate_one_turn(prompt_ids)
            turns.append(TurnRecord(prompt_ids, ids, logprobs))
            said = parse_response(self.tokenizer, ids, prefix=prompt_ids, tools=schemas)
            completion.append(said)
            completion += _named(await self._in_a_thread(play.act, said), said)
            if play.session.ended:
                break
        (result,) = await self._in_a_thread(finish, [play])
        sequences, tally = _chain_to_sequences(turns, uuid.uuid4().hex, self._fork_threshold_tokens)
        generated = [one for turn in turns for one in turn.output_ids]
        self._push_rollout_metrics(
            turns=len(turns),
            sequences=len(sequences),
            completion_ids=generated,
            tally=tally,
            loop_exhausted=result.cut_short,
            duration_s=time.monotonic() - begun,
        )
        calls = self._note(result, completion)
        return completion, generated, sequences, calls, int(result.values.get("invalid_actions") or 0), result.score

    def _room_for_an_answer(self, messages: list[Any], schemas: list[Any], actions: int) -> list[int] | None:
        """The prompt of the next action; None where there is to be none."""
        if self.max_tool_calling_iterations is not None and actions > self.max_tool_calling_iterations:
            return None
        ids: list[int] = self.tokenizer.apply_chat_template(
            messages,
            return_dict=False,
            add_generation_prompt=True,
            tools=schemas,
            chat_template=self.chat_template,
            **self.chat_template_kwargs,
        )
        return ids if len(ids) + self.max_tokens <= self.max_length else None

    async def _in_a_thread(self, function: Any, *arguments: Any) -> Any:
        """A step may wait for models that play user and grader; other sessions go on."""
        return await asyncio.get_running_loop().run_in_executor(self._tool_pool, function, *arguments)

    def _note(self, result: SessionResult, completion: list[dict[str, Any]]) -> int:
        """Count for TRL's log; gives the number of calls."""
        for name, value in session_metrics([result]).items():
            rate = self._rates[f"pi_gym/{name}"]
            rate[0] += value
            rate[1] += 1
        names = [call["function"]["name"] for message in completion for call in message.get("tool_calls") or ()]
        for name in names:
            self._counters[f"tools/{name}/call_total"] += 1
        return len(names)


class SessionWorker(AsyncRolloutWorker):  # type: ignore[misc]  # trl has no types
    """The rollout worker for `AsyncGRPOTrainer(…, rollout_worker=SessionWorker.of(…))`.

    It plays and scores sessions in a process of its own, as `SessionLoop` says; the trainer needs neither
    `reward_funcs` nor `environment_factory`.
    """

    _loop_cls = SessionLoop

    @classmethod
    def of(cls, environments: EnvironmentFactory, config: Any, **given: Any) -> SessionWorker:
        """The worker of a run, from what its trainer is given: arguments and errors are those of `loop_arguments`."""
        return cls(**loop_arguments(environments, config, **given))


def loop_arguments(
    environments: EnvironmentFactory,
    config: Any,
    *,
    model: str,
    tokenizer: Any,
    dataset: Any,
    max_length: int,
    eos_token_ids: list[int] | None = None,
) -> dict[str, Any]:
    """The arguments that `SessionWorker.of` makes a worker of; making them needs no server.

    Args:
        environments: makes the environments; it and all that it holds must be picklable.
        config: the trainer's `AsyncGRPOConfig`; its `max_inflight_tasks` is the number of sessions at a time.
        model: the name under which the server knows the policy.
        tokenizer: the policy's.
        dataset: the trainer's: rows of `make_dataset`.
        max_length: tokens of prompt and answer that the server takes.
        eos_token_ids: what ends an answer; None: the tokenizer's.

    Raises:
        BadArgument: (a ValueError) the configuration leaves the number of sessions to TRL, or no room for an answer.
        TrlMissing: (an ImportError) trl is not installed.
    """
    if _MISSING is not None:
        raise TrlMissing(f"needs TRL 1.16: pip install 'pi-gym[train]' ({_MISSING})") from _MISSING
    if config.max_inflight_tasks < 1:
        raise BadArgument(
            "max_inflight_tasks: say how many sessions are played at a time, such as max_inflight_tasks=64"
        )
    if config.max_completion_length >= max_length:
        raise BadArgument(
            f"max_completion_length={config.max_completion_length}, one answer's tokens, leaves no room for a prompt"
            f" in max_length={max_length}"
        )
    return {
        "model_name": model,
        "dataset": dataset,
        "reward_funcs": [],
        "processing_class": tokenizer,
        "eos_token_ids": eos_token_ids or [tokenizer.eos_token_id],
        "environment_factory": environments,
        "num_generations": config.num_generations,
        "max_inflight_tasks": config.max_inflight_tasks,
        "queue_maxsize": config.queue_maxsize,
        "vllm_server_url": config.vllm_server_base_url,
        "max_tokens": config.max_completion_length,
        "temperature": config.temperature,
        "top_p": config.top_p,
        "top_k": config.top_k,
        "min_p": config.min_p,
        "repetition_penalty": config.repetition_penalty,
        "request_timeout": config.request_timeout,
        "chat_template_kwargs": config.chat_template_kwargs,
        "max_tool_calling_iterations": config.max_tool_calling_iterations,
        "log_completions": config.log_completions,
        "num_completions_to_print": config.num_completions_to_print,
        "fork_threshold_tokens": config.fork_threshold_tokens,
        "max_length": max_length,
    }


def _play(tool_dict: Mapping[str, Any]) -> SessionPlay:
    """The session behind the bound methods that TRL lists as the rollout's tools."""
    play: SessionPlay = tool_dict[REPLY].__self__._session
    return play


def _named(messages: list[dict[str, Any]], said: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages of a step as TRL's templates expect them: the results of calls with the tools' names."""
    names = iter([call["function"]["name"] for call in said.get("tool_calls") or ()])
    return [
        {"role": "tool", "name": next(names, ""), "content": message["content"]}
        if message["role"] == "tool"
        else {"role": message["role"], "content": message["content"]}
        for message in messages
    ]
