"""Two versions of pi_gym in turns: rounds of one script's figures, by this interpreter and by another one.

A script gives a function that makes ready and returns another one, which measures once: figures by name, the less the
better. Without another interpreter the figures of this one are printed. With one, each runs the script in a process of
its own that lives through all rounds, and they measure one after the other: what slows the machine slows both.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from tempfile import gettempdir
from typing import TypeAlias

from measure import machine_facts

Round: TypeAlias = Callable[[], Mapping[str, float]]
SERVE = "--serve"


def main(script: str, about: str | None, prepare: Callable[[str], Round], rounds: int) -> None:
    """Run what the command line asks for.

    Args:
        script: the path of the script.
        about: its docstring.
        prepare: makes ready to measure the pack of a name or folder.
        rounds: how many, if nothing else is said.
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, help="the python of another version's environment")
    parser.add_argument("--pack", default="researcher", help="name or folder of the pack that is measured")
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument(SERVE, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        _serve(prepare(options.pack))
        return
    facts = machine_facts()
    print(f"{facts['cpu']}, {facts['cores']} cores, load {facts['load_at_start']}, {facts['python']}")
    pythons = [sys.executable, *([str(options.against)] if options.against else [])]
    command = [str(Path(script).resolve()), SERVE, "--pack", options.pack]
    # No checkout is imported from where this was called.
    pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": gettempdir()}
    servers = [subprocess.Popen([python, *command], **pipe) for python in pythons]
    found = [[_ask(server) for server in servers] for _ in range(options.rounds)]
    for server in servers:
        server.communicate()
    columns = ": here, against, here over against pair by pair" if options.against else ""
    print(f"medians of {options.rounds} rounds{columns}")
    for name in found[0][0]:
        values = [[one[name] for one in pair] for pair in found]
        cells = [f"{median(column):12,.2f}" for column in zip(*values, strict=True)]
        if options.against:
            cells.append(f"{median(here / there for here, there in values):10.2f}")
        print(f"{name:<60}{''.join(cells)}")


def _serve(measure: Round) -> None:
    for _ in sys.stdin:
        print(json.dumps(dict(measure())), flush=True)


def _ask(server: subprocess.Popen[str]) -> dict[str, float]:
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write("\n")
    server.stdin.flush()
    answer = server.stdout.readline()
    if not answer:
        raise SystemExit(f"{server.args[0]} ended before it had measured")  # type: ignore[index]
    figures: dict[str, float] = json.loads(answer)
    return figures
