"""Declaring an operation once: one decorator turns a typed function with a docstring into a tool."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from pi_gym.state.paths import fold, normalise
from pi_gym.state.workspace import Workspace
from pi_gym.state.world import World
from pi_gym.tools.outgoing import Outgoing
from pi_gym.tools.parameters import REQUIRED, Parameter, Validator, parameters_of
from pi_gym.tools.web_corpus import WebPages
from pi_gym.types import ToolRequest, frozen_value

Effect: TypeAlias = Literal["read", "write"]
#: Who may call an operation; "event": what happens from outside.
Audience: TypeAlias = Literal["assistant", "user", "event"]


MAX_EFFORT = 150_000_000


class ToolError(Exception):
    """A call cannot be done; the message is the agent's observation: what was expected, what came, what to do."""


@dataclass(slots=True)
class Effort:
    """The effort that the searches of one action may still take together: bytes times size of the pattern."""

    left: int = MAX_EFFORT


@frozen_value
class ToolContext:
    """The context of a call: what its operation may see and change.

    Args:
        world: workspace and apps. Changes are undone where the call fails.
        root: the absolute path under which the workspace is shown, without a slash at the end.
        clock: the session's time, ISO 8601.
        protected: paths that no operation may change.
        ids: the first id of the session; new records count up from here.
        outbox: what goes to the user, in order; `message` appends.
        zone: the time zone of the clock, such as "Europe/Berlin"; empty where it is not known.
        effort: shared by the calls of one action, so that many searches cost no more than a few.
        web: the offline pages; "live": the web is asked for; None: there is no web.
        begun: when the session began; empty where that is not known.
    """

    world: World
    root: str = "/workspace"
    clock: str = "2026-01-01T09:00:00"
    protected: tuple[str, ...] = ()
    ids: int = 0
    outbox: list[Outgoing] = field(default_factory=list)
    zone: str = ""
    effort: Effort = field(default_factory=Effort)
    web: WebPages | Literal["live"] | None = None
    begun: str = ""

    @property
    def workspace(self) -> Workspace:
        """The world's files."""
        return self.world.workspace

    def path(self, text: str) -> str:
        """The normal form of a path to look at; `PathRefused` where it is not acceptable."""
        return normalise(text, self.root)

    def target(self, text: str) -> str:
        """The normal form of a path to change.

        Raises:
            PathRefused: the path is not acceptable.
            ToolError: the path is protected, holds something protected, or would lie in it.
        """
        path = normalise(text, self.root)
        key = fold(path) + "/"
        for kept in self.protected:
            place = fold(kept) + "/"
            if key.startswith(place) or place.startswith(key):
                raise ToolError(f"{kept!r} is read-only; it is written for you and cannot be changed by tools.")
        return path

    def absent(self, path: str, kind: str = "file") -> ToolError:
        """The error for a path where nothing is; it names the existing spelling or its neighbours."""
        spelled = self.workspace.spelling(path)
        if spelled is not None:
            return ToolError(f"There is no {kind} {path!r}, but {spelled!r} exists: names are case-sensitive.")
        return ToolError(f"There is no {kind} {path!r}.{self._neighbours(path)}")

    def _neighbours(self, path: str) -> str:
        parent = path
        while parent and not self.workspace.is_folder(parent):
            parent = parent.rpartition("/")[0]
        names = [name + ("/" if folder else "") for name, folder in self.workspace.names(parent)]
        listed = ", ".join(names[:10]) + (f", … ({len(names)} in all)" if len(names) > 10 else "")
        place = f"The directory {parent!r}" if parent else "The workspace root"
        return f" {place} holds: {listed}." if names else f" {place} is empty."


Function: TypeAlias = Callable[..., str | ToolRequest]
Resume: TypeAlias = Callable[[ToolContext, Mapping[str, Any], Any], str | ToolRequest]


