"""Sessions in fresh worlds: resets to variants that were never opened, and whole sessions in them, reset included.

    python bench/fresh.py                                   # this environment
    python bench/fresh.py --against OTHER/.venv/bin/python  # beside another version's, in turns, with ratios

The worlds are drawn as training draws them: seeded resets of the train split, history by references. All is CPU time of
one process; every round is a process of its own, and opens variants that no other round opens. Commands are answered
with what the reference declares of them, so that no sandbox is in the figures.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import mean, median
from time import process_time

from measure import Figure, machine_facts, ratios
from subject import Subject, play_reference

FIRST_SEED = 1_000_003

PARTS = ("reset in a fresh world", "steps of the session", "session, reset included")


def measure(subject: Subject) -> list[Figure]:
    """CPU time of resets and of whole sessions in fresh worlds, and how many a second that makes."""
    times = spent(subject, 0, subject.size(200, 3))
    resets, sessions = times[PARTS[0]], times[PARTS[2]]
    note = "seeded resets of the train split, history by references, every world opened once; CPU time"
    return [
        *(
            Figure("fresh", name, "ms", tuple(value * 1e3 for value in values), note=note)
            for name, values in times.items()
        ),
        Figure("fresh", "fresh worlds in a CPU second", "1/s", (len(resets) / sum(resets),), note=note),
        Figure("fresh", "sessions in fresh worlds, reset included", "1/s", (len(sessions) / sum(sessions),), note=note),
    ]


def spent(subject: Subject, round_number: int, count: int) -> dict[str, list[float]]:
    """CPU seconds by part, of each session of a round."""
    warm = subject.env_for_references()
    for task_id in subject.pack.task_ids:  # templates are compiled and tables indexed once a process
        warm.reset(options={"task": task_id, "variant": 0})
        play_reference(warm)
    env = subject.env_for_references(split="train")
    env.reset(seed=FIRST_SEED + round_number)
    times: dict[str, list[float]] = {name: [] for name in PARTS}
    for _ in range(count):
        begin = process_time()
        env.reset()
        opened = process_time()
        play_reference(env)
        ended = process_time()
        for name, value in zip(PARTS, (opened - begin, ended - opened, ended - begin), strict=True):
            times[name].append(value)
    return times


def main() -> None:
    """Measure in turns, print means and ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, help="the Python of another version's environment")
    parser.add_argument("--rounds", type=int, default=5, help="processes of each version")
    parser.add_argument("--sessions", type=int, default=60, help="sessions of each process")
    parser.add_argument("--pack", default="researcher", help="name or folder of the pack that is measured")
    parser.add_argument("--json", type=int, metavar="ROUND", help="measure one round, print its times as JSON")
    options = parser.parse_args()
    if options.json is not None:
        print(json.dumps(spent(Subject(options.pack), options.json, options.sessions)))
        return
    pythons = {"here": Path(sys.executable)} | ({"against": options.against} if options.against else {})
    facts = machine_facts()
    print(f"{facts['cpu']}, {facts['cores']} cores, load {facts['load_at_start']}, {facts['python']}")
    found: dict[str, dict[str, list[float]]] = {label: {name: [] for name in PARTS} for label in pythons}
    for number in range(options.rounds):
        for label, python in pythons.items():
            for name, values in _round(python, options, number).items():
                found[label][name].append(mean(values))
    print(f"means over {options.sessions} sessions of each of {options.rounds} rounds, CPU ms: median (least to most)")
    for name in PARTS:
        for label in pythons:
            values = [1e3 * value for value in found[label][name]]
            print(f"{name:28} {label:8} {median(values):7.1f} ({min(values):.1f} to {max(values):.1f})")
        if options.against:
            share = ratios(found["against"][name], found["here"][name])
            print(f"{name:28} ratio    {median(share):7.2f} ({min(share):.2f} to {max(share):.2f}, round by round)")


def _round(python: Path, options: argparse.Namespace, number: int) -> dict[str, list[float]]:
    arguments = ["--json", str(number), "--sessions", str(options.sessions), "--pack", options.pack]
    command = [str(python), str(Path(__file__).resolve()), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    times: dict[str, list[float]] = json.loads(done.stdout)
    return times


if __name__ == "__main__":
    main()
