"""Commands that mean harm: each ends with a clear result, within its limits, and leaves the host alone."""

from __future__ import annotations

import os
import site
import socket
import sysconfig
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from support.shell import FILES, SANDBOXES, need, run

import pi_gym

LATE = 8.0


@pytest.fixture(params=SANDBOXES)
def backend(request: pytest.FixtureRequest) -> str:
    need(request.param)
    return str(request.param)


@pytest.fixture
def canaries() -> Iterator[tuple[str, list[Path]]]:
    """A word in the home folder, among the installed packages, beside the packs and in a temporary folder."""
    word = f"canary-{uuid.uuid4().hex}"
    own = Path(next(iter(pi_gym.__path__))).resolve()
    envs = own / "envs" if (own / "envs").is_dir() else own.parent / "envs"
    places = [Path.home(), Path(sysconfig.get_path("purelib")), envs, own, Path("/tmp"), *map(Path, site.PREFIXES)]
    places += [Path("/usr/lib/python3/dist-packages"), Path("/usr/local/lib/python3.11/dist-packages")]
    planted = []
    for place in places:
        file = place / f"{word}.txt"
        if place.is_dir() and os.access(place, os.W_OK):
            file.write_text(word)
            planted.append(file)
    try:
        yield word, planted
    finally:
        for file in planted:
            file.unlink(missing_ok=True)


def test_no_canary_is_found_anywhere(backend: str, canaries: tuple[str, list[Path]]) -> None:
    word, planted = canaries
    if len(planted) < 3:
        pytest.skip(f"canaries can be planted in {len(planted)} places only: the rest cannot be written here")
    reads = "; ".join(f"cat '{path}'" for path in planted)
    # The word is put together in the command, so that the search does not find itself.
    half = len(word) // 2
    search = f"w='{word[:half]}''{word[half:]}'; find / -xdev -name \"$w*\" 2>/dev/null; "
    search += 'grep -rlsI "$w" /home /root /opt /srv /var /tmp /usr/local /usr/lib/python3* /mnt /etc 2>/dev/null; '
    result = run(f"({reads}) 2>/dev/null; {search} python3 -c 'import pi_gym'", backend=backend, wall_s=30)
    assert result.ended == ""
    assert word not in result.output
    assert "No module named 'pi_gym'" in result.output


def test_nothing_outside_the_workspace_can_be_changed(backend: str) -> None:
    outside = "/usr/bin/x /usr/lib/x /etc/x /x /root/x /var/tmp/x /dev/x /usr/local/x"
    result = run(f"for f in {outside}; do (echo x > $f) 2>/dev/null && echo wrote $f; done; echo end", backend=backend)
    assert result.output == "end\n"


def test_a_fork_bomb_is_stopped(backend: str) -> None:
    begin = time.monotonic()
    result = run(":(){ :|:& };:; sleep 60", backend=backend)
    assert result.ended == "processes"
    assert time.monotonic() - begin < LATE
    assert run("echo fine", backend=backend).output == "fine\n"


def test_a_fork_bomb_does_not_fill_the_host(backend: str) -> None:
    def tasks() -> int:
        return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])

    peak, over = [before := tasks()], threading.Event()

    def watch() -> None:
        while not over.wait(0.01):
            peak.append(tasks())

    watcher = threading.Thread(target=watch)
    watcher.start()
    run(":(){ :|:& };:; sleep 60", backend=backend)
    over.set()
    watcher.join()
    # 128 are allowed; without a limit there are thousands before anybody who watches gets a turn.
    assert max(peak) - before < 1_000


@pytest.mark.slow
def test_an_endless_loop_is_stopped(backend: str) -> None:
    begin = time.monotonic()
    result = run("echo begun; while :; do :; done", backend=backend, wall_s=1.0)
    assert (result.ended, result.output, result.exit) == ("timeout", "begun\n", 137)
    assert time.monotonic() - begin < LATE


