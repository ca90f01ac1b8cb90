"""The cost of starting: README's first snippet and a session without a past, in fresh processes, in CPU seconds.

    python bench/cold.py                                   # this environment
    python bench/cold.py --against OTHER/.venv/bin/python  # beside another version's, in turns, with ratios

Counted is user and system time beyond the import of gymnasium and pydantic. Bytecode is kept, in a folder of the run's
own, whatever the surroundings say: the first run of each kind makes it, and does not count.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import measure

_BEGIN = """
import json, resource
import gymnasium as gym
import pydantic

class Model(pydantic.BaseModel):  # the first one imports most of pydantic
    field: int

def spent():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime

before = spent()
import pi_gym
"""
_END = """
print(json.dumps([spent() - before, info["new_messages"][-1]["content"][:40]]))
"""
SNIPPETS = {
    "first snippet: session 18, seventeen sessions of history": """
env = gym.make("PiBench-Researcher-v0")
observation, info = env.reset(seed=0)
""",
    "first session, history='none'": """
env = gym.make("PiBench-Researcher-v0", history="none")
observation, info = env.reset(seed=0, options={"task": "01-baseline-table"})
""",
}


def main() -> None:
    """Measure, print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, help="the Python of another version's environment")
    parser.add_argument("--repeats", type=int, default=9, help="runs of each kind that count")
    options = parser.parse_args()
    pythons = {"here": Path(sys.executable)} | ({"against": options.against} if options.against else {})
    facts = measure.machine_facts()
    print(f"{facts['cpu']}, {facts['cores']} cores, load {facts['load_at_start']}, {facts['python']}")
    for name, snippet in SNIPPETS.items():
        times: dict[str, list[float]] = {label: [] for label in pythons}
        for label, seconds in in_turns(snippet, pythons, options.repeats):
            times[label].append(seconds)
        print(f"\n{name}")
        for label, found in times.items():
            shown = f"{median(found):.3f} s (from {min(found):.3f} to {max(found):.3f}, {len(found)} runs)"
            print(f"  {label:8} {shown}")
        if options.against:
            share = measure.ratios(times["here"], times["against"])
            print(f"  ratio    {median(share):.3f} (from {min(share):.3f} to {max(share):.3f}, pair by pair)")


def in_turns(snippet: str, pythons: dict[str, Path], repeats: int) -> Iterator[tuple[str, float]]:
    """The seconds of each run by label, one label after the other."""
    opened = {}
    with TemporaryDirectory() as folder:
        for repeat in range(repeats + 1):
            for label, python in pythons.items():
                seconds, opened[label] = run(snippet, python, Path(folder) / label)
                if repeat:
                    yield label, seconds
        if len(set(opened.values())) > 1:
            raise SystemExit(f"the versions did not open the same session: {opened}")


def run(snippet: str, python: Path, bytecode: Path) -> tuple[float, str]:
    """One fresh process: its CPU seconds, and how the request begins."""
    surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [str(python), "-c", _BEGIN + snippet + _END],
        check=True,
        capture_output=True,
        text=True,
        cwd=bytecode.parent,  # no checkout is imported from where this was called
        env=surroundings | {"PYTHONPYCACHEPREFIX": str(bytecode)},
    )
    seconds, request = json.loads(done.stdout.splitlines()[-1])
    return seconds, request


if __name__ == "__main__":
    main()
