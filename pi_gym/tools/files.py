"""Reading and changing single files, and listing directories."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from pi_gym.state import Blob
from pi_gym.state.tree import Folder
from pi_gym.tools.closeness import closest_line
from pi_gym.tools.declare import ToolContext, ToolError, operation
from pi_gym.tools.registry import MAX_RESULT_CHARS

MAX_PAGE_CHARS = MAX_RESULT_CHARS - 300
MAX_ENTRIES = 1_000


def text_of(context: ToolContext, path: str) -> str:
    """The text of a file by its normal form; `ToolError` where there is none or it is binary."""
    blob = blob_of(context, path)
    text = blob.text
    if text is None:
        raise ToolError(f"{path!r} is a binary file, {len(blob.data)} bytes; only text can be read or edited.")
    return text


def blob_of(context: ToolContext, path: str) -> Blob:
    """A file by its normal form; `ToolError` where there is none."""
    blob = context.world.workspace.blob(path)
    if blob is None:
        if context.workspace.is_folder(path):
            raise ToolError(f"{path or '.'!r} is a directory; list_dir shows what it holds.")
        raise context.absent(path)
    return blob


def place(path: str) -> str:
    """A directory's path as a sentence names it."""
    return repr(path) if path else "the workspace root"


@operation("read")
def read_file(context: ToolContext, path: str, offset: int = 0, limit: int | None = None, column: int = 0) -> str:
    """Read a text file. Long files come in pages; a last line in brackets then says how to go on.

    Args:
        path: the file, relative to the workspace root.
        offset: lines to skip.
        limit: the most lines to give; null for as many as fit.
        column: characters to skip in the first line given, for lines that are longer than a page.
    """
    name = context.path(path)
    blob = blob_of(context, name)
    text = blob.text
    if text is None:
        return f"{name}: binary file, {len(blob.data)} bytes"
    if offset == 0 and limit is None and column == 0 and len(text) <= MAX_PAGE_CHARS:
        return text or "[the file is empty]"
    if offset < 0 or column < 0 or (limit is not None and limit < 1):
        raise ToolError("offset and column must be 0 or more, limit 1 or more.")
    lines = text.count("\n") + (0 if text.endswith("\n") or not text else 1)
    if offset >= lines:
        raise ToolError(f"{name!r} has {lines} lines, so offset {offset} is behind its end.")
    rest = text.split("\n", offset)[offset][column:]
    count = lines - offset if limit is None else min(limit, lines - offset)
    page = _first_lines(rest, count)
    last = offset + count
    if len(page) > MAX_PAGE_CHARS:
        end = page.rfind("\n", 0, MAX_PAGE_CHARS) + 1
        if end == 0:
            skip = column + MAX_PAGE_CHARS
            note = f"line {offset + 1} is longer; go on with offset={offset}, column={skip}"
            return f"{page[:MAX_PAGE_CHARS]}\n[{note}]"
        page = page[:end]
        last = offset + page.count("\n")
    if last == lines:
        return page
    newline = "" if page.endswith("\n") else "\n"
    return f"{page}{newline}[lines {offset + 1} to {last} of {lines}; go on with offset={last}]"


@operation("write")
def write_file(context: ToolContext, path: str, content: str) -> str:
    """Create a file or overwrite it whole, with its parent directories. Files cannot be deleted, only emptied.

    Args:
        path: the file, relative to the workspace root.
        content: the whole new content.
    """
    name = context.target(path)
    data = content.encode(errors="replace")
    existed = context.world.workspace.write(name, data)
    return f"{'Overwrote' if existed else 'Created'} {name} ({len(data)} bytes)."


