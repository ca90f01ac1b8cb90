"""The cost of finding what a reply asks for, over all topics of a task.

    python bench/questions.py                                     # replies with no question, with one, with four
    python bench/questions.py --against OTHER/.venv/bin/python    # in turns with another version's, with ratios

The replies are those of an agent that has done its work and asks some of the questions of the pack's questions.yaml;
no reply and no clause is looked at twice. Each version has one process that answers one reply at a time, so that what
slows the machine slows both. "further" is what each clause after the first adds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

#: Microseconds that the median is held to.
TARGETS = {"no clause": 150.0, "one clause": 500.0, "further": 300.0}
FURTHER = 3
BODY = (
    "Done. The table is in group-page/results/baselines.md: eight systems, sorted by the error rate, and the index "
    "points at it. I left the table of January where it was, and noted two conditions that are missing. Reply {number}."
)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, help="the Python of another version's environment")
    parser.add_argument("--rounds", type=int, default=600)
    parser.add_argument("--pack", default="researcher", help="name or folder of the pack")
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.answer:
        answer(options.pack)
        return
    pythons = {"here": Path(sys.executable)} | ({"against": options.against} if options.against else {})
    workers = {name: Worker(python, options.pack) for name, python in pythons.items()}
    times: dict[str, dict[str, list[float]]] = {kind: {name: [] for name in workers} for kind in TARGETS}
    for number in range(options.rounds):
        for name, worker in workers.items():
            for kind, spent in worker.spent(number).items():
                times[kind][name].append(spent)
    print(f"{'reply':<14}" + "".join(f"{name + ', us':>28}" for name in workers) + f"{'target':>10}{'ratio':>28}")
    for kind, found in times.items():
        cells = "".join(f"{quantiles(values):>28}" for values in found.values())
        shares = [one / other for one, other in zip(found["here"], found.get("against", []), strict=False) if other > 0]
        print(f"{kind:<14}{cells}{TARGETS[kind]:>10.0f}" + (f"{quantiles(shares):>28}" if shares else ""))


def quantiles(values: list[float]) -> str:
    """The median, and the tenth and ninetieth of a hundred."""
    tenths = statistics.quantiles(values, n=10)
    return f"{statistics.median(values):.3g} ({tenths[0]:.3g} to {tenths[-1]:.3g})"


class Worker:
    """A process that finds what replies ask for with one version."""

    def __init__(self, python: Path, pack: str) -> None:
        self.process = subprocess.Popen(
            [str(python), __file__, "--answer", "--pack", pack],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def spent(self, number: int) -> dict[str, float]:
        """Microseconds by kind of reply."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{number}\n")
        found: dict[str, float] = json.loads(self.process.stdout.readline())
        return found


def answer(pack: str) -> None:
    """Time what is asked for, one line each."""
    from pi_gym import load_pack
    from pi_gym.questions import asking_clauses

    found = load_pack(pack)
    asked = []
    for task in found.task_ids:
        matcher = found.instantiate(task).questions
        single = [text for topic in matcher.topics for text in topic.asked if len(asking_clauses(text)) == 1]
        for text in single:
            for clause in asking_clauses(text):  # the first look arranges the words
                matcher.aims(clause)
        if len(single) > FURTHER:
            asked.append((matcher, single))

    def spent(reply: str) -> float:
        begin = time.perf_counter_ns()
        for clause in asking_clauses(reply):
            matcher.aims(clause)
        return (time.perf_counter_ns() - begin) / 1000

    for line in sys.stdin:
        number = int(line)
        matcher, single = asked[number % len(asked)]
        body = BODY.format(number=number)
        questions = [f"About {number}: {single[(number + place) % len(single)]}" for place in range(FURTHER + 1)]
        none, one = spent(body), spent(f"{body} x\n\n{questions[0]}")
        many = "\n".join(f"- {question} " for question in [f"{number} {text}" for text in questions])
        further = (spent(f"{body} y\n\n{many}") - one) / FURTHER
        print(json.dumps({"no clause": none, "one clause": one, "further": further}), flush=True)


if __name__ == "__main__":
    main()
