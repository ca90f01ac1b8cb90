"""The place of a result: where a session must have left it, and finding it there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pi_gym.predicates.evidence import Evidence
from pi_gym.predicates.evidence import Place as Changed
from pi_gym.predicates.footprint import Footprint
from pi_gym.predicates.patterns import Regex, in_glob
from pi_gym.predicates.row_states import row_state
from pi_gym.predicates.text import fold
from pi_gym.predicates.value_rules import MISSING, ValueCondition
from pi_gym.predicates.wording import listed, shown
from pi_gym.results.content import Letter, Letters, Record, Records, ResultContent, ResultText, as_text
from pi_gym.results.facets import Condition
from pi_gym.results.joined import joined
from pi_gym.results.letters import message_in, sent_in

#: The tables in which an app keeps what was sent to people.
SENT_IN = (("phone", "messages"), ("gmail", "emails"))


class ResultPlace(Protocol):
    """The place of a result. Immutable, so that threads can share it."""

    def find(self, evidence: Evidence) -> ResultContent | str:
        """The result as the session left it, or why there is none, as a sentence."""
        ...

    def changes(self, evidence: Evidence) -> tuple[Changed, ...]:
        """The files and tables whose change changes the result."""
        ...

    def footprint(self) -> Footprint:
        """See `Check`."""
        ...


# Places are told apart as objects: each result has one, and to look a thing up by all that its place says costs more
# than to find it.


@dataclass(frozen=True, slots=True, eq=False)
class FilePlace:
    """One file at a path.

    Args:
        path: the path.
        new: it was not there when the session began; else it was, and is changed.
        letter: it is a mail with its headers.
    """

    path: str
    new: bool
    letter: bool = False

    def find(self, evidence: Evidence) -> ResultContent | str:
        """See `ResultPlace`."""
        name, state = shown(self.path), evidence.changes
        if self.path in (state.created if self.new else state.modified):
            return found_file(evidence, self.path, self.letter)
        blob = evidence.now.blob(self.path)
        if blob is not None:
            return f"The file {name} is {'not new' if self.path in state.modified else 'unchanged'}."
        spelled = evidence.now.spelling(self.path)
        hint = f" (there is {shown(spelled)})" if spelled else ""
        return f"There is no file {name}{hint}; changed: {listed(evidence.changed_paths)}."

    def changes(self, evidence: Evidence) -> tuple[Changed, ...]:
        """See `ResultPlace`."""
        return (self.path,)

    def footprint(self) -> Footprint:
        """See `Check`."""
        return Footprint.of("files")


@dataclass(frozen=True, slots=True, eq=False)
class NewFilePlace:
    """The one new file of a folder, whatever it is called. What holds nothing is a draft that was given up.

    Args:
        folder: the folder, with a slash at its end.
        but: names of files that do not count.
        named: the glob that its name matches.
        glob: that as written.
        letter: it is a mail with its headers.
    """

    folder: str
    but: frozenset[str]
    named: Regex
    glob: str
    letter: bool = False

    def find(self, evidence: Evidence) -> ResultContent | str:
        """See `ResultPlace`."""
        fitting = [path for path in evidence.changes.created if self.fits(path)]
        # Beside another file a line is what was left of a draft; alone it may be all that there is to say.
        paths = [path for path in fitting if not given_up(evidence.text(path))] or fitting
        if len(paths) == 1:
            return found_file(evidence, paths[0], self.letter)
        found = f"{len(paths)} new files: {listed(paths)}" if paths else "no new file"
        wanted = f"one{f' called {shown(self.glob)}' if self.glob != '*' else ''}"
        return f"{shown(self.folder)} has {found}; expected {wanted}."

    def fits(self, path: str) -> bool:
        """Whether a file could be it by its path."""
        folder, _, name = path.rpartition("/")
        return f"{folder}/" == self.folder and name not in self.but and in_glob(self.named, name)

    def changes(self, evidence: Evidence) -> tuple[Changed, ...]:
        """See `ResultPlace`."""
        return tuple(path for path in evidence.change_spans if isinstance(path, str) and self.fits(path))

    def footprint(self) -> Footprint:
        """See `Check`."""
        return Footprint.of("files")


@dataclass(frozen=True, slots=True, eq=False)
class NewFilesPlace(NewFilePlace):
    """All new files of a folder; arguments as of `NewFilePlace`."""

    def find(self, evidence: Evidence) -> ResultContent | str:
        """See `ResultPlace`."""
        paths = [path for path in evidence.changes.created if self.fits(path) and not given_up(evidence.text(path))]
        if not paths:
            return f"{shown(self.folder)} has no new file."
        return ResultText(self.folder, joined({path.rpartition("/")[2]: evidence.text(path) or "" for path in paths}))


@dataclass(frozen=True, slots=True, eq=False)
class RowsPlace:
    """Rows of an app's table that the session made, changed or deleted.

    Args:
        app, table: which.
        where: conditions by column that select rows.
        state: which rows, against the session's start; "changed" is created or updated.
        key: columns by which they are told apart; empty: their ids.
        letters: they are mails or texts.
    """

    app: str
    table: str
    where: tuple[tuple[str, ValueCondition], ...]
    state: str
    key: tuple[str, ...] = ()
    letters: bool = False

    def find(self, evidence: Evidence) -> ResultContent | str:
        """See `ResultPlace`."""
        now = evidence.apps.get(self.app)
        if now is None or self.table not in now.names:
            return f"There is no table {self.app}.{self.table}."
        rows = {
            key: (before, after)
            for key, (before, after) in evidence.changed_rows(self.app, self.table).items()
            if self._in_state(row_state(before, after)) and self._selects(key, after or before or {})
        }
        if not rows:
            return f"{self.app}.{self.table} has no {self.state} row as asked."
        if self.letters:
            sent = {key: after for key, (_, after) in rows.items() if after is not None}
            return sent_in(sent, self.app, self.table, evidence)
        return records_of(
            [{"id": key, **(before or {} if after is None else after)} for key, (before, after) in rows.items()],
            self.key or ("id",),
            deleted=self.state == "deleted",
        )

    def _in_state(self, kind: str) -> bool:
        return kind == self.state or (self.state == "changed" and kind != "deleted")

    def _selects(self, key: int, row: Mapping[str, object]) -> bool:
        return all(one.holds(row.get(name, key if name == "id" else MISSING)) for name, one in self.where)

    def changes(self, evidence: Evidence) -> tuple[Changed, ...]:
        """See `ResultPlace`."""
        return ((self.app, self.table),)

    def footprint(self) -> Footprint:
        """See `Check`."""
        return Footprint.of("apps")


_SENT = tuple(RowsPlace(app, table, (), "created", letters=True) for app, table in SENT_IN)


@dataclass(frozen=True, slots=True, eq=False)
class SentPlace:
    """Texts and mails that the session sent, from whichever app.

    Args:
        to: parts of addresses and numbers, in small letters, of which each goes to one at least; empty: to anybody.
        but: addresses and numbers to which none of them goes, in small letters.
        where: what each meets.
        unless: what none of them meets, where it is not empty.
    """

    to: tuple[str, ...] = ()
    but: frozenset[str] = frozenset()
    where: tuple[Condition, ...] = ()
    unless: tuple[Condition, ...] = ()

    def find(self, evidence: Evidence) -> ResultContent | str:
        """See `ResultPlace`."""
        sent: list[Letter] = []
        for place in _SENT:
            if place.app in evidence.apps:
                found = find_once(place, evidence)
                sent += [one for one in found.each if self._is_meant(one)] if isinstance(found, Letters) else []
        return Letters(tuple(sent)) if sent else "No text and no mail was sent as asked."

    def _is_meant(self, one: Letter) -> bool:
        text = as_text(Letters((one,)))
        people = [person.casefold() for person in one.to]
        return (
            self.but.isdisjoint(people)
            and (not self.to or any(part in person for part in self.to for person in people))
            and not any(condition.fault(text) for condition in self.where)
            and not (self.unless and not any(condition.fault(text) for condition in self.unless))
        )

    def changes(self, evidence: Evidence) -> tuple[Changed, ...]:
        """See `ResultPlace`."""
        return SENT_IN

    def footprint(self) -> Footprint:
        """See `Check`."""
        return Footprint.of("apps")


@dataclass(frozen=True, slots=True, eq=False)
class ReplyPlace:
    """The replies to the user; all count that speak of the results as they are (`Evidence.replies_since`).

    Args:
        results: the places of the session's other results.
    """

    results: tuple[ResultPlace, ...] = ()

    def find(self, evidence: Evidence) -> ResultContent | str:
        """See `ResultPlace`."""
        # What was sent meanwhile makes nothing untrue that was said of the results.
        lasting = (one for one in self.results if not is_sent(one))
        replies = evidence.replies_since(place for one in lasting for place in one.changes(evidence))
        return ResultText("", "\n\n".join(replies)) if replies else "No reply came after the results were changed."

    def changes(self, evidence: Evidence) -> tuple[Changed, ...]:
        """See `ResultPlace`."""
        return ()

    def footprint(self) -> Footprint:
        """See `Check`."""
        return Footprint.of("replies")


def is_sent(place: ResultPlace) -> bool:
    """Whether a place is that of texts or mails that the session sends."""
    if isinstance(place, RowsPlace):
        return place.letters and (place.app, place.table) in SENT_IN and place.state == "created"
    return isinstance(place, SentPlace)


def records_of(rows: Iterable[Mapping[str, Any]], key: tuple[str, ...], *, deleted: bool = False) -> Records:
    """Rows as a result, told apart by some columns."""
    return Records(tuple(Record(" / ".join(fold(str(row[name])) for name in key), row, deleted) for row in rows))


def found_file(evidence: Evidence, path: str, letter: bool) -> ResultContent | str:
    """A file that is there; a sentence where it is no text, or too long to be read."""
    text = evidence.text(path)
    if text is None:
        return f"The file {shown(path)} is binary, or too long to be anything that was asked for."
    document = ResultText(path, text, evidence.start.text(path))
    return message_in(document) if letter else document


def given_up(text: str | None) -> bool:
    """Whether a file holds nothing but at most a line without figures: no tool deletes files, so drafts stay behind."""
    if text is None or "tabular" in text:
        return False
    lines = sum(bool(line.strip()) for line in text.splitlines())
    return lines <= 1 and sum(char.isdigit() for char in text) <= 20


def find_once(place: ResultPlace, evidence: Evidence) -> ResultContent | str:
    """The content at a place; looked for once, however many conditions ask."""
    found: ResultContent | str | None = evidence.found.get(place)
    if found is None:
        found = evidence.found[place] = place.find(evidence)
    return found
