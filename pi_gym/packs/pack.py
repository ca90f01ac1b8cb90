"""Packs: finding one, and making its tasks."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from pi_gym.caches import BoundedCache
from pi_gym.errors import UnknownName, unknown
from pi_gym.installed import envs_folder, installed_packs
from pi_gym.packs.build import build_task
from pi_gym.packs.folder import PackFolder
from pi_gym.packs.task import Task

TASK_CACHE = 512


def load_pack(name_or_path: str | Path) -> Pack:
    """A pack by the name of an installed one, or by the path of a folder; read once per process.

    A folder in the official layout of π-Bench gives a pack too; its tasks need model roles.

    Raises:
        UnknownName: neither; the message lists the installed packs.
        PackError: the pack is broken; the message names file and field.

    >>> load_pack("researcher").task_ids[0][:2]
    '01'
    """
    text = str(name_or_path)
    installed = installed_packs()
    if text in installed:
        return _read(envs_folder() / text, text)
    path = Path(text).expanduser()
    if not path.is_dir():
        written_as_path = os.sep in text or text.startswith((".", "~"))
        reason = f"pack {text!r}: there is no such folder" if written_as_path else unknown("pack", text, installed)
        raise UnknownName(reason)
    path = path.resolve()
    if (path / "pack.yaml").is_file():
        return _read(path, str(path))
    if is_official(path):
        return _read_official(path)
    inside = _packs_in(path)
    hint = f"It holds packs; name one of {', '.join(inside)}." if inside else unknown("pack", text, installed)
    raise UnknownName(f"{text} holds no pack.yaml, so it is no pack. {hint}")


def is_official(folder: Path) -> bool:
    """Whether a folder is a persona in the official layout of π-Bench rather than in ours."""
    names = ("episode.yaml", "profile.yaml", "tools.yaml")
    return not (folder / "pack.yaml").is_file() and sum((folder / name).is_file() for name in names) > 1


def _packs_in(folder: Path) -> list[str]:
    try:
        return [one.name for one in sorted(folder.iterdir()) if (one / "pack.yaml").is_file() or is_official(one)]
    except OSError:  # some folder that we may not look into
        return []


@cache
def _read_official(folder: Path) -> Pack:
    # It is a kind of pack, so its module imports this one.
    from pi_gym.packs.official.pack import OfficialPack

    return OfficialPack(folder, str(folder))


@cache
def _read(folder: Path, source: str) -> Pack:
    return Pack(folder, source)


class Pack(PackFolder):
    """One persona's whole world. Use `load_pack` rather than the constructor."""

    def __init__(self, folder: Path, source: str) -> None:
        super().__init__(folder, source)
        self._cache: BoundedCache[tuple[str, int, str], Task] = BoundedCache(TASK_CACHE)

    def instantiate(self, task_id: str, variant: int = 0, *, canary: str = "") -> Task:
        """One task of one variant, rendered whole; cached.

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
        if task_id not in self.task_ids:
            raise UnknownName(unknown(f"task of pack {self.name!r}", task_id, self.task_ids, shown=25))
        return self._cache.get((task_id, variant, canary), lambda: self._make(task_id, variant, canary))

    def _make(self, task_id: str, variant: int, canary: str) -> Task:
        return build_task(self, self.source_of(task_id), variant, canary)

    def __reduce__(self) -> tuple[Any, ...]:
        return load_pack, (self.source,)
