"""Reading an action: plain text, text with tool-call blocks, an OpenAI message, or `Message`/`ToolCall` objects.

Whatever comes in, the outcome is a `ParsedAction`; one with `fault` set is rejected as a whole and answered by the
environment. Nothing here raises for an agent's mistake.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NoReturn

from pi_gym.types import Message, ToolCall, frozen_value

MAX_ACTION_CHARS = 2_000_000
MAX_CALLS = 64
MAX_DEPTH = 32
MAX_ARGUMENTS, MAX_ENTRIES = 1_000, 10_000
MAX_INTEGER_BITS = 13_000
"""Below the number of digits that Python turns into text."""
MAX_FAULT_CHARS = 1_000

_CALL_OPEN, _CALL_CLOSE = "<tool_call>", "</tool_call>"
_THINK_OPEN, _THINK_CLOSE = "<think>", "</think>"
_TAGS = (_CALL_OPEN, _THINK_OPEN, _THINK_CLOSE, _CALL_CLOSE)
#: The fields of an OpenAI message that a policy produces.
_KEPT = ("content", "reasoning_content", "reasoning", "tool_calls")
_LONG_CHARS = 64
_BLANKS = re.compile(r"[ \t\r\n]*")
_CALL_KEYS = frozenset(("name", "arguments", "id"))
_FORM = 'expected <tool_call>{"name": "…", "arguments": {…}}</tool_call>'


@frozen_value
class ParsedAction:
    """An action as the session understands it.

    Args:
        raw: what the agent produced, with lone surrogates replaced.
        content: the text without thoughts and call blocks.
        calls: the tool calls in order; ids are not given yet.
        thought: the text inside think tags.
        fault: why the action is rejected; empty where it is not.
        message: of an action that was an OpenAI message, what it held, word for word: the content, the reasoning, and
            the calls with their arguments as the texts that they were; None for every other action.
    """

    raw: str
    content: str
    calls: tuple[ToolCall, ...] = ()
    thought: str = ""
    fault: str = ""
    message: Mapping[str, Any] | None = None


class _Fault(ValueError):
    """The action is rejected."""


def clean(text: str) -> str:
    r"""The text with surrogate pairs joined and lone surrogates replaced, so that it can be stored and sent.

    >>> clean("a\ud800b") == "a\ufffdb"
    True
    """
    text = str.__str__(text)  # subclasses such as numpy's become plain
    try:
        text.encode()
    except UnicodeEncodeError:
        return _without_surrogates(text)
    return text


def _without_surrogates(text: str) -> str:
    if len(text) < _LONG_CHARS:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    # The codec calls an error handler for each of them, and of millions it would take half a second.
    import numpy as np

    codes = np.array([text]).view(np.uint32)
    first, second = codes >> 10 == 0x36, codes >> 10 == 0x37
    pairs = first[:-1] & second[1:]
    joined = 0x10000 + (((codes[:-1] & 0x3FF) << 10) | (codes[1:] & 0x3FF))
    codes[first | second] = 0xFFFD
    codes[:-1][pairs] = joined[pairs]
    kept = np.concatenate(([True], ~pairs))
    return codes[kept].astype("<u4").tobytes().decode("utf-32-le")


def parse_action(action: object) -> ParsedAction:
    """Understand an action.

    Args:
        action: a str (plain text, or text with `<tool_call>` blocks); a mapping in OpenAI's assistant format; a
            `Message`; a `ToolCall`; a list or tuple of `ToolCall`; a chat client's message object (anything with
            `model_dump`); or what this function gave before, as it is.
    """
    if isinstance(action, ParsedAction):
        return action
    if isinstance(action, str):
        return _parse_text(action if type(action) is str and action.isascii() else clean(action))
    message: dict[str, Any] | None = None
    try:
        action = _message_of(action)
        if isinstance(action, Mapping):
            message = _verbatim(action)
        return replace(_parse_object(action), message=message)
    except _Fault as fault:
        reason = str(fault)[:MAX_FAULT_CHARS]
    except Exception as error:  # a foreign object's methods may do anything
        reason = f"The {type(action).__name__} cannot be read: {type(error).__name__}."
    shown = _shown(action)
    return ParsedAction(shown, shown, fault=reason, message=message)


def _message_of(action: object) -> object:
    """The mapping that a chat client's message stands for (they are pydantic models); all else as it is."""
    dump = getattr(action, "model_dump", None)
    dumped = dump() if callable(dump) and not isinstance(action, Mapping) else None
    return dumped if isinstance(dumped, Mapping) else action


