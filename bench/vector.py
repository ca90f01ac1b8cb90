"""Lock-step: many sessions in one vector environment, beside Gymnasium's, and ten thousand of them alone.

`python bench/vector.py` prints the CPU time of a session's step and reset in us, among 256 sessions, ours and
Gymnasium's; `--against OTHER/.venv/bin/python` shows another version's beside it, in turns.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any

import against
import gymnasium as gym
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv
from measure import Figure, ratios, resident_bytes
from subject import Subject, call, text_files

from pi_gym.pibench.env import PiEnv, PiVectorEnv
from pi_gym.pibench.registration import ALL_PACKS_ID

PROBE = "--probe"
VARIANTS = 50
TARGET_KB = 100.0
#: More processes than this say nothing new on a machine of a few cores, and cost memory.
MOST_PROCESSES = 16
STEPS = 10


def measure(subject: Subject) -> list[Figure]:
    """Env-steps a second by the number of sessions; memory and time of very many."""
    figures: list[Figure] = []
    for count in (1, 4) if subject.quick else (1, 16, 256, 1_024):
        figures += _lock_step(subject, count)
    return figures + _many(subject, 60 if subject.quick else 10_000)


def prepare(pack: str) -> against.Round:
    """Both kinds of vector environment over the same sessions; a round steps both."""
    count, settings = 256, {"id": ALL_PACKS_ID, "pack": pack, "disable_env_checker": True}
    mine, gymnasiums = PiVectorEnv(count, pack=pack), SyncVectorEnv([lambda: gym.make(**settings)] * count)
    mine.reset(seed=0)
    mixed = _actions(mine)
    light = [step for number, step in enumerate(mixed) if number % 5 != 4]  # without grep

    def measured() -> dict[str, float]:
        found = {}
        for name, actions in (("", mixed), (", without grep", light)):
            own, other = _round(mine, actions), _round(gymnasiums, actions)
            each = 1e6 / count / len(actions)
            found[f"PiVectorEnv: step{name}"], found[f"SyncVectorEnv: step{name}"] = (
                own.step_s * each,
                other.step_s * each,
            )
            found[f"Sync's step over ours{name}"] = other.step_s / own.step_s
            found[f"PiVectorEnv: reset{name}"] = own.reset_s * 1e6 / count
        return found

    measured()
    return measured


def _lock_step(subject: Subject, count: int) -> list[Figure]:
    """The three kinds of vector environment, in turns, over the same seeds and actions."""
    settings = {"id": ALL_PACKS_ID, "pack": subject.source, "disable_env_checker": True}
    makers = [lambda: gym.make(**settings)] * count
    mine = PiVectorEnv(count, pack=subject.source)
    vectors: dict[str, VectorEnv[Any, Any, Any]] = {"PiVectorEnv": mine, "SyncVectorEnv": SyncVectorEnv(makers)}
    if count <= MOST_PROCESSES:
        vectors["AsyncVectorEnv"] = AsyncVectorEnv(makers, shared_memory=False)
    mine.reset(seed=0)
    actions = _actions(mine)
    rounds: dict[str, list[_Round]] = {name: [] for name in vectors}
    for number in range(subject.size(max(5, 400 // count), 2) + 1):
        for name, vector in vectors.items():
            done = _round(vector, actions)
            if number:  # the first round fills caches
                rounds[name].append(done)
    for vector in vectors.values():
        vector.close()
    sessions = f"{count:,} session{'s' if count > 1 else ''}"
    note = f"tool steps of all tasks, {STEPS} after each reset; Gymnasium's without its passive checker"
    figures = [
        Figure("vector", f"{name}, {sessions}", "steps/s", tuple(one.rate for one in found), note=note)
        for name, found in rounds.items()
    ]
    own = rounds["PiVectorEnv"]
    gymnasiums = rounds["SyncVectorEnv"]
    step = ratios((one.step_s for one in gymnasiums), (one.step_s for one in own))
    reset = ratios((one.reset_s for one in gymnasiums), (one.reset_s for one in own))
    figures += [
        Figure(
            "vector", f"CPU of Sync's steps over ours, {sessions}", "ratio", step, note="both in this process, in turns"
        ),
        Figure("vector", f"CPU of Sync's reset over ours, {sessions}", "ratio", reset, note="caches warm"),
    ]
    if "AsyncVectorEnv" in rounds:
        faster = ratios((one.rate for one in own), (one.rate for one in rounds["AsyncVectorEnv"]))
        figures.append(Figure("vector", f"PiVectorEnv's rate over Async's, {sessions}", "ratio", faster, note=note))
    return figures


def _actions(vector: PiVectorEnv) -> list[list[str]]:
    """The actions of each session, one a step, by the files that it opened with."""
    series = []
    for session in vector.sessions:
        assert session is not None
        path, text = text_files(session.world.workspace)[-1]
        five = [
            call("list_dir"),
            call("read_file", path=path),
            call("write_file", path="notes/copy.txt", content=text[:2_000]),
            call("edit_file", path="notes/copy.txt", old_text=text[:2_000], new_text="Empty again.\n"),
            call("grep", pattern="again"),
        ]
        series.append([five[number % len(five)] for number in range(STEPS)])
    return [list(step) for step in zip(*series, strict=True)]


@dataclass(frozen=True)
class _Round:
    """A reset and the steps after it.

    Args:
        rate: env-steps a second by the wall clock, without the reset.
        reset_s, step_s: CPU time of this process for the reset and for the steps.
    """

    rate: float
    reset_s: float
    step_s: float


def _round(vector: VectorEnv[Any, Any, Any], actions: Sequence[Sequence[str]]) -> _Round:
    begun = process_time()
    vector.reset(seed=0)
    opened, begin = process_time(), perf_counter()
    for chosen in actions:
        vector.step(chosen)
    spent, ended = perf_counter() - begin, process_time()
    return _Round(len(actions) * vector.num_envs / spent, opened - begun, ended - opened)


def _many(subject: Subject, count: int) -> list[Figure]:
    variants = 5 if subject.quick else VARIANTS
    command = [sys.executable, __file__, PROBE, subject.source, str(variants), str(count)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    sessions, note = f"{count:,} sessions", f"{variants} variants, in a process of its own, histories warm"
    return [
        Figure("vector", f"memory per live session, {sessions}", "kB", (found["kilobytes"],), TARGET_KB, note=note),
        Figure("vector", f"making the environment, {sessions}", "s", (found["made"],), note=note),
        Figure("vector", f"reset of all, {sessions}", "s", (found["reset"],), note=note),
        Figure("vector", f"PiVectorEnv, {sessions}", "steps/s", tuple(found["rates"]), note=note),
    ]


def _probe(source: str, variants: int, count: int) -> dict[str, Any]:
    """One vector environment of very many sessions, a few steps each; kB a session above the level with warm caches."""
    subject = Subject(source)
    tasks = [subject.task_ids[number % len(subject.task_ids)] for number in range(variants)]
    for number, task in enumerate(tasks):
        PiEnv(source).reset(options={"task": task, "variant": number + 1})
    gc.collect()
    level = resident_bytes()
    begin = perf_counter()
    vector = PiVectorEnv(count, pack=source)
    made = perf_counter() - begin
    chosen = [number % variants for number in range(count)]
    options = {"task": [tasks[number] for number in chosen], "variant": [number + 1 for number in chosen]}
    begin = perf_counter()
    vector.reset(seed=0, options=options)
    reset = perf_counter() - begin
    rates = []
    for actions in _actions(vector)[:5]:
        begin = perf_counter()
        vector.step(actions)
        rates.append(count / (perf_counter() - begin))
    gc.collect()
    return {"kilobytes": (resident_bytes() - level) / 1e3 / count, "made": made, "reset": reset, "rates": rates}


if __name__ == "__main__":
    if sys.argv[1:2] == [PROBE]:
        print(json.dumps(_probe(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))))
    else:
        against.main(__file__, __doc__, prepare, rounds=5)
