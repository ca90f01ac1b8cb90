"""The keeper of one command: a process of its own that lays out the copy, starts the sandbox, watches, collects.

It is started as a script, by an interpreter without site-packages, so it imports the standard library only. Under
bubblewrap it lives in namespaces of its own, with a file system in memory: whatever happens to it or to its parent, no
process and no file is left. It reads one job from its standard input (a line of JSON, then the files' bytes) and writes
one line of JSON; `pi_gym.shell.runner` is the other end. What is in the copy after the command is hostile: names are
bytes that the command chose, and no link is ever followed.
"""

from __future__ import annotations

import base64
import ctypes
import fcntl
import json
import os
import resource
import select
import signal
import stat
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

TICK_S = 0.04
COUNT_S = 0.005
PIDS = "/sys/fs/cgroup/pids"
_PIPE_SIZE = 1031
_REFUSED = 200
_DEPTH = 32
_DEATH_SIGNAL, _SUBREAPER, _NO_NEW_PRIVS, _SECCOMP = 1, 36, 38, 22


def main() -> None:
    """Run one job."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    job = json.loads(sys.stdin.buffer.readline())
    files = {path: sys.stdin.buffer.read(size) for path, size in job["files"]}
    sys.stdout.write(json.dumps(run(job, files)) + "\n")


def run(job: dict[str, Any], files: dict[str, bytes]) -> dict[str, Any]:
    """Lay out, run, collect."""
    place = job["place"]
    work = os.path.join(place, "work")
    for name in ("work", "home", "tmp", "shm", "etc"):
        os.mkdir(os.path.join(place, name), 0o755)
    for name, text in job["etc"].items():
        _write(os.path.join(place, "etc", name), text.encode())
    for folder in job["folders"]:
        os.makedirs(os.path.join(work, folder), exist_ok=True)
    for path, data in files.items():
        whole = os.path.join(work, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        _write(whole, data)
        if data.startswith(b"#!"):
            os.chmod(whole, 0o755)
    if job["uid"]:
        job["uid"] = _given_away(place, job["uid"])
    group = job["group"] = _own_group(job["limits"]["processes"] + 8) if job["backend"] == "bubblewrap" else ""
    done = _watched(job)
    if group:
        with suppress(OSError):  # where a process of it is still going, which the end of our namespaces takes
            os.rmdir(group)
    if "error" in done:
        return done
    return done | collect(work, files, set(job["folders"]), job["caps"])


def _own_group(most: int) -> str:
    """A control group that holds at most so many processes; "" where none can be made.

    Root makes one, and root needs one: the kernel's limit on a user's processes does not hold for root's, and a fork
    bomb makes thousands before anybody who watches gets a turn. Control groups of the second version are left alone:
    there, a group of its own would take the command out of the limits that its parent has.
    """
    place = os.path.join(PIDS, f"pi_gym-{os.urandom(8).hex()}")
    try:
        os.mkdir(place)
    except OSError:
        return ""
    try:
        _write(os.path.join(place, "pids.max"), str(most).encode())
    except OSError:
        os.rmdir(place)
        return ""
    return place


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)


def _given_away(place: str, uid: int) -> int:
    """Make the copy another user's; gives 0 where there is no such user in these namespaces."""
    try:
        os.chown(place, uid, uid)
    except OSError:
        return 0
    for name in ("work", "home", "tmp"):
        top = os.path.join(place, name)
        os.chown(top, uid, uid)
        for folder, folders, files in os.walk(top):
            for entry in (*folders, *files):
                os.chown(os.path.join(folder, entry), uid, uid)
    return uid


# -- running -------------------------------------------------------------------------------------------------------