@operation("write")
def edit_file(context: ToolContext, path: str, old_text: str, new_text: str) -> str:
    """Replace one piece of text in a file. The old text must occur exactly once.

    Args:
        path: the file, relative to the workspace root.
        old_text: the text to replace, exactly as in the file, with enough around it to be unique.
        new_text: the text to put there; empty to delete.
    """
    name = context.target(path)
    text = text_of(context, name)
    if not old_text:
        raise ToolError("old_text is empty; give the text to replace, or use write_file for the whole content.")
    if old_text == new_text:
        raise ToolError("old_text and new_text are the same, so there is nothing to change.")
    first = text.find(old_text)
    if first < 0:
        raise _not_found(name, text, old_text)
    if text.find(old_text, first + 1) >= 0:
        lines = [str(text.count("\n", 0, at) + 1) for at in islice(_places(text, old_text), 10)]
        count = max(text.count(old_text), len(lines))
        shown = f"lines {', '.join(lines)}" + (", …" if count > len(lines) else "")
        raise ToolError(
            f"old_text occurs {count} times in {name!r} ({shown}), not once; include more of the lines around it."
        )
    changed = text[:first] + new_text + text[first + len(old_text) :]
    context.workspace.write(name, changed.encode(errors="replace"))
    return f"Edited {name} (line {text.count(chr(10), 0, first) + 1})."


@operation("read")
def list_dir(context: ToolContext, path: str = ".", recursive: bool = False, max_entries: int = 200) -> str:
    """List a directory, sorted by name. Directories end with a slash; files show their size.

    Args:
        path: the directory, relative to the workspace root.
        recursive: whether to list what lies deeper too, with paths from the listed directory.
        max_entries: the most entries to give, 1 to 1000.
    """
    name = context.path(path)
    folder = context.world.workspace.node(name)
    if folder is None:
        raise context.absent(name, "directory")
    if not isinstance(folder, Folder):
        raise ToolError(f"{name!r} is a file; read_file shows its content.")
    if not 1 <= max_entries <= MAX_ENTRIES:
        raise ToolError(f"max_entries must be between 1 and {MAX_ENTRIES}, not {max_entries}.")
    lines: list[str] = []
    room = MAX_PAGE_CHARS
    for line in entries(folder, recursive):
        room -= len(line) + 1
        if len(lines) == max_entries or room < 0:
            advice = "raise max_entries, " if room >= 0 and max_entries < MAX_ENTRIES else ""
            lines.append(f"[only the first {len(lines)} entries; {advice}list a subdirectory or use glob]")
            break
        lines.append(line)
    return "\n".join(lines) or f"[{place(name)} is empty]"


def entries(folder: Folder, recursive: bool, prefix: str = "") -> Iterator[str]:
    """The lines of a listing, lazily: what is not asked for is not visited."""
    for name, node in folder.children:
        if isinstance(node, Folder):
            yield f"{prefix}{name}/"
            if recursive:
                yield from entries(node, True, f"{prefix}{name}/")
        else:
            yield f"{prefix}{name} ({len(node.data)} bytes)"


def _first_lines(text: str, count: int) -> str:
    """The first lines; where they are more than a page, one character more than that."""
    text = text[: MAX_PAGE_CHARS + 1]
    lines = text.split("\n", count)
    return text[: len(text) - len(lines[-1])] if len(lines) > count else text


def _places(text: str, piece: str) -> Iterator[int]:
    at = text.find(piece)
    while at >= 0:
        yield at
        at = text.find(piece, at + 1)


def _not_found(name: str, text: str, old_text: str) -> ToolError:
    reason = f"old_text does not occur in {name!r}."
    if "\r\n" in text and "\n" in old_text and old_text.replace("\r\n", "\n").replace("\n", "\r\n") in text:
        return ToolError(f"{reason} The file's lines end with \\r\\n; write the line ends of old_text so too.")
    found = closest_line(text, old_text)
    if found is None:
        return ToolError(f"{reason} Read the file and copy the text exactly.")
    number, line = found
    return ToolError(f"{reason} The closest line is line {number}: {line[:200]!r}. Copy the text exactly.")
