"""A class whose public methods are tools: what TRL lists, describes to the model, and calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from pi_gym.caches import BoundedCache
from pi_gym.tools import Operation, Registry
from pi_gym.tools.parameters import REQUIRED

_CLASSES: BoundedCache[tuple[type, tuple[str, ...]], type] = BoundedCache(64)


def with_methods(base: type, registry: Registry) -> type:
    """A subclass with a method for each tool; the same class each time for the same tools.

    Args:
        base: has `_call(name, arguments)`, which the methods call, and no other public method than `reset`.
        registry: the tools.
    """
    return _CLASSES.get((base, registry.names), lambda: _make(base, registry))


def _make(base: type, registry: Registry) -> type:
    methods = {operation.name: _method(operation) for operation in registry}
    taken = sorted(name for name in methods if hasattr(base, name))
    if taken:
        raise TypeError(f"the tool {taken[0]!r} has the name of a method of {base.__name__}")
    # TRL looks for functions on the class, so they are made and not looked up.
    return type(base.__name__, (base,), {"__doc__": base.__doc__, "__module__": base.__module__, **methods})


def _method(operation: Operation) -> Callable[..., str]:
    """The tool as a method: typed, and with a docstring in Google's style that gives our schema back."""

    def method(self: Any, *args: Any, **kwargs: Any) -> str:
        given = signature.bind(self, *args, **kwargs).arguments
        result: str = self._call(operation.name, {name: value for name, value in given.items() if name != "self"})
        return result

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter("self", kind)]
    for parameter in operation.parameters:
        default = inspect.Parameter.empty if parameter.default is REQUIRED else parameter.default
        parameters.append(inspect.Parameter(parameter.name, kind, default=default, annotation=parameter.type))
    signature = inspect.Signature(parameters, return_annotation=str)
    method.__name__ = operation.name
    method.__qualname__ = f"SessionEnvironment.{operation.name}"
    method.__doc__ = _docstring(operation)
    method.__annotations__ = {parameter.name: parameter.type for parameter in operation.parameters} | {"return": str}
    method.__signature__ = signature  # type: ignore[attr-defined]  # what inspect looks for first
    return method


def _docstring(operation: Operation) -> str:
    lines = [operation.description, ""]
    if operation.parameters:
        lines += ["Args:", *(f"    {one.name}: {one.description}" for one in operation.parameters), ""]
    return "\n".join([*lines, "Returns:", "    The tool's result."])
