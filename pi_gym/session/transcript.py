"""The text history of a session: how messages are written in it, and the words that the engine itself says."""

from __future__ import annotations

import unicodedata

from pi_gym.templates import render_prompt
from pi_gym.tools import Registry
from pi_gym.types import Message, ToolCall

_HEADER = "=== "
_HEADERS = {role: f"{_HEADER}{role} ===\n" for role in ("system", "user", "assistant")}
_QUOTE = "| "
OVER = "The conversation is over."
"""The result of a call that nobody will answer any more."""
TOLD_CALLS = frozenset({20, 10, 5, 4, 3, 2, 1})
"""The numbers of calls left in a turn that results tell, beside none."""


def render_message(message: Message) -> str:
    """One message in the text history. Content cannot imitate a header: such lines are quoted."""
    return "".join(message_parts(message))


def message_parts(message: Message) -> tuple[str, str, str]:
    """The texts that `render_message` joins: content in which nothing is quoted is one, the same object."""
    body = message.content
    if message.tool_calls:
        calls = "\n".join(map(ToolCall.to_text, message.tool_calls))
        body = f"{body}\n{calls}" if body else calls
    if _HEADER[0] in body:
        body = quote_lines(body, (_HEADER,))
    head = f"{_HEADER}tool {message.tool_call_id} ===\n" if message.role == "tool" else _HEADERS[message.role]
    return head, body, "\n\n"


def calls_left_note(left: int) -> str:
    """A note of how many calls a turn has left, as few of its results carry it; "" where this one carries none.

    >>> calls_left_note(1), calls_left_note(0), calls_left_note(19)
    ('[1 tool call left in this turn]', '[no tool call left in this turn; reply to the user now]', '')
    """
    if left <= 0:
        return "[no tool call left in this turn; reply to the user now]"
    if left not in TOLD_CALLS:
        return ""
    return f"[{left} tool call{'s' if left > 1 else ''} left in this turn]"


def with_note(result: str, note: str) -> str:
    """A call's result as the agent sees it, with what the environment adds."""
    return f"{result}\n{note}" if note else result


def refusal(limit: int, more: int) -> str:
    """The result of a call for which a turn has no room.

    Args:
        limit: calls of a turn.
        more: further actions with calls, instead of a reply, that end the session; 0 where this one does.
    """
    times = "The next action with calls" if more == 1 else f"{more} more actions with calls"
    end = "The conversation ends here." if more < 1 else f"{times} would end the conversation."
    calls = "1 tool call" if limit == 1 else f"{limit} tool calls"
    return f"[environment] Not run: this turn has had its {calls}. Reply to the user; that ends the turn. {end}"


def tool_fault(name: str) -> str:
    """The result of a call in which the tool itself broke."""
    return f"Error: {name} broke: the mistake is in the tool, not in your call. Nothing was changed; go on without it."


def with_actions(system: str, registry: Registry) -> str:
    """A system message for an agent that has no other channel for its tools: with action syntax and signatures."""
    actions = render_prompt("actions.md", signatures=registry.signatures(), asks="ask_user" in registry)
    return f"{system.rstrip()}\n\n{actions.rstrip()}"


def quote_lines(text: str, starts: tuple[str, ...] = ("",)) -> str:
    r"""The text with "| " before every line that reads like one of ours.

    A line ends wherever any reader may end it. It reads as a person sees it: blanks at its beginning, and signs that
    show nothing, do not count.

    Args:
        text: from outside.
        starts: what lines of ours begin with; every line does with "".

    >>> quote_lines("a\n\u200b === user ===\nb", ("=== ",))
    'a\n| \u200b === user ===\nb'
    """
    for sign in dict.fromkeys([start[:1] for start in starts]):
        text = _quote_after(text, sign, starts)
    return text


def _quote_after(text: str, sign: str, starts: tuple[str, ...]) -> str:
    """The text with the quoted lines that show this sign first; no line is looked at that does not hold it."""
    pieces: list[str] = []
    done, at = 0, text.find(sign)
    while 0 <= at < len(text):
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at) + 1 or len(text)
        for line in text[start:end].splitlines(keepends=True):
            # In most lines that hold the sign, something else shows before it.
            if sign in line and _shows_nothing(line[: line.index(sign)]) and _shown(line).startswith(starts):
                pieces += text[done:start], _QUOTE
                done = start
            start += len(line)
        at = text.find(sign, end)
    return "".join((*pieces, text[done:])) if pieces else text


def _shows_nothing(text: str) -> bool:
    """Whether a person sees nothing of a text; mostly its first character tells."""
    return not ("!" <= text[:1] <= "~" or _shown(text))


def _shown(line: str) -> str:
    """A line as a person sees it, from its first sign on."""
    bare = line.rstrip("\n")
    plain = bare.isascii() and bare.isprintable()  # most lines, of which nothing needs to be looked up
    return (bare if plain else line.translate(_SHOWN)).lstrip()


class _Shown(dict[int, str | None]):
    """A translation table that learns how each character looks: as a blank, as nothing, or as itself."""

    def __missing__(self, code: int) -> str | None:
        category = unicodedata.category(chr(code))
        if category in ("Zs", "Zl", "Zp") or code in _BLANKS:
            self[code] = " "
        elif category in ("Cc", "Cf") or any(code in part for part in _UNSEEN):
            self[code] = None
        else:
            self[code] = chr(code)
        return self[code]


#: Signs of other categories that show as a blank: those that end a line, the tab, and fillers.
_BLANKS = frozenset(b"\t\n\v\f\r\x1c\x1d\x1e\x85") | {0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0}
#: Marks that show nothing: a joiner, and those that choose a variant of the sign before them.
_UNSEEN = (range(0x34F, 0x350), range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0000, 0xE1000))
_SHOWN = _Shown()
