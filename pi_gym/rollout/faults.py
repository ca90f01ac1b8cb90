"""What went wrong, told so that the one who wrote the code finds the place."""

from __future__ import annotations

import traceback
from pathlib import Path
from types import FrameType

from pi_gym.errors import PiGymError
from pi_gym.session.actions import clean
from pi_gym.session.faults import FOREIGN_FOLDERS, told

__all__ = ["own_trace", "place", "told", "trace"]

FRAMES_KEPT = 8
_MAX_TRACE_CHARS = 10_000


def place(error: BaseException) -> str:
    """Where an error was raised, as "file.py line 12"; empty where its text says that.

    That is the last frame in code that is neither ours nor a library's, else the last one at all.
    """
    frames = list(traceback.walk_tb(error.__traceback__))
    own = [found for found in frames if _is_own(found[0])]
    if not own and (isinstance(error, PiGymError) or not frames):
        return ""  # ours name a pack's file and field
    frame, line = (own or frames)[-1]
    return clean(f"{Path(frame.f_code.co_filename).name} line {line}")


def trace(error: BaseException) -> str:
    """The last frames and what caused them, as Python prints it: with this machine's paths, so for logs alone."""
    try:
        text = "".join(traceback.TracebackException.from_exception(error, limit=-FRAMES_KEPT).format())
    except Exception:  # as in `told`
        text = f"{told(error)}\n"
    return clean(text[-_MAX_TRACE_CHARS:])


def own_trace(error: BaseException) -> str:
    """Only the frames in code that is neither ours nor a library's, as Python prints them; may be empty."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [_is_own(frame) for frame, _ in traceback.walk_tb(error.__traceback__)]
    kept = [found for found, is_own in zip(frames, own, strict=True) if is_own][-FRAMES_KEPT:]
    return clean("".join(traceback.format_list(kept))).rstrip("\n")


def _is_own(frame: FrameType) -> bool:
    file = frame.f_code.co_filename
    if file.startswith("<frozen "):
        return False
    module = str(frame.f_globals.get("__name__", ""))
    return not (module == "pi_gym" or module.startswith("pi_gym.") or file.startswith(FOREIGN_FOLDERS))
