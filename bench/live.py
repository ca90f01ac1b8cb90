"""The memory of many live sessions, measured in a process of its own.

`python bench/live.py` prints it in kB a session; `--against OTHER/.venv/bin/python` shows another version's beside it.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from typing import Any

import against
from measure import Figure, resident_bytes
from subject import Subject, call, text_files

from pi_gym.pibench.env import PiEnv

PROBE = "--probe"
VARIANTS = 50
TARGET_KB = 100.0


def measure(subject: Subject) -> list[Figure]:
    """Resident memory per extra live environment, each with a few steps behind it."""
    counts = [60, 120] if subject.quick else [1_000, 5_000]
    variants = 5 if subject.quick else VARIANTS
    found = _probed(subject.source, variants, counts)
    note = f"{variants} variants, environments of 5 steps, each task in turn"
    figures = [
        Figure("live", f"memory per live session, {count:,} sessions", "kB", (kilobytes,), TARGET_KB, note=note)
        for count, kilobytes in zip(counts, found["kilobytes"], strict=True)
    ]
    return [*figures, Figure("live", "characters of history per live session", "kB", (found["history"],))]


def prepare(pack: str) -> against.Round:
    """Nothing: each round is a process of its own."""

    def measured() -> dict[str, float]:
        found = _probed(pack, VARIANTS, [1_000])
        return {"kB a live session": found["kilobytes"][0], "of its history": found["history"]}

    return measured


def _probed(source: str, variants: int, counts: list[int]) -> dict[str, Any]:
    """The result of `_probe`, which a process of its own runs."""
    command = [sys.executable, __file__, PROBE, source, str(variants), *map(str, counts)]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def _probe(source: str, variants: int, counts: list[int]) -> dict[str, Any]:
    """Open environments up to each count in turn; kB per environment above the level with warm caches."""
    subject = Subject(source)
    starts = [
        {"task": subject.task_ids[variant % len(subject.task_ids)], "variant": variant}
        for variant in range(1, variants + 1)
    ]
    for options in starts:
        _played(subject, options)
    gc.collect()
    level = resident_bytes()
    live: list[PiEnv] = []
    kilobytes: list[float] = []
    for count in counts:
        while len(live) < count:
            live.append(_played(subject, starts[len(live) % variants]))
        gc.collect()
        kilobytes.append((resident_bytes() - level) / 1e3 / count)
    characters = sum(len(env.session.history) for env in live if env.session is not None)
    return {"kilobytes": kilobytes, "history": characters / 1e3 / len(live)}


def _played(subject: Subject, options: dict[str, Any]) -> PiEnv:
    env = subject.env()
    env.reset(options=options)
    assert env.session is not None
    path, text = text_files(env.session.world.workspace)[-1]
    env.step(call("list_dir"))
    env.step(call("read_file", path=path))
    env.step(call("write_file", path="notes/copy.txt", content=text[:2_000]))
    env.step(call("edit_file", path="notes/copy.txt", old_text=text[:2_000], new_text="Empty again.\n"))
    env.step(call("grep", pattern="again"))
    return env


if __name__ == "__main__":
    if sys.argv[1:2] == [PROBE]:
        print(json.dumps(_probe(sys.argv[2], int(sys.argv[3]), [int(count) for count in sys.argv[4:]])))
    else:
        against.main(__file__, __doc__, prepare, rounds=1)
