"""The seed world of Splitwise: the groups and expenses that life.yaml tells of, and more ordinary ones."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from pi_gym.apps.money import split, units
from pi_gym.seeding import Stream

Seeds = Mapping[str, Any]
Row = dict[str, Any]


def tables(
    seeds: Seeds, people: Mapping[str, Mapping[str, Any]], life: Mapping[str, Any], stream: Stream
) -> dict[str, list[Row]]:
    """The tables of the app.

    Args:
        seeds: the content of seeds/splitwise.yaml.
        people: by key, from seeds/people.yaml; all have an account.
        life: from seeds/life.yaml, for its groups and expenses.
        stream: for passwords and the times of day.
    """
    emails = {key: one["email"] for key, one in people.items()}
    groups = sorted(_groups(seeds, life), key=lambda group: group["created"])
    numbers = {group["key"]: number for number, group in enumerate(groups, start=1)}
    expenses = sorted(
        (_expense(given, numbers, emails, stream) for given in chain(life["expenses"], seeds["expenses"])),
        key=lambda row: (row["created_at"], row["description"]),
    )
    expenses = [{"id": number, **row} for number, row in enumerate(expenses, start=1)]
    return {
        "accounts": list(_accounts(seeds, people, stream)),
        "groups": [_group(group, numbers, emails, stream) for group in groups],
        "expenses": expenses,
        "attachments": list(_receipts(seeds, expenses)),
    }


def _accounts(seeds: Seeds, people: Mapping[str, Mapping[str, Any]], stream: Stream) -> Iterator[Row]:
    for number, (key, one) in enumerate(people.items(), start=1):
        own = stream.child("password", key)
        drawn = f"{own.choice(seeds['words'])}-{own.integer(10, 99)}"
        yield {
            "id": number,
            **{name: one[name] for name in ("first_name", "last_name", "email", "phone_number")},
            "password": seeds["accounts"].get(key, drawn),
        }


def _groups(seeds: Seeds, life: Mapping[str, Any]) -> Iterator[Row]:
    """All groups; those of life.yaml do not name Nora, who is in each."""
    for group in life["groups"]:
        yield {**group, "with": ["nora", *group["with"]], **seeds["groups"][group["key"]]}
    yield from seeds["more_groups"]


def _group(group: Row, numbers: Mapping[str, int], emails: Mapping[str, str], stream: Stream) -> Row:
    members = sorted(group["with"], key=lambda key: (key != group["by"], group["with"].index(key)))
    return {
        "id": numbers[group["key"]],
        "name": group["name"],
        "description": group.get("about", ""),
        "creator_email": emails[group["by"]],
        "member_emails": [emails[key] for key in members],
        "deleted": group.get("deleted", False),
        "created_at": _moment(group["created"], 8, 11, stream.child("group", group["key"])),
    }


def _expense(given: Row, numbers: Mapping[str, int], emails: Mapping[str, str], stream: Stream) -> Row:
    """One expense; a payment's only debtor is the one who gets it."""
    who: Sequence[str] = [given["to"]] if "to" in given else given["between"]
    equal = [units(share) for share in split(round(given["amount"] * 100), len(who))]
    own = stream.child("expense", given["date"], given["what"])
    created = _moment(given["date"], given.get("from_hour", 12), 22, own)
    deleted = given.get("deleted")
    return {
        "group_id": numbers[given["group"]] if "group" in given else 0,
        "description": given["what"],
        "paid_amount": given["amount"],
        "payer_email": emails[given["paid_by"]],
        "debtor_emails": [emails[key] for key in who],
        "debt_amounts": given.get("shares", equal),
        "creator_email": emails[given.get("by", given["paid_by"])],
        "deleted": deleted is not None,
        "created_at": created,
        "updated_at": _moment(deleted, 9, 22, own) if deleted else created,
    }


def _receipts(seeds: Seeds, expenses: Sequence[Row]) -> Iterator[Row]:
    for number, receipt in enumerate(seeds["receipts"], start=1):
        (record,) = (
            row["id"]
            for row in expenses
            if row["created_at"].startswith(receipt["date"]) and row["description"] == receipt["what"]
        )
        data = receipt["text"].encode()
        yield {
            "id": number,
            "record": record,
            "file_name": receipt["file"],
            "bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
            "text": receipt["text"],
        }


def _moment(day: str, first: int, last: int, stream: Stream) -> str:
    return f"{day}T{stream.integer(first, last):02d}:{stream.integer(0, 59):02d}:{stream.integer(0, 59):02d}"
