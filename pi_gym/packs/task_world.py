"""A task in one world: the wishes that it holds, and what is right for any belief about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pi_gym.authoring.handed import Change
from pi_gym.errors import PackError, SpecError
from pi_gym.packs.source import TaskSource, attribute
from pi_gym.packs.variants import Variant, VariantValues, named_errors
from pi_gym.schema.task_sheet import ResultSpec, WishSpec
from pi_gym.templates import LateNamespace, Namespace

if TYPE_CHECKING:
    from pi_gym.results.content import ResultContent, ResultText
    from pi_gym.results.place import ResultPlace
    from pi_gym.results.right_answers import Belief, RightAnswers


@dataclass(frozen=True)
class Wish:
    """A wish of the pool in one world.

    Args:
        spec: as the author wrote it; `place` its number in the pool.
        drawn: whether this world holds it.
        value: what she wants: one of its values, or True for a wish that has none.
        words: by value, the words for it, hers first; empty where it has no values.
    """

    spec: WishSpec
    place: int
    drawn: bool
    value: Any
    words: Mapping[Any, tuple[str, ...]]

    @property
    def name(self) -> str:
        """Its name in the task."""
        return self.spec.label

    @property
    def field(self) -> str:
        """The place in the task's template, for errors."""
        return f"wishes[{self.place}]"

    @property
    def told(self) -> bool:
        """Whether it can be known without asking."""
        return bool(self.spec.told) or self.spec.told_in is not None

    @property
    def declined(self) -> bool:
        """Whether she says a plain no when asked for it: this world does not hold it."""
        return self.spec.declines and not self.drawn

    @property
    def stands(self) -> bool:
        """Whether its value is right here: the world holds it, or tells it and she would not decline it."""
        return self.drawn or (self.told and not self.declined)

    def local(self, value: Any) -> dict[str, Any]:
        """The names that its own templates see beside the task's: the value, and her words for it."""
        return {"value": value, "it": self.words[value][0] if self.words else ""}


