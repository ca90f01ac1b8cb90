"""Making a task: draw the values, compute the world, fill in every template."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import re2

from pi_gym.errors import PackError, SpecError
from pi_gym.packs.app_columns import app_column
from pi_gym.packs.app_rows import id_base, staged_rows
from pi_gym.packs.declared import declared_result
from pi_gym.packs.folder import PackFolder
from pi_gym.packs.source import TaskSource
from pi_gym.packs.task import Intent, Item, Persona, Recovery, ReferenceAction, Task
from pi_gym.predicates import compile_predicate
from pi_gym.questions import compile_asked_when
from pi_gym.schema.params import draw_params
from pi_gym.seeding import Stream
from pi_gym.state.paths import PathRefused, normalise
from pi_gym.templates import Namespace, render_prompt, render_text
from pi_gym.types import ToolCall


@dataclass(frozen=True)
class Values:
    """The parameters of one variant, as `variant.py` sees them: `values.persona.decimals`, `values.p.headline`."""

    persona: Namespace
    p: Namespace


@dataclass(frozen=True)
class Variant:
    """Everything drawn and computed for one task and variant."""

    number: int

    values: Values
    world: Namespace
    files: Mapping[str, str | bytes]
    draw: frozenset[str]


def draw_values(
    pack: PackFolder, source: TaskSource, variant: int, overrides: Mapping[str, Any] | None = None
) -> Values:
    """The hidden and open parameters of a task; `overrides` by name ("persona.x", "x") replace drawn ones."""
    overrides = dict(overrides or {})
    persona = {**pack.persona.facts, **draw_params(pack.persona.preferences, Stream(pack.name, variant, "persona"))}
    persona |= {"name": pack.persona.name, "role": pack.persona.role, "user": pack.persona.user}
    stream = Stream(pack.name, source.folder.name, variant, "params")
    task = draw_params(source.spec.params, stream)
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
    return Values(Namespace(persona, "persona"), Namespace(task, "p"))


def draw_intents(source: TaskSource, stream: Stream) -> frozenset[str]:
    """The names of the intents that a variant holds."""
    spec = source.spec
    always = [intent.name for intent in spec.intents if intent.always]
    others = [intent.name for intent in spec.intents if not intent.always]
    count = stream.integer(spec.draw.min, spec.draw.max)
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
            raise PackError(f"{source.shown}/variant.py", "world", reason) from error
    drawn = draw_intents(source, Stream(pack.name, name, variant, "draw"))
    return Variant(variant, values, Namespace(world, "world"), files, drawn)


def context_of(source: TaskSource, variant: Variant, values: Values) -> dict[str, Any]:
    """What a task's templates see, for the variant's own values or for others over the same world."""
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
    """The task of one variant. Errors of a template or a predicate name the file and the field."""
    try:
        return _build(pack, source, variant_number, canary)
    except SpecError as error:
        raise PackError(source.file, error.field, f"{error.reason} (variant {variant_number})") from error


def _build(pack: PackFolder, source: TaskSource, number: int, canary: str) -> Task:
    spec = source.spec
    variant = make_variant(pack, source, number)
    context = context_of(source, variant, variant.values)
    rendered = source.tree(context)
    intents = _intents(source, variant, rendered["intents"], canary)
    request = str(rendered["request"]).strip()
    return Task(
        pack=pack.name,
        pack_hash=pack.content_hash,
        pack_source=pack.source,
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
        opening=_opening(source, request, rendered["payload"]),
        time=_moment(str(rendered["time"])),
        needs=tuple(spec.needs),
        general_tools=tuple(pack.spec.general_tools) if pack.spec.general_tools is not None else None,
        tools=tuple(spec.tools),
        skills=tuple(pack.skill(name) for name in spec.skills),
        files=_files(source, variant, context),
        apps=staged_rows(pack.app_seeds, rendered["apps"]),
        intents=intents,
        checklist=_checklist(source, variant, rendered["checklist"], canary),
        values=_true_values(source, variant.values),
        undrawn=tuple(intent.name for intent in spec.intents if intent.name not in variant.draw),
        canary=canary,
        _reference=lambda overrides: _reference(pack, source, variant, overrides, canary),
    )


def persona_card(pack: PackFolder) -> Persona:
    """The persona as agents and LLM roles see it."""
    card = pack.persona
    accounts = tuple(account.model_dump() for account in card.accounts)
    return Persona(card.name, card.role, card.user, card.voice, accounts, card.timezone)


def _true_values(source: TaskSource, values: Values) -> dict[str, Any]:
    names = {name for intent in source.spec.intents for name in intent.values}
    names |= {name for name, spec in source.spec.params.items() if spec.hidden}
    return {name: lookup(values, name) for name in sorted(names)}


def lookup(values: Values, name: str) -> Any:
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
            raise PackError(f"{source.shown}/variant.py", "world", str(error)) from error
        if place in files:
            raise PackError(f"{source.shown}/variant.py", "world", f"{place!r} is a seed file under files/ too")
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


def _intents(source: TaskSource, variant: Variant, rendered: list[dict[str, Any]], canary: str) -> tuple[Intent, ...]:
    intents: list[Intent] = []
    for index, (spec, raw) in enumerate(zip(source.spec.intents, rendered, strict=True)):
        if spec.name not in variant.draw:
            continue
        field, number = f"intents[{index}]", f"i{len(intents) + 1}"
        mark = f" {canary}-{number}" if canary else ""
        checks = source.code.checks
        after = raw.get("after")
        intents.append(
            Intent(
                id=number,
                name=spec.name,
                text=str(raw["text"]).strip() + mark,
                scope=spec.scope,
                satisfied=compile_predicate(
                    raw["satisfied_when"], f"{field}.satisfied_when", checks, file_state="changed"
                ),
                asked=compile_asked_when(raw["asked_when"], f"{field}.asked_when"),
                reveal=str(raw["reveal"]).strip() + mark,
                after=compile_predicate(after, f"{field}.after", checks) if after is not None else None,
                values=tuple(spec.values),
                recover=_recoveries(raw["recover"], spec.values, variant.values, f"{field}.recover"),
            )
        )
    return tuple(intents)


def _recoveries(raw: Any, names: list[str], values: Values, field: str) -> tuple[Recovery, ...]:
    if raw == "ask":
        return ()
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


def _checklist(source: TaskSource, variant: Variant, rendered: list[dict[str, Any]], canary: str) -> tuple[Item, ...]:
    kept = [
        (index, spec, raw)
        for index, (spec, raw) in enumerate(zip(source.spec.checklist, rendered, strict=True))
        if variant.draw.issuperset(spec.needs_intents)
    ]
    ids = {spec.name: f"c{number}" for number, (_, spec, _) in enumerate(kept, start=1)}
    items: list[Item] = []
    for index, spec, raw in kept:
        field = f"checklist[{index}]"
        if spec.requires is not None and spec.requires not in ids:
            raise SpecError(f"{field}.requires", f"{spec.requires!r} falls away in this draw; require one that stays")
        items.append(
            Item(
                id=ids[spec.name],
                name=spec.name,
                text=str(raw["criterion"]).strip() + (f" {canary}-{ids[spec.name]}" if canary else ""),
                grader=spec.grader,
                check=compile_predicate(raw["check"], f"{field}.check", source.code.checks),
                requires=ids[spec.requires] if spec.requires is not None else "",
                evidence={key: tuple(paths) for key, paths in raw["evidence"].items()},
            )
        )
    return tuple(items)


def _reference(
    pack: PackFolder, source: TaskSource, variant: Variant, overrides: Mapping[str, Any], canary: str
) -> list[str]:
    try:
        values = draw_values(pack, source, variant.number, overrides) if overrides else variant.values
        steps = source.reference_tree(context_of(source, variant, values))
        return [text for index, step in enumerate(steps) if (text := _action(step, index, canary)) is not None]
    except SpecError as error:
        raise PackError(source.file, error.field, error.reason) from error


def _action(step: Mapping[str, Any], index: int, canary: str) -> str | None:
    when = step["when"]
    if not isinstance(when, bool):
        raise SpecError(f"reference[{index}].when", f"expected true or false, got {when!r}; use one '{{{{ … }}}}'")
    if not when:
        return None
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
