"""The effects that a reference declares of its shell commands, so that no shell is needed to play it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.errors import SpecError
from pi_gym.state.paths import PathRefused, normalise
from pi_gym.tools.shell_result import MAX_OUTPUT_CHARS, ShellResult

_KEYS = ("exit", "output", "files")


def declared_result(raw: Any, field: str) -> dict[str, Any]:
    """The answer that stands for a command: `{exit: 0, output: text, files: {path: content}}`, all optional.

    Args:
        raw: the rendered `result`; a file's content is text or bytes, None where the command deletes it.
        field: where it stands, for errors.

    Raises:
        SpecError: it is missing, or has not this form.
    """
    if not isinstance(raw, Mapping):
        form = "{exit: 0, output: text, files: {path: content}}"
        raise SpecError(field, f"a reference's exec declares what it does, {form}; got {raw!r:.80}")
    odd = sorted(set(map(str, raw)) - set(_KEYS))
    if odd:
        raise SpecError(field, f"unknown key {odd[0]!r}; known: {', '.join(_KEYS)}")
    status, output, files = raw.get("exit", 0), raw.get("output", ""), raw.get("files") or {}
    if isinstance(status, bool) or not isinstance(status, int):
        raise SpecError(f"{field}.exit", f"expected an integer, got {status!r}")
    if not isinstance(output, str) or len(output) > MAX_OUTPUT_CHARS:
        raise SpecError(f"{field}.output", f"expected text of at most {MAX_OUTPUT_CHARS} characters")
    if not isinstance(files, Mapping):
        raise SpecError(f"{field}.files", f"expected paths with their content, got {files!r:.80}")
    written: dict[str, bytes] = {}
    deleted: list[str] = []
    for path, content in files.items():
        place = _place(path, f"{field}.files")
        if content is None:
            deleted.append(place)
        elif isinstance(content, str | bytes):
            written[place] = content.encode() if isinstance(content, str) else content
        else:
            raise SpecError(f"{field}.files.{place}", f"expected text, bytes or null, got {content!r:.80}")
    return ShellResult(exit=status, output=output, files=written, deleted=tuple(sorted(deleted))).to_json()


def _place(path: Any, field: str) -> str:
    try:
        place = normalise(str(path))
    except PathRefused as error:
        raise SpecError(field, str(error)) from error
    if not place:
        raise SpecError(field, "a file's path cannot be empty")
    return place
