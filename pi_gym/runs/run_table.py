"""Several runs side by side: what they differ in, and what came of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_gym.runs.lines import RunError
from pi_gym.runs.recorded import read_run_json
from pi_gym.runs.run_files import SUMMARY

#: What a run was asked to be, beside the arguments of environment and agent.
_SETTINGS = ("agent", "env_id", "split", "history_mode", "seed", "group_size")
#: Arguments, and hashes of content, by name.
_NAMED = ("agent_settings", "env_kwargs", "packs")


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """A run that has a summary.

    Args:
        path: its folder.
        asked: its run.json.
        settings: what that asks for, by name, as texts.
        summary: its summary.json.
    """

    path: Path
    asked: Mapping[str, Any]
    settings: Mapping[str, str]
    summary: Mapping[str, Any]

    def to_json(self, named: Sequence[str]) -> dict[str, Any]:
        """The run as a JSON object, with the settings that are named."""
        kept = ("scored", "unscored", "missing", "faulty", "overall", "tries")
        settings = {name: self.settings.get(name) for name in named}
        return {
            "run": str(self.path),
            "settings": settings,
            **{name: self.summary[name] for name in kept if name in self.summary},
        }


def reported_runs(paths: Sequence[Path]) -> list[ReportedRun]:
    """The runs of some folders, in their order.

    Raises:
        RunError: one is no run's folder, or has no summary yet; or they are of several families.
    """
    runs = [_read(path) for path in paths]
    families = sorted({run.summary["family"] for run in runs})
    if len(families) > 1:
        raise RunError(f"the runs are of several families, {', '.join(families)}; report on one at a time")
    return runs


def differing(runs: Sequence[ReportedRun]) -> list[str]:
    """The names of the settings that are not the same in all runs, the agent's first; those of the first run lead."""
    names = dict.fromkeys(name for run in runs for name in run.settings)
    return [name for name in names if len({run.settings.get(name) for run in runs}) > 1]


def common_tries(runs: Sequence[ReportedRun]) -> tuple[str, str] | None:
    """The score that several tries are about, and the most tries that all runs tell of; None: there is none."""
    found = [run.summary["tries"] for run in runs if "tries" in run.summary]
    if not found or len(found) < len(runs):
        return None
    of = str(found[0]["of"])
    common = set.intersection(*(set(tries[f"{of}@k"]) for tries in found))
    return (of, max(common, key=int)) if common else None


def _read(path: Path) -> ReportedRun:
    asked = read_run_json(path)
    place = path / SUMMARY
    if not asked or not place.is_file():
        raise RunError(f"{path} is no folder of a finished run: it has no {SUMMARY}; finish it with --resume first")
    try:
        summary = json.loads(place.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RunError(f"{place} is no JSON ({error}); it was changed by hand") from error
    return ReportedRun(path, asked, dict(_settings(asked, summary)), summary)


def _settings(asked: Mapping[str, Any], summary: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from ((name, str(asked[name])) for name in _SETTINGS if name in asked)
    yield "protocol", summary["protocol"]
    for part in _NAMED:
        for name, value in asked.get(part, {}).items():
            yield name, value[:8] if part == "packs" else value if isinstance(value, str) else json.dumps(value)
