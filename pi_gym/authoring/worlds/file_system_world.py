"""The seed world of File System: its accounts; the files themselves are the workspace's."""

from __future__ import annotations

from pi_gym.authoring.worlds.circle import Circle
from pi_gym.authoring.worlds.seed_rows import Tables
from pi_gym.schema.specs import Spec


class FileSystemSeeds(Spec):
    """file_system.yaml: passwords by person."""

    accounts: dict[str, str]


def person_tables(circle: Circle) -> Tables:
    """The tables of a person's world."""
    return {"accounts": circle.accounts(circle.seeds(FileSystemSeeds, "file_system").accounts)}
