"""Evidence as text for a model: what the agent said, called and changed, each in a block of its own, of bounded size.

An exhibit is one piece of evidence; exhibits are numbered in the order in which they are given ("e1", "e2", …), so
that a grader can be told which of them an item is judged by. Where all do not fit into a prompt, the longest are cut
first, each in its middle, and it says what was left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from pi_gym.apps import SIGNED_IN
from pi_gym.predicates import Evidence
from pi_gym.state import Changes, Database
from pi_gym.state.app_diff import app_diff
from pi_gym.state.diff import unified_diff
from pi_gym.templates import Markup, block, mark, quoted, quoted_letters
from pi_gym.tools.outgoing import content_hash
from pi_gym.types import CallRecord, Event

#: Of one prompt's evidence; the others are for its kinds. Letters are counted as in `pi_gym.templates.blocks`: this
#: is about 10,000 tokens of prose, and 20,000 of what takes the most. So a context of 32,768 tokens holds a prompt.
BUDGET_LETTERS = 40_000
MAX_REPLY_LETTERS = 8_000
MAX_ARGUMENT_LETTERS = 1_500
MAX_RESULT_LETTERS = 3_000
MAX_FILE_LETTERS = 12_000
MAX_DIFF_LETTERS = 4_000
MAX_APP_LETTERS = 12_000
MAX_APP_VALUE_CHARS = 2_000
MAX_REPLIES, MAX_CALLS, MAX_FILES = 30, 60, 40
MAX_LISTED_PATHS = 100


@dataclass(frozen=True, slots=True)
class EvidencePart:
    """A text of an exhibit.

    Args:
        text: as it is, from whomever.
        most: the most letters of it to show.
        name: of its own block within the exhibit; "" for a text that needs none.
    """

    text: str
    most: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One piece of evidence.

    Args:
        kind: the block's name: "reply", "assistants_reminder", "call", "file", "app" or "unlisted".
        parts: its texts; none for a file that is gone or is no text.
        about: attributes: a path, a tool's name.
        key: what a selection finds it by: the path, the tool's name, the app's name.
    """

    kind: str
    parts: tuple[EvidencePart, ...]
    about: dict[str, str] = field(default_factory=dict)
    key: str = ""


def reply_exhibits(evidence: Evidence) -> list[Exhibit]:
    """The replies of the agent, oldest first, with the files that it sent.

    These are the record's, a line a file, in a part of their own: a line of the reply that says so is only a text.
    """
    said: dict[int, str] = {}
    sent: dict[int, list[str]] = {}
    for one in evidence.attachments:
        blob = evidence.now.blob(one.path)
        same = blob is not None and content_hash(blob.data) == one.sha256
        said[one.reply] = one.text
        sent.setdefault(one.reply, []).append(f"{'unchanged' if same else 'changed'} since: {one.path}")
    return [
        Exhibit(
            "reply",
            (
                EvidencePart(said.get(place, text), MAX_REPLY_LETTERS),
                *([EvidencePart("\n".join(sent[place]), MAX_FILE_LETTERS, "attached")] if place in sent else []),
            ),
        )
        for place, text in enumerate(evidence.replies)
    ]


def call_exhibits(calls: Iterable[CallRecord]) -> list[Exhibit]:
    """The calls of the agent, with their results, oldest first."""
    return [
        Exhibit(
            "call",
            (
                EvidencePart(json.dumps(dict(call.arguments), ensure_ascii=False), MAX_ARGUMENT_LETTERS, "arguments"),
                EvidencePart(call.result, MAX_RESULT_LETTERS, "result"),
            ),
            {"tool": call.name, "outcome": "done" if call.ok else "failed"},
            call.name,
        )
        for call in calls
    ]


def reminder_exhibits(log: Iterable[Event]) -> list[Exhibit]:
    """The reminders by the assistant's own jobs, oldest first: its words, though they came in the user's role."""
    return [
        Exhibit(
            "assistants_reminder", (EvidencePart(event.data["text"], MAX_REPLY_LETTERS),), {"due": event.data["due"]}
        )
        for event in log
        if event.kind == "reminder"
    ]


def file_exhibit(evidence: Evidence, path: str) -> Exhibit:
    """One file as it is now, and how it differs from the session's beginning."""
    changes = evidence.changes
    blob, known = evidence.now.blob(path), evidence.start.blob(path) is not None
    if blob is None:
        return Exhibit("file", (), {"path": path, "state": "deleted" if known else "absent"}, path)
    state = "created" if path in evidence.created else "modified" if path in evidence.changed else "unchanged"
    about = {"path": path, "state": state}
    if blob.text is None:
        return Exhibit("file", (), {**about, "binary_bytes": str(len(blob.data))}, path)
    parts = [EvidencePart(blob.text, MAX_FILE_LETTERS, "content")]
    if state == "modified":
        one = replace(changes, created=(), modified=(path,), deleted=())
        diff = unified_diff(evidence.start, evidence.now, one, max_chars=MAX_DIFF_LETTERS)
        parts.insert(0, EvidencePart(diff, MAX_DIFF_LETTERS, "changes"))
    return Exhibit("file", tuple(parts), about, path)


