"""A filter of system calls, as the classic BPF program that the kernel takes.

Namespaces and Landlock say which files are there; this says which doors of the kernel are shut beside: memory that no
limit counts, namespaces inside the sandbox, keys, tracing, sockets to the host.
"""

from __future__ import annotations

import platform
import struct

_EPERM, _EACCES, _ENOSYS, _NO_SUPPORT = 1, 13, 38, 95
_ALLOW, _ERRNO, _NOTIFY, _KILL = 0x7FFF0000, 0x00050000, 0x7FC00000, 0x80000000
_LOAD, _EQUAL, _SET, _GREATER_EQUAL, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_NR, _ARCH, _ARG0 = 0, 4, 16
_NEW_NAMESPACES = 0x7E020000  # CLONE_NEW{NS,CGROUP,UTS,IPC,USER,PID,NET}
_X32 = 0x40000000
_FAMILIES = (1, 2, 10, 16)  # unix, inet, inet6, netlink: those that a network namespace holds

#: Kernel architecture, then (x86_64, aarch64) numbers; -1 where there is no such call.
_ARCHES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
_DENIED = {
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "perf_event_open": (298, 241),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "syslog": (103, 116),
}
#: These hold memory that nobody counts; programs do without them.
_ABSENT = {
    "vmsplice": (278, 75),
    "inotify_init": (253, -1),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
}
#: Programs that miss it use its older form.
_NEWER = {"fchmodat2": (452, 452)}
#: What other processes of the same user hold, where no namespace hides it.
_OF_OTHERS = {
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_unlink": (241, 181),
    "pidfd_send_signal": (424, 424),
}
#: Landlock does not rule over these, and they reach other files of the same user: whoever listens does them.
FILE_CALLS = {
    "chmod": (90, -1),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "utimensat": (280, 88),
}
SIGNAL_CALLS = {
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
}
#: They succeed and do nothing.
_IDLE = {
    "chown": (92, -1),
    "fchown": (93, 55),
    "lchown": (94, -1),
    "fchownat": (260, 54),
    "utime": (132, -1),
    "utimes": (235, -1),
    "futimesat": (261, -1),
}
_ATTRIBUTES = {
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
}
#: Calls whose first argument is a process: 0, the caller itself, is allowed.
_ON_PROCESSES = {
    "prlimit": (302, 261),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
}
_SOCKET, _CLONE, _CLONE3, _TRUNCATE = (41, 198), (56, 220), (435, 435), (76, 45)
_SETPRIORITY, _IOPRIO_SET, _FCNTL, _IOCTL = (141, 140), (251, 30), (72, 25), (16, 29)
_SETSOCKOPT, _PRCTL = (54, 208), (157, 167)
_F_SETOWN, _F_SETSIG, _F_SETOWN_EX, _F_SETPIPE_SZ = 8, 10, 15, 1031
_OWNERS = (0x8901, 0x8902, 0x5412)  # FIOSETOWN, SIOCSPGRP: whom a socket signals; TIOCSTI: words put into a terminal
_BUFFER_SIZES, _ZEROCOPY, _PR_SET_DUMPABLE = (7, 8, 32, 33), 60, 4


def column(machine: str = "") -> int:
    """The place of this processor's numbers in the tables of calls; -1 where it is not known."""
    return _ARCHES.get(machine or platform.machine(), (0, -1))[1]


