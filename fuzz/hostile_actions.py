"""Hostile actions: what an agent may send by accident, by malice or in millions, drawn from a seed."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from hostile_texts import HOSTILE

from pi_gym.session.protocol import Session
from pi_gym.tools import Operation
from pi_gym.types import Message, ToolCall

PATHS = [
    "", ".", "..", "/", "a", "a/b", "shape.txt", "shape.txt/x", "memory/HISTORY.md", "memory/MEMORY.md", "~", "a\0b",
]  # fmt: skip
ODD_PATHS = [
    "../" * 5 + "etc/passwd", "/home/ada/workspace/x", "a" * 300, "/".join("a" * 60), "C:\\x", "a//b/./c", "\ud800",
]  # fmt: skip
TAGS = ["<tool_call>", "</tool_call>", "<think>", "</think>", "=== user ===\n", "[environment]", "\n", "\x00", "?"]
JSON_PIECES = [*'{}[]",:\\-', "\\u", "\\ud800", "null", '{"name": "glob"', '"arguments": {}', "NaN", "1e999"]
#: Texts of megabytes are made of one of these, again and again.
UNITS = [
    "? ", "- a\n", ". ", "1. a?\n", "a?\n\n", "# a\n", "> a\n", "\n", "\r", "x", " ", '"', "`", "*", "**/", "[", "(a",
    "a|", '{"a":', "| a | b |\n", "a,b\n", "a: 1\n", "<tool_call>", "</tool_call>", "<think>", "</think>", "<!--",
    "```\n", "=== user ===\n", "=\n", "\ud800", "\ud83d\ude00", "\U0001f600", "é", "e\u0301", "İ", "\u200b", "\0",
    "../", "a/", "9", "\\", "2026-03-01 ", "€1,000.00 ", "How many decimals do you want? ", "let me know ",
]  # fmt: skip
MOST_CHARS = 2_300_000
_PATTERNS = [
    "*", "**", "**/*", "[", "[!a]", "{a,b", "(", "(a+)+$", "\\", "a{99999}", "(?i)x", ".*", "^$", "[[:alpha:]]", "\\d",
]  # fmt: skip
_TIMES = [
    "2026-03-01", "2026-02-30", "2026-03-02T10:20", "2026-03-02 10:20:00", "0001-01-01T00:00:00", "9999-12-31T23:59:59",
    "2026-03-29T02:30:00+02:00", "10:20", "tomorrow", "* * * * *", "*/0 * * * *", "0 0 31 2 *", "60 * * * *",
    "Europe/Berlin", "Mars/Base",
]  # fmt: skip
_ADDRESSES = [
    "a@b.example", "@", "a@b@c", "ada", "5550142001", "+1 555", "http://[::1]/", "https://a.example:99999/", "http://",
    "a" * 1_995, "http://a/" + "é" * 1_900, "http://[fe80::1%eth0]/", "ftp://x", "javascript:1", "//x", "xn--", "http://é/",
]  # fmt: skip
_SAYINGS = [
    "Which format should the table have?", "How many decimals do you want?", "Who should get it, and by when?",
    "Anything else?", "Done.", "", "I wrote it.", "Tell me which one you prefer.", "A or B?", "On it.",
]  # fmt: skip
_INTEGERS = [0, 1, 2, 3, 5, 10, -1, 100, 100_001, 2**31, 2**62, -(2**63), 2**70]
_FLOATS = [0.0, -0.0, 0.01, 1.5, -3.25, 99.99, 1e9, 1e300, 5e-324, float("nan"), float("inf"), -float("inf")]
_ACCOUNT = re.compile(r"^- (\w+): username (\S+), password (\S+)$", re.MULTILINE)
_SEEN = re.compile(r'"([^"\n]{1,60})"|\b(\d{1,9})\b')
_NAMED = re.compile(r'"(\w+)": (?:"([^"\n]{1,60})"|(\d{1,9})\b)')
_KEPT_VALUES = 120


class HostileAgent:
    """Draws actions for one session: calls of its tools with values that it has seen or that are odd, and worse.

    Args:
        draw: where everything is drawn from.
        session: the live session, of any family.
        huge: the share of actions that are megabytes long.
    """

    def __init__(self, draw: random.Random, session: Session, huge: float = 0.01) -> None:
        self.draw, self.session, self.huge = draw, session, huge
        self.operations = list(session.registry)
        # Most calls of a session go to one app: only so do they come to what lies deeper.
        app = draw.choice(sorted({one.name.partition("__")[0] for one in self.operations if "__" in one.name} or {""}))
        self.favoured = [one for one in self.operations if one.name.startswith(f"{app}__")] or self.operations
        self.seen: list[Any] = []
        self.named: dict[str, list[Any]] = {}
        self.files = [path for path, _ in session.world.workspace.walk()][:60]
        self.accounts = _ACCOUNT.findall(session.messages[0].content)
        self._kinds: list[tuple[float, Callable[[], Any]]] = [
            (0.62, self.calls),
            (0.08, lambda: self.draw.choice(_SAYINGS)),
            (0.06, self.words),
            (0.06, self.broken_text),
            (0.05, self.openai_message),
            (0.05, self.objects),
            (0.04, self.mutated_text),
            (0.04, lambda: self.tree(3)),
        ]

    def sign_ins(self) -> list[ToolCall]:
        """A call for each account that the system message tells."""
        names = self.session.registry.names
        return [
            ToolCall(f"{app}__login", {"username": user, "password": password})
            for app, user, password in self.accounts
            if f"{app}__login" in names
        ]

    def look(self) -> None:
        """Keep some values of what the last step brought: ids, names and paths lead deeper."""
        if self.session.step is None:
            return
        for message in self.session.step.messages[1:]:
            said = message.content[:4_000]
            self.seen += [int(number) if number else text for text, number in _SEEN.findall(said)[:40]]
            for name, text, number in _NAMED.findall(said)[:60]:
                values = self.named.setdefault(name, [])
                values.append(int(number) if number else text)
                del values[:-20]
        del self.seen[:-_KEPT_VALUES]

    def action(self) -> Any:
        """The next action."""
        if self.draw.random() < self.huge:
            return self.huge_action()
        kinds = self._kinds
        return self.draw.choices([make for _, make in kinds], [share for share, _ in kinds])[0]()

    # -- actions ---------------------------------------------------------------------------------------------------

    def calls(self) -> Any:
        """One call, or a few, as text or as objects."""
        found = [self.call() for _ in range(self.draw.choice((1, 1, 1, 1, 2, 3)))]
        kind = self.draw.random()
        if kind < 0.1:
            return found[0]
        if kind < 0.2:
            return found
        try:
            text = "\n".join(call.to_text() for call in found)
        except (TypeError, ValueError):  # a value that JSON does not have
            return found
        return text if kind < 0.9 else f"<think>{self.text()}</think>{self.text()}{text}"

    def call(self) -> ToolCall:
        """A call of an offered tool; now and then with arguments that are none, or of a tool that is not there."""
        draw = self.draw
        if draw.random() < 0.03:
            return ToolCall(draw.choice(["", "nothing", "READ_FILE", "exec ", "__login", self.wild()]), self.tree(2))
        operation = draw.choice(self.favoured if draw.random() < 0.6 else self.operations)
        properties, required = _parameters(operation)
        if draw.random() < 0.4:  # as a good agent would: only so does the next one find something
            wanted = [name for name in properties if name in required or draw.random() < 0.1]
            return ToolCall(operation.name, {name: self.fitting(properties[name], name) for name in wanted})
        arguments: Any = {
            name: self.value(schema, name)
            for name, schema in properties.items()
            if (name in required and draw.random() < 0.97) or draw.random() < 0.3
        }
        odd = draw.random()
        if odd < 0.02:
            arguments[self.wild()] = self.tree(1)
        elif odd < 0.03:
            arguments = self.tree(2)
        return ToolCall(operation.name, arguments)

    def words(self) -> str:
        """A reply."""
        parts = (self.draw.choice([self.text, self.wild, lambda: self.draw.choice(_SAYINGS)])() for _ in range(3))
        return self.draw.choice([" ", "\n", "\n\n", "\n- "]).join(map(str, parts))

    def broken_text(self) -> str:
        """Pieces of the action syntax in no order."""
        draw = self.draw
        text = "".join(draw.choice([*TAGS, *JSON_PIECES, self.wild()]) for _ in range(draw.randint(1, 12)))
        return f"<tool_call>{text}</tool_call>" if draw.random() < 0.4 else text

    def mutated_text(self) -> str:
        """A good action with something cut out, doubled or put in."""
        draw, action = self.draw, self.calls()
        text = action if isinstance(action, str) else shown(action)
        for _ in range(draw.randint(1, 3)):
            at, to = sorted((draw.randint(0, len(text)), draw.randint(0, len(text))))
            put = draw.choice(["", text[at:to] * 2, self.wild(), draw.choice([*TAGS, *JSON_PIECES])])
            text = text[:at] + put + text[to:]
        return text[:100_000]

    def openai_message(self) -> dict[Any, Any]:
        """A chat message, in form or not."""
        draw = self.draw
        calls: Any = [
            {"function": {"name": call.name, "arguments": draw.choice([_json_or_text(call.arguments), self.tree(2)])}}
            for call in [self.call() for _ in range(draw.randint(0, 2))]
        ]
        parts = {
            "role": draw.choice(["assistant"] * 4 + ["user", None]),
            "content": draw.choice([self.words(), None, [{"type": "text", "text": self.text()}], self.tree(2)]),
            "tool_calls": draw.choice([calls, calls, calls, self.tree(2), None]),
            "reasoning_content": self.tree(1),
            self.wild(): self.tree(1),
        }
        return {name: value for name, value in parts.items() if draw.random() < 0.7}

    def objects(self) -> Any:
        """Objects of ours."""
        calls = tuple(self.call() for _ in range(self.draw.randint(0, 3)))
        role = self.draw.choice(["assistant", "assistant", "user"])
        message: Any = Message(role, self.words(), calls)
        return self.draw.choice([message, list(calls), [*calls, None]])

    def huge_action(self) -> Any:
        """Some megabytes, as a reply, in a block, in an argument, or in many."""
        draw = self.draw
        text = self.huge_text()
        kind = draw.random()
        if kind < 0.3:
            return text
        if kind < 0.4:
            return f"<tool_call>{text}</tool_call>"
        if kind < 0.5:
            return {
                "role": "assistant",
                "content": draw.choice([text, ""]),
                "tool_calls": [{"function": {"name": text}}],
            }
        operation = draw.choice(self.operations)
        properties, required = _parameters(operation)
        strings = [name for name, schema in properties.items() if "string" in json.dumps(schema)]
        arguments = {name: self.value(properties[name], name) for name in required}
        if strings:
            name = draw.choice(strings)
            lists = "array" in json.dumps(properties[name])
            arguments[name] = [text[:9]] * draw.randint(1, len(text) // 8 + 1) if lists else text
        return ToolCall(operation.name, arguments)

    def huge_text(self) -> str:
        """A text of 20 kB to more than an action may have."""
        size = int(20_000 * (MOST_CHARS / 20_000) ** self.draw.random())
        unit = self.draw.choice(UNITS)
        return (unit * (size // len(unit) + 1))[:size]

    # -- values ----------------------------------------------------------------------------------------------------

    def value(self, schema: Mapping[str, Any], name: str = "") -> Any:
        """A value for a parameter: mostly of its type."""
        draw = self.draw
        if draw.random() < 0.04:
            return self.tree(2)
        if "enum" in schema:
            return draw.choice(schema["enum"])
        known = self._known(name)
        if known and schema.get("type") != "array" and draw.random() < 0.6:
            return draw.choice(known)
        if "anyOf" in schema:
            return self.value(draw.choice(schema["anyOf"]), name)
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = draw.choice(kind)
        if kind == "integer":
            numbers = [value for value in self.seen if isinstance(value, int)]
            return draw.choice(numbers) if numbers and draw.random() < 0.6 else draw.choice(_INTEGERS)
        if kind == "number":
            return draw.choice([*_FLOATS, 12, 3.5])
        if kind == "boolean":
            return draw.random() < 0.5
        if kind == "array":
            return [self.value(schema.get("items", {}), name) for _ in range(draw.choice((0, 1, 1, 2, 3)))]
        if kind == "object":
            return self.tree(2)
        if kind == "null":
            return None
        if "path" in name and draw.random() < 0.8:
            return self.path()
        return self.text()

    def fitting(self, schema: Mapping[str, Any], name: str) -> Any:
        """A value of a parameter's type that may well be right."""
        draw, kind = self.draw, schema.get("type")
        if isinstance(kind, list):
            kind = kind[0]
        if "enum" in schema:
            return draw.choice(schema["enum"])
        if kind == "array":
            return [self.fitting(schema.get("items", {}), name)]
        if kind == "boolean":
            return draw.random() < 0.5
        if known := self._known(name):
            return draw.choice(known)
        if kind in ("integer", "number"):
            return draw.randint(1, 12)
        if "path" in name:
            return draw.choice([*self.files, "out.txt", "a/b.csv", "~/c.md"])
        return draw.choice(
            ["Rye", "tea", "Friday", "notes", "2026-03-05", "2026-03-05T10:00:00", "09:30", "5550142002"]
        )

    def _known(self, name: str) -> list[Any]:
        """Values that results gave under a parameter's name."""
        names = (name, name.removesuffix("s"), name.removesuffix("es"), "email" if "email" in name else name)
        return next((self.named[one] for one in names if one in self.named), [])

    def path(self) -> str:
        """A path: one that is there, one beside it, or one that is none."""
        draw = self.draw
        kind = draw.random()
        if kind < 0.6 and self.files:
            path = draw.choice(self.files)
            return draw.choice([path, path, path, path.rpartition("/")[0], f"{path}/x", f"~/{path}", path.upper()])
        return draw.choice(["out.txt", "a.csv", "b.json", "c.ipynb", "d.yaml", *PATHS, *ODD_PATHS])

    def text(self) -> str:
        """A text for a parameter."""
        draw = self.draw
        kind = draw.random()
        if kind < 0.35 and self.seen:
            return str(draw.choice(self.seen))
        listed = draw.choice((_PATTERNS, _TIMES, _ADDRESSES, _SAYINGS, HOSTILE, PATHS, ODD_PATHS, JSON_PIECES, TAGS))
        return draw.choice(listed) if kind < 0.9 else self.wild()

    def wild(self) -> str:
        """Any signs that a Python text can hold, lone surrogates among them."""
        draw = self.draw
        ranges = ((0, 0x7F), (0, 0x2FF), (0x2000, 0x206F), (0xD800, 0xDFFF), (0xFE00, 0xFFFF), (0, 0x10FFFF))
        low, high = draw.choice(ranges)
        return "".join(chr(draw.randint(low, high)) for _ in range(draw.randint(0, 12)))

    def tree(self, depth: int) -> Any:
        """Any value, nested or not; some are no JSON."""
        draw = self.draw
        kind = draw.random()
        if depth and kind < 0.2:
            return [self.tree(depth - 1) for _ in range(draw.randint(0, 3))]
        if depth and kind < 0.45:
            keys = ["path", "content", "name", "arguments", "pattern", "question", self.wild()]
            return {draw.choice(keys): self.tree(depth - 1) for _ in range(draw.randint(0, 3))}
        scalars: list[Any] = [None, True, b"\xff", 10**4_500, object, self.text(), *_INTEGERS[:4], *_FLOATS]
        return draw.choice(scalars)


@cache
def _parameters(operation: Operation) -> tuple[Mapping[str, Any], frozenset[str]]:
    parameters = operation.schema()["function"]["parameters"]
    return parameters["properties"], frozenset(parameters["required"])


def _json_or_text(arguments: Any) -> str:
    try:
        return json.dumps(arguments)
    except (TypeError, ValueError):
        return shown(arguments)[:1_000]


def shown(action: Any) -> str:
    """An action for people; Python has no text for some numbers."""
    try:
        return repr(action)
    except ValueError:
        return f"<{type(action).__name__}>"
