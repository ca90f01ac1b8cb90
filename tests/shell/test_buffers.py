"""What the kernel holds for a command, in pipes and sockets, is bounded as its own memory is."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from support.shell import SANDBOXES, need, run

from pi_gym.shell.counting import ProcessLoad, buffer_bytes, measure

#: Many processes that make as much of one kind as they can, fill it, and wait.
FILL = """
import os, socket, sys, time
def pair():
    if sys.argv[1] == "sockets":
        a, b = socket.socketpair(*([socket.AF_UNIX, socket.SOCK_DGRAM] if len(sys.argv) > 2 else []))
        return a, b, (lambda data: a.send(data), lambda data: b.send(data))
    a, b = os.pipe()
    os.set_blocking(b, False)
    return a, b, (lambda data: os.write(b, data),)
for _ in range(100):
    if not os.fork():
        break
kept = []
try:
    while True:
        a, b, fills = pair()
        kept.append((a, b))
        for one in kept[-1]:
            one.setblocking(False) if hasattr(one, "setblocking") else None
        for fill in fills:
            try:
                while True:
                    fill(b"x" * 4096)
            except OSError:
                pass
except OSError:
    pass
time.sleep(20)
"""
MB = 1_000_000


@pytest.fixture(params=SANDBOXES)
def backend(request: pytest.FixtureRequest) -> str:
    need(request.param)
    return str(request.param)


def free_bytes() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable"):
            return int(line.split()[1]) * 1024
    return 0


@pytest.mark.parametrize("kind", ["sockets", "sockets of datagrams", "pipes"])
def test_those_who_fill_buffers_are_stopped(backend: str, kind: str) -> None:
    lowest, over = [before := free_bytes()], threading.Event()

    def watch() -> None:
        while not over.wait(0.02):
            lowest.append(free_bytes())

    watcher = threading.Thread(target=watch)
    watcher.start()
    result = run(f"python3 fill.py {kind}", {"fill.py": FILL.encode()}, backend=backend, wall_s=15.0)
    over.set()
    watcher.join()
    print(f"{backend}, {kind}: {(before - min(lowest)) / MB:.0f} MB less at the worst")
    assert result.ended == "memory"


def test_ordinary_use_of_pipes_and_sockets_goes_on(backend: str) -> None:
    many = "import os, time; kept = [os.pipe() for _ in range(100)]; print(5); time.sleep(0.2)"
    assert run(f"python3 -c '{many}'; (yes | head -c 30000000 | wc -c)", backend=backend).output == "5\n30000000\n"


def test_processes_of_python_work_together() -> None:
    need("bubblewrap")
    code = (
        "import multiprocessing as m, time\n"
        "if __name__ == '__main__':\n"
        "    with m.Pool(4) as pool:\n"
        "        print(sum(pool.map(abs, range(1000))))\n"
        "    a, b = m.Pipe()\n    p = m.Process(target=b.send, args=([1] * 5,))\n    p.start()\n    print(a.recv())\n"
    )
    assert run("python3 m.py", {"m.py": code.encode()}).output == "499500\n[1, 1, 1, 1, 1]\n"


def test_a_pipe_cannot_be_made_larger(backend: str) -> None:
    code = "import fcntl, os; fcntl.fcntl(os.pipe()[1], fcntl.F_SETPIPE_SZ, 1 << 20)"
    result = run("python3 p.py", {"p.py": code.encode()}, backend=backend)
    assert result.exit == 1
    assert "PermissionError" in result.output


def test_a_server_and_its_clients_within_one_command_work() -> None:
    need("bubblewrap")
    code = (
        "import http.server, threading, urllib.request\n"
        "server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)\n"
        "threading.Thread(target=server.serve_forever, daemon=True).start()\n"
        "for _ in range(40):\n"
        "    got = urllib.request.urlopen(f'http://127.0.0.1:{server.server_port}/a.txt').read()\n"
        "print(got)\n"
    )
    result = run("python3 s.py 2>/dev/null", {"s.py": code.encode(), "a.txt": b"hello"})
    assert (result.output, result.ended) == ("b'hello'\n", "")


def test_what_is_held_twice_is_counted_once() -> None:
    load = ProcessLoad(pipes={"pipe:[1]"}, sockets={"socket:[2]"})
    alone = buffer_bytes(load, 0, 0)
    assert buffer_bytes(ProcessLoad(pipes={"pipe:[1]", "pipe:[3]"}), 0, 0) == 2 * 65_536
    assert alone < buffer_bytes(load, 1, 0)
    assert buffer_bytes(load, 0, 2) == alone + 2 * 65_536


def test_a_process_that_has_ended_holds_nothing() -> None:
    load = measure("/proc", ["999999999"])
    assert (load.threads, load.memory, load.cpu_s, load.ready) == (0, 0, 0.0, False)
    mine = measure("/proc", ["self"])
    assert mine.memory > 0
    assert mine.threads >= 1
    assert time.process_time() >= 0
