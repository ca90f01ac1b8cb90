"""A server of sessions as the command line starts it, for as long as a test runs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def server_process(*arguments: object, patience: float = 200) -> Iterator[tuple[str, subprocess.Popen[str], list[str]]]:
    """The address that the server tells of first, its process, and a list that has what it told after that in the end.

    Args:
        arguments: of `pi-gym`.
        patience: seconds in which it must end once it is told to.
    """
    command = [sys.executable, "-m", "pi_gym", *map(str, arguments)]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    told: list[str] = []
    try:
        first = server.stderr.readline()
        assert first.startswith("http://127.0.0.1:"), first + server.stderr.read()
        yield first.strip(), server, told
    finally:
        server.terminate()
        server.wait(timeout=patience)
        told.append(server.stderr.read())
        server.stderr.close()
