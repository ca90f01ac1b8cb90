"""Packs in our own layout, and what every pack can do. Use `pi_gym.load_pack`."""

from __future__ import annotations

from pathlib import Path

from pi_gym.caches import BoundedCache
from pi_gym.heap import paused_collection
from pi_gym.packs.build import build_task
from pi_gym.packs.folder import PackFolder
from pi_gym.packs.task import Task

TASK_CACHE = 512


class Pack(PackFolder):
    """One persona's whole world. Use `load_pack` rather than the constructor."""

    def __init__(self, folder: Path, source: str) -> None:
        super().__init__(folder, source)
        self._cache: BoundedCache[tuple[str, int, str], Task] = BoundedCache(TASK_CACHE)

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        """Whether a folder holds a pack in this layout; looks at names of files only."""
        return (folder / "pack.yaml").is_file()

    def instantiate(self, task_id: str, variant: int = 0, *, canary: str = "") -> Task:
        """One task of one variant; cached. Its hidden parts are filled in when they are first looked at.

        Args:
            task_id: a folder name, one of `task_ids`.
            variant: the world's number, 0 or more; 0 is the canonical world.
            canary: a word that every hidden text of the task then carries (for tests of leaks).

        Raises:
            UnknownName: no such task.
            PackError: the task cannot be rendered for this variant.
        """
        if isinstance(variant, bool) or not isinstance(variant, int) or variant < 0:
            raise ValueError(f"variant: expected an integer of 0 or more, got {variant!r}")
        self.require_task(task_id)
        return self._cache.get((task_id, variant, canary), lambda: self._make(task_id, variant, canary))

    def _make(self, task_id: str, variant: int, canary: str) -> Task:
        with paused_collection():
            return build_task(self, self.source_of(task_id), variant, canary)
