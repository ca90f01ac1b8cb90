"""The tokens in a chat completion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.models.completion import BadCompletion
from pi_gym.rollout import PolicyOutput


def output_of(action: Any, completion: Mapping[str, Any], *, token_ids: bool, logprobs: bool) -> PolicyOutput:
    """An action with the tokens that a completion gives.

    Args:
        action: what is made of its message.
        completion: of a chat, as it came.
        token_ids: whether ids were asked for.
        logprobs: whether logprobs were.

    Raises:
        BadCompletion: they are not there.
    """
    choice = completion["choices"][0]
    found: dict[str, Any] = {}
    if token_ids:
        found["token_ids"] = choice.get("token_ids")
        found["prompt_token_ids"] = completion.get("prompt_token_ids")
        if not isinstance(found["token_ids"], list):
            raise BadCompletion(
                "the response holds no token_ids; vLLM gives them (return_token_ids), most others do not"
            )
    if logprobs:
        content = (choice.get("logprobs") or {}).get("content")
        if not isinstance(content, list):
            raise BadCompletion("the response holds no logprobs; the server does not give them")
        found["logprobs"] = [token.get("logprob") if isinstance(token, Mapping) else None for token in content]
    return PolicyOutput(action, **found)
