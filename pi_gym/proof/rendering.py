"""A task's templates as they would read for other hidden values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pi_gym.packs import Pack
from pi_gym.packs.source import TaskSource
from pi_gym.packs.task_world import TaskWorld
from pi_gym.packs.variants import make_variant


@dataclass(frozen=True)
class Rendering:
    """The rendered task under some hidden values, the draw being the same.

    Args:
        spec: the rendered fields of task.yaml: request, payload, time, apps, intents (the whole pool), checklist.
        files: the task's files by path.
    """

    spec: Mapping[str, Any]
    files: Mapping[str, bytes]

    @property
    def opening(self) -> str:
        """The parts of the opening message, as JSON."""
        return json.dumps([self.spec[name] for name in ("request", "payload", "time")], default=str)

    @property
    def rows(self) -> dict[str, str]:
        """The rows that the task puts into its apps, as JSON by app, table and id."""
        return {
            f"{app}.{table} {row['id']}": json.dumps(row, sort_keys=True, default=str)
            for app, tables in self.spec["apps"].items()
            for table, rows in tables.items()
            for row in rows
        }


def rendering(pack: Pack, source: TaskSource, variant: int, belief: Mapping[str, Any]) -> Rendering:
    """Render a task's templates.

    Args:
        pack: the pack.
        source: the task's template.
        variant: the variant's number.
        belief: hidden values by parameter name that replace the true ones.

    Raises:
        PiGymError: a template cannot be rendered with these values.
    """
    made = make_variant(pack, source, variant, belief)
    world = TaskWorld(source, made, made.values)
    files = {path: world.file(path) for path in (*source.files, *made.files)}
    return Rendering(source.rendered(world.true_context), files)
