"""The harness in which a model plays sessions, in the process of the rollouts; needs verifiers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from ssl import SSLContext, create_default_context
from typing import Any

import verifiers.v1 as vf
from openai import APIStatusError, AsyncOpenAI, DefaultAsyncHttpxClient
from verifiers.v1.harnesses.utils.compaction import is_context_overflow

from pi_gym.adapters.verifiers.session_taskset import RolloutState, SessionTaskData
from pi_gym.adapters.verifiers.threaded_play import ThreadedPlay
from pi_gym.errors import BadArgument


class SessionHarnessConfig(vf.HarnessConfig):  # type: ignore[misc]  # verifiers may be missing
    """The harness has no settings of its own."""


class SessionHarness(vf.Harness[SessionHarnessConfig]):  # type: ignore[misc]
    """Plays the session that a task names with the model under evaluation or training.

    Nothing runs in the rollout's runtime: the session is here, and the model is asked through verifiers' own server, by
    which the trace is made. Sampling and limits are the run's. A limit, and a context without room, end the play where
    it stands, and the task has it graded; what else the model's server answers with an error fails the rollout.
    """

    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: Any,
        trace: Any,
        runtime: Any,
        endpoint: str,
        secret: str,
        mcp_urls: Mapping[str, str],
        data: Any,
        tool_interception_url: str | None = None,
    ) -> Any:
        """Play the session; it stays in the trace's state for the task to score.

        Raises:
            BadArgument: the task is none of our taskset's.
            APIStatusError: the model's server failed.
        """
        if not isinstance(data, SessionTaskData):
            raise BadArgument(f"a {type(data).__name__} names no session: this harness plays the taskset of its module")
        play = trace.state.play = ThreadedPlay(data.env_id, data.env_kwargs)
        messages = await play.open(data.row, ctx.model)
        # A model may think for longer than any time that would be set here; verifiers has the run's limits.
        transport = DefaultAsyncHttpxClient(verify=_trusted(), timeout=None)
        async with AsyncOpenAI(base_url=endpoint, api_key=secret, timeout=None, http_client=transport) as client:
            while not play.over:
                asked = {"model": ctx.model, "messages": messages, "tools": play.tools}
                try:
                    answer = await client.post("/chat/completions", cast_to=object, body=asked)
                except APIStatusError as error:
                    if trace.stop_condition is None and not is_context_overflow(error):
                        raise
                    break
                said = own_message(answer["choices"][0]["message"])  # type: ignore[index]  # it is the JSON
                messages += [said, *await play.act(said)]
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")

    async def cleanup(self, trace: Any, runtime: Any) -> None:
        """Drop the session: traces are kept for longer than worlds."""
        if isinstance(trace.state, RolloutState):
            trace.state.play = None


@cache
def _trusted() -> SSLContext:
    """The certificates that are trusted; to read them anew would be most of what a rollout costs."""
    return create_default_context()


def own_message(said: Mapping[str, Any]) -> dict[str, Any]:
    """The message of a model as it is shown to it again: all that it said, without fields that say nothing.

    A server gives those of its protocol for every message, and another refuses them.
    """
    kept = {name: value for name, value in said.items() if value is not None and value != []}
    return kept if "tool_calls" in kept else {"role": "assistant", "content": "", **kept}
