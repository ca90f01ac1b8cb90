"""The session's time in the shell: what programs read, what files carry, and what waits until a moment."""

from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from support.play import call
from support.shell import ROOT, SANDBOXES, need, shell_pack

from pi_gym.packs import load_pack
from pi_gym.pibench.env import PiEnv
from pi_gym.shell import ShellLimits
from pi_gym.shell.runner import run_command
from pi_gym.state import Workspace
from pi_gym.tools.shell_result import ShellResult

NOW, BEGUN, EARLIER = "2031-03-09T08:00:00", "2031-03-09T07:55:00", "2031-03-04T10:11:12"
NOW_S = int(datetime.fromisoformat(NOW).replace(tzinfo=UTC).timestamp())
SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture(params=SANDBOXES)
def backend(request: pytest.FixtureRequest) -> str:
    need(request.param)
    return str(request.param)


def run(command: str, backend: str, clock: str = NOW, **files: bytes) -> ShellResult:
    workspace = Workspace({"old": b"o", "d/old": b"o"} | files)
    workspace.clock = EARLIER
    workspace.write("written", b"w")
    name, _, abi = backend.partition("-")
    limits, more = ShellLimits(wall_s=20), {"abi": int(abi or 99), "clock": clock, "begun": BEGUN}
    return run_command(name, workspace, command, root=ROOT, folder="", limits=limits, **more)  # type: ignore[arg-type]


def near(text: str, seconds: int = NOW_S) -> bool:
    """Whether all numbers are of that moment, or of the few seconds after it."""
    return bool(text.split()) and all(seconds <= float(word) < seconds + 10 for word in text.split())


@pytest.mark.parametrize(
    "command",
    [
        "date +%s",
        "echo $EPOCHSECONDS; printf '%(%s)T\\n' -1",
        "python3 -c 'import time, datetime as d; print(time.time(), d.datetime.now().timestamp())'",
        "python3 -c 'import datetime as d; print(d.datetime.now(d.UTC).timestamp())'",
        "perl -e 'print time'",
        "awk 'BEGIN {srand(); print srand()}'",
        "touch new; stat -c '%X %Y %Z' new; find new -printf '%T@\\n'",
        "mkdir n; echo x > n/f; python3 -c 'import os; print(os.stat(\"n\").st_mtime, os.stat(\"n/f\").st_ctime)'",
        "touch n; python3 -c 'import os; print(*[e.stat().st_mtime for e in os.scandir() if e.name == \"n\"])'",
        "cp old new; mv new newer; stat -c %Y newer",
        "touch old; stat -c %Y old; sed -i s/o/p/ d/old; stat -c %Y d/old",
        "python3 -c 'import os; os.utime(\"old\"); print(os.stat(\"old\").st_mtime)'",
        "bash -c 'sh -c \"date +%s\"'",
    ],
)  # fmt: skip
def test_programs_read_the_time_of_the_session(backend: str, command: str) -> None:
    assert near(run(command, backend).output)


def test_it_goes_on(backend: str) -> None:
    first, second = run("date +%s.%N; sleep 1.1; date +%s.%N", backend).output.split()
    assert 1.0 < float(second) - float(first) < 6


def test_files_carry_the_time_at_which_they_were_written(backend: str) -> None:
    shown = run("stat -c '%y' written old d d/old | cut -c1-19", backend).output.replace(" ", "T").split()
    assert shown == [EARLIER, BEGUN, BEGUN, BEGUN]
    assert "Mar  4 10:11 written" in run("ls -l", backend).output
    assert run("find . -type f -newermt 2031-03-08 | sort", backend).output == "./d/old\n./old\n"


def test_times_that_are_given_are_those_that_are_shown(backend: str) -> None:
    command = "touch -d 2001-02-03T04:05:06.5Z old; stat -c '%.1Y' old; touch -r old d/old; stat -c %Y d/old; "
    command += 'python3 -c \'import os; os.utime("old", (5, 6)); s = os.stat("old"); print(s.st_atime, s.st_mtime)\''
    assert run(command, backend).output == "981173106.5\n981173106\n5.0 6.0\n"


