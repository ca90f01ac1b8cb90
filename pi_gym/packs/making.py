"""Making a task of results and wishes: what is right in a world, and what judges and solves the session by it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from pi_gym.authoring.handed import Change
from pi_gym.errors import PackError, SpecError
from pi_gym.packs.source import TaskSource, attribute
from pi_gym.packs.task import AppColumn, Intent, Item, KnownAnswer, Recovery
from pi_gym.packs.variants import Variant, VariantValues, named_errors
from pi_gym.schema.task_sheet import ResultSpec, RowsSpec, ToldSpec, WishSpec
from pi_gym.templates import Namespace

if TYPE_CHECKING:
    from pi_gym.packs.folder import PackFolder
    from pi_gym.predicates.check import Check
    from pi_gym.predicates.compile import Predicate
    from pi_gym.predicates.node import FileState
    from pi_gym.questions import Matcher, Topic
    from pi_gym.questions.choices import Choice
    from pi_gym.questions.matcher import TopicKind
    from pi_gym.results.content import ResultContent, ResultText
    from pi_gym.results.place import ResultPlace
    from pi_gym.results.result_checks import AskedFacet, ResultCheck, Scope
    from pi_gym.results.right_answers import Belief, RightAnswers
    from pi_gym.results.things import Things

HISTORY_FILE = "memory/HISTORY.md"
T = TypeVar("T")
#: The kinds of change that a state of rows stands for, where it is not one itself.
_CHANGES: dict[str, tuple[str, ...]] = {"changed": ("created", "updated")}


def _named_rows(rows: RowsSpec | None) -> list[int]:
    """The ids of a result's rows, where its conditions name them: no other row need change."""
    named = rows.where.get("id") if rows else None
    ids = named.get("one_of") if isinstance(named, dict) else [named]
    return [one for one in ids or () if isinstance(one, int)]


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

    def local(self, value: Any) -> dict[str, Any]:
        """The names that its own templates see beside the task's: the value, and her words for it."""
        return {"value": value, "it": self.words[value][0] if self.words else ""}


