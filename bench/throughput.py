"""Whole sessions in worlds that are at hand: the references of all tasks, from reset to score on one core.

`python bench/throughput.py` prints the CPU time of a session; `--against OTHER/.venv/bin/python` shows another
version's beside it, in turns. Commands are answered with what the reference declares of them: no sandbox is in the
figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import process_time

import against
from measure import Figure
from subject import Subject, play_reference

from pi_gym.pibench.env import PiEnv

VARIANTS = range(1, 4)


def measure(subject: Subject) -> list[Figure]:
    """Sessions and steps in a CPU second."""
    env = _opened(subject)
    sessions: list[float] = []
    steps: list[float] = []
    for _ in range(subject.size(9, 1)):
        begin = process_time()
        played = _play(env, subject)
        spent = process_time() - begin
        sessions.append(len(VARIANTS) * len(subject.pack.task_ids) / spent)
        steps.append(played / spent)
    note = f"references of {len(subject.pack.task_ids)} tasks over {len(VARIANTS)} variants, all of them at hand"
    return [
        Figure("throughput", "whole sessions, worlds at hand", "1/s", tuple(sessions), note=note),
        Figure("throughput", "steps in whole sessions", "1/s", tuple(steps), note="resets and scoring included"),
    ]


def prepare(pack: str) -> against.Round:
    """An environment whose worlds are at hand; a round plays all their sessions."""
    subject = Subject(pack)
    env = _opened(subject)

    def measured() -> Mapping[str, float]:
        begin = process_time()
        _play(env, subject)
        spent = process_time() - begin
        return {"a session, worlds at hand, ms": 1e3 * spent / len(VARIANTS) / len(subject.pack.task_ids)}

    return measured


def _opened(subject: Subject) -> PiEnv:
    env = subject.env_for_references()
    _play(env, subject)
    return env


def _play(env: PiEnv, subject: Subject) -> int:
    """Play every task's reference in each variant; gives the number of steps."""
    steps = 0
    for variant in VARIANTS:
        for task_id in subject.pack.task_ids:
            env.reset(options={"task": task_id, "variant": variant})
            steps += play_reference(env)
    return steps


if __name__ == "__main__":
    against.main(__file__, __doc__, prepare, rounds=9)
