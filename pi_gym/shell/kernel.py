"""Calls of the Linux kernel that Python does not offer, made through the C library.

The template process of the shell imports this, so it uses the standard library only.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct

LIBC = ctypes.CDLL(None, use_errno=True)

NEW_MOUNTS, NEW_IPC, NEW_USER, NEW_PROCESSES, NEW_NETWORK = 0x00020000, 0x08000000, 0x10000000, 0x20000000, 0x40000000
READ_ONLY, NO_SUID, NO_DEVICES, REMOUNT, BIND, RECURSIVE, PRIVATE = 0x1, 0x2, 0x4, 0x20, 0x1000, 0x4000, 0x40000
#: Two times as the kernel takes them: now, and now.
TWICE_NOW = struct.pack("=4q", 0, (1 << 30) - 1, 0, (1 << 30) - 1)
_DETACH, _THE_FILE_ITSELF = 2, 0x1000
_DEATH_SIGNAL, _DUMPABLE, _DROP_BOUND, _SUBREAPER, _NO_NEW_PRIVS = 1, 4, 24, 36, 38
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_LISTENER = 8
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def unshare(flags: int) -> None:
    """Give this process namespaces of its own."""
    _check(LIBC.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Mount something in this process's mount namespace."""
    given = [text.encode() if text else None for text in (source, target, kind)]
    _check(LIBC.mount(*given, ctypes.c_ulong(flags), options.encode() or None), f"mount on {target}")


def unmount(target: str) -> None:
    """Take a mount out of sight; who uses it keeps it."""
    _check(LIBC.umount2(target.encode(), _DETACH), f"unmount {target}")


def die_with_parent(number: int) -> None:
    """Ask for this signal when the parent ends."""
    LIBC.prctl(_DEATH_SIGNAL, number, 0, 0, 0)


def adopt_orphans() -> None:
    """Become the parent of all that descends from here and loses its own."""
    LIBC.prctl(_SUBREAPER, 1, 0, 0, 0)


def hide_memory(*, hidden: bool = True) -> None:
    """Keep the memory of this process from others of its user."""
    LIBC.prctl(_DUMPABLE, int(not hidden), 0, 0, 0)


def drop_capabilities() -> None:
    """Give up all privileges, and the way to get any."""
    for number in range(64):
        if LIBC.prctl(_DROP_BOUND, number, 0, 0, 0) != 0:
            break
    head = ctypes.create_string_buffer(struct.pack("=Ii", 0x20080522, 0))
    _check(LIBC.capset(head, ctypes.create_string_buffer(24)), "capset")
    _check(LIBC.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


def install_filter(program: bytes, *, listen: bool = False) -> int:
    """Filter this process's system calls; gives a descriptor to listen at, or -1."""
    held = _Program(len(program) // 8, program)
    number = _SECCOMP[platform.machine()]
    result = LIBC.syscall(number, 1, _LISTENER if listen else 0, ctypes.byref(held))
    _check(result, "the filter of system calls")
    return int(result) if listen else -1


def set_times(file: int, times: bytes) -> None:
    """Set the times of a file that is open, if only as a place.

    Args:
        file: its descriptor.
        times: seconds and nanoseconds, twice.
    """
    _check(LIBC.utimensat(file, b"", times, _THE_FILE_ITSELF), "utimensat")


def landlock_abi() -> int:
    """The version of Landlock that the kernel speaks; 0 where it has none, or it is not turned on."""
    return max(0, int(LIBC.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)))


def landlock_ruleset(files: int, network: int, scopes: int, size: int) -> int:
    """A descriptor of rules for these rights; `size` is what the version knows of the three."""
    attributes = struct.pack("=QQQ", files, network, scopes)[:size]
    return _check(LIBC.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(size), 0), "landlock_create_ruleset")


def landlock_allow(ruleset: int, place: int, rights: int) -> None:
    """Allow rights below a place, which is an open descriptor."""
    _check(LIBC.syscall(_ADD_RULE, ruleset, 1, struct.pack("=Qi", rights, place), 0), "landlock_add_rule")


def landlock_restrict(ruleset: int) -> None:
    """Bind this process, and all that it starts, to the rules for good."""
    _check(LIBC.syscall(_RESTRICT_SELF, ruleset, 0), "landlock_restrict_self")
