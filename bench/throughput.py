"""Whole sessions: the references of all tasks, played from reset to score on one core."""

from __future__ import annotations

from time import perf_counter

from measure import Figure
from subject import Subject, reference_of

from pi_gym.pibench.env import PiEnv


def measure(subject: Subject) -> list[Figure]:
    """Sessions and steps a second; the variants' histories are warm."""
    env = subject.env()
    variants = range(1, subject.size(5, 1) + 1)
    _play(env, subject, variants)
    sessions_rate: list[float] = []
    steps_rate: list[float] = []
    for _ in range(subject.size(9, 1)):
        begin = perf_counter()
        sessions, steps = _play(env, subject, variants)
        spent = perf_counter() - begin
        sessions_rate.append(sessions / spent)
        steps_rate.append(steps / spent)
    note = f"references of {len(subject.task_ids)} tasks over {len(variants)} variants, histories warm, one core"
    return [
        Figure("throughput", "whole sessions", "1/s", tuple(sessions_rate), note=note),
        Figure("throughput", "steps in whole sessions", "1/s", tuple(steps_rate), note="resets and scoring included"),
    ]


def _play(env: PiEnv, subject: Subject, variants: range) -> tuple[int, int]:
    sessions = steps = 0
    for variant in variants:
        for task_id in subject.task_ids:
            env.reset(options={"task": task_id, "variant": variant})
            session = env.session
            assert session is not None
            for action in reference_of(session.task):
                if session.ended:
                    break
                env.step(action)
                steps += 1
            sessions += 1
    return sessions, steps
