"""Reading what a server sent: strictly, since a verdict must be the model's or none at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from pi_gym.models.json_schema import fault, portable
from pi_gym.types import ModelRequest

_MAX_SHOWN = 400
_THINK_OPEN, _THINK_CLOSE = "<think>", "</think>"


class BadCompletion(Exception):
    """The server answered, and the answer is of no use; another attempt may be better.

    Args:
        told: why, repeating nothing of the answer: it may hold what is hidden.
        said: what came, for the record.
        too_long: it is an answer in free text, and has no end.
    """

    def __init__(self, told: str, said: str = "", *, too_long: bool = False) -> None:
        super().__init__(told)
        self.said, self.too_long = _shown(said), too_long


@dataclass(frozen=True, slots=True)
class Completion:
    """A chat completion.

    Args:
        content: the model's text.
        finish: why it ended, as the server says; empty where it does not.
        refusal: the model's words where it refused.
        prompt_tokens, completion_tokens: 0 where the server does not count them.
    """

    content: str
    finish: str = ""
    refusal: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0


def read_message(body: str) -> Mapping[str, Any]:
    """A response with a message in its first choice, as the server sent it.

    Raises:
        BadCompletion: the body is none.
    """
    try:
        raw = json.loads(body)
        if isinstance(raw["choices"][0]["message"], dict):
            return raw  # type: ignore[no-any-return]
    except (ValueError, TypeError, LookupError, RecursionError):
        pass
    raise BadCompletion("the response is no chat completion", body)


def read_completion(body: str) -> Completion:
    """The completion in a response's body.

    Raises:
        BadCompletion: the body is none.
    """
    raw = read_message(body)
    choice = raw["choices"][0]
    content, refusal = choice["message"].get("content"), choice["message"].get("refusal")
    if isinstance(content, list):  # some servers send text in parts
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    return Completion(
        content if isinstance(content, str) else "",
        str(choice.get("finish_reason") or ""),
        refusal if isinstance(refusal, str) else "",
        token_count(raw, "prompt_tokens"),
        token_count(raw, "completion_tokens"),
    )


def token_count(raw: Mapping[str, Any], name: str) -> int:
    """A count of a response's `usage`; 0 where the server does not count."""
    usage = raw.get("usage")
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def value_of(completion: Completion, request: ModelRequest) -> Any:
    """The answer in a completion: parsed JSON that fits the request's schema, or text where it has none.

    Raises:
        BadCompletion: it was cut off or refused, it is empty, it is no JSON, does not fit, or has a fault.
    """
    if completion.refusal:
        raise BadCompletion("the model refused", completion.refusal)
    text = _without_thoughts(completion.content).strip()
    if completion.finish not in ("stop", ""):
        why = {"length": "cut off at max_tokens", "content_filter": "held back by the server's content filter"}
        told = f"the answer was {why.get(completion.finish, f'ended by {completion.finish!r}')}"
        if completion.finish == "length" and completion.prompt_tokens:
            # Servers shorten an answer to what the prompt leaves of the context.
            told += (
                f" or the end of the context ({completion.completion_tokens} tokens after {completion.prompt_tokens})"
            )
        began = completion.finish == "length" and request.schema is None and bool(text)
        raise BadCompletion(told, completion.content, too_long=began)
    if not text:
        raise BadCompletion("the answer is empty", completion.content)
    value = text if request.schema is None else _parsed(text, request.schema)
    if told := fault_of(value, request):
        raise BadCompletion(f"the answer is not as asked for: {told}", text, too_long=request.schema is None)
    return value


def fault_of(value: Any, request: ModelRequest) -> str:
    """The fault that a request's own check finds in an answer of the right form; empty where there is none."""
    return request.check(value) if request.check is not None else ""


def _parsed(text: str, schema: Mapping[str, Any]) -> Any:
    try:
        value = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        where = f" ({error.msg}, character {error.pos})" if isinstance(error, json.JSONDecodeError) else f" ({error})"
        raise BadCompletion(f"the answer is no JSON{where}", text) from None
    if why_not := fault(value, portable(schema)):
        raise BadCompletion(f"the answer does not fit its schema: {why_not}", text)
    return value


def _without_thoughts(text: str) -> str:
    """The text after a leading think block, which servers without a reasoning parser leave in the content."""
    if not text.lstrip().startswith(_THINK_OPEN):
        return text
    _, closed, rest = text.partition(_THINK_CLOSE)
    return rest if closed else ""


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is given twice")
    return found


def _shown(text: str) -> str:
    line = " ".join(text[: 2 * _MAX_SHOWN].split())
    return line if len(line) <= _MAX_SHOWN else f"{line[:_MAX_SHOWN]}…"
