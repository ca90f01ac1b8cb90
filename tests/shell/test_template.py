"""Escapes by way of the template process: nothing passes through it from one command to another, or to the host."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.shell import SANDBOXES, need, run

from pi_gym.shell import command_template
from pi_gym.shell.command_template import end_templates, template_of
from pi_gym.tools.shell_result import ShellResult


@pytest.fixture(params=SANDBOXES)
def backend(request: pytest.FixtureRequest) -> str:
    need(request.param)
    return str(request.param)


@pytest.fixture
def word() -> str:
    return f"word-{uuid.uuid4().hex}"


def python(code: str, backend: str, **limits: float) -> ShellResult:
    return run("python3 c.py", {"c.py": code.encode()}, backend=backend, **limits)


def template_pid(backend: str) -> int:
    """The template's process, which under bubblewrap is the child of the one that was started."""
    started = template_of(backend.partition("-")[0]).process.pid
    if backend != "bubblewrap":
        return started
    return int(Path(f"/proc/{started}/task/{started}/children").read_text().split()[0])


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_commands_share_one_template(backend: str) -> None:
    run("true", backend=backend)
    first = template_pid(backend)
    run("exit 3", backend=backend)
    assert template_pid(backend) == first


@pytest.mark.parametrize("place", ["/tmp", "$HOME", "$TMPDIR", "/dev/shm", "/home", "."])
def test_no_file_of_an_earlier_command_is_seen(backend: str, word: str, place: str) -> None:
    run(f"echo x > {place}/{word}", backend=backend)
    result = run(f"ls -a {place} 2>/dev/null; ls {place}/{word} 2>/dev/null", backend=backend)
    assert word not in result.output


def test_no_file_of_an_earlier_command_lies_anywhere(backend: str, word: str) -> None:
    run(f"for d in / /* /tmp /run /var/tmp /dev/shm /mnt /srv $HOME; do echo {word} > $d/left; done", backend=backend)
    half = len(word) // 2
    split = f"'{word[:half]}''{word[half:]}'"
    result = run(f"grep -rls {split} / --exclude-dir=proc --exclude-dir=sys --exclude-dir=usr", backend=backend)
    assert result.output == ""


