"""The agent's own wording in a reply, apart from what it copied."""

from __future__ import annotations

from functools import lru_cache

from pi_gym.packs.folder import HISTORY_FILE
from pi_gym.users.base import TurnView

COPIED_RUN = 3
LONG_REPLY_CHARS = 4_000
MAX_KNOWN_TEXTS = 64
LOG_LABELS = ("user:", "assistant:", "reminder:")


def own_words(view: TurnView) -> str:
    """The reply without copied passages: a question in a file, or in the log of past sessions, is not asked now.

    A line counts as copied where it carries the log's own label, or stands among at least three copied in a row: one
    line alone may well be worded as before. Other files than the log are looked at only for a long reply, which is
    where a dump of files would be.
    """
    workspace = view.evidence.start
    lines = view.reply.splitlines()
    if len(lines) < COPIED_RUN and not any(line.lstrip().startswith(LOG_LABELS) for line in lines):
        return view.reply
    known = _lines_of(workspace.text(HISTORY_FILE) or "")
    if len(view.reply) > LONG_REPLY_CHARS:
        files = [blob.text or "" for _, blob in workspace.walk()]
        known = known.union(line.strip() for text in files for line in text.splitlines()) - {""}
    kept: list[str] = []
    run: list[str] = []
    for line in lines:
        text = line.strip()
        if text in known or (run and not text):
            run.append(line)
            continue
        if run:
            kept += _not_copied(run)
            run = []
        kept.append(line)
    return "\n".join([*kept, *_not_copied(run)])


@lru_cache(maxsize=MAX_KNOWN_TEXTS)
def _lines_of(text: str) -> frozenset[str]:
    """The lines of a text that are not blank; of a session's log they are asked for at each end of a turn."""
    return frozenset([line.strip() for line in text.splitlines()]) - {""}


def _not_copied(run: list[str]) -> list[str]:
    """Of known lines in a row those that count as the agent's own."""
    if sum(bool(part.strip()) for part in run) >= COPIED_RUN:
        return []
    return [part for part in run if not part.lstrip().startswith(LOG_LABELS)]
