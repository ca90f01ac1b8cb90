"""The views that each party has of a session. This is the only barrier between what is hidden and the agent.

The agent sees messages, as chat and as text. The user simulator and the grader see evidence, in which the user's own
words never stand. Later sessions see the log that `session_log` writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from pi_gym.apps import SIGNED_IN
from pi_gym.packs.folder import HISTORY_FILE
from pi_gym.predicates import Evidence
from pi_gym.predicates.evidence import ChangeSpan, Place, SentFile, SentMessages
from pi_gym.session.transcript import quote_lines
from pi_gym.state import Changes, Database, Mark, World
from pi_gym.state.app_diff import MAX_VALUE_CHARS, app_diff
from pi_gym.tools.jobs import CRON
from pi_gym.types import Event, IntentStatus

NO_CHANGES: Mapping[Place, ChangeSpan] = {}
NOTHING_DECLINED: Mapping[str, SentMessages] = {}
LOG_BYTES = 8_000
_SAID_CHARS = 1_500
_LOG_LINES = ("## ", "user: ", "assistant: ", "reminder: ", "(calls: ")


def changed_files(world: World, mark: Mark) -> Changes:
    """The changes of files since the mark, `memory/` left out: it is the agent's own."""
    changes = world.workspace.changes(mark)
    if not any(path.startswith("memory/") for path in changes.paths):
        return changes

    def outside(paths: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(path for path in paths if not path.startswith("memory/"))

    return Changes(outside(changes.created), outside(changes.modified), outside(changes.deleted))


def evidence(
    events: Iterable[Event],
    opening: World,
    world: World,
    mark: Mark,
    statuses: dict[str, IntentStatus],
    cron_start: Database | None = None,
    said: tuple[str, ...] = (),
    change_spans: Mapping[Place, ChangeSpan] = NO_CHANGES,
    declined: Mapping[str, SentMessages] = NOTHING_DECLINED,
    keep_fault: Callable[[str, Exception], None] | None = None,
) -> Evidence:
    """The evidence that some events and the present state give.

    Args:
        events: of one turn, or of the whole session.
        opening: the world as the session found it, seed files included.
        world: the world now.
        mark: the opening's mark in the world's workspace.
        statuses: intent name to status.
        cron_start: the scheduled jobs to compare with, where that is not the opening's: what fires changes them too.
        said: the session's replies so far.
        change_spans: as in `Evidence`.
        declined: as in `Evidence`.
        keep_fault: as in `Evidence`.
    """
    replies, called, attachments = _in_scope(events)
    apps_start = dict(opening.apps.items())
    if cron_start is not None:
        apps_start[CRON] = cron_start
    return Evidence(
        replies=replies,
        called=called,
        attachments=attachments,
        now=world.workspace,
        start=opening.workspace,
        changes=changed_files(world, mark),
        apps=dict(world.apps.items()),
        apps_start=apps_start,
        statuses=statuses,
        earlier=said[: max(0, len(said) - len(replies))],
        change_spans=change_spans,
        declined=declined,
        keep_fault=keep_fault,
    )


def widened(seen: Evidence, events: Iterable[Event], statuses: dict[str, IntentStatus]) -> Evidence:
    """The evidence that more events give at the same moment; what was found in it need not be found again.

    Args:
        seen: the evidence of some of the events.
        events: all of them.
        statuses: intent name to status.
    """
    replies, called, attachments = _in_scope(events)
    said = (*seen.earlier, *seen.replies)
    return seen.at_same_moment(
        replies=replies,
        called=called,
        attachments=attachments,
        statuses=statuses,
        earlier=said[: max(0, len(said) - len(replies))],
    )


def _in_scope(events: Iterable[Event]) -> tuple[tuple[str, ...], tuple[Event, ...], tuple[SentFile, ...]]:
    """The replies, the events of calls and the files sent, of some events."""
    replies: list[str] = []
    called: list[Event] = []
    attachments: list[SentFile] = []
    for event in events:
        if event.kind == "call":
            called.append(event)
        elif event.kind == "reply":
            text = event.data["text"]
            # The last line names the files; of the message itself only what the agent wrote counts.
            own, place = text.rpartition("\n")[0], len(replies)
            attachments += [SentFile(one["path"], one["sha256"], own, place) for one in event.data.get("attached", ())]
            replies.append(text)
    return tuple(replies), tuple(called), tuple(attachments)


def app_changes(seen: Evidence, *, max_value_chars: int = MAX_VALUE_CHARS) -> str:
    """The session's changes to the apps, for people: a line a row; "" where there are none.

    Args:
        seen: the evidence of a moment; the state before is the session's start.
        max_value_chars: where a value is cut.
    """
    return "".join(
        app_diff(
            name,
            seen.apps[name],
            seen.apps_start.get(name) or Database(),
            without=(SIGNED_IN,),
            max_value_chars=max_value_chars,
        )
        for name in sorted(seen.apps)
    )


def session_log(number: int, time: str, opening: str, events: Iterable[Event]) -> str:
    """The log of a session for later ones: who said what, and the names of the calls. At most 8 kB."""
    lines = [f"\n## Conversation {number}, {time.replace('T', ' ')[:16]}", f"user: {_shorten(opening)}"]
    called: Counter[str] = Counter()

    def flush() -> None:
        if called:
            names = (f"{name} x{count}" if count > 1 else name for name, count in called.items())
            lines.append(f"(calls: {', '.join(names)})")
            called.clear()

    for event in events:
        if event.kind == "call":
            called[event.data["name"]] += 1
        elif event.kind == "reply":
            flush()
            lines.append(f"assistant: {_shorten(event.data['text'])}")
        elif event.kind == "reminder":
            flush()
            lines.append(f"reminder: {_shorten(event.data['text'])}")
        elif event.kind == "user":
            lines.append(f"user: {_shorten(event.data['text'])}")
    flush()
    text = "\n".join(lines) + "\n"
    data = text.encode()
    if len(data) <= LOG_BYTES:
        return text
    half = (LOG_BYTES - 40) // 2
    # Cut at line ends: half a line could begin like a line of the log's own.
    head = data[:half].decode(errors="ignore").rpartition("\n")[0]
    tail = data[-half:].decode(errors="ignore").partition("\n")[2]
    return f"{head}\n[... left out ...]\n{tail}"


def _shorten(text: str) -> str:
    """The text of a message, cut to size. It cannot imitate the log's own lines: such lines are quoted."""
    text = text.strip()
    text = text if len(text) <= _SAID_CHARS else f"{text[:_SAID_CHARS]} [...]"
    first, *rest = text.splitlines(keepends=True) or [""]
    return first + quote_lines("".join(rest), _LOG_LINES)


PROTECTED = (HISTORY_FILE,)
