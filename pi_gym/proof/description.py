"""A pack for readers: who the person is, how the episode hangs together, and its statistics, as a Markdown page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pi_gym.apps.declare import SEPARATOR
from pi_gym.catalogue import TaskCard
from pi_gym.errors import PiGymError
from pi_gym.packs import Pack, Task
from pi_gym.packs.pool import PoolWay
from pi_gym.packs.source import TaskSource
from pi_gym.pibench.declared_shell import declared_answer
from pi_gym.pibench.history import opening_for
from pi_gym.pibench.opening import Opening
from pi_gym.pibench.session import PiSession
from pi_gym.pibench.settings import SessionConfig
from pi_gym.schema import ParamSpec

ABOUT = "about.md"
_REQUEST_CHARS = 160


@dataclass(frozen=True, slots=True)
class Entry:
    """One session of the episode, in the canonical world.

    Args:
        card: the task at a glance.
        source: its template.
        task: the task in variant 0.
        opening: its opening, after the reference sessions before it.
        played: the reference, played.
    """

    card: TaskCard
    source: TaskSource
    task: Task
    opening: Opening
    played: PiSession


def describe(pack: Pack) -> str:
    """The page of a pack with predicates and references.

    Args:
        pack: the pack; `about.md` in its folder, where there is one, is the text about the person.

    Raises:
        PiGymError: its tasks have no references, so that nothing can be counted.
    """
    if not pack.has_rules or not pack.has_references:
        raise PiGymError(f"pack {pack.name!r} has tasks without references, so its statistics cannot be played")
    entries = [_entry(pack, name) for name in pack.task_ids]
    parts = [
        f"<!-- Made by `pi-gym describe {pack.name}`; what is told in prose is the pack's {ABOUT}. -->",
        f"# {pack.spec.title}: {pack.persona.name}",
        pack.spec.description.strip(),
        *_persona(pack),
        "## The episode",
        "Sessions in their order; the request is that of variant 0, others word, name and number things differently.",
        "\n".join(_sessions(entries)),
        "## What carries over",
        *_carried(entries),
        "## Statistics",
        "\n".join(_statistics(entries)),
        "By task, the numbers of the canonical world where they depend on one:",
        "\n".join(_by_task(entries)),
        "What makes wishes of the pools hard ([authoring.md](authoring.md#what-makes-it-good)):",
        "\n".join(_by_tag(entries)),
    ]
    return "\n\n".join(parts) + "\n"


def _entry(pack: Pack, task_id: str) -> Entry:
    task = pack.instantiate(task_id)
    opening = opening_for(pack, task, "reference", "task")
    session = PiSession(task, opening=opening, config=SessionConfig(history="reference"))
    for action in task.reference:
        if session.ended:
            break
        session.apply(action)
        while session.pending:
            for ask in session.pending:
                session.answer(ask.id, declared_answer(session, ask, action))
    return Entry(pack.card(task_id), pack.source_of(task_id), task, opening, session)


def _persona(pack: Pack) -> Iterator[str]:
    person, about = pack.persona, pack.folder / ABOUT
    yield "## The person"
    yield f"{person.name}, {person.role}."
    if about.is_file():
        yield about.read_text(encoding="utf-8").strip()
    if person.voice:
        yield f"How the person writes: {' '.join(person.voice.split())}"
    if person.preferences:
        yield (
            f"Preferences that hold in all sessions and are drawn anew for every variant ({len(person.preferences)}):"
        )
        rows = [f"| {name} | {_choices(spec)} |" for name, spec in person.preferences.items()]
        yield "\n".join(["| preference | one of |", "| --- | --- |", *rows])


def _choices(spec: ParamSpec) -> str:
    if spec.choices is not None:
        return ", ".join(f"`{choice}`" for choice in spec.choices)
    bounds = spec.range or spec.date
    return f"{bounds[0]} to {bounds[1]}" if bounds is not None else f"`{spec.value}`"


def _sessions(entries: Sequence[Entry]) -> Iterator[str]:
    yield "| session | when | kind | group | what | begins |"
    yield "| --- | --- | --- | --- | --- | --- |"
    sizes = Counter(entry.card.group for entry in entries)
    for entry in entries:
        card = entry.card
        group = f"{card.group} {len(card.depends_on) + 1}/{sizes[card.group]}" if card.group else ""
        when = entry.task.time.replace("T", " ")
        group += (", " if group else "") + "held out" if card.holdout else ""
        category, title = card.details["category"], _cell(entry.task.title)
        yield f"| {card.id} | {when} | {category} | {group} | {title} | {_begins(entry)} |"


def _begins(entry: Entry) -> str:
    text = " ".join(entry.task.request.split())
    short = text if len(text) <= _REQUEST_CHARS else text[:_REQUEST_CHARS].rsplit(" ", 1)[0] + " …"
    return (f"*{entry.card.details['trigger']}:* " if entry.card.details["trigger"] != "user" else "") + _cell(short)


def _carried(entries: Sequence[Entry]) -> Iterator[str]:
    found = [
        (way.session, entry.card.id, intent.name, way.place if way.column is not None else f"`{_cell(way.place)}`")
        for entry in entries
        for intent in entry.source.pool
        for way in intent.ways
        if way.session is not None
    ]
    if not found:
        yield "No session tells what a later one needs."
        return
    pairs: dict[tuple[str, str], list[str]] = {}
    for source, target, name, _ in found:
        pairs.setdefault((source, target), []).append(name)
    lines = [
        f"    {_node(source)} -- {len(set(names))} --> {_node(target)}" for (source, target), names in pairs.items()
    ]
    yield "What one session establishes and a later one can know without asking; the numbers count intents."
    yield "\n".join(["```mermaid", "flowchart LR", *lines, "```"])
    rows = [f"| {source} | {target} | {name} | {place} |" for source, target, name, place in found]
    yield "\n".join(["| from | to | intent | told by |", "| --- | --- | --- | --- |", *rows])


def _node(task_id: str) -> str:
    return f'{task_id.replace("-", "_")}["{task_id}"]'


def _statistics(entries: Sequence[Entry]) -> Iterator[str]:
    sources, tasks = [entry.source for entry in entries], [entry.task for entry in entries]
    specs = [source.spec for source in sources]
    intents = [intent for source in sources for intent in source.pool]
    ways = Counter(_told_by(intent.ways) for intent in intents)
    items = [item for task in tasks for item in task.checklist]
    offered = {name for entry in entries for name in entry.opening.registry.names}
    called = [event.data["name"] for entry in entries for event in entry.played.log if event.kind == "call"]
    skills = {skill for spec in specs for skill in spec.skills}
    files = [len(task.files) for task in tasks]
    triggers = Counter(entry.card.details["trigger"] for entry in entries)
    categories = Counter(entry.card.details["category"] for entry in entries)
    yield "| | |"
    yield "| --- | --- |"
    for name, value in (
        ("sessions", str(len(entries))),
        ("opened by", _counted(triggers)),
        ("kinds of work (paper, Table 5)", _counted(categories)),
        ("dependency groups", str(len({entry.card.group for entry in entries if entry.card.group}))),
        ("sessions without a group", str(sum(not entry.card.group for entry in entries))),
        ("held out of training", str(sum(entry.card.holdout for entry in entries))),
        ("hidden intents in the pools", f"{len(intents)}, {_range([len(source.pool) for source in sources])} a task"),
        ("hidden intents drawn", f"{min(s.draw.min for s in specs)} to {max(s.draw.max for s in specs)} a task"),
        (
            "lasting / of the session",
            f"{sum(one.persistent for one in intents)} / {sum(not one.persistent for one in intents)}",
        ),
        ("can be known from", _counted(ways)),
        ("checklist items", f"{len(items)}, {_range([len(task.checklist) for task in tasks])} a task"),
        ("graders in the model mode", _counted(Counter(item.grader for item in items))),
        ("guards among the items", str(sum(bool(item.requires) for item in items))),
        ("files that tasks bring", f"{sum(files)}, {_range(files)} a task"),
        ("their size", f"{sum(_size(task) for task in tasks) / 1000:.0f} kB"),
        ("rows that tasks put into apps", str(sum(_rows(task) for task in tasks))),
        ("apps in use", ", ".join(sorted({n.partition(SEPARATOR)[0] for n in offered if SEPARATOR in n})) or "none"),
        ("tools offered", f"{len(offered)}, {_range([len(e.opening.registry.names) for e in entries])} a task"),
        ("tools that references call", str(len(set(called)))),
        ("skills", f"{len(skills)}, {_range([len(spec.skills) for spec in specs])} a task"),
        ("turns of a reference", _range([entry.played.turn for entry in entries])),
        ("calls of a reference", _range([entry.played.tool_calls for entry in entries])),
        ("questions of a reference", _range([entry.played.questions for entry in entries])),
    ):
        yield f"| {name} | {value} |"


def _by_tag(entries: Sequence[Entry]) -> Iterator[str]:
    tagged = [(tag, entry.card.id) for entry in entries for one in entry.source.pool for tag in one.tags]
    wishes = [one for entry in entries for one in entry.source.pool]
    yield "| tag | wishes | sessions |"
    yield "| --- | ---: | --- |"
    for tag, count in sorted(Counter(tag for tag, _ in tagged).items()):
        sessions = dict.fromkeys(task for found, task in tagged if found == tag)
        yield f"| {tag} | {count} | {', '.join(name[:2] for name in sessions)} |"
    yield f"| none | {sum(not one.tags for one in wishes)} of {len(wishes)} | |"


def _told_by(ways: Sequence[PoolWay]) -> str:
    """The source that tells an intent: the first of its ways decides."""
    if not ways:
        return "the user alone"
    return "an earlier session" if ways[0].session is not None else "an app" if ways[0].column is not None else "a file"


def _size(task: Task) -> int:
    return sum(len(data) for data in task.files.values())


def _rows(task: Task) -> int:
    return sum(len(rows) for tables in task.apps.values() for rows in tables.values())


def _by_task(entries: Sequence[Entry]) -> Iterator[str]:
    titles = [
        "session",
        "pool",
        "drawn",
        "items",
        "files",
        "kB",
        "app rows",
        "tools",
        "skills",
        "turns",
        "calls",
        "questions",
    ]
    yield f"| {' | '.join(titles)} |"
    yield f"| {' | '.join('---' for _ in titles)} |"
    for entry in entries:
        draw, played = entry.source.spec.draw, entry.played
        cells = [
            entry.card.id,
            len(entry.source.pool),
            str(draw.min) if draw.min == draw.max else f"{draw.min} to {draw.max}",
            entry.source.item_count,
            len(entry.task.files),
            f"{_size(entry.task) / 1000:.1f}",
            _rows(entry.task),
            len(entry.opening.registry.names),
            len(entry.source.spec.skills),
            played.turn,
            played.tool_calls,
            played.questions,
        ]
        yield f"| {' | '.join(map(str, cells))} |"


def _range(values: Sequence[int]) -> str:
    mean = sum(values) / len(values)
    if min(values) == max(values):
        return str(values[0])
    return f"{mean:.1f} on average ({min(values)} to {max(values)})"


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {counts[name]}" for name in sorted(counts))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
