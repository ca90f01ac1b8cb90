"""The limits of one command."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

MB = 1_000_000


@dataclass(frozen=True, slots=True)
class ShellLimits:
    """Limits of one command; where one is reached the command is killed, or its own call fails.

    Args:
        wall_s: seconds by the wall clock, without those in which it had work and the host no processor for it.
        cpu_s: seconds of processor time of all its processes together.
        process_bytes: address space, per process.
        memory_bytes: memory of all its processes together.
        processes: processes and threads at one time.
        file_bytes: size of one file.
        disk_bytes: all that it writes, the copy of the workspace included.
        entries: files and directories, those of the workspace included.
        open_files: open files, per process.
        buffer_bytes: what all its pipes and sockets together could hold.
    """

    wall_s: float = 60.0
    cpu_s: int = 60
    process_bytes: int = 1_024 * MB
    memory_bytes: int = 1_500 * MB
    processes: int = 128
    file_bytes: int = 64 * MB
    disk_bytes: int = 256 * MB
    entries: int = 25_000
    open_files: int = 256
    buffer_bytes: int = 192 * MB

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
                raise ValueError(f"{entry.name}: expected a number above 0, got {value!r}")

    def to_json(self) -> dict[str, Any]:
        """The limits by name."""
        return asdict(self)