def changed_exhibits(evidence: Evidence) -> list[Exhibit]:
    """The files that the session changed, by path."""
    changes: Changes = evidence.changes
    shown, rest = changes.paths[:MAX_FILES], changes.paths[MAX_FILES:]
    found = [file_exhibit(evidence, path) for path in shown]
    if rest:
        listed = "\n".join(rest[:MAX_LISTED_PATHS])
        found.append(Exhibit("unlisted", (EvidencePart(listed, MAX_FILE_LETTERS),), {"changed_files": str(len(rest))}))
    return found


def changes_text(evidence: Evidence) -> str:
    """Everything that the session changed, by name alone: a line a file or app."""
    changes = evidence.changes
    states = [("created", changes.created), ("modified", changes.modified), ("deleted", changes.deleted)]
    lines = [f"{state}: {path}" for state, paths in states for path in paths]
    lines += [f"{one.key}: {one.parts[0].text.count(chr(10))} records changed" for one in app_exhibits(evidence)]
    return "\n".join(lines) or "nothing"


def app_exhibits(evidence: Evidence, names: Sequence[str] | None = None) -> list[Exhibit]:
    """The records that the session changed in the apps, by app; with names also an app in which nothing changed."""
    found = []
    for name in sorted(evidence.apps) if names is None else names:
        now, start = evidence.apps.get(name), evidence.apps_start.get(name) or Database()
        text = app_diff(name, now, start, without=(SIGNED_IN,), max_value_chars=MAX_APP_VALUE_CHARS) if now else ""
        if text or names is not None:
            parts = (EvidencePart(text, MAX_APP_LETTERS),) if text else ()
            found.append(Exhibit("app", parts, {"name": name, "state": "changed" if text else "unchanged"}, name))
    return found


def turn_exhibits(evidence: Evidence) -> list[Exhibit]:
    """Everything that one moment shows: replies, calls, changed files, changed app records."""
    return [
        *reply_exhibits(evidence),
        *call_exhibits(evidence.calls),
        *changed_exhibits(evidence),
        *app_exhibits(evidence),
    ]


def render_exhibits(exhibits: Sequence[Exhibit], budget_letters: int = BUDGET_LETTERS) -> Markup:
    """Exhibits as blocks, numbered from e1.

    Args:
        exhibits: in order.
        budget_letters: the most letters of text. What is too long for its kind, and of the rest the longest, is cut in
            its middle; of very many replies or calls those in the middle are left out as a whole.
    """
    parts = [part for one in exhibits for part in one.parts]
    level = water_level([quoted_letters(part.text, part.most) for part in parts], budget_letters)
    skipped = {**_middle(exhibits, "reply", MAX_REPLIES), **_middle(exhibits, "call", MAX_CALLS)}
    pieces = []
    for number, one in enumerate(exhibits):
        if number in skipped:
            if skipped[number]:
                pieces.append(mark("left_out", of=one.kind, count=skipped[number]))
            continue
        texts = ((part.name, quoted(part.text, min(part.most, level))) for part in one.parts)
        inner = Markup("".join(block(name, text) if name else text for name, text in texts))
        pieces.append(block(one.kind, inner, id=f"e{number + 1}", **one.about))
    return Markup("".join(pieces))


def water_level(sizes: Sequence[int], budget: int) -> int:
    """The cut that makes texts fit: no text is longer, and together they are within the budget.

    >>> water_level([10, 20, 300], 100), water_level([10, 20], 100)
    (70, 20)
    """
    left = budget
    ordered = sorted(sizes)
    for position, size in enumerate(ordered):
        share = left // (len(ordered) - position)
        if size > share:
            return share
        left -= size
    return ordered[-1] if ordered else 0


def _middle(exhibits: Sequence[Exhibit], kind: str, most: int) -> dict[int, int]:
    """The exhibits to leave out where there are too many of a kind; the first of them has their number."""
    places = [number for number, one in enumerate(exhibits) if one.kind == kind]
    if len(places) <= most:
        return {}
    gone = places[most // 3 : len(places) - (most - most // 3)]
    return {place: len(gone) if place == gone[0] else 0 for place in gone}
