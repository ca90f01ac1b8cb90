from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_gym.state import Workspace, World
from pi_gym.tools import GENERAL, ToolContext
from pi_gym.tools.registry import MAX_RESULT_CHARS
from pi_gym.types import ToolCall

FILES = {
    "a.md": b"one\ntwo\nthree\n",
    "n/b.md": "été\n".encode(),
    "n/deep/c.txt": b"",
    "bin": b"\0\1",
    "crlf.txt": b"x\r\ny\r\n",
    "memory/HISTORY.md": b"log",
}


def make(files: dict[str, bytes] = FILES) -> ToolContext:
    return ToolContext(World(Workspace(files)), "/w", protected=("memory/HISTORY.md",))


def run(context: ToolContext, tool: str, **arguments: Any) -> str:
    result = GENERAL.run(ToolCall(tool, arguments), context)
    assert result.ok, result.text
    return result.text


def refused(context: ToolContext, tool: str, **arguments: Any) -> str:
    before = context.world.state_hash()
    result = GENERAL.run(ToolCall(tool, arguments), context)
    assert not result.ok
    assert context.world.state_hash() == before
    return result.text


def test_read_gives_the_text_as_it_is() -> None:
    context = make()
    assert run(context, "read_file", path="a.md") == "one\ntwo\nthree\n"
    assert run(context, "read_file", path="/w/n/b.md") == "été\n"
    assert run(context, "read_file", path="n/deep/c.txt") == "[the file is empty]"
    assert run(context, "read_file", path="bin") == "bin: binary file, 2 bytes"


def test_read_pages_by_lines() -> None:
    context = make()
    assert run(context, "read_file", path="a.md", limit=1) == "one\n[lines 1 to 1 of 3; go on with offset=1]"
    assert run(context, "read_file", path="a.md", offset=1) == "two\nthree\n"
    assert "has 3 lines, so offset 3" in refused(context, "read_file", path="a.md", offset=3)
    assert "0 or more" in refused(context, "read_file", path="a.md", offset=-1)
    assert "1 or more" in refused(context, "read_file", path="a.md", limit=0)


@settings(deadline=None)
@given(st.lists(st.sampled_from(["", "x", "y" * 7_000, "z" * 20_000]), max_size=6), st.booleans())
def test_following_the_notes_reads_the_whole_file(lines: list[str], end: bool) -> None:
    text = "\n".join(lines) + ("\n" if end else "")
    context = make({"f": text.encode()})
    seen = ""
    arguments: dict[str, Any] = {"path": "f"}
    while text:
        page = run(context, "read_file", **arguments)
        assert len(page) <= MAX_RESULT_CHARS
        body, _, note = page.rpartition("\n[")
        if "; go on with " not in note:
            assert seen + page == text
            return
        following = dict(part.split("=") for part in note[:-1].split("go on with ")[1].split(", "))
        seen += body if "column" in following else body + "\n"
        arguments = {"path": "f", **{key: int(value) for key, value in following.items()}}


def test_read_errors_say_what_to_do() -> None:
    context = make()
    assert "'a.md' exists: names are case-sensitive" in refused(context, "read_file", path="A.MD")
    assert "The directory 'n' holds: b.md, deep/." in refused(context, "read_file", path="n/x.md")
    assert "list_dir shows" in refused(context, "read_file", path="n")
    assert "outside the workspace" in refused(context, "read_file", path="/etc/passwd")


def test_write_creates_parents_and_overwrites() -> None:
    context = make()
    assert run(context, "write_file", path="x/y/z.md", content="é") == "Created x/y/z.md (2 bytes)."
    assert run(context, "write_file", path="x/y/z.md", content="") == "Overwrote x/y/z.md (0 bytes)."
    assert context.workspace.read("x/y/z.md") == b""


def test_write_errors_say_what_to_do() -> None:
    context = make()
    assert "is a directory" in refused(context, "write_file", path="n", content="")
    assert "is a file, not a directory" in refused(context, "write_file", path="a.md/x", content="")
    assert "differs only in case from the existing 'a.md'" in refused(context, "write_file", path="A.md", content="")
    assert "read-only" in refused(context, "write_file", path="memory/HISTORY.md", content="")
    assert "at most 4000000" in refused(context, "write_file", path="x", content="x" * 4_000_001)
    assert "root is a directory" in refused(context, "write_file", path=".", content="x")


def test_edit_replaces_the_one_match() -> None:
    context = make()
    assert run(context, "edit_file", path="a.md", old_text="two\n", new_text="") == "Edited a.md (line 2)."
    assert context.workspace.read("a.md") == b"one\nthree\n"
    assert run(context, "edit_file", path="crlf.txt", old_text="x\r\ny", new_text="z")
    assert context.workspace.read("crlf.txt") == b"z\r\n"


def test_edit_errors_say_what_to_do() -> None:
    context = make({**FILES, "many": b"ab\nab\nab\n", "over": b"aaa"})
    assert "occurs 3 times in 'many' (lines 1, 2, 3)" in refused(
        context, "edit_file", path="many", old_text="ab", new_text=""
    )
    assert "occurs 2 times" in refused(context, "edit_file", path="over", old_text="aa", new_text="b")
    assert "closest line is line 3: 'three'" in refused(
        context, "edit_file", path="a.md", old_text="\nthrree", new_text=""
    )
    assert "copy the text exactly" in refused(context, "edit_file", path="a.md", old_text="zzzzzz", new_text="")
    assert "end with \\r\\n" in refused(context, "edit_file", path="crlf.txt", old_text="x\ny", new_text="")
    assert "old_text is empty" in refused(context, "edit_file", path="a.md", old_text="", new_text="x")
    assert "nothing to change" in refused(context, "edit_file", path="a.md", old_text="one", new_text="one")
    assert "binary file" in refused(context, "edit_file", path="bin", old_text="a", new_text="b")
    assert "'a.md' exists" in refused(context, "edit_file", path="A.md", old_text="a", new_text="b")
    assert "read-only" in refused(context, "edit_file", path="memory/HISTORY.md", old_text="log", new_text="x")


def test_list_shows_directories_and_sizes_in_order() -> None:
    context = make()
    assert run(context, "list_dir") == ("a.md (14 bytes)\nbin (2 bytes)\ncrlf.txt (6 bytes)\nmemory/\nn/")
    assert run(context, "list_dir", path="n", recursive=True) == "b.md (6 bytes)\ndeep/\ndeep/c.txt (0 bytes)"
    context.workspace.make_folder("empty")
    assert run(context, "list_dir", path="empty") == "['empty' is empty]"


def test_list_is_capped_with_a_note() -> None:
    context = make({f"{i:04}-{'x' * 60}": b"" for i in range(900)})
    assert "[only the first 5 entries; raise max_entries" in run(context, "list_dir", max_entries=5)
    text = run(context, "list_dir", max_entries=1_000)
    assert len(text) <= MAX_RESULT_CHARS
    assert text.endswith("entries; list a subdirectory or use glob]")


def test_list_errors_say_what_to_do() -> None:
    context = make()
    assert "read_file shows" in refused(context, "list_dir", path="a.md")
    assert "'n' exists" in refused(context, "list_dir", path="N")
    assert "between 1 and 1000" in refused(context, "list_dir", max_entries=0)
