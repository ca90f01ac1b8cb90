"""The simulated apps over the pack's whole seed world: operations, memory of sessions that live in them, the shell.

`python bench/apps.py` prints the CPU time of the operations in us, in the worlds of the first task and of the last one;
`--against OTHER/.venv/bin/python` shows another version's beside it, in turns.
"""

from __future__ import annotations

import gc
import json
import tracemalloc
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import against
from measure import Figure, cpu_us, timed_us
from subject import UNBOUNDED, Subject, call

from pi_gym import PiSession, SessionConfig
from pi_gym.apps.row_search import words_of
from pi_gym.pibench.history import opening_for
from pi_gym.shell import ShellRunner
from pi_gym.tools import ToolContext, ToolResult
from pi_gym.types import HistoryMode, ToolCall

CALL_US = 100.0
SEARCH_US = 1_000.0
SESSION_KB = 100.0
IDS = 100_000


@dataclass(frozen=True)
class Shown:
    """An argument that another operation shows.

    Args:
        operation: one that lists records.
        key: of the records in its result.
        many: the argument is a list with one such value.
        given: what that operation needs itself.
    """

    operation: str
    key: str
    many: bool = False
    given: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Probe:
    """The operations by which an app is measured, by their names without the app's.

    Args:
        read: one that shows one record, with arguments.
        write: one that adds something, with arguments.
        search: one that finds records by words.
        words: where the words come from: table and column of what is searched.
    """

    read: tuple[str, Mapping[str, Any]] | None
    write: tuple[str, Mapping[str, Any]]
    search: str = ""
    words: tuple[str, str] = ("", "")


TEXT = "Bring the recorder and both cables, the small stand, and the list of what was lent out last time."
PROJECT = Shown("show_projects", "project_id")
PROBES: Mapping[str, Probe] = {
    "amazon": Probe(
        ("show_product", {"product_id": Shown("search_products", "product_id")}),
        ("add_product_to_wish_list", {"product_id": Shown("search_products", "product_id"), "quantity": 1}),
        "search_products",
        ("products", "name"),
    ),
    "file_system": Probe(None, ("create_file", {"file_path": "~/bench/plan.md", "content": TEXT})),
    "gmail": Probe(
        ("show_thread", {"email_thread_id": Shown("show_inbox_threads", "email_thread_id")}),
        ("send_email", {"email_addresses": Shown("search_users", "email", many=True), "subject": "Plan", "body": TEXT}),
        "show_inbox_threads",
        ("emails", "body"),
    ),
    "phone": Probe(
        ("show_text_message", {"text_message_id": Shown("search_text_messages", "text_message_id")}),
        ("send_text_message", {"phone_number": Shown("search_contacts", "phone_number"), "message": TEXT}),
        "search_text_messages",
        ("messages", "message"),
    ),
    "simple_note": Probe(
        ("show_note", {"note_id": Shown("search_notes", "note_id")}),
        ("create_note", {"title": "Plan", "content": TEXT}),
        "search_notes",
        ("notes", "content"),
    ),
    "splitwise": Probe(
        ("show_group", {"group_id": Shown("show_groups", "group_id")}),
        ("create_group", {"name": "Recordings", "member_emails": Shown("search_users", "email", many=True)}),
        "search_users",
        ("accounts", "first_name"),
    ),
    "spotify": Probe(
        ("show_song", {"song_id": Shown("search_songs", "song_id")}),
        ("create_playlist", {"title": "Train"}),
        "search_songs",
        ("songs", "title"),
    ),
    "todoist": Probe(
        ("show_task", {"task_id": Shown("show_tasks", "task_id", given={"project_id": PROJECT})}),
        ("create_task", {"project_id": PROJECT, "title": "Plan", "description": TEXT}),
        "show_projects",
        ("projects", "name"),
    ),
}


def measure(subject: Subject) -> list[Figure]:
    """Operations of the apps that the persona has accounts in, the memory of such sessions, and the shell."""
    figures: list[Figure] = []
    living = _Living(subject)
    for app in living.apps:
        figures += _operations(living, app)
    if living.apps:
        figures += _memory(living)
    return figures + _shell(subject)


