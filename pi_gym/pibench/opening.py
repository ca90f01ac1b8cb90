"""Opening a session: stage the task's files and rows, choose the tools, write the system message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Literal

from pi_gym.apps import all_tools, apps_of, operations, sign_out_everywhere
from pi_gym.packs.app_rows import SEED_IDS, StagedRow
from pi_gym.packs.folder import EMPTY_MEMORY, MEMORY_FILE
from pi_gym.packs.task import Task
from pi_gym.pibench.reminders import reminder_message
from pi_gym.pibench.settings import DEFAULT_LIMITS, Limits
from pi_gym.session.transcript import quote_lines, render_message, with_actions
from pi_gym.state import Blob, Mark, Table, Workspace, WorkspaceError, World
from pi_gym.state.tree import Folder
from pi_gym.templates import render_prompt
from pi_gym.tools import GENERAL, Registry
from pi_gym.tools.jobs import CRON, Fired, choose_jobs, fire_due, open_jobs
from pi_gym.types import Message

MEMORY_SHOWN_CHARS = 8_000
SPAWN = "spawn"


@dataclass(frozen=True, eq=False)
class Opening:
    """A session before its first action; shared by all sessions that open alike, and never changed.

    Two are the same only where they are one object.

    Args:
        task: the task.
        start: the world that the session was given.
        world: the start with the task's files staged.
        mark: that moment of the workspace.
        registry: the tools that the session offers.
        messages: the system message, reminders that fell due since the last session, and the opening message.
        history: the text history so far.
        fired: the jobs behind the reminders.
    """

    task: Task
    start: World
    world: World
    mark: Mark
    registry: Registry
    messages: tuple[Message, ...]
    history: str
    fired: tuple[Fired, ...] = ()


def open_task(
    task: Task,
    start: World,
    tools: Literal["task", "all"],
    registry: Registry | None = None,
    *,
    subagent: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    paper_letter: bool = False,
) -> Opening:
    """Open a task in a world.

    Args:
        task: the task.
        start: the world to stage its files in.
        tools: "task" offers the task's tools and the pack's general ones, "all" everything there is.
        registry: the tools to offer instead.
        subagent: somebody answers for sub-agents, so `spawn` is offered.
        limits: what the system message tells of them.
        paper_letter: the user answers any number of questions; else the system message says that it is a few.
    """
    registry = registry or choose_tools(task, tools, subagent)
    world, fired = stage(task, start, registry)
    system = Message("system", _system_text(task, world, registry, limits, few_questions=not paper_letter))
    opening = Message("user", task.opening)
    history = render_message(Message("system", with_actions(system.content, registry)))
    messages = (system, *map(reminder_message, fired), opening)
    history += "".join(map(render_message, messages[1:]))
    return Opening(task, start, world, world.workspace.mark(), registry, messages, history, fired)


def stage(task: Task, start: World, registry: Registry) -> tuple[World, tuple[Fired, ...]]:
    """The world in which a session begins, and the jobs that fell due since the last one.

    Args:
        task: the task, whose files and rows are put in.
        start: the world before that; it is not changed.
        registry: the tools that the session offers.
    """
    world = start.fork()
    for path in sorted(task.files):
        _put_file(world.workspace, path, partial(task.files.__getitem__, path))
    world.workspace.renew_allowance()
    _open_apps(world, task, registry.names)
    choose_jobs(world, lambda job: any(first < job <= first + SEED_IDS for first in task.reminders))
    if CRON in registry:
        open_jobs(world)
    return world, fire_due(world, datetime.fromisoformat(task.time), task.persona.timezone, reopened=True)


def _put_file(workspace: Workspace, path: str, make: Callable[[], bytes]) -> None:
    """Put in a seed file. What an earlier session left in its way gives way: no session breaks because of another."""
    try:
        workspace.bring(path, make)
    except WorkspaceError:
        _make_way(workspace, path)
        workspace.bring(path, make)


def _make_way(workspace: Workspace, path: str) -> None:
    names = path.split("/")
    for count in range(1, len(names) + 1):
        place = "/".join(names[:count])
        other = workspace.spelling(place)
        if other is not None:
            try:
                workspace.rename(other, place)
            except WorkspaceError:
                workspace.delete(other)
        if isinstance(workspace.node(place), Folder if count == len(names) else Blob):
            workspace.delete(place)


def _open_apps(world: World, task: Task, tools: Iterable[str]) -> None:
    """Sign out everywhere, put in the apps that are offered for the first time, and stage the task's rows.

    Args:
        world: the session's world; it is changed.
        task: the task.
        tools: names of the tools that the session offers.
    """
    sign_out_everywhere(world)
    names = sorted({*apps_of(tools), *task.apps})
    if not names:
        return
    seeds = task.home.app_seeds
    for name in names:
        if name not in world.apps:
            world.put_app(name, seeds.database(name))
        for table, rows in task.apps.get(name, {}).items():
            database = world.apps[name]
            world.put_app(name, database.put(table, _with_rows(database.table(table), rows)))


def _with_rows(table: Table, rows: Mapping[int, StagedRow]) -> Table:
    """The table with a task's rows, whatever earlier sessions did to them."""
    for key, row in rows.items():
        current = table.get(key)
        table = table.insert(key, row.whole) if current is None else table.update(key, **row.given)
    return table


def choose_tools(task: Task, tools: Literal["task", "all"], subagent: bool = False) -> Registry:
    """The tools that a session offers: the pack's general ones and the task's, or everything there is.

    `spawn` is offered where somebody answers for sub-agents, whatever the task names, and nowhere else.
    """
    if tools == "all":
        chosen = all_tools()
    else:
        general = task.general_tools if task.general_tools is not None else GENERAL.names
        chosen = operations([*general, *task.tools, *([SPAWN] if subagent else [])])
    return chosen if subagent or SPAWN not in chosen else chosen.subset(name for name in chosen.names if name != SPAWN)


def _system_text(task: Task, world: World, registry: Registry, limits: Limits, *, few_questions: bool) -> str:
    apps = apps_of(registry.names)
    offered = [account for account in task.persona.accounts if account["app"] in apps]
    text = render_prompt(
        "system.md",
        persona=task.persona,
        now=spoken_time(task.time, task.persona.timezone),
        root=task.persona.root,
        skills=task.skills,
        accounts=offered,
        memory=_shown_memory(world.workspace.text(MEMORY_FILE) or ""),
        limits=limits,
        few_questions=few_questions,
    )
    return text.rstrip() + "\n"


def _shown_memory(text: str) -> str:
    """The agent's notes in the system message, quoted: they cannot imitate a heading of it."""
    if text == EMPTY_MEMORY:
        return text.strip()
    notes = text.strip()
    if not notes:
        return "(empty)"
    cut = f"\n[... cut; read {MEMORY_FILE} for the rest]" if len(notes) > MEMORY_SHOWN_CHARS else ""
    return quote_lines(notes[:MEMORY_SHOWN_CHARS]) + cut


def spoken_time(iso: str, zone: str = "") -> str:
    """A moment as the system message writes it.

    >>> spoken_time("2026-03-09T14:05"), spoken_time("2026-03-09T14:05", "Europe/Berlin")
    ('Monday, 2026-03-09, 14:05', 'Monday, 2026-03-09, 14:05 (Europe/Berlin)')
    """
    text = datetime.fromisoformat(iso).strftime("%A, %Y-%m-%d, %H:%M")
    return f"{text} ({zone})" if zone else text
