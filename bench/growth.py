"""How the cost of a step grows: with the history behind it, and with files that nobody touches."""

from __future__ import annotations

from statistics import median

from measure import Figure, ratios, slope, timed_us
from subject import Subject, call, filler, page

from pi_gym import Session

UNTOUCHED_RATIO = 1.2
COPIES_RATIO = 1.5
READ_PATH = "notes/read.txt"


def measure(subject: Subject) -> list[Figure]:
    """Both kinds of growth."""
    return [*_history(subject), *_untouched(subject)]


def _history(subject: Subject) -> list[Figure]:
    """Read steps of 2 kB in one long session of an environment, beside bare copies of the same text."""
    lengths = [10, 100] if subject.quick else [10, 100, 1_000]
    env = subject.env(max_steps=10**9, max_tool_calls=10**9)
    near: dict[int, list[float]] = {length: [] for length in lengths}
    steps: list[tuple[float, float]] = []
    copies: list[tuple[float, float]] = []
    action = call("read_file", path=READ_PATH)
    added = page(2_000)
    for _ in range(subject.size(5, 2)):
        env.reset(options={"task": subject.task_ids[0], "variant": 0})
        session = env.session
        assert session is not None
        env.step(call("write_file", path=READ_PATH, content=added))
        window = max(4, lengths[0] // 2)
        for number in range(1, lengths[-1] + window):
            spent = timed_us(lambda: env.step(action))
            for length in lengths:
                if length <= number < length + window:
                    text = session.history
                    near[length].append(spent)
                    steps.append((len(text) / 1e3, spent))
                    copies.append((len(text) / 1e3, timed_us(lambda text=text: "".join((text, added)))))  # type: ignore[misc]
    per_kilobyte, bare = slope(_medians(steps)), slope(_medians(copies))
    return [
        *(Figure("growth", f"read step after {n:,} steps", "us", tuple(near[n])) for n in lengths),
        Figure("growth", "step cost by kB of history", "us", (per_kilobyte,)),
        Figure("growth", "bare copy of the text by kB", "us", (bare,), note="the peer: what a new string costs"),
        Figure("growth", "the one against the other", "ratio", (per_kilobyte / bare,), COPIES_RATIO),
    ]


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


def _steps(session: Session, actions: tuple[str, ...]) -> None:
    for action in actions:
        mark = session.world.workspace.mark()
        session.apply(action)
        session.world.workspace.changes(mark)
