"""Copies of a session: forks, reads behind many nested forks, pickles."""

from __future__ import annotations

import pickle

from measure import Figure, ratios, timed_us
from subject import Subject, call, page

from pi_gym import PiSession

FORK_RATIO = 1.5
READ_RATIO = 2.0
NESTED = 1_000
READ_PATH = "notes/read.txt"


def measure(subject: Subject) -> list[Figure]:
    """Forks of a short and a long session, reads of a forked and an unforked one, and pickles."""
    return [*_forks(subject), *_nested(subject), *_pickles(subject)]


def _grown(subject: Subject, events: int) -> PiSession:
    """A session with so many events, writing among them."""
    session = subject.session()
    steps = 0
    while len(session.log) < events:
        # Every tenth call writes, so that the workspace has a journal too.
        if steps % 10 == 0:
            session.apply(call("write_file", path=f"notes/{steps % 70}.txt", content=f"state {steps}\n"))
        else:
            session.apply(call("read_file", path=f"notes/{steps // 10 % 7 * 10}.txt"))
        steps += 1
    return session


def _forks(subject: Subject) -> list[Figure]:
    short, long = _grown(subject, 10), _grown(subject, subject.size(10_000, 400))
    rounds, batch = subject.size(200, 5), 20
    spent: dict[str, list[float]] = {"short": [], "long": []}
    for _ in range(rounds):
        for name, session in (("short", short), ("long", long)):
            total = timed_us(lambda session=session: [session.fork() for _ in range(batch)])  # type: ignore[misc]
            spent[name].append(total / batch)
    return [
        Figure("copy", f"fork after {len(short.log)} events", "us", tuple(spent["short"])),
        Figure("copy", f"fork after {len(long.log):,} events", "us", tuple(spent["long"])),
        Figure("copy", "fork, long against short", "ratio", ratios(spent["long"], spent["short"]), FORK_RATIO),
    ]


def _nested(subject: Subject) -> list[Figure]:
    plain = subject.session(files={READ_PATH: page(2_000).encode()})
    forked = plain.fork()
    for number in range(subject.size(NESTED, 30)):
        action = call("write_file", path="notes/state.txt", content=f"state {number}\n")
        plain.apply(action)
        forked = forked.fork()
        forked.apply(action)
    rounds = subject.size(200, 5)
    kinds: dict[str, tuple[list[float], list[float]]] = {"step": ([], []), "file": ([], []), "log": ([], [])}
    read = call("read_file", path=READ_PATH)
    for _ in range(rounds):
        for side, session in enumerate((forked, plain)):
            workspace, log = session.world.workspace, session.log
            kinds["file"][side].append(timed_us(lambda w=workspace: [w.text(READ_PATH) for _ in range(50)]))  # type: ignore[misc]
            kinds["log"][side].append(timed_us(lambda log=log: sum(1 for _ in log)))  # type: ignore[misc]
            kinds["step"][side].append(timed_us(lambda session=session: session.apply(read)))  # type: ignore[misc]
    names = {"step": "read step", "file": "file read", "log": "log walk"}
    return [
        Figure("copy", f"{names[kind]} after {NESTED:,} nested forks", "ratio", ratios(*pair), READ_RATIO)
        for kind, pair in kinds.items()
    ]


def _pickles(subject: Subject) -> list[Figure]:
    env = subject.env()
    sizes: list[float] = []
    dumps: list[float] = []
    loads: list[float] = []
    for _ in range(subject.size(20, 1)):
        for task_id in subject.task_ids:
            env.reset(options={"task": task_id, "variant": 0})
            session = env.session
            assert session is not None
            for action in session.task.reference[:-1]:
                env.step(action)
            data = pickle.dumps(session)
            sizes.append(len(data) / 1e3)
            dumps.append(timed_us(lambda session=session: pickle.dumps(session)))  # type: ignore[misc]
            loads.append(timed_us(lambda data=data: pickle.loads(data)))  # type: ignore[misc]
    return [
        Figure("copy", "pickle of a session before its last reply", "us", tuple(dumps)),
        Figure("copy", "unpickle of the same, caches warm", "us", tuple(loads)),
        Figure("copy", "size of the pickle", "kB", tuple(sizes)),
    ]