def test_archives_and_make_agree_with_it(backend: str) -> None:
    need(backend)
    command = "tar cf t.tar written; rm written; tar xf t.tar; stat -c %y written | cut -c1-16; tar tvf t.tar"
    assert run(command, backend).output.startswith("2031-03-04 10:11\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    "wait",
    [
        "import threading as t; l = t.Lock(); l.acquire(); l.acquire(timeout=0.4)",
        "import threading as t; c = t.Condition(); c.acquire(); c.wait(0.4)",
        "import threading as t; t.Event().wait(0.4)",
        "import time; time.sleep(0.4)",
        "import queue; q = queue.Queue()\ntry: q.get(timeout=0.4)\nexcept queue.Empty: pass",
        "import select; select.select([], [], [], 0.4)",
        "import asyncio; asyncio.run(asyncio.sleep(0.4))",
        "import subprocess as s; s.run(['timeout', '0.4', 'sleep', '9'])",
        (
            "import ctypes, time; c = ctypes.CDLL(None); T = ctypes.c_long * 2; n = time.time() + 0.4\n"
            "c.clock_nanosleep(0, 1, T(int(n), int(n % 1 * 10**9)), None)"
        ),
        (
            "import ctypes, time; c = ctypes.CDLL(None); T = ctypes.c_long * 2; n = time.time() + 0.4\n"
            "s = ctypes.create_string_buffer(64); c.sem_init(s, 0, 0)\n"
            "c.sem_timedwait(s, T(int(n), int(n % 1 * 10**9)))"
        ),
        (
            "import ctypes, time; c = ctypes.CDLL(None); T = ctypes.c_long * 2; n = time.time() + 0.4\n"
            "m, k = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64); c.pthread_mutex_lock(m)\n"
            "c.pthread_cond_timedwait(k, m, T(int(n), int(n % 1 * 10**9)))"
        ),
    ],
)
def test_waiting_lasts_as_long_as_it_is_to(backend: str, wait: str) -> None:
    code = f"import time as x\nbegin = x.monotonic()\n{wait}\nprint(0.3 < x.monotonic() - begin < 5)"
    assert run("python3 w.py", backend, **{"w.py": code.encode()}).output == "True\n"


def test_the_clock_before_the_host_s_works_as_well(backend: str) -> None:
    output = run("date +%Y; touch new; stat -c %y new | cut -c1-4", backend, clock="1999-12-31T23:00:00").output
    assert output == "1999\n1999\n"


def test_without_a_session_the_time_is_the_host_s() -> None:
    need()
    backend = "landlock" if not need_of("landlock") else "bubblewrap"
    assert near(run("date +%s", backend, clock="").output, int(datetime.now(UTC).timestamp()) - 5)


def need_of(backend: str) -> str:
    from support.shell import fault

    return fault(backend)


def test_the_library_cannot_be_changed(backend: str) -> None:
    command = (
        "for f in /etc/session-clock.so /etc/ld.so.preload $LD_PRELOAD; do echo x 2>/dev/null > $f && echo wrote; "
    )
    command += "rm -f $f 2>/dev/null && [ ! -e $f ] && echo gone; done; date +%Y"
    assert run(command, backend).output.split()[-1] == "2031"
    assert "wrote" not in run(command, backend).output


def test_a_static_program_sees_the_host_s_time(backend: str, tmp_path: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    source = tmp_path / "s.c"
    source.write_text('#include <stdio.h>\n#include <time.h>\nint main(void) { printf("%ld", (long)time(0)); }\n')
    if subprocess.run(["cc", "-static", "-o", tmp_path / "s", source], capture_output=True, check=False).returncode:
        pytest.skip("no static C library")
    output = run("cp s t; chmod +x t; ./t", backend, s=(tmp_path / "s").read_bytes()).output
    assert near(output, int(datetime.now(UTC).timestamp()) - 5)


@pytest.mark.slow
def test_the_source_of_the_library_compiles() -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    subprocess.run([sys.executable, SCRIPTS / "build_clock.py", "--check"], check=True)


# -- in sessions -----------------------------------------------------------------------------------------------------


def exec_output(env: PiEnv, command: str) -> str:
    observation, *_ = env.step(call("exec", command=command))
    return str(observation["history"]).rpartition("[exit status 0]\n")[2].split("\n\n")[0]


def test_a_session_s_commands_see_its_clock(tmp_path: Path) -> None:
    need()
    shown = []
    for _ in range(2):
        env = PiEnv(load_pack(shell_pack(tmp_path / str(len(shown)))).source, history="none")
        env.reset(seed=0, options={"task": "01-list", "variant": 0})
        assert env.session is not None
        begun = env.session.clock
        first = exec_output(env, "date +%FT%H:%M; echo x > made; stat -c %y made | cut -c1-16")
        assert first.split("\n")[0] == begun.strftime("%Y-%m-%dT%H:%M")
        assert first.split("\n")[1] == begun.strftime("%Y-%m-%d %H:%M")
        later = exec_output(env, "sleep 1; stat -c %y made shop.txt | cut -c1-19")
        assert env.session is not None
        shown.append((first, later))
        assert later.split("\n")[0][:16] == begun.strftime("%Y-%m-%d %H:%M")
        assert later.split("\n")[1] == begun.strftime("%Y-%m-%d %H:%M:%S")
    assert shown[0] == shown[1]


def test_times_survive_forks_and_pickles() -> None:
    workspace = Workspace({"a": b"a"})
    mark = workspace.mark()
    workspace.clock = EARLIER
    workspace.write("b", b"b")
    workspace.clock = NOW
    workspace.write("c", b"c")
    other = Workspace({"a": b"a"})
    other.apply_delta(pickle.loads(pickle.dumps(workspace.delta(mark))))
    copies: list[Any] = [workspace.fork(), pickle.loads(pickle.dumps(workspace)), other]
    for copy in copies:
        assert [(path, blob.written) for path, blob in copy.walk()] == [("a", ""), ("b", EARLIER), ("c", NOW)]
