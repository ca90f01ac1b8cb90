"""The cost of a command in the shell: `true` over a workspace of one file, and of two hundred.

    python bench/shell.py                                      # each sandbox that works here
    python bench/shell.py --against OTHER/.venv/bin/python     # in turns with another version's, with ratios

Each version has one process that answers one command at a time, so that what slows the machine slows both.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

BACKENDS = ("bubblewrap", "landlock")
SIZES = (1, 200)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, help="the Python of another version's environment")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.answer:
        answer()
        return
    pythons = {"here": Path(sys.executable)} | ({"against": options.against} if options.against else {})
    workers = {name: Worker(python) for name, python in pythons.items()}
    print(f"{'sandbox':<12}{'files':>6}" + "".join(f"{name + ', ms':>24}" for name in workers) + f"{'ratio':>20}")
    for backend in BACKENDS:
        if not all(worker.works(backend) for worker in workers.values()):
            print(f"{backend:<12} does not work here in each version")
            continue
        for size in SIZES:
            times: dict[str, list[float]] = {name: [] for name in workers}
            for number in range(options.rounds + 3):
                for name, worker in workers.items():
                    spent = worker.spent(backend, size)
                    times[name] += [spent] if number >= 3 else []
            cells = [quantiles(found) for found in times.values()]
            shares = [a / b for a, b in zip(times["here"], times.get("against", []), strict=False)]
            print(
                f"{backend:<12}{size:>6}"
                + "".join(f"{cell:>24}" for cell in cells)
                + (f"{quantiles(shares):>20}" if shares else "")
            )


def quantiles(values: list[float]) -> str:
    """The median, and the tenth and ninetieth of a hundred."""
    tenths = statistics.quantiles(values, n=10)
    return f"{statistics.median(values):.3g} ({tenths[0]:.3g} to {tenths[-1]:.3g})"


class Worker:
    """A process that runs commands with one version."""

    def __init__(self, python: Path) -> None:
        self.process = subprocess.Popen(
            [str(python), __file__, "--answer"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def _asked(self, *words: object) -> float:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(words) + "\n")
        return float(self.process.stdout.readline())

    def works(self, backend: str) -> bool:
        """Whether a sandbox works there."""
        return bool(self._asked("works", backend, 0))

    def spent(self, backend: str, size: int) -> float:
        """Milliseconds of one command."""
        return self._asked("run", backend, size)


def answer() -> None:
    """Run what is asked for, one line each."""
    from pi_gym.shell import ShellLimits, ShellRunner
    from pi_gym.shell.runner import run_command
    from pi_gym.state import Workspace

    workspaces = {size: Workspace({f"f{number}.txt": b"x" * 1000 for number in range(size)}) for size in SIZES}
    limits = ShellLimits()
    for line in sys.stdin:
        what, backend, size = json.loads(line)
        if what == "works":
            print(int(bool(ShellRunner(backend).available())), flush=True)
            continue
        begin = time.perf_counter()
        run_command(backend, workspaces[size], "true", root="/home/u/workspace", folder="", limits=limits)
        print((time.perf_counter() - begin) * 1000, flush=True)


if __name__ == "__main__":
    main()
