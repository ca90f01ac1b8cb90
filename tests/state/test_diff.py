from __future__ import annotations

import random
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_gym.state import Workspace
from pi_gym.state.diff import MAX_BLOCK_LINES, align, unified_diff


def diff(before: dict[str, bytes], after: dict[str, bytes], **options: int) -> str:
    old = Workspace(before)
    new, mark = old.fork(), old.mark()
    for path in before:
        if path not in after:
            new.delete(path)
    for path, data in after.items():
        new.write(path, data)
    return unified_diff(old, new, new.changes(mark), **options)


def lines_of(text: str) -> list[str]:
    parts = [line + "\n" for line in text.split("\n")]
    last = parts.pop()[:-1]
    return [*parts, last] if last else parts


def patched(files: dict[str, bytes], patch: str) -> dict[str, bytes]:
    """What a strict patch program makes of the files: every context and removed line must be there."""
    result = {path: data.decode() for path, data in files.items()}
    lines = lines_of(patch)
    position = 0
    while position < len(lines):
        assert lines[position].startswith("--- ")
        source, target = lines[position][4:-1], lines[position + 1][4:-1]
        position += 2
        old = [] if source == "/dev/null" else lines_of(result[source[2:]])
        new: list[str] = []
        at = 0
        while position < len(lines) and lines[position].startswith("@@ "):
            numbers = lines[position].split()
            start, count = (int(number) for number in numbers[1][1:].split(","))
            new_start, new_count = (int(number) for number in numbers[2][1:].split(","))
            position += 1
            begin = start - 1 if count else start
            new += old[at:begin]
            at = begin
            assert len(new) == (new_start - 1 if new_count else new_start)
            seen_old = seen_new = 0
            while seen_old < count or seen_new < new_count:
                sign, body = lines[position][0], lines[position][1:]
                position += 1
                if position < len(lines) and lines[position].startswith("\\ No newline"):
                    body = body[:-1]
                    position += 1
                if sign in " -":
                    assert old[at] == body
                    at, seen_old = at + 1, seen_old + 1
                if sign in " +":
                    new.append(body)
                    seen_new += 1
            assert (seen_old, seen_new) == (count, new_count)
        text = "".join(new + old[at:])
        if target == "/dev/null":
            assert text == ""
            del result[source[2:]]
        else:
            result[target[2:]] = text
    return {path: text.encode() for path, text in result.items()}


LINE = st.sampled_from(["a", "b", "c", "", " ", "+", "-x", "@@ -1 +1 @@", "é", "x\r", "\x0bq", "z\u2028"])
TEXT = st.builds(
    lambda lines, end: ("\n".join(lines) + end).encode(), st.lists(LINE, max_size=30), st.sampled_from(["", "\n"])
)
FILES = st.dictionaries(st.sampled_from(["a.md", "a-b.md", "n/b.md", "n/c d.txt"]), TEXT, max_size=4)


@settings(deadline=None)
@given(FILES, FILES)
def test_diff_applies_back(before: dict[str, bytes], after: dict[str, bytes]) -> None:
    text = diff(before, after)
    assert patched(before, text) == after
    assert (text == "") == (before == after)


@settings(deadline=None)
@given(st.lists(LINE, max_size=25), st.lists(LINE, max_size=25))
def test_alignment_is_a_shortest_edit_path(before: list[str], after: list[str]) -> None:
    spans = align(before, after)
    table = [[0] * (len(after) + 1) for _ in range(len(before) + 1)]
    for i, left in enumerate(before):
        for j, right in enumerate(after):
            table[i + 1][j + 1] = table[i][j] + 1 if left == right else max(table[i][j + 1], table[i + 1][j])
    longest = table[-1][-1]
    assert sum(span[1] - span[0] for span in spans) == len(before) - longest
    assert sum(span[3] - span[2] for span in spans) == len(after) - longest


def test_small_edit_shows_three_lines_of_context() -> None:
    old = "".join(f"line {i}\n" for i in range(1, 21)).encode()
    assert diff({"x": old}, {"x": old.replace(b"line 10\n", b"new\n")}) == (
        "--- a/x\n+++ b/x\n@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-line 10\n+new\n line 11\n line 12\n line 13\n"
    )


def test_created_and_deleted_files_name_dev_null() -> None:
    assert diff({}, {"x": b"a"}) == "--- /dev/null\n+++ b/x\n@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file\n"
    assert diff({"x": b"a\n"}, {}) == "--- a/x\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n"
    assert diff({}, {"x": b""}) == "--- /dev/null\n+++ b/x\n"


def test_binary_files_are_named_only() -> None:
    assert diff({"x": b"\0abc"}, {"x": b"\xff"}) == "Binary file x changed (4 bytes -> 1 bytes)\n"
    assert diff({"x": b"text"}, {"x": b"\0"}) == "Binary file x changed (4 bytes -> 1 bytes)\n"


def test_long_diffs_are_cut_with_a_note() -> None:
    after = {f"f{i}": b"some text here\n" * 20 for i in range(10)}
    text = diff({}, after, max_chars=2_000)
    assert len(text) <= 2_000
    assert text.endswith("[diff cut here; not shown: the rest of this file and 4 more changed files]\n")
    assert len(diff({}, {"x": b"y" * 100_000}, max_chars=500)) <= 500


def test_large_replacement_is_one_capped_block() -> None:
    old = "".join(f"old {i}\n" for i in range(1_000)).encode()
    new = "".join(f"new {i}\n" for i in range(900)).encode()
    text = diff({"x": b"head\n" + old + b"tail\n"}, {"x": b"head\n" + new + b"tail\n"})
    assert "@@ -1,1002 +1,902 @@\n head\n-old 0\n" in text
    assert f"\\ {1_000 - MAX_BLOCK_LINES} more removed lines not shown\n+new 0\n" in text
    assert text.endswith(f"\\ {900 - MAX_BLOCK_LINES} more added lines not shown\n tail\n")


def test_long_lines_are_shortened_on_both_sides() -> None:
    text = diff({"x": b"a" * 50_000}, {"x": b"a" * 50_000 + b"b"})
    assert "-aaa" in text
    assert "+aaa" in text
    assert "[48001 more characters]" in text


def test_one_line_edit_in_a_large_file_is_cheap() -> None:
    data = "".join(f"{i}: some words that make a line of ordinary length\n" for i in range(20_000)).encode()
    old = Workspace({"x": data})
    new, mark = old.fork(), old.mark()
    new.write("x", data.replace(b"\n10000: some", b"\n10000: other"))
    changes = new.changes(mark)
    best = 1.0
    for _ in range(5):
        start = time.process_time()
        text = unified_diff(old, new, changes)
        best = min(best, time.process_time() - start)
    assert text.count("\n") == 11
    assert best < 0.01  # measured far below; the bound leaves room for a busy machine


def test_hostile_lines_do_not_blow_up() -> None:
    stream = random.Random(0)
    pairs = [
        (["x"] * 600, ["x", "y"] * 300),
        (stream.choices("ab", k=600), stream.choices("ab", k=600)),
        (["x"] * 300 + ["y"] * 300, ["y"] * 300 + ["x"] * 300),
    ]
    start = time.process_time()
    for before, after in pairs:
        for span in align(before, after):
            assert before[span[0] : span[1]] != after[span[2] : span[3]]
    assert time.process_time() - start < 2