def _start(job: dict[str, Any]) -> tuple[subprocess.Popen[bytes], int]:
    limits, alone = job["limits"], job["backend"] == "landlock"
    program = bytes.fromhex(job["seccomp"])
    argv, kept = list(job["argv"]), []
    if not alone and program:
        reader, writer = os.pipe()  # the program is far smaller than a pipe
        os.write(writer, program)
        os.close(writer)
        argv[argv.index("--") : argv.index("--")] = ["--seccomp", str(reader)]
        kept.append(reader)
    libc = ctypes.CDLL(None, use_errno=True) if alone else None
    confined = _confinement(job) if alone else None
    if libc is not None:
        libc.prctl(_SUBREAPER, 1, 0, 0, 0)
        libc.prctl(_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
    output, child_end = os.pipe()
    # The kernel counts the processes of a user: in a namespace of our own, or of a user of our own, only these.
    most = limits["processes"] + 8 if job["count_here"] or job["uid"] else 0
    if alone and not job["uid"] and os.getuid() != 0:
        most = limits["processes"] + 8 + _of_this_user(job["proc"])

    def limit() -> None:
        os.nice(5)
        if job["group"]:
            _write(os.path.join(job["group"], "cgroup.procs"), b"0")
        with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
        wanted = {
            resource.RLIMIT_AS: limits["process_bytes"],
            resource.RLIMIT_FSIZE: limits["file_bytes"],
            resource.RLIMIT_CPU: limits["cpu_s"],
            resource.RLIMIT_NOFILE: limits["open_files"],
            resource.RLIMIT_CORE: 0,
        }
        if most:
            wanted[resource.RLIMIT_NPROC] = most
        for name, value in wanted.items():
            hard = resource.getrlimit(name)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(name, (value, value))
        if confined is not None and libc is not None:
            if job["uid"]:
                os.setgroups([])
                os.setresgid(job["uid"], job["uid"], job["uid"])
                os.setresuid(job["uid"], job["uid"], job["uid"])
            libc.prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
            confined()
            _filter(libc, program)

    process = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=child_end,
        stderr=child_end,
        cwd=job["cwd"],
        env=job["env"],
        pass_fds=kept,
        preexec_fn=limit,
        start_new_session=True,
    )
    for fd in (child_end, *kept):
        os.close(fd)
    os.set_blocking(output, False)
    with suppress(OSError):
        fcntl.fcntl(output, _PIPE_SIZE, 1 << 20)
    return process, output


def _of_this_user(proc: str) -> int:
    names = [name for name in os.listdir(proc) if name.isdigit()]
    count = 0
    for name in names:
        with suppress(OSError):
            if os.stat(os.path.join(proc, name)).st_uid == os.getuid():
                count += max(1, _threads_and_memory(proc, name)[0])
    return count


def _confinement(job: dict[str, Any]) -> Any:
    from sandlock import Sandbox, confine  # only this backend has it

    policy = Sandbox(fs_readable=job["readable"], fs_writable=job["writable"])
    return lambda: confine(policy)


