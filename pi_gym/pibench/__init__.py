"""The PiBench family: assistant work for a simulated user with hidden intents and a final checklist."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """The environments, which the registry names here, so that `gymnasium.pprint_registry` lists them as "pibench"."""
    if name in ("PiEnv", "PiVectorEnv"):
        return getattr(import_module("pi_gym.pibench.env"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
