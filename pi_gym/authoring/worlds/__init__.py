"""The apps of a person's world, made of the seeds in a pack's `world/`. Names and stories are all in the seeds."""

from pi_gym.authoring.worlds.make import made_world, make_world, world_folder

__all__ = ["made_world", "make_world", "world_folder"]
