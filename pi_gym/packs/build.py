"""Making a task: draw the values, compute the world, fill in every template."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from pi_gym.errors import PackError, SpecError, unknown
from pi_gym.packs.app_rows import id_base, staged_rows
from pi_gym.packs.declared import declared_result
from pi_gym.packs.folder import PackFolder
from pi_gym.packs.sheet import SheetSource
from pi_gym.packs.source import ReferenceStep, TaskSource, recover_ways
from pi_gym.packs.task import Intent, Item, KnownAnswer, Persona, Recovery, ReferenceAction, Task
from pi_gym.predicates.node import FileState
from pi_gym.schema import IntentSpec
from pi_gym.schema.params import draw_params
from pi_gym.seeding import Stream
from pi_gym.state.paths import PathRefused, normalise
from pi_gym.templates import Namespace, render_prompt, render_text
from pi_gym.types import ToolCall

if TYPE_CHECKING:
    from pi_gym.packs.sheet_build import SheetMaking
    from pi_gym.questions import Matcher, Topic
    from pi_gym.questions.matcher import TopicKind

T = TypeVar("T")


@dataclass(frozen=True)
class VariantValues:
    """The parameters of one variant, as right.py sees them.

    Args:
        persona: `values.persona.decimals`.
        p: the task's: `values.p.headline`.
        data: the texts of the task's folder data/, by name: what a world is drawn from.
    """

    persona: Namespace
    p: Namespace
    data: Mapping[str, str]


@dataclass(frozen=True)
class Variant:
    """Everything drawn and computed for one task and variant."""

    number: int

    values: VariantValues
    world: Namespace
    files: Mapping[str, str | bytes]
    draw: frozenset[str]


def draw_values(
    pack: PackFolder, source: TaskSource, variant: int, overrides: Mapping[str, Any] | None = None
) -> VariantValues:
    """The hidden and open parameters of a task; `overrides` by name ("persona.x", "x") replace drawn ones."""
    overrides = dict(overrides or {})
    persona = {**pack.persona.facts, **draw_params(pack.persona.preferences, Stream(pack.name, variant, "persona"))}
    persona |= {"name": pack.persona.name, "role": pack.persona.role, "user": pack.persona.user}
    stream = Stream(pack.name, source.folder.name, variant, "params")
    task = draw_params(source.params, stream)
    for name, value in overrides.items():
        place, key = (persona, name.removeprefix("persona.")) if name.startswith("persona.") else (task, name)
        if key not in place:
            raise SpecError("values", f"no parameter {name!r}")
        place[key] = value
    for key, text in pack.persona.derived.items():
        try:
            persona[key] = render_text(text, {"persona": Namespace(persona, "persona")}, f"derived.{key}")
        except SpecError as error:
            raise PackError("persona.yaml", error.field, f"{error.reason} (variant {variant})") from error
    return VariantValues(Namespace(persona, "persona"), Namespace(task, "p"), source.data)


def draw_intents(source: TaskSource, stream: Stream) -> frozenset[str]:
    """The names of the intents that a variant holds."""
    always = [intent.name for intent in source.pool if intent.always]
    others = [intent.name for intent in source.pool if not intent.always]
    count = stream.integer(source.spec.draw.min, source.spec.draw.max)
    return frozenset(always + stream.sample(others, count - len(always)))


def make_variant(
    pack: PackFolder, source: TaskSource, variant: int, overrides: Mapping[str, Any] | None = None
) -> Variant:
    """Draw and compute; a fault of `variant.py` becomes a PackError.

    Args:
        pack: the pack.
        source: the task's template.
        variant: the world's number.
        overrides: values by parameter name that replace drawn ones, in the world too.
    """
    name = source.folder.name
    values = draw_values(pack, source, variant, overrides)
    world: Mapping[str, Any] = {}
    files: Mapping[str, str | bytes] = {}
    if source.code.world is not None:
        try:
            made = source.code.world(Stream(pack.name, name, variant, "world"), values)
            if not (isinstance(made, tuple) and len(made) == 2 and all(isinstance(part, Mapping) for part in made)):
                raise TypeError(f"expected (params, files), two mappings, got {type(made).__name__}")
            world, files = made
        except Exception as error:
            reason = f"world() raised {type(error).__name__}: {error} (variant {variant})"
            raise PackError(source.code_file, "world", reason) from error
    drawn = draw_intents(source, Stream(pack.name, name, variant, "draw"))
    facts = {**world, "first_id": id_base(source.place) + 1}
    return Variant(variant, values, Namespace(facts, "world"), files, drawn)


def context_of(source: TaskSource, variant: Variant, values: VariantValues) -> dict[str, Any]:
    """The context of a task's templates, for the variant's own values or for others over the same world."""
    if isinstance(source, SheetSource):
        from pi_gym.packs.sheet_build import SheetMaking

        return SheetMaking(source, variant, values).context()
    work: Mapping[str, Any] = {}
    if source.code.work is not None:
        try:
            work = source.code.work(variant.world, values, variant.draw)
        except Exception as error:
            reason = f"work() raised {type(error).__name__}: {error}"
            raise PackError(f"{source.shown}/variant.py", "work", reason) from error
    known = frozenset(intent.name for intent in source.spec.intents)

    def drawn(name: str) -> bool:
        if name not in known:
            raise ValueError(f"drawn({name!r}): the pool has no such intent")
        return name in variant.draw

    return {
        "persona": values.persona,
        "p": values.p,
        "world": variant.world,
        "work": Namespace(work, "work"),
        "drawn": drawn,
        "first_id": id_base(source.place) + 1,
    }


def build_task(pack: PackFolder, source: TaskSource, variant_number: int, canary: str = "") -> Task:
    """The task of one variant; its intents and its checklist are filled in at the first look at each of their parts.

    Errors of a template or a predicate name the file and the field.
    """
    with named_errors(source, variant_number):
        return _build(pack, source, variant_number, canary)


@contextmanager
def named_errors(source: TaskSource, variant: int) -> Iterator[None]:
    """Turns a fault in a field of a task into one that names file and variant too."""
    try:
        yield
    except SpecError as error:
        raise PackError(source.file, error.field, f"{error.reason} (variant {variant})") from error


def _build(pack: PackFolder, source: TaskSource, number: int, canary: str) -> Task:
    spec = source.spec
    variant = make_variant(pack, source, number)
    making: _Making | SheetMaking
    if isinstance(source, SheetSource):
        from pi_gym.packs.sheet_build import SheetMaking

        making = SheetMaking(source, variant, variant.values, canary)
        context = making.context()
    else:
        context = context_of(source, variant, variant.values)
        making = _Making(source, variant, context, canary)
    request = str(source.render("request", spec.request, context)).strip()
    return Task(
        home=pack,
        id=source.folder.name,
        index=source.place,
        variant=number,
        title=spec.title,
        category=spec.category,
        group=spec.group or "",
        holdout=spec.holdout,
        persona=persona_card(pack),
        trigger=spec.trigger.type,
        request=request,
        opening=_opening(source, request, source.render("payload", spec.trigger.payload, context)),
        time=_moment(str(source.render("time", spec.time, context))),
        needs=tuple(spec.needs),
        general_tools=pack.general_tools,
        tools=source.tools,
        skills=tuple(pack.skill(name) for name in spec.skills),
        files=_files(source, variant, context),
        apps=staged_rows(pack.app_seeds, source.render("apps", source.apps, context)),
        intents=making.intents(),
        checklist=making.checklist(),
        values=_true_values(source, variant.values),
        undrawn=making.undrawn(),
        answers=making.answers(),
        question_budget=making.question_budget,
        reminders=_reminders(pack, source),
        canary=canary,
        _reference=lambda overrides: reference_actions(
            making.steps(draw_values(pack, source, number, overrides) if overrides else variant.values, overrides),
            source.file,
            canary,
        ),
        _questions=making.questions,
    )


def reference_actions(steps: Iterator[tuple[int, Mapping[str, Any]]], file: str, canary: str) -> list[str]:
    """The actions of a model solution from its steps, each with its place in the task's template."""
    try:
        return [_action(step, index, canary) for index, step in steps]
    except SpecError as error:
        raise PackError(file, error.field, error.reason) from error


