"""Runs a program for as long as the process lives that started it, then ends the program's whole process group.

A script of its own, run by `pi_gym.models.serving` as the leader of a new group, and with nothing of pi_gym in it:

    python guard.py SECONDS FD PROGRAM [ARGUMENTS …]

FD is the reading end of a pipe of which the starter holds the other: it ends with the starter, also where that is
killed and can clean up nothing. The group is then asked to end, and killed after so many SECONDS. The guard ends as the
program does.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time


def main(stop_s: float, fd: int, command: list[str]) -> int:
    """Run the program; its exit status, or the end by the same signal."""
    for number in (signal.SIGINT, signal.SIGTERM):
        # What is sent to the group is the program's. A handler and not SIG_IGN, which the program would inherit.
        signal.signal(number, lambda *_: None)
    program = subprocess.Popen(command)
    abandoned = threading.Event()
    threading.Thread(target=_watch, args=(fd, stop_s, abandoned), daemon=True).start()
    code = program.wait()
    if abandoned.is_set():
        os.killpg(0, signal.SIGKILL)  # what the program started and left behind, and this
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


def _watch(fd: int, stop_s: float, abandoned: threading.Event) -> None:
    os.read(fd, 1)  # nothing is ever written
    abandoned.set()
    os.killpg(0, signal.SIGTERM)
    time.sleep(stop_s)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
