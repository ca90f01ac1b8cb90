"""Making a task of results and wishes: draw the values, compute the world and what is right, derive what judges it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import re2

from pi_gym.errors import PackError, SpecError
from pi_gym.packs.app_rows import id_base, staged_rows
from pi_gym.packs.build import Variant, VariantValues, named_errors, persona_card
from pi_gym.packs.build import _files as seed_files
from pi_gym.packs.build import _moment as moment
from pi_gym.packs.folder import PackFolder
from pi_gym.packs.sheet import SheetSource
from pi_gym.packs.task import AppColumn, Intent, Item, Recovery, Task
from pi_gym.predicates.check import Check
from pi_gym.predicates.compile import All, Predicate
from pi_gym.predicates.node import Node, ParseContext
from pi_gym.results.place import FilePlace, NewFilePlace, Place, ReplyPlace, RowsPlace
from pi_gym.schema.params import draw_params
from pi_gym.schema.task_sheet import ResultSpec, ToldSpec, WishSpec
from pi_gym.seeding import Stream
from pi_gym.templates import Namespace, render_prompt, render_text

HISTORY_FILE = "memory/HISTORY.md"


def attribute(name: str) -> str:
    """A wish's name as Python and templates write it."""
    return name.replace("-", "_")


@dataclass(frozen=True)
class Wish:
    """A wish of the pool in one variant.

    Args:
        spec: as the author wrote it; `place` its number in the pool.
        drawn: whether this world holds it.
        value: what she wants: one of its values, or True for a wish that has none.
        words: that in her words; "" where it has no values.
    """

    spec: WishSpec
    place: int
    drawn: bool
    value: Any
    words: str

    @property
    def name(self) -> str:
        """Its name in the task."""
        return self.spec.label

    @property
    def told(self) -> bool:
        """Whether it can be known without asking."""
        return bool(self.spec.told) or self.spec.told_in is not None


