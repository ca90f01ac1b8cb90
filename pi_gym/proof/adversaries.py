"""Agents that try to be paid for words instead of work; a good task gives them next to nothing.

An adversary is a plan made before the session begins. Some know more than an agent ever could (every hidden text, the
paths that the reference writes): what such an agent cannot get by pasting, no agent gets by pasting.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import re2

from pi_gym.apps.declare import SEPARATOR
from pi_gym.packs import Task
from pi_gym.packs.task import ReferenceAction
from pi_gym.session import parse_action
from pi_gym.state import Workspace
from pi_gym.types import ToolCall

DUMP_CHARS = 300_000
DONE = "Done."
MAX_WRITES = 100  # a turn may hold 120 calls
_CALLS_PER_ACTION = 40
_PATH = re2.compile(r"[A-Za-z0-9_./-]*[A-Za-z0-9_-]\.[A-Za-z][A-Za-z0-9]{1,4}\b")
_OBVIOUS = ("summary", "report", "notes", "output", "result", "README", "final", "answer")

GENERIC_QUESTIONS = (
    "Anything else I should know?",
    "Do you have any preferences?",
    "Is there anything you want me to consider?",
    "How would you like it?",
    "What format would you like?",
    "Which file should I use?",
    "Where should I put it?",
    "How should I name the file?",
    "Who is it for?",
    "How long should it be?",
    "When do you need it?",
    "What style do you prefer?",
    "Are there any conventions I should follow?",
    "Is there an earlier example I should follow?",
    "What matters most to you here?",
    "What should I leave out?",
    "How detailed should it be?",
    "Which data should I use?",
    "Should I change anything else?",
    "Do you want me to explain my choices?",
    "What tone would you like?",
    "Which tool should I use?",
    "Should I send it to somebody?",
    "Is there a deadline?",
    "Is there a limit I should keep to?",
    "Which language should I write in?",
    "How precise should it be?",
    "In what order should things come?",
    "Should I keep the old version?",
    "Could you tell me more about what you want?",
)


@dataclass(frozen=True, slots=True)
class Scene:
    """The material for an adversary's plan.

    Args:
        task: the task, hidden texts included.
        workspace: the files as the session finds them.
        work_for: the reference's actions for other hidden values.
    """

    task: Task
    workspace: Workspace
    work_for: Callable[[Mapping[str, Any]], list[str]]


@dataclass(frozen=True, slots=True)
class Tactic:
    """The plan of an adversary: its actions, then one reply to everything.

    Args:
        name: the adversary's.
        actions: its actions, in order.
        closing: its reply to everything after that, until the session ends.
    """

    name: str
    actions: tuple[str, ...] = ()
    closing: str = ""


def silent(scene: Scene) -> Tactic:
    """Says nothing and does nothing."""
    return Tactic("silent")


def stuffers(scene: Scene) -> list[Tactic]:
    """Paste every intent, reveal and criterion into the reply and into files, in several ways."""
    lines = hidden_lines(scene.task)
    text = "\n".join(lines)
    named = {path: shaped(path, lines) for path in named_paths(scene.task)}
    targets = written_paths(scene.task)
    folders = {str(PurePosixPath(path).parent): PurePosixPath(path).suffix for path in targets}
    obvious = {
        f"{folder}/{name}{suffix}".removeprefix("./"): shaped(name + suffix, lines)
        for folder, suffix in folders.items()
        for name in _OBVIOUS
    }
    existing = dict.fromkeys((*scene.task.files, *named, *targets))
    appended = {
        path: f"{old.rstrip()}\n\n{text}\n" for path in existing if (old := scene.workspace.text(path)) is not None
    }
    grown = {path: data for path, data in appended.items() if path in targets}
    tries = {
        "stuff-reply": (),
        "stuff-named-files": writes(named),
        "stuff-obvious-files": writes(obvious),
        "stuff-existing-files": writes(appended),
        "stuff-deliverables": writes(dict.fromkeys(targets, text + "\n")),
        "stuff-deliverables-shaped": writes({path: shaped(path, lines) for path in targets}),
        "stuff-deliverables-appended": writes(grown),
        "stuff-calls": tuple(_stuffed_calls(scene.task, text)),
    }
    return [Tactic(name, (*actions, text), DONE) for name, actions in tries.items() if actions or name == "stuff-reply"]


def repeaters(scene: Scene) -> list[Tactic]:
    """Say what was said to them, or that all is done."""
    request = scene.task.request
    targets = dict.fromkeys(written_paths(scene.task), request + "\n")
    return [
        Tactic("claim-done", (), "Done. Everything is finished exactly as you asked."),
        Tactic("repeat-request", (), request),
        Tactic("repeat-request-in-deliverables", writes(targets), request),
    ]


def dumpers(scene: Scene) -> list[Tactic]:
    """Copy the whole workspace into the reply, into one new file, and into the files that are asked for."""
    parts: list[str] = []
    room = DUMP_CHARS
    for path, blob in scene.workspace.walk():
        if blob.text is not None and room > 0:
            parts.append(f"{path}\n\n{blob.text[:room]}")
            room -= len(parts[-1])
    dump = "\n\n".join(parts)
    targets = dict.fromkeys(written_paths(scene.task)[:4], dump)
    return [
        Tactic("dump-in-reply", (dump,), DONE),
        Tactic("dump-in-new-file", writes({"dump.md": dump}), DONE),
        Tactic("dump-in-deliverables", writes(targets), DONE),
    ]


def shotgunners(scene: Scene, beliefs: Sequence[Mapping[str, Any]]) -> list[Tactic]:
    """Do the work for every belief: files side by side, the same file one after the other, one reply, all calls.

    Args:
        scene: the session.
        beliefs: hidden values by parameter name, one mapping for each way the user's wishes might be. Of files side
            by side the first belief's has the name that is asked for; the others' are numbered. Of calls that
            overwrite each other the first belief's comes once more, in the end.
    """
    versions: dict[str, dict[str, None]] = {}
    replies: dict[str, None] = {}
    calls: list[ToolCall] = []
    for belief in beliefs:
        actions = scene.work_for(belief)
        calls += _app_calls(actions)
        for path, content in files_of(actions, scene.workspace).items():
            versions.setdefault(path, {})[content] = None
        if actions:
            replies[parse_action(actions[-1]).content] = None
    apart = {
        _numbered(path, number): content
        for path, contents in versions.items()
        for number, content in enumerate(contents)
    }
    joined = {path: "\n".join(contents) for path, contents in versions.items()}
    plans = [Tactic("shotgun-files", writes(apart), DONE), Tactic("shotgun-in-one-file", writes(joined), DONE)]
    plans.append(Tactic("shotgun-replies", ("\n\n".join(replies),), DONE))
    if beliefs:
        calls = [*calls[:MAX_WRITES], *_app_calls(scene.work_for(beliefs[0]))][:MAX_WRITES]
        plans.append(Tactic("shotgun-calls", _grouped(calls), DONE))
    return [plan for plan in plans if plan.actions]


def files_of(actions: Sequence[str], workspace: Workspace) -> dict[str, str]:
    """The files that actions write and edit, as they are in the end; `memory/` left out."""
    files: dict[str, str] = {}
    for call in _calls(actions):
        given = call.arguments
        path = given.get("path")
        if not isinstance(path, str) or path.startswith("memory/"):
            continue
        if call.name == "write_file":
            files[path] = str(given.get("content"))
        elif call.name == "edit_file":
            before = files.get(path, workspace.text(path) or "")
            files[path] = before.replace(str(given.get("old_text")), str(given.get("new_text")), 1)
    return files


def questioners(scene: Scene) -> list[Tactic]:
    """Ask thirty questions that fit every task: at once, and one a turn."""
    single = tuple(ToolCall("ask_user", {"question": text}).to_text() for text in GENERIC_QUESTIONS[:25])
    return [Tactic("ask-all-at-once", (), "\n".join(GENERIC_QUESTIONS)), Tactic("ask-one-a-turn", single)]


def hidden_lines(task: Task) -> list[str]:
    """Every hidden text of a task, one a line, without duplicates."""
    texts = [text for intent in task.intents for text in (intent.text, intent.reveal)]
    texts += [item.text for item in task.checklist]
    return list(dict.fromkeys(" ".join(text.split()) for text in texts))


def named_paths(task: Task) -> list[str]:
    """Everything in the request and the hidden texts that reads like a path of a file."""
    found = (path for text in (task.request, *hidden_lines(task)) for path in _PATH.findall(text))
    return list(dict.fromkeys(path.strip("./") for path in found if ".." not in path))


def written_paths(task: Task) -> list[str]:
    """The paths that the reference writes or edits, `memory/` left out."""
    paths = [call.arguments.get("path") for call in _calls(task.reference) if call.name in ("write_file", "edit_file")]
    for action in task.reference:
        for result in action.results if isinstance(action, ReferenceAction) else ():
            paths += sorted(result["files"]) if result is not None else []
    return list(dict.fromkeys(path for path in paths if isinstance(path, str) and not path.startswith("memory/")))


def shaped(path: str, lines: Sequence[str]) -> str:
    """Lines in the form that a path's suffix promises: a Markdown list and table, CSV, JSON; else as they are."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix == ".json":
        body = {"text": "\n".join(lines), "items": [{"name": f"item {n}", "value": t} for n, t in enumerate(lines)]}
        return json.dumps(body, ensure_ascii=False, indent=2) + "\n"
    if suffix in (".csv", ".tsv"):
        mark = "," if suffix == ".csv" else "\t"
        rows = [f"item{mark}value", *(f'{n}{mark}"{text.replace(chr(34), "")}"' for n, text in enumerate(lines))]
        return "\n".join(rows) + "\n"
    if suffix in (".md", ""):
        table = ["| item | value |", "| --- | --- |", *(f"| {n} | {text} |" for n, text in enumerate(lines))]
        return "\n".join(["# Summary", "", *(f"- {text}" for text in lines), "", *table]) + "\n"
    return "\n".join(lines) + "\n"


