"""The agents of an evaluation, each with a label that is unique."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pi_gym.errors import BadArgument, UnknownName, unknown
from pi_gym.rollout.agents import make_agent
from pi_gym.runs.agent import Policy

_LABELLED = re.compile(r"([A-Za-z0-9][\w.-]*)=(.+)", re.DOTALL | re.ASCII)
_OUTSIDE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Entrant:
    """An agent that is evaluated.

    Args:
        label: its name in tables.
        policy: what `collect` takes.
        kwargs: arguments of one that is named.
    """

    label: str
    policy: Policy
    kwargs: Mapping[str, Any]

    @property
    def folder(self) -> str:
        """The name of its folder."""
        return slug(self.label)


def slug(label: str) -> str:
    """A label as the name of a folder.

    >>> slug("Qwen/Qwen3-8B")
    'Qwen-Qwen3-8B'
    """
    return _OUTSIDE.sub("-", label).strip("-.") or "agent"


def entrants(
    agents: Sequence[Policy] | Mapping[str, Policy],
    shared: Mapping[str, Any],
    own: Mapping[str, Mapping[str, Any]],
) -> list[Entrant]:
    """The agents that are meant.

    Args:
        agents: policies, texts perhaps as "LABEL=…"; or policies by label.
        shared: arguments of all that are named.
        own: further arguments, by label.

    Raises:
        BadArgument: there is none, or two would share a folder; the message says how to tell them apart.
        UnknownName: `own` names another label.
    """
    if isinstance(agents, str) or not isinstance(agents, Sequence | Mapping) or not agents:
        raise BadArgument(f"agents: expected at least one, in a list or by label, got {agents!r}")
    labelled = list(agents.items()) if isinstance(agents, Mapping) else [_labelled(one) for one in agents]
    other = next((label for label in own if label not in dict(labelled)), None)
    if other is not None:
        raise UnknownName(unknown("agent", other, [label for label, _ in labelled]))
    found: dict[str, Entrant] = {}
    for label, policy in labelled:
        one = Entrant(label, policy, {**shared, **own.get(label, {})})
        if one.folder.lower() in found:
            before = found[one.folder.lower()].label
            raise BadArgument(f"agents: {before!r} and {label!r} would share a folder; write NAME=… before one of them")
        found[one.folder.lower()] = one
    return list(found.values())


def _labelled(policy: Policy) -> tuple[str, Policy]:
    if not isinstance(policy, str):
        return make_agent(policy).name, policy
    if match := _LABELLED.fullmatch(policy):
        return match[1], match[2]
    if "@" in policy:
        for scheme in ("@http://", "@https://"):
            if scheme in policy:
                return policy.partition(scheme)[0], policy
        return policy.rpartition("@")[0], policy
    return policy.rpartition(":")[2], policy
