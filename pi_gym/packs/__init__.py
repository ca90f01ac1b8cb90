"""Packs: finding them, reading them, and making the tasks of a variant."""

from pi_gym.packs.formats import load_pack
from pi_gym.packs.origin import pack_world, referred_pack
from pi_gym.packs.pack import Pack
from pi_gym.packs.task import Intent, Item, Persona, Recovery, Task

__all__ = [
    "Intent",
    "Item",
    "Pack",
    "Persona",
    "Recovery",
    "Task",
    "load_pack",
    "pack_world",
    "referred_pack",
]
