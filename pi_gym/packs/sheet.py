"""One task folder of results and wishes, as its author wrote it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pi_gym.errors import PackError, SpecError, unknown
from pi_gym.packs.pool import PoolIntent, PoolWay
from pi_gym.packs.source import TaskSource
from pi_gym.packs.variant_code import VariantCode, load_variant_code
from pi_gym.schema import check_model, load_model
from pi_gym.schema.specs import AccountSpec, ParamSpec
from pi_gym.schema.task_sheet import LastingWishSpec, TaskRowsSpec, TaskSheet, WaySpec, WaysSpec, WishSpec
from pi_gym.templates import check_syntax

if TYPE_CHECKING:
    from pi_gym.questions.matcher import TopicKind
    from pi_gym.questions.topic_files import Entries

RIGHT, WAYS = "right.py", "ways.yaml"


def attribute(name: str) -> str:
    """A wish's name as Python and templates write it."""
    return name.replace("-", "_")


def _ways(wish: WishSpec, field: str) -> Iterator[PoolWay]:
    for number, told in enumerate(wish.told):
        if told.app is None:
            yield PoolWay(told.file or "", field=f"{field}.told[{number}]")
        else:
            column = {"app": told.app, "table": told.table, "column": told.column, "where": told.where}
            yield PoolWay(f"{told.app}, {told.table}", column=column, field=f"{field}.told[{number}]")
    if wish.told_in is not None:
        yield PoolWay("memory/HISTORY.md", wish.told_in, wish.use or "", field=f"{field}.told_in")


