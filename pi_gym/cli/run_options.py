"""The options of `pi-gym rollout` and `evaluate`: a run's, from its declaration, and those of other functions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from inspect import Parameter, Signature, signature
from pathlib import Path
from types import GenericAlias, UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from pi_gym.cli.common_options import named_values, path
from pi_gym.installed import agent_names
from pi_gym.runs.request import ArgumentHelp, RunRequest, argument_helps

#: The flags that are not just the argument's name.
FLAGS = {
    "policy": ("--agent",),
    "policy_kwargs": ("--agent-option",),
    "ray_options": ("--ray-option",),
    "resume": ("--resume",),
    "session_timeout_s": ("--session-timeout",),
    "tasks": ("--task",),
    "variants": ("--variant",),
    "workers": ("--workers", "--num-envs"),
}
#: Types whose values are names, which are looked up when the request is made.
_NAMES = {"Engine": str, "LogTarget": str, "Policy": str, "Split": str, "Watcher": object}
#: The agent that plays where none is named.
USUAL = {"policy": "reference"}


def options_of(*functions: Callable[..., Any], without: Collection[str] = ()) -> Signature:
    """The signature of a command that takes a request's arguments, and those of the functions.

    Args:
        functions: their parameters are annotated with options, or are arguments of a request too.
        without: arguments of a request that are no options of this command.
    """
    declared = [one for one in _declared() if one.name not in without]
    known = {one.name for one in declared}
    others = (one for function in functions for one in signature(function, eval_str=True).parameters.values())
    options = [
        one.replace(kind=Parameter.KEYWORD_ONLY)
        for one in others
        if one.kind is not Parameter.VAR_KEYWORD and one.name not in known
    ]
    return Signature([*declared, *options], return_annotation=None)


def request_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a request, as the options give them."""
    hints = get_type_hints(RunRequest, localns=_NAMES)
    found: dict[str, Any] = {}
    for name in [name for name in hints if name in given]:
        if get_origin(hints[name]) is Mapping:
            found[name] = named_values(given[name] or [])
        else:
            found[name] = None if given[name] == [] else given[name]
    return found


def _declared() -> Iterator[Parameter]:
    hints, declared = get_type_hints(RunRequest, localns=_NAMES), signature(RunRequest).parameters
    for name, text in argument_helps().items():
        if name == "env_id":
            option: Any = typer.Argument(help=_sentence(text.text))
        elif text.panel:
            option = _option(name, text, hints[name])
        else:
            continue
        default = USUAL.get(name, declared[name].default)
        kind = _kind(hints[name])
        if get_origin(hints[name]) is Mapping:
            default = None
        yield Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option])


def _option(name: str, text: ArgumentHelp, hint: Any) -> Any:
    kind = _kind(hint)
    found: dict[str, Any] = {"rich_help_panel": text.panel, "help": _sentence(text.text)}
    if text.least is not None:
        found["min"] = text.least
    if get_origin(hint) is Mapping:
        found["metavar"] = "NAME=VALUE"
    if kind == Path | None:
        found |= {"metavar": "PATH", "parser": path}
    if name == "policy":
        found["help"] += f" Ours: {', '.join(agent_names())}."
    if any(get_origin(part) is list for part in get_args(kind)):
        found["help"] += " Can be repeated, with another."
    return typer.Option(*FLAGS.get(name, ()), **found)


def _kind(hint: Any) -> Any:
    """The command line's type for an argument of some type: lists for what is one, and NAME=VALUE for a mapping."""
    for part in get_args(hint) if isinstance(hint, UnionType) else (hint,):
        if part is Path:
            return Path | None
        if get_origin(part) is Mapping:
            return list[str] | None
        if get_origin(part) is Sequence:
            return GenericAlias(list, get_args(part)) | None
    return hint


def _sentence(text: str) -> str:
    """A help text with a capital letter, where it does not begin with a name."""
    first = text.partition(" ")[0]
    return text if first.endswith(",") else text[0].upper() + text[1:]
