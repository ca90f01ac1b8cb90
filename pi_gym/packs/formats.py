"""Finding packs: the layouts that a folder can have, tried in turn."""

from __future__ import annotations

import copyreg
import os
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from pi_gym.caches import BoundedCache
from pi_gym.errors import UnknownName, unknown
from pi_gym.installed import envs_folder, installed_packs
from pi_gym.packs.pack import Pack

PACK_CACHE = 1_024
#: A class for each layout, as "module:name": kinds of `Pack`, each of which recognises its own folders.
PACK_FORMATS = ("pi_gym.packs.pack:Pack", "pi_gym.packs.official.pack:OfficialPack")


def load_pack(name_or_path: str | Path) -> Pack:
    """A pack by the name of an installed one, or by the path of a folder; made once per process.

    A folder in the official layout of π-Bench gives a pack too; its tasks need model roles.

    Raises:
        UnknownName: neither; the message lists the installed packs.
        PackError: the pack is broken; the message names file and field. What a task says is read when it is first used.

    >>> load_pack("researcher").task_ids[0][:2]
    '01'
    """
    text = str(name_or_path)
    installed = installed_packs()
    if text in installed:
        return _load(envs_folder() / text, text)
    path = Path(text).expanduser()
    if not path.is_dir():
        written_as_path = os.sep in text or text.startswith((".", "~"))
        reason = f"pack {text!r}: there is no such folder" if written_as_path else unknown("pack", text, installed)
        raise UnknownName(reason)
    path = path.resolve()
    if pack_format(path) is not None:
        return _load(path, str(path))
    inside = _packs_in(path)
    hint = f"It holds packs; name one of {', '.join(inside)}." if inside else unknown("pack", text, installed)
    raise UnknownName(f"{text} holds no pack.yaml, so it is no pack. {hint}")


def pack_format(folder: Path) -> type[Pack] | None:
    """The class for a folder's layout; None where it has none of the layouts that there are."""
    return next((one for one in _formats() if one.recognises(folder)), None)


def _formats() -> Iterator[type[Pack]]:
    return map(_format, PACK_FORMATS)


@cache
def _format(entry: str) -> type[Pack]:
    module, _, name = entry.partition(":")
    found: type[Pack] = getattr(import_module(module), name)
    # A pickle of a pack is a reference: what `load_pack` was given.
    copyreg.pickle(found, _reference)
    return found


def _reference(pack: Pack) -> tuple[Any, ...]:
    return load_pack, (pack.source,)


def _packs_in(folder: Path) -> list[str]:
    try:
        return [one.name for one in sorted(folder.iterdir()) if one.is_dir() and pack_format(one) is not None]
    except OSError:  # some folder that we may not look into
        return []


def _load(folder: Path, source: str) -> Pack:
    def made() -> Pack:
        found = pack_format(folder)
        assert found is not None, f"{folder} has no layout of a pack"
        return found(folder, source)

    # Threads that load the same pack get the same object: caches go by it.
    return _packs.get((folder, source), made)


_packs: BoundedCache[tuple[Path, str], Pack] = BoundedCache(PACK_CACHE)