def prepare(pack: str) -> against.Round:
    """Sessions of the first task and, with its whole past, of the last; a round runs every operation in each."""
    subject = Subject(pack)
    first, last = _Living(subject), _Living(subject, subject.task_ids[-1], "reference")

    def measured() -> Mapping[str, float]:
        found = {}
        for living, where in ((first, ""), (last, ", last world")):
            figures = [figure for app in living.apps for figure in _operations(living, app) if figure.unit == "us"]
            found |= {f"{figure.name}{where}": median(figure.values) for figure in figures}
        return found

    measured()
    return measured


class _Living:
    """A session that offers everything and has signed in everywhere, in a world that is shared but for few rows.

    Attributes:
        apps: those that the persona has accounts in, sorted.
        opened: the session before its first action.
        session: the same, signed in.
        logins: the actions between them.
    """

    def __init__(self, subject: Subject, task_id: str = "", history: HistoryMode = "none") -> None:
        self.subject = subject
        task = subject.pack.instantiate(task_id or subject.task_ids[0])
        config = SessionConfig(limits=UNBOUNDED, history=history, tools="all")
        self.opened = PiSession(task, opening=opening_for(subject.pack, task, history, "all"), config=config)
        seeds = subject.pack.app_seeds
        accounts = {one.app: one for one in subject.pack.persona.accounts if one.app in PROBES and seeds.files(one.app)}
        self.apps = sorted(accounts)
        self.logins = [
            call(f"{app}__login", username=accounts[app].username, password=accounts[app].password) for app in self.apps
        ]
        self.session = self.opened.fork()
        _do(self.session, self.logins)

    def context(self) -> ToolContext:
        """The context of one call; its changes stay in it."""
        return ToolContext(self.session.world.fork(), self.session.task.persona.root, ids=IDS)

    def run(self, app: str, operation: str, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        """One call."""
        return self.session.opening.registry.run(ToolCall(f"{app}__{operation}", dict(arguments)), context)

    def usable(self, app: str, operation: str, arguments: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The filled arguments with which the operation succeeds."""
        filled = [(one, self.run(app, operation, one, self.context())) for one in self.filled(app, arguments)]
        found = [one for one, result in filled if result.ok]
        assert found, f"{app}__{operation}: {filled[0][1].text}"
        return found

    def filled(self, app: str, arguments: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The arguments with each value that is shown for the first that takes from a list."""
        source = next((name for name, value in arguments.items() if isinstance(value, Shown)), None)
        if source is None:
            return [dict(arguments)]
        shown = arguments[source]
        (given, *_) = self.filled(app, shown.given)
        if "page_limit" in {
            one.name for one in self.session.opening.registry.get(f"{app}__{shown.operation}").parameters
        }:
            given |= {"page_limit": 20}
        values = _values(json.loads(self.run(app, shown.operation, given, self.context()).text), shown.key)
        assert values, f"{app}__{shown.operation} shows no {shown.key}"
        return [{**arguments, source: [value] if shown.many else value} for value in values]


def _do(session: PiSession, actions: Sequence[str]) -> None:
    for action in actions:
        session.apply(action)
    results = [event.data for event in session.log if event.kind == "call"]
    assert all(result["ok"] for result in results), results


def _values(found: Any, key: str) -> list[Any]:
    """The different values under a key, wherever it stands in a result."""
    parts = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    own = [found[key]] if isinstance(found, dict) and key in found else []
    return list(dict.fromkeys([*own, *(value for part in parts for value in _values(part, key))]))


def _operations(living: _Living, app: str) -> list[Figure]:
    probe, rounds = PROBES[app], living.subject.size(200, 3)
    figures = []
    for kind, call_of in (("read", probe.read), ("write", probe.write)):
        if call_of is not None:
            operation, arguments = call_of
            usable = living.usable(app, operation, arguments)
            spent = [_timed(living, app, operation, usable[number % len(usable)]) for number in range(rounds)]
            figures.append(Figure("apps", f"{app}: {kind}, {operation}", "us", tuple(spent), CALL_US))
    if probe.search:
        queries, common = _queries(living, app, probe)
        # The first search of a process makes the table's index; rows are read before, by other operations.
        first = _timed(living, app, probe.search, {"query": "anything"}) / 1e3
        listed = [_timed(living, app, probe.search, {}) for _ in range(len(queries))]
        new = [_timed(living, app, probe.search, {"query": query}) for query in queries]
        known = [_timed(living, app, probe.search, {"query": query}) for query in queries]
        often = [_timed(living, app, probe.search, {"query": common}) for _ in range(len(queries))]
        name, note = (
            f"{app}: search, {probe.search}",
            f"two words of one of {_size(living, app, probe)} {probe.words[0]}",
        )
        figures += [
            Figure("apps", name, "us", tuple(new), SEARCH_US, note=note),
            Figure("apps", f"{name}, asked before", "us", tuple(known), SEARCH_US),
            Figure("apps", f"{name}, commonest word", "us", tuple(often), SEARCH_US, note=f"{common!r}"),
            Figure("apps", f"{name}, no words", "us", tuple(listed), SEARCH_US),
            Figure("apps", f"{name}, first of the process", "ms", (first,)),
        ]
    return figures


def _timed(living: _Living, app: str, operation: str, arguments: Mapping[str, Any]) -> float:
    context, results = living.context(), []
    spent = cpu_us(lambda: results.append(living.run(app, operation, arguments, context)))
    assert results[0].ok, f"{app}__{operation}: {results[0].text}"
    return spent


def _rows(living: _Living, app: str, probe: Probe) -> list[list[str]]:
    """The words of each row that is searched."""
    table, column = probe.words
    rows = living.session.world.apps[app].table(table).rows()
    return [words for _, row in rows if (words := words_of(str(row[column])))]


def _size(living: _Living, app: str, probe: Probe) -> int:
    return len(_rows(living, app, probe))


def _queries(living: _Living, app: str, probe: Probe) -> tuple[list[str], str]:
    """Different queries of two words from rows all over the table, and the table's commonest word."""
    rows = _rows(living, app, probe)
    step = max(1, len(rows) // living.subject.size(200, 3))
    pairs = [" ".join(words[len(words) // 2 :][:2]) for words in rows[::step]]
    often = Counter(word for words in rows for word in set(words))
    return list(dict.fromkeys(pairs)), min(often, key=lambda word: (-often[word], word))


def _memory(living: _Living) -> list[Figure]:
    """The memory of a session that was forked from the opening, signed in everywhere and wrote in every app."""
    writes = []
    for app in living.apps:
        operation, arguments = PROBES[app].write
        writes.append(call(f"{app}__{operation}", **living.usable(app, operation, arguments)[0]))
    actions = [*living.logins, *writes]
    _do(living.opened.fork(), actions)  # caches
    count = living.subject.size(300, 20)
    gc.collect()
    tracemalloc.start()
    kept = []
    for _ in range(count):
        kept.append(living.opened.fork())
        _do(kept[-1], actions)
    gc.collect()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    name = "memory per session that signed in and wrote in every app"
    note = f"{len(living.apps)} apps, {count} sessions forked from one opening, tracemalloc"
    return [Figure("apps", name, "kB", (size / 1e3 / len(kept),), SESSION_KB, note=note)]


def _shell(subject: Subject) -> list[Figure]:
    """A command that does nothing, through the environment; nothing where no sandbox works."""
    if not ShellRunner().available():
        return []
    env = subject.env(tools="all", max_steps=10_000, max_tool_calls=10_000)
    env.reset(options={"task": subject.task_ids[0], "variant": 0})
    action = call("exec", command="true")
    env.step(action)
    spent = tuple(timed_us(lambda: env.step(action)) / 1e3 for _ in range(subject.size(50, 2)))
    files = sum(1 for _ in env.session.world.workspace.walk()) if env.session is not None else 0
    env.close()
    return [Figure("apps", "shell call, `true`", "ms", spent, note=f"a workspace of {files} files")]


if __name__ == "__main__":
    against.main(__file__, __doc__, prepare, rounds=5)
