from __future__ import annotations

import re
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_gym.state import Workspace, World
from pi_gym.tools import GENERAL, ToolContext
from pi_gym.tools.registry import MAX_RESULT_CHARS
from pi_gym.types import ToolCall

FILES = {
    "a.md": b"alpha\nBeta\ngamma\nbeta\n",
    "n/b.md": "été\nbeta (x)".encode(),
    "n/c.txt": b"one\r\ntwo\r\n",
    "n/deep/d.md": b"",
    "bin": b"beta\0",
    "latin": b"beta \xe9\n",
}


def make(files: dict[str, bytes] = FILES) -> ToolContext:
    return ToolContext(World(Workspace(files)), "/w")


def run(context: ToolContext, tool: str, **arguments: Any) -> str:
    result = GENERAL.run(ToolCall(tool, arguments), context)
    assert result.ok, result.text
    return result.text


def refused(context: ToolContext, tool: str, **arguments: Any) -> str:
    result = GENERAL.run(ToolCall(tool, arguments), context)
    assert not result.ok
    return result.text


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"pattern": "*.md"}, "a.md\nn/b.md\nn/deep/d.md"),
        ({"pattern": "n/*.md"}, "n/b.md"),
        ({"pattern": "./n/*.md"}, "n/b.md"),
        ({"pattern": "/w/n/*.md"}, "n/b.md"),
        ({"pattern": "deep/*", "path": "n"}, "n/deep/d.md"),
        ({"pattern": "*", "path": "n", "entry_type": "dirs"}, "n/deep/"),
        ({"pattern": "n/*", "entry_type": "both"}, "n/b.md\nn/c.txt\nn/deep/"),
        ({"pattern": "N/*"}, "No match for 'N/*' in the workspace root."),
    ],
)
def test_glob_finds_paths_in_the_order_of_a_walk(arguments: dict[str, Any], expected: str) -> None:
    assert run(make(), "glob", **arguments) == expected


def test_glob_is_capped_with_a_note() -> None:
    context = make({f"{i:04}": b"" for i in range(50)})
    text = run(context, "glob", pattern="*", max_results=3)
    assert text == "0000\n0001\n0002\n[only the first 3 results; narrow the pattern or the path]"


def test_glob_errors_say_what_to_do() -> None:
    context = make()
    assert "leaves the searched directory" in refused(context, "glob", pattern="../*")
    assert "leaves the searched directory" in refused(context, "glob", pattern="/etc/*")
    assert "is a file; name a directory" in refused(context, "glob", pattern="*", path="a.md")
    assert "no directory 'x'" in refused(context, "glob", pattern="*", path="x")
    assert "between 1 and 1000" in refused(context, "glob", pattern="*", max_results=0)
    assert "pattern is empty" in refused(context, "glob", pattern="")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"pattern": "beta"}, "a.md:4:beta\nn/b.md:2:beta (x)"),
        ({"pattern": "beta", "case_insensitive": True, "path": "a.md"}, "a.md:2:Beta\na.md:4:beta"),
        ({"pattern": "beta (x)", "fixed_strings": True}, "n/b.md:2:beta (x)"),
        ({"pattern": "^é.é$"}, "n/b.md:1:été"),
        ({"pattern": "two$"}, "n/c.txt:2:two"),
        ({"pattern": "beta", "glob": "n/*"}, "n/b.md:2:beta (x)"),
        ({"pattern": "beta", "path": "n", "glob": "*.txt"}, "No match for 'beta'."),
        ({"pattern": "a$", "output_mode": "count"}, "a.md:4"),
        ({"pattern": "a", "output_mode": "files_with_matches"}, "a.md\nn/b.md"),
        ({"pattern": "alpha\\sBeta"}, "No match for 'alpha\\\\sBeta'."),
        ({"pattern": "Beta", "context_before": 1, "context_after": 1}, "a.md-1-alpha\na.md:2:Beta\na.md-3-gamma"),
        ({"pattern": "alpha|^beta$", "context_before": 0, "context_after": 1},
         "a.md:1:alpha\na.md-2-Beta\n--\na.md:4:beta"),
        ({"pattern": "", "path": "a.md", "fixed_strings": True}, None),
    ],
)  # fmt: skip
def test_grep_gives_lines(arguments: dict[str, Any], expected: str | None) -> None:
    context = make()
    if expected is None:
        assert "pattern is empty" in refused(context, "grep", **arguments)
    else:
        assert run(context, "grep", **arguments) == expected


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["a", "b", "ab", "", "ba"]), max_size=12),
    st.booleans(),
    st.sampled_from(["a", "ba", "^b", "b$", "ab|^$", "x*"]),
    st.integers(0, 2),
    st.integers(0, 2),
)
def test_grep_agrees_with_a_search_line_by_line(
    lines: list[str], end: bool, pattern: str, before: int, after: int
) -> None:
    text = "\n".join(lines) + ("\n" if end else "")
    lines = text.split("\n")[:-1] if text.endswith("\n") or not text else text.split("\n")
    hits = [i for i, line in enumerate(lines) if re.search(pattern, line)]
    shown = sorted({j for i in hits for j in range(i - before, i + after + 1) if 0 <= j < len(lines)})
    expected: list[str] = []
    for at, i in enumerate(shown):
        if (before or after) and at and shown[at - 1] != i - 1:
            expected.append("--")
        sign = ":" if i in hits else "-"
        expected.append(f"f{sign}{i + 1}{sign}{lines[i]}")
    result = run(make({"f": text.encode()}), "grep", pattern=pattern, context_before=before, context_after=after)
    assert result == ("\n".join(expected) or f"No match for {pattern!r}.")


def test_grep_is_capped_with_a_note() -> None:
    context = make({"f": b"x\n" * 500, "long": b"y" * 100_000, "g": b"x"})
    text = run(context, "grep", pattern="x", max_results=2)
    assert text == "f:1:x\nf:2:x\n[only the first 2 matching lines; narrow the pattern, the path or the glob]"
    assert len(run(context, "grep", pattern="y")) < 600
    wide = make({"f": b"z" * 400 + b"\n" + (b"z" * 400 + b"\n") * 100})
    assert len(run(wide, "grep", pattern="z")) <= MAX_RESULT_CHARS


def test_grep_errors_say_what_to_do() -> None:
    context = make()
    assert "cannot be read: missing ): (" in refused(context, "grep", pattern="(")
    assert "set fixed_strings" in refused(context, "grep", pattern=r"(a)\1")
    assert "line break" in refused(context, "grep", pattern="a\nb", fixed_strings=True)
    assert "no file or directory 'x'" in refused(context, "grep", pattern="a", path="x")
    assert "'a.md' exists" in refused(context, "grep", pattern="a", path="A.md")
    assert "between 0 and 50" in refused(context, "grep", pattern="a", context_after=51)
    assert "at most 1000" in refused(context, "grep", pattern="a" * 1_001)


def test_hostile_patterns_end_soon() -> None:
    context = make({"f": b"ab" * 1_000_000, "g": b"\n" * 2_000_000})
    start = time.process_time()
    for pattern in ("(a|b)*a(a|b){300}z", "((a*)*)*c", "(a.{500}){2}c", "^"):
        for mode in ("content", "count"):
            GENERAL.run(ToolCall("grep", {"pattern": pattern, "output_mode": mode}), context)
    assert time.process_time() - start < 10
