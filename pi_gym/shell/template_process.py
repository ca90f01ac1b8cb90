"""The template process: it lives as long as the process that runs sessions, and forks a keeper for each command.

It is started by an interpreter without site-packages and imports the standard library only. It reads nothing but
descriptors from its control socket and writes nothing, so nothing of a command is ever in it: job and answer travel on
a connection that the keeper alone has.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
from contextlib import suppress

from pi_gym.shell import inside, kernel
from pi_gym.shell.namespaces import STAGE


def main() -> None:
    """Fork until nobody is left who could ask."""
    control = socket.socket(fileno=0)
    own_space = sys.argv[2:] == ["namespaces"]
    if own_space:
        kernel.unmount(STAGE)  # our own code, which is loaded by now
    os.chdir("/")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    kernel.hide_memory()
    gc.freeze()
    control.send(b"ready")
    while True:
        try:
            _, fds, _, _ = socket.recv_fds(control, 16, 1)
        except InterruptedError:
            continue
        except OSError:
            return
        if not fds:
            return
        pid = -1
        with suppress(OSError):
            pid = os.fork()
        if pid == 0:
            keep(control, fds[0])
        os.close(fds[0])


def keep(control: socket.socket, connection: int) -> None:
    """Be the keeper of one command."""
    try:
        control.detach()
        nothing = os.open("/dev/null", os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(nothing, fd)
        os.close(nothing)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        inside.serve(socket.socket(fileno=connection))
    finally:
        os._exit(0)