def _reminders(pack: PackFolder, source: TaskSource) -> tuple[int, ...]:
    """The first ids of the earlier sessions whose jobs still stand."""
    earlier = pack.task_ids[: source.place]
    for name in source.spec.reminders:
        if name not in earlier:
            raise SpecError("reminders", unknown("earlier session", name, earlier, shown=25))
    return tuple(id_base(earlier.index(name)) for name in source.spec.reminders)


def persona_card(pack: PackFolder) -> Persona:
    """The persona as agents and LLM roles see it."""
    card = pack.persona
    accounts = tuple(account.model_dump() for account in card.accounts)
    return Persona(card.name, card.role, card.user, card.voice, accounts, card.timezone)


def _true_values(source: TaskSource, values: VariantValues) -> dict[str, Any]:
    names = {name for intent in source.pool for name in intent.values}
    names |= {name for name, spec in source.params.items() if spec.hidden}
    return {name: lookup(values, name) for name in sorted(names)}


def lookup(values: VariantValues, name: str) -> Any:
    """A parameter's value by its name ("persona.decimals", "headline")."""
    if name.startswith("persona."):
        return getattr(values.persona, name.removeprefix("persona."))
    return getattr(values.p, name)


def _opening(source: TaskSource, request: str, payload: Mapping[str, Any]) -> str:
    trigger = source.spec.trigger
    if trigger.type == "user":
        return request
    data = json.dumps(payload, ensure_ascii=False, indent=2) if payload else ""
    name = f"opening_{trigger.type}.md"
    return render_prompt(name, source=trigger.source, event=trigger.event, payload=data, request=request).strip()


