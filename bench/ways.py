"""The way from a call to its answer, counted: calls of functions in pi_gym, and how they cross modules.

    python bench/ways.py                      # a table, for this environment's version
    python bench/ways.py --against PYTHON     # beside it those of the version that another environment's python has

Counts, not times: they are the same on every machine. For each way: calls (of functions, comprehensions and generators
that Python runs; not those of C, and not those of other packages), distinct functions, distinct modules, and moves (how
often a call lies in another module than the call before it). All ways but the loading ones are warm.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

TASK = "06-partner-report"
PACK = "researcher"
COUNTS = ("calls", "functions", "modules", "moves")


def main() -> None:
    """Count, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", help="the python of another version's environment")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args()
    if options.json:
        print(json.dumps(ways()))
        return
    here, there = ways(), {}
    if options.against:
        found = subprocess.run(
            [options.against, str(Path(__file__).resolve()), "--json"], check=True, capture_output=True, text=True
        )
        there = json.loads(found.stdout)
    print(f"{'way':<44}" + "".join(f"{name:>18}" for name in (*COUNTS, *(["calls, share"] if there else []))))
    for way, counts in here.items():
        before = there.get(way)
        cells = [f"{before[name]} > {counts[name]}" if before else str(counts[name]) for name in COUNTS]
        cells += [f"{counts['calls'] / before['calls']:.2f}"] if before else []
        print(f"{way:<44}" + "".join(f"{cell:>18}" for cell in cells))


def ways() -> dict[str, dict[str, int]]:
    """The counts by way."""
    import pi_gym

    found: dict[str, dict[str, int]] = {}

    def first_task() -> Any:
        return pi_gym.load_pack(PACK).instantiate(TASK, 0)

    found["load the pack, to its first task (cold)"] = count(first_task)
    found["the task's next variant"] = count(lambda: pi_gym.load_pack(PACK).instantiate(TASK, 1))
    return {**of_session(), **found}


def of_session() -> dict[str, dict[str, int]]:
    """The counts of the ways of one session."""
    import gymnasium as gym

    import pi_gym  # noqa: F401  (registers the environments)

    env: Any = gym.make("PiBench-Researcher-v0", disable_env_checker=True).unwrapped
    start = {"seed": 0, "options": {"task": TASK, "variant": 0}}
    read = call("read_file", path="memory/MEMORY.md")
    write = call("write_file", path="notes.md", content="One line.\nAnd another.\n")
    found: dict[str, dict[str, int]] = {}
    for number in range(3):  # the last one counts: the others fill what is kept
        found["reset"] = count(lambda: env.reset(**start))
        found["step: read_file"] = count(lambda: env.step(read))
        written = write.replace("One", f"One {number}")
        found["step: write_file"] = count(lambda action=written: env.step(action))
        found["step: a reply that asks"] = count(lambda: env.step("How many decimals should the table have?"))
        env.reset(**start)
        actions = list(env.session.task.reference)
        for action in actions[:-1]:
            env.step(action)
        found["step: the last, graded"] = count(lambda action=actions[-1]: env.step(action))
        assert env.session.ended, "the reference ends its session"
    return found


def call(name: str, **arguments: Any) -> str:
    """One tool call as an action."""
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"


def count(way: Callable[[], object]) -> dict[str, int]:
    """The counts of a way."""
    seen: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            module = frame.f_globals.get("__name__", "")
            if module.partition(".")[0] == "pi_gym":
                code = frame.f_code
                seen.append((module, f"{code.co_qualname}:{code.co_firstlineno}"))

    sys.setprofile(note)
    try:
        way()
    finally:
        sys.setprofile(None)
    return {
        "calls": len(seen),
        "functions": len(set(seen)),
        "modules": len({module for module, _ in seen}),
        "moves": sum(one != other for (one, _), (other, _) in pairwise(seen)),
    }


if __name__ == "__main__":
    main()