class TaskMaking:
    """The sources of the parts of one task.

    Args:
        source: the task's template.
        variant: what was drawn and computed.
        values: the hidden values; those of the variant, or others over the same world.
        canary: a mark for hidden texts.
        home: the task's pack, for what is pickled as a reference to it.
    """

    def __init__(
        self,
        source: TaskSource,
        variant: Variant,
        values: VariantValues,
        canary: str = "",
        home: PackFolder | None = None,
    ) -> None:
        self.source, self.variant, self.values, self.canary = source, variant, values, canary
        self.home = home
        self.sheet = source.spec
        self._raw: dict[Belief, Namespace] = {}
        self._known_things: dict[str, Things] = {}

    # -- what is right -----------------------------------------------------------------------------------------------

    @cached_property
    def wishes(self) -> tuple[Wish, ...]:
        """The pool, in file order."""
        return tuple(self._wish(spec, place) for place, spec in enumerate(self.sheet.wishes))

    def _wish(self, spec: WishSpec, place: int) -> Wish:
        drawn = spec.label in self.variant.draw
        given = self.source.words(spec)
        if not given:
            return Wish(spec, place, drawn, True, {})
        context = {"persona": self.values.persona, "p": self.values.p, "world": self.variant.world}
        words = {key: self.source.said(spec, place, said, context) for key, said in given.items()}
        holder = self.values.persona if spec.use is not None else self.values.p
        return Wish(spec, place, drawn, getattr(holder, attribute(spec.use or spec.label)), words)

    @cached_property
    def answers_of(self) -> RightAnswers:
        """The right answers in this world, whatever the wishes are."""
        from pi_gym.results.right_answers import RightAnswers, WishRange

        pool = []
        for wish in self.wishes:
            true = wish.value if wish.drawn or wish.told else None
            others = tuple(value for value in (None, *(wish.words or (True,))) if value != true)
            pool.append(WishRange(wish.name, wish.drawn, true, others))
        return RightAnswers(pool, self._contents)

    def right(self, belief: Belief) -> Namespace:
        """The mapping that `right` of right.py gives for a belief."""
        found = self._raw.get(belief)
        if found is None:
            found = self._raw[belief] = self._computed(belief)
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
            wishes = ", ".join(f"{wish.name}={one!r}" for wish, one in zip(self.wishes, belief, strict=True))
            reason = f"right() raised {type(error).__name__}: {error} (variant {self.variant.number}; {wishes})"
            raise PackError(self.source.code_file, "right", reason) from error

    def _believed(self, belief: Belief) -> Namespace:
        names = (attribute(wish.name) for wish in self.wishes)
        return Namespace(dict(zip(names, belief, strict=True)), "wishes")

    def context(self, belief: Belief | None = None) -> dict[str, Any]:
        """The names that the task's templates see; without a belief, as it is right."""
        known = self.answers_of.true if belief is None else belief
        pool = frozenset(wish.name for wish in self.wishes)

        def drawn(name: str) -> bool:
            if name not in pool:
                raise ValueError(f"drawn({name!r}): the pool has no such wish")
            return name in self.variant.draw

        return {
            "persona": self.values.persona,
            "p": self.values.p,
            "world": self.variant.world,
            "wishes": self._believed(known),
            "right": self.right(known),
            "drawn": drawn,
        }

    @cached_property
    def _whole(self) -> dict[str, Any]:
        return self.context()

    def render(self, field: str, raw: Any, **local: Any) -> Any:
        """A field of task.yaml, filled in as it is right."""
        return self.source.render(field, raw, {**self._whole, **local})

    def _contents(self, belief: Belief) -> Mapping[str, ResultContent | None]:
        with named_errors(self.source, self.variant.number):
            return {name: self._content(name, spec, belief) for name, spec in self.sheet.results.items()}

    def _content(self, name: str, spec: ResultSpec, belief: Belief) -> ResultContent | None:
        from pi_gym.results.letters import message_in, messages_of
        from pi_gym.results.place import RowsPlace, SentPlace, records_of

        place, given = self.places[name], self._given(name, spec, belief)
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

    def _given(self, name: str, spec: ResultSpec, belief: Belief) -> Any:
        right = self.right(belief)
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
        given = self._given(name, spec, belief)
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
    def _true_context(self) -> dict[str, Any]:
        """The names that files see: they are as they are, whatever is believed."""
        values, drawn = self.variant.values, self._whole["drawn"]
        return {"persona": values.persona, "p": values.p, "world": self.variant.world, "drawn": drawn}

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

    def seed(self, path: str) -> str | None:
        """The text of a file as the task brings it; None where it brings none."""
        made = self.variant.files.get(path)
        if made is not None:
            return made if isinstance(made, str) else bytes(made).decode("utf-8", "replace")
        given = self.source.files.get(path)
        if given is None:
            return None
        return given.decode("utf-8", "replace") if isinstance(given, bytes) else str(given(self._true_context))

    # -- places and checks -------------------------------------------------------------------------------------------

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
            context = {"persona": self.values.persona, "p": self.values.p, "world": self.variant.world}
            return self.source.render(f"{field}.{part}", raw, context)

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
            return SentPlace(frozenset(map(str.casefold, sent["but"])), asked.get("where", ()), asked.get("unless", ()))
        assert spec.rows is not None
        rows = filled("rows", spec.rows.model_dump())
        context = ParseContext(None)
        where = {key: Node(one, f"{field}.rows.where.{key}", context) for key, one in rows["where"].items()}
        conditions = tuple((key, parse_value(one)) for key, one in where.items())
        return RowsPlace(rows["app"], rows["table"], conditions, rows["state"], tuple(spec.key), letter)

    def asked(self, result: str, raw: Any, field: str, wish: Wish | None) -> tuple[AskedFacet, ...]:
        """Facets of a result with their arguments.

        Args:
            result: its name.
            raw: a facet's name, a list of names, or a mapping of names to arguments.
            field: where it stands.
            wish: whose facets they are; None for an item or what makes a result sound.
        """
        if isinstance(raw, str):
            raw = {raw: None}
        elif isinstance(raw, list | tuple):
            raw = dict.fromkeys(raw)
        local = {} if wish is None else wish.local(wish.value)
        return tuple(
            self._one_asked(result, name, given, f"{field}.{name}", wish, local) for name, given in raw.items()
        )

    def _one_asked(
        self, result: str, name: str, given: Any, field: str, wish: Wish | None, local: Mapping[str, Any]
    ) -> AskedFacet:
        from pi_gym.predicates.node import Node, ParseContext
        from pi_gym.results.facets import Aspect, facet_of
        from pi_gym.results.readings import parse_reading
        from pi_gym.results.result_checks import AskedAspect, AskedCheck, AskedDemand

        if name == "check":
            return AskedCheck(self._function(given, field, local))
        spec = self.sheet.results[result]
        facet = facet_of(spec.kind, name, Node(given, field, ParseContext(None)))
        node = Node(self.render(field, given, **local), field, ParseContext(None))
        if isinstance(facet, Aspect):
            reading, least = parse_reading(node, facet, spec.key, self._things(result, spec))
            return AskedAspect(facet, reading, least)
        if given is None:
            if facet.alone is None or wish is None or not wish.words:
                raise SpecError(field, f"expected {facet.takes}: {name} needs an argument here")
            argument = facet.alone(wish.value, {key: list(said) for key, said in wish.words.items()})
            node = Node(argument, field, ParseContext(None))
        return AskedDemand(facet, facet.parse(node))

    def _things(self, result: str, spec: ResultSpec) -> Things:
        from pi_gym.results.readings import parse_things
        from pi_gym.results.things import NO_THINGS

        if spec.things is None:
            return NO_THINGS
        if result not in self._known_things:
            field = f"results.{result}.things"
            self._known_things[result] = parse_things(self.render(field, spec.things), field)
        return self._known_things[result]

    def result_check(self, result: str, raw: Any, field: str, scope: Scope, wish: Wish | None = None) -> ResultCheck:
        """The check of a result; arguments as in `asked`."""
        from pi_gym.results.result_checks import ResultCheck

        spec = self.sheet.results[result]
        return ResultCheck(
            result,
            self.places[result],
            self.asked(result, spec.sound, f"results.{result}.sound", None),
            self.asked(result, raw, field, wish) if raw else (),
            lambda: self.answers_of,
            scope,
            "" if wish is None else wish.name,
        )

    def _function(self, raw: Any, field: str, local: Mapping[str, Any]) -> Check:
        """The check of functions of right.py: a name, a list of names, or names with what they take."""
        from pi_gym.predicates.compile import compile_predicate

        rendered = self.render(field, raw, **local)
        names = {rendered: None} if isinstance(rendered, str) else rendered
        if not isinstance(names, Mapping):
            names = dict.fromkeys(names)
        spec = [{"function": f"check_{name}", **({"with": given} if given else {})} for name, given in names.items()]
        return compile_predicate(spec, field, self.source.code.checks).root

    def _checks(self, holds: Mapping[str, Any], field: str, scope: Scope, wish: Wish | None) -> Iterator[Check]:
        """The checks of what a wish or an item holds."""
        from pi_gym.predicates.compile import compile_predicate

        for result, raw in holds.items():
            place = f"{field}.{result}"
            local = {} if wish is None else wish.local(wish.value)
            if result == "check":
                yield self._function(raw, place, local)
            elif result == "predicate":
                state: FileState = "changed" if scope == "wish" else "any"
                spec = self.render(place, raw, **local)
                yield compile_predicate(spec, place, self.source.code.checks, file_state=state).root
            else:
                yield self.result_check(result, raw, place, scope, wish)

    def predicate(self, holds: Mapping[str, Any], field: str, scope: Scope, wish: Wish | None = None) -> Predicate:
        """The predicate of what a wish or an item holds."""
        from pi_gym.predicates.compile import All, Predicate

        return Predicate(All(tuple(self._checks(holds, field, scope, wish))), field)

    def read_all(self) -> None:
        """See to it that all that the author wrote of wishes, drawn or not, of results and items can be read.

        Raises:
            PackError: something cannot; the message names file and field.
        """
        # Contents first: what right.py gives is the cause, a function's argument that holds it the symptom.
        for belief in self.answers_of.beliefs():
            self.answers_of.results(belief)
        with named_errors(self.source, self.variant.number):
            for wish in self.wishes:
                self.predicate(wish.spec.holds, f"{wish.field}.holds", "wish", wish)
                _ = self.wish_text(wish), self.said(wish, "says"), tuple(self._recoveries(wish))
            for index, item in enumerate(self.sheet.checklist):
                self.predicate(item.holds, f"checklist[{index}].holds", "item")
            for name in self.sheet.results:
                self.predicate({name: None}, f"results.{name}.sound", "sound")

    # -- the parts of the task ---------------------------------------------------------------------------------------

    def _named(self, make: Callable[[], T]) -> Callable[[], T]:
        def named() -> T:
            with named_errors(self.source, self.variant.number):
                return make()

        return named

    def _kept(self, predicate: Predicate, number: str, part: str) -> Predicate:
        """The predicate of an intent or an item, as one whose pickle is a reference to it."""
        from pi_gym.packs.task_predicate import TaskPredicate

        if self.home is None:
            return predicate
        place = (self.source.folder.name, self.variant.number, self.canary, number, part)
        return TaskPredicate(predicate.root, predicate.field, self.home, place)

    def _mark(self, number: str) -> str:
        return f" {self.canary}-{number}" if self.canary else ""

    def wish_text(self, wish: Wish) -> str:
        """A wish as a sentence."""
        return str(
            self.render(f"{wish.field}.wish", self.source.text(wish.spec, "wish"), **wish.local(wish.value))
        ).strip()

    def said(self, wish: Wish, name: str, value: Any = None) -> str:
        """Her words on a wish ("says", "undrawn", "corrects"), for its own value or another one."""
        local = wish.local(wish.value if value is None else value)
        return str(self.render(f"{wish.field}.{name}", self.source.text(wish.spec, name), **local)).strip()

    def intents(self) -> tuple[Intent, ...]:
        """The drawn wishes, in file order."""
        drawn = [wish for wish in self.wishes if wish.drawn]
        return tuple(self._intent(wish, f"i{number}") for number, wish in enumerate(drawn, start=1))

    def _intent(self, wish: Wish, number: str) -> Intent:
        spec, mark = wish.spec, self._mark(number)

        def when(name: str) -> Callable[[], Any]:
            def make() -> Any:
                from pi_gym.predicates.compile import compile_predicate

                raw = getattr(spec, name)
                if raw is None:
                    return None
                field = f"{wish.field}.{name}"
                return self._kept(
                    compile_predicate(self.render(field, raw), field, self.source.code.checks), number, name
                )

            return self._named(make)

        def satisfied() -> Predicate:
            return self._kept(self.predicate(spec.holds, f"{wish.field}.holds", "wish", wish), number, "satisfied")

        return Intent.waiting(
            {
                "text": self._named(lambda: self.wish_text(wish) + mark),
                "satisfied": self._named(satisfied),
                "reveal": self._named(lambda: self.said(wish, "says") + mark),
                "after": when("after"),
                "before": when("before"),
                "recover": self._named(lambda: tuple(self._recoveries(wish))),
                "choices": self._named(lambda: self._choices(wish)),
                "corrects": self._named(lambda: self.said(wish, "corrects")),
            },
            id=number,
            name=wish.name,
            scope="persistent" if spec.use is not None else "session",
            values=(self.source.parameter(spec),) if wish.words else (),
            by_rule=True,
            tags=tuple(spec.tags),
        )

    def _choices(self, wish: Wish) -> tuple[Choice, ...]:
        from pi_gym.questions.choices import Choice

        return tuple(Choice(str(value), words, value == wish.value) for value, words in wish.words.items())

    def _recoveries(self, wish: Wish) -> Iterator[Recovery]:
        for index, told in enumerate(wish.spec.told):
            yield self._recovery(wish, told, f"{wish.field}.told[{index}]")
        if wish.spec.told_in is not None:
            said = {value: self._first_said(wish, value) for value in wish.words}
            yield self._way(wish, HISTORY_FILE, wish.spec.told_in, said, self._first_said(wish, wish.value))

    def _first_said(self, wish: Wish, value: Any) -> str:
        """Her words in the session that settled a lasting wish."""
        lasting = self.source.lasting_wishes[wish.spec.use or ""]
        return str(self.render(f"{wish.field}.first", lasting.first, **wish.local(value))).strip()

    def _recovery(self, wish: Wish, told: ToldSpec, field: str) -> Recovery:
        from pi_gym.packs.app_columns import app_column

        def sentence(value: Any) -> str:
            return str(self.render(f"{field}.sentence", told.sentence, **wish.local(value))).strip()

        place: str | AppColumn
        if told.file is not None:
            place = str(self.render(f"{field}.file", told.file))
        else:
            way = {"app": told.app, "table": told.table, "column": told.column, "where": told.where}
            place = app_column(self.render(field, way), field)
        said = {value: sentence(value) for value in wish.words}
        return self._way(wish, place, None, said, sentence(wish.value))

    def _way(
        self, wish: Wish, place: str | AppColumn, session: str | None, said: Mapping[Any, str], true: str
    ) -> Recovery:
        """A way to know a wish: the sentence for its value stands there, or one for all its values."""
        if len(set(said.values())) < 2:
            return Recovery(place, session, {}, f"(?i){_written(true)}", {})
        name = self.source.parameter(wish.spec)
        longest = sorted(said.values(), key=len, reverse=True)
        pattern = f"(?i)({'|'.join(map(_written, longest))})"
        meaning = {" ".join(one.split()).casefold(): value for value, one in said.items()}
        return Recovery(place, session, {name: (pattern, meaning)}, None, {name: wish.value})

    def checklist(self) -> tuple[Item, ...]:
        """An item for each result that has a threshold, for each drawn wish, the author's, and the guard."""
        drafts = list(self._drafts())
        ids = {draft.name: f"c{number}" for number, draft in enumerate(drafts, start=1)}
        return tuple(self._item(draft, ids) for draft in drafts)

    def _drafts(self) -> Iterator[_Draft]:
        first = ""
        for name, spec in self.sheet.results.items():
            if spec.sound and self.answers_of.is_always_wanted(name):
                first = first or f"{name}-sound"
                yield _Draft(
                    f"{name}-sound",
                    "",
                    lambda name=name: f"What is handed in as {name} is there, and its core is right.",  # type: ignore[misc]
                    lambda name=name: self.predicate({name: None}, f"results.{name}.sound", "sound"),  # type: ignore[misc]
                    self._evidence([name]),
                )
        for wish in self.wishes:
            if wish.drawn:
                yield self._wish_draft(wish)
        for index, item in enumerate(self.sheet.checklist):
            if self.variant.draw.issuperset(item.needs):
                yield self._own_draft(index)
        yield _Draft(
            "nothing-else",
            first,
            lambda: "Nothing was changed but what had to be.",
            lambda: self._guard(),
            {},
        )

    def _wish_draft(self, wish: Wish) -> _Draft:
        return _Draft(
            wish.name,
            "",
            lambda: self.wish_text(wish),
            lambda: self.predicate(wish.spec.holds, f"{wish.field}.holds", "wish", wish),
            self._evidence(wish.spec.holds),
        )

    def _own_draft(self, index: int) -> _Draft:
        item, field = self.sheet.checklist[index], f"checklist[{index}]"

        return _Draft(
            item.name,
            item.requires or "",
            lambda: str(self.render(f"{field}.criterion", item.criterion)).strip(),
            lambda: self.predicate(item.holds, f"{field}.holds", "item"),
            self._evidence(item.holds),
        )

    def _item(self, draft: _Draft, ids: Mapping[str, str]) -> Item:
        number = ids[draft.name]
        if draft.requires and draft.requires not in ids:
            raise SpecError(f"checklist.{draft.name}.requires", f"there is no item {draft.requires!r} in this draw")
        return Item.waiting(
            {
                "text": self._named(lambda: draft.text() + self._mark(number)),
                "check": self._named(lambda: self._kept(draft.check(), number, "check")),
            },
            evidence=draft.evidence,
            id=number,
            name=draft.name,
            grader="rule",
            requires=ids.get(draft.requires, ""),
            weight=1.0,
            script=None,
            by_rule=True,
        )

    def _evidence(self, names: Collection[str]) -> Mapping[str, Sequence[str]]:
        """The files and tools that show some results; nothing, which is everything, where a function or a predicate
        looks.
        """
        from pi_gym.results.place import SENT_IN, FilePlace, NewFilePlace, RowsPlace, SentPlace

        if any(name not in self.places for name in names):
            return {}
        files: list[str] = []
        tools: list[str] = []
        apps: list[str] = []
        for name in names:
            place = self.places[name]
            if isinstance(place, FilePlace):
                files.append(place.path)
            elif isinstance(place, NewFilePlace):
                files.append(f"{place.folder}*")
            elif isinstance(place, RowsPlace):
                tools.append(f"{place.app}__*")
                apps.append(place.app)
            elif isinstance(place, SentPlace):
                tools += [f"{app}__*" for app, _ in SENT_IN]
                apps += [app for app, _ in SENT_IN]
            else:
                tools += ["message", "ask_user"]
        found = {
            name: tuple(dict.fromkeys(each)) for name, each in (("files", files), ("tools", tools), ("apps", apps))
        }
        return {key: value for key, value in found.items() if value}

    def _guard(self) -> Predicate:
        """The predicate that nothing was touched but the results, and what may change beside."""
        from pi_gym.predicates.compile import All, Predicate, compile_predicate
        from pi_gym.predicates.patterns import glob
        from pi_gym.results.file_facets import Keeps
        from pi_gym.results.guarding import UntouchedFiles
        from pi_gym.results.place import SENT_IN, FilePlace, NewFilePlace, RowsPlace, SentPlace
        from pi_gym.results.result_checks import AskedDemand

        files: list[str] = []
        apps: dict[str, Any] = {}
        keeps: dict[str, Any] = {}
        for name, place in self.places.items():
            if isinstance(place, RowsPlace):
                kinds = apps.setdefault(place.app, {}).setdefault(place.table, [])
                touched = _named_rows(self.sheet.results[name].rows) or _CHANGES.get(place.state, (place.state,))
                kinds += [one for one in touched if one not in kinds]
            elif isinstance(place, SentPlace):
                for app, table in SENT_IN:
                    kinds = apps.setdefault(app, {}).setdefault(table, [])
                    kinds += [] if "created" in kinds else ["created"]
            elif isinstance(place, FilePlace) and not place.new:
                sound = self.asked(name, self.sheet.results[name].sound, f"results.{name}.sound", None)
                conditions = [
                    one.condition for one in sound if isinstance(one, AskedDemand) and one.demand.name == "keeps"
                ]
                if conditions:
                    keeps[place.path] = conditions[0]
        for index, raw in enumerate(self.render("may_change", self.sheet.may_change)):
            if not isinstance(raw, Mapping):
                files.append(f"{raw}**" if raw.endswith("/") else raw)
            elif "file" in raw or "keeps" in raw:
                if set(raw) != {"file", "keeps"}:
                    raise SpecError(
                        f"may_change[{index}]", "expected `{file, keeps}`: a file, and the share that must stay"
                    )
                keeps[raw["file"]] = Keeps(raw["keeps"])
                files.append(raw["file"])
            else:
                for app, tables in raw.items():
                    apps[app] = _joined(apps.get(app, {}), tables)
        kept = UntouchedFiles(
            tuple(place for place in self.places.values() if isinstance(place, FilePlace)),
            tuple(place for place in self.places.values() if isinstance(place, NewFilePlace)),
            keeps,
            tuple(map(glob, files)),
        )
        rows = compile_predicate({"app_changes": {"only": apps} if apps else {"none": True}}, "may_change")
        return Predicate(All((kept, rows.root)), "may_change")

    def undrawn(self) -> dict[str, str]:
        """By wish that is not drawn, what the user says of it."""
        return {wish.name: self.said(wish, "undrawn") for wish in self.wishes if not wish.drawn}

    def answers(self) -> tuple[KnownAnswer, ...]:
        """The answers to what else may be asked."""
        return tuple(
            KnownAnswer(one.topic, str(self.render(f"answers[{index}].says", one.says)).strip(), one.permission)
            for index, one in enumerate(self.sheet.answers)
        )

    @property
    def question_budget(self) -> int | None:
        """The number of asking clauses that the user answers, where asking is costly."""
        return None if self.sheet.questions is None else self.sheet.questions.budget

    def questions(self) -> Matcher:
        """The matcher of all topics."""
        return matcher_of(self.source, self.context(), self.variant.number)

    # -- the model solution ------------------------------------------------------------------------------------------

    def steps(self, values: VariantValues, overrides: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """The steps of the solution, filled in for some hidden values over the same world."""
        making = self if not overrides else TaskMaking(self.source, self.variant, values, self.canary)
        # Of a wish that nobody asks for and nothing tells, a belief changes the work only where it is given.
        believed = {
            wish.name: wish.value
            for wish in making.wishes
            if not wish.drawn and self.source.parameter(wish.spec) in overrides
        }
        return making.solution(believed)

    def solution(self, beliefs: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """The steps of the solution by somebody with these beliefs about wishes, who asks for the others only.

        Args:
            beliefs: by wish what it is taken to be; None: nothing is thought of it.
        """
        from pi_gym.packs.solving import Solving

        return Solving(self, beliefs).steps()


@dataclass(frozen=True, slots=True)
class _Draft:
    name: str
    requires: str
    text: Callable[[], str]
    check: Callable[[], Predicate]
    evidence: Mapping[str, Sequence[str]]


def _joined(own: Any, more: Any) -> Any:
    """The changes to an app that are allowed: its results', and those that the author lets be beside."""
    if not (isinstance(own, Mapping) and isinstance(more, Mapping)):
        return more
    joined = dict(own)
    for table, kinds in more.items():
        held = joined.get(table)
        joined[table] = [*held, *kinds] if isinstance(held, list) and isinstance(kinds, list) else kinds
    return joined


def _listed(said: str | Sequence[str]) -> Sequence[str]:
    return [said] if isinstance(said, str) else said


def _written(sentence: str) -> str:
    """An expression (RE2) for a sentence, wherever its lines are broken."""
    import re2

    return r"\s+".join(map(re2.escape, sentence.split()))


def matcher_of(source: TaskSource, context: Mapping[str, Any], number: int) -> Matcher:
    """The matcher of all topics of a task, each compiled anew only where a template of it reads otherwise."""
    from pi_gym.questions.matcher import Matcher, compile_topic

    def topic(name: str, kind: TopicKind, entry: Mapping[str, Any]) -> Topic:
        rendered = source.render(f"questions.{name}", entry, context)
        if rendered is entry:  # without templates it reads alike in all variants
            if name not in source.plain_topics:
                source.plain_topics[name] = compile_topic(name, kind, entry)
            return source.plain_topics[name]
        return source.compiled(f"questions.{name}", rendered, lambda raw: compile_topic(name, kind, raw))

    try:
        return Matcher([topic(name, kind, entry) for name, (kind, entry) in source.questions.items()])
    except SpecError as error:
        reason = f"{error.reason} (variant {number})"
        raise PackError(source.asked_file, error.field.removeprefix("questions."), reason) from error
