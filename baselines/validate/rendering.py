"""A case's templates as they would read for other hidden values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pi_gym.baselines.validate.plays import Case

from pi_gym.packs.build import draw_intents, draw_values
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
    context, computed = _context(case, belief)
    files = {
        path: content if isinstance(content, bytes) else str(content(context)).encode()
        for path, content in case.source.files.items()
    }
    files |= {path: data.encode() if isinstance(data, str) else bytes(data) for path, data in computed.items()}
    return Rendering(case.source.tree(context), files)


def _context(case: Case, belief: Mapping[str, Any]) -> tuple[dict[str, Any], Mapping[str, str | bytes]]:
    """What templates see, and the files that variant.py computes."""
    code, number = case.source.code, case.task.variant
    values = draw_values(case.pack, case.source, number, belief)
    stream = Stream(case.pack.name, case.task.id, number, "world")
    made, files = code.world(stream, values) if code.world is not None else ({}, {})
    draw = draw_intents(case.source, Stream(case.pack.name, case.task.id, number, "draw"))
    world = Namespace(made, "world")
    work = code.work(world, values, draw) if code.work is not None else {}
    context = {
        "persona": values.persona,
        "p": values.p,
        "world": world,
        "work": Namespace(work, "work"),
        "drawn": lambda intent: intent in draw,
    }
    return context, files
