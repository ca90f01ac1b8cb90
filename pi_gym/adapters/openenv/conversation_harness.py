"""A harness of OpenEnv's that plays whole conversations, with real turns of the user; needs openenv."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from openenv.core.harness import HarnessAdapter, HarnessRolloutResult, HarnessRunLimits, ToolResult, ToolTraceEntry

from pi_gym.adapters.openenv.resource_sessions import PlayedResource
from pi_gym.errors import BadArgument


class ConversationHarness(HarnessAdapter):  # type: ignore[misc]  # openenv is not there where types are checked
    """Plays a session of `PlayedResources` from its opening to its end: the user's words are the user's messages.

    OpenEnv's own `MCPHarnessAdapter` ends at the first message without a call; here that is a turn's end.
    """

    def run_white_box(self, model_step: Any, session: PlayedResource, limits: Any = None) -> Any:
        """Play while the trainer samples.

        Args:
            model_step: messages, tools and sampling in; the model's message out.
            session: of `PlayedResources`.
            limits: of messages (`max_turns`), and for sampling.
        """
        limits, play = limits or HarnessRunLimits(), session.play
        messages = session.initial_messages()
        result = HarnessRolloutResult(messages=messages)
        for turn in range(limits.max_turns):
            if play.over:
                break
            step = model_step(messages, session.own_tools(), dict(limits.sampling))
            said = _message(step.response)
            messages.append(said)
            result.prompt_ids.extend(step.prompt_ids)
            result.completion_ids.extend(step.completion_ids)
            result.logprobs.extend(step.logprobs)
            news = play.act(said)
            names = {call.id: call.name for call in step.response.tool_calls}
            for message in news:
                if message["role"] == "tool":
                    message["name"] = names.get(message["tool_call_id"], "")
            messages.extend(news)
            result.tool_trace.extend(_traced(step.response.tool_calls, news, session))
            result.metrics["turns"] = turn + 1
        result.done = play.over
        result.metrics["tool_calls"] = len(result.tool_trace)
        return result

    def run_black_box(self, session: Any, limits: Any = None) -> Any:
        """Not there: the model is the trainer's.

        Raises:
            BadArgument: (a ValueError) always.
        """
        raise BadArgument("ConversationHarness plays with a trainer's model: run_white_box")


def _message(response: Any) -> dict[str, Any]:
    """The model's message, with arguments as objects: chat templates write those as the model did, and quote text."""
    message: dict[str, Any] = response.to_message_dict()
    for call, made in zip(message.get("tool_calls", ()), response.tool_calls, strict=False):
        call["function"]["arguments"] = dict(made.args)
    return message


def _traced(calls: Any, news: Any, session: PlayedResource) -> Iterator[Any]:
    """The calls of a message with their results."""
    step = session.play.session.step
    results = {one["tool_call_id"]: one["content"] for one in news if one["role"] == "tool"}
    # The session counts calls by ids of its own; where it rejected the message, it has run none.
    counted = [one.id for one in step.messages[0].tool_calls] if step is not None else []
    for place, call in enumerate(calls):
        failed = step is None or (counted[place] in step.failed if counted else step.invalid)
        text = results.get(call.id)
        found = ToolResult(data=text, error=text if failed else None, done=session.play.over)
        yield ToolTraceEntry(call.name, dict(call.args), found)
