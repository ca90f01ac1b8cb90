"""One task folder, read and compiled once: templates, seed files, code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from pi_gym.errors import PackError, SpecError
from pi_gym.packs.app_columns import check_tables
from pi_gym.packs.variant_code import VariantCode, load_variant_code
from pi_gym.predicates import check_shape
from pi_gym.schema import TaskSpec, load_model
from pi_gym.state.paths import PathRefused, normalise
from pi_gym.templates import Tree, compile_tree

#: Packs are held in memory, and laid out anew for every shell command.
MAX_PACK_FILE_BYTES = 64_000_000


def read_tree(folder: Path, shown: str) -> dict[str, bytes]:
    """All files under a folder by relative path, sorted.

    Raises:
        PackError: a symbolic link, or a file that is too large.
    """
    found: dict[str, bytes] = {}
    for path in plain_files(folder, shown):
        found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found


def plain_files(folder: Path, shown: str) -> Iterator[Path]:
    """The files under a folder, sorted; errors as for `read_tree`."""
    for path in sorted(folder.rglob("*")) if folder.is_dir() else []:
        if "__pycache__" in path.parts:
            continue
        place = (Path(shown) / path.relative_to(folder)).as_posix()
        if path.is_symlink():
            raise PackError(place, "", "is a symbolic link; packs hold plain files")
        if path.is_file():
            size = path.stat().st_size
            if size > MAX_PACK_FILE_BYTES:
                raise PackError(place, "", f"has {size:,} bytes; a pack's file may have {MAX_PACK_FILE_BYTES:,}")
            yield path


def _check_predicate(spec: Any, field: str) -> None:
    check_tables(check_shape(spec, field).tables)


class TaskSource:
    """A task's template.

    Args:
        folder: the task's folder.
        shown: its name in error messages, relative to the pack.
        place: its place in the episode, from 0.
    """

    def __init__(self, folder: Path, shown: str, place: int) -> None:
        self.folder, self.shown, self.place = folder, shown, place
        self.file = f"{shown}/task.yaml"
        self.spec = load_model(TaskSpec, folder / "task.yaml", self.file)
        self.code: VariantCode = load_variant_code(folder / "variant.py", f"{shown}/variant.py")
        try:
            self._check_predicates()
            self.tree = self._compile()
        except SpecError as error:
            raise PackError(self.file, error.field, error.reason) from error

    def _check_predicates(self) -> None:
        for index, intent in enumerate(self.spec.intents):
            _check_predicate(intent.satisfied_when, f"intents[{index}].satisfied_when")
            if intent.after is not None:
                _check_predicate(intent.after, f"intents[{index}].after")
        for index, item in enumerate(self.spec.checklist):
            _check_predicate(item.check, f"checklist[{index}].check")

    def _compile(self) -> Tree:
        spec = self.spec
        raw: dict[str, Any] = {
            "time": spec.time,
            "request": spec.request,
            "payload": spec.trigger.payload,
            "apps": spec.apps,
            "intents": [intent.model_dump(exclude={"name", "scope", "always", "values"}) for intent in spec.intents],
            "checklist": [item.model_dump(include={"criterion", "check", "evidence"}) for item in spec.checklist],
        }
        return compile_tree(raw, "", self._read_template)

    def _read_template(self, name: str) -> str:
        path = self.folder / name
        if ".." in Path(name).parts or not path.is_file():
            raise SpecError("", f"template file {name!r} is not in the task's folder")
        return path.read_text(encoding="utf-8")

    @cached_property
    def reference_tree(self) -> Tree:
        """The reference's steps as a template."""
        steps = [step.model_dump(exclude_none=True) for step in self.spec.reference]
        try:
            return compile_tree(steps, "reference", self._read_template)
        except SpecError as error:
            raise PackError(self.file, error.field, error.reason) from error

    @cached_property
    def files(self) -> Mapping[str, bytes | Tree]:
        """Seed files by workspace path: bytes, or a template for a file named `*.j2`."""
        files: dict[str, bytes | Tree] = {}
        for path, data in read_tree(self.folder / "files", f"{self.shown}/files").items():
            shown = f"{self.shown}/files/{path}"
            try:
                target = normalise(path.removesuffix(".j2"))
                files[target] = compile_tree(data.decode(), "", None) if path.endswith(".j2") else data
            except (PathRefused, UnicodeDecodeError, SpecError) as error:
                raise PackError(shown, "", str(error)) from error
        return files