def _verbatim(message: Mapping[Any, Any]) -> dict[str, Any] | None:
    """The kept part of a message, as it came; None where no JSON can hold it, or where it is too long."""
    try:
        kept = {name: plain_json(message[name], name) for name in _KEPT if message.get(name) is not None}
        return kept if len(json.dumps(kept, ensure_ascii=False)) <= MAX_ACTION_CHARS else None
    except ValueError:
        return None


def _parse_object(action: object) -> ParsedAction:
    if isinstance(action, Mapping):
        return _parse_openai(action)
    if isinstance(action, Message):
        if action.role != "assistant":
            raise _Fault(f"The message has role {action.role!r}; an action is a message of role 'assistant'.")
        if not isinstance(action.content, str):
            raise _Fault(f"The content is a {_json_type(action.content)}; expected text.")
        return _from_calls(action.content, action.tool_calls)
    if isinstance(action, ToolCall):
        return _from_calls("", (action,))
    if isinstance(action, list | tuple) and action and all(isinstance(part, ToolCall) for part in action):
        return _from_calls("", action)
    raise _Fault(
        f"An action is text, an OpenAI assistant message, a Message, a ToolCall or a list of them; "
        f"got {type(action).__name__}."
    )


def _shown(action: object) -> str:
    """An action that is no text, for the record. Never its repr: that may hold an address in memory."""
    try:
        text = json.dumps(action, ensure_ascii=False, default=lambda part: f"<{type(part).__name__}>")
    except Exception:  # keys that are no strings, cycles, depth, numbers too long, methods that raise
        text = f"<{type(action).__name__}>"
    return clean(text[:2_000])


def _parse_text(raw: str) -> ParsedAction:
    if len(raw) > MAX_ACTION_CHARS:
        reason = f"The action has {len(raw)} characters; at most {MAX_ACTION_CHARS} are possible. Send it in parts."
        return ParsedAction(raw[:2_000] + "…", raw[:2_000] + "…", fault=reason)
    try:
        visible, calls, thoughts = _scan(raw)
    except _Fault as fault:
        return ParsedAction(raw, _split_thoughts(raw)[0], fault=str(fault)[:MAX_FAULT_CHARS])
    return ParsedAction(raw, "".join(visible).strip(), tuple(calls), "\n".join(thoughts))


def _scan(raw: str) -> tuple[list[str], list[ToolCall], list[str]]:
    visible: list[str] = []
    calls: list[ToolCall] = []
    thoughts: list[str] = []
    position = 0
    following: dict[str, int] = {}
    while position < len(raw):
        if raw.startswith(_CALL_OPEN, position):  # most actions are calls and nothing else
            call, position = _read_block(raw, position + len(_CALL_OPEN), len(calls) + 1)
            calls.append(call)
            if len(calls) > MAX_CALLS:
                raise _Fault(f"More than {MAX_CALLS} tool calls in one action; send them in several actions.")
            continue
        found = _next_tag(raw, position, following)
        if found is None:
            visible.append(raw[position:])
            break
        place, tag = found
        if tag == _THINK_CLOSE:
            # A chat template may open the thought in the prompt: all so far was thinking, calls included.
            thoughts.append("".join(visible) + raw[position:place])
            visible, calls = [], []
            position = place + len(tag)
            continue
        visible.append(raw[position:place])
        if tag == _THINK_OPEN:
            end = raw.find(_THINK_CLOSE, place)
            thoughts.append(raw[place + len(tag) : end if end >= 0 else len(raw)])
            position = end + len(_THINK_CLOSE) if end >= 0 else len(raw)
        elif tag == _CALL_OPEN:
            position = place
        else:
            raise _Fault(f"A {_CALL_CLOSE} has no {_CALL_OPEN} before it; {_FORM}.")
    return visible, calls, thoughts