def test_a_program_that_ignores_signals_is_stopped(backend: str) -> None:
    result = run("trap '' TERM INT HUP; exec >&- 2>&-; while :; do sleep 1; done", backend=backend, wall_s=1.0)
    assert result.ended == "timeout"


def test_a_memory_eater_is_stopped(backend: str) -> None:
    eat = "x = bytearray(b'a') * 300_000_000; import time; time.sleep(30)"
    alone = run(f'python3 -c "{eat}"', backend=backend, process_bytes=200_000_000)
    assert alone.exit == 1
    assert "MemoryError" in alone.output
    many = f'for i in 1 2 3; do python3 -c "{eat}" & done; wait'
    assert run(many, backend=backend, memory_bytes=500_000_000).ended == "memory"


def test_a_disk_filler_is_stopped(backend: str) -> None:
    fill = "for i in $(seq 400); do head -c 4000000 /dev/zero > f$i || exit 9; done"
    result = run(fill, backend=backend, disk_bytes=40_000_000)
    assert result.exit == 9 or result.ended == "disk"
    assert result.overflow
    big = run("head -c 9000000 /dev/zero > big", backend=backend, file_bytes=5_000_000)
    assert big.exit != 0
    assert [what for what, _ in big.refused] == ["big"]


def test_other_places_to_write_have_a_bound_too(backend: str) -> None:
    fill = "for d in /tmp $TMPDIR $HOME /dev/shm; do for i in 1 2 3 4 5 6; do head -c 9000000 /dev/zero > $d/f$i; done;"
    result = run(f"({fill} done) 2>/dev/null; df -P / >/dev/null; echo end", backend=backend, disk_bytes=40_000_000)
    assert result.ended == "disk" or result.output == "end\n"
    assert result.files == {}


@pytest.mark.slow
def test_a_huge_tree_is_stopped_and_not_taken(backend: str) -> None:
    result = run("python3 -c \"for i in range(10**6): open(str(i), 'w')\"", backend=backend, entries=3_000)
    assert result.ended == "entries"
    assert result.overflow
    assert result.files == {}


def test_many_changes_are_not_taken(backend: str) -> None:
    result = run("for i in $(seq 2100); do : > f$i; done", backend=backend)
    assert "more than 2000 files" in result.overflow


@pytest.mark.slow
def test_a_deep_tree_is_cut(backend: str) -> None:
    result = run("for i in $(seq 300); do mkdir d$i && cd d$i; done; touch end; echo ok", {}, backend=backend)
    assert result.output == "ok\n"
    assert [why for _, why in result.refused] == ["too deep"]


@pytest.mark.slow
def test_a_gigabyte_of_output_is_cut(backend: str) -> None:
    size = 1_000_000_000 if backend == "bubblewrap" else 100_000_000  # they read it in the same way
    result = run(f"yes | head -c {size}", backend=backend, wall_s=50.0)
    assert (len(result.output), result.cut, result.ended) == (10_000, size, "")


def test_background_processes_die_with_the_command(backend: str) -> None:
    begin = time.monotonic()
    result = run("(sleep 50; echo late > late) & setsid nohup sleep 493 > /dev/null 2>&1 & echo ok", backend=backend)
    assert (result.output, result.files) == ("ok\n", {})
    assert time.monotonic() - begin < LATE
    assert not any("sleep 493" in line for line in command_lines())


def command_lines() -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
        except OSError:
            continue
    return found


def test_links_and_special_files_are_not_taken_and_never_followed(backend: str) -> None:
    command = (
        "ln -s /etc/passwd p; rm -r d a.txt; ln -s /usr d; ln -s d e; mkfifo f; ln -s /usr/bin/env a.txt; touch ok"
    )
    result = run(command, backend=backend)
    assert result.files == {"ok": b""}
    assert {what for what, _ in result.refused} == {"p", "d", "e", "f", "a.txt"}
    # What a link stands in the place of stays as it was.
    assert result.deleted == ()


