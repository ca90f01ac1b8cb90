"""The hidden intents of a task that a question asks for."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from pi_gym.packs import Pack, load_pack
from pi_gym.questions import Matcher, asking_clauses
from pi_gym.schema.yaml_files import load_yaml


@cache
def loaded(pack: str) -> Pack:
    return load_pack(pack)


@cache
def written(file: Path) -> dict[str, Any]:
    """A file of questions for one task."""
    found: dict[str, Any] = load_yaml(file, file.name)
    return found


def pool(task: str, pack: str = "researcher") -> list[str]:
    """The names of the task's intents, in file order; a variant draws some of them."""
    return [intent.name for intent in loaded(pack).source_of(task).pool]


@cache
def matcher(task: str, variant: int = 0, pack: str = "researcher") -> Matcher:
    return loaded(pack).instantiate(task, variant).questions


def asked(task: str, question: str, variant: int = 0, pack: str = "researcher") -> set[str]:
    """The wishes of the task's whole pool that the question asks for."""
    wishes = set(pool(task, pack))
    return {name for clause in asking_clauses(question) for name in matcher(task, variant, pack).aims(clause)} & wishes
