"""Registering the environment of the Pare family; nothing heavy is imported here."""

from __future__ import annotations

from pi_gym.registration import register

ENV_ID = "Pare-v0"


def register_environments() -> None:
    """Register what is not registered yet."""
    register(ENV_ID, "pi_gym.pare.env:PareEnv", vector_entry_point="pi_gym.pare.env:PareVectorEnv")
