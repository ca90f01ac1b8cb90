"""Builds the session's clock for programs of the shell (pi_gym/shell/session_clock.c), for each processor.

python scripts/build_clock.py          # the files that lie beside the source; needs `pip install ziglang`
python scripts/build_clock.py --check  # with the machine's own C compiler: whether the source is sound
"""

from __future__ import annotations

import platform
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "pi_gym/shell/session_clock.c"
OPTIONS = (
    "-shared -nostdlib -Os -fPIC -ffreestanding -fno-builtin -fno-stack-protector -fvisibility=hidden "
    "-fno-unwind-tables -fno-asynchronous-unwind-tables -Wall -Wextra -Werror"
)
ZIG_OPTIONS = ["-fno-sanitize=all", "-Wl,-s", "-Wl,--build-id=none"]


def build(compiler: list[str], target: Path) -> None:
    """Compile the library."""
    subprocess.run([*compiler, *OPTIONS.split(), "-o", str(target), str(SOURCE)], check=True)


def main() -> None:
    """Build for all, or check."""
    if sys.argv[1:] == ["--check"]:
        with tempfile.TemporaryDirectory() as folder:
            build(["cc"], Path(folder) / "clock.so")
        print(f"{SOURCE.name} compiles for {platform.machine()}")
        return
    for machine in ("x86_64", "aarch64"):
        zig = [sys.executable, "-m", "ziglang", "cc", "-target", f"{machine}-linux-gnu", *ZIG_OPTIONS]
        target = SOURCE.with_name(f"session_clock-{machine}.elf")
        build(zig, target)
        target.chmod(0o644)
        print(f"{target.name}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
