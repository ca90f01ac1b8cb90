"""The world of a session: workspace and apps, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pi_gym.state.tables import Database
from pi_gym.state.tree import Blob
from pi_gym.state.workspace import Mark, Workspace


class Origin(Protocol):
    """The origin of a world, which can build it again, so that a pickle need not carry it."""

    def world(self) -> World:
        """The world, equal in content each time."""
        ...


class World:
    """The world: everything that outlives a session.

    Args:
        workspace: the files.
        apps: database by app name.
        origin: what this state was built from; a pickle then holds the origin and the changes since.
    """

    __slots__ = ("_origin_apps", "_origin_mark", "apps", "origin", "workspace")

    def __init__(
        self,
        workspace: Workspace | None = None,
        apps: Mapping[str, Database] | None = None,
        origin: Origin | None = None,
    ) -> None:
        self.workspace = workspace if workspace is not None else Workspace()
        self.apps: Mapping[str, Database] = dict(apps or {})
        self.origin = origin
        self._origin_apps = self.apps
        self._origin_mark: Mark = self.workspace.mark()

    def fork(self) -> World:
        """An independent copy, at the same cost whatever the size."""
        copy = World.__new__(World)
        copy.workspace, copy.apps = self.workspace.fork(), self.apps
        copy.origin, copy._origin_mark, copy._origin_apps = self.origin, self._origin_mark, self._origin_apps
        return copy

    def restore(self, earlier: World) -> None:
        """Become what a fork taken earlier is, in place: whoever holds this world or its workspace sees it."""
        self.workspace.restore(earlier.workspace)
        self.apps = earlier.apps

    def put_app(self, name: str, database: Database) -> None:
        """Replace one app's tables; whoever has `apps` as they were keeps them."""
        self.apps = {**self.apps, name: database}

    def state_hash(self) -> str:
        """SHA-256 over files and apps."""
        parts = [self.workspace.state_hash(), *(f"{name}:{self.apps[name].state_hash()}" for name in sorted(self.apps))]
        return "-".join(parts) if len(parts) > 1 else parts[0]

    def __reduce__(self) -> tuple[Any, ...]:
        names = sorted(self.apps)
        if self.origin is None:
            return World, (self.workspace, {name: self.apps[name] for name in names})
        empty = Database()
        apps = {name: self.apps[name].delta(self._origin_apps.get(name, empty)) for name in names}
        return _restore, (self.origin, self.workspace.delta(self._origin_mark), apps)


def _restore(origin: Origin, delta: Mapping[str, Blob | bool | None], apps: Mapping[str, Any]) -> World:
    world = origin.world().fork()
    world.workspace.apply_delta(delta)
    for name, rows in apps.items():
        world.put_app(name, (world.apps.get(name) or Database()).with_delta(rows))
    return world
