"""The set of scenarios: reading their files, and making the worlds of a variant."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from pi_gym.caches import BoundedCache
from pi_gym.catalogue import TaskCard
from pi_gym.errors import PackError, SpecError, StateMismatch, UnknownName, unknown
from pi_gym.installed import envs_folder
from pi_gym.pare.act_words import OBJECTS, require_acts
from pi_gym.pare.agent_tools import all_agent_tools
from pi_gym.pare.facts import wanted_facts
from pi_gym.pare.habits import NO_HABIT, Habit, draw_habit, fitting_habits, make_habit
from pi_gym.pare.scenario import (
    FIRST_EVENT,
    FIRST_OWN,
    Help,
    PlannedEvent,
    PlanStep,
    Scenario,
    Solution,
)
from pi_gym.pare.scenario_sheet import CallSheet, Rows, ScenarioCall, ScenarioSheet, StepSheet
from pi_gym.pare.shared_world import SharedWorld
from pi_gym.phone.installed_apps import load_phone_app
from pi_gym.phone.reminders.due import due_reminders
from pi_gym.predicates.compile import Predicate, check_shape, compile_predicate
from pi_gym.schema.params import draw_params
from pi_gym.schema.yaml_files import load_model
from pi_gym.seeding import Stream
from pi_gym.state import World
from pi_gym.templates import Namespace, check_syntax, compile_tree
from pi_gym.types import ToolCall

SET = "pare"
FILE = "scenario.yaml"
WORLD_FILE = "world.yaml"
SCENARIO_CACHE = 512
#: Worlds in which the facts are looked for that a proposal could be stuffed with.
RIVAL_WORLDS = 24
#: The columns that name a thing, by the object that it is: app, table, column.
TITLES = {
    "event": ("Calendar", "events", "title"),
    "note": ("Notes", "notes", "title"),
    "reminder": ("Reminders", "reminders", "title"),
}
#: What templates see beside what was drawn.
_NOT_DRAWN = frozenset(("plus", "ids", "time", "others"))


class ScenarioSource:
    """The file of one scenario, read and checked.

    Args:
        path: the file.
        home: the world that its set shares.

    Raises:
        PackError: the file cannot be read, or has a fault; the message names file, field and what was expected.
    """

    def __init__(self, path: Path, home: SharedWorld) -> None:
        self.id, self.home, self.shown = path.parent.name, home, f"scenarios/{path.parent.name}/{path.name}"
        self.sheet = load_model(ScenarioSheet, path, self.shown)
        with self.named_errors():
            self._check()
        self.ids = {**home.ids, **dict(self._numbered())}
        self.habits = fitting_habits(home.habits, self.sheet)

    @contextmanager
    def named_errors(self, variant: int | None = None) -> Iterator[None]:
        """Turns a fault in a field into one that names the file too, and the variant."""
        try:
            yield
        except SpecError as error:
            world = "" if variant is None else f" (variant {variant})"
            raise PackError(self.shown, error.field, f"{error.reason}{world}") from error

    def _numbered(self) -> Iterator[tuple[str, int]]:
        """The ids of rows by their names: those of the scenario, table by table, then those that events make."""
        for tables in self.sheet.apps.values():
            for rows in tables.values():
                yield from ((name, FIRST_OWN + number) for number, name in enumerate(rows, start=1))
        yield from ((name, FIRST_EVENT + number) for number, name in enumerate(self.sheet.events, start=1))

    def _check(self) -> None:
        sheet = self.sheet
        names = [name for tables in sheet.apps.values() for rows in tables.values() for name in rows]
        twice = next((name for name in names if names.count(name) > 1 or name in sheet.events), None)
        if twice is not None:
            raise SpecError("apps", f"two rows, or a row and an event, are named {twice!r}")
        for field, named in (("apps", sheet.apps), ("keep", sheet.keep)):
            for app, tables in named.items():
                known = _app(app, field).tables
                strange = sorted(set(tables) - set(known))
                if strange:
                    raise SpecError(f"{field}.{app}", unknown("table", strange[0], known))
        for name, event in sheet.events.items():
            _require_operation(event, "event", f"events.{name}")
        for number, step in enumerate(sheet.plan):
            _require_operation(step, "user", f"plan[{number}]")
        if sheet.help is not None:
            require_acts(sheet.help.may, "help.may")
            acts = (act for ways in sheet.help.acts for act in ([ways] if isinstance(ways, str) else ways))
            require_acts((act for act in acts if "{" not in act), "help.acts")
            strange_thing = next((name for name in sheet.help.things if name not in OBJECTS), None)
            if strange_thing is not None:
                raise SpecError("help.things", unknown("thing", strange_thing, OBJECTS, shown=40))
        if sheet.reference is not None:
            for name, calls in (("look", sheet.reference.look), ("calls", sheet.reference.calls)):
                for number, call in enumerate(calls):
                    _require_operation(call, "assistant", f"reference.{name}[{number}]")
        for field in ("goal", "lost"):
            spec = getattr(sheet, field)
            if spec is not None:
                check_shape(spec, field)
        check_syntax(sheet.model_dump(exclude={"params"}), "")

    # -- worlds ------------------------------------------------------------------------------------------------------

    def make(self, variant: int, pack_hash: str) -> Scenario:
        """The scenario in one world.

        Raises:
            PackError: it cannot be made for this variant.
        """
        with self.named_errors(variant):
            return self._make(variant, pack_hash)

    def wants_help(self, variant: int) -> bool:
        """Whether help is wanted in a world.

        Raises:
            PackError: it cannot be told for this variant.
        """
        with self.named_errors(variant):
            return self._wants_help(self._drawn(variant))

    def _wants_help(self, context: Mapping[str, Any]) -> bool:
        help_ = self.sheet.help
        return help_ is not None and _truth(self._filled("help.wanted", help_.wanted, context), "help.wanted")

    def _make(self, variant: int, pack_hash: str) -> Scenario:
        sheet, context = self.sheet, self._drawn(variant)
        time: datetime = context["time"]

        def filled(field: str, value: Any) -> Any:
            return self._filled(field, value, context)

        wanted = self._wants_help(context)
        solution = self._solution(filled) if wanted else None
        goal = filled("goal", sheet.goal) if wanted else None
        own_goal = _predicate(goal, "goal")
        habit = self._habit(variant, context, solution)
        skipped = {name for name, event in sheet.events.items() if _skips(event, f"events.{name}", filled)}
        rows, files = _merged(filled("apps", sheet.apps), habit.rows), filled("files", sheet.files)
        events = tuple(self._event(name, context, skipped) for name in sheet.events if name not in skipped)
        plan = tuple(_steps(sheet.plan, "plan", filled, skipped))
        calls = (*(event.call for event in events), *(step.call for step in plan))
        moments = sorted({time, *(time + timedelta(seconds=event.at) for event in events)})
        told = [
            *_leaves([rows, *files, files, *(call.arguments for call in calls)]),
            *(str(one)[:16] for one in moments),
        ]
        return Scenario(
            pack=SET,
            pack_hash=pack_hash,
            id=self.id,
            variant=variant,
            title=sheet.title,
            time=time,
            owner=self.home.owner,
            world=self._world(rows, files, time),
            events=events,
            plan=plan,
            help=self._help(filled, skipped, context["cast"], " ; ".join(told), rows, habit) if wanted else None,
            goal=_predicate([*_listed(goal), *habit.goal], "goal") if habit.goal else own_goal,
            own_goal=own_goal,
            lost=_predicate(filled("lost", sheet.lost), "lost") if wanted else None,
            keep={
                (app, table): self._kept(rows, f"keep.{app}.{table}")
                for app, tables in _merged(sheet.keep, habit.keep).items()
                for table, rows in tables.items()
            },
            solution=None if solution is None else _with_habit(solution, habit),
            keep_files=tuple(path.rstrip("/") for path in filled("keep_files", sheet.keep_files)),
            noise=self.home.noise,
            habit=habit.name,
            values={name: value for name, value in context.items() if name not in _NOT_DRAWN},
        )

    def _drawn(self, variant: int) -> dict[str, Any]:
        """All that templates of a world may name."""
        sheet, stream = self.sheet, Stream(SET, self.id, variant)
        drawn, cast = (
            draw_params(sheet.params, stream.child("params")),
            self.home.cast(sheet.cast, stream.child("cast")),
        )
        choices = {name: spec.choices for name, spec in sheet.params.items() if spec.choices is not None}
        context: dict[str, Any] = {
            "p": Namespace(drawn, "p"),
            "cast": Namespace(cast, "cast"),
            # Naming what other worlds have, beside what this one has, is guessing: for `help.wrong`.
            "others": Namespace(
                {name: [one for one in listed if one != drawn[name]] for name, listed in choices.items()}, "others"
            ),
            "owner": self.home.owner_values,
            "ids": Namespace(self.ids, "ids"),
        }
        time = _moment(self._filled("time", sheet.time, context), "time")
        context["time"] = time
        context |= {"plus": lambda **step: (time + timedelta(**step)).isoformat(timespec="seconds")}
        for name, value in sheet.values.items():
            context[name] = self._filled(f"values.{name}", value, context)
        return context

    @cached_property
    def _named_elsewhere(self) -> Mapping[str, frozenset[str]]:
        """By the name of an essential fact, the texts that stand for it in some of the scenario's worlds."""
        found: dict[str, set[str]] = {}
        for variant in range(RIVAL_WORLDS):
            assert self.sheet.help is not None
            named = self._filled("help.names", self.sheet.help.names, self._drawn(variant))
            for name, value in named.items():
                found.setdefault(name, set()).update(_texts(value, f"help.names.{name}"))
        return {name: frozenset(texts) for name, texts in found.items()}

    def _filled(self, field: str, value: Any, context: Mapping[str, Any]) -> Any:
        return compile_tree(value, field)(context)

    def _world(self, apps: Mapping[str, Any], files: Mapping[str, str], time: datetime) -> World:
        world = self.home.world.fork()
        for app, tables in apps.items():
            for table, rows in tables.items():
                spec, field = load_phone_app(app).tables[table], f"apps.{app}.{table}"
                database = world.apps[app]
                current = database.table(table)
                for name, row in rows.items():
                    try:
                        current = current.insert(self.ids[name], spec.complete(row))
                    except ValueError as error:
                        raise SpecError(f"{field}.{name}", str(error)) from error
                world.put_app(app, database.put(table, current))
        # Of what fell due before the opening the owner has been told.
        database = world.apps["Reminders"]
        reminders = database.table("reminders")
        for due, key in due_reminders(reminders, time.isoformat(timespec="seconds")):
            reminders = reminders.update(key, time_notified=due)
        world.put_app("Reminders", database.put("reminders", reminders))
        for path, text in files.items():
            world.workspace.write(path, text.encode())
        return world

    def _event(self, name: str, context: Mapping[str, Any], skipped: Collection[str]) -> PlannedEvent:
        sheet, field = self.sheet.events[name], f"events.{name}"
        arguments = self._filled(field, sheet.arguments, context)
        at = self._filled(f"{field}.at", sheet.at, context)
        if isinstance(at, bool) or not isinstance(at, int | float) or at < 0:
            raise SpecError(f"{field}.at", f"expected seconds of 0 or more, got {at!r}")
        return PlannedEvent(
            name,
            ToolCall(sheet.do, arguments),
            float(at),
            _left(sheet.after, skipped),
            _predicate(self._filled(f"{field}.when", sheet.when, context), f"{field}.when"),
            _predicate(self._filled(f"{field}.unless", sheet.unless, context), f"{field}.unless"),
            self.ids[name],
        )

    def _help(
        self, filled: Any, skipped: Collection[str], cast: Mapping[str, Any], told: str, rows: Rows, habit: Habit
    ) -> Help:
        sheet = self.sheet.help
        assert sheet is not None
        known, old = (
            _values_of(_texts(filled(f"help.{name}", listed), f"help.{name}"))
            for name, listed in (("known", sheet.known), ("old", sheet.old))
        )
        names = {name: _texts(value, f"help.names.{name}") for name, value in filled("help.names", sheet.names).items()}
        of_cast = frozenset(one.first_name.lower() for one in cast.values())
        acts = [_texts(one, "help.acts") for one in filled("help.acts", sheet.acts)]
        for ways in acts:
            require_acts(ways, "help.acts")
        return Help(
            acts=tuple(frozenset(ways) for ways in acts),
            may=frozenset(sheet.may),
            names=names,
            wrong=_texts(filled("help.wrong", sheet.wrong), "help.wrong"),
            things=_things(filled("help.things", sheet.things), rows),
            known=known,
            old=old,
            told=told,
            rivals={name: texts.difference(*names.values()) for name, texts in self._named_elsewhere.items()},
            strangers=self.home.first_names - of_cast,
            cast=of_cast,
            after=_left(sheet.after, skipped),
            look=tuple(_steps(sheet.look, "help.look", filled, skipped)),
            why_not=tuple(filled("help.why_not", sheet.why_not)),
            habit=(habit.may, habit.words),
            habit_known=_values_of(_texts(list(habit.known), "habit.known")),
        )

    def _solution(self, filled: Any) -> Solution:
        sheet = self.sheet.reference
        assert sheet is not None

        def calls(field: str, listed: list[ScenarioCall]) -> tuple[ToolCall, ...]:
            places = [(f"reference.{field}[{number}]", one) for number, one in enumerate(listed)]
            return tuple(
                ToolCall(one.do, filled(here, one.arguments)) for here, one in places if not _skips(one, here, filled)
            )

        return Solution(
            calls("look", sheet.look),
            filled("reference.propose", sheet.propose),
            calls("calls", sheet.calls),
            filled("reference.report", sheet.report),
        )

    def _habit(self, variant: int, context: Mapping[str, Any], solution: Solution | None) -> Habit:
        stream = Stream(SET, self.id, variant).child("habit")
        name = draw_habit(self.habits, stream)
        if not name:
            return NO_HABIT
        calls = () if solution is None else solution.calls
        done = dict.fromkeys(_app_of(call) for call in calls if all_agent_tools().get(call.name).effect == "write")
        seen = {one: context[one] for one in ("ids", "owner", "plus")}
        return make_habit(name, self.home.habits[name], seen, [*done], context["time"], stream)

    def _kept(self, rows: list[str | int] | str, field: str) -> frozenset[int | str] | None:
        if rows == "any":
            return None
        listed = [rows] if isinstance(rows, str) else rows
        for one in listed:
            if one != "created" and one not in self.ids:
                raise SpecError(field, unknown("row", str(one), [*self.ids, "created"]))
        return frozenset(one if one == "created" else self.ids[str(one)] for one in listed)


