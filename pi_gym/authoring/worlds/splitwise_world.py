"""The seed world of Splitwise: the groups and expenses that life.yaml tells of, and more ordinary ones."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence

from pydantic import Field

from pi_gym.apps.money import split, units
from pi_gym.authoring.worlds.circle import Circle, ExpenseSeed, stream_of
from pi_gym.authoring.worlds.seed_rows import Day, Known, Row, Tables, moment, number_rows, text_file
from pi_gym.errors import SpecError
from pi_gym.schema.specs import Spec
from pi_gym.seeding import Stream


class GroupDetailsSeed(Spec):
    """The details that Splitwise adds to a group of life.yaml."""

    created: Day
    by: str
    about: str = ""
    deleted: bool = False


class MoreGroupSeed(GroupDetailsSeed):
    """A group that life.yaml does not tell of; `with` names all its members."""

    key: str
    name: str
    members: list[str] = Field(alias="with")


class ReceiptSeed(Spec):
    """A text attached to the expense of a day and a description."""

    date: Day
    what: str
    file: str
    text: str


class SplitwiseSeeds(Spec):
    """splitwise.yaml.

    Args:
        accounts: passwords by person; everybody has an account, and the other passwords are drawn.
        words: what drawn passwords begin with.
        groups: the details of the groups of life.yaml, by key.
        more_groups: other groups.
        expenses: other expenses.
        receipts: what is attached to expenses.
    """

    accounts: dict[str, str]
    words: list[str] = Field(min_length=1)
    groups: dict[str, GroupDetailsSeed] = Field(default_factory=dict)
    more_groups: list[MoreGroupSeed] = Field(default_factory=list)
    expenses: list[ExpenseSeed] = Field(default_factory=list)
    receipts: list[ReceiptSeed] = Field(default_factory=list)


def person_tables(circle: Circle) -> Tables:
    """The tables of a person's world."""
    seeds, stream = circle.seeds(SplitwiseSeeds, "splitwise"), stream_of("splitwise")
    emails = Known("person of world/people.yaml", {key: one.email for key, one in circle.people.items()})
    groups = sorted(_groups(seeds, circle), key=lambda group: group.created)
    numbers = Known("group", {group.key: number for number, group in enumerate(groups, start=1)})
    expenses = number_rows(
        sorted(
            (_expense(given, numbers, emails, stream) for given in (*circle.life.expenses, *seeds.expenses)),
            key=lambda row: (row["created_at"], row["description"]),
        )
    )
    return {
        "accounts": list(_accounts(seeds, circle, stream)),
        "groups": [_group(group, numbers, emails, stream) for group in groups],
        "expenses": expenses,
        "attachments": list(_receipts(seeds, expenses)),
    }


def _accounts(seeds: SplitwiseSeeds, circle: Circle, stream: Stream) -> Iterator[Row]:
    for number, (key, one) in enumerate(circle.people.items(), start=1):
        own = stream.child("password", key)
        drawn = f"{own.choice(seeds.words)}-{own.integer(10, 99)}"
        yield {"id": number, **one.columns, "password": seeds.accounts.get(key, drawn)}


def _groups(seeds: SplitwiseSeeds, circle: Circle) -> Iterator[MoreGroupSeed]:
    details = Known("group with details", seeds.groups)
    for group in circle.life.groups:
        named = {"key": group.key, "name": group.name, "with": [circle.owner, *group.others]}
        yield MoreGroupSeed(**named, **details[group.key].model_dump())
    yield from seeds.more_groups


def _group(group: MoreGroupSeed, numbers: Mapping[str, int], emails: Mapping[str, str], stream: Stream) -> Row:
    members = sorted(group.members, key=lambda key: (key != group.by, group.members.index(key)))
    return {
        "id": numbers[group.key],
        "name": group.name,
        "description": group.about,
        "creator_email": emails[group.by],
        "member_emails": [emails[key] for key in members],
        "deleted": group.deleted,
        "created_at": moment(group.created, stream.child("group", group.key), 8, 11),
    }


def _expense(given: ExpenseSeed, numbers: Mapping[str, int], emails: Mapping[str, str], stream: Stream) -> Row:
    """One expense; a payment's only debtor is the one who gets it."""
    who = given.between or [str(given.to)]
    equal = [units(share) for share in split(round(given.amount * 100), len(who))]
    own = stream.child("expense", given.date, given.what)
    created = moment(given.date, own, given.from_hour, 22)
    return {
        "group_id": numbers[given.group] if given.group else 0,
        "description": given.what,
        "paid_amount": given.amount,
        "payer_email": emails[given.paid_by],
        "debtor_emails": [emails[key] for key in who],
        "debt_amounts": given.shares or equal,
        "creator_email": emails[given.by or given.paid_by],
        "deleted": given.deleted is not None,
        "created_at": created,
        "updated_at": moment(given.deleted, own, 9, 22) if given.deleted else created,
    }


def _receipts(seeds: SplitwiseSeeds, expenses: Sequence[Row]) -> Iterator[Row]:
    for number, receipt in enumerate(seeds.receipts, start=1):
        found = [
            row["id"]
            for row in expenses
            if row["created_at"].startswith(receipt.date) and row["description"] == receipt.what
        ]
        if len(found) != 1:
            reason = f"expected one expense {receipt.what!r} on {receipt.date}, got {len(found)}"
            raise SpecError(f"receipts[{number - 1}]", reason)
        file = text_file(receipt.file, receipt.text)
        digest = hashlib.sha256(receipt.text.encode()).hexdigest()
        yield {
            "id": number,
            "record": found[0],
            "file_name": file["file_name"],
            "bytes": file["bytes"],
            "sha256": digest,
            "text": file["text"],
        }
