"""A file that is there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pi_gym.runs.lines import RunError, explained


@contextmanager
def draft(out: Path, *, force: bool = False) -> Iterator[Path]:
    """A file beside `out` to write to; at the end it takes its place, and after an error it is deleted.

    Args:
        out: where the file shall be; missing folders are made.
        force: replace a file that is there.

    Raises:
        RunError: there is a file (and `force` is False) or a folder, or it cannot be written.
    """
    with explained(out, "cannot be written"):
        _require_free(out, force)
        out.parent.mkdir(parents=True, exist_ok=True)
        place = out.with_name(f".{out.name}.{os.getpid()}.tmp")
        try:
            place.touch()
            yield place
            with place.open("rb") as file:
                os.fsync(file.fileno())
            _require_free(out, force)  # somebody may have been quicker
            place.replace(out)
        finally:
            place.unlink(missing_ok=True)


def _require_free(out: Path, force: bool) -> None:
    if out.is_dir():
        raise RunError(f"{out} is a folder; name a file")
    if out.exists() and not force:
        raise RunError(f"{out} is there already; replace it by --force (force=True), or choose another file")
