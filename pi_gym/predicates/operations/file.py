"""The operation `file`: a file, by path or glob, in a state, with a text."""

from __future__ import annotations

from dataclasses import dataclass

from pi_gym.predicates.check import Check, PredicateOperation, outcome
from pi_gym.predicates.evidence import Evidence, Outcome
from pi_gym.predicates.footprint import Footprint
from pi_gym.predicates.node import Node
from pi_gym.predicates.patterns import Regex, in_glob, is_glob, parse_glob
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
class FileCheck:
    """The check that a file, or for a glob the only one or some of those that match, is in a state and reads so.

    Args:
        target: which files.
        text: what they say; None where nothing is asked.
        some: whether one of several that match is enough; else exactly one may match.
        asked: all that in one text: what asks the same finds the same.
    """

    target: Target
    text: TextCondition | None
    some: bool
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
        if not paths or (len(paths) > 1 and not self.some):
            return Outcome(False, self._miscounted(evidence, paths))
        faults = [self._fault(evidence, path) for path in paths]
        if "" in faults:
            return Outcome(True, f"As asked: {shown(paths[faults.index('')])}.")
        return outcome(f"The file {shown(paths[0])}", faults[0])

    def _fault(self, evidence: Evidence, path: str) -> str:
        if self.text is None:
            return ""
        text = (evidence.start if self.target.state == "deleted" else evidence.now).text(path)
        if text is None:
            return "is binary (not UTF-8 text)"
        return self.text.fault(view_of(text, path.lower().endswith(_COMMENTED)))

    def footprint(self) -> Footprint:
        """See `Check`."""
        return Footprint.of("files")

    def _miscounted(self, evidence: Evidence, paths: list[str]) -> str:
        if paths:
            return f"{plural(len(paths), 'file')} match {self.target}: {listed(paths)}; expected one."
        if self.target.pattern is not None:
            return f"No file matches {self.target}; changed: {listed(evidence.changed_paths)}."
        found = state_of(evidence, self.target.path)
        if found != "absent":
            return f"The file {shown(self.target.path)} is {found}; expected {self.target.state}."
        spelled = evidence.now.spelling(self.target.path)
        hint = f" (there is {shown(spelled)})" if spelled else ""
        return f"There is no file {shown(self.target.path)}{hint}; changed: {listed(evidence.changed_paths)}."


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
    fields = node.fields(("file", "text", "state", "which"), "option of 'file'")
    state = fields["state"].choice(STATES) if "state" in fields else node.context.file_state
    target = _parse_target(node.need(fields, "file"), state)
    text = parse_text(fields["text"]) if "text" in fields else None
    some = "which" in fields and fields["which"].choice(("only", "some")) == "some"
    asked = repr((target.path, state, some, fields["text"].raw if text else None))
    return FileCheck(target, text, some, asked)


OPERATIONS = (
    PredicateOperation(
        "file",
        _parse,
        "`file: PATH`",
        "one file is meant, is in this state and says this",
        "`text: TEXT`, `state`, `which: only \\| some`",
    ),
)
