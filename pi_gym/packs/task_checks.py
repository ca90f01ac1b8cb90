"""The checks of a task in one world: of what its wishes, results and items hold, and of what must stay untouched."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from pi_gym.errors import SpecError
from pi_gym.packs.task_world import TaskWorld, Wish
from pi_gym.schema.task_sheet import ResultSpec, RowsSpec

if TYPE_CHECKING:
    from pi_gym.predicates.check import Check
    from pi_gym.predicates.compile import Predicate
    from pi_gym.predicates.node import FileState
    from pi_gym.results.guarding import Declined
    from pi_gym.results.result_checks import AskedFacet, ResultCheck, Scope
    from pi_gym.results.things import Things

#: The kinds of change that a state of rows stands for, where it is not one itself.
_CHANGES: dict[str, tuple[str, ...]] = {"changed": ("created", "updated")}


class TaskChecks:
    """The checks of a task, made of what its author says that they hold.

    Args:
        world: the task in its world.
    """

    def __init__(self, world: TaskWorld) -> None:
        self.world, self.source, self.sheet = world, world.source, world.sheet
        self._known_things: dict[str, Things] = {}
        self._known_sound: dict[str, tuple[AskedFacet, ...]] = {}

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
        elif isinstance(raw, list | tuple) and all(isinstance(one, str) for one in raw):
            raw = dict.fromkeys(raw)
        if not isinstance(raw, Mapping):
            expected = "a facet's name, a list of names, or a mapping of names to what each takes"
            raise SpecError(field, f"expected {expected}, got {raw!r}")
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
        node = Node(self.world.render(field, given, **local), field, ParseContext(None))
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
            self._known_things[result] = parse_things(self.world.render(field, spec.things), field)
        return self._known_things[result]

    def result_check(self, result: str, raw: Any, field: str, scope: Scope, wish: Wish | None = None) -> ResultCheck:
        """The check of a result; arguments as in `asked`."""
        from pi_gym.results.result_checks import ResultCheck

        return ResultCheck(
            result,
            self.world.places[result],
            self._sound(result),
            self.asked(result, raw, field, wish) if raw else (),
            lambda: self.world.answers_of,
            scope,
            "" if wish is None else wish.name,
        )

    def _sound(self, result: str) -> tuple[AskedFacet, ...]:
        """The facets that make a result sound; all its checks have the same, so that one look does for all."""
        if result not in self._known_sound:
            spec = self.sheet.results[result]
            self._known_sound[result] = self.asked(result, spec.sound, f"results.{result}.sound", None)
        return self._known_sound[result]

    def _function(self, raw: Any, field: str, local: Mapping[str, Any]) -> Check:
        """The check of functions of right.py, or of helpers: a name, a list of names, or names with what they take."""
        from pi_gym.packs.helper_checks import known_checks
        from pi_gym.predicates.compile import compile_predicate

        rendered = self.world.render(field, raw, **local)
        names = {rendered: None} if isinstance(rendered, str) else rendered
        if not isinstance(names, Mapping):
            names = dict.fromkeys(names)
        spec = [{"function": f"check_{name}", **({"with": given} if given else {})} for name, given in names.items()]
        return compile_predicate(spec, field, known_checks(self.source.code.checks, names)).root

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
                spec = self.world.render(place, raw, **local)
                yield compile_predicate(spec, place, self.source.code.checks, file_state=state).root
            else:
                yield self.result_check(result, raw, place, scope, wish)

    def predicate(self, holds: Mapping[str, Any], field: str, scope: Scope, wish: Wish | None = None) -> Predicate:
        """The predicate of what a wish or an item holds."""
        from pi_gym.predicates.compile import All, Predicate

        return Predicate(All(tuple(self._checks(holds, field, scope, wish))), field)

    def evidence(self, names: Collection[str]) -> Mapping[str, Sequence[str]]:
        """The files and tools that show some results; nothing, which is everything, where a function or a predicate
        looks.
        """
        from pi_gym.results.place import SENT_IN, FilePlace, NewFilePlace, RowsPlace, SentPlace

        if any(name not in self.world.places for name in names):
            return {}
        files: list[str] = []
        tools: list[str] = []
        apps: list[str] = []
        for name in names:
            place = self.world.places[name]
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

    def guard(self) -> Predicate:
        """The predicate that only results and what may change beside were touched, and nothing that was declined."""
        from pi_gym.predicates.compile import All, Predicate, compile_predicate
        from pi_gym.predicates.patterns import glob
        from pi_gym.results.file_facets import Keeps
        from pi_gym.results.guarding import NothingDeclined, UntouchedFiles
        from pi_gym.results.place import SENT_IN, FilePlace, NewFilePlace, RowsPlace, SentPlace
        from pi_gym.results.result_checks import AskedDemand

        files: list[str] = []
        apps: dict[str, Any] = {}
        keeps: dict[str, Any] = {}
        for name, place in self.world.places.items():
            if isinstance(place, RowsPlace):
                kinds = apps.setdefault(place.app, {}).setdefault(place.table, [])
                touched = _named_rows(self.sheet.results[name].rows) or _CHANGES.get(place.state, (place.state,))
                kinds += [one for one in touched if one not in kinds]
            elif isinstance(place, SentPlace):
                for app, table in SENT_IN:
                    kinds = apps.setdefault(app, {}).setdefault(table, [])
                    kinds += [] if "created" in kinds else ["created"]
            elif isinstance(place, FilePlace) and not place.new:
                demands = (one for one in self._sound(name) if isinstance(one, AskedDemand))
                conditions = [one.condition for one in demands if one.demand.name == "keeps"]
                if conditions:
                    keeps[place.path] = conditions[0]
        for index, raw in enumerate(self.world.render("may_change", self.sheet.may_change)):
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
            tuple(place for place in self.world.places.values() if isinstance(place, FilePlace)),
            tuple(place for place in self.world.places.values() if isinstance(place, NewFilePlace)),
            tuple((glob(path), condition) for path, condition in keeps.items()),
            tuple(map(glob, files)),
        )
        rows = compile_predicate({"app_changes": {"only": apps} if apps else {"none": True}}, "may_change")
        declinable = {wish.name: wish for wish in self.world.wishes if wish.declined}
        heeded = [NothingDeclined(cache(lambda name: self._declined(declinable[name])))] if declinable else []
        return Predicate(All((kept, rows.root, *heeded)), "may_change")

    def _declined(self, wish: Wish) -> Declined:
        """The wish that she declined: her words, and what holds where it was done all the same."""
        from pi_gym.results.guarding import Declined

        done = []
        for world in self.world.wishing(wish):
            wished = world.wishes[wish.place]
            done.append(TaskChecks(world).predicate(wish.spec.holds, f"{wish.field}.holds", "wish", wished).root)
        return Declined(self.world.said(wish, "undrawn"), done)


def _named_rows(rows: RowsSpec | None) -> list[int]:
    """The ids of a result's rows, where its conditions name them: no other row need change."""
    named = rows.where.get("id") if rows else None
    ids = named.get("one_of") if isinstance(named, dict) else [named]
    return [one for one in ids or () if isinstance(one, int)]


def _joined(own: Any, more: Any) -> Any:
    """The changes to an app that are allowed: its results', and those that the author lets be beside."""
    if not (isinstance(own, Mapping) and isinstance(more, Mapping)):
        return more
    joined = dict(own)
    for table, kinds in more.items():
        held = joined.get(table)
        joined[table] = [*held, *kinds] if isinstance(held, list) and isinstance(kinds, list) else kinds
    return joined
