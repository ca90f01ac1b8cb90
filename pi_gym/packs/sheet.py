"""One task folder of results and wishes, as its author wrote it: task.yaml, right.py, questions.yaml, files/, right/."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from pi_gym.errors import PackError, SpecError, unknown
from pi_gym.packs.source import TaskSource
from pi_gym.packs.variant_code import VariantCode, load_variant_code
from pi_gym.schema import load_model, load_yaml
from pi_gym.schema.task_sheet import LastingWishSpec, TaskSheet, WishSpec

RIGHT = "right.py"


class SheetSource(TaskSource):
    """A task's template, in the shape of results and wishes; see `TaskSource`.

    Args:
        lasting: the persona's lasting wishes by name.
    """

    def __init__(
        self,
        folder: Path,
        shown: str,
        place: int,
        preferences: Collection[str],
        referenced: bool,
        unchanged: Callable[[str], None],
        lasting: Mapping[str, LastingWishSpec],
    ) -> None:
        super().__init__(folder, shown, place, preferences, referenced, unchanged)
        self.lasting = lasting

    @cached_property
    def sheet(self) -> TaskSheet:
        """The content of task.yaml, its templates unread."""
        self._unchanged(self.shown)
        sheet = load_model(TaskSheet, self.folder / "task.yaml", self.file)
        for index, wish in enumerate(sheet.wishes):
            if wish.use is not None and wish.use not in self.lasting:
                reason = unknown("lasting wish", wish.use, self.lasting)
                raise PackError(self.file, f"wishes[{index}].use", reason)
        return sheet

    @cached_property
    def code(self) -> VariantCode:
        """The computed part of its variants."""
        self._unchanged(self.shown)
        return load_variant_code(self.folder / RIGHT, f"{self.shown}/{RIGHT}")

    @cached_property
    def asked(self) -> Mapping[str, Any]:
        """How each wish is asked for: questions.yaml, by the wish's name."""
        self._unchanged(self.shown)
        shown = f"{self.shown}/questions.yaml"
        found = load_yaml(self.folder / "questions.yaml", shown)
        if not isinstance(found, Mapping):
            raise PackError(shown, "", f"expected a mapping of wishes, got {type(found).__name__}")
        missing = [wish.label for wish in self.sheet.wishes if wish.label not in found]
        if missing:
            raise PackError(shown, missing[0], "how this wish is asked for is missing")
        return found

    def words(self, wish: WishSpec) -> Mapping[Any, str | list[str]]:
        """What a wish can be, each value in her words; empty where it has no values."""
        return self.lasting[wish.use].choices if wish.use is not None else wish.values

    def text(self, wish: WishSpec, name: str) -> str:
        """A text of a wish, from task.yaml or from the file of the lasting wish: wish, says, undrawn."""
        if wish.use is None:
            return str(getattr(wish, name))
        lasting = self.lasting[wish.use]
        if name == "says":
            return lasting.again if wish.told_in is not None else lasting.first
        return str(getattr(lasting, name))

    def _fields(self) -> Iterator[tuple[str, Any]]:
        sheet = self.sheet
        yield from (("time", sheet.time), ("request", sheet.request), ("payload", sheet.trigger.payload))
        yield "apps", sheet.apps
        for name, result in sheet.results.items():
            yield f"results.{name}", result.model_dump()
        for index, wish in enumerate(sheet.wishes):
            yield f"wishes[{index}].holds", wish.holds
        for index, item in enumerate(sheet.checklist):
            yield f"checklist[{index}].holds", item.holds

    def check(self) -> None:
        """See to it that every template can be made code of, and that its other files can be read; raises PackError."""
        from pi_gym.templates import check_syntax

        try:
            for field, raw in self._fields():
                check_syntax(raw, field, self._read_template)
        except SpecError as error:
            raise PackError(self.file, error.field, error.reason) from error
        _ = self.asked, self.files, self.code
