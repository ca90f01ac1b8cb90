"""The fuzz: hostile actions over every registered environment, by the million.

    python fuzz/run.py [--actions 1000000] [--part actions|sequences|both] [--seed 0] [--jobs 2] [--out runs/fuzz]
    python fuzz/run.py --session PART:NUMBER --seed 0     # one session again, with what is broken in it

Every session has a number, and what happens in it follows from seed, part and number. What was played is kept in the
folder, a line for each lot of sessions: the same command goes on there after a kill, and with a larger --actions later.
A session in which something is broken leaves a file in the folder, with the action and the command that plays it again;
the exit status is then 1.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from itertools import count
from multiprocessing import parent_process
from pathlib import Path
from threading import Thread
from time import perf_counter, process_time
from typing import Any

from fuzz_sessions import LOT, PARTS, play_session

_STATE = "lots.jsonl"


@dataclass
class Lot:
    """What one lot of sessions came to.

    Args:
        part: "actions" or "sequences"; `number` counts the lots of a part.
        sessions, actions: how many were played.
        seconds: CPU time of all of it; `slowest_s` of the slowest step, in session `slowest`.
        broken: of each session in which something is, its number and what.
    """

    part: str
    number: int
    seed: int
    sessions: int = 0
    actions: int = 0
    seconds: float = 0.0
    slowest_s: float = 0.0
    slowest: int = -1
    broken: list[dict[str, Any]] = field(default_factory=list)


def main() -> None:
    """Play what is asked for and say what it came to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--actions", type=int, default=1_000_000, help="how many in all, with earlier runs'")
    parser.add_argument("--part", choices=(*PARTS, "both"), default="both", help="both: nine tenths are of the first")
    parser.add_argument("--seed", type=int, default=0, help="another seed plays other sessions")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--env", help="an environment, a pack or a pack's folder; by default every registered one")
    parser.add_argument("--out", type=Path, default=Path("runs/fuzz"), help="the folder of what was played")
    parser.add_argument("--session", metavar="PART:NUMBER", help="play this session alone")
    options = parser.parse_args()
    if options.session:
        part, _, number = options.session.partition(":")
        found = play_session(part, int(number), options.seed, options.env)
        print(found.problem or "nothing is broken")
        raise SystemExit(bool(found.problem))
    if run(options.actions, options.part, options.seed, options.jobs, options.env, options.out):
        raise SystemExit(1)


def run(actions: int, part: str, seed: int, jobs: int, env: str | None, out: Path) -> int:
    """Play up to so many actions; gives the number of broken sessions, those of earlier runs included."""
    out.mkdir(parents=True, exist_ok=True)
    shares = {"actions": 0.9, "sequences": 0.1} if part == "both" else {part: 1.0}
    done = {name: {lot.number: lot for lot in read_lots(out) if (lot.part, lot.seed) == (name, seed)} for name in PARTS}
    begin, told = perf_counter(), perf_counter()
    with (
        ProcessPoolExecutor(jobs, initializer=end_with_parent) as pool,
        (out / _STATE).open("a", encoding="utf-8") as state,
    ):
        for name, share in shares.items():
            wanted, found = int(actions * share), done[name]
            numbers = (number for number in count() if number not in found)
            running: dict[Future[Lot], None] = {}
            while (reached := sum(lot.actions for lot in found.values())) < wanted or running:
                while len(running) < jobs and reached < wanted:
                    running[pool.submit(play_lot, name, next(numbers), seed, env)] = None
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    del running[future]
                    lot = future.result()
                    found[lot.number] = lot
                    state.write(json.dumps(asdict(lot)) + "\n")
                    state.flush()
                    for one in lot.broken:
                        report(one, out)
                if perf_counter() - told > 30:
                    told = perf_counter()
                    print(
                        f"{name}: {sum(lot.actions for lot in found.values()):,} actions", file=sys.stderr, flush=True
                    )
    lots = [lot for name in shares for lot in done[name].values()]
    print(summary(lots, perf_counter() - begin))
    return sum(len(lot.broken) for lot in lots)


def end_with_parent() -> None:
    """See to it that this process ends when the one that made it does, however that ends."""

    def watch() -> None:
        parent = parent_process()
        if parent is not None:
            parent.join()
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def read_lots(out: Path) -> list[Lot]:
    """What was played in a folder; a last line that a kill tore is left out, and its lot played again."""
    path, lots = out / _STATE, []
    if path.exists():
        data = path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            path.write_bytes(whole)
        lots = [Lot(**json.loads(line)) for line in whole.splitlines()]
    return lots


def play_lot(part: str, number: int, seed: int, env: str | None) -> Lot:
    """Play the sessions of a lot."""
    lot, begin = Lot(part, number, seed), process_time()
    for session in range(number * LOT, (number + 1) * LOT):
        found = play_session(part, session, seed, env)
        lot.sessions += 1
        lot.actions += found.actions
        if found.slowest_s > lot.slowest_s:
            lot.slowest_s, lot.slowest = found.slowest_s, session
        if found.problem:
            lot.broken.append(
                {"part": part, "session": session, "seed": seed, "env": env, "where": found.where}
                | {"problem": found.problem, "action": found.action}
            )
    lot.seconds = process_time() - begin
    return lot


def report(broken: dict[str, Any], out: Path) -> None:
    """Write what is broken to a file, and say so."""
    place = f"{broken['part']}:{broken['session']}"
    env = f" --env {broken['env']}" if broken["env"] else ""
    command = f"python fuzz/run.py --session {place} --seed {broken['seed']}{env}"
    path = out / f"broken-{place.replace(':', '-')}-seed{broken['seed']}.json"
    path.write_text(json.dumps({"command": command, **broken}, indent=1) + "\n", encoding="utf-8")
    first, *rest = broken["problem"].splitlines()
    print(f"broken: {broken['where']}: {first} {rest[-1] if rest else ''}\n  {command}", file=sys.stderr, flush=True)


def summary(lots: list[Lot], seconds: float) -> str:
    """What it came to, as a table."""
    rows = [
        "| part | sessions | actions | broken | slowest step, CPU | CPU time |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for part in PARTS:
        own = [lot for lot in lots if lot.part == part]
        if own:
            rows.append(
                f"| {part} | {sum(lot.sessions for lot in own):,} | {sum(lot.actions for lot in own):,}"
                f" | {sum(len(lot.broken) for lot in own)} | {max(lot.slowest_s for lot in own):.3f} s"
                f" | {sum(lot.seconds for lot in own):,.0f} s |"
            )
    return "\n".join([*rows, f"played in {seconds:.0f} s"])


if __name__ == "__main__":
    main()
