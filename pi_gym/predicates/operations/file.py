"""The operation `file`: one deliverable, by path or glob, in a state, with a content."""

from __future__ import annotations

from dataclasses import dataclass

from pi_gym.predicates.check import Check, PredicateOperation, outcome
from pi_gym.predicates.data_rules import DataCondition, parse_data
from pi_gym.predicates.edits import Edits, Kept, parse_edits, parse_kept
from pi_gym.predicates.evidence import Evidence, Outcome
from pi_gym.predicates.footprint import Footprint
from pi_gym.predicates.node import Node, Span
from pi_gym.predicates.patterns import Regex, in_glob, is_glob, parse_glob
from pi_gym.predicates.table_rules import TableCondition, parse_table
from pi_gym.predicates.text import view_of
from pi_gym.predicates.text_rules import TextCondition
from pi_gym.predicates.text_specs import parse_text
from pi_gym.predicates.wording import listed, plural, shown
from pi_gym.state.paths import PathRefused, normalise

STATES = ("created", "modified", "changed", "unchanged", "deleted", "any")
# Where HTML comments show in no rendering, so what stands in them says nothing.
_COMMENTED = (".md", ".markdown", ".html", ".htm", ".txt")
_MEMORY = "memory"


def state_of(evidence: Evidence, path: str) -> str:
    """The state of one path against the session's start: "absent" where no file is or was there."""
    key = ("state", path)
    if key not in evidence.found:
        now, start = evidence.now.blob(path), evidence.start.blob(path)
        if now is None:
            evidence.found[key] = "absent" if start is None else "deleted"
        elif start is None:
            evidence.found[key] = "created"
        else:
            evidence.found[key] = "unchanged" if now is start or now.data == start.data else "modified"
    state: str = evidence.found[key]
    return state


def in_state(found: str, wanted: str) -> bool:
    """Whether a path's state is the wanted one; "changed" is created or modified, "any" all that exist now."""
    if wanted == "changed":
        return found in ("created", "modified")
    if wanted == "any":
        return found not in ("absent", "deleted")
    return found == wanted


@dataclass(frozen=True, slots=True)
class Target:
    """The files that a path or glob means.

    Args:
        path: the path or glob as written.
        pattern: the compiled glob; None for a plain path.
        state: the state that they must be in.
    """

    path: str
    pattern: Regex | None
    state: str

    def paths(self, evidence: Evidence) -> list[str]:
        """The paths that are meant, sorted."""
        key = ("paths", self.path, self.state)
        if key not in evidence.found:
            evidence.found[key] = self._find(evidence)
        found: list[str] = evidence.found[key]
        return found

    def _find(self, evidence: Evidence) -> list[str]:
        paths = [self.path]
        if self.pattern is not None:
            paths = sorted(path for path in self._candidates(evidence) if in_glob(self.pattern, path))
        return [path for path in paths if in_state(state_of(evidence, path), self.state)]

    def _candidates(self, evidence: Evidence) -> set[str]:
        fixed = self.path.split("*", 1)[0].split("?", 1)[0].rpartition("/")[0]
        # `changes` leaves memory/ out, so there the files themselves are compared.
        in_memory = fixed.split("/")[0] == _MEMORY
        if self.state not in ("any", "unchanged") and not in_memory:
            return set(evidence.changed_paths)
        found = {path for path, _ in evidence.now.walk(fixed)}
        if self.state == "deleted":
            found |= {path for path, _ in evidence.start.walk(fixed)}
        return found

    def __str__(self) -> str:
        return f"{shown(self.path)}" + ("" if self.state == "any" else f" ({self.state})")


@dataclass(frozen=True, slots=True)
class Content:
    """All that is asked of a file's content.

    Args:
        asked: the conditions as the author wrote them: what asks the same finds the same; "" where nothing is asked.
    """

    asked: str = ""
    text: TextCondition | None = None
    table: TableCondition | None = None
    data: DataCondition | None = None
    edits: Edits | None = None
    kept: Kept | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing is asked."""
        return not self.asked

    def fault(self, evidence: Evidence, path: str, deleted: bool) -> str:
        """The reason why the file's content is not as asked, as the rest of a sentence about it; "" where it is."""
        if not self.asked:
            return ""
        key = ("content", self.asked, path, "deleted" if deleted else "")
        if key not in evidence.found:
            evidence.found[key] = self._fault(evidence, path, deleted)
        fault: str = evidence.found[key]
        return fault

    def _fault(self, evidence: Evidence, path: str, deleted: bool) -> str:
        text = (evidence.start if deleted else evidence.now).text(path)
        if text is None:
            return "is binary (not UTF-8 text)"
        if self.text is not None and (fault := self.text.fault(view_of(text, _commented(path)))):
            return fault
        if self.table is not None and (fault := self.table.fault(text, path)):
            return fault
        if self.data is not None and (fault := self.data.fault(text, path)):
            return fault
        for rule in (self.edits, self.kept):
            if rule is not None:
                start = evidence.start.text(path)
                if start is None:
                    return "did not exist as text when the session began"
                if fault := rule.fault(start, text):
                    return fault
        return ""


