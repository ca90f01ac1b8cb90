"""The common ground of a person's apps: who is in their world, what happened, and what all persons share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field, RootModel, model_validator

from pi_gym.authoring.worlds.seed_rows import Day, Known, Row, Tables
from pi_gym.errors import PackError
from pi_gym.installed import envs_folder
from pi_gym.schema import load_model
from pi_gym.schema.specs import Spec
from pi_gym.seeding import Stream

SeedModel = TypeVar("SeedModel", bound=Spec)


class PersonSeed(Spec):
    """One of people.yaml.

    Args:
        first_name: as they are called.
        last_name: empty for a shop.
        email: the address of all their accounts.
        phone_number: digits.
        relation: what they are to the person whose world it is; `self` for that person.
        home: the address, or a shop's.
        contact: whether that person's phone has them; for whoever writes phone.yaml.
    """

    first_name: str
    last_name: str = ""
    email: str
    phone_number: str
    relation: str
    home: str = ""
    contact: bool = True

    @property
    def columns(self) -> Row:
        """The columns of a person that all apps' accounts hold."""
        return {name: getattr(self, name) for name in ("first_name", "last_name", "email", "phone_number")}


class _People(RootModel[dict[str, PersonSeed]]):
    """people.yaml: the people by key."""


class BoughtSeed(Spec):
    """A line of an order; the product is that of the catalogue with this name, colour and size."""

    product: str
    price: float
    quantity: int = 1
    size: str = ""
    color: str | None = None


class OrderSeed(Spec):
    """An order; the person's own where no account is named."""

    date: Day
    items: list[BoughtSeed] = Field(min_length=1)
    account: str | None = None


class GroupSeed(Spec):
    """A group that shares expenses; `with` names the others."""

    key: str
    name: str
    others: list[str] = Field(alias="with")


class ExpenseSeed(Spec):
    """A shared expense, or a payment.

    Args:
        date: when.
        what: the description.
        paid_by: who paid.
        amount: in units of money.
        group: a group's key; none where it belongs to no group.
        between: who takes a share, the payer too if they do.
        to: who gets the money, which makes it a payment.
        shares: what each of `between` takes; equal parts where left out.
        by: who recorded it; the payer where left out.
        from_hour: the hour before which it cannot have been recorded.
        deleted: when it was deleted.
    """

    date: Day
    what: str
    paid_by: str
    amount: float
    group: str | None = None
    between: list[str] | None = Field(default=None, min_length=1)
    to: str | None = None
    shares: list[float] | None = None
    by: str | None = None
    from_hour: int = Field(default=12, ge=0, le=22)
    deleted: Day | None = None

    @model_validator(mode="after")
    def _one_form(self) -> ExpenseSeed:
        if (self.between is None) == (self.to is None):
            raise ValueError("expected exactly one of between (an expense) and to (a payment)")
        if self.shares is not None and len(self.shares) != len(self.between or ()):
            raise ValueError(f"expected a share for each of between, got {len(self.shares)}")
        return self


class LifeSeeds(Spec):
    """life.yaml: what happened, for all apps.

    Args:
        begin: the first day of which the apps tell (`from`).
        end: the last one, before the first session (`to`).
        events: what happened, for whoever writes the apps' seeds; nothing is made of them.
        routines: what comes back, likewise.
        meter: what the home's electricity meter says, by day.
        orders: what the person bought.
        groups: those of the person; the person is in each.
        expenses: what was shared.
    """

    begin: Day = Field(alias="from")
    end: Day = Field(alias="to")
    events: list[dict[str, Any]] = Field(default_factory=list)
    routines: list[dict[str, Any]] = Field(default_factory=list)
    meter: dict[Day, int] = Field(default_factory=dict)
    orders: list[OrderSeed] = Field(default_factory=list)
    groups: list[GroupSeed] = Field(default_factory=list)
    expenses: list[ExpenseSeed] = Field(default_factory=list)


@dataclass(frozen=True)
class Circle:
    """A person, the people around them, and what happened to them.

    Args:
        folder: the pack's.
        people: by key; the makers number them in this order.
        owner: the key of the person whose world it is.
        life: what happened.
    """

    folder: Path
    people: Mapping[str, PersonSeed]
    owner: str
    life: LifeSeeds

    @classmethod
    def read(cls, folder: Path) -> Circle:
        """The circle of a pack, from its world/people.yaml and world/life.yaml.

        Raises:
            PackError: a file is missing or wrong.
        """
        people = load_model(_People, folder / "world" / "people.yaml", "world/people.yaml").root
        owners = [key for key, one in people.items() if one.relation == "self"]
        if len(owners) != 1:
            found = f"those of {', '.join(owners)}" if owners else "none"
            raise PackError("world/people.yaml", "", f"expected one person with `relation: self`, got {found}")
        life = load_model(LifeSeeds, folder / "world" / "life.yaml", "world/life.yaml")
        return cls(folder, Known("person of world/people.yaml", people), owners[0], life)

    def seeds(self, model: type[SeedModel], app: str) -> SeedModel:
        """The app's own seeds; PackError where they are not as the model says."""
        return load_model(model, self.folder / "world" / f"{app}.yaml", f"world/{app}.yaml")

    @property
    def owner_number(self) -> int:
        """The person's account id in the apps in which everybody has an account."""
        return list(self.people).index(self.owner) + 1

    def name(self, key: str) -> str:
        """Somebody's whole name."""
        return f"{self.people[key].first_name} {self.people[key].last_name}"

    def numbers(self, passwords: Mapping[str, str]) -> Mapping[str, int]:
        """The account ids of those who have a password, in its order."""
        return Known("person with an account", {key: number for number, key in enumerate(passwords, start=1)})

    def accounts(self, passwords: Mapping[str, str]) -> list[Row]:
        """The accounts of those who have a password, in its order."""
        return [
            {"id": number, **self.people[key].columns, "password": passwords[key]}
            for key, number in self.numbers(passwords).items()
        ]

    def shared(self, app: str) -> Tables:
        """The tables of an app that all persons share: `_shared/apps/<app>.json`, beside the pack or installed."""
        beside = self.folder.parent / "_shared" / "apps"
        path = (beside if beside.is_dir() else envs_folder() / "_shared" / "apps") / f"{app}.json"
        if not path.is_file():
            raise PackError(f"world/{app}.yaml", "", f"{app} needs what all persons share, and there is no {path}")
        raw = json.loads(path.read_bytes())
        return {
            name: [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
            for name, table in raw.items()
        }


def stream_of(app: str) -> Stream:
    """The stream of all that is drawn for an app's seed world; its children are named by what they are for."""
    return Stream("seed world", app)
