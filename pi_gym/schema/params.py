"""Drawing the declared parameters of a persona or task."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from pi_gym.errors import SpecError
from pi_gym.schema.specs import ParamSpec
from pi_gym.seeding import Stream


def draw_params(specs: Mapping[str, ParamSpec], stream: Stream) -> dict[str, Any]:
    """A value for each parameter, each from a stream of its own, so that adding one shifts no other."""
    return {name: _draw(spec, stream.child(name), f"{name}") for name, spec in specs.items()}


def alternatives(spec: ParamSpec, value: Any, stream: Stream) -> Any:
    """Another value than `value` that the parameter could have had, or `value` where there is no other."""
    if spec.choices is not None:
        others = [choice for choice in spec.choices if choice != value]
        return stream.choice(others) if others else value
    for _ in range(50):
        other = _draw(spec, stream, "")
        if other != value:
            return other
    return value


def _draw(spec: ParamSpec, stream: Stream, field: str) -> Any:
    if spec.choices is not None:
        return stream.choice(spec.choices)
    if spec.range is not None:
        return stream.integer(*spec.range)
    if spec.date is not None:
        try:
            first, last = (date.fromisoformat(text) for text in spec.date)
        except ValueError as error:
            raise SpecError(field, f"expected two ISO dates such as 2026-03-09, got {list(spec.date)}") from error
        return (first + timedelta(days=stream.integer(0, (last - first).days))).isoformat()
    return spec.value