def seccomp_filter(*, alone: bool, own_user: bool = False, abi: int = 0) -> bytes:
    """The program; empty on an architecture that is not known.

    Args:
        alone: no namespaces stand around it.
        own_user: nothing else belongs to the user who runs the command; where that is not so, a listener is asked for
            calls that reach what else is the user's (`FILE_CALLS`, and `SIGNAL_CALLS` where Landlock leaves them open).
        abi: the version of Landlock whose rights are held.
    """
    known = _ARCHES.get(platform.machine())
    if known is None:
        return b""
    arch, place = known
    code = [_op(_LOAD, _ARCH), _op(_EQUAL, arch, 1, 0), _op(_RETURN, _KILL), _op(_LOAD, _NR)]
    if place == 0:
        code += [_op(_GREATER_EQUAL, _X32, 0, 1), _op(_RETURN, _KILL)]
    tables: list[tuple[dict[str, tuple[int, int]], int]] = [
        (_DENIED, _ERRNO | _EPERM),
        (_ABSENT, _ERRNO | _ENOSYS),
    ]
    if alone:
        tables.append((_OF_OTHERS, _ERRNO | _EPERM))
        if abi < 3:
            tables.append(({"truncate": _TRUNCATE}, _ERRNO | _EPERM))
        if not own_user:
            tables += [(_IDLE, _ERRNO), (_ATTRIBUTES, _ERRNO | _NO_SUPPORT), (FILE_CALLS, _NOTIFY)]
            tables.append((_NEWER, _ERRNO | _ENOSYS))
            if abi < 6:
                tables.append((SIGNAL_CALLS, _NOTIFY))
    for table, verdict in tables:
        for numbers in table.values():
            if numbers[place] >= 0:
                code += [_op(_EQUAL, numbers[place], 0, 1), _op(_RETURN, verdict)]
    code += [_op(_EQUAL, _CLONE3[place], 0, 1), _op(_RETURN, _ERRNO | _ENOSYS)]
    code += _when(_CLONE[place], [_op(_SET, _NEW_NAMESPACES, 0, 1), _op(_RETURN, _ERRNO | _EPERM)])
    # What a socket or a pipe can hold is known only as long as nobody changes it.
    code += _when(_SETSOCKOPT[place], _unless_changed_buffers())
    code += _when(_FCNTL[place], [_load(1), *_refuse(_F_SETPIPE_SZ)])
    code += _when(_PRCTL[place], [_op(_EQUAL, _PR_SET_DUMPABLE, 0, 1), _op(_RETURN, _ERRNO)])
    if alone:
        code += [_op(_EQUAL, _SOCKET[place], 0, 1), _op(_RETURN, _ERRNO | _EACCES)]
        for numbers in _ON_PROCESSES.values():
            code += _when(numbers[place], [_op(_EQUAL, 0, 1, 0), _op(_RETURN, _ERRNO | _EPERM)])
        for numbers, kind in ((_SETPRIORITY, 0), (_IOPRIO_SET, 1)):
            itself = [_op(_EQUAL, kind, 0, 2), _load(1), _op(_EQUAL, 0, 1, 0), _op(_RETURN, _ERRNO | _EPERM)]
            code += _when(numbers[place], itself)
        code += _when(_FCNTL[place], [_load(1), *_refuse(_F_SETOWN, _F_SETSIG, _F_SETOWN_EX)])
        code += _when(_IOCTL[place], [_load(1), *_refuse(*_OWNERS)])
    else:
        allowed = [_op(_EQUAL, family, len(_FAMILIES) - at, 0) for at, family in enumerate(_FAMILIES)]
        code += _when(_SOCKET[place], [*allowed, _op(_RETURN, _ERRNO | _EACCES)])
    code.append(_op(_RETURN, _ALLOW))
    return b"".join(code)


def _load(argument: int) -> bytes:
    return _op(_LOAD, _ARG0 + 8 * argument)


def _refuse(*values: int) -> list[bytes]:
    return [part for value in values for part in (_op(_EQUAL, value, 0, 1), _op(_RETURN, _ERRNO | _EPERM))]


def _unless_changed_buffers() -> list[bytes]:
    """Programs that set a buffer's size are told that it is done; a socket that borrows memory is refused."""
    sizes = [part for value in _BUFFER_SIZES for part in (_op(_EQUAL, value, 0, 1), _op(_RETURN, _ERRNO))]
    checks = [_load(2), *sizes, *_refuse(_ZEROCOPY)]
    return [_load(1), _op(_EQUAL, 1, 0, len(checks)), *checks]


def _op(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _when(number: int, checks: list[bytes]) -> list[bytes]:
    """The filter of one call: look at its first argument, and then at the call's number again."""
    body = [_op(_LOAD, _ARG0), *checks, _op(_LOAD, _NR)]
    return [_op(_EQUAL, number, 0, len(body)), *body]
