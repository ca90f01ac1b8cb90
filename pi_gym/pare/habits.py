"""Habits of the phone's owner: what they want of whatever is done for them, as it stands somewhere on the phone.

A habit has nothing to do with what a scenario is about. It lies over it: rows that tell of it, what holds of the final
state beside the scenario's own goal, and what the model solution does for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pydantic import Field

from pi_gym.pare.act_words import require_acts
from pi_gym.pare.facts import plain_text
from pi_gym.pare.scenario_sheet import Rows, ScenarioCall, ScenarioSheet
from pi_gym.schema.params import draw_params
from pi_gym.schema.specs import Name, ParamSpec, Spec
from pi_gym.seeding import Stream
from pi_gym.templates import Namespace, check_syntax, compile_tree
from pi_gym.types import ToolCall

#: One world of so many has no habit.
WITHOUT = 4


class HabitSheet(Spec):
    """A habit of world.yaml, a template over worlds.

    Templates see `p` (what of `params` was drawn), `ids`, `owner`, `time` (the opening), `plus`, the habit's own
    `values`, and `done`: the apps in which the scenario's model solution changes something, in its order.

    Args:
        about: a sentence on it, for authors and readers.
        params: what is drawn per variant.
        values: templates over all that, in order.
        apps: rows that tell of it, by app, table and a name for the row.
        may: acts that a proposal may offer for it, beside what is wanted, where it names one of `words`.
        words: texts of which a proposal that speaks of the habit names one.
        known: days and times that a proposal may name for it.
        goal: predicates over the final state, where help is wanted.
        keep: rows that the agent may change or make for it, by app and table. A scenario that has to do with one of
            these tables itself does not have the habit.
        look: read-only calls of the model solution.
        calls: what it does once the help is done.
    """

    about: str
    params: dict[Name, ParamSpec] = Field(default_factory=dict)
    values: dict[Name, Any] = Field(default_factory=dict)
    apps: Rows
    may: list[str] = Field(default_factory=list)
    words: list[Any] = Field(default_factory=list)
    known: list[Any] = Field(default_factory=list)
    goal: list[Any] = Field(min_length=1)
    keep: dict[str, dict[str, list[str]]] = Field(min_length=1)
    look: list[ScenarioCall] = Field(min_length=1)
    calls: list[ScenarioCall] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Habit:
    """A habit in one world; what each part is stands at `HabitSheet`.

    Args:
        name: of the habit.
        words: as a plain text has them.
        goal: the filled predicates' specs.
    """

    name: str
    rows: Rows
    may: frozenset[str]
    words: tuple[str, ...]
    known: tuple[Any, ...]
    goal: tuple[Any, ...]
    keep: Mapping[str, Mapping[str, list[str]]]
    look: tuple[ToolCall, ...]
    calls: tuple[ToolCall, ...]


#: The world without one.
NO_HABIT = Habit("", {}, frozenset(), (), (), (), {}, (), ())


def check_habit(name: str, sheet: HabitSheet) -> None:
    """See to it that the acts of a habit exist, and that its templates can be read."""
    require_acts(sheet.may, f"habits.{name}.may")
    check_syntax(sheet.model_dump(exclude={"params"}), f"habits.{name}.")


def fitting_habits(habits: Mapping[str, HabitSheet], scenario: ScenarioSheet) -> tuple[str, ...]:
    """The habits of whose tables a scenario leaves to them."""
    own: set[tuple[Any, Any]] = {(app, table) for app, tables in scenario.keep.items() for table in tables}
    own |= {(one.get("app"), one.get("table")) for one in scenario.goal or () if isinstance(one, Mapping)}
    return tuple(
        name
        for name, sheet in habits.items()
        if own.isdisjoint((app, table) for app, tables in sheet.keep.items() for table in tables)
    )


def draw_habit(names: Sequence[str], stream: Stream) -> str:
    """One of some habits; "" where this world has none."""
    return stream.choice(names) if names and stream.child("any").integer(1, WITHOUT) > 1 else ""


def make_habit(
    name: str, sheet: HabitSheet, context: Mapping[str, Any], done: Sequence[str], time: datetime, stream: Stream
) -> Habit:
    """A habit in one world.

    Args:
        name: of the habit.
        sheet: its part of world.yaml.
        context: what templates see beside what is drawn: `ids`, `owner` and `plus`.
        done: the apps in which the model solution changes something; none where no help is wanted: then the habit is
            only told of.
        time: the opening.
        stream: to draw from.

    Raises:
        SpecError: a field cannot be filled in.
    """
    seen = {**context, "p": Namespace(draw_params(sheet.params, stream), "p"), "done": list(done), "time": time}

    def filled(field: str, value: Any) -> Any:
        return compile_tree(value, f"habits.{name}.{field}")(seen)

    for value_name, value in sheet.values.items():
        seen[value_name] = filled(f"values.{value_name}", value)

    def calls(field: str, listed: Sequence[ScenarioCall]) -> tuple[ToolCall, ...]:
        return tuple(ToolCall(one.do, filled(f"{field}[{at}]", one.arguments)) for at, one in enumerate(listed))

    rows = filled("apps", sheet.apps)
    if not done:
        return replace(NO_HABIT, name=name, rows=rows)
    return Habit(
        name,
        rows,
        frozenset(sheet.may),
        tuple(plain_text(str(word)) for word in filled("words", sheet.words)),
        tuple(filled("known", sheet.known)),
        tuple(filled("goal", sheet.goal)),
        sheet.keep,
        calls("look", sheet.look),
        calls("calls", sheet.calls),
    )
