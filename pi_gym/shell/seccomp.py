"""A filter of system calls, as the classic BPF program that the kernel takes.

Namespaces and Landlock say which files are there; this says which doors of the kernel are shut beside: memory that no
limit counts, namespaces inside the sandbox, keys, tracing, sockets to the host.
"""

from __future__ import annotations

import platform
import struct

_EPERM, _ENOSYS, _EACCES = 1, 38, 13
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
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
#: Landlock does not rule over these, and they reach files outside: they succeed and do nothing.
_IDLE = {
    "chmod": (90, -1),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, -1),
    "fchown": (93, 55),
    "lchown": (94, -1),
    "fchownat": (260, 54),
    "utime": (132, -1),
    "utimes": (235, -1),
    "futimesat": (261, -1),
    "utimensat": (280, 88),
}
_ATTRIBUTES = {
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
}
_SOCKET, _CLONE, _CLONE3, _PRLIMIT = (41, 198), (56, 220), (435, 435), (302, 261)


def seccomp_filter(*, alone: bool) -> bytes:
    """The program; empty on an architecture that is not known.

    Args:
        alone: no namespaces stand around it, so that sockets and changes of modes and times are shut too.
    """
    known = _ARCHES.get(platform.machine())
    if known is None:
        return b""
    arch, column = known
    code = [_op(_LOAD, _ARCH), _op(_EQUAL, arch, 1, 0), _op(_RETURN, _KILL), _op(_LOAD, _NR)]
    if column == 0:
        code += [_op(_GREATER_EQUAL, _X32, 0, 1), _op(_RETURN, _KILL)]
    tables: list[tuple[dict[str, tuple[int, int]], int]] = [(_DENIED, _ERRNO | _EPERM)]
    if alone:
        tables += [(_IDLE, _ERRNO), (_ATTRIBUTES, _ERRNO | _EPERM)]
    for table, verdict in tables:
        for numbers in table.values():
            if numbers[column] >= 0:
                code += [_op(_EQUAL, numbers[column], 0, 1), _op(_RETURN, verdict)]
    code += [_op(_EQUAL, _CLONE3[column], 0, 1), _op(_RETURN, _ERRNO | _ENOSYS)]
    code += _when(_CLONE[column], [_op(_SET, _NEW_NAMESPACES, 0, 1), _op(_RETURN, _ERRNO | _EPERM)])
    if alone:
        code += [_op(_EQUAL, _SOCKET[column], 0, 1), _op(_RETURN, _ERRNO | _EACCES)]
        code += _when(_PRLIMIT[column], [_op(_EQUAL, 0, 1, 0), _op(_RETURN, _ERRNO | _EPERM)])
    else:
        allowed = [_op(_EQUAL, family, len(_FAMILIES) - place, 0) for place, family in enumerate(_FAMILIES)]
        code += _when(_SOCKET[column], [*allowed, _op(_RETURN, _ERRNO | _EACCES)])
    code.append(_op(_RETURN, _ALLOW))
    return b"".join(code)


def _op(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _when(number: int, checks: list[bytes]) -> list[bytes]:
    """The filter of one call: look at its first argument, and then at the call's number again."""
    body = [_op(_LOAD, _ARG0), *checks, _op(_LOAD, _NR)]
    return [_op(_EQUAL, number, 0, len(body)), *body]
