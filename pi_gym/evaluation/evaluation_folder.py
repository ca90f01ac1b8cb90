"""The folder of an evaluation: what was asked for, and a run's folder for each agent and history."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from pi_gym.runs.lines import RunError, explained
from pi_gym.runs.store import lock_folder, write_json, write_lines

EVALUATION, COSTS, _LOCK = "evaluation.json", "costs.jsonl", "evaluation.lock"
_PASSING = frozenset((_LOCK, f"{EVALUATION}.tmp"))
#: What a resume may add to, or say anew.
_FREE = frozenset(("agents", "ablation", "prices", "software", "results"))


class EvaluationFolder:
    """The folder of one evaluation, locked for as long as it is open.

    Args:
        path: the folder; made where it does not exist.
        asked: the evaluation as a JSON object; "agents" by label.
        resume: go on with what the folder holds; without one, begin it.

    Attributes:
        record: evaluation.json as it is now; agents, prices and versions that were there before stay.

    Raises:
        RunError: the folder holds other things, or another evaluation, or it cannot be used. Nothing was changed then.
    """

    def __init__(self, path: Path, asked: Mapping[str, Any], *, resume: bool) -> None:
        self.path = path
        with explained(path, "cannot be written"):
            _check(path, resume)
            path.mkdir(parents=True, exist_ok=True)
            self._lock = lock_folder(path, _LOCK, "writing this evaluation")
        try:
            with explained(path, "cannot be written"):
                # Between the check and the lock another process may have begun.
                self.record = dict(asked) if _check(path, resume) else _joined(path, asked)
                write_json(path / EVALUATION, self.record)
        except BaseException:
            os.close(self._lock)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._lock)

    def run(self, folder: str, history: str) -> Path:
        """The folder of the run of an agent under a history."""
        return self.path / folder / f"history-{history}"

    def write_results(self, results: Mapping[str, Any], costs: Iterable[Mapping[str, Any]]) -> None:
        """Replace the results in evaluation.json and, where there are prices, the costs of sessions in costs.jsonl."""
        self.record = {**self.record, "results": dict(results)}
        with explained(self.path, "cannot be written"):
            if self.record["prices"]:
                write_lines(self.path / COSTS, costs)
            write_json(self.path / EVALUATION, self.record)


def _check(path: Path, resume: bool) -> bool:
    """Whether the folder is free for a new evaluation; RunError where it holds what the caller did not expect."""
    if not path.exists():
        return True
    if not path.is_dir():
        raise RunError(f"{path} is a file; choose a folder with --out.")
    names = {entry.name for entry in path.iterdir()} - _PASSING
    if not names:
        return True
    if EVALUATION not in names:
        raise RunError(
            f"{path} holds other things and no evaluation ({', '.join(sorted(names)[:3])}); choose another --out."
        )
    if not resume:
        raise RunError(f"{path} holds an evaluation already. Go on with it by --resume, or choose another --out.")
    return False


def _joined(path: Path, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The record in the folder with what is asked for now."""
    place = path / EVALUATION
    try:
        was = dict(json.loads(place.read_text(encoding="utf-8")))
        agents, software = dict(was["agents"]), list(was["software"])
    except (ValueError, TypeError, KeyError) as error:
        raise RunError(f"{place} is no record of an evaluation ({error}); it was changed by hand") from error
    now = json.loads(json.dumps(asked))
    told = [
        f"{name} was {_short(was.get(name))}, now {_short(now.get(name))}"
        for name in dict.fromkeys((*was, *now))
        if name not in _FREE and was.get(name) != now.get(name)
    ]
    for label, agent in now["agents"].items():
        if label in agents and agents[label] != agent:
            told.append(f"the agent {label} was {_short(agents[label])}, now {_short(agent)}")
        folders = {one["folder"].lower() for name, one in agents.items() if name != label}
        if agent["folder"].lower() in folders:
            told.append(f"the agent {label} would share a folder with another; write NAME=… before it")
    if told:
        raise RunError(
            f"{path} holds another evaluation ({'; '.join(told)}). Ask for the same, or choose another --out."
        )
    return {
        **was,
        "agents": {**agents, **now["agents"]},
        "ablation": bool(was.get("ablation")) or now["ablation"],
        "prices": {**was.get("prices", {}), **now["prices"]},
        "software": software + [one for one in now["software"] if one not in software],
    }


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:159]}…"
