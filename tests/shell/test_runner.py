"""Commands that mean no harm, in each sandbox that works here."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.shell import ROOT, SANDBOXES, need, run

from pi_gym.errors import UnknownName
from pi_gym.shell import ShellLimits, ShellRunner
from pi_gym.shell import bubblewrap as bwrap_commands
from pi_gym.shell import runner as runner_module
from pi_gym.shell.runner import UNAVAILABLE
from pi_gym.state import Workspace
from pi_gym.tools.shell_result import ShellResult
from pi_gym.types import Ask, ToolRequest


@pytest.fixture(params=SANDBOXES)
def backend(request: pytest.FixtureRequest) -> str:
    need(request.param)
    return str(request.param)


def asked(command: str, number: int = 1, files: dict[str, bytes] | None = None) -> Ask:
    workspace = Workspace(files or {})
    payload = {"command": command, "working_dir": "", "root": ROOT, "workspace": workspace}
    return Ask(f"a{number}", "shell", "exec", "call", ToolRequest("shell", payload))


def test_a_command_sees_the_files_and_its_changes_come_back(backend: str) -> None:
    command = "pwd; cat a.txt; rm a.txt; mv d f; mkdir -p q/r; printf '\\0\\377' > b.bin; echo oops >&2; exit 3"
    result = run(command, backend=backend)
    assert (result.exit, result.ended, result.cut) == (3, "", 0)
    assert result.output == f"{ROOT}\nhello\noops\n"
    assert result.files == {"b.bin": b"\0\xff", "f/e.txt": b"x"}
    assert (result.folders, result.deleted) == (("f", "q", "q/r"), ("a.txt", "d", "d/e.txt"))


def test_what_was_not_changed_does_not_come_back(backend: str) -> None:
    result = run("touch a.txt; cat d/e.txt; echo hello > a.txt", backend=backend)
    assert (result.files, result.folders, result.deleted, result.refused) == ({}, (), (), ())


def test_the_working_directory_is_the_one_asked_for(backend: str) -> None:
    assert run("pwd; ls", backend=backend, folder="d").output == f"{ROOT}/d\ne.txt\n"


def test_paths_under_the_shown_root_work(backend: str) -> None:
    result = run(f"cp {ROOT}/a.txt {ROOT}/d/copy.txt && ls {ROOT}", backend=backend)
    assert (result.output, result.files) == ("a.txt\nd\n", {"d/copy.txt": b"hello\n"})


def test_python_with_its_standard_library_is_there_and_leaves_no_caches(backend: str) -> None:
    files = {"own.py": b"VALUE = 6\n", "main.py": b"import own\nprint(own.VALUE * 7)\n"}
    names = "csv,ctypes,datetime,decimal,hashlib,json,random,re,sqlite3,statistics,subprocess,unittest,zlib,zoneinfo"
    result = run(f"python3 main.py && python3 -c 'import {names}; print(len(dir()) > 10)'", files, backend=backend)
    assert (result.output, result.files, result.exit) == ("42\nTrue\n", {}, 0)


def test_scripts_with_an_interpreter_line_can_be_run(backend: str) -> None:
    assert run("./s.sh", {"s.sh": b"#!/bin/sh\necho ran\n"}, backend=backend).output == "ran\n"


def test_names_in_other_scripts_work(backend: str) -> None:
    files = {"größe/日本 語.txt": "ä".encode()}
    result = run("cat größe/*; mv größe/日本\\ 語.txt 'ü.txt'", files, backend=backend)
    assert (result.output, result.files) == ("ä", {"ü.txt": "ä".encode()})


def test_binary_output_becomes_text(backend: str) -> None:
    result = run("printf 'a\\0\\377\\033b'", backend=backend)
    assert result.output == "a\ufffd\ufffd\ufffdb"


def test_the_environment_tells_nothing_of_the_host(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_HOST", "xyzzy")
    assert "xyzzy" not in run("env; cat /proc/self/environ /proc/1/environ 2>/dev/null", backend=backend).output


def test_nothing_of_a_command_is_left_on_the_host(backend: str) -> None:
    before, shm = entries(tempfile.gettempdir()), entries("/dev/shm")
    run("echo x > /tmp/left; echo y > $HOME/left; (sleep 391 &) ; setsid sleep 392 & disown; exit", backend=backend)
    new = [name for name in entries(tempfile.gettempdir()) - before if name.startswith(f"pi_gym-shell-{os.getpid()}-")]
    assert new == []
    assert not {"work", "home", "left"} & (entries("/dev/shm") - shm)
    assert not [line for line in processes() if "sleep 391" in line or "sleep 392" in line]


def test_nothing_is_left_when_pi_gym_is_killed_by_force(backend: str) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r})\n"
        f"from support.shell import run; run('(sleep 394 &); sleep 395', backend={backend!r}, wall_s=50)"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as parent:
        wait_for(lambda: any("sleep 395" in line for line in processes()))
        parent.kill()
    wait_for(lambda: not any("sleep 394" in line or "sleep 395" in line for line in processes()))
    wait_for(lambda: not any(name.startswith(f"pi_gym-shell-{parent.pid}-") for name in entries(tempfile.gettempdir())))


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def entries(folder: str) -> set[str]:
    return {entry.name for entry in Path(folder).iterdir()} if Path(folder).is_dir() else set()


def processes() -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
            except OSError:
                continue
    return found


def test_commands_of_several_sessions_run_side_by_side() -> None:
    need()
    runner = ShellRunner(limits=ShellLimits(wall_s=20), parallel=4)
    runner.available()
    asks = [asked(f"cat name; sleep 1; echo {n} > out", n, {"name": str(n).encode()}) for n in range(4)]
    begin = time.monotonic()
    answers = runner.respond(asks)
    assert time.monotonic() - begin < 3.5
    results = [ShellResult.from_json(answer.value) for answer in answers]
    assert [result.output for result in results] == ["0", "1", "2", "3"]
    assert [result.files["out"] for result in results] == [b"0\n", b"1\n", b"2\n", b"3\n"]


def test_other_asks_get_an_error() -> None:
    ask = Ask("a1", "web", "web_fetch", "call", ToolRequest("web", {}))
    (answer,) = ShellRunner("off").respond([ask])
    assert "'web'" in answer.error


def test_off_runs_nothing() -> None:
    runner = ShellRunner("off")
    assert not runner.available()
    (answer,) = runner.respond([asked("echo x")])
    assert answer.error == ""
    assert answer.value == {"unavailable": UNAVAILABLE}
    assert "turned off" in runner.available().text


def test_what_is_missing_is_named_with_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner_module, "_faults", {})
    monkeypatch.setattr(bwrap_commands.shutil, "which", lambda name, path=None: None)
    found = ShellRunner("bubblewrap").available()
    assert not found
    assert "bwrap is not installed" in found.text
    assert "apt-get install bubblewrap" in found.text


def test_a_sandbox_that_breaks_is_no_result_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    need("bubblewrap")
    monkeypatch.setattr(bwrap_commands, "UID", "no number")
    (answer,) = ShellRunner("bubblewrap").respond([asked("echo x")])
    assert answer.value is None or ShellResult.from_json(answer.value).output != "x\n"


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(UnknownName, match="bubblewrap"):
        ShellRunner("bublewrap")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="parallel"):
        ShellRunner(parallel=0)
    with pytest.raises(ValueError, match="wall_s"):
        ShellLimits(wall_s=0)


def test_an_ordinary_user_can_use_it() -> None:
    """The suite may run as root, who is an exception to some limits; the sandbox must not need that."""
    need("bubblewrap")
    python = Path(os.path.realpath("/usr/bin/python3"))
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    if os.getuid() != 0 or python.name != f"python3.{sys.version_info.minor}" or not Path("/usr/bin/setpriv").exists():
        pytest.skip("this needs root, setpriv and a system Python of the version that runs the tests")
    tests = Path(__file__).resolve().parents[1]
    for folder in (tests, Path(packages).resolve()):
        if not all(place.stat().st_mode & stat.S_IXOTH for place in (folder, *folder.parents)):
            pytest.skip(
                f"an ordinary user cannot read {folder}; this runs where the clone lies in a folder open to all"
            )
    code = (
        f"import site, sys; sys.path[:0] = {[str(tests)]!r}; site.addsitedir({packages!r})\n"
        "from support.shell import fault, run\n"
        "print(repr(fault('bubblewrap')), run('id -u; echo hi').output.split(), run(':(){ :|:& };:; sleep 9').ended)"
    )
    user = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    done = subprocess.run(
        [*user, str(python), "-c", code], capture_output=True, text=True, timeout=60, check=False, env={"HOME": "/"}
    )
    assert done.stdout == "'' ['1000', 'hi'] processes\n", done.stderr
