"""The space of a command in namespaces: its own processes, network, mounts and user, and files in memory.

The template process lives in what bubblewrap has laid out: programs and libraries, nothing of the host's beside. Each
command gets namespaces of its own in there, with empty folders of a fixed size; all of it ends with them.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import struct
from contextlib import suppress
from typing import Any

from pi_gym.shell import kernel
from pi_gym.shell.counting import ProcessLoad, measure, tcp_connections
from pi_gym.shell.launching import close_all_but, give_away, limit, limit_processes, spawn

#: Where the files lie that are shown elsewhere; the command does not see it.
STAGE = "/mnt"
#: An empty folder to put over what is not to be seen: to unmount would wait for all processors.
EMPTY = "/opt"
_NO_EXEC = 8
_SET_FLAGS, _UP = 0x8914, 0x1


class Namespaces:
    """The namespaces in which one command runs, and what is in them."""

    # The keeper stands in the stage and keeps its sight of it, so its own paths are relative.
    proc, work = "proc", "work"
    supervisor = None

    def __init__(self, job: dict[str, Any]) -> None:
        self.job = job
        self.main = 0

    def prepare(self) -> None:
        """Make the namespaces and the folders."""
        kernel.unshare(kernel.NEW_MOUNTS | kernel.NEW_IPC | kernel.NEW_NETWORK | kernel.NEW_PROCESSES)
        kernel.mount("", "/", "", kernel.PRIVATE | kernel.RECURSIVE)
        flags = kernel.NO_SUID | kernel.NO_DEVICES
        kernel.mount("tmpfs", STAGE, "tmpfs", flags, f"size={self.job['limits']['disk_bytes']},mode=755")
        os.chdir(STAGE)
        for name in ("work", "tmp", "shm", "etc", "proc"):
            os.mkdir(name, 0o755)
        os.makedirs(self.job["root"].lstrip("/"))
        for name, text in self.job["etc"].items():
            with open(f"etc/{name}", "w") as file:
                file.write(text)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", _UP))

    def set_clock(self, library: bytes) -> None:
        """Let all programs load a library."""
        with open("etc/session-clock.so", "wb") as file:
            file.write(library)
        with open("etc/ld.so.preload", "w") as text:
            text.write("/etc/session-clock.so\n" if library else "")

    def start(self, output: int) -> None:
        """Start the command below a first process of its own; OSError where the sandbox cannot be made."""
        uid = self.job["uid"]
        for name in (self.job["root"].split("/")[1], "work", "tmp", "shm") if uid else ():
            give_away(name, uid)
        if uid:
            os.fchown(output, uid, uid)  # it can be opened by the names /dev/stdout and /dev/stderr too
        told, telling = os.pipe()
        self.main = os.fork()
        if self.main == 0:
            try:
                os.close(told)
                self._run_first(output, telling)
            except BaseException as error:
                with suppress(OSError):
                    os.write(telling, str(error).encode()[:4000])
            finally:
                os._exit(126)
        os.close(telling)
        with open(told, "rb") as file:
            failure = file.read()
        if failure:
            raise OSError(failure.decode("utf-8", "replace"))

    def _run_first(self, output: int, telling: int) -> None:
        """The first process of the namespaces: it has no rights that the command has not, and buries orphans."""
        kernel.mount("proc", self.proc, "proc", kernel.NO_SUID | kernel.NO_DEVICES | _NO_EXEC)
        os.setsid()
        limit(self.job["limits"])
        processes = self._show()
        if self.job["uid"]:
            os.setgroups([])
            os.setresgid(*[self.job["uid"]] * 3)
            os.setresuid(*[self.job["uid"]] * 3)
            kernel.hide_memory(hidden=False)  # what is hidden cannot take on a user
        kernel.unshare(kernel.NEW_USER)
        self._be(processes)
        # Before, it would hold for all commands of the user together.
        limit_processes(self.job["limits"]["processes"] + 8)
        os.chdir(self.job["cwd"])
        kernel.drop_capabilities()
        kernel.die_with_parent(signal.SIGKILL)
        kernel.hide_memory()
        kernel.install_filter(bytes.fromhex(self.job["seccomp"]))
        close_all_but(output, telling)
        os.set_inheritable(telling, False)
        child = spawn(self.job["argv"], self.job["env"], output)
        os.close(telling)
        close_all_but()
        for fd in (0, 1, 2):
            with suppress(OSError):
                os.close(fd)
        while True:
            pid, status = os.wait()
            if pid == child:
                code = os.waitstatus_to_exitcode(status)
                os._exit(128 - code if code < 0 else code)

    def _show(self) -> int:
        """Put everything where the command expects it; gives the folder of processes, open."""
        root = self.job["root"]
        top = "/" + root.split("/")[1]
        for source, target in ((top[1:], top), ("work", root), ("tmp", "/tmp"), ("shm", "/dev/shm")):
            kernel.mount(source, target, "", kernel.BIND)
        for name in os.listdir("etc"):
            _show_unchangeable(f"etc/{name}", f"/etc/{name}", 0)
        processes = os.open(self.proc, os.O_PATH | os.O_DIRECTORY)
        _show_unchangeable(self.proc, "/proc")
        kernel.mount(EMPTY, STAGE, "", kernel.BIND)
        return processes

    def _be(self, processes: int) -> None:
        """Take on the user whom the command sees."""
        one = f"{self.job['shown_uid']} {self.job['uid']} 1"
        for name, text in (("setgroups", "deny"), ("uid_map", one), ("gid_map", one)):
            fd = os.open(f"self/{name}", os.O_WRONLY, dir_fd=processes)
            try:
                os.write(fd, text.encode())
            finally:
                os.close(fd)
        os.close(processes)

    def processes(self) -> list[str]:
        """The processes of the sandbox, without its first."""
        return [name for name in os.listdir(self.proc) if name.isdigit() and name != "1"]

    def load(self) -> ProcessLoad:
        """The load of the command's processes."""
        load = measure(self.proc, self.processes())
        load.cpu_s += measure(self.proc, ["1"]).cpu_s
        return load

    def connections(self) -> int:
        """The number of connections within the command's own network."""
        return tcp_connections(f"{self.proc}/1/net")

    def disk_excess(self) -> str:
        """The limit on the disk that is exceeded; the file system has a size and says by itself when it is full."""
        found = os.statvfs(".")
        return "entries" if found.f_files - found.f_ffree > self.job["limits"]["entries"] + 20 else ""

    def stop(self) -> None:
        """End the first process, which ends all others."""
        if self.main:
            os.kill(self.main, signal.SIGKILL)

    def remove(self, *, deserted: bool) -> None:
        """Nothing is to be done: all of it ends with this process."""


def _show_unchangeable(source: str, target: str, more: int = _NO_EXEC) -> None:
    kernel.mount(source, target, "", kernel.BIND)
    flags = kernel.BIND | kernel.REMOUNT | kernel.READ_ONLY | kernel.NO_SUID | kernel.NO_DEVICES
    kernel.mount("", target, "", flags | more)