def _commented(path: str) -> bool:
    return path.lower().endswith(_COMMENTED)


@dataclass(frozen=True, slots=True)
class FileCheck:
    """A file, or for a glob one, some or each of those that match, meets the conditions.

    Args:
        target: which files.
        content: what they hold.
        which: "only" (exactly one may match), "some" or "each".
        count: how many may match.
        asked: all that in one text: what asks the same finds the same.
    """

    target: Target
    content: Content
    which: str
    count: Span
    asked: str

    def test(self, evidence: Evidence) -> Outcome:
        """See `Check`."""
        key = ("file", self.asked)
        if key not in evidence.found:
            evidence.found[key] = self._test(evidence)
        found: Outcome = evidence.found[key]
        return found

    def _test(self, evidence: Evidence) -> Outcome:
        paths = self.target.paths(evidence)
        if len(paths) not in self.count:
            return Outcome(False, self._miscounted(evidence, paths))
        deleted = self.target.state == "deleted"
        faults = {path: self.content.fault(evidence, path, deleted) for path in paths}
        bad = [path for path in paths if faults[path]]
        if self.which == "some" and len(bad) < len(paths):
            bad = []
        if bad:
            return outcome(f"The file {shown(bad[0])}", faults[bad[0]])
        return Outcome(True, f"As asked: {listed(paths)}.")

    def footprint(self) -> Footprint:
        """See `Check`."""
        return Footprint.of("files")

    def _miscounted(self, evidence: Evidence, paths: list[str]) -> str:
        if paths:
            return f"{plural(len(paths), 'file')} match {self.target}: {listed(paths)}; expected {self.count}."
        if self.target.pattern is not None:
            return f"No file matches {self.target}; changed: {listed(evidence.changed_paths)}."
        found = state_of(evidence, self.target.path)
        if found != "absent":
            return f"The file {shown(self.target.path)} is {found}; expected {self.target.state}."
        spelled = evidence.now.spelling(self.target.path)
        hint = f" (there is {shown(spelled)})" if spelled else ""
        return f"There is no file {shown(self.target.path)}{hint}; changed: {listed(evidence.changed_paths)}."


@dataclass(frozen=True, slots=True)
class Absent:
    """The check that no file matches."""

    target: Target

    def test(self, evidence: Evidence) -> Outcome:
        """See `Check`."""
        paths = self.target.paths(evidence)
        if paths:
            return Outcome(False, f"{listed(paths)} should not exist (asked: no file {self.target}).")
        return Outcome(True, f"There is no file {self.target}.")

    def footprint(self) -> Footprint:
        """See `Check`."""
        return Footprint.of("files")


_CONTENT = ("text", "table", "data", "edits", "kept")
_KEYS = ("file", *_CONTENT, "exists", "state", "which", "count")


def _parse_target(node: Node, state: str) -> Target:
    raw = node.string("a workspace path or a glob")
    if node.templated:
        return Target(raw, None, state)
    if is_glob(raw) or raw.endswith("/"):
        return Target(raw, parse_glob(node), state)
    try:
        return Target(normalise(raw), None, state)
    except (PathRefused, UnicodeEncodeError) as error:
        raise node.wrong(f"a workspace path ({error})") from None


def _parse(node: Node) -> Check:
    fields = node.fields(_KEYS, "option of 'file'")
    exists = "exists" not in fields or fields["exists"].boolean()
    state = fields["state"].choice(STATES) if "state" in fields else node.context.file_state if exists else "any"
    target = _parse_target(node.need(fields, "file"), state)
    get = fields.get
    text, table, data, edits, kept = (get(key) for key in _CONTENT)
    content = Content(
        repr([(key, fields[key].raw) for key in _CONTENT if key in fields]) if fields.keys() & _CONTENT else "",
        text=parse_text(text) if text else None,
        table=parse_table(table) if table else None,
        data=parse_data(data) if data else None,
        edits=parse_edits(edits) if edits else None,
        kept=parse_kept(kept) if kept else None,
    )
    if not exists:
        if not content.empty or "which" in fields or "count" in fields:
            raise fields["exists"].wrong("true, since other conditions ask for a file")
        return Absent(target)
    which = fields["which"].choice(("only", "some", "each")) if "which" in fields else "only"
    if which == "only" and "count" in fields:
        raise fields["count"].wrong("no count with 'which: only', which means one file")
    count = fields["count"].span() if "count" in fields else Span(1, 1 if which == "only" else None)
    count = Span(max(count.low, 1), count.high)
    return FileCheck(target, content, which, count, repr((target.path, state, which, str(count), content.asked)))


OPERATIONS = (
    PredicateOperation(
        "file",
        _parse,
        "`file: PATH`",
        "exactly one file is meant and holds this",
        "`text: TEXT`, `table: TABLE`, `data: DATA`, `edits`, `kept`, `state`, `exists`,"
        " `which: only \\| some \\| each`, `count`",
    ),
)
