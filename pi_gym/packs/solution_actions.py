"""The steps of a model solution as what an agent does: replies and calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.errors import PackError, SpecError
from pi_gym.packs.declared import declared_result
from pi_gym.packs.task import ReferenceAction, Steps
from pi_gym.types import ToolCall


def reference_actions(steps: Steps, file: str, canary: str) -> list[str]:
    """The actions of a model solution from its steps, each with its place in the task's template.

    Raises:
        PackError: a command has no result of the form that it needs; the message names `file` and the field.
    """
    try:
        return [_action(step, index, canary) for index, step in steps]
    except SpecError as error:
        raise PackError(file, error.field, error.reason) from error


def _action(step: Mapping[str, Any], index: int, canary: str) -> ReferenceAction:
    if "reply" in step:
        return ReferenceAction.of(reply_of(step, canary), (), index)
    calls = calls_of(step, index)
    text = "\n".join(call.to_text() for call, _ in calls)
    return ReferenceAction.of(text + _mark(canary), [result for _, result in calls], index)


def reply_of(step: Mapping[str, Any], canary: str) -> str:
    """The text of a step that replies, with the task's mark for hidden texts."""
    return str(step["reply"]).strip() + _mark(canary)


def _mark(canary: str) -> str:
    return f" {canary}-reference" if canary else ""


def calls_of(step: Mapping[str, Any], index: int) -> list[tuple[ToolCall, dict[str, Any] | None]]:
    """The calls of a step, each with the answer that stands for a command; None where it runs none.

    Raises:
        SpecError: a command has no result, or one of another form.
    """
    return [_call(raw, f"solution[{index}].calls[{number}]") for number, raw in enumerate(step["calls"])]


def _call(raw: Mapping[str, Any], field: str) -> tuple[ToolCall, dict[str, Any] | None]:
    # Arguments that rendered to nothing are left out, so that a template can make an argument conditional.
    given = {name: value for name, value in raw.items() if value is not None and name != "tool"}
    result = declared_result(given.pop("result", None), f"{field}.result") if raw["tool"] == "exec" else None
    return ToolCall(raw["tool"], given), result
