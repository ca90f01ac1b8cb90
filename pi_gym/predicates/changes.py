"""The atoms `changes` and `app_changes`: the guards that say that nothing else was touched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pi_gym.apps import SIGNED_IN
from pi_gym.predicates.apps import row_state
from pi_gym.predicates.check import Check
from pi_gym.predicates.evidence import Evidence, Outcome
from pi_gym.predicates.node import Node
from pi_gym.predicates.patterns import Regex, in_glob, parse_glob
from pi_gym.predicates.wording import listed, plural
from pi_gym.state import Database

KINDS = ("created", "updated", "deleted")


@dataclass(frozen=True, slots=True)
class FileChanges:
    """All files that differ from the start lie within some globs, and there are at most so many.

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
        paths = evidence.changes.paths
        if self.only is not None:
            outside = [path for path in paths if not any(in_glob(pattern, path) for pattern in self.only)]
            if outside:
                return Outcome(False, f"Changed besides {listed(self.names)}: {listed(outside)}.")
        if self.most is not None and len(paths) > self.most:
            return Outcome(False, f"{plural(len(paths), 'file')} changed, not at most {self.most}: {listed(paths)}.")
        return Outcome(True, f"Only what was allowed changed: {listed(paths)}.")


@dataclass(frozen=True, slots=True)
class AppChanges:
    """All rows that differ from the start are allowed to.

    Args:
        only: by app and table the ids and kinds of change that are allowed; None for any row or any table.
    """

    only: Mapping[str, Mapping[str, frozenset[int | str] | None] | None]

    def test(self, evidence: Evidence) -> Outcome:
        """See `Check`."""
        bad: list[str] = []
        for app in sorted(evidence.apps):
            tables = self.only.get(app, {})
            if tables is None:
                continue
            # Who is signed in ends with the session: it is no effect on the app.
            for table, rows in evidence.apps[app].diff(evidence.apps_start.get(app) or Database()).items():
                allowed = None if table == SIGNED_IN else tables.get(table, frozenset())
                for key, (before, after) in rows.items():
                    kind = row_state(before, after)
                    if allowed is not None and key not in allowed and kind not in allowed:
                        bad.append(f"{app}.{table} {key} {kind}")
        if bad:
            return Outcome(False, f"Rows changed that should not have: {listed(bad)}.")
        return Outcome(True, "No other rows changed in the apps.")


def _none(node: Node, fields: Mapping[str, Node], other: tuple[str, ...]) -> bool:
    if not fields and not node.templated:
        raise node.wrong("at least one of " + ", ".join((*other, "none")))
    if "none" not in fields:
        return False
    if not fields["none"].boolean() or len(fields) > 1:
        raise fields["none"].wrong("true, with no other key beside it")
    return True


def parse_changes(atom: Node) -> Check:
    """The atom `changes`."""
    node = atom.need(atom.fields(("changes",), "option of 'changes'"), "changes")
    fields = node.fields(("only", "at_most", "none"))
    if _none(node, fields, ("only", "at_most")):
        return FileChanges((), (), 0)
    globs = fields["only"].one_or_more() if "only" in fields else None
    only = tuple(parse_glob(one) for one in globs) if globs is not None else None
    names = tuple(str(one.raw) for one in globs or ())
    return FileChanges(only, names, fields["at_most"].integer() if "at_most" in fields else None)


def _allowed(node: Node) -> frozenset[int | str] | None:
    if node.raw == "any" or node.templated:
        return None
    found: set[int | str] = set()
    for one in node.one_or_more():
        raw = one.raw
        if one.templated or (isinstance(raw, int) and not isinstance(raw, bool)) or raw in KINDS:
            found.add(raw)
        else:
            raise one.wrong("a row's id, " + ", ".join(KINDS))
    return frozenset(found)


def _tables(node: Node) -> Mapping[str, frozenset[int | str] | None] | None:
    if node.raw == "any" or node.templated:
        return None
    return {name: _allowed(one) for name, one in node.named().items()}


def parse_app_changes(atom: Node) -> Check:
    """The atom `app_changes`."""
    node = atom.need(atom.fields(("app_changes",), "option of 'app_changes'"), "app_changes")
    fields = node.fields(("only", "none"))
    if _none(node, fields, ("only",)):
        return AppChanges({})
    return AppChanges({app: _tables(one) for app, one in node.need(fields, "only").named().items()})
