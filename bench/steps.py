"""The cost of one step: tool calls by kind, and replies that end a turn.

`python bench/steps.py` prints the CPU time of tool steps over all tasks without a shell, in us;
`--against OTHER/.venv/bin/python` shows another version's beside it, in turns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain, count
from statistics import mean, median

import against
from measure import Figure, cpu_us, timed_us
from subject import FILE_BYTES, Subject, call, page, reference_of, text_files

from pi_gym.pibench.env import PiEnv

KINDS = ("read", "write", "edit", "list", "grep")
LARGE_KINDS = ("read", "write", "edit", "grep")
TARGET_US = 100.0
DRAFT = "bench/draft.txt"
LARGE = "bench/large.txt"


def measure(subject: Subject) -> list[Figure]:
    """Tool steps over the tasks' own files of up to 20 kB, the same over one file of 20 kB, and replies."""
    own: dict[str, list[float]] = {name: [] for name in KINDS}
    large: dict[str, list[float]] = {name: [] for name in LARGE_KINDS}
    env = subject.env(max_steps=10_000, max_tool_calls=10_000)
    for number in range(subject.size(30, 2)):
        _round(subject, env, number, own, large, timed_us)
    figures = [
        Figure(
            "step",
            "tool step, all kinds",
            "us",
            tuple(chain.from_iterable(own.values())),
            TARGET_US,
            note="read, write, edit, list and grep in equal parts, over the tasks' files of up to 20 kB",
        )
    ]
    figures += [Figure("step", f"tool step: {name}", "us", tuple(values), TARGET_US) for name, values in own.items()]
    figures += [
        Figure("step", f"tool step: {name}, file of 20 kB", "us", tuple(values), TARGET_US)
        for name, values in large.items()
    ]
    return figures + _replies(subject, env)


def prepare(pack: str) -> against.Round:
    """An environment whose tasks were opened; a round takes every kind of step in each of them."""
    subject = Subject(pack)
    env = subject.env(max_steps=10_000, max_tool_calls=10_000)
    numbers = count()

    def measured() -> Mapping[str, float]:
        own: dict[str, list[float]] = {name: [] for name in KINDS}
        large: dict[str, list[float]] = {name: [] for name in LARGE_KINDS}
        _round(subject, env, next(numbers), own, large, cpu_us)
        all_kinds = list(chain.from_iterable(own.values()))
        return {
            "all kinds, mean": mean(all_kinds),
            "all kinds": median(all_kinds),
            **{name: median(values) for name, values in own.items()},
            **{f"{name}, file of 20 kB": median(values) for name, values in large.items()},
        }

    measured()
    return measured


def _round(
    subject: Subject,
    env: PiEnv,
    number: int,
    own: Mapping[str, list[float]],
    large: Mapping[str, list[float]],
    timed: Callable[[Callable[[], object]], float],
) -> None:
    for task_id in subject.task_ids:
        env.reset(options={"task": task_id, "variant": 0})
        _time(env, own_actions(env, number), own, timed)
        env.reset(options={"task": task_id, "variant": 0})
        env.step(call("write_file", path=LARGE, content=page(FILE_BYTES)))
        _time(env, _large_actions(number), large, timed)


def _time(
    env: PiEnv,
    actions: Iterator[tuple[str, str]],
    into: Mapping[str, list[float]],
    timed: Callable[[Callable[[], object]], float],
) -> None:
    for kind, action in actions:
        into[kind].append(timed(lambda action=action: env.step(action)))  # type: ignore[misc]


def own_actions(env: PiEnv, number: int) -> Iterator[tuple[str, str]]:
    """Four rounds of the five kinds, over another file in each."""
    assert env.session is not None
    files = text_files(env.session.world.workspace)
    for turn in range(4):
        path, text = files[(4 * number + turn) % len(files)]
        yield "read", call("read_file", path=path)
        yield "write", call("write_file", path=DRAFT, content=f"copy {turn} of {path}\n{text}")
        yield "edit", call("edit_file", path=DRAFT, old_text=f"copy {turn} of", new_text=f"draft {turn} of")
        yield "list", call("list_dir", path=path.rpartition("/")[0] or ".")
        yield "grep", call("grep", pattern="draft [0-9]+", path=DRAFT)


def _large_actions(number: int) -> Iterator[tuple[str, str]]:
    for turn in range(3):
        line = 50 * turn + 7
        yield "read", call("read_file", path=LARGE, limit=180)
        yield "edit", call("edit_file", path=LARGE, old_text=f"{line:05d} run", new_text=f"{line:05d} ran")
        yield "grep", call("grep", pattern="000[0-9]7 ra[nm]", path=LARGE)
        yield "write", call("write_file", path=LARGE, content=page(FILE_BYTES, 100 * number + turn + 1))


def _replies(subject: Subject, env: PiEnv) -> list[Figure]:
    """Replies as the reference gives them, and ones that miss every intent."""
    rounds = subject.size(20, 1)
    ends: list[float] = []
    mids: list[float] = []
    for variant in range(rounds):
        for task_id in subject.task_ids:
            env.reset(options={"task": task_id, "variant": variant})
            assert env.session is not None
            for action in reference_of(env.session.task):
                spent = timed_us(lambda action=action: env.step(action))  # type: ignore[misc]
                if env.session.ended:
                    ends.append(spent)
                    break
            env.reset(options={"task": task_id, "variant": variant})
            mids.append(timed_us(lambda: env.step("I have looked at it and will go on with it.")))
    return [
        Figure("step", "reply that ends a turn", "us", tuple(mids), note="judges every open intent; the user answers"),
        Figure("step", "reply that ends a session", "us", tuple(ends), note="grades the checklist too"),
    ]


if __name__ == "__main__":
    against.main(__file__, __doc__, prepare, rounds=15)
