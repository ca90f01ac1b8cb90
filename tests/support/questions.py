"""The hidden intents of a task that a question asks for."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from pi_gym.packs import Pack, load_pack
from pi_gym.questions import AskedWhen, asking_clauses
from pi_gym.schema.yaml_files import load_yaml


@cache
def researcher() -> Pack:
    return load_pack("researcher")


@cache
def written(file: Path) -> dict[str, Any]:
    """A file of questions for one task."""
    found: dict[str, Any] = load_yaml(file, file.name)
    return found


def pool(task: str) -> list[str]:
    """The names of the task's intents, in file order; a variant draws some of them."""
    return [intent.name for intent in researcher().source_of(task).spec.intents]


@cache
def matchers(task: str) -> dict[str, AskedWhen]:
    """The matchers of each intent of the pool, from the first variant that draws it."""
    found: dict[str, AskedWhen] = {}
    for variant in range(100):
        for intent in researcher().instantiate(task, variant).intents:
            found.setdefault(intent.name, intent.asked)
        if len(found) == len(pool(task)):
            break
    assert set(found) == set(pool(task)), f"{task}: never drawn: {set(pool(task)) - set(found)}"
    return found


def asks(question: str, matcher: AskedWhen) -> bool:
    return any(matcher.matches(clause) for clause in asking_clauses(question))


def asked(task: str, question: str) -> set[str]:
    """The intents of the task's whole pool that the question asks for."""
    clauses = asking_clauses(question)
    return {name for name, one in matchers(task).items() if any(map(one.matches, clauses))}