def _app(name: str, field: str) -> Any:
    try:
        return load_phone_app(name)
    except UnknownName as error:
        raise SpecError(field, str(error)) from error


def _require_operation(sheet: CallSheet, audience: Any, field: str) -> None:
    """See to it that the operation exists for this audience, and has parameters of these names."""
    app = _app(sheet.do.partition("__")[0], f"{field}.do")
    found = [one for one in app.operations if one.name == sheet.do and audience in one.audience]
    if not found:
        known = sorted({one.name for one in app.operations if audience in one.audience})
        raise SpecError(f"{field}.do", unknown(f"operation for {audience!r}", sheet.do, known))
    names = {parameter.name for one in found for parameter in one.parameters}
    strange = sorted(set(sheet.arguments) - names)
    if strange:
        raise SpecError(field, unknown(f"argument of {sheet.do}", strange[0], names))


def _app_of(call: ToolCall) -> str:
    return call.name.partition("__")[0]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Tables by app, of two parts that may have the same tables."""
    made = {app: dict(tables) for app, tables in one.items()}
    for app, tables in other.items():
        for table, rows in tables.items():
            before = made.setdefault(app, {}).get(table)
            made[app][table] = rows if before is None else {**before, **rows}
    return made


def _things(named: Mapping[str, list[str]], rows: Rows) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Further words for objects: those that the author gives, and the titles of the scenario's own rows."""
    made = {name: dict.fromkeys(words) for name, words in named.items()}
    for thing, (app, table, column) in TITLES.items():
        titles = (str(row.get(column, "")) for row in rows.get(app, {}).get(table, {}).values())
        made.setdefault(thing, {}).update(dict.fromkeys(filter(None, titles)))
    return tuple((name, tuple(words)) for name, words in made.items() if words)


