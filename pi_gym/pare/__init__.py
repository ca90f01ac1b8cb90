"""The Pare family: a person, their phone, and an agent that watches, proposes, and acts where it may."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """The environments, which the registry names here, so that `gymnasium.pprint_registry` lists them as "pare"."""
    if name in ("PareEnv", "PareVectorEnv"):
        return getattr(import_module("pi_gym.pare.env"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