def _next_tag(raw: str, position: int, following: dict[str, int]) -> tuple[int, str] | None:
    """The next tag from a position on, as (place, tag); `following` holds what earlier searches found."""
    # Most texts begin with a tag, or hold none: then the first "<" tells, and nothing is searched for in long texts.
    first = raw.find("<", position)
    if first < 0:
        return None
    for tag in _TAGS:
        if raw.startswith(tag, first):
            return first, tag
    # Each tag is looked for again only once it was passed, so that the whole scan is linear.
    for tag in _TAGS:
        if tag not in following or 0 <= following[tag] < position:
            following[tag] = raw.find(tag, position)
    return min(((place, tag) for tag, place in following.items() if place >= 0), default=None)


def _split_thoughts(raw: str) -> tuple[str, str]:
    """The text without its thoughts, and the thoughts, in a text in which calls are not looked for."""
    parts: list[str] = []
    thoughts: list[str] = []
    position = 0
    while (start := raw.find(_THINK_OPEN, position)) >= 0:
        parts.append(raw[position:start])
        end = raw.find(_THINK_CLOSE, start)
        end = end if end >= 0 else len(raw)
        thoughts.append(raw[start + len(_THINK_OPEN) : end])
        position = end + len(_THINK_CLOSE)
    parts.append(raw[position:])
    before, opened_earlier, after = "".join(parts).rpartition(_THINK_CLOSE)
    return after.strip(), "\n".join([*([before] if opened_earlier else []), *thoughts])


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _Fault(f"The key {key!r} stands twice in one JSON object.")
            seen.add(key)
    return result


def _no_constant(name: str) -> NoReturn:
    raise _Fault(f"{name} is no JSON value.")


_decoder = json.JSONDecoder(object_pairs_hook=_no_duplicates, parse_constant=_no_constant)


def _decode(text: str, start: int, what: str, form: str = _FORM) -> tuple[Any, int]:
    try:
        return _decoder.raw_decode(text, start)
    except RecursionError:
        raise _Fault(f"The JSON of {what} is nested too deeply; at most {MAX_DEPTH} levels are possible.") from None
    except json.JSONDecodeError as error:
        near = text[max(start, error.pos - 20) : error.pos + 20]
        raise _Fault(f"The JSON of {what} is broken: {error.msg}, near {near!r}; {form}.") from None
    except ValueError as error:
        raise _Fault(f"The JSON of {what} cannot be read: {error}") from None


def _read_block(raw: str, start: int, number: int) -> tuple[ToolCall, int]:
    what = f"tool call {number}"
    body, end = _decode(raw, _behind_blanks(raw, start), what)
    if not raw.startswith(_CALL_CLOSE, end):
        end = _behind_blanks(raw, end)
        if not raw.startswith(_CALL_CLOSE, end):
            raise _Fault(f"After the JSON of {what} comes {raw[end : end + 20]!r}, not {_CALL_CLOSE}.")
    if not isinstance(body, dict):
        raise _Fault(f"{what[0].upper()}{what[1:]} is a {_json_type(body)}; {_FORM}.")
    if not body.keys() <= _CALL_KEYS:
        raise _Fault(f"Unknown key {min(body.keys() - _CALL_KEYS)!r} in {what}; {_FORM}.")
    return _call(body.get("name"), body.get("arguments", {}), what), end + len(_CALL_CLOSE)


def _behind_blanks(text: str, at: int) -> int:
    if text.startswith("{", at):  # as most calls are written
        return at
    return _BLANKS.match(text, at).end()  # type: ignore[union-attr]  # it matches everywhere, if only nothing


def _call(name: object, arguments: object, what: str) -> ToolCall:
    if not isinstance(name, str) or not name:
        raise _Fault(f"The name of {what} is {_json_type(name)}; expected the tool's name as a string.")
    if isinstance(arguments, str):
        text = clean(arguments).strip()
        arguments, end = _decode(text, 0, f"the arguments of {what}", "expected one JSON object") if text else ({}, 0)
        if text[end:].strip():
            raise _Fault(f"After the JSON of the arguments of {what} comes more text.")
    if type(arguments) is not dict and not isinstance(arguments, Mapping):
        raise _Fault(f"The arguments of {what} are a {_json_type(arguments)}; expected an object.")
    if len(arguments) > MAX_ARGUMENTS:
        raise _Fault(f"The arguments of {what} are {len(arguments)}; at most {MAX_ARGUMENTS} are possible.")
    for part in arguments.values():
        if type(part) is not str and isinstance(part, list | tuple) and len(part) > MAX_ENTRIES:
            raise _Fault(f"A list of {what} has {len(part)} entries; at most {MAX_ENTRIES} are possible.")
    plain = _plain_object(arguments, what, MAX_DEPTH)
    return ToolCall((name if type(name) is str and name.isascii() else clean(name))[:200], plain)