def test_nothing_of_the_environment_is_kept(backend: str, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_THE_HOST", word)
    end_templates()
    run(f"export KEPT={word}; echo 'export KEPT={word}' > ~/.bashrc", backend=backend)
    assert word not in run("env; set; cat /proc/*/environ 2>/dev/null", backend=backend).output


def test_no_descriptor_is_inherited(backend: str) -> None:
    code = "import os\nfor fd in range(3, 256):\n    try: print(fd, os.fstat(fd))\n    except OSError: pass\n"
    result = run("exec python3 c.py", {"c.py": code.encode()}, backend=backend)
    assert result.output == ""


def test_the_input_is_empty(backend: str) -> None:
    assert run("cat; echo end", backend=backend).output == "end\n"


@pytest.mark.parametrize("number", [9, 19, 15, 1, 17, 10])
def test_no_signal_from_inside_reaches_it(backend: str, number: int) -> None:
    run("true", backend=backend)
    before = template_pid(backend)
    numbers = {before, os.getpid(), os.getppid()}
    known = " ".join(map(str, numbers))
    run(
        f"for p in {known} $PPID 1 2 3 4 5 6 7 8; do kill -{number} $p; kill -{number} -$p; done",
        backend=backend,
        wall_s=2,
    )
    run(f"kill -{number} -1", backend=backend, wall_s=2)
    assert run("echo fine", backend=backend).output == "fine\n"
    assert template_pid(backend) == before
    assert "T" not in Path(f"/proc/{before}/stat").read_text().rpartition(")")[2].split()[0]


def test_one_that_is_killed_is_replaced(backend: str) -> None:
    run("true", backend=backend)
    before = template_pid(backend)
    os.kill(before, signal.SIGKILL)
    assert run("echo fine", backend=backend).output == "fine\n"
    assert template_pid(backend) != before


def test_one_that_is_stopped_is_replaced(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run("true", backend=backend)
    before = template_pid(backend)
    monkeypatch.setattr(command_template, "FORK_S", 0.5)
    os.kill(before, signal.SIGSTOP)
    begin = time.monotonic()
    assert run("echo fine", backend=backend).output == "fine\n"
    assert time.monotonic() - begin < 8
    assert template_pid(backend) != before


def test_one_that_cannot_start_is_a_failure_of_ours(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    end_templates()
    monkeypatch.setattr(command_template.bubblewrap, "template_program", lambda *_: ["/bin/sh", "-c", "echo no >&2"])
    with pytest.raises(command_template.SandboxFailed, match="does not start: no"):
        run("echo fine", backend=backend)


def test_no_memory_of_another_process_can_be_read(backend: str) -> None:
    code = (
        "import os\n"
        f"for pid in [{template_pid(backend)}, {os.getpid()}, os.getppid(), *range(1, 9)]:\n"
        "    for name in ('mem', 'maps', 'environ', 'fd', 'root/etc/shadow', 'cwd', 'exe', 'syscall', 'stack'):\n"
        "        try:\n"
        "            if pid != os.getpid():\n"
        "                path = f'/proc/{pid}/{name}'\n"
        "                (os.listdir(path) or open('')) if name == 'fd' else open(path, 'rb').read(1)\n"
        "                command = open(f'/proc/{pid}/cmdline', 'rb').read()\n"
        "                if not command.startswith((b'/bin/bash', b'bash')): print(pid, name)\n"
        "        except OSError: pass\n"
    )
    assert python(code, backend).output == ""


def test_no_process_can_be_traced(backend: str) -> None:
    code = (
        "import ctypes, os\nc = ctypes.CDLL(None)\n"
        f"for pid in ({template_pid(backend)}, {os.getpid()}, os.getppid(), 1, 2):\n"
        "    if not c.ptrace(16, pid, 0, 0) or not c.ptrace(0x4206, pid, 0, 0): print('traced', pid)\n"
        "    if c.process_vm_readv(pid, 0, 0, 0, 0, 0) == 0: print('read', pid)\n"
    )
    assert python(code, backend).output == ""


def test_no_priority_outside_can_be_changed(backend: str) -> None:
    run("true", backend=backend)
    mine, template = os.getpid(), template_pid(backend)
    before = [os.getpriority(os.PRIO_PROCESS, pid) for pid in (mine, template)]
    code = (
        "import os\n"
        f"for pid in ({mine}, {template}, os.getppid(), 1):\n"
        "    for change in (lambda: os.setpriority(os.PRIO_PROCESS, pid, 19), lambda: os.sched_setaffinity(pid, {0}),\n"
        "                   lambda: os.setpriority(os.PRIO_PGRP, pid, 19),\n"
        "                   lambda: os.setpriority(os.PRIO_USER, 0, 19)):\n"
        "        try: change()\n"
        "        except OSError: pass\n"
    )
    cpus = os.sched_getaffinity(template)
    python(code, backend)
    assert [os.getpriority(os.PRIO_PROCESS, pid) for pid in (mine, template)] == before
    assert os.sched_getaffinity(template) == cpus == os.sched_getaffinity(mine)


def test_no_limit_outside_can_be_changed(backend: str) -> None:
    run("true", backend=backend)
    template = template_pid(backend)
    before = Path(f"/proc/{template}/limits").read_text()
    code = (
        "import resource\n"
        f"for pid in ({template}, {os.getpid()}, 1):\n"
        "    try: resource.prlimit(pid, resource.RLIMIT_CPU, (1, 1))\n"
        "    except OSError: pass\n"
    )
    python(code, backend)
    assert Path(f"/proc/{template}/limits").read_text() == before


def test_limits_mask_folder_and_priority_are_new_for_each(backend: str) -> None:
    look = "ulimit -a | grep -vE 'pipe|processes'; umask; pwd; nice; "
    look += "python3 -c 'import os; print(os.sched_getaffinity(0))'"
    before = run(look, backend=backend).output
    run("ulimit -n 20; ulimit -u 5; ulimit -f 1; umask 777; cd /; renice 19 $$; taskset -p 1 $$", backend=backend)
    assert run(look, backend=backend).output == before


def test_signals_are_new_for_each(backend: str) -> None:
    code = (
        "import signal as s\nprint([n for n in range(1, 32) if s.getsignal(n) == s.SIG_IGN], s.pthread_sigmask(0, []))"
    )
    run("trap '' TERM INT HUP USR1 CHLD; kill -USR1 0", backend=backend)
    assert python(code, backend).output == "[<Signals.SIGPIPE: 13>, <Signals.SIGXFSZ: 25>] set()\n".replace(
        "<Signals.SIGPIPE: 13>", "13"
    ).replace("<Signals.SIGXFSZ: 25>", "25")


def test_no_process_of_an_earlier_command_is_left(backend: str) -> None:
    run("(setsid nohup sleep 396 &) ; (sleep 397 &) ; sleep 0.1", backend=backend)
    found = subprocess.run(["ps", "axo", "args"], capture_output=True, text=True, check=True).stdout
    assert "sleep 396" not in found
    assert "sleep 397" not in found


def test_commands_at_the_same_time_do_not_see_each_other(backend: str, word: str) -> None:
    results: dict[str, ShellResult] = {}

    def go(name: str, command: str) -> None:
        results[name] = run(command, backend=backend, wall_s=20.0)

    good = f"echo {word} > /tmp/{word}; (echo {word} > /dev/shm/w) 2>/dev/null; (exec -a {word} sleep 2); "
    good += f"cat /tmp/{word} a.txt"
    search = "sleep 1; cat /tmp/* /dev/shm/* /proc/*/cmdline 2>/dev/null | tr '\\0' ' '; kill -9 -1"
    threads = [threading.Thread(target=go, args=item) for item in {"good": good, "search": search}.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results["good"].output == f"{word}\nhello\n"
    assert word not in results["search"].output


def test_nothing_of_a_command_is_in_its_memory(backend: str, word: str) -> None:
    run("true", backend=backend)
    run(f"echo {word}; echo {word} > f", {f"{word}.txt": word.encode()}, backend=backend)
    pid, found = template_pid(backend), 0
    try:
        maps = Path(f"/proc/{pid}/maps").read_text().splitlines()
        with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
            for line in maps:
                begin, end = (int(part, 16) for part in line.split()[0].split("-"))
                if line.split()[1].startswith("rw"):
                    memory.seek(begin)
                    data = memory.read(end - begin) or b""
                    found += word.encode() in data
                    assert len(data) > 0
    except PermissionError:
        pytest.skip("its memory is closed to all but root")
    assert found == 0


def test_it_keeps_no_descriptor_and_no_child(backend: str) -> None:
    run("true", backend=backend)
    pid = template_pid(backend)

    def held() -> tuple[int, str]:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
        return len(list(Path(f"/proc/{pid}/fd").iterdir())), children

    try:
        held()
    except PermissionError:
        pytest.skip("what it holds is closed to all but root")
    wait_for(lambda: held()[1] == "")
    before = held()
    for _ in range(5):
        run("(sleep 9 &); exit 1", backend=backend)
    wait_for(lambda: held() == before)


@pytest.mark.slow
def test_it_ends_with_the_process_that_started_it(backend: str) -> None:
    name = backend.partition("-")[0]
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r})\n"
        "from support.shell import run; from pi_gym.shell.command_template import template_of\n"
        f"run('true', backend={backend!r}); print(template_of({name!r}).process.pid, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert Path(f"/proc/{pid}").exists()
        parent.kill()
    wait_for(lambda: not Path(f"/proc/{pid}").exists() or " Z " in Path(f"/proc/{pid}/stat").read_text())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_of_the_process_gets_a_template_of_its_own(backend: str) -> None:
    run("true", backend=backend)
    before = template_pid(backend)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            fine = run("echo fine", backend=backend).output == "fine\n" and template_pid(backend) != before
            os.write(writer, b"yes" if fine else b"no")
            end_templates()
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as file:  # noqa: PTH123 (a descriptor)
        assert file.read() == b"yes"
    os.waitpid(child, 0)
    assert run("echo fine", backend=backend).output == "fine\n"
    assert template_pid(backend) == before


def test_many_threads_share_one(backend: str) -> None:
    end_templates()
    outputs: list[str] = []
    threads = [
        threading.Thread(target=lambda n=n: outputs.append(run(f"echo {n}", backend=backend).output)) for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outputs) == [f"{n}\n" for n in range(8)]


@pytest.fixture(autouse=True, scope="module")
def _fresh() -> Iterator[None]:
    """Other tests do not get templates that these have replaced."""
    yield
    end_templates()
