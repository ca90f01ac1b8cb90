"""The reply that ends a session: its turn judged, its checklist graded.

`python bench/replies.py` prints its CPU time over all tasks without a shell, where the same contents were judged before
and in the first session of a world; `--against OTHER/.venv/bin/python` shows another version's beside it, in turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from statistics import mean

import against
from measure import cpu_us
from subject import Subject

from pi_gym.pibench.session import PiSession

#: No variant from here on is opened by anybody else.
FIRST_FRESH = 700_000
FORKS = 5


def prepare(pack: str) -> against.Round:
    """Sessions before their last reply; a round gives it in copies of each, and in sessions in a new world."""
    subject = Subject(pack)
    fresh = count(FIRST_FRESH)
    known = [_before_the_last(subject, task_id, 0) for task_id in subject.task_ids]
    _last_replies(known, 1)

    def measured() -> Mapping[str, float]:
        variant = next(fresh)
        new = [_before_the_last(subject, task_id, variant) for task_id in subject.task_ids]
        return {
            "last reply, contents judged before, us": mean(_last_replies(known, FORKS)),
            "last reply, first session in its world, us": mean(_last_replies(new, 1)),
        }

    return measured


def _before_the_last(subject: Subject, task_id: str, variant: int) -> tuple[PiSession, str]:
    """A session that has come to the last action of its reference, and that action."""
    session = PiSession(subject.pack.instantiate(task_id, variant))
    *before, last = session.task.reference
    for action in before:
        session.apply(action)
    return session, last


def _last_replies(sessions: Iterable[tuple[PiSession, str]], forks: int) -> list[float]:
    times = []
    for session, last in sessions:
        for _ in range(forks):
            copy = session.fork()
            times.append(cpu_us(lambda copy=copy, last=last: copy.apply(last)))  # type: ignore[misc]
            assert copy.ended
    return times


if __name__ == "__main__":
    against.main(__file__, __doc__, prepare, rounds=9)
