"""Debts in a group of Splitwise: the expenses that make them, and what these leave open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pi_gym.authoring.amounts import same_amounts
from pi_gym.authoring.leavings import made_rows


def expense(said: str, payer: str, borne: Mapping[str, int], group: int) -> dict[str, Any]:
    """An expense as right.py gives it and Splitwise records it.

    Args:
        said: its description.
        payer: the address of who paid.
        borne: by address what somebody bears, in cents; who bears nothing is left out.
        group: the group's id.

    >>> expense("Tram", "ann@a.example", {"ann@a.example": 450, "ben@a.example": 450}, 4)["paid_amount"]
    9.0
    """
    parts = {email: cents for email, cents in borne.items() if cents}
    return {
        "description": said,
        "paid_amount": sum(parts.values()) / 100,
        "payer_email": payer,
        "debtor_emails": [*parts],
        "debt_amounts": [cents / 100 for cents in parts.values()],
        "group_id": group,
    }


def shares(row: Mapping[str, Any]) -> dict[str, int]:
    """By address what somebody bears of an expense, in cents."""
    pairs = zip(row["debtor_emails"], row["debt_amounts"], strict=True)
    return {email: round(100 * amount) for email, amount in pairs}


def made_here(evidence: Any, group: int, payer: str = "") -> list[dict[str, Any]]:
    """The expenses that this session recorded in a group and left there, where a payer is named of that one."""
    rows = [row for row in made_rows(evidence, "splitwise", "expenses") if row["group_id"] == group]
    return [row for row in rows if not row["deleted"] and payer in ("", row["payer_email"])]


def open_debts(evidence: Any, group: int, creditor: str) -> dict[str, int]:
    """By address what somebody owes the creditor by all that stands in a group now, in cents; below 0: is owed."""
    owed: dict[str, int] = {}
    for _, row in evidence.apps["splitwise"].table("expenses").rows():
        if row["group_id"] == group and not row["deleted"]:
            for email, cents in shares(row).items():
                if row["payer_email"] == creditor != email:
                    owed[email] = owed.get(email, 0) + cents
                elif email == creditor != row["payer_email"]:
                    owed[row["payer_email"]] = owed.get(row["payer_email"], 0) - cents
    return owed


def entered(evidence: Any, group: int, payer: str, emails: Mapping[str, str]) -> dict[str, int]:
    """By name what everybody bears of the one expense of a payer that this session recorded, in cents.

    Args:
        evidence: what the check was given.
        group: the group's id.
        payer: the address of who paid.
        emails: by name the addresses of those who are meant.

    Returns:
        Nothing unless there is just one, with shares.
    """
    made = made_here(evidence, group, payer)
    parts = shares(made[0]) if len(made) == 1 else {}
    return {name: parts.get(email, 0) for name, email in emails.items()} if parts else {}


def owed_by_name(evidence: Any, group: int, creditor: str, emails: Mapping[str, str]) -> dict[str, int]:
    """By name what somebody owes the creditor in a group now, in cents, as `open_debts` has it by address."""
    owed = open_debts(evidence, group, creditor)
    return {name: owed.get(email, 0) for name, email in emails.items()}


def splits_as(found: Mapping[str, int], any_of: Iterable[Mapping[str, int]]) -> bool:
    """Whether an expense is shared to the cent as one of some ways has it; all have the same people in one order.

    >>> splits_as({"ann": 500, "ben": 501}, [{"ann": 501, "ben": 500}, {"ann": 1001, "ben": 0}])
    True
    """
    return any(same_amounts([*found.values()], [*way.values()]) for way in any_of)
