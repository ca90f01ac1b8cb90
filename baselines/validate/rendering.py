"""A case's templates as they would read for other hidden values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pi_gym.baselines.validate.plays import Case

from pi_gym.packs.build import Values, draw_intents, draw_values
from pi_gym.seeding import Stream
from pi_gym.templates import Namespace


@dataclass(frozen=True)
class Rendering:
    """What a task becomes under some hidden values, the draw being the same.

    Args:
        spec: the rendered fields of task.yaml: request, payload, time, intents (the whole pool), checklist.
        files: the task's files by path.
    """

    spec: Mapping[str, Any]
    files: Mapping[str, bytes]

    @property
    def opening(self) -> str:
        """What the opening message is made of."""
        return json.dumps([self.spec[name] for name in ("request", "payload", "time")], default=str)


def rendering(case: Case, belief: Mapping[str, Any]) -> Rendering:
    """Render a case's templates.

    Args:
        case: the case.
        belief: hidden values by parameter name that replace the true ones.

    Raises:
        PiGymError: a template cannot be rendered with these values.
    """
    source, name, number = case.source, case.task.id, case.task.variant
    values = draw_values(case.pack, source, number, belief)
    world, computed = _world(case, values)
    draw = draw_intents(source, Stream(case.pack.name, name, number, "draw"))
    work = source.code.work(world, values, draw) if source.code.work is not None else {}
    context = {
        "persona": values.persona,
        "p": values.p,
        "world": world,
        "work": Namespace(work, "work"),
        "drawn": lambda intent: intent in draw,
    }
    files = {
        path: content if isinstance(content, bytes) else str(content(context)).encode()
        for path, content in source.files.items()
    }
    files |= {path: data.encode() if isinstance(data, str) else bytes(data) for path, data in computed.items()}
    return Rendering(source.tree(context), files)


def _world(case: Case, values: Values) -> tuple[Namespace, Mapping[str, str | bytes]]:
    code = case.source.code
    if code.world is None:
        return Namespace({}, "world"), {}
    stream = Stream(case.pack.name, case.task.id, case.task.variant, "world")
    world, files = code.world(stream, values)
    return Namespace(world, "world"), files
