"""One task folder as its author wrote it: read at the first look, each part of it compiled once."""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pi_gym.apps import operations
from pi_gym.caches import BoundedCache
from pi_gym.errors import PackError, SpecError, UnknownName, unknown
from pi_gym.packs.pack_shared import PackShared, read_texts
from pi_gym.packs.plain_files import read_tree
from pi_gym.packs.pool import PoolIntent, PoolWay
from pi_gym.packs.task_code import TaskCode, load_task_code
from pi_gym.predicates.footprint import NamedTable
from pi_gym.schema import load_model
from pi_gym.schema.specs import AccountSpec, ParamSpec
from pi_gym.schema.task_sheet import LastingWishSpec, TaskRowsSpec, TaskSpec, WaySpec, WaysSpec, WishSpec
from pi_gym.state.paths import PathRefused, normalise
from pi_gym.templates import Tree, check_syntax, compile_tree

if TYPE_CHECKING:
    from pi_gym.questions.matcher import Topic, TopicKind
    from pi_gym.questions.topic_files import Entries

COMPILED_CACHE = 1_024
RIGHT, WAYS = "right.py", "ways.yaml"
T = TypeVar("T")


def require_tools(file: str, field: str, names: Iterable[str]) -> None:
    """Raise PackError, naming file and field, where there is no tool of such a name."""
    try:
        operations(names)
    except UnknownName as error:
        raise PackError(file, field, str(error)) from error


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