class TaskWorld:
    """A task in one world.

    Args:
        source: the task's template.
        variant: what was drawn and computed.
        values: the hidden values; those of the variant, or others over the same world.
        wished: a wish that counts as drawn beside those that the world holds; "" for none.
    """

    def __init__(self, source: TaskSource, variant: Variant, values: VariantValues, wished: str = "") -> None:
        self.source, self.variant, self.values, self.wished = source, variant, values, wished
        self.sheet = source.spec
        self._right_by_belief: dict[Belief, Namespace] = {}
        self._contexts: dict[Belief, Mapping[str, Any]] = {}
        self._files: dict[str, bytes] = {}

    @cached_property
    def wishes(self) -> tuple[Wish, ...]:
        """The pool, in file order."""
        return tuple(self._wish(spec, place) for place, spec in enumerate(self.sheet.wishes))

    def _wish(self, spec: WishSpec, place: int) -> Wish:
        drawn = spec.label in (*self.variant.draw, self.wished)
        given = self.source.words(spec)
        if not given:
            return Wish(spec, place, drawn, True, {})
        context = self._names
        words = {key: self.source.said(spec, place, said, context) for key, said in given.items()}
        holder = self.values.persona if spec.use is not None else self.values.p
        return Wish(spec, place, drawn, getattr(holder, attribute(spec.use or spec.label)), words)

    @cached_property
    def _names(self) -> dict[str, Any]:
        """The names of values and facts that templates see, whatever is believed."""
        facts = {"world": self.variant.world, "shared": self.variant.values.shared}
        return {"persona": self.values.persona, "p": self.values.p, **facts}

    @cached_property
    def true(self) -> Belief:
        """By wish what is true of it; None of one that this world does not hold, where nothing tells it."""
        return tuple(wish.value if wish.stands else None for wish in self.wishes)

    def wishing(self, wish: Wish) -> Iterator[TaskWorld]:
        """The same world as if it held a wish, once for each of its values."""
        part, name = ("persona", wish.spec.use) if wish.spec.use is not None else ("p", wish.name)
        for value in wish.words or (True,):
            values = self.values
            if wish.words:
                changed = {**getattr(values, part), attribute(name): value}
                values = replace(values, **{part: Namespace(changed, part)})
            yield TaskWorld(self.source, self.variant, values, wish.name)

    @cached_property
    def answers_of(self) -> RightAnswers:
        """The right answers in this world, whatever the wishes are."""
        from pi_gym.results.right_answers import RightAnswers, WishRange

        pool = []
        for wish, true in zip(self.wishes, self.true, strict=True):
            others = tuple(value for value in (None, *(wish.words or (True,))) if value != true)
            pool.append(WishRange(wish.name, wish.drawn, true, others))
        return RightAnswers(pool, self._content)

    def right(self, belief: Belief) -> Namespace:
        """The mapping that `right` of right.py gives for a belief."""
        found = self._right_by_belief.get(belief)
        if found is None:
            found = self._right_by_belief[belief] = self._computed(belief)
        return found

    def _computed(self, belief: Belief) -> Namespace:
        if self.source.code.right is None:
            return Namespace({}, "right")
        try:
            made = self.source.code.right(self.variant.world, self._believed(belief))
            if not isinstance(made, Mapping):
                raise TypeError(f"expected a mapping, got {type(made).__name__}")
            return Namespace(made, "right")
        except Exception as error:
            where = f"variant {self.variant.number}; {self.written(belief)}"
            reason = f"right() raised {type(error).__name__}: {error} ({where})"
            raise PackError(self.source.code_file, "right", reason) from error

    def written(self, belief: Belief) -> str:
        """A belief as errors name it."""
        return ", ".join(f"{wish.name}={one!r}" for wish, one in zip(self.wishes, belief, strict=True))

    def _believed(self, belief: Belief) -> Namespace:
        names = (attribute(wish.name) for wish in self.wishes)
        return Namespace(dict(zip(names, belief, strict=True)), "wishes")

    def context(self, belief: Belief) -> Mapping[str, Any]:
        """The names that the task's templates see for a belief."""
        found = self._contexts.get(belief)
        if found is None:
            found = self._contexts[belief] = {
                **self._names,
                "wishes": self._believed(belief),
                "right": LateNamespace(lambda: self.right(belief)),
                "drawn": self._is_drawn,
            }
        return found

    @cached_property
    def true_context(self) -> Mapping[str, Any]:
        """The names that the task's templates see, as it is right."""
        return self.context(self.true)

    def _is_drawn(self, name: str) -> bool:
        if all(wish.name != name for wish in self.wishes):
            raise ValueError(f"drawn({name!r}): the pool has no such wish")
        return name in self.variant.draw

    def render(self, field: str, raw: Any, **local: Any) -> Any:
        """A field of task.yaml, filled in as it is right."""
        return self.source.render(field, raw, {**self.true_context, **local} if local else self.true_context)

    def _content(self, name: str, belief: Belief) -> ResultContent | None:
        with named_errors(self.source, self.variant.number):
            return self._right_content(name, belief)

    def _right_content(self, name: str, belief: Belief) -> ResultContent | None:
        from pi_gym.results.letters import message_in, messages_of
        from pi_gym.results.place import RowsPlace, SentPlace, records_of

        spec, place, given = self.sheet.results[name], self.places[name], self.given(name, belief)
        if given is None:
            return None
        if isinstance(place, SentPlace):
            return messages_of(given)
        if isinstance(place, RowsPlace):
            if place.letters:
                return messages_of(given)
            key = place.key or ("id",)
            self._require_rows(name, given, key)
            return records_of(given, key)
        document = self.document(name, belief)
        return message_in(document) if spec.kind == "mail" and document is not None else document

    def _require_rows(self, name: str, given: Any, key: Sequence[str]) -> None:
        rows = given if isinstance(given, list | tuple) else [given]
        for number, row in enumerate(rows, start=1):
            if row is given or not isinstance(row, Mapping):
                reason = f"{name}: expected rows, each a mapping, got {type(row).__name__}"
                raise PackError(self.source.code_file, "right", reason)
            lacking = next((column for column in key if column not in row), None)
            if lacking is not None:
                reason = f"{name}: row {number} has no {lacking!r}, by which its rows are told apart (`key`)"
                raise PackError(self.source.code_file, "right", reason)

    def given(self, name: str, belief: Belief) -> Any:
        """A result as right.py gives it for a belief; None where it is not wanted."""
        spec, right = self.sheet.results[name], self.right(belief)
        return getattr(right, name) if name in right else "" if spec.template or spec.reply else None

    def document(self, name: str, belief: Belief) -> ResultText | None:
        """A result that is a file or a reply, as it is right for a belief; None where it is not wanted.

        Raises:
            PackError: right.py gives something else.
        """
        from pi_gym.results.content import ResultText
        from pi_gym.results.joined import joined
        from pi_gym.results.place import FilePlace, NewFilePlace, NewFilesPlace

        spec, place = self.sheet.results[name], self.places[name]
        given = self.given(name, belief)
        if given is None:
            return None
        if isinstance(place, NewFilesPlace):
            if not isinstance(given, Mapping):
                raise PackError(self.source.code_file, "right", f"{name}: expected texts by the names of their files")
            return ResultText(place.folder, joined(given))
        if isinstance(given, Change):
            given = self._changed(name, place, given)
        file, text = given if isinstance(given, tuple) else ("", given)
        if spec.template is not None:
            field = f"results.{name}.template"
            text = self.source.render(field, {"template": spec.template}, self.context(belief))
        if not isinstance(text, str):
            reason = f"{name}: expected a text, got {type(text).__name__} (variant {self.variant.number})"
            raise PackError(self.source.code_file, "right", reason)
        if isinstance(place, NewFilePlace):
            if not file:
                reason = f"{name}: expected File(name, text), since its place leaves the name open"
                raise PackError(self.source.code_file, "right", reason)
            return ResultText(f"{place.folder}{file}", text)
        if isinstance(place, FilePlace):
            return ResultText(place.path, text, None if place.new else self.seed(place.path))
        return ResultText("", text)

    @cached_property
    def _file_context(self) -> dict[str, Any]:
        """The names that files see: they are as they are, whatever is believed."""
        values = self.variant.values
        return {**self._names, "persona": values.persona, "p": values.p, "drawn": self._is_drawn}

    def _changed(self, name: str, place: ResultPlace, change: Change) -> str:
        from pi_gym.results.place import FilePlace

        text = self.seed(place.path) if isinstance(place, FilePlace) else None
        if text is None:
            reason = f"{name}: a Change needs a file that the task brings (variant {self.variant.number})"
            raise PackError(self.source.code_file, "right", reason)
        try:
            return change.of(text)
        except ValueError as error:
            raise PackError(
                self.source.code_file, "right", f"{name}: {error} (variant {self.variant.number})"
            ) from error

    def file(self, path: str) -> bytes:
        """A file as the task brings it.

        Raises:
            KeyError: it brings none of this path.
            PackError: its template cannot be rendered.
        """
        found = self._files.get(path)
        if found is None:
            made = self.variant.files.get(path)
            found = self._files[path] = self._seeded(path) if made is None else _encoded(made)
        return found

    def _seeded(self, path: str) -> bytes:
        given = self.source.files[path]
        if isinstance(given, bytes):
            return given
        try:
            return str(given(self._file_context)).encode()
        except SpecError as error:
            raise PackError(self.source.file_name(path), "", error.reason) from error

    def seed(self, path: str) -> str | None:
        """The text of a file as the task brings it; None where it brings none."""
        brought = path in self.variant.files or path in self.source.files
        return self.file(path).decode("utf-8", "replace") if brought else None

    @cached_property
    def places(self) -> Mapping[str, ResultPlace]:
        """The places of the results, by name."""
        from pi_gym.results.place import FilePlace, ReplyPlace

        found = {name: self._place(name, spec) for name, spec in self.sheet.results.items() if not spec.reply}
        taken: dict[tuple[str, str], str] = {}
        for name, place in found.items():
            if isinstance(place, FilePlace):
                # A file may be read in two ways: as a text, and as the table that stands in it.
                key = (place.path, self.sheet.results[name].kind)
                if key in taken:
                    raise SpecError(f"results.{name}", f"{place.path} is the place of {taken[key]} too")
                taken[key] = name
        others = tuple(found.values())
        return {name: ReplyPlace(others) if spec.reply else found[name] for name, spec in self.sheet.results.items()}

    def _place(self, name: str, spec: ResultSpec) -> ResultPlace:
        from pi_gym.predicates.node import Node, ParseContext
        from pi_gym.predicates.patterns import glob
        from pi_gym.predicates.value_rules import parse_value
        from pi_gym.results.demands import conditions_of
        from pi_gym.results.place import FilePlace, NewFilePlace, NewFilesPlace, RowsPlace, SentPlace

        field, letter = f"results.{name}", spec.kind == "mail"

        def filled(part: str, raw: Any) -> Any:
            # Places come before what is right, so they see the world alone.
            return self.source.render(f"{field}.{part}", raw, self._names)

        if spec.file is not None:
            return FilePlace(str(filled("file", spec.file)), new=False, letter=letter)
        if spec.new_file is not None:
            return FilePlace(str(filled("new_file", spec.new_file)), new=True, letter=letter)
        new = spec.one_new_file or spec.new_files
        if new is not None:
            one = filled("one_new_file" if spec.one_new_file else "new_files", new.model_dump())
            folder = one["folder"] if one["folder"].endswith("/") else f"{one['folder']}/"
            kind = NewFilePlace if spec.one_new_file else NewFilesPlace
            return kind(folder, frozenset(one["but"]), glob(one["named"]), one["named"], letter)
        if spec.sent is not None:
            sent = filled("sent", spec.sent.model_dump())
            nodes = {part: Node(sent[part], f"{field}.sent.{part}", ParseContext(None)) for part in ("where", "unless")}
            asked = {part: tuple(one for _, one in conditions_of(node)) for part, node in nodes.items() if node.raw}
            to, but = (tuple(map(str.casefold, sent[name])) for name in ("to", "but"))
            return SentPlace(to, frozenset(but), asked.get("where", ()), asked.get("unless", ()))
        assert spec.rows is not None
        rows = filled("rows", spec.rows.model_dump())
        context = ParseContext(None)
        where = {key: Node(one, f"{field}.rows.where.{key}", context) for key, one in rows["where"].items()}
        conditions = tuple((key, parse_value(one)) for key, one in where.items())
        return RowsPlace(rows["app"], rows["table"], conditions, rows["state"], tuple(spec.key), letter)

    def said(self, wish: Wish, name: str) -> str:
        """Her words on a wish ("says", "undrawn", "corrects"), or the wish as a sentence ("wish")."""
        raw = self.source.text(wish.spec, name)
        return str(self.render(f"{wish.field}.{name}", raw, **wish.local(wish.value))).strip()


def _encoded(data: str | bytes) -> bytes:
    return data.encode() if isinstance(data, str) else bytes(data)
