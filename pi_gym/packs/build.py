"""Building a task: draw the values, compute the world, fill in every template."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from pi_gym.errors import PackError, SpecError, unknown
from pi_gym.packs.app_rows import id_base, staged_rows
from pi_gym.packs.folder import PackFolder
from pi_gym.packs.making import HIDDEN, TaskMaking
from pi_gym.packs.solution_actions import reference_actions
from pi_gym.packs.solving import solution_over
from pi_gym.packs.source import TaskSource
from pi_gym.packs.task import Persona, Steps, Task
from pi_gym.packs.task_world import TaskWorld
from pi_gym.packs.variants import VariantValues, draw_values, make_variant, named_errors
from pi_gym.state.paths import PathRefused, normalise
from pi_gym.templates import render_prompt


def build_task(pack: PackFolder, source: TaskSource, variant_number: int, canary: str = "") -> Task:
    """The task of one variant; its intents and its checklist are filled in at the first look at each of their parts.

    Errors of a template or a predicate name the file and the field.
    """
    with named_errors(source, variant_number):
        return _build(pack, source, variant_number, canary)


def _build(pack: PackFolder, source: TaskSource, number: int, canary: str) -> Task:
    spec = source.spec
    variant = make_variant(pack, source, number)
    world = TaskWorld(source, variant, variant.values)
    making = TaskMaking(world, canary, pack)
    context = world.true_context
    request = str(source.render("request", spec.request, context)).strip()
    return Task.waiting(
        HIDDEN,
        making.part,
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
        files=_files(world),
        apps=staged_rows(pack.app_seeds, source.render("apps", source.apps, context)),
        values=_true_values(source, variant.values),
        question_budget=making.question_budget,
        declines=frozenset(wish.name for wish in world.wishes if wish.declined),
        reminders=_reminders(pack, source),
        canary=canary,
        _solution=lambda overrides: _solution(pack, world, overrides),
        _actions=lambda steps: reference_actions(steps, source.file, canary),
        _questions=making.questions,
    )


def _solution(pack: PackFolder, world: TaskWorld, overrides: Mapping[str, Any]) -> Steps:
    source, variant = world.source, world.variant
    with named_errors(source, variant.number):
        values = draw_values(pack, source, variant.number, overrides) if overrides else variant.values
    try:
        return tuple(solution_over(world, values, overrides))
    except SpecError as error:
        raise PackError(source.file, error.field, error.reason) from error


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


class _SeedFiles(Mapping[str, bytes]):
    """The files that a task brings, each filled in when somebody looks at it."""

    def __init__(self, world: TaskWorld, places: Mapping[str, str]) -> None:
        self._world, self._places = world, places

    def __getitem__(self, path: str) -> bytes:
        return self._world.file(self._places[path])

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _files(world: TaskWorld) -> Mapping[str, bytes]:
    source = world.source
    files = {path: path for path in source.files}
    for path in world.variant.files:
        try:
            place = normalise(path)
        except PathRefused as error:
            raise PackError(source.code_file, "world", str(error)) from error
        if place in files:
            raise PackError(source.code_file, "world", f"{place!r} is a seed file under files/ too")
        files[place] = path
    for place in files:
        if place.startswith("memory/"):
            raise PackError(source.file, "files", f"{place!r}: memory/ is the engine's and the agent's own, no seed's")
    return _SeedFiles(world, files)


def _moment(text: str) -> str:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise SpecError("time", f"expected an ISO date and time such as 2026-03-09T14:05, got {text!r}") from None
    if found.tzinfo is not None:
        raise SpecError("time", f"it is the user's local time, so it has no offset, got {text!r}")
    return text
