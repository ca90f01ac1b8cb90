"""The operation `changes`: the guard that says that no other file was touched."""

from __future__ import annotations

from dataclasses import dataclass

from pi_gym.predicates.check import Check, PredicateOperation
from pi_gym.predicates.evidence import Evidence, Outcome
from pi_gym.predicates.footprint import Footprint
from pi_gym.predicates.node import Node
from pi_gym.predicates.patterns import Regex, in_glob, parse_glob
from pi_gym.predicates.wording import listed, plural


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """The check that all files that differ from the start lie within some globs, and are at most so many.

    Args:
        only: the globs; None for anywhere.
        names: the globs as written.
        most: how many files may differ; None for any number.
    """

    only: tuple[Regex, ...] | None
    names: tuple[str, ...]
    most: int | None

    def test(self, evidence: Evidence) -> Outcome:
        """See `Check`."""
        paths = evidence.changed_paths
        if self.only is not None:
            outside = [path for path in paths if not any(in_glob(pattern, path) for pattern in self.only)]
            if outside:
                return Outcome(False, f"Changed besides {listed(self.names)}: {listed(outside)}.")
        if self.most is not None and len(paths) > self.most:
            return Outcome(False, f"{plural(len(paths), 'file')} changed, not at most {self.most}: {listed(paths)}.")
        return Outcome(True, f"Only what was allowed changed: {listed(paths)}.")

    def footprint(self) -> Footprint:
        """See `Check`."""
        return Footprint.of("files")


def _parse(whole: Node) -> Check:
    node = whole.need(whole.fields(("changes",), "option of 'changes'"), "changes")
    fields = node.fields(("only", "at_most", "none"))
    if node.says_none(fields, ("only", "at_most")):
        return ChangedFiles((), (), 0)
    globs = fields["only"].one_or_more() if "only" in fields else None
    only = tuple(parse_glob(one) for one in globs) if globs is not None else None
    names = tuple(str(one.raw) for one in globs or ())
    return ChangedFiles(only, names, fields["at_most"].integer() if "at_most" in fields else None)


OPERATIONS = (
    PredicateOperation(
        "changes", _parse, "`changes: {only: [GLOB], at_most: N, none: true}`", "no other file was touched"
    ),
)
