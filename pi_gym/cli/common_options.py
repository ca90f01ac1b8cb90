"""The arguments that several commands have in common."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from pi_gym.errors import UnknownName, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pi_gym.family import Family
    from pi_gym.models.config import ModelConfig
    from pi_gym.runs.plan import Plan

MAX_VARIANTS = 10_000
RULE = "rule"
#: The form of `--role`, and what it is for.
ROLE = "NAME=rule|MODEL@URL"
ROLE_HELP = "Who plays a role (of PiBench's: user, grader; of Pare's: user); rule, or a served model. Can be repeated."
ENV_OPTION_HELP = "An argument of the environment. Can be repeated, with another."
HISTORIES = ("reference", "own", "none")


def path(text: str | Path) -> Path:
    """The parser of a path to write to: an empty text is none, although Python takes it for the folder one is in."""
    if not str(text):
        raise typer.BadParameter("expected a path, got an empty text.")
    return Path(text)


def require_history(history: str | None) -> None:
    """Raise UnknownName where there is no such history."""
    if history not in (None, *HISTORIES):
        raise UnknownName(unknown("history", history or "''", HISTORIES))


def unscored_text(count: int, kinds: str, first: str) -> str:
    """The line that says how many sessions have no score, and what went wrong in the first."""
    number = "1 session is" if count == 1 else f"{count} sessions are"
    return f"pi-gym: {number} unscored ({kinds}); {'it' if count == 1 else 'the first'}: {first}"


def left_out_text(plan: Plan) -> str:
    """The line that says which tasks a run leaves out, with the line end before it; empty where it leaves out none."""
    if not plan.skipped:
        return ""
    return f"\nleft out by --exclude-needs {', '.join(plan.exclude_needs)}: {', '.join(map(plan.label, plan.skipped))}"


def faulty_text(count: int, first: str) -> str:
    """The line that says in how many sessions something of pi_gym's own broke, and what in the first."""
    number = "1 session" if count == 1 else f"{count} sessions"
    return (
        f"pi-gym: {number} met an error of pi_gym's own, so this is no result yet; please report it"
        f" (engine_faults in the record has the traceback); the first: {first}"
    )


def named_values(texts: Sequence[str]) -> dict[str, Any]:
    """The values of NAME=VALUE arguments: a value that is JSON is taken as such, any other as text.

    Raises:
        typer.BadParameter: one has another form, or a name comes twice.
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not (sign and name.isidentifier()):
            raise typer.BadParameter(f"expected NAME=VALUE, got {text!r}.")
        if name in found:
            raise typer.BadParameter(f"{name} is given twice.")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def named_roles(texts: Sequence[str] | None, family: Family) -> dict[str, str]:
    """The player of each role of a family, as `--role` says it; "rule" where it says nothing.

    Args:
        texts: NAME=rule or NAME=MODEL@URL.
        family: declares the roles.

    Raises:
        typer.BadParameter: one has another form, or a name comes twice.
        UnknownName: the family has no such role; the message lists its own.
    """
    found: dict[str, str] = {}
    for text in texts or ():
        name, sign, value = text.partition("=")
        if not (sign and value):
            raise typer.BadParameter(f"expected {ROLE}, got {text!r}.", param_hint="--role")
        if name not in family.roles:
            raise UnknownName(unknown(f"role of {family.name}", name, family.roles))
        if name in found:
            raise typer.BadParameter(f"{name} is given twice.", param_hint="--role")
        found[name] = value
    return {name: found.get(name, RULE) for name in family.roles}


def role_models(
    roles: Mapping[str, str], timeout_s: float | None, cache: str, max_requests: int | None = None
) -> dict[str, ModelConfig]:
    """The models of the roles that are not played by rules, by role.

    Args:
        roles: by role "rule" or MODEL@URL.
        timeout_s: for one request; None: the usual.
        cache: the folder of kept answers, "auto", or "off".
        max_requests: out at one time for each; None: the usual.

    Raises:
        BadModel: a text is neither.
    """
    from pi_gym.models.roles import model_of

    options: dict[str, Any] = {"cache": None if cache == "off" else cache}
    if timeout_s is not None:
        options["timeout_s"] = timeout_s
    if max_requests is not None:
        options["max_concurrency"] = max_requests
    found = {role: model_of(role, value) for role, value in roles.items()}
    return {role: config.with_options(**options) for role, config in found.items() if config is not None}
