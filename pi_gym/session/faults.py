"""Describing an exception: its type, its text and where it was raised, the same on every machine."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path
from types import FrameType

import re2

from pi_gym.errors import PiGymError
from pi_gym.session.actions import clean

MAX_TEXT_CHARS = 2_000
FRAMES_KEPT = 8
_MAX_TRACE_CHARS = 10_000
_ADDRESS = re2.compile(r"\b0x[0-9a-fA-F]{4,}")
FOREIGN_FOLDERS = tuple(f"{sysconfig.get_path(name)}/" for name in ("stdlib", "platstdlib", "purelib", "platlib"))


def describe_error(error: BaseException) -> str:
    """An error's type and text, without addresses in memory."""
    try:
        text = str(error)
    except Exception:  # a foreign exception may do anything
        text = "(no text)"
    text = _ADDRESS.sub("0x...", clean(text[:MAX_TEXT_CHARS]))
    return clean(f"{type(error).__name__}: {text}" if text else type(error).__name__)


def describe_with_place(error: BaseException) -> str:
    """The same, and the place of the innermost frame in code that is no library's: "TypeError: … (module:12)"."""
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        module = str(frame.f_globals.get("__name__", ""))
        ours = module == "pi_gym" or module.startswith("pi_gym.")
        file = frame.f_code.co_filename
        if ours or not (file.startswith(("<", *FOREIGN_FOLDERS))):
            place = f"{module}:{line}"
    return f"{describe_error(error)} ({clean(place)})" if place else describe_error(error)


def error_place(error: BaseException) -> str:
    """The place where an error was raised, as "file.py line 12"; empty where its text says that.

    That is the last frame in code that is neither ours nor a library's, else the last one at all.
    """
    frames = list(traceback.walk_tb(error.__traceback__))
    own = [found for found in frames if _is_own(found[0])]
    if not own and (isinstance(error, PiGymError) or not frames):
        return ""  # ours name a pack's file and field
    frame, line = (own or frames)[-1]
    return clean(f"{Path(frame.f_code.co_filename).name} line {line}")


def error_trace(error: BaseException) -> str:
    """The last frames and what caused them, as Python prints it: with this machine's paths, so for logs alone."""
    try:
        text = "".join(traceback.TracebackException.from_exception(error, limit=-FRAMES_KEPT).format())
    except Exception:  # as in `describe_error`
        text = f"{describe_error(error)}\n"
    return clean(text[-_MAX_TRACE_CHARS:])


def portable_trace(error: BaseException) -> str:
    """The last frames as modules and lines, and the error: the same on every machine, so for records."""
    frames = [
        f"{frame.f_globals.get('__name__', '')}:{line} in {frame.f_code.co_qualname}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    return clean("\n".join([*frames[-FRAMES_KEPT:], describe_error(error)]))


def own_error_trace(error: BaseException) -> str:
    """The frames in code that is neither ours nor a library's, as Python prints them; may be empty."""
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