def _filter(libc: Any, program: bytes) -> None:
    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]

    libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
    held = Program(len(program) // 8, program)
    if not program or libc.prctl(_SECCOMP, 2, ctypes.byref(held), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no filter of system calls")


def _watched(job: dict[str, Any]) -> dict[str, Any]:
    try:
        process, output = _start(job)
    except (OSError, subprocess.SubprocessError, ImportError) as error:
        return {"error": f"the sandbox does not start: {error}"}
    printed = Printed(job["output_bytes"])
    try:
        ended = _until_end(process, output, printed, job)
    except SystemExit:
        # The parent is gone. Without namespaces nobody else ends the command and removes the copy.
        _end(process, job)
        _remove(job["place"])
        raise
    _end(process, job)
    while printed.read(output):
        pass
    os.close(output)
    status = process.wait()
    return {
        "exit": 128 - status if status < 0 else status,
        "ended": ended,
        "output": base64.b64encode(bytes(printed.kept)).decode(),
        "printed": printed.total,
    }


def _until_end(process: subprocess.Popen[bytes], output: int, printed: Printed, job: dict[str, Any]) -> str:
    """Watch until it ends, or has to be ended: why."""
    begin = time.monotonic()
    next_look = begin + TICK_S
    while process.poll() is None:
        if select.select([output], [], [], COUNT_S)[0] and not printed.read(output):
            time.sleep(TICK_S / 20)  # it has closed its output, by its end or by itself
        # Run by root, the kernel's own limit on processes does not hold, and a bomb doubles within milliseconds.
        if len(_processes(job)) > job["limits"]["processes"] + 2:
            return "processes"
        now = time.monotonic()
        if now >= next_look:
            next_look = now + TICK_S
            ended = _excess(job, now - begin)
            if ended:
                return ended
    return ""


def _remove(place: str) -> None:
    from shutil import rmtree  # not needed where namespaces do it

    rmtree(place, ignore_errors=True)


class Printed:
    """The output that comes through a pipe: the beginning is kept, the rest is counted."""

    def __init__(self, most: int) -> None:
        self.most, self.kept, self.total = most, bytearray(), 0

    def read(self, fd: int) -> bool:
        """Read what is there; False where there is nothing."""
        try:
            chunk = os.read(fd, 1 << 20)
        except BlockingIOError:
            return False
        self.total += len(chunk)
        self.kept += chunk[: max(0, self.most - len(self.kept))]
        return bool(chunk)


def _excess(job: dict[str, Any], seconds: float) -> str:
    limits = job["limits"]
    if seconds > limits["wall_s"]:
        return "timeout"
    mine = _processes(job)
    if sum(_threads_and_memory(job["proc"], pid)[0] for pid in mine) > limits["processes"] + 2:
        return "processes"
    if sum(_threads_and_memory(job["proc"], pid)[1] for pid in mine) > limits["memory_bytes"]:
        return "memory"
    return _disk_excess(job)


def _processes(job: dict[str, Any]) -> list[str]:
    """The processes of the sandbox."""
    proc = job["proc"]
    names = [name for name in os.listdir(proc) if name.isdigit()]
    if job["backend"] == "bubblewrap":  # a process table of our own: the init, this process, and the sandbox's
        own = os.readlink(os.path.join(proc, "self"))
        return [name for name in names if name not in ("1", own)]
    parents: dict[str, str] = {}
    for name in names:
        with suppress(OSError, IndexError), open(os.path.join(proc, name, "stat"), "rb") as file:
            parents[name] = file.read().rpartition(b")")[2].split()[1].decode()
    found, level = [], [str(os.getpid())]
    while level:
        level = [pid for pid, parent in parents.items() if parent in level]
        found += level
    return found


def _threads_and_memory(proc: str, pid: str) -> tuple[int, int]:
    threads = memory = 0
    with suppress(OSError, ValueError, IndexError), open(os.path.join(proc, pid, "status"), "rb") as file:
        for line in file:
            if line.startswith((b"RssAnon:", b"RssShmem:")):
                memory += int(line.split()[1]) * 1024
            elif line.startswith(b"Threads:"):
                threads = int(line.split()[1])
    return threads, memory


def _disk_excess(job: dict[str, Any]) -> str:
    limits, place = job["limits"], job["place"]
    if job["backend"] == "bubblewrap":
        # The file system has a size and says by itself when it is full; only its entries have to be counted.
        found = os.statvfs(place)
        return "entries" if found.f_files - found.f_ffree > limits["entries"] + 20 else ""
    entries = size = 0
    waiting = [os.path.join(place, name) for name in ("work", "home", "tmp")]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as found_here:
            for entry in found_here:
                entries += 1
                with suppress(OSError):
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                if entries > limits["entries"]:
                    return "entries"
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
    return "disk" if size > limits["disk_bytes"] else ""


def _end(process: subprocess.Popen[bytes], job: dict[str, Any]) -> None:
    """End all processes of the sandbox."""
    with suppress(ProcessLookupError):
        process.kill()
    while True:
        process.poll()
        left = [int(pid) for pid in _processes(job)]
        if not left:
            return
        # A namespace's end takes all that is in it. Without one, those that go on multiplying are stopped first.
        for number in (signal.SIGSTOP, signal.SIGKILL) if job["backend"] == "landlock" else ():
            for pid in left:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
        for pid in left:
            if pid != process.pid:  # orphans are ours to bury
                with suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
        time.sleep(0.001)


# -- collecting ----------------------------------------------------------------------------------------------------


class Overflow(Exception):
    """The error that more has changed than is taken back; the argument says what."""


class Collector:
    """A collector of what differs from the copy as it was laid out."""

    def __init__(self, files: dict[str, bytes], caps: dict[str, int]) -> None:
        self.before, self.caps = files, caps
        self.changed: dict[str, bytes] = {}
        self.seen: set[str] = set()
        self.folders: set[str] = set()
        self.refused: list[tuple[str, str]] = []
        self.kept: list[str] = []
        self.size = self.entries = 0

    def refuse(self, path: str, why: str) -> None:
        """Refuse to take a path back; what was there before stays."""
        self.kept.append(path)
        if len(self.refused) < _REFUSED:
            self.refused.append((path, why))

    def walk(self, fd: int, folder: str, depth: int) -> None:
        """One directory, by its descriptor: its path may be longer than the system takes."""
        for name in sorted(os.listdir(fd)):
            path = f"{folder}/{name}" if folder else name
            self.entries += 1
            if self.entries > self.caps["entries"]:
                raise Overflow(f"the workspace would hold more than {self.caps['entries']} files and directories")
            found = os.stat(name, dir_fd=fd, follow_symlinks=False)
            if stat.S_ISDIR(found.st_mode):
                self._descend(fd, name, path, depth)
            elif stat.S_ISREG(found.st_mode):
                self._file(fd, name, path, found.st_size)
            else:
                kind = "a symbolic link" if stat.S_ISLNK(found.st_mode) else "not a plain file"
                self.refuse(path, f"{kind}; only files and directories are kept")

    def _descend(self, fd: int, name: str, path: str, depth: int) -> None:
        if depth >= _DEPTH:
            self.refuse(path, "too deep")
            return
        # No process is left that could put a link in the place of what was just looked at.
        os.chmod(name, 0o700, dir_fd=fd)
        below = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=fd)
        try:
            self.folders.add(path)
            self.walk(below, path, depth + 1)
        finally:
            os.close(below)

    def _file(self, fd: int, name: str, path: str, size: int) -> None:
        old = self.before.get(path)
        if size > self.caps["file_bytes"] and (old is None or len(old) != size):
            self.refuse(path, f"{size} bytes; at most {self.caps['file_bytes']} are possible")
            return
        self.seen.add(path)
        os.chmod(name, 0o600, dir_fd=fd)
        with open(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=fd), "rb") as file:
            data = file.read(size)
        if data == old:
            return
        self.changed[path] = data
        self.size += len(data)
        if len(self.changed) > self.caps["files"]:
            raise Overflow(f"it changed more than {self.caps['files']} files")
        if self.size > self.caps["bytes"]:
            raise Overflow(f"it changed more than {self.caps['bytes']} bytes")

    def gone(self, folders: set[str]) -> list[str]:
        """The paths that were there and are no more; what became something that is not kept stays as it was."""
        missing = (set(self.before) - self.seen) | (folders - self.folders)
        return sorted(path for path in missing if not any((path + "/").startswith(k + "/") for k in self.kept))


def collect(work: str, files: dict[str, bytes], folders: set[str], caps: dict[str, int]) -> dict[str, Any]:
    """The changes, as JSON. Names that are no UTF-8 come with lone surrogates."""
    collector = Collector(files, caps)
    try:
        os.chmod(work, 0o700)
        fd = os.open(work, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            collector.walk(fd, "", 0)
        finally:
            os.close(fd)
    except Overflow as error:
        return {"overflow": str(error), "files": {}, "folders": [], "deleted": [], "refused": []}
    return {
        "overflow": "",
        "files": {path: base64.b64encode(data).decode() for path, data in collector.changed.items()},
        "folders": sorted(collector.folders - folders),
        "deleted": collector.gone(folders),
        "refused": collector.refused,
    }


if __name__ == "__main__":
    main()
