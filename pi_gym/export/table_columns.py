"""Columns as plain data, and the schemas that follow from them.

`pi_gym.family.ColumnKind` says what a column's kind is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from pi_gym.export.packages import package
from pi_gym.family import ColumnKind, Family
from pi_gym.session import Trajectory

Columns: TypeAlias = Mapping[str, ColumnKind]

#: Columns that every form has of a session: its key, its group, and how it ended; the family's scores stand between.
KEY: Columns = {
    "agent": "string",
    "env_id": "string",
    "family": "string",
    "pack": "string",
    "task_id": "string",
    "variant": "int64",
    "seed": "int64",
    "history_mode": "string",
    "sample": "int64",
    "group_id": "string",
    "scored": "bool",
}
COURSE: Columns = {
    "turns": "int64",
    "steps": "int64",
    "tool_calls": "int64",
    "invalid_actions": "int64",
    "terminated": "bool",
    "end_reason": "string",
    "error_kind": "string",
}


def summary_columns(family: Family) -> Columns:
    """The columns that every form has of a session: its key, its scores, and how it ended."""
    return {**KEY, **dict.fromkeys(family.scores, "float64"), **COURSE}


def summary_row(record: Trajectory, family: Family) -> dict[str, Any]:
    """The same of one session."""
    return {
        **{name: getattr(record, name) for name in KEY},
        **{name: record.scores.get(name) for name in family.scores},
        **{name: getattr(record, name) for name in COURSE},
    }


def features(columns: Columns) -> Any:
    """The columns as `datasets.Features`."""
    return package("datasets").Features({name: _feature(kind) for name, kind in columns.items()})


def stored(columns: Columns) -> Columns:
    """The columns as rows hold them: JSON values as text."""
    return {name: _stored(kind) for name, kind in columns.items()}


def _feature(kind: ColumnKind) -> Any:
    datasets = package("datasets")
    if kind == "json":
        return datasets.Json()
    if isinstance(kind, str):
        return datasets.Value(kind)
    if isinstance(kind, list):
        return datasets.List(_feature(kind[0]))
    return {name: _feature(part) for name, part in kind.items()}


def _stored(kind: ColumnKind) -> ColumnKind:
    if isinstance(kind, str):
        return "string" if kind == "json" else kind
    return [_stored(kind[0])] if isinstance(kind, list) else {name: _stored(part) for name, part in kind.items()}
