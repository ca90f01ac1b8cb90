"""The unified diff of a workspace: what changed, as a reader of patches expects it, at a bounded cost and length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from pi_gym.state.tree import Blob
from pi_gym.state.workspace import Changes, FilePair, Workspace

MAX_CHARS = 20_000
CONTEXT_LINES = 3
MAX_ALIGNED_LINES = 600
MAX_BLOCK_LINES = 200
MAX_LINE_CHARS = 2_000
MAX_EDITS = 400
_CHUNK_BYTES = 1 << 16
_NOTE_CHARS = 120

LineSpan: TypeAlias = tuple[int, int, int, int]
"""Lines before [from, to) that become lines after [from, to)."""

_NO_NEWLINE = "\n\\ No newline at end of file"


def unified_diff(before: Workspace, after: Workspace, changes: Changes, *, max_chars: int = MAX_CHARS) -> str:
    """The changes as a git-like unified diff, paths sorted, three lines of context.

    Args:
        before: the workspace at the mark that `changes` was made from.
        after: the workspace now.
        changes: the files that differ between the two.
        max_chars: the most characters to give; at least 500 are taken. What is left out is said in a last line.

    Returns:
        The diff, empty exactly where nothing changed. Binary files are only named. A changed stretch of more than
        `MAX_ALIGNED_LINES` lines, or one with too many small differences, is shown as one block that is replaced;
        lines that are not shown are counted in lines that begin with a backslash, as the missing newline is.
    """
    created, deleted = set(changes.created), set(changes.deleted)
    return diff_files(
        [
            (path, None if path in created else before.blob(path), None if path in deleted else after.blob(path))
            for path in changes.paths
        ],
        max_chars=max_chars,
    )


def diff_files(files: Sequence[FilePair], *, max_chars: int = MAX_CHARS) -> str:
    """The same of files that are at hand, sorted by path."""
    room = max(max_chars, 500) - _NOTE_CHARS
    parts: list[str] = []
    for index, (path, old, new) in enumerate(files):
        part = _file_diff(path, old, new, room)
        if len(part) > room:
            cut = part.rfind("\n", 0, room) + 1
            parts += part[:cut], _note(cut > 0, len(files) - index - (cut > 0))
            break
        parts.append(part)
        room -= len(part)
    return "".join(parts)


def _note(begun: bool, unseen: int) -> str:
    missing = ["the rest of this file"] if begun else []
    if unseen:
        missing.append(f"{unseen} more changed file{'s' if unseen > 1 else ''}")
    return f"[diff cut here; not shown: {' and '.join(missing)}]\n"


def _file_diff(path: str, old: Blob | None, new: Blob | None, room: int) -> str:
    if (old is not None and old.text is None) or (new is not None and new.text is None):
        sizes = f"{len(old.data) if old else 0} bytes -> {len(new.data) if new else 0} bytes"
        return f"Binary file {path} changed ({sizes})\n"
    head = f"--- {'a/' + path if old else '/dev/null'}\n+++ {'b/' + path if new else '/dev/null'}\n"
    pieces, length = [head], len(head)
    for line in _hunks(old.data if old else b"", new.data if new else b""):
        pieces.append(line)
        length += len(line)
        if length > room:
            # The caller cuts; what lies behind need not be made.
            break
    return "".join(pieces)


def _hunks(old: bytes, new: bytes) -> Iterator[str]:
    """The lines of all hunks of one file with their newlines, one or several at a time."""
    if not old or not new:
        if old or new:
            yield _whole(old or new, "-" if old else "+")
        return
    start = _common_start(old, new)
    old_end, new_end = _common_end(old, new, start)
    first = old.count(b"\n", 0, start)
    lead, trail = _lead(old, start), _trail(old, old_end)
    gone, come, top = _lines(old[start:old_end]), _lines(new[start:new_end]), first - len(lead)
    before, after = [*lead, *gone, *trail], [*lead, *come, *trail]
    too_long = max(len(gone), len(come)) > MAX_ALIGNED_LINES
    # Where no line that goes or comes stands on the other side too, as in most edits, there is nothing to align.
    if too_long or (set(gone).isdisjoint(after) and set(come).isdisjoint(before)):
        shown = _block if too_long else _signed
        yield _header(top, len(before), top, len(after))
        yield _signed(" ", lead)
        yield shown("-", gone)
        yield shown("+", come)
        yield _signed(" ", trail)
        return
    for group in _groups(align(before, after)):
        yield _hunk(before, after, group, top)


def _whole(data: bytes, sign: str) -> str:
    """The one hunk of a file that is new, gone, or emptied."""
    lines = _lines(data)
    head = _header(0, len(lines) if sign == "-" else 0, 0, len(lines) if sign == "+" else 0)
    return head + (_block if len(lines) > MAX_ALIGNED_LINES else _signed)(sign, lines)


def _hunk(before: Sequence[str], after: Sequence[str], group: Sequence[LineSpan], first: int) -> str:
    top = min(CONTEXT_LINES, group[0][0])
    bottom = min(CONTEXT_LINES, len(before) - group[-1][1])
    a0, b0 = group[0][0] - top, group[0][2] - top
    a1, b1 = group[-1][1] + bottom, group[-1][3] + bottom
    pieces = [_header(first + a0, a1 - a0, first + b0, b1 - b0)]
    position = a0
    for old_from, old_to, new_from, new_to in group:
        if position < old_from:
            pieces.append(_signed(" ", before[position:old_from]))
        if old_from < old_to:
            pieces.append(_signed("-", before[old_from:old_to]))
        if new_from < new_to:
            pieces.append(_signed("+", after[new_from:new_to]))
        position = old_to
    pieces.append(_signed(" ", before[position:a1]))
    return "".join(pieces)


def _groups(spans: Sequence[LineSpan]) -> list[list[LineSpan]]:
    """The hunks: spans whose contexts touch or overlap belong to one."""
    groups: list[list[LineSpan]] = []
    for span in spans:
        if groups and span[0] - groups[-1][-1][1] <= 2 * CONTEXT_LINES:
            groups[-1].append(span)
        else:
            groups.append([span])
    return groups


def align(before: Sequence[str], after: Sequence[str]) -> list[LineSpan]:
    """The spans in which two short lists of lines differ, in order (Myers' greedy algorithm).

    Lines that only one side has cannot match, so they are set aside first. Where more than `MAX_EDITS` of the others
    differ, everything counts as replaced: the work is bounded whatever the lines are.
    """
    common = set(before).intersection(after)
    if not common:
        return [(0, len(before), 0, len(after))] if before or after else []
    left = [i for i, line in enumerate(before) if line in common]
    right = [j for j, line in enumerate(after) if line in common]
    kept, found = [before[i] for i in left], [after[j] for j in right]
    # Around most changes nothing moved, and of texts that share blank lines only one side has the more of them.
    same = kept[: len(found)] == found[: len(kept)]
    matches = list(zip(left, right, strict=False)) if same else [(left[x], right[y]) for x, y in _matches(kept, found)]
    matches.append((len(before), len(after)))
    spans: list[LineSpan] = []
    a = b = 0
    for x, y in matches:
        if x > a or y > b:
            spans.append((a, x, b, y))
        a, b = x + 1, y + 1
    return spans


def _matches(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of equal lines along a shortest edit path; none where the path has more than `MAX_EDITS` edits."""
    n, m = len(before), len(after)
    reach: dict[int, int] = {1: 0}  # diagonal -> furthest line of `before`
    trace: list[dict[int, int]] = []
    for edits in range(min(n + m, MAX_EDITS) + 1):
        trace.append(reach.copy())
        for k in range(-edits, edits + 1, 2):
            down = k == -edits or (k != edits and reach[k - 1] < reach[k + 1])
            x = reach[k + 1] if down else reach[k - 1] + 1
            while x < n and x - k < m and before[x] == after[x - k]:
                x += 1
            reach[k] = x
            if x == n and x - k == m:
                return _walk_back(trace, n, m)
    return []


def _walk_back(trace: Sequence[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    for edits in range(len(trace) - 1, -1, -1):
        reach, k = trace[edits], x - y
        down = k == -edits or (k != edits and reach[k - 1] < reach[k + 1])
        previous = k + 1 if down else k - 1
        start = reach[previous]
        while x > start and y > start - previous:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = start, start - previous
    return pairs[::-1]


def _common_start(old: bytes, new: bytes) -> int:
    """The number of bytes of whole lines that both begin with."""
    if not new.startswith(old[: old.find(b"\n") + 1 or None]):  # the first line, as in most rewritten files
        return 0
    limit, at = min(len(old), len(new)), 0
    while at < limit and old.startswith(new[at : at + _CHUNK_BYTES], at):
        at = min(at + _CHUNK_BYTES, limit)
    low, high = at, min(at + _CHUNK_BYTES, limit)
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return old.rfind(b"\n", 0, low) + 1


def _common_end(old: bytes, new: bytes, start: int) -> tuple[int, int]:
    """The positions, in old and new, from which on both end with the same whole lines, at or after `start`."""
    old_end, new_end = len(old), len(new)
    old_next, new_next = old.find(b"\n", start) + 1, new.find(b"\n", start) + 1
    # One line differs, and all behind it is the same, as after most edits.
    if old_next and new_next and old_end - old_next == new_end - new_next and old.endswith(new[new_next:]):
        return old_next, new_next
    if not new.endswith(old[old.rfind(b"\n", 0, -1) + 1 :]):  # the last line, as in most rewritten files
        return old_end, new_end
    limit, same = min(old_end, new_end) - start, 0
    while same < limit:
        step = min(_CHUNK_BYTES, limit - same)
        if not old.endswith(new[new_end - same - step : new_end - same], 0, old_end - same):
            break
        same += step
    low, high = same, min(same + _CHUNK_BYTES, limit)
    while low < high:
        middle = (low + high + 1) // 2
        if old[old_end - middle : old_end - low] == new[new_end - middle : new_end - low]:
            low = middle
        else:
            high = middle - 1
    at = old_end - low, new_end - low
    if all(i == start or data[i - 1 : i] == b"\n" for i, data in zip(at, (old, new), strict=True)):
        return at
    newline = old.find(b"\n", at[0])
    shared = 0 if newline < 0 else len(old) - newline - 1
    return len(old) - shared, len(new) - shared


def _lead(data: bytes, end: int) -> list[str]:
    """The last lines of context before a position that begins a line."""
    start = end
    for _ in range(CONTEXT_LINES):
        if start:
            start = data.rfind(b"\n", 0, start - 1) + 1
    return _lines(data[start:end])


def _trail(data: bytes, start: int) -> list[str]:
    """The first lines of context from a position that begins a line."""
    end = start
    for _ in range(CONTEXT_LINES):
        if end < len(data):
            end = data.find(b"\n", end) + 1 or len(data)
    return _lines(data[start:end])


def _lines(data: bytes) -> list[str]:
    """The lines without their newlines; a last one that has none says so. Only a line feed ends a line."""
    if not data:
        return []
    lines = data.decode().split("\n")
    last = lines.pop()
    if last:
        lines.append(last + _NO_NEWLINE)
    return lines


def _block(sign: str, lines: Sequence[str]) -> str:
    """The first lines as `_signed` gives them, and how many more there are."""
    text, more = _signed(sign, lines[:MAX_BLOCK_LINES]), len(lines) - MAX_BLOCK_LINES
    if more > 0:
        text += f"\\ {more} more {'removed' if sign == '-' else 'added'} lines not shown\n"
    return text


def _signed(sign: str, lines: Sequence[str]) -> str:
    """Lines with a sign before each, and their newlines; very long ones are cut."""
    if not lines:
        return ""
    text = ("\n" + sign).join(lines)
    if len(text) > MAX_LINE_CHARS and max(map(len, lines)) > MAX_LINE_CHARS:
        text = ("\n" + sign).join(map(_cut, lines))
    return f"{sign}{text}\n"


def _cut(line: str) -> str:
    body, end, _ = line.partition(_NO_NEWLINE)
    if len(body) <= MAX_LINE_CHARS:
        return line
    return f"{body[:MAX_LINE_CHARS]}… [{len(body) - MAX_LINE_CHARS} more characters]{end}"


def _header(old_start: int, old_count: int, new_start: int, new_count: int) -> str:
    """The header of a hunk: lines count from 1, but an empty side names the line before it, as diff does."""
    old, new = old_start + (1 if old_count else 0), new_start + (1 if new_count else 0)
    return f"@@ -{old},{old_count} +{new},{new_count} @@\n"