def _files(source: TaskSource, variant: Variant, context: Mapping[str, Any]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for path, content in source.files.items():
        files[path] = content if isinstance(content, bytes) else _rendered(source, path, content, context)
    for path, data in variant.files.items():
        try:
            place = normalise(path)
        except PathRefused as error:
            raise PackError(source.code_file, "world", str(error)) from error
        if place in files:
            raise PackError(source.code_file, "world", f"{place!r} is a seed file under files/ too")
        files[place] = data.encode() if isinstance(data, str) else bytes(data)
    for place in files:
        if place.startswith("memory/"):
            raise PackError(source.file, "files", f"{place!r}: memory/ is the engine's and the agent's own, no seed's")
    return files


def _rendered(source: TaskSource, path: str, template: Any, context: Mapping[str, Any]) -> bytes:
    try:
        return str(template(context)).encode()
    except SpecError as error:
        raise PackError(f"{source.shown}/files/{path}.j2", "", error.reason) from error


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


@dataclass(frozen=True)
class _Making:
    """The sources of the parts of a task."""

    source: TaskSource
    variant: Variant
    context: Mapping[str, Any]
    canary: str

    def text(self, field: str, raw: str, number: str) -> Callable[[], str]:
        """A hidden text, with the canary's mark."""
        mark = f" {self.canary}-{number}" if self.canary else ""
        return self.part(field, raw, lambda text: str(text).strip() + mark)

    def part(self, field: str, raw: Any, make: Callable[[Any], T], *, alike: bool = False) -> Callable[[], T]:
        """A function that makes a part of the task from a rendered field.

        Args:
            field: where it stands.
            raw: what stands there.
            make: makes the part.
            alike: the part depends on nothing but the rendered field.
        """

        def made() -> T:
            with named_errors(self.source, self.variant.number):
                rendered = self.source.render(field, raw, self.context)
                return self.source.compiled(field, rendered, make) if alike else make(rendered)

        return made

    def predicate(
        self, field: str, raw: Any, file_state: FileState = "any", *, needed: bool = True
    ) -> Callable[[], Any]:
        """A compiled predicate; None where there is none, and none is needed."""

        def make(rendered: Any) -> Any:
            from pi_gym.predicates.compile import compile_predicate

            if rendered is None and not needed:
                return None
            return compile_predicate(rendered, field, self.source.code.checks, file_state=file_state)

        return self.part(field, raw, make, alike=True)

    def questions(self) -> Matcher:
        """The matcher of all topics, made anew only where a template of theirs reads otherwise."""
        return matcher_of(self.source, self.context, self.variant.number)

    def intents(self) -> tuple[Intent, ...]:
        """The drawn intents, in file order."""
        intents: list[Intent] = []
        for index, spec in enumerate(self.source.spec.intents):
            if spec.name in self.variant.draw:
                intents.append(_intent(self, spec, f"intents[{index}]", f"i{len(intents) + 1}"))
        return tuple(intents)

    def checklist(self) -> tuple[Item, ...]:
        """The items that stay in this draw, in file order."""
        listed = enumerate(self.source.spec.checklist)
        kept = [(index, spec) for index, spec in listed if self.variant.draw.issuperset(spec.needs_intents)]
        ids = {spec.name: f"c{number}" for number, (_, spec) in enumerate(kept, start=1)}
        items: list[Item] = []
        for index, spec in kept:
            field, number = f"checklist[{index}]", ids[spec.name]
            if spec.requires is not None and spec.requires not in ids:
                raise SpecError(
                    f"{field}.requires", f"{spec.requires!r} falls away in this draw; require one that stays"
                )
            items.append(
                Item.waiting(
                    {
                        "text": self.text(f"{field}.criterion", spec.criterion, number),
                        "check": self.predicate(f"{field}.check", spec.check),
                        "evidence": self.part(
                            f"{field}.evidence",
                            spec.evidence,
                            lambda raw: {key: tuple(paths) for key, paths in raw.items()},
                        ),
                    },
                    id=number,
                    name=spec.name,
                    grader=spec.grader,
                    requires=ids[spec.requires] if spec.requires is not None else "",
                )
            )
        return tuple(items)

    question_budget: int | None = None

    def undrawn(self) -> dict[str, str]:
        """By wish that is not drawn, what the user says of it."""
        return {one.name: "" for one in self.source.pool if one.name not in self.variant.draw}

    def answers(self) -> tuple[KnownAnswer, ...]:
        """What else may be asked."""
        return ()

    def steps(self, values: VariantValues, overrides: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """The steps of the reference that are taken, filled in for some hidden values."""
        context = context_of(self.source, self.variant, values)
        for index, step in enumerate(self.source.reference):
            if _is_taken(step, index, context):
                yield index, step.action(context)


def _intent(making: _Making, spec: IntentSpec, field: str, number: str) -> Intent:
    values = making.variant.values
    return Intent.waiting(
        {
            "text": making.text(f"{field}.text", spec.text, number),
            "satisfied": making.predicate(f"{field}.satisfied_when", spec.satisfied_when, "changed"),
            "reveal": making.text(f"{field}.reveal", spec.reveal, number),
            "after": making.predicate(f"{field}.after", spec.after, needed=False),
            "recover": making.part(
                f"{field}.recover",
                recover_ways(spec),
                lambda raw: _recoveries(raw, spec.values, values, f"{field}.recover"),
            ),
        },
        id=number,
        name=spec.name,
        scope=spec.scope,
        values=tuple(spec.values),
    )


def _recoveries(raw: Any, names: list[str], values: VariantValues, field: str) -> tuple[Recovery, ...]:
    if raw == "ask":
        return ()
    from pi_gym.packs.app_columns import app_column

    result = []
    for index, way in enumerate(raw):
        extract = {
            name: (how, {}) if isinstance(how, str) else (how["pattern"], how.get("map", {}))
            for name, how in way["extract"].items()
        }
        odd = sorted(set(extract) - set(names))
        if odd:
            raise SpecError(f"{field}[{index}].extract", f"{odd[0]!r} is not among this intent's values")
        for name, (pattern, _) in extract.items():
            _check_pattern(pattern, 1, f"{field}[{index}].extract.{name}")
        if way["shows"] is not None:
            _check_pattern(way["shows"], 0, f"{field}[{index}].shows")
        expected = {name: lookup(values, name) for name in extract}
        place = way["file"] if way["app"] is None else app_column(way, f"{field}[{index}]")
        result.append(Recovery(place, way["session"], extract, way["shows"], expected))
    return tuple(result)


def _check_pattern(pattern: str, groups: int, field: str) -> None:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        found = re2.compile(pattern, options).groups
    except re2.error as error:
        raise SpecError(field, f"not a regular expression (RE2): {error}") from error
    if found < groups:
        raise SpecError(field, f"expected a group for the value, as in 'at (\\d+)', got {pattern!r}")


def _moment(text: str) -> str:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise SpecError("time", f"expected an ISO date and time such as 2026-03-09T14:05, got {text!r}") from None
    if found.tzinfo is not None:
        raise SpecError("time", f"it is the user's local time, so it has no offset, got {text!r}")
    return text


def _is_taken(step: ReferenceStep, index: int, context: Mapping[str, Any]) -> bool:
    when = step.when(context)
    if not isinstance(when, bool):
        raise SpecError(f"reference[{index}].when", f"expected true or false, got {when!r}; use one '{{{{ … }}}}'")
    return when


def _action(step: Mapping[str, Any], index: int, canary: str) -> ReferenceAction:
    mark = f" {canary}-reference" if canary else ""
    if step.get("reply") is not None:
        return ReferenceAction.of(str(step["reply"]).strip() + mark, (), index)
    calls = [{**call} for call in step["calls"]]
    fields = [f"reference[{index}].calls[{number}].result" for number in range(len(calls))]
    results = [
        declared_result(call.pop("result", None), field) if call["tool"] == "exec" else None
        for call, field in zip(calls, fields, strict=True)
    ]
    # Arguments that rendered to nothing are left out, so that a template can make an argument conditional.
    texts = [
        ToolCall(call.pop("tool"), {key: value for key, value in call.items() if value is not None}).to_text()
        for call in calls
    ]
    return ReferenceAction.of("\n".join(texts) + mark, results, index)
