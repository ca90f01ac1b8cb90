"""The first and the last change of each file and table in a session: how many replies the agent had given before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Self

from pi_gym.predicates.evidence import ChangeSpan, Place
from pi_gym.state import Database, Mark, World
from pi_gym.types import frozen_value


@frozen_value
class WorldMark:
    """A moment of a world, to see what a call changes. Taking one costs nothing."""

    files: Mark
    apps: Mapping[str, Database]

    @classmethod
    def of(cls, world: World) -> Self:
        """The present moment."""
        return cls(world.workspace.mark(), world.apps)


def changed_places(world: World, mark: WorldMark) -> Iterator[Place]:
    """The files and tables that were touched since the mark. Costs nothing where nothing was."""
    if not world.workspace.is_at(mark.files):
        yield from world.workspace.touched(mark.files)
    if world.apps is not mark.apps:
        for name, database in world.apps.items():
            before = mark.apps.get(name)
            if database is not before:
                yield from ((name, table) for table in database.names if _differs(database, before, table))


def _differs(database: Database, before: Database | None, table: str) -> bool:
    return before is None or table not in before.names or database.table(table) is not before.table(table)


def with_changes(
    known: Mapping[Place, ChangeSpan], world: World, mark: WorldMark, replies: int
) -> Mapping[Place, ChangeSpan]:
    """The spans of changes with those since the mark, after so many replies."""
    if world.apps is mark.apps and world.workspace.is_at(mark.files):  # as after most calls
        return known
    new = {place: (known.get(place, (replies, replies))[0], replies) for place in changed_places(world, mark)}
    return {**known, **new}