class TaskSource:
    """A task's template.

    Args:
        folder: the task's folder.
        shown: its name in error messages, relative to the pack.
        place: its place in the episode, from 0.
        referenced: whether it must have a model solution.
        unchanged: called before something is read; raises where the pack's files are others by now.
        lasting: gives the persona's own entries on how things are asked about, by name.
        wishes: the persona's lasting wishes by name.
        accounts: the persona's accounts of apps.
        shared: what the tasks of the pack share.

    Attributes:
        plain_topics: the topics whose words are the same in every variant, as far as they are made.
    """

    def __init__(
        self,
        folder: Path,
        shown: str,
        place: int,
        referenced: bool,
        unchanged: Callable[[str], None],
        lasting: Callable[[], Entries],
        wishes: Mapping[str, LastingWishSpec],
        accounts: Sequence[AccountSpec],
        shared: PackShared,
    ) -> None:
        self.folder, self.shown, self.place = folder, shown, place
        self.file = f"{shown}/task.yaml"
        self.asked_file = f"{shown}/questions.yaml"
        self._referenced, self._unchanged, self._lasting = referenced, unchanged, lasting
        self.lasting_wishes, self.accounts, self.shared = wishes, accounts, shared
        self._trees: dict[str, Tree] = {}
        self.plain_topics: dict[str, Topic] = {}
        self._compiled: BoundedCache[tuple[str, bytes], Any] = BoundedCache(COMPILED_CACHE)

    @cached_property
    def spec(self) -> TaskSpec:
        """The content of task.yaml, its templates unread."""
        self._unchanged(self.shown)
        sheet = load_model(TaskSpec, self.folder / "task.yaml", self.file)
        for index, wish in enumerate(sheet.wishes):
            if wish.use is not None and wish.use not in self.lasting_wishes:
                reason = unknown("lasting wish", wish.use, self.lasting_wishes)
                raise PackError(self.file, f"wishes[{index}].use", reason)
        if self._referenced and not sheet.solution:
            reason = "expected at least one step; where tasks have none, pack.yaml says `references: false`"
            raise PackError(self.file, "solution", reason)
        return sheet

    @cached_property
    def code(self) -> TaskCode:
        """The computed part of its variants."""
        self._unchanged(self.shown)
        return load_task_code(self.folder / RIGHT, f"{self.shown}/{RIGHT}")

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
        """The error for a field of the task's YAML: it names the file that holds it."""
        place, _, rest = field.partition(".")
        if place != "apps":
            return PackError(self.file, field, reason)
        app, _, inside = rest.partition(".")
        return PackError(f"{self.shown}/apps/{app}.yaml", inside, reason)

    @property
    def code_file(self) -> str:
        """The name of the file with its code, for errors."""
        return f"{self.shown}/{RIGHT}"

    @cached_property
    def pool(self) -> tuple[PoolIntent, ...]:
        """The intents that its variants are drawn from."""
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

    def row_tables(self) -> Iterator[NamedTable]:
        """The tables that its results of rows lie in, with the columns that they name; templates unread."""
        for name, result in self.spec.results.items():
            if result.rows is None:
                continue
            field = f"results.{name}"
            columns = {column: f"{field}.rows.where.{column}" for column in result.rows.where}
            if isinstance(result.sound, dict) and isinstance(result.sound.get("each"), dict):
                columns |= {column: f"{field}.sound.each.{column}" for column in result.sound["each"]}
            rows = result.rows
            yield NamedTable(rows.app, rows.table, columns, f"{field}.rows.app", f"{field}.rows.table")

    def predicates(self) -> Iterator[tuple[str, Any]]:
        """The predicates that its author wrote, each with its field; templates unread."""
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
        """The rows that it adds or changes by app and table, templates unread: files apps/APP.yaml.

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
        """The most items that its checklist can have."""
        sound = sum(bool(result.sound) for result in self.spec.results.values())
        return sound + self.spec.draw.max + len(self.spec.checklist) + 1

    @cached_property
    def params(self) -> Mapping[str, ParamSpec]:
        """The parameters that are drawn for it, by name: the values of its own wishes are among them."""
        own = {attribute(wish.label): ParamSpec(choices=list(wish.values)) for wish in self.spec.wishes if wish.values}
        twice = sorted(set(own) & set(self.spec.params))
        if twice:
            raise PackError(self.file, f"params.{twice[0]}", "a wish of that name has values; drop the parameter")
        return {**self.spec.params, **own}

    def parameter(self, wish: WishSpec) -> str:
        """The name of the hidden parameter that holds a wish's value."""
        return f"persona.{attribute(wish.use)}" if wish.use is not None else attribute(wish.label)

    def words(self, wish: WishSpec) -> Mapping[Any, str | list[str]]:
        """The values of a wish, each in her words; empty where it has none."""
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
    def data(self) -> Mapping[str, str]:
        """The texts that its worlds are drawn from, by name: folder data/."""
        self._unchanged(self.shown)
        return read_texts(self.folder / "data", f"{self.shown}/data")

    @cached_property
    def files(self) -> Mapping[str, bytes | Tree]:
        """Seed files by workspace path, its own and those of the pack: bytes, or a template for a file named `*.j2`."""
        self._unchanged(self.shown)
        files: dict[str, bytes | Tree] = {}
        for path, data in read_tree(self.folder / "files", f"{self.shown}/files").items():
            shown = f"{self.shown}/files/{path}"
            try:
                target = normalise(path.removesuffix(".j2"))
                files[target] = compile_tree(data.decode(), "", None) if path.endswith(".j2") else data
            except (PathRefused, UnicodeDecodeError, SpecError) as error:
                raise PackError(shown, "", str(error)) from error
        for path in self.spec.files:
            if path in files:
                raise PackError(self.file, "files", f"{path!r} lies in the task's own files/ too, or stands here twice")
            try:
                files[normalise(path)] = self.shared.file(path)
            except (PathRefused, SpecError) as error:
                raise PackError(self.file, "files", getattr(error, "reason", str(error))) from error
        return files

    def file_name(self, path: str) -> str:
        """The name of the template of a seed file, for errors."""
        return f"{'' if path in self.spec.files else f'{self.shown}/'}files/{path}.j2"

    @cached_property
    def questions(self) -> Mapping[str, tuple[TopicKind, Mapping[str, Any]]]:
        """Kind and entry of each topic by its name, templates unread.

        The wishes of the pool in its order, whatever else may be asked, then what the persona wishes in other tasks.
        """
        from pi_gym.questions.topic_files import concepts, read_topics, require_topics

        self._unchanged(self.shown)
        wishes, answers = [wish.label for wish in self.spec.wishes], [one.topic for one in self.spec.answers]
        lasting = self._lasting()
        entries = read_topics(self.folder / "questions.yaml", self.asked_file, {**concepts(), **lasting})
        names = [*wishes, *answers]
        require_topics(entries, names, self.asked_file, "wish")
        found: dict[str, tuple[TopicKind, Mapping[str, Any]]] = {name: ("wish", entries[name]) for name in wishes}
        found |= {name: ("answer", entries[name]) for name in answers}
        held = {*names, *(other for entry in entries.values() for other in entry["like"])}
        found |= {name: ("lasting", entry) for name, entry in lasting.items() if name not in held}
        return found

    @cached_property
    def tools(self) -> tuple[str, ...]:
        """Names of the tools that it offers beyond the pack's general ones; PackError where there is no such tool."""
        require_tools(self.file, "tools", self.spec.tools)
        return tuple(self.spec.tools)

    # -- templates -------------------------------------------------------------------------------------------------

    def tree(self, field: str, raw: Any) -> Tree:
        """The template that stands in a field; compiled once.

        Args:
            field: where it stands, such as "wishes[2].says".
            raw: what stands there.

        Raises:
            SpecError: a template has a syntax error, or its file is missing.
        """
        found = self._trees.get(field)
        if found is None:
            found = self._trees[field] = compile_tree(raw, field, self._read_template)
        return found

    def render(self, field: str, raw: Any, context: Mapping[str, Any]) -> Any:
        """The content of a field, its templates filled in."""
        return self.tree(field, raw)(context)

    def rendered(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """The parts of the task that an agent may see, and the hidden texts of the whole pool, filled in.

        Raises:
            SpecError: a template cannot be filled in.
        """
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
        return tuple(map(str, self.render(f"wishes[{index}].values.{'|'.join(listed)}", listed, context)))

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
        """See to it that every template of its YAML can be made code of, and that its other files can be read.

        Raises:
            PackError: one cannot; the message names file and field.
        """
        try:
            for field, raw in self._fields():
                check_syntax(raw, field, self._read_template)
        except SpecError as error:
            raise self.fault(error.field, error.reason) from error
        try:
            for name, (_, entry) in self.questions.items():
                check_syntax(entry, name)
        except SpecError as error:
            raise PackError(self.asked_file, error.field, error.reason) from error
        _ = self.files, self.code

    def _read_template(self, name: str) -> str:
        self._unchanged(self.shown)
        path = self.folder / name
        if ".." in Path(name).parts or not path.is_file():
            raise SpecError("", f"template file {name!r} is not in the task's folder")
        return path.read_text(encoding="utf-8")

    # -- what is made of a rendered field -----------------------------------------------------------------------------

    def compiled(self, field: str, raw: Any, make: Callable[[Any], T]) -> T:
        """The value that `make` gives for a rendered field; made once for all variants in which the field reads alike.

        Args:
            field: where it stands; what is made of one field is always made in one way.
            raw: the rendered field.
            make: makes something immutable of it.
        """
        try:
            content = marshal.dumps(raw, 0)
        except ValueError:  # an object of right.py: nothing tells whether another one is its like
            return make(raw)
        found: T = self._compiled.get((field, hashlib.sha256(content).digest()), lambda: make(raw))
        return found
