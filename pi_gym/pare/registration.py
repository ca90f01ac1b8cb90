"""Registering the environment of the Pare family; nothing heavy is imported here."""

from __future__ import annotations

from pi_gym.registration import register

ENV_ID = "Pare-v0"
#: The mean return that counts as solved: nine tenths of what the references earn over the split "test", which is 1.92.
SOLVED = 1.7


def register_environments() -> None:
    """Register what is not registered yet."""
    register(ENV_ID, "pi_gym.pare:PareEnv", vector_entry_point="pi_gym.pare:PareVectorEnv", reward_threshold=SOLVED)
