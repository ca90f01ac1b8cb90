"""Drawing a variant of a task: the values, the world, and which wishes it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pi_gym.caches import BoundedCache
from pi_gym.errors import PackError, SpecError, StateMismatch
from pi_gym.packs.app_rows import id_base
from pi_gym.packs.folder import PackFolder
from pi_gym.packs.source import TaskSource
from pi_gym.schema.params import draw_params
from pi_gym.seeding import Stream
from pi_gym.templates import Namespace, render_text

PERSONA_CACHE = 64


@dataclass(frozen=True)
class VariantValues:
    """The parameters of one variant, as right.py sees them.

    Args:
        persona: `values.persona.decimals`.
        p: the task's: `values.p.headline`.
        data: the texts of the task's folder data/, by name: what a world is drawn from.
        shared: the facts that all tasks of the pack have in this variant, made when somebody looks for one.
    """

    persona: Namespace
    p: Namespace
    data: Mapping[str, str]
    shared: Namespace


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
    changed: dict[str, Any] = {}
    task = draw_params(source.params, Stream(pack.name, source.folder.name, variant, "params"))
    for name, value in (overrides or {}).items():
        place, key = (changed, name.removeprefix("persona.")) if name.startswith("persona.") else (task, name)
        if place is task and key not in task:
            raise SpecError("values", f"no parameter {name!r}")
        place[key] = value
    persona = (
        _persona(pack, variant, changed) if changed else _personas.get((pack, variant), lambda: _persona(pack, variant))
    )
    shared = pack.shared.facts(variant, persona, drawn=not changed)
    return VariantValues(persona, Namespace(task, "p"), source.data, shared)


# What is drawn of the persona is the same for all tasks of a variant.
_personas: BoundedCache[tuple[PackFolder, int], Namespace] = BoundedCache(PERSONA_CACHE)


def _persona(pack: PackFolder, variant: int, overrides: Mapping[str, Any] | None = None) -> Namespace:
    card = pack.persona
    values = {**card.facts, **draw_params(card.preferences, Stream(pack.name, variant, "persona"))}
    values |= {"name": card.name, "role": card.role, "user": card.user}
    for name, value in (overrides or {}).items():
        if name not in values:
            raise SpecError("values", f"no parameter {f'persona.{name}'!r}")
        values[name] = value
    for key, text in card.derived.items():
        try:
            values[key] = render_text(text, {"persona": Namespace(values, "persona")}, f"derived.{key}")
        except SpecError as error:
            raise PackError("persona.yaml", error.field, f"{error.reason} (variant {variant})") from error
    return Namespace(values, "persona")


def draw_intents(source: TaskSource, stream: Stream) -> frozenset[str]:
    """The names of the intents that a variant holds."""
    always = [intent.name for intent in source.pool if intent.always]
    others = [intent.name for intent in source.pool if not intent.always]
    count = stream.integer(source.spec.draw.min, source.spec.draw.max)
    return frozenset(always + stream.sample(others, count - len(always)))


def make_variant(
    pack: PackFolder, source: TaskSource, variant: int, overrides: Mapping[str, Any] | None = None
) -> Variant:
    """Draw and compute; a fault of `right.py` becomes a PackError.

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
            if "shared" in world:
                raise ValueError("a fact cannot be called shared: that has what all tasks share")
        except (PackError, StateMismatch):  # of what all tasks share: these name their own file
            raise
        except Exception as error:
            reason = f"world() raised {type(error).__name__}: {error} (variant {variant})"
            raise PackError(source.code_file, "world", reason) from error
    drawn = draw_intents(source, Stream(pack.name, name, variant, "draw"))
    facts = {**world, "first_id": id_base(source.place) + 1, "shared": values.shared}
    return Variant(variant, values, Namespace(facts, "world"), files, drawn)


@contextmanager
def named_errors(source: TaskSource, variant: int) -> Iterator[None]:
    """Turns a fault in a field of a task into one that names file and variant too."""
    try:
        yield
    except SpecError as error:
        raise source.fault(error.field, f"{error.reason} (variant {variant})") from error
