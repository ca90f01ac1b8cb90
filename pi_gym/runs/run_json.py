"""The content of run.json: what a run was asked to be, which a resume is compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from pi_gym.catalogue import TaskSet
from pi_gym.models.answerer import ModelAnswerer
from pi_gym.models.config import ModelConfig
from pi_gym.models.roles import model_of
from pi_gym.runs.plan import Plan
from pi_gym.templates import prompt_hash
from pi_gym.version import __version__

FORMAT = 1
#: The addresses of models at first; a resume may reach them elsewhere.
SERVERS = "servers"
GROUP_SIZE = "group_size"
_SECRET = "(not kept)"
_SECRET_WORDS = frozenset(("key", "apikey", "token", "secret", "password"))


def run_json(
    plan: Plan,
    source: str,
    recorded: Mapping[str, Any],
    packs: Sequence[TaskSet],
    roles: Sequence[str],
    env_kwargs: Mapping[str, Any],
    *,
    seed: int,
    variants: Sequence[int] | None,
) -> dict[str, Any]:
    """The run as a JSON object.

    Args:
        plan: its sessions.
        source: where the agent comes from, "module:Class".
        recorded: what decides the agent's moves, as far as it is known.
        packs: of the environment: their content is part of what is asked.
        roles: the arguments of the environment that may name a model.
        env_kwargs: the environment's arguments; keys and tokens in them are left out.
        seed: what the plan was drawn with.
        variants: as given, or None.
    """
    return {
        "format": FORMAT,
        "pi_gym": __version__,
        "env_id": plan.env_id,
        "family": plan.family,
        "agent": plan.agent,
        "agent_source": source,
        **({"agent_settings": plain(recorded)} if recorded else {}),
        "split": plan.split,
        "sessions": len(plan.sessions),
        GROUP_SIZE: plan.group_size,
        "seed": seed,
        "tasks": [list(task) for task in plan.tasks],
        "variants": list(variants) if variants else None,
        "history_mode": plan.history_mode,
        "env_kwargs": {name: plain(_role(name, value, roles)) for name, value in sorted(env_kwargs.items())},
        "packs": {pack.name: pack.content_hash for pack in packs},
        "prompts": prompt_hash(),
        **({SERVERS: servers} if (servers := _servers(env_kwargs, roles)) else {}),
    }


def plain(value: Any) -> Any:
    """A value as JSON that is the same for equal values in every process; secrets are left out.

    >>> plain({"api_key": "sk-1", "model": Path("m"), "keyword": "tide"})
    {'api_key': '(not kept)', 'model': 'm', 'keyword': 'tide'}
    """
    if value is None or isinstance(value, str | bool | int | float):
        return value if value == value and value not in (float("inf"), float("-inf")) else str(value)
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): _unless_secret(str(name), part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, ModelConfig):
        return value.recorded()  # neither key nor address: the same model may be served elsewhere tomorrow
    if isinstance(value, ModelAnswerer):
        return {role: config.recorded() for role, config in value.roles.items()}
    if is_dataclass(value) and not isinstance(value, type):
        parts = {entry.name: _unless_secret(entry.name, getattr(value, entry.name)) for entry in fields(value)}
        return {"type": type(value).__qualname__, **parts}
    named = value if hasattr(value, "__qualname__") else type(value)
    return f"{named.__module__}:{named.__qualname__}"


def _role(name: str, value: Any, roles: Sequence[str]) -> Any:
    """A role's argument with a model as what it is, however it was written."""
    found = model_of(name, value) if name in roles else None
    return value if found is None else found


def _servers(env_kwargs: Mapping[str, Any], roles: Sequence[str]) -> dict[str, str]:
    found = {name: model_of(name, env_kwargs.get(name)) for name in roles}
    return {name: config.server for name, config in found.items() if config is not None}


def _unless_secret(name: str, value: Any) -> Any:
    hidden = value and not _SECRET_WORDS.isdisjoint(name.lower().replace("-", "_").split("_"))
    return _SECRET if hidden and isinstance(value, str) else plain(value)
