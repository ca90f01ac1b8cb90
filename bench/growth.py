"""The growth of a step's cost: with the history behind it, and with files that nobody touches."""

from __future__ import annotations

from statistics import median
from time import perf_counter_ns

from measure import Figure, ratios, slope, timed_us
from subject import Subject, call, filler, page

from pi_gym import PiSession

UNTOUCHED_RATIO = 1.2
COPIES_RATIO = 1.5
WARM_BYTES = 24_000_000
READ_PATH = "notes/read.txt"


def measure(subject: Subject) -> list[Figure]:
    """Measure both kinds of growth."""
    return [*_history(subject), *_untouched(subject)]


def _history(subject: Subject) -> list[Figure]:
    """Read steps of 2 kB in one long session of an environment, beside a text that grows alike by bare copies."""
    _warm_allocator()
    lengths = [10, 100] if subject.quick else [10, 100, 1_000]
    window = max(4, lengths[0] // 2)
    env = subject.env(max_steps=10**9, max_tool_calls=10**9)
    near: dict[int, list[float]] = {length: [] for length in lengths}
    steps: list[tuple[float, float]] = []
    copies: list[tuple[float, float]] = []
    action = call("read_file", path=READ_PATH)
    for _ in range(subject.size(5, 2)):
        env.reset(options={"task": subject.task_ids[0], "variant": 0})
        seen, *_ = env.step(call("write_file", path=READ_PATH, content=page(2_000)))
        text, added = seen["history"], ""
        for number in range(1, lengths[-1] + window):
            begin = perf_counter_ns()
            after, *_ = env.step(action)
            spent = (perf_counter_ns() - begin) / 1e3
            added = after["history"][len(seen["history"]) :]
            # As an agent does: the last observation lives until the next is there.
            seen = after
            for length in lengths:
                if length <= number < length + window:
                    near[length].append(spent)
                    steps.append((len(seen["history"]) / 1e3, spent))
        for number in range(1, lengths[-1] + window):
            begin = perf_counter_ns()
            longer = "".join((text, added))
            spent = (perf_counter_ns() - begin) / 1e3
            text = longer
            if any(length <= number < length + window for length in lengths):
                copies.append((len(text) / 1e3, spent))
    per_kilobyte, bare = slope(_medians(steps)), slope(_medians(copies))
    note = "kB: thousand characters"
    return [
        *(Figure("growth", f"read step after {n:,} steps", "us", tuple(near[n])) for n in lengths),
        Figure("growth", "step, by history", "us/kB", (per_kilobyte,), note=note),
        Figure("growth", "bare copy of the history", "us/kB", (bare,), note="the peer: what a new string costs here"),
        Figure("growth", "growth of a step against the bare copy", "ratio", (per_kilobyte / bare,), COPIES_RATIO),
    ]


def _warm_allocator() -> None:
    # glibc maps each large block anew, and the kernel clears its pages, until a larger one was once freed. In a process
    # that trains this has happened; where it has not, a copy of a long text costs some ten times as much.
    block = bytearray(WARM_BYTES)
    del block


def _medians(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The median time for each size: single slow steps would bend the line."""
    by_size: dict[float, list[float]] = {}
    for size, spent in points:
        by_size.setdefault(size, []).append(spent)
    return [(size, median(values)) for size, values in by_size.items()]


def _untouched(subject: Subject) -> list[Figure]:
    """The same steps in worlds of different size, in turns; what `env.step` adds to `apply` is made here too."""
    counts = [10, 300] if subject.quick else [10, 1_000, 10_000]
    worlds = {count: subject.session(files=filler(count) | {READ_PATH: page(2_000).encode()}) for count in counts}
    rounds = subject.size(150, 5)
    tools: dict[int, list[float]] = {count: [] for count in counts}
    replies: dict[int, list[float]] = {count: [] for count in counts}
    for number in range(rounds):
        for count, opened in worlds.items():
            session = opened.fork()
            actions = (
                call("read_file", path=READ_PATH),
                call("write_file", path="notes/draft.txt", content=page(2_000, number)),
                call("edit_file", path="notes/draft.txt", old_text="00003 run", new_text="00003 ran"),
                call("list_dir", path="notes"),
                call("grep", pattern="00007", path="notes"),
            )
            tools[count].append(timed_us(lambda s=session, a=actions: _steps(s, a)) / len(actions))  # type: ignore[misc]
            replies[count].append(timed_us(lambda s=session: _steps(s, ("The draft is in notes/draft.txt.",))))  # type: ignore[misc]
    figures = []
    for kind, spent in (("tool step", tools), ("reply", replies)):
        figures += [Figure("growth", f"{kind}, {n:,} untouched files", "us", tuple(spent[n])) for n in counts]
        name = f"{kind}, {counts[-1]:,} against {counts[0]} untouched files"
        figures.append(Figure("growth", name, "ratio", ratios(spent[counts[-1]], spent[counts[0]]), UNTOUCHED_RATIO))
    return figures


def _steps(session: PiSession, actions: tuple[str, ...]) -> None:
    for action in actions:
        mark = session.world.workspace.mark()
        session.apply(action)
        session.world.workspace.changes(mark)
