"""One task folder as its author wrote it: read at the first look, each part of it compiled once."""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pi_gym.apps import operations
from pi_gym.caches import BoundedCache
from pi_gym.errors import PackError, SpecError, UnknownName
from pi_gym.packs.plain_files import read_tree
from pi_gym.packs.pool import PoolIntent, PoolWay
from pi_gym.packs.variant_code import VariantCode, load_variant_code
from pi_gym.schema import IntentSpec, RecoverSpec, TaskSpec, load_model
from pi_gym.schema.specs import ParamSpec
from pi_gym.state.paths import PathRefused, normalise
from pi_gym.templates import Tree, check_syntax, compile_tree

if TYPE_CHECKING:
    from pi_gym.questions.matcher import Topic, TopicKind
    from pi_gym.questions.topic_files import Entries

COMPILED_CACHE = 1_024
_INTENT_FIELDS = ("text", "satisfied_when", "reveal", "after", "recover")
_ITEM_FIELDS = ("criterion", "check", "evidence")
T = TypeVar("T")


def require_tools(file: str, field: str, names: Iterable[str]) -> None:
    """Raise PackError, naming file and field, where there is no tool of such a name."""
    try:
        operations(names)
    except UnknownName as error:
        raise PackError(file, field, str(error)) from error


def recover_ways(intent: IntentSpec) -> Any:
    """The ways to know an intent without asking, as plain values; "ask" where there is none."""
    return "ask" if intent.recover == "ask" else [way.model_dump() for way in intent.recover]


def _pool_way(way: RecoverSpec) -> PoolWay:
    place = way.file if way.app is None else f"{way.app}, {way.table}"
    return PoolWay(place, way.session, way.intent or "", None if way.app is None else way.model_dump())


@dataclass(frozen=True, slots=True)
class ReferenceStep:
    """A step of a reference as a template: whether it is taken, and what is done."""

    when: Tree
    action: Tree