class Sheet:
    """One variant of a task while it is made.

    Args:
        pack: the pack.
        source: the task's template.
        number: of the variant.
        overrides: by parameter name ("persona.decimals", "compare"), values that replace drawn ones.
    """

    def __init__(
        self, pack: PackFolder, source: SheetSource, number: int, overrides: Mapping[str, Any] | None = None
    ) -> None:
        self.pack, self.source, self.number = pack, source, number
        self._overrides = dict(overrides or {})
        self.sheet = source.sheet

    # -- what is drawn -----------------------------------------------------------------------------------------------

    @cached_property
    def persona(self) -> Namespace:
        """Facts, preferences and lasting wishes of the person."""
        card = self.pack.persona
        stream = Stream(self.pack.name, self.number, "persona")
        values = {**card.facts, **draw_params(card.preferences, stream)}
        for name, wish in self.source.lasting.items():
            values[attribute(name)] = stream.child(attribute(name)).choice(list(wish.choices))
        values |= {"name": card.name, "role": card.role, "user": card.user}
        for name, value in self._overrides.items():
            if name.startswith("persona."):
                values[name.removeprefix("persona.")] = value
        for key, text in card.derived.items():
            values[key] = render_text(text, {"persona": Namespace(values, "persona")}, f"derived.{key}")
        return Namespace(values, "persona")

    @cached_property
    def params(self) -> Namespace:
        """The open values of the task, and those of its wishes."""
        stream = Stream(self.pack.name, self.source.folder.name, self.number, "params")
        values = draw_params(self.sheet.params, stream)
        for wish in self.sheet.wishes:
            if wish.values:
                values[attribute(wish.label)] = stream.child(attribute(wish.label)).choice(list(wish.values))
        values |= {name: value for name, value in self._overrides.items() if not name.startswith("persona.")}
        return Namespace(values, "p")

    @cached_property
    def draw(self) -> frozenset[str]:
        """The names of the wishes that this world holds."""
        pool, stream = self.sheet.wishes, Stream(self.pack.name, self.source.folder.name, self.number, "draw")
        always = [wish.label for wish in pool if wish.always]
        others = [wish.label for wish in pool if not wish.always]
        count = stream.integer(self.sheet.draw.min, self.sheet.draw.max)
        return frozenset(always + stream.sample(others, count - len(always)))

    @cached_property
    def wishes(self) -> tuple[Wish, ...]:
        """The pool, in file order."""
        return tuple(self._wish(spec, place) for place, spec in enumerate(self.sheet.wishes))

    def _wish(self, spec: WishSpec, place: int) -> Wish:
        words = self.source.words(spec)
        if not words:
            return Wish(spec, place, spec.label in self.draw, True, "")
        value = self.persona[attribute(spec.use)] if spec.use is not None else self.params[attribute(spec.label)]
        said = words[value]
        return Wish(spec, place, spec.label in self.draw, value, said if isinstance(said, str) else said[0])

    # -- what is computed --------------------------------------------------------------------------------------------

    @cached_property
    def _computed(self) -> tuple[Namespace, Mapping[str, str | bytes]]:
        source = self.source
        if source.code.world is None:
            return Namespace({}, "world"), {}
        stream = Stream(self.pack.name, source.folder.name, self.number, "world")
        made = self._called("world", source.code.world, stream, VariantValues(self.persona, self.params))
        if not (isinstance(made, tuple) and len(made) == 2 and all(isinstance(part, Mapping) for part in made)):
            reason = f"expected (facts, files), two mappings, got {type(made).__name__}"
            raise PackError(f"{source.shown}/right.py", "world", reason)
        return Namespace(made[0], "world"), made[1]

    @property
    def world(self) -> Namespace:
        """The facts of the world."""
        return self._computed[0]

    @property
    def made_files(self) -> Mapping[str, str | bytes]:
        """The files that were computed."""
        return self._computed[1]

    def right(self, known: Iterable[str]) -> Namespace:
        """What is right where these wishes are known: content of the results, and whatever the task's texts need.

        Args:
            known: names of wishes; those of them that this world holds count.
        """
        known = frozenset(known) & self.draw
        wishes = {attribute(wish.name): wish.value if wish.name in known else None for wish in self.wishes}
        if self.source.code.right is None:
            return Namespace({}, "right")
        made = self._called("right", self.source.code.right, self.world, Namespace(wishes, "wishes"))
        if not isinstance(made, Mapping):
            raise PackError(f"{self.source.shown}/right.py", "right", f"expected a mapping, got {type(made).__name__}")
        return Namespace(made, "right")

    def _called(self, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except Exception as error:
            reason = f"{name}() raised {type(error).__name__}: {error} (variant {self.number})"
            raise PackError(f"{self.source.shown}/right.py", name, reason) from error

    def context(self, known: Iterable[str] | None = None) -> dict[str, Any]:
        """What the task's templates see.

        Args:
            known: the wishes that are known; None: all of them.
        """
        pool = {wish.name for wish in self.wishes}
        known = self.draw if known is None else frozenset(known) & self.draw

        def drawn(name: str) -> bool:
            if name not in pool:
                raise ValueError(f"drawn({name!r}): the pool has no such wish")
            return name in self.draw

        return {
            "persona": self.persona,
            "p": self.params,
            "world": self.world,
            "right": self.right(known),
            "wishes": Namespace(
                {attribute(wish.name): wish.value if wish.name in known else None for wish in self.wishes}, "wishes"
            ),
            "drawn": drawn,
            "first_id": id_base(self.source.place) + 1,
        }

    # -- places and checks -------------------------------------------------------------------------------------------

    @cached_property
    def places(self) -> Mapping[str, Place]:
        """The places of the results, by name."""
        return {name: self._place(name, spec) for name, spec in self.sheet.results.items()}

    @cached_property
    def _whole(self) -> dict[str, Any]:
        return self.context()

    def render(self, field: str, raw: Any, **more: Any) -> Any:
        """A field filled in as it is right."""
        return self.source.render(field, raw, {**self._whole, **more})

    def _place(self, name: str, spec: ResultSpec) -> Place:
        field = f"results.{name}"
        if spec.file is not None:
            return FilePlace(str(self.render(f"{field}.file", spec.file)), new=False)
        if spec.new_file is not None:
            return FilePlace(str(self.render(f"{field}.new_file", spec.new_file)), new=True)
        if spec.one_new_file is not None:
            from pi_gym.predicates.patterns import glob

            one = self.render(f"{field}.one_new_file", spec.one_new_file.model_dump())
            return NewFilePlace(one["folder"], frozenset(one["but"]), glob(one["named"]), one["named"])
        if spec.rows is not None:
            from pi_gym.predicates.value_rules import parse_value

            rows = self.render(f"{field}.rows", spec.rows.model_dump())
            where = Node(rows["where"], f"{field}.rows.where", ParseContext(None))
            conditions = tuple((key, parse_value(one)) for key, one in where.named().items()) if rows["where"] else ()
            return RowsPlace(rows["app"], rows["table"], conditions, rows["state"])
        return ReplyPlace()

    def result_check(self, name: str, asked: Sequence[tuple[str, Any, str]]) -> Check:
        """The check that a result is sound and of some facets.

        Args:
            name: the result's.
            asked: facets with their rendered arguments, each with its field.
        """
        from pi_gym.results.checks import ResultCheck
        from pi_gym.results.facets import parse_facet

        spec = self.sheet.results[name]
        conditions = []
        for facet, argument, field in [*self._sound(name), *asked]:
            node = Node(argument, field, ParseContext(self.source.code.checks))
            conditions.append((facet, parse_facet(spec.kind, facet, node)))
        return ResultCheck(name, self.places, tuple(conditions))

    def _sound(self, name: str) -> list[tuple[str, Any, str]]:
        field = f"results.{name}.sound"
        found = self.render(field, self.sheet.results[name].sound)
        return [(facet, argument, f"{field}.{facet}") for facet, argument in found.items()]

    def holds(self, raw: Mapping[str, Any], field: str, value: Any) -> Predicate:
        """The predicate of a `holds`.

        Args:
            raw: by result its facets, unrendered; under "check" the name of a function of right.py.
            field: where it stands.
            value: what a facet takes that is named without an argument.
        """
        parts: list[Check] = []
        for name, said in raw.items():
            place = f"{field}.{name}"
            if name == "check":
                parts.append(self._function(said, place))
                continue
            filled = self.render(place, said, it=value)
            asked: list[tuple[str, Any, str]] = []
            for one in filled if isinstance(filled, list) else [filled]:
                if isinstance(one, str):
                    asked.append((one, value, f"{place}.{one}"))
                elif isinstance(one, Mapping):
                    asked += [(facet, argument, f"{place}.{facet}") for facet, argument in one.items()]
                else:
                    raise SpecError(place, f"expected facets, got {one!r:.80}")
            parts.append(self.result_check(name, asked))
        return Predicate(parts[0] if len(parts) == 1 else All(tuple(parts)))

    def _function(self, name: Any, field: str) -> Check:
        from pi_gym.predicates.compile import compile_predicate

        return compile_predicate({"function": name}, field, self.source.code.checks)

    # -- who is told what --------------------------------------------------------------------------------------------

    def recoveries(self, wish: Wish) -> tuple[Recovery, ...]:
        """The ways to know a wish without asking."""
        spec, field = wish.spec, f"wishes[{wish.place}]"
        ways = [self._told(wish, one, f"{field}.told[{index}]") for index, one in enumerate(spec.told)]
        if spec.told_in is not None:
            sentence = self.said(wish, first=True)
            ways.append(Recovery(HISTORY_FILE, spec.told_in, {}, _literal(sentence), {}))
        return tuple(ways)

    def _told(self, wish: Wish, told: ToldSpec, field: str) -> Recovery:
        sentence = str(self.render(f"{field}.sentence", told.sentence, it=wish.words))
        if told.file is not None:
            place: str | AppColumn = str(self.render(f"{field}.file", told.file))
        else:
            from pi_gym.packs.app_columns import app_column

            where = self.render(f"{field}.where", told.where)
            place = app_column({**told.model_dump(), "where": where}, field)
        return Recovery(place, None, {}, _literal(sentence), {})

    def said(self, wish: Wish, *, first: bool = False) -> str:
        """What she says to state a wish.

        Args:
            wish: the wish.
            first: in the session in which a lasting one is settled.
        """
        spec = wish.spec
        if first and spec.use is not None:
            raw = self.source.lasting[spec.use].first
        else:
            raw = self.source.text(spec, "says")
        return str(self.render(f"wishes[{wish.place}].says{'.first' if first else ''}", raw, it=wish.words)).strip()


def _literal(sentence: str) -> str:
    """The expression (RE2) of a sentence, wherever its lines break."""
    return r"\s+".join(re2.escape(word) for word in sentence.split())


def build_sheet(pack: PackFolder, source: SheetSource, number: int, canary: str = "") -> Task:
    """The task of one variant; its wishes and its checklist are filled in at the first look at each of their parts.

    Errors of a template or a facet name the file and the field.
    """
    with named_errors(source, number):
        return _build(pack, Sheet(pack, source, number), canary)


def _build(pack: PackFolder, one: Sheet, canary: str) -> Task:
    from pi_gym.packs.solution import solution

    sheet, source = one.sheet, one.source
    context = one.context()
    request = str(source.render("request", sheet.request, context)).strip()
    payload = source.render("payload", sheet.trigger.payload, context)
    variant = Variant(one.number, VariantValues(one.persona, one.params), one.world, one.made_files, one.draw)
    intents = _intents(one, canary)
    return Task(
        home=pack,
        id=source.folder.name,
        index=source.place,
        variant=one.number,
        title=sheet.title,
        category=sheet.category,
        group=sheet.group or "",
        holdout=sheet.holdout,
        persona=persona_card(pack),
        trigger=sheet.trigger.type,
        request=request,
        opening=_opening(one, request, payload),
        time=moment(str(source.render("time", sheet.time, context))),
        needs=tuple(sheet.needs),
        general_tools=pack.general_tools,
        tools=source.tools,
        skills=tuple(pack.skill(name) for name in sheet.skills),
        files=seed_files(source, variant, context),
        apps=staged_rows(pack.app_seeds, source.render("apps", sheet.apps, context)),
        intents=intents,
        checklist=_checklist(one, canary),
        values={_parameter(wish): wish.value for wish in one.wishes if wish.words},
        undrawn=tuple(wish.name for wish in one.wishes if not wish.drawn),
        canary=canary,
        _reference=lambda overrides: solution(
            Sheet(pack, source, one.number, overrides) if overrides else one, canary
        ),
    )


def _opening(one: Sheet, request: str, payload: Mapping[str, Any]) -> str:
    import json

    trigger = one.sheet.trigger
    if trigger.type == "user":
        return request
    data = json.dumps(payload, ensure_ascii=False, indent=2) if payload else ""
    name = f"opening_{trigger.type}.md"
    return render_prompt(name, source=trigger.source, event=trigger.event, payload=data, request=request).strip()


def _parameter(wish: Wish) -> str:
    """The name of the hidden value that a wish stands for."""
    return f"persona.{attribute(wish.spec.use)}" if wish.spec.use is not None else attribute(wish.name)


def _intents(one: Sheet, canary: str) -> tuple[Intent, ...]:
    found: list[Intent] = []
    for wish in one.wishes:
        if wish.drawn:
            found.append(_intent(one, wish, f"i{len(found) + 1}", canary))
    return tuple(found)


def _intent(one: Sheet, wish: Wish, number: str, canary: str) -> Intent:
    source, field, spec = one.source, f"wishes[{wish.place}]", wish.spec
    mark = f" {canary}-{number}" if canary else ""

    def made(make: Callable[[], Any]) -> Callable[[], Any]:
        def named() -> Any:
            with named_errors(source, one.number):
                return make()

        return named

    def asked() -> Any:
        from pi_gym.questions.asked import compile_asked_when

        raw = one.render(f"questions.{wish.name}", source.asked[wish.name])
        return compile_asked_when(raw, f"questions.yaml: {wish.name}")

    def after() -> Any:
        from pi_gym.predicates.compile import compile_predicate

        if spec.after is None:
            return None
        return compile_predicate(one.render(f"{field}.after", spec.after), f"{field}.after", source.code.checks)

    return Intent.waiting(
        {
            "text": made(lambda: wish_text(one, wish) + mark),
            "satisfied": made(lambda: one.holds(spec.holds, f"{field}.holds", wish.value)),
            "asked": made(asked),
            "reveal": made(lambda: one.said(wish) + mark),
            "after": made(after),
            "recover": made(lambda: one.recoveries(wish)),
        },
        id=number,
        name=wish.name,
        scope="persistent" if spec.use is not None else "session",
        values=(_parameter(wish),) if wish.words else (),
    )


def wish_text(one: Sheet, wish: Wish) -> str:
    """A wish as a sentence."""
    raw = one.source.text(wish.spec, "wish")
    return str(one.render(f"wishes[{wish.place}].wish", raw, it=wish.words)).strip()


def _checklist(one: Sheet, canary: str) -> tuple[Item, ...]:
    """An item for each result that has a threshold, for each drawn wish, the author's own, and the guard."""
    drafts: list[tuple[str, str, Callable[[], str], Callable[[], Any], Mapping[str, Sequence[str]]]] = []
    sheet = one.sheet
    for name, spec in sheet.results.items():
        if spec.sound:
            drafts.append(
                (
                    f"{name}-sound",
                    "",
                    lambda name=name: f"The {name} is what was asked for, with its core right.",
                    lambda name=name: Predicate(one.result_check(name, ())),
                    _evidence(one, (name,)),
                )
            )
    for wish in one.wishes:
        if wish.drawn:
            drafts.append(
                (
                    wish.name,
                    "",
                    lambda wish=wish: wish_text(one, wish),
                    lambda wish=wish: one.holds(wish.spec.holds, f"wishes[{wish.place}].holds", wish.value),
                    _evidence(one, wish.spec.holds),
                )
            )
    for index, item in enumerate(sheet.checklist):
        if one.draw.issuperset(item.needs):
            drafts.append(_own_item(one, index))
    first = next((name for name, *_ in drafts), "")
    if sheet.may_change is not None:
        drafts.append(
            (
                "nothing-else",
                first,
                lambda: "Nothing else was changed.",
                lambda: Predicate(_guard(one)),
                {"files": ("**",), "apps": ("*",)},
            )
        )
    ids = {name: f"c{number}" for number, (name, *_) in enumerate(drafts, start=1)}
    items = []
    for name, requires, text, check, evidence in drafts:
        number = ids[name]
        mark = f" {canary}-{number}" if canary else ""
        items.append(
            Item.waiting(
                {
                    "text": _named(one, lambda text=text, mark=mark: text() + mark),
                    "check": _named(one, check),
                    "evidence": lambda evidence=evidence: evidence,
                },
                id=number,
                name=name,
                grader="rule",
                requires=ids.get(requires, ""),
            )
        )
    return tuple(items)


def _named(one: Sheet, make: Callable[[], Any]) -> Callable[[], Any]:
    def named() -> Any:
        with named_errors(one.source, one.number):
            return make()

    return named


def _own_item(
    one: Sheet, index: int
) -> tuple[str, str, Callable[[], str], Callable[[], Any], Mapping[str, Sequence[str]]]:
    item, field = one.sheet.checklist[index], f"checklist[{index}]"

    def check() -> Any:
        if item.holds:
            return one.holds(item.holds, f"{field}.holds", None)
        from pi_gym.predicates.compile import compile_predicate

        return compile_predicate(one.render(f"{field}.check", item.check), f"{field}.check", one.source.code.checks)

    text = lambda: str(one.render(f"{field}.criterion", item.criterion)).strip()  # noqa: E731
    return item.name, item.requires or "", text, check, _evidence(one, item.holds)


def _evidence(one: Sheet, names: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """The files and apps that show some results."""
    files, apps, replies = [], [], False
    for name in names:
        place = one.places.get(name)
        if isinstance(place, FilePlace):
            files.append(place.path)
        elif isinstance(place, NewFilePlace):
            files.append(f"{place.folder}*")
        elif isinstance(place, RowsPlace):
            apps.append(place.app)
        else:
            replies = True
    found = {"files": tuple(files), "apps": tuple(apps)}
    return {key: value for key, value in found.items() if value} | ({} if replies else {"replies": ("none",)})


def _guard(one: Sheet) -> Check:
    """The check that nothing was touched but the results, and what may change beside."""
    from pi_gym.predicates.compile import compile_predicate

    files, apps = [], {}
    for place in one.places.values():
        if isinstance(place, FilePlace):
            files.append(place.path)
        elif isinstance(place, NewFilePlace):
            files.append(f"{place.folder}*")
        elif isinstance(place, RowsPlace):
            apps.setdefault(place.app, {})[place.table] = "any"
    for raw in one.render("may_change", one.sheet.may_change):
        if isinstance(raw, Mapping):
            apps.update(raw)
        else:
            files.append(f"{raw}**" if raw.endswith("/") else raw)
    spec = [{"changes": {"only": files} if files else {"none": True}}]
    spec.append({"app_changes": {"only": apps} if apps else {"none": True}})
    return compile_predicate(spec, "may_change")
