"""The world that all scenarios share: the phone's owner, the people around them, and what has gathered in the apps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import Field

from pi_gym.errors import PackError, SpecError
from pi_gym.pare.habits import HabitSheet, check_habit
from pi_gym.pare.scenario import FIRST_HABIT
from pi_gym.pare.scenario_sheet import CallSheet
from pi_gym.phone.installed_apps import load_phone_app, phone_app_names
from pi_gym.phone.phone_desk import Owner
from pi_gym.schema.specs import Name, Spec
from pi_gym.schema.yaml_files import load_model
from pi_gym.seeding import Stream
from pi_gym.state import World
from pi_gym.state.tables import Row
from pi_gym.templates import Namespace, compile_tree
from pi_gym.types import ToolCall


class PersonSheet(Spec):
    """A person of the shared world, as they stand in the contacts."""

    first_name: str
    last_name: str
    phone: str
    email: str
    job: str = ""
    city_living: str = ""
    description: str = ""
    gender: str = "Unknown"


class WorldSheet(Spec):
    """world.yaml: what all scenarios share.

    Args:
        owner: the phone's owner; row 1 of the contacts.
        people: the people around them; rows from 2 on, and candidates for the casts of scenarios.
        apps: further rows, by app, table and a name for the row; templates see `people`, `owner` and `ids`.
        noise: events that have nothing to do with any scenario.
        habits: what the owner wants of whatever is done for them, by name; most worlds have one of them.
    """

    owner: PersonSheet
    people: dict[Name, PersonSheet] = Field(min_length=1)
    apps: dict[str, dict[str, dict[Name, dict[str, Any]]]] = Field(default_factory=dict)
    noise: list[CallSheet] = Field(min_length=1)
    habits: dict[Name, HabitSheet] = Field(default_factory=dict)


class SharedWorld:
    """The shared world of a set.

    Args:
        path: the file world.yaml.

    Raises:
        PackError: the file has a fault.
    """

    def __init__(self, path: Path) -> None:
        self._shown = path.name
        self._sheet = load_model(WorldSheet, path, self._shown)
        card = self._sheet.owner
        self.owner = Owner(f"{card.first_name} {card.last_name}", card.email, card.phone, 1)
        self.owner_values = _person(1, card)
        self.people = {name: _person(number, one) for number, (name, one) in enumerate(self._sheet.people.items(), 2)}
        self.first_names = frozenset(one.first_name.lower() for one in self._sheet.people.values())
        self.ids = {
            name: number
            for tables in self._sheet.apps.values()
            for rows in tables.values()
            for number, name in enumerate(rows, start=1)
        }
        self.habits = self._sheet.habits
        try:
            for name, habit in self.habits.items():
                check_habit(name, habit)
        except SpecError as error:
            raise PackError(self._shown, error.field, error.reason) from error
        told = [
            name
            for habit in self.habits.values()
            for tables in habit.apps.values()
            for rows in tables.values()
            for name in rows
        ]
        self.ids |= {name: number for number, name in enumerate(told, start=FIRST_HABIT)}

    @property
    def _context(self) -> dict[str, Any]:
        return {
            "owner": self.owner_values,
            "people": Namespace(self.people, "people"),
            "ids": Namespace(self.ids, "ids"),
        }

    @cached_property
    def noise(self) -> tuple[ToolCall, ...]:
        """The events of noise."""
        listed = ((number, one) for number, one in enumerate(self._sheet.noise))
        return tuple(
            ToolCall(one.do, compile_tree(one.arguments, f"noise[{number}]")(self._context)) for number, one in listed
        )

    def cast(self, roles: Sequence[str], stream: Stream) -> dict[str, Namespace]:
        """People for the roles of a scenario, no two of one first name."""
        names = stream.sample(sorted(self.people), len(roles))
        return {role: self.people[name] for role, name in zip(roles, names, strict=True)}

    @cached_property
    def world(self) -> World:
        """The phone with all apps and these rows; nobody changes it."""
        rows: dict[str, dict[str, dict[int, Row]]] = {}
        people = {1: self._sheet.owner, **dict(enumerate(self._sheet.people.values(), 2))}
        contacts = {number: {**one.model_dump(), "is_user": number == 1} for number, one in people.items()}
        spoken = {
            number: {"name": f"{one.first_name} {one.last_name}", "phone": one.phone, "is_user": number == 1}
            for number, one in people.items()
        }
        chats = {number: {"participants": [1, number]} for number in people if number != 1}
        given: dict[str, dict[str, Mapping[int, Mapping[str, Any]]]] = {
            "Contacts": {"contacts": contacts},
            "Messages": {"people": spoken, "conversations": chats},
        }
        for app, tables in self._sheet.apps.items():
            for table, named in tables.items():
                filled = compile_tree(named, f"apps.{app}.{table}")(self._context)
                given.setdefault(app, {})[table] = dict(enumerate(filled.values(), start=1))
        for app, listed in given.items():
            for table, numbered in listed.items():
                spec = load_phone_app(app).tables[table]
                for number, row in numbered.items():
                    try:
                        rows.setdefault(app, {}).setdefault(table, {})[number] = spec.complete(row)
                    except (SpecError, ValueError) as error:
                        raise PackError(self._shown, f"apps.{app}.{table} (row {number})", str(error)) from error
        world = World()
        for name in phone_app_names():
            app_ = load_phone_app(name)
            world.put_app(app_.name, app_.database(rows.get(app_.name, {})))
        return world


def _person(number: int, one: PersonSheet) -> Namespace:
    # A person's row has the same id in the contacts and among the people of the messages, and so has their chat.
    values = {**one.model_dump(), "name": f"{one.first_name} {one.last_name}", "id": number, "chat": number}
    return Namespace(values, one.first_name)
