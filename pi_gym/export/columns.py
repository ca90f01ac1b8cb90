"""Columns as plain data, and the schemas that follow from them.

A column's kind is the name of a type ("string", "int64", "float64", "bool"), "json" for any JSON value, a list with
the kind of its items, or a mapping of names to kinds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from pi_gym.export.packages import package
from pi_gym.session import Trajectory

Kind: TypeAlias = Any
Columns: TypeAlias = Mapping[str, Kind]

#: What every form tells of a session: its key, its group, and how it was scored.
LABELS: Columns = {
    "agent": "string",
    "env_id": "string",
    "task_id": "string",
    "variant": "int64",
    "seed": "int64",
    "history_mode": "string",
    "sample": "int64",
    "group_id": "string",
    "scored": "bool",
    "proc": "float64",
    "comp": "float64",
    "return": "float64",
    "turns": "int64",
    "steps": "int64",
    "tool_calls": "int64",
    "invalid_actions": "int64",
    "terminated": "bool",
    "end_reason": "string",
    "error_kind": "string",
}


def labels(record: Trajectory) -> dict[str, Any]:
    """By name, what every form tells of a session."""
    return {name: getattr(record, "return_" if name == "return" else name) for name in LABELS}


def features(columns: Columns) -> Any:
    """The columns as `datasets.Features`."""
    return package("datasets").Features({name: _feature(kind) for name, kind in columns.items()})


def stored(columns: Columns) -> Columns:
    """The columns as rows hold them: JSON values as text."""
    return {name: _stored(kind) for name, kind in columns.items()}


def _feature(kind: Kind) -> Any:
    datasets = package("datasets")
    if kind == "json":
        return datasets.Json()
    if isinstance(kind, str):
        return datasets.Value(kind)
    if isinstance(kind, list):
        return datasets.List(_feature(kind[0]))
    return {name: _feature(part) for name, part in kind.items()}


def _stored(kind: Kind) -> Kind:
    if isinstance(kind, str):
        return "string" if kind == "json" else kind
    return [_stored(kind[0])] if isinstance(kind, list) else {name: _stored(part) for name, part in kind.items()}
