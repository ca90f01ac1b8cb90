"""The folder of a calibration: it is there whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pi_gym.calibration.calibration_outcome import Calibration
from pi_gym.calibration.calibration_page import calibration_page
from pi_gym.errors import BadArgument
from pi_gym.runs.lines import explained
from pi_gym.runs.store import write_json

JSON, PAGE = "calibration.json", "calibration.md"


@contextmanager
def calibration_folder(out: Path) -> Iterator[Callable[[Calibration], None]]:
    """A writer of a calibration's two files; the folder takes its place when they are written.

    Args:
        out: must not be there, or be an empty folder.

    Raises:
        BadArgument: it holds something, or is no folder.
        RunError: it cannot be written.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadArgument(f"--out {out}: expected a new or an empty folder; name another, so that nothing is lost")
    with explained(out, "cannot be written"):
        place = out.resolve().with_name(f".{out.resolve().name}.{os.getpid()}.tmp")
        place.mkdir(parents=True)

    def write(found: Calibration) -> None:
        with explained(out, "cannot be written"):
            write_json(place / JSON, found.to_json())
            (place / PAGE).write_text(calibration_page(found), encoding="utf-8")
            place.replace(out)

    try:
        yield write
    finally:
        shutil.rmtree(place, ignore_errors=True)