class Operation:
    """One callable of an app, or one general tool.

    Args:
        function: takes the context and the arguments, gives the result's text, or a request that has to be answered
            from outside first.
        name: the name that the agent uses.
        effect: whether it changes the world.
        audience: who may call it.
        screens: for apps with screens, those that offer it to the user; empty: it stands on none.
        goto: the screens that it may lead to.
        resume: for functions that give requests: takes context, arguments and the answer's value.

    Raises:
        TypeError: the signature or the docstring lacks something; see `parameters_of`.
    """

    __slots__ = (
        "_schema", "audience", "check", "description", "effect", "function", "goto", "name", "parameters",
        "resume", "screens",
    )  # fmt: skip

    def __init__(
        self,
        function: Function,
        name: str,
        effect: Effect,
        audience: tuple[Audience, ...] = ("assistant",),
        screens: tuple[str, ...] = (),
        goto: tuple[str, ...] = (),
        resume: Resume | None = None,
    ) -> None:
        self.function, self.name, self.effect, self.audience = function, name, effect, audience
        self.screens, self.goto, self.resume = screens, goto, resume
        self.description, descriptions = read_docstring(function)
        if not self.description:
            raise TypeError(
                f"{function.__qualname__} has no docstring; its text is what the agent is told (python -OO drops it)"
            )
        self.parameters: tuple[Parameter, ...] = parameters_of(function, descriptions)
        self._schema = ""
        #: The arguments, checked; `ArgumentError` where they do not fit.
        self.check: Callable[[Mapping[str, Any]], dict[str, Any]] = self._check_first

    @property
    def schema_json(self) -> str:
        """The operation as an OpenAI function schema, as JSON text; written once."""
        if not self._schema:
            self._schema = json.dumps(self._build_schema())
        return self._schema

    def schema(self) -> dict[str, Any]:
        """The operation as an OpenAI function schema, as fresh objects."""
        schema: dict[str, Any] = json.loads(self.schema_json)
        return schema

    def _build_schema(self) -> dict[str, Any]:
        parameters = {
            "type": "object",
            "properties": {parameter.name: parameter.schema() for parameter in self.parameters},
            "required": [parameter.name for parameter in self.parameters if parameter.default is REQUIRED],
            "additionalProperties": False,
        }
        function = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", "function": function}

    def call_form(self) -> str:
        """The signature: `name(path: str, offset: int = 0)`."""
        return f"{self.name}({', '.join(parameter.signature() for parameter in self.parameters)})"

    def signature(self) -> str:
        """The signature and the first sentence of the description, on one line."""
        return f"{self.call_form()} - {self.description.partition('. ')[0].rstrip('.')}."

    def _check_first(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        # The model is built at the first use: most operations are never called.
        self.check = Validator(self.parameters)
        return self.check(arguments)

    def __repr__(self) -> str:
        return f"<operation {self.call_form()}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _locate, (self.function.__module__, self.function.__qualname__)


def _locate(module: str, qualname: str) -> Operation:
    __import__(module)
    found: Any = sys.modules[module]
    for part in qualname.split("."):
        found = getattr(found, part)
    assert isinstance(found, Operation)
    return found


def operation(
    effect: Effect,
    *,
    name: str = "",
    audience: tuple[Audience, ...] = ("assistant",),
    resume: Resume | None = None,
) -> Callable[[Function], Operation]:
    """Declare a function as an operation; see `Operation` for the arguments. The name defaults to the function's.

    The function's first parameter is the `ToolContext`; the others are the agent's, typed, each described under
    `Args:` in the docstring. The docstring's text before `Args:` is the description that the agent is given.
    """

    def declare(function: Function) -> Operation:
        return Operation(function, name or function.__name__, effect, audience, resume=resume)

    return declare


def read_docstring(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """The text before the first section of a Google-style docstring, and the descriptions under `Args:`."""
    lines = inspect.cleandoc(function.__doc__ or "").split("\n")
    text: list[str] = []
    arguments: dict[str, str] = {}
    section, current = "", ""
    for line in lines:
        if line in ("Args:", "Returns:", "Raises:"):
            section = line
        elif not section:
            text.append(line)
        elif section == "Args:" and line.startswith("    "):
            name, colon, rest = line.strip().partition(":")
            if colon and not line.startswith("     ") and name.isidentifier():
                current = name
                arguments[current] = rest.strip()
            elif current:
                arguments[current] += " " + line.strip()
    description = " ".join(" ".join(text).split())
    return description, {name: words for name, words in arguments.items() if name != "context"}