def test_a_link_to_the_outside_cannot_be_written_through(backend: str, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine")
    run(f"ln -s {target} l; echo theirs > l; cp -f a.txt {target}; ln {target} h", backend=backend)
    assert target.read_text() == "mine"
    assert sorted(tmp_path.iterdir()) == [target]


def test_names_that_no_workspace_holds_are_not_taken(backend: str) -> None:
    result = run("touch $'bad\\xff' $'new\\nline' ' blank' 'back\\slash' ok", {}, backend=backend)
    assert list(result.files) == ["ok"]
    assert len(result.refused) == 4
    assert all(what.isprintable() for what, _ in result.refused)


def test_files_without_permissions_are_read_all_the_same(backend: str) -> None:
    result = run("mkdir z; echo 1 > z/1; echo 2 > a.txt; chmod 000 z a.txt d", backend=backend)
    assert result.files == {"z/1": b"1\n", "a.txt": b"2\n"}
    assert result.deleted == ()


def test_there_is_no_network(backend: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port, seen = server.getsockname()[1], []

        def accept() -> None:
            server.settimeout(1.5)
            with suppress(TimeoutError):
                seen.append(server.accept())

        thread = threading.Thread(target=accept)
        thread.start()
        code = (
            "import socket\n"
            f"for place in (('127.0.0.1', {port}), ('1.1.1.1', 80), ('example.org', 80)):\n"
            "    try:\n        socket.create_connection(place, 1); print('connected')\n"
            "    except OSError: print('no')\n"
        )
        result = run("python3 net.py", {"net.py": code.encode()}, backend=backend)
        thread.join()
    assert result.output == "no\nno\nno\n"
    assert seen == []


def test_sockets_of_the_host_are_out_of_reach(backend: str, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        server.listen()
        code = f"import socket; socket.socket(socket.AF_UNIX).connect({str(tmp_path / 's')!r})"
        assert run("python3 s.py", {"s.py": code.encode()}, backend=backend).exit == 1


def test_processes_of_the_host_are_out_of_reach(backend: str) -> None:
    mine = os.getpid()
    result = run(f"kill -9 {mine} $PPID 1; kill -0 {os.getppid()} && echo alive; kill -9 -1; echo end", backend=backend)
    assert "alive" not in result.output
    assert result.output.endswith("end\n")


@pytest.mark.parametrize(
    "code",
    [
        "import os; os.memfd_create('x')",
        "import ctypes, os; c = ctypes.CDLL(None, use_errno=True); assert c.unshare(0x10000000) == 0",
        "import ctypes; assert ctypes.CDLL(None).shmget(0, 10**9, 0o1600) >= 0",
        "import socket; socket.socket(40, socket.SOCK_STREAM)",
        "import ctypes; assert ctypes.CDLL(None).ptrace(0, 0, 0, 0) == 0",
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 50, 1 << 50))",
    ],
)
def test_doors_of_the_kernel_are_shut(backend: str, code: str) -> None:
    result = run("python3 c.py", {"c.py": code.encode()}, backend=backend)
    assert result.exit == 1, result.output


def test_modes_of_files_outside_stay(backend: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    before = file.stat()
    run(f"chmod 000 {file}; touch -d 2001-01-01 {file}; chown 1:1 {file}", backend=backend)
    after = file.stat()
    assert (after.st_mode, after.st_mtime_ns, after.st_uid) == (before.st_mode, before.st_mtime_ns, before.st_uid)


def test_one_hostile_command_leaves_the_others_alone(backend: str) -> None:
    results: dict[str, object] = {}

    def go(name: str, command: str) -> None:
        results[name] = run(command, FILES, backend=backend, wall_s=20.0)

    work = {"bomb": ":(){ :|:& };:; sleep 60", "good": "sleep 1; cat a.txt", "eater": "kill -9 -1; cat /dev/zero > x"}
    threads = [threading.Thread(target=go, args=item) for item in work.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results["good"].output == "hello\n"  # type: ignore[attr-defined]
    assert results["bomb"].ended == "processes"  # type: ignore[attr-defined]
