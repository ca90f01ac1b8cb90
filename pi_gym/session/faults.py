"""What an exception says in a record: its type, its text and where it was raised, the same on every machine."""

from __future__ import annotations

import sysconfig
import traceback

import re2

from pi_gym.session.actions import clean

MAX_TEXT_CHARS = 2_000
_ADDRESS = re2.compile(r"\b0x[0-9a-fA-F]{4,}")
FOREIGN_FOLDERS = tuple(f"{sysconfig.get_path(name)}/" for name in ("stdlib", "platstdlib", "purelib", "platlib"))


def told(error: BaseException) -> str:
    """An error's type and text, without addresses in memory."""
    try:
        text = str(error)
    except Exception:  # a foreign exception may do anything
        text = "(no text)"
    text = _ADDRESS.sub("0x...", clean(text[:MAX_TEXT_CHARS]))
    return clean(f"{type(error).__name__}: {text}" if text else type(error).__name__)


def told_with_place(error: BaseException) -> str:
    """The same, with the place of the innermost frame in code that is no library's: "TypeError: … (module:12)"."""
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        module = str(frame.f_globals.get("__name__", ""))
        ours = module == "pi_gym" or module.startswith("pi_gym.")
        file = frame.f_code.co_filename
        if ours or not (file.startswith(("<", *FOREIGN_FOLDERS))):
            place = f"{module}:{line}"
    return f"{told(error)} ({clean(place)})" if place else told(error)
