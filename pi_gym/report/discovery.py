"""Finding what a report is made of: the runs below some folders, and the results of audits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_gym.runs.lines import RunError
from pi_gym.runs.run_files import RUN, TRAJECTORIES, walk_runs


@dataclass(frozen=True, slots=True)
class AuditResult:
    """The outcome of an audit, as `pi-gym audit … --out x.json` wrote it.

    Args:
        path: its file.
        content: the JSON object: of judges who read, or of two judgements of the same sessions.
    """

    path: Path
    content: Mapping[str, Any]

    @property
    def family(self) -> str:
        """The family of the sessions that were judged."""
        return str(self.content["family"])

    @property
    def rates(self) -> dict[str, tuple[float | None, float | None, float | None, int]]:
        """By judgement and between whom: the share on which they are apart, its interval's bounds, and of how many."""
        found: dict[str, tuple[float | None, float | None, float | None, int]] = {}
        for kind, pairs in self.content.get("apart", {}).items():
            for between, one in pairs.items():
                found[f"{kind}: {between}"] = one["value"], one["low"], one["high"], one["of"]
        for kind, one in self.content.get("rates", {}).items():
            found[kind] = one["disagreement"], None, None, one["judged"]
        return found


def find_runs(places: Iterable[Path]) -> tuple[list[Path], list[AuditResult], list[str]]:
    """The runs and audits that some paths stand for.

    Args:
        places: runs' folders, folders that hold some at any depth, and audits' JSON files.

    Returns:
        The folders of runs, each once, in the order of the paths and by name; the audits; what is left out and why.

    Raises:
        RunError: a path holds neither.
    """
    runs: dict[Path, Path] = {}
    audits: list[AuditResult] = []
    left_out: list[str] = []
    for place in places:
        if not place.exists():
            raise RunError(f"{place}: there is no such file or folder")
        if place.is_file():
            audits.append(_audit(place))
            continue
        found = [folder for folder, _ in walk_runs(place)]
        if not found:
            raise RunError(
                f"{place} holds no run: expected a folder with {RUN} and {TRAJECTORIES} in it, at any depth,"
                " or a file that pi-gym audit wrote (--out x.json)"
            )
        for one in found:
            if (one / RUN).is_file():
                runs.setdefault(one.resolve(), one)
            else:
                left_out.append(f"{one} is left out: it has {TRAJECTORIES} and no {RUN}, which says what was played")
    return list(runs.values()), audits, left_out


def _audit(path: Path) -> AuditResult:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        found = AuditResult(path, content)
        if "family" not in content or not ("apart" in content or "rates" in content):
            raise ValueError("expected 'family', and 'apart' or 'rates'")
        _ = found.rates
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RunError(
            f"{path} is no result of an audit ({error}); write one by pi-gym audit … --out x.json"
        ) from error
    return found
