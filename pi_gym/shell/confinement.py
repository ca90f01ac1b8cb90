"""The space of a command under Landlock: a folder of the host, and rules that leave nothing else open.

There are no namespaces, so the command runs among the host's processes. Which rights Landlock holds depends on the
version of it that the kernel speaks; docs/shell.md has the table.
"""

from __future__ import annotations

import array
import os
import signal
import socket
import stat
import time
from contextlib import suppress
from typing import Any

from pi_gym.shell import kernel
from pi_gym.shell.counting import ProcessLoad, measure
from pi_gym.shell.launching import Launch, execute, give_away, limit, limit_processes
from pi_gym.shell.supervisor import Supervisor

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER, _TRUNCATE, _IOCTL = 1, 2, 4, 8, 1 << 14, 1 << 15
#: For each version the rights on files that it knows, on the network, its scopes, and the size of the three.
_RIGHTS = {
    1: ((1 << 13) - 1, 0, 0, 8),
    2: ((1 << 14) - 1, 0, 0, 8),
    3: ((1 << 15) - 1, 0, 0, 8),
    4: ((1 << 15) - 1, 3, 0, 16),
    5: ((1 << 16) - 1, 3, 0, 16),
    6: ((1 << 16) - 1, 3, 3, 24),
}


class Confinement:
    """The folder in which one command runs, and the processes of that command."""

    proc = "/proc"

    def __init__(self, job: dict[str, Any]) -> None:
        self.job = job
        self.place: str = job["place"]
        self.work = self.place + job["root"]
        #: The folders that are the command's own.
        self.writable = (self.place + os.path.dirname(job["root"]), self.place + "/tmp")
        self.clock_library = self.place + "/session-clock.so"
        self.main = 0
        self.supervisor: Supervisor | None = None

    def prepare(self) -> None:
        """Make the folders."""
        kernel.adopt_orphans()
        os.makedirs(self.work)
        os.mkdir(self.place + "/tmp")

    def set_clock(self, library: bytes) -> None:
        """Let the programs load a library, as long as they are told to by their environment."""
        if library:
            with open(self.clock_library, "wb") as file:
                file.write(library)
            self.job["env"]["LD_PRELOAD"] = self.clock_library

    def start(self, output: int) -> None:
        """Start the command; OSError where the sandbox cannot be made."""
        job, limits = self.job, self.job["limits"]
        uid = job["uid"]
        if uid:
            give_away(self.place, uid)
            os.fchown(output, uid, uid)  # it can be opened by the names /dev/stdout and /dev/stderr too
        # The kernel counts the processes of a user; those of an ordinary user are not all of the command.
        most = limits["processes"] + 8 + (0 if uid or os.getuid() == 0 else self._of_this_user())
        rules = self._rules()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.main = os.fork()
        if self.main == 0:
            try:
                ours.close()
                os.setsid()
                limit(limits)
                limit_processes(most)
                os.chdir(job["cwd"])
                if uid:
                    os.setgroups([])
                    os.setresgid(uid, uid, uid)
                    os.setresuid(uid, uid, uid)
                kernel.die_with_parent(signal.SIGKILL)
                kernel.drop_capabilities()
                kernel.landlock_restrict(rules)
                program = bytes.fromhex(job["seccomp"])
                listener = kernel.install_filter(program, listen=not uid)
                if listener >= 0:
                    socket.send_fds(theirs, [b"listener"], [listener])
                execute(Launch(job["argv"], job["env"], output, theirs.fileno()))
            except BaseException as error:
                with suppress(OSError):
                    theirs.send(f"error {error}".encode())
            finally:
                os._exit(126)
        theirs.close()
        os.close(rules)
        self._await_start(ours)

    def _await_start(self, channel: socket.socket) -> None:
        """Until the command's program has taken the place of ours, which closes the channel."""
        with channel:
            while True:
                told, ancillary, _, _ = channel.recvmsg(4096, socket.CMSG_SPACE(4))
                if not told:
                    return
                if told.startswith(b"error"):
                    raise OSError(told.decode("utf-8", "replace"))
                for _, _, data in ancillary:
                    (listener,) = array.array("i", data)
                    self.supervisor = Supervisor(listener, self.processes, self.writable)

    def _rules(self) -> int:
        version = min(self.job["abi"], max(_RIGHTS))
        files, network, scopes, size = _RIGHTS[version]
        ruleset = kernel.landlock_ruleset(files, network, scopes, size)
        devices = (_READ_FILE | _WRITE_FILE | _TRUNCATE) & files
        for paths, rights in (
            ((*self.job["readable"], self.clock_library), _EXECUTE | _READ_FILE | _READ_FOLDER),
            (self.job["devices"], devices),
            (self.writable, files & ~_IOCTL),
        ):
            for path in paths:
                _allow(ruleset, path, rights)
        return ruleset

    def _of_this_user(self) -> int:
        own = os.getuid()
        names = [name for name in os.listdir("/proc") if name.isdigit()]
        mine = []
        for name in names:
            with suppress(OSError):
                if os.stat(os.path.join("/proc", name)).st_uid == own:
                    mine.append(name)
        return measure("/proc", mine).threads

    def processes(self) -> list[str]:
        """The processes that descend from this one."""
        found: list[str] = []
        level = [str(os.getpid())]
        while level:
            level = [child for pid in level for child in _children(pid)]
            found += level
        return found

    def load(self) -> ProcessLoad:
        """The load of the command's processes."""
        with suppress(ChildProcessError):  # orphans are ours to bury
            while (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) and ended.si_pid != self.main:
                os.waitpid(ended.si_pid, 0)
        load = measure("/proc", self.processes())
        load.cpu_s += sum(os.times()[2:4])
        return load

    def connections(self) -> int:
        """The number of connections: none, for sockets to the network are shut."""
        return 0

    def disk_excess(self) -> str:
        """The limit on the disk that is exceeded; "" where none is."""
        limits = self.job["limits"]
        entries = size = 0
        waiting = list(self.writable)
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

    def stop(self) -> None:
        """End all processes of the command; those that go on multiplying are halted first."""
        while True:
            left = [int(pid) for pid in self.processes()]
            for number in (signal.SIGSTOP, signal.SIGKILL):
                for pid in left:
                    with suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, number)
            for pid in left:
                if pid != self.main:
                    with suppress(ChildProcessError):
                        os.waitpid(pid, os.WNOHANG)
            if not [pid for pid in left if pid != self.main or not _is_over(pid)]:
                return
            time.sleep(0.001)

    def remove(self, *, deserted: bool) -> None:
        """Take the folder away, where whoever made it cannot."""
        if deserted:
            from shutil import rmtree  # it is large, and would make each fork dearer

            rmtree(self.place, ignore_errors=True)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
        kernel.landlock_allow(ruleset, place, rights)
    finally:
        os.close(place)


def _is_over(pid: int) -> bool:
    """Whether it has ended and only waits for its parent to look."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in (b"Z", b"X")
    except (OSError, IndexError):
        return True


def _children(pid: str) -> list[str]:
    if not _KERNEL_LISTS:
        return _children_by_parents(pid)
    found: list[str] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                found += file.read().decode().split()
    return found


#: Not every kernel keeps lists of children.
_KERNEL_LISTS = os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def _children_by_parents(pid: str) -> list[str]:
    """The same by what each process says of its parent."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
                if file.read().rpartition(b")")[2].split()[1].decode() == pid:
                    found.append(name)
    return found