class SheetSource(TaskSource):
    """A task's template, in the shape of results and wishes; see `TaskSource`.

    Args:
        wishes: the persona's lasting wishes by name.
        accounts: the persona's accounts of apps.
    """

    def __init__(
        self,
        folder: Path,
        shown: str,
        place: int,
        raw: Any,
        preferences: Collection[str],
        referenced: bool,
        unchanged: Callable[[str], None],
        lasting: Callable[[], Entries],
        wishes: Mapping[str, LastingWishSpec],
        accounts: Sequence[AccountSpec],
    ) -> None:
        super().__init__(folder, shown, place, raw, preferences, referenced, unchanged, lasting)
        self.lasting_wishes = wishes
        self.accounts = accounts

    @cached_property
    def spec(self) -> TaskSheet:  # type: ignore[override]
        """The content of task.yaml, its templates unread."""
        sheet = check_model(TaskSheet, self._raw, self.file)
        for index, wish in enumerate(sheet.wishes):
            if wish.use is not None and wish.use not in self.lasting_wishes:
                reason = unknown("lasting wish", wish.use, self.lasting_wishes)
                raise PackError(self.file, f"wishes[{index}].use", reason)
        if self._referenced and not sheet.solution:
            reason = "expected at least one step; where tasks have none, pack.yaml says `references: false`"
            raise PackError(self.file, "solution", reason)
        return sheet

    @cached_property
    def code(self) -> VariantCode:
        """The computed part of its variants."""
        self._unchanged(self.shown)
        return load_variant_code(self.folder / RIGHT, f"{self.shown}/{RIGHT}")

    @cached_property
    def ways(self) -> Mapping[str, WaySpec]:
        """Other ways through the session, by what somebody does; empty without a file.

        Raises:
            PackError: ways.yaml is wrong; the message names the field.
        """
        self._unchanged(self.shown)
        path = self.folder / WAYS
        if not path.is_file():
            return {}
        ways = load_model(WaysSpec, path, f"{self.shown}/{WAYS}").root
        pool = [wish.label for wish in self.spec.wishes]
        for what, way in ways.items():
            for name in (*way.when, *way.believing, *way.misses):
                if name not in pool:
                    raise PackError(f"{self.shown}/{WAYS}", what, unknown("wish", name, pool))
        return ways

    def fault(self, field: str, reason: str) -> PackError:
        """See `TaskSource`; the rows of each app have a file of their own."""
        place, _, rest = field.partition(".")
        if place != "apps":
            return super().fault(field, reason)
        app, _, inside = rest.partition(".")
        return PackError(f"{self.shown}/apps/{app}.yaml", inside, reason)

    @property
    def code_file(self) -> str:
        """See `TaskSource`."""
        return f"{self.shown}/{RIGHT}"

    @cached_property
    def pool(self) -> tuple[PoolIntent, ...]:
        """See `TaskSource`."""
        return tuple(
            PoolIntent(
                wish.label,
                wish.always,
                wish.use is not None,
                (self.parameter(wish),) if self.words(wish) else (),
                tuple(_ways(wish, f"wishes[{index}]")),
                tuple(wish.tags),
                wish.use or "",
            )
            for index, wish in enumerate(self.spec.wishes)
        )

    def predicates(self) -> Iterator[tuple[str, Any]]:
        """See `TaskSource`."""
        for name, result in self.spec.results.items():
            if result.rows is not None:
                rows = result.rows
                where = {"where": rows.where} if rows.where else {}
                yield f"results.{name}.rows", {"app": rows.app, "table": rows.table, **where}
                if isinstance(result.sound, dict) and "each" in result.sound:
                    each = {"app": rows.app, "table": rows.table, "each": result.sound["each"]}
                    yield f"results.{name}.sound", each
        apps = {app: tables for one in self.spec.may_change if isinstance(one, dict) for app, tables in one.items()}
        apps.pop("file", None)
        apps.pop("keeps", None)
        if apps:
            yield "may_change", {"app_changes": {"only": apps}}
        for index, wish in enumerate(self.spec.wishes):
            for name in ("after", "before"):
                if getattr(wish, name) is not None:
                    yield f"wishes[{index}].{name}", getattr(wish, name)
            if "predicate" in wish.holds:
                yield f"wishes[{index}].holds.predicate", wish.holds["predicate"]
        for index, item in enumerate(self.spec.checklist):
            if "predicate" in item.holds:
                yield f"checklist[{index}].holds.predicate", item.holds["predicate"]

    @cached_property
    def apps(self) -> Mapping[str, Any]:
        """See `TaskSource`; each app's rows lie in a file of their own, apps/APP.yaml.

        Raises:
            PackError: a file cannot be read, or is no mapping of tables to rows.
        """
        self._unchanged(self.shown)
        found: dict[str, Any] = {}
        for path in sorted((self.folder / "apps").glob("*.yaml")):
            shown = f"{self.shown}/apps/{path.name}"
            found[path.stem] = load_model(TaskRowsSpec, path, shown).root
        return found

    @property
    def item_count(self) -> int:
        """See `TaskSource`."""
        sound = sum(bool(result.sound) for result in self.spec.results.values())
        return sound + sum(len(wish.holds) for wish in self.spec.wishes) + len(self.spec.checklist) + 1

    @property
    def has_rubric_items(self) -> bool:
        """See `TaskSource`."""
        return False

    @cached_property
    def params(self) -> Mapping[str, ParamSpec]:
        """See `TaskSource`: the values of its own wishes are among them."""
        own = {attribute(wish.label): ParamSpec(choices=list(wish.values)) for wish in self.spec.wishes if wish.values}
        twice = sorted(set(own) & set(self.spec.params))
        if twice:
            raise PackError(self.file, f"params.{twice[0]}", "a wish of that name has values; drop the parameter")
        return {**self.spec.params, **own}

    def parameter(self, wish: WishSpec) -> str:
        """The name of the hidden parameter that holds a wish's value."""
        return f"persona.{attribute(wish.use)}" if wish.use is not None else attribute(wish.label)

    def words(self, wish: WishSpec) -> Mapping[Any, str | list[str]]:
        """What a wish can be, each value in her words; empty where it has no values."""
        return self.lasting_wishes[wish.use].choices if wish.use is not None else wish.values

    def text(self, wish: WishSpec, name: str) -> str:
        """A text of a wish, from task.yaml or from the file of the lasting wish: wish, says, undrawn, corrects."""
        own = str(getattr(wish, name, ""))
        if wish.use is None or own:
            return own
        lasting = self.lasting_wishes[wish.use]
        if name == "says":
            return lasting.again if wish.told_in is not None else lasting.first
        return str(getattr(lasting, name, ""))

    @cached_property
    def questions(self) -> Mapping[str, tuple[TopicKind, Mapping[str, Any]]]:
        """See `TaskSource`; what may be asked beside the wishes comes after them."""
        names = [wish.label for wish in self.spec.wishes]
        return self._topics(names, [answer.topic for answer in self.spec.answers])

    def rendered(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """See `TaskSource`."""
        spec = self.spec
        fields = (
            ("time", spec.time),
            ("request", spec.request),
            ("payload", spec.trigger.payload),
            ("apps", self.apps),
        )
        whole = {name: self.render(name, raw, context) for name, raw in fields}
        whole["intents"] = [self._hidden_texts(index, wish, context) for index, wish in enumerate(spec.wishes)]
        return whole

    def _hidden_texts(self, index: int, wish: WishSpec, context: Mapping[str, Any]) -> dict[str, str]:
        local = dict(context)
        if words := self.words(wish):
            holder, name = ("persona", wish.use) if wish.use is not None else ("p", wish.label)
            value = getattr(context[holder], attribute(name or ""))
            local |= {"value": value, "it": self.said(wish, index, words[value], context)[0]}
        return {
            "text": str(self.render(f"wishes[{index}].wish", self.text(wish, "wish"), local)),
            "reveal": str(self.render(f"wishes[{index}].says", self.text(wish, "says"), local)),
        }

    def said(self, wish: WishSpec, index: int, words: str | list[str], context: Mapping[str, Any]) -> tuple[str, ...]:
        """The words for a value of a wish, hers first, filled in."""
        listed = [words] if isinstance(words, str) else list(words)
        return tuple(map(str, self.render(f"wishes[{index}].values.{listed[0]}", listed, context)))

    def _fields(self) -> Iterator[tuple[str, Any]]:
        spec = self.spec
        yield from (("time", spec.time), ("request", spec.request), ("payload", spec.trigger.payload))
        yield "apps", self.apps
        yield "may_change", spec.may_change
        for name, result in spec.results.items():
            yield f"results.{name}", result.model_dump()
        for index, wish in enumerate(spec.wishes):
            yield f"wishes[{index}]", wish.model_dump()
        for index, item in enumerate(spec.checklist):
            yield f"checklist[{index}]", item.model_dump()
        for index, step in enumerate(spec.solution):
            yield f"solution[{index}]", step.model_dump()

    def check(self) -> None:
        """See `TaskSource`."""
        try:
            for field, raw in self._fields():
                check_syntax(raw, field, self._read_template)
        except SpecError as error:
            raise self.fault(error.field, error.reason) from error
        self.check_questions()
        _ = self.files, self.code