def _with_habit(solution: Solution, habit: Habit) -> Solution:
    return replace(solution, look=(*solution.look, *habit.look), calls=(*solution.calls, *habit.calls))


def _skips(sheet: ScenarioCall, field: str, filled: Any) -> bool:
    return _truth(filled(f"{field}.skip", sheet.skip), f"{field}.skip")


def _leaves(value: Any) -> Iterator[str]:
    """All texts and numbers of rows and arguments, as texts."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for one in value:
            yield from _leaves(one)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _left(names: list[str], skipped: Collection[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in skipped)


def _steps(sheets: list[StepSheet], field: str, filled: Any, skipped: Collection[str]) -> Iterator[PlanStep]:
    for number, sheet in enumerate(sheets):
        here = f"{field}[{number}]"
        if _skips(sheet, here, filled):
            continue
        yield PlanStep(
            ToolCall(sheet.do, filled(here, sheet.arguments)),
            filled(f"{here}.shows", sheet.shows),
            _left(sheet.after, skipped),
            sheet.turn,
            _predicate(filled(f"{here}.when", sheet.when), f"{here}.when"),
        )


def _predicate(spec: Any, field: str) -> Predicate | None:
    return None if spec is None else compile_predicate(spec, field)


def _truth(value: Any, field: str) -> bool:
    if not isinstance(value, bool):
        raise SpecError(field, f"expected true or false, got {value!r}")
    return value


def _moment(text: Any, field: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except (TypeError, ValueError):
        raise SpecError(field, f"expected a time such as 2026-05-04T09:00:00, got {text!r}") from None


def _texts(value: Any, field: str) -> tuple[str, ...]:
    listed = list(value) if isinstance(value, list | tuple) else [value]
    for one in listed:
        if isinstance(one, bool) or not isinstance(one, str | int | float) or not str(one).strip():
            raise SpecError(field, f"expected a text or a number, or a list of these, got {one!r}")
    return tuple(map(str, listed))


def _values_of(texts: tuple[str, ...]) -> frozenset[str]:
    """The facts that texts stand for, as `find_facts` gives them."""
    return frozenset(value for text in texts for _, value in wanted_facts(text))


class ScenarioSet:
    """The scenarios of a folder; a `TaskSet`.

    Args:
        folder: holds world.yaml and the folder scenarios/.

    Raises:
        PackError: a file has a fault.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.name, self.title = folder, SET, "A person, their phone, and an assistant that proposes"
        self.description = (
            "Sessions on a simulated phone: the assistant watches, sees that help is wanted, offers the right thing at"
            " the right moment, and does just that once it may."
        )
        self.warnings: tuple[str, ...] = ()
        self.home = SharedWorld(folder / WORLD_FILE)
        files = sorted((folder / "scenarios").glob(f"*/{FILE}"))
        self.sources = {path.parent.name: ScenarioSource(path, self.home) for path in files}
        self.task_ids = tuple(self.sources)
        self._made: BoundedCache[tuple[str, int], Scenario] = BoundedCache(SCENARIO_CACHE)

    @cached_property
    def content_hash(self) -> str:
        """The hash of all files."""
        digest = hashlib.sha256()
        for path in sorted(self.folder.rglob("*.yaml")):
            digest.update(f"{path.relative_to(self.folder).as_posix()}\0".encode() + path.read_bytes() + b"\0")
        return digest.hexdigest()

    def card(self, task_id: str) -> TaskCard:
        """One scenario at a glance; UnknownName lists the known ones."""
        sheet = self.source(task_id).sheet
        details = {"themes": ", ".join(sheet.themes), "trigger": sheet.trigger, "title": sheet.title}
        # The scenario's apps are those in which the agent may change something: those that the help is about.
        apps = (*sheet.keep, *(("Files",) if sheet.keep_files else ()))
        tags = {"app": tuple(sorted(set(apps))), "theme": tuple(sheet.themes)}
        return TaskCard(task_id, holdout=sheet.holdout, details=details, tags=tags)

    def source(self, task_id: str) -> ScenarioSource:
        """The file of a scenario; UnknownName lists the known ones."""
        found = self.sources.get(task_id)
        if found is None:
            raise UnknownName(unknown("scenario", task_id, self.sources))
        return found

    def instantiate(self, task_id: str, variant: int = 0) -> Scenario:
        """A scenario in one world; made once, as long as the cache holds it.

        Raises:
            UnknownName: there is no such scenario.
            PackError: it cannot be made for this variant.
        """
        source = self.source(task_id)
        return self._made.get((task_id, variant), lambda: source.make(variant, self.content_hash))

    def __reduce__(self) -> tuple[Any, ...]:
        return _referred_set, (None if self is installed_scenarios() else self.folder, self.content_hash)


def _referred_set(folder: Path | None, content_hash: str) -> ScenarioSet:
    """The set that a pickle refers to: the installed one, or that of a folder."""
    found = installed_scenarios() if folder is None else ScenarioSet(folder)
    if found.content_hash != content_hash:
        raise StateMismatch("the scenarios are not those of the pickle; install the ones that it is of")
    return found


@cache
def installed_scenarios() -> ScenarioSet:
    """The scenarios that are installed with the package, read once."""
    return ScenarioSet(envs_folder() / SET)
