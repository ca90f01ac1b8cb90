"""Registering the PiBench environments: one id for each pack folder, one for all of them.

Only folder names are read here: no pack is opened, no environment variable looked at, nothing heavy imported.
"""

from __future__ import annotations

from pi_gym.installed import installed_packs
from pi_gym.registration import register

ALL_PACKS_ID = "PiBench-v0"
ENTRY_POINT = "pi_gym.pibench:PiEnv"
VECTOR_ENTRY_POINT = "pi_gym.pibench:PiVectorEnv"
#: The mean return that counts as solved: nine tenths of what the references earn, which is 1.
SOLVED = 0.9
#: The packs whose tasks run no shell commands; those of others may print something else the next time.
WITHOUT_SHELL = ("mini",)


def env_id(pack: str) -> str:
    """The environment id of a pack's folder name.

    >>> env_id("law_trainee")
    'PiBench-LawTrainee-v0'
    """
    return f"PiBench-{''.join(part.capitalize() for part in pack.split('_'))}-v0"


def register_environments() -> None:
    """Register what is not registered yet."""
    packs = installed_packs()
    for name, pack in [*((env_id(pack), pack) for pack in packs), (ALL_PACKS_ID, None)]:
        register(
            name,
            ENTRY_POINT,
            vector_entry_point=VECTOR_ENTRY_POINT,
            kwargs={"pack": pack},
            reward_threshold=SOLVED,
            nondeterministic=pack not in WITHOUT_SHELL,
        )
