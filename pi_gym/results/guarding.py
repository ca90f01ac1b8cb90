"""The check that nothing was touched but the results, and what may change beside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pi_gym.predicates.evidence import Evidence, Outcome
from pi_gym.predicates.footprint import Footprint
from pi_gym.predicates.patterns import Regex, in_glob
from pi_gym.predicates.wording import listed, shown
from pi_gym.results.content import ResultText
from pi_gym.results.facets import Condition
from pi_gym.results.place import FilePlace, NewFilePlace


@dataclass(frozen=True, slots=True)
class UntouchedFiles:
    """Files are new only where results are, changed only where these are changed files, and never deleted.

    Args:
        files, folders: the places of the results that are files.
        keeps: by path, what a file that is changed must keep of what stood there.
        free: files that may be new or changed beside.
    """

    files: tuple[FilePlace, ...]
    folders: tuple[NewFilePlace, ...]
    keeps: Mapping[str, Condition]
    free: tuple[Regex, ...]

    def test(self, evidence: Evidence) -> Outcome:
        """See `Check`."""
        changes = evidence.changes
        new = {one.path for one in self.files if one.new}
        old = {one.path for one in self.files if not one.new}
        wrong = [
            *(path for path in changes.created if path not in new and not any(one.fits(path) for one in self.folders)),
            *(path for path in changes.modified if path not in old),
        ]
        wrong = [path for path in wrong if not any(in_glob(one, path) for one in self.free)]
        wrong += changes.deleted
        if wrong:
            return Outcome(False, f"Changed beside the results: {listed(wrong)}.")
        for path, condition in self.keeps.items():
            if path in changes.modified:
                fault = condition.fault(ResultText(path, evidence.text(path) or "", evidence.start.text(path)))
                if fault:
                    return Outcome(False, f"{shown(path)} {fault}.")
        return Outcome(True, f"Only results changed: {listed(evidence.changed_paths)}.")

    def footprint(self) -> Footprint:
        """See `Check`."""
        return Footprint.of("files")