def plain_json(value: Any, what: str, depth: int = MAX_DEPTH) -> Any:
    """The value as plain JSON types, strings cleaned.

    Args:
        value: what came from outside.
        what: its name in errors.
        depth: how deeply it may be nested.

    Raises:
        ValueError: it holds anything that JSON cannot hold.
    """
    if depth < 0:
        raise _Fault(f"The JSON of {what} is nested too deeply; at most {MAX_DEPTH} levels are possible.")
    if type(value) is dict:
        return _plain_object(value, what, depth)
    if isinstance(value, str):
        return clean(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        if value.bit_length() > MAX_INTEGER_BITS:
            raise _Fault(f"A number of {what} has too many digits.")
        return int(value)
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise _Fault(f"A number of {what} is not finite.")
        return float(value)
    if isinstance(value, Mapping):
        return _plain_object(value, what, depth)
    if isinstance(value, list | tuple):
        return [plain_json(part, what, depth - 1) for part in value]
    raise _Fault(f"A value of {what} is a {type(value).__name__}; expected a JSON value.")


def _plain_object(value: Mapping[Any, Any], what: str, depth: int) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for key, part in value.items():
        # Most keys and values are plain words, which need no look.
        if type(key) is not str or not key.isascii():
            if not isinstance(key, str):
                raise _Fault(f"A key of {what} is a {_json_type(key)}; JSON keys are strings.")
            key = clean(key)
        ready = part.isascii() if type(part) is str else part is None or type(part) is bool
        plain[key] = part if ready and depth else plain_json(part, what, depth - 1)
    return plain


def _parse_openai(message: Mapping[Any, Any]) -> ParsedAction:
    role = message.get("role", "assistant")
    if role != "assistant":
        raise _Fault(f"The message has role {role!r}; an action is a message of role 'assistant'.")
    if not any(key in message for key in ("role", "content", "tool_calls")):
        raise _Fault("The object has neither role nor content nor tool_calls; expected an OpenAI assistant message.")
    content = message.get("content")
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, Mapping) and part.get("type") == "text"]
        content = "".join(text for text in texts if isinstance(text, str))
    if content is not None and not isinstance(content, str):
        raise _Fault(f"The content is a {_json_type(content)}; expected text.")
    content = clean(content or "")
    listed = message.get("tool_calls")
    if not listed:
        parsed = _parse_text(content)
    else:
        parsed = _from_calls(content, list(_openai_calls(listed)))
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    if isinstance(reasoning, str) and reasoning and not parsed.thought:
        return ParsedAction(parsed.raw, parsed.content, parsed.calls, clean(reasoning), parsed.fault)
    return parsed


def _openai_calls(listed: object) -> Iterable[ToolCall]:
    if not isinstance(listed, list | tuple):
        raise _Fault(f"tool_calls is a {_json_type(listed)}; expected a list.")
    for number, entry in enumerate(listed, start=1):
        function = entry.get("function") if isinstance(entry, Mapping) else None
        if not isinstance(function, Mapping):
            raise _Fault(f"tool_calls[{number - 1}] has no 'function' object with name and arguments.")
        yield _call(function.get("name"), function.get("arguments", {}), f"tool call {number}")


def _from_calls(content: str, calls: Iterable[ToolCall]) -> ParsedAction:
    checked = tuple(_call(call.name, call.arguments, f"tool call {n}") for n, call in enumerate(calls, start=1))
    if not checked:
        return _parse_text(clean(content))
    if len(checked) > MAX_CALLS:
        raise _Fault(f"More than {MAX_CALLS} tool calls in one action; send them in several actions.")
    text = clean(content)
    raw = "\n".join([*([text] if text else []), *(call.to_text() for call in checked)])
    if len(raw) > MAX_ACTION_CHARS:
        raise _Fault(f"The action has {len(raw)} characters; at most {MAX_ACTION_CHARS} are possible.")
    visible, thought = _split_thoughts(text)
    return ParsedAction(raw, visible, checked, thought)


def _json_type(value: object) -> str:
    names = {dict: "object", list: "list", str: "string", int: "number", float: "number", bool: "boolean"}
    return "null" if value is None else names.get(type(value), type(value).__name__)