class TaskSource:
    """A task's template.

    Args:
        folder: the task's folder.
        shown: its name in error messages, relative to the pack.
        place: its place in the episode, from 0.
        preferences: names of the persona's preferences.
        referenced: whether it must have a reference.
        unchanged: called before something is read; raises where the pack's files are others by now.
        lasting: gives the persona's own entries on how things are asked about, by name.

    Attributes:
        plain_topics: the topics whose words are the same in every variant, as far as they are made.
    """

    def __init__(
        self,
        folder: Path,
        shown: str,
        place: int,
        preferences: Collection[str],
        referenced: bool,
        unchanged: Callable[[str], None],
        lasting: Callable[[], Entries],
    ) -> None:
        self.folder, self.shown, self.place = folder, shown, place
        self.file = f"{shown}/task.yaml"
        self.asked_file = f"{shown}/questions.yaml"
        self._preferences, self._referenced, self._unchanged = preferences, referenced, unchanged
        self._lasting = lasting
        self._trees: dict[str, Tree] = {}
        self.plain_topics: dict[str, Topic] = {}
        self._compiled: BoundedCache[tuple[str, bytes], Any] = BoundedCache(COMPILED_CACHE)

    @cached_property
    def spec(self) -> TaskSpec:
        """The content of task.yaml, its templates unread."""
        self._unchanged(self.shown)
        spec = load_model(TaskSpec, self.folder / "task.yaml", self.file)
        if self._referenced and not spec.reference:
            reason = "expected at least one step; where tasks have none, pack.yaml says `references: false`"
            raise PackError(self.file, "reference", reason)
        for index, intent in enumerate(spec.intents):
            for value in intent.values:
                if value.startswith("persona.") and value.removeprefix("persona.") not in self._preferences:
                    reason = f"persona.yaml has no preference {value!r}"
                    raise PackError(self.file, f"intents[{index}].values", reason)
        return spec

    @cached_property
    def pool(self) -> tuple[PoolIntent, ...]:
        """The intents that its variants are drawn from."""
        return tuple(
            PoolIntent(
                one.name,
                one.always,
                one.scope == "persistent",
                tuple(one.values),
                () if one.recover == "ask" else tuple(map(_pool_way, one.recover)),
            )
            for one in self.spec.intents
        )

    def predicates(self) -> Iterator[tuple[str, Any]]:
        """The predicates that its author wrote, each with its field; templates unread."""
        for index, intent in enumerate(self.spec.intents):
            yield f"intents[{index}].satisfied_when", intent.satisfied_when
            if intent.after is not None:
                yield f"intents[{index}].after", intent.after
        for index, item in enumerate(self.spec.checklist):
            yield f"checklist[{index}].check", item.check

    @property
    def apps(self) -> Mapping[str, Any]:
        """The rows that it adds or changes by app and table; templates unread."""
        return self.spec.apps

    @property
    def item_count(self) -> int:
        """How many items its checklist has at most."""
        return len(self.spec.checklist)

    @property
    def has_rubric_items(self) -> bool:
        """Whether its checklist has items that a model judges, where one grades."""
        return any(item.grader == "rubric" for item in self.spec.checklist)

    @property
    def params(self) -> Mapping[str, ParamSpec]:
        """The parameters that are drawn for it, by name."""
        return self.spec.params

    @property
    def code_file(self) -> str:
        """The name of the file with its code, for errors."""
        return f"{self.shown}/variant.py"

    @cached_property
    def code(self) -> VariantCode:
        """The computed part of its variants."""
        self._unchanged(self.shown)
        return load_variant_code(self.folder / "variant.py", f"{self.shown}/variant.py")

    @cached_property
    def data(self) -> Mapping[str, str]:
        """The texts that its worlds are drawn from, by name: folder data/."""
        self._unchanged(self.shown)
        found = read_tree(self.folder / "data", f"{self.shown}/data")
        try:
            return {name: content.decode() for name, content in found.items()}
        except UnicodeDecodeError as error:
            raise PackError(f"{self.shown}/data", "", f"expected texts: {error}") from error

    @cached_property
    def files(self) -> Mapping[str, bytes | Tree]:
        """Seed files by workspace path: bytes, or a template for a file named `*.j2`."""
        self._unchanged(self.shown)
        files: dict[str, bytes | Tree] = {}
        for path, data in read_tree(self.folder / "files", f"{self.shown}/files").items():
            shown = f"{self.shown}/files/{path}"
            try:
                target = normalise(path.removesuffix(".j2"))
                files[target] = compile_tree(data.decode(), "", None) if path.endswith(".j2") else data
            except (PathRefused, UnicodeDecodeError, SpecError) as error:
                raise PackError(shown, "", str(error)) from error
        return files

    @cached_property
    def questions(self) -> Mapping[str, tuple[TopicKind, Mapping[str, Any]]]:
        """Kind and entry of each topic by its name, templates unread: the wishes of the pool in its order, then what
        the persona wishes in other tasks.
        """
        return self._topics([intent.name for intent in self.spec.intents], [])

    def _topics(self, wishes: Sequence[str], answers: Sequence[str]) -> dict[str, tuple[TopicKind, Mapping[str, Any]]]:
        from pi_gym.questions.topic_files import concepts, read_topics, require_topics

        self._unchanged(self.shown)
        lasting = self._lasting()
        entries = read_topics(self.folder / "questions.yaml", self.asked_file, {**concepts(), **lasting})
        names = [*wishes, *answers]
        require_topics(entries, names, self.asked_file, "intent")
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
            field: where it stands, such as "intents[2].reveal".
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
        """All of task.yaml that is templated, filled in; the whole pool of intents. SpecError where that fails."""
        whole: dict[str, Any] = {"intents": [], "checklist": []}
        for field, raw in self._fields():
            list_name, _, rest = field.partition("[")
            if not rest:
                whole[field] = self.render(field, raw, context)
                continue
            index, name = rest.split("].")
            if int(index) == len(whole[list_name]):
                whole[list_name].append({})
            whole[list_name][-1][name] = self.render(field, raw, context)
        return whole

    def check(self) -> None:
        """See to it that every template of its YAML can be made code of, and that its other files can be read.

        Raises:
            PackError: one cannot; the message names file and field.
        """
        try:
            for field, raw in self._fields():
                check_syntax(raw, field, self._read_template)
            for index, step in enumerate(self.spec.reference):
                check_syntax(step.model_dump(), f"reference[{index}]", self._read_template)
        except SpecError as error:
            raise PackError(self.file, error.field, error.reason) from error
        self.check_questions()
        _ = self.reference, self.files, self.code

    def check_questions(self) -> None:
        """See to it that every template of questions.yaml can be made code of; raises PackError."""
        try:
            for name, (_, entry) in self.questions.items():
                check_syntax(entry, name)
        except SpecError as error:
            raise PackError(self.asked_file, error.field, error.reason) from error

    def _fields(self) -> Iterator[tuple[str, Any]]:
        """Every templated field of task.yaml but the reference, with what stands there."""
        spec = self.spec
        yield from (("time", spec.time), ("request", spec.request), ("payload", spec.trigger.payload))
        yield "apps", spec.apps
        for index, intent in enumerate(spec.intents):
            for name in _INTENT_FIELDS:
                yield f"intents[{index}].{name}", recover_ways(intent) if name == "recover" else getattr(intent, name)
        for index, item in enumerate(spec.checklist):
            for name in _ITEM_FIELDS:
                yield f"checklist[{index}].{name}", getattr(item, name)

    def _read_template(self, name: str) -> str:
        self._unchanged(self.shown)
        path = self.folder / name
        if ".." in Path(name).parts or not path.is_file():
            raise SpecError("", f"template file {name!r} is not in the task's folder")
        return path.read_text(encoding="utf-8")

    @cached_property
    def reference(self) -> tuple[ReferenceStep, ...]:
        """The reference's steps as templates."""
        try:
            return tuple(
                ReferenceStep(
                    self.tree(f"reference[{index}].when", step.when),
                    self.tree(f"reference[{index}]", step.model_dump(exclude={"when"}, exclude_none=True)),
                )
                for index, step in enumerate(self.spec.reference)
            )
        except SpecError as error:
            raise PackError(self.file, error.field, error.reason) from error

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
        except ValueError:  # an object of variant.py: nothing tells whether another one is its like
            return make(raw)
        found: T = self._compiled.get((field, hashlib.sha256(content).digest()), lambda: make(raw))
        return found
