"""The session's clock for programs of the shell: a library that moves the times that they read and give.

The source is session_clock.c beside this; scripts/build_clock.py makes the libraries of it.
"""

from __future__ import annotations

import os
import platform
import struct
import time

_MARK = b"pi_gym span: 16\0"
_SECOND = 1_000_000_000


def _read_library() -> bytes:
    place = os.path.join(os.path.dirname(__file__), f"session_clock-{platform.machine()}.elf")
    try:
        with open(place, "rb") as file:
            return file.read()
    except OSError:
        return b""


#: Read when this is imported: later the template process has no sight of the file.
_LIBRARY = _read_library()


class SessionClock:
    """The clock of one command, which begins to go when this is made.

    Args:
        now_s: the session's time, in seconds since 1970; None: the host's.
    """

    def __init__(self, now_s: float | None) -> None:
        self.span_ns = 0 if now_s is None else int(now_s * _SECOND) - time.time_ns()

    def host_ns(self, session_s: float) -> int:
        """The host's time of a moment of the session's, in nanoseconds; the library shows the one as the other."""
        return int(session_s * _SECOND) - self.span_ns

    def shared_object(self) -> bytes:
        """The library's bytes; b"" where the clock is the host's, or there is none for this processor."""
        at = _LIBRARY.find(_MARK) + len(_MARK)
        if not self.span_ns or at < len(_MARK):
            return b""
        return _LIBRARY[:at] + struct.pack("=qq", *divmod(self.span_ns, _SECOND)) + _LIBRARY[at + 16 :]