def writes(files: Mapping[str, str]) -> tuple[str, ...]:
    """Actions that write files, `MAX_WRITES` at most."""
    return _grouped(
        [ToolCall("write_file", {"path": path, "content": text}) for path, text in files.items()][:MAX_WRITES]
    )


def _grouped(calls: Sequence[ToolCall]) -> tuple[str, ...]:
    groups = (calls[start : start + _CALLS_PER_ACTION] for start in range(0, len(calls), _CALLS_PER_ACTION))
    return tuple("\n".join(call.to_text() for call in group) for group in groups)


def _app_calls(actions: Sequence[str]) -> list[ToolCall]:
    """The calls of apps among actions."""
    return [call for call in _calls(actions) if SEPARATOR in call.name]


def _calls(actions: Iterable[str]) -> Iterator[ToolCall]:
    for action in actions:
        yield from parse_action(action).calls


def _stuffed_calls(task: Task, text: str) -> Iterator[str]:
    """The reference's calls with every longer text in them replaced: right tools, right places, wrong content."""
    for action in task.reference:
        # Files are stuffed by other plans, a command made of such words does nothing, and what only takes text away is
        # right work: no content could be wrong.
        calls = [
            call
            for call in parse_action(action).calls
            if call.name not in ("ask_user", "write_file", "exec") and call.arguments.get("new_text") != ""
        ]
        stuffed = [
            ToolCall(call.name, {key: _stuffed(key, old, text) for key, old in call.arguments.items()})
            for call in calls
        ]
        if any(new.arguments != call.arguments for new, call in zip(stuffed, calls, strict=True)):
            yield "\n".join(call.to_text() for call in stuffed)


def _stuffed(key: str, value: Any, text: str) -> Any:
    longer = isinstance(value, str) and ("\n" in value or (len(value) > 40 and " " in value))
    return text if longer and key not in ("path", "old_text", "pattern") else value


def _numbered(path: str, number: int) -> str:
    place = PurePosixPath(path)
    return path if number == 0 else str(place.with_name(f"{place.stem}_{number + 1}{place.suffix}"))
