"""The facts of `shared.py` and the files of `files/`, which the tasks of a pack share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import cached_property
from pathlib import Path
from typing import Any

from pi_gym.caches import BoundedCache
from pi_gym.errors import PackError, SpecError, unknown
from pi_gym.packs.plain_files import plain_files, read_tree
from pi_gym.packs.task_code import TaskCode, load_task_code
from pi_gym.seeding import Stream
from pi_gym.templates import LateNamespace, Namespace, Tree, compile_tree

SHARED, FILES, DATA = "shared.py", "files", "data"
FACTS_CACHE = 64


class PackShared:
    """The facts and files that the tasks of a pack share. Nothing is read before a task uses it.

    Args:
        folder: the pack's folder.
        name: the pack's name, from which its variants are drawn.
        unchanged: called with the part of the folder that is about to be read; raises where that has changed since.
    """

    def __init__(self, folder: Path, name: str, unchanged: Callable[[str], None]) -> None:
        self._folder, self._name, self._unchanged = folder, name, unchanged
        self._facts: BoundedCache[int, Mapping[str, Any]] = BoundedCache(FACTS_CACHE)
        self._files: dict[str, bytes | Tree] = {}

    def facts(self, variant: int, persona: Namespace, *, drawn: bool = True) -> Namespace:
        """The facts of one variant, made when somebody looks for one of them; each caller gets an own copy.

        Args:
            variant: the variant's number.
            persona: the values of the person.
            drawn: they are as they were drawn for this variant, so that its facts need be made only once.
        """

        def made() -> Namespace:
            if not drawn:
                return Namespace(self._made(variant, persona), "shared")
            # A world may change what it gets, and no other task must see that.
            return Namespace(deepcopy(self._facts.get(variant, lambda: self._made(variant, persona))), "shared")

        return LateNamespace(made)

    def _made(self, variant: int, persona: Namespace) -> dict[str, Any]:
        if not (self._folder / SHARED).is_file():
            return {}
        make = self._code.makers.get("shared")
        if make is None:
            raise PackError(SHARED, "shared", "expected a function shared(stream, preferences) that gives facts")
        preferences = Namespace({"persona": persona, "data": self._data}, "preferences")
        try:
            found = make(Stream(self._name, variant, "shared"), preferences)
            if not isinstance(found, Mapping):
                raise TypeError(f"expected facts by name, got {type(found).__name__}")
            return dict(found)
        except Exception as error:
            reason = f"shared() raised {type(error).__name__}: {error} (variant {variant})"
            raise PackError(SHARED, "shared", reason) from error

    @cached_property
    def _code(self) -> TaskCode:
        self._unchanged("")
        return load_task_code(self._folder / SHARED, SHARED)

    @cached_property
    def _data(self) -> Mapping[str, str]:
        self._unchanged(DATA)
        return read_texts(self._folder / DATA, DATA)

    def file(self, path: str) -> bytes | Tree:
        """One file that tasks take by name: its content, or the template of a file named `*.j2`; read once.

        Args:
            path: in the workspace, and so under `files/`.

        Raises:
            SpecError: there is none; it says which is like it.
            PackError: its template has a syntax error.
        """
        found = self._files.get(path)
        if found is None:
            found = self._files[path] = self._read(path)
        return found

    def _read(self, path: str) -> bytes | Tree:
        self._unchanged(FILES)
        place = self._folder / FILES
        known = {name.removesuffix(".j2"): name for name in plain_files(place, FILES)}
        if path not in known:
            raise SpecError("files", unknown(f"file under {FILES}/ of the pack", path, known))
        data = (place / known[path]).read_bytes()
        if known[path] == path:
            return data
        try:
            return compile_tree(data.decode(), "", None)
        except (UnicodeDecodeError, SpecError) as error:
            raise PackError(f"{FILES}/{known[path]}", "", str(error)) from error


def read_texts(folder: Path, shown: str) -> dict[str, str]:
    """The texts under a folder by relative path; PackError where one is none."""
    try:
        return {name: content.decode() for name, content in read_tree(folder, shown).items()}
    except UnicodeDecodeError as error:
        raise PackError(shown, "", f"expected texts: {error}") from error
