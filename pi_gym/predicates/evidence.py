"""The evidence that predicates look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

from pi_gym.state import Changes, Workspace
from pi_gym.state.tables import Database, Row, Table
from pi_gym.types import CallRecord, Event, IntentStatus

#: The longest text that a rule of a task is given.
MAX_TEXT_CHARS = 60_000

#: A thing that work changes: a file by its path, or an app's table as (app, table).
Place: TypeAlias = str | tuple[str, str]
#: How many replies came before the agent first and last changed a place.
ChangeSpan: TypeAlias = tuple[int, int]
#: The ids of messages, by the app's table as (app, table) in which they are kept.
SentMessages: TypeAlias = Mapping[tuple[str, str], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file that the agent sent with a message.

    Args:
        path: where it lay.
        sha256: of its content when it was sent.
        text: the message, without the line that names the files.
        reply: which of the replies in scope it is, from 0.
    """

    path: str
    sha256: str
    text: str = ""
    reply: int = 0


@dataclass(frozen=True)
class Evidence:
    """One moment of a session as a predicate sees it. What the user said is no part of it, but for what she declined.

    Args:
        replies: the agent's texts to the user in scope, oldest first: this turn's for an intent, the whole
            session's for a checklist item. `message` calls and questions count as replies.
        called: the events of the tool calls in scope, oldest first.
        attachments: the files sent with those replies, oldest first.
        now: the workspace as it is.
        start: the workspace as the session found it.
        changes: the files that differ between the two, `memory/` left out.
        apps: the apps' tables as they are.
        apps_start: the apps' tables as the session found them.
        statuses: intent name to status, for `after:`.
        earlier: the session's replies before those in scope, oldest first.
        change_spans: by place, how many replies of the session came before the agent first and last changed it.
        declined: by the name of a wish that the user has declined, the messages that were sent by then.
        keep_fault: is given what a predicate raises, and the field where it stands; None: it is raised on.
        rules: what the task's own rules said of this evidence, by what was asked; several predicates may share one.
        found: what was found already in the files, the apps and all replies, by what was asked: nothing in it depends
            on the scope or the statuses, so it serves other evidence of the moment too.
    """

    replies: tuple[str, ...] = ()
    called: tuple[Event, ...] = ()
    attachments: tuple[SentFile, ...] = ()
    now: Workspace = field(default_factory=Workspace)
    start: Workspace = field(default_factory=Workspace)
    changes: Changes = field(default_factory=Changes)
    apps: Mapping[str, Database] = field(default_factory=dict)
    apps_start: Mapping[str, Database] = field(default_factory=dict)
    statuses: Mapping[str, IntentStatus] = field(default_factory=dict)
    earlier: tuple[str, ...] = ()
    change_spans: Mapping[Place, ChangeSpan] = field(default_factory=dict)
    declined: Mapping[str, SentMessages] = field(default_factory=dict)
    keep_fault: Callable[[str, Exception], None] | None = field(default=None, repr=False, compare=False)
    rules: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    found: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def at_same_moment(self, **other: Any) -> Evidence:
        """This moment in another scope or with other statuses, with what was found in it so far.

        Args:
            other: what differs, of `replies`, `called`, `attachments`, `earlier` and `statuses`; the replies before the
                scope and in it are the same all together.
        """
        same = replace(self, **other)
        same.found.update(self.found)
        return same

    @cached_property
    def calls(self) -> tuple[CallRecord, ...]:
        """The tool calls with results in scope, oldest first; most predicates never look at them."""
        every = ((event.data, event.turn) for event in self.called)
        return tuple([CallRecord(one["name"], one["arguments"], one["result"], one["ok"], turn) for one, turn in every])

    @cached_property
    def changed_paths(self) -> tuple[str, ...]:
        """Paths that were created, modified or deleted, sorted."""
        return self.changes.paths

    @cached_property
    def changed(self) -> frozenset[str]:
        """Paths that were created or modified (not deleted)."""
        return frozenset((*self.changes.created, *self.changes.modified))

    @cached_property
    def created(self) -> frozenset[str]:
        """Paths that did not exist when the session began."""
        return frozenset(self.changes.created)

    def text(self, path: str, max_chars: int = MAX_TEXT_CHARS) -> str | None:
        """A file's text as it is now, for the rules of a task.

        Args:
            path: the file.
            max_chars: None is given for a longer one: no deliverable is that long, and no rule may stall a turn.

        Returns:
            The text; None where there is no file, it is binary, or it is too long.
        """
        blob = self.now.blob(path)
        if blob is None or len(blob.data) > 4 * max_chars:
            return None
        text = blob.text
        return text if text is not None and len(text) <= max_chars else None

    def changed_rows(self, app: str, table: str) -> Mapping[int, tuple[Row | None, Row | None]]:
        """The rows of an app's table that differ from the session's start, by id: before and after; for reading only.

        KeyError where there is no such app or table.
        """
        now, start = self.apps[app].table(table), self.apps_start.get(app)
        earlier = start.table(table) if start is not None and table in start.names else Table()
        if now is earlier:
            return {}
        key = "changed rows", app, table
        found: Mapping[int, tuple[Row | None, Row | None]] | None = self.found.get(key)
        if found is None:
            found = self.found[key] = now.diff(earlier)
        return found

    def replies_since(self, places: Iterable[Place]) -> tuple[str, ...]:
        """The session's replies that speak of some places as they are, whatever the scope; oldest first.

        These are the replies since the agent began to change any of the places, without those that came before it
        changed one of them again: what was said of a table holds when a page beside it is put right afterwards. A
        place that it never changed counts as it was from the beginning.
        """
        spans = [span for place in places if (span := self.change_spans.get(place)) is not None]
        begun = min((first for first, _ in spans), default=0)
        since = max((last for first, last in spans if last > first), default=begun)
        return (*self.earlier, *self.replies)[since:]

    @property
    def reply(self) -> str:
        """The replies in scope as one text, a blank line between them."""
        return "\n\n".join(self.replies)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a predicate: whether it holds, and why, in words an author can act on.

    Args:
        holds: whether it does.
        why: the reason.
        broken: it raised, so that nothing is known; it counts as not holding.
    """

    holds: bool
    why: str = ""
    broken: bool = False

    def __bool__(self) -> bool:
        return self.holds
