"""The solver that plays a sample's session with the model under evaluation, and the score of what came of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import anyio
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, mean, scorer, stderr
from inspect_ai.solver import solver
from inspect_ai.util import LimitExceededError, sample_limits

from pi_gym.adapters.inspect.inspect_messages import action_of, chat, tool_infos
from pi_gym.adapters.result_summary import summary_of
from pi_gym.adapters.session_play import SessionPlay, finish, single_session_env
from pi_gym.adapters.session_row import SessionRow
from pi_gym.adapters.threaded_steps import MAX_THREADS
from pi_gym.env import SessionEnv
from pi_gym.rollout.shared_run import SharedRun

#: The place of a session's result in a sample's store.
RESULT = "pi_gym"


class SessionSolving:
    """The playing of samples' sessions: the model under evaluation acts, the session runs its calls.

    Args:
        env_id: a registered environment.
        env_kwargs: its arguments beside its id's.
        out: the run's folder for records; None: they are not kept.
    """

    def __init__(self, env_id: str, env_kwargs: Mapping[str, Any], out: Path | None) -> None:
        self.env: SessionEnv = single_session_env(env_id, env_kwargs)
        self._env_kwargs, self._out = env_kwargs, out
        self._runs: dict[str, SharedRun] = {}
        self._making = threading.Lock()
        self._threads = anyio.CapacityLimiter(MAX_THREADS)

    async def solve(self, state: Any) -> Any:
        """Play the session that a sample names, and keep its result in the sample's store.

        A limit of the evaluation's and a full context of the model's cut the session short, graded as things stand.
        What a provider raises, and an evaluation that is broken off, are Inspect's to deal with: there is no result
        then, and so no score.
        """
        begun, model = monotonic(), get_model()
        play = SessionPlay(self.env.twin())
        try:
            await self._play(play, SessionRow.of(state.metadata), state, model)
        except LimitExceededError:
            await self._finish(play, state, begun)
            raise
        except anyio.get_cancelled_exc_class():
            # Of these the limits of time alone are an end; there may be no session yet.
            if _out_of_time() and play.opening:
                with anyio.CancelScope(shield=True):
                    await self._finish(play, state, begun)
            raise
        await self._finish(play, state, begun)
        return state

    async def _play(self, play: SessionPlay, row: SessionRow, state: Any, model: Any) -> None:
        # The samples of one session are counted through all epochs.
        sample = state.metadata.get("sample", 0) + (state.epoch - 1) * state.metadata.get("samples", 1)
        opening = await self._in_thread(play.open, row, agent=str(model), sample=sample)
        if self._out is not None:
            await self._in_thread(self._run(str(model)).require_new, play.session, sample)
        state.messages = chat(opening)
        while not (play.over or state.completed):
            state.output = await model.generate(state.messages, tools=tool_infos(play.tools))
            # The model's context is full: what stands in the message's place is the provider's error, no reply.
            if state.output.stop_reason == "model_length":
                break
            said = state.output.message
            state.messages.append(said)
            news = await self._in_thread(play.act, action_of(said))
            state.messages += chat(news, said.tool_calls or ())

    async def _finish(self, play: SessionPlay, state: Any, begun: float) -> None:
        (result,) = await self._in_thread(finish, [play])
        state.store.set(RESULT, summary_of(result, self.env.family))
        if self._out is not None:
            run = self._run(result.record.agent)
            await self._in_thread(run.add, result.record, monotonic() - begun)

    def _run(self, agent: str) -> SharedRun:
        with self._making:
            if agent not in self._runs:
                assert self._out is not None
                self._runs[agent] = SharedRun(self._out, self.env, agent, self._env_kwargs, source="inspect")
            return self._runs[agent]

    async def _in_thread(self, function: Callable[..., Any], *given: Any, **named: Any) -> Any:
        return await anyio.to_thread.run_sync(partial(function, *given, **named), limiter=self._threads)


def _out_of_time() -> bool:
    limits = sample_limits()
    return any(one.limit is not None and one.usage >= one.limit for one in (limits.time, limits.working))


def score_of(found: Mapping[str, Any] | None) -> Any:
    """Inspect's score of a session's result; unscored is a value of its own there."""
    if not found or not found["scored"]:
        kind, error = (found["error_kind"], found["error"]) if found else ("engine", "there is no result")
        return Score.unscored(reason=kind, explanation=error)
    values = {name: float("nan") if value is None else value for name, value in found["scores"].items()}
    how = "the session reached its end" if found["terminated"] else f"cut short: {found['end_reason']}"
    return Score(value=values, explanation=how, metadata={"measures": found["measures"]})


def session_solver(solving: SessionSolving) -> Any:
    """The solver that Inspect registers, as `pi_gym/session`."""

    def session() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            return await solving.solve(state)

        return solve

    return solver(session)()


def session_scorer(names: tuple[str, ...]) -> Any:
    """The scorer that Inspect registers, as `pi_gym/session_score`: the mean and its error for each score.

    Args:
        names: of the family's scores.
    """

    def session_score() -> Any:
        async def score(state: Any, target: Any) -> Any:
            return score_of(state.store.get(RESULT))

        return score

    return scorer(metrics={name: [mean(), stderr()] for name in names})(session_score)()
