"""Operations on balances: who owes whom, from the expenses that are not deleted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pi_gym.apps.desk import Desk
from pi_gym.apps.money import units
from pi_gym.apps.splitwise.app import APP
from pi_gym.apps.splitwise.groups import need_group, own_groups
from pi_gym.apps.splitwise.people import address, name_of, own_address
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

OUTSIDE = "outside groups"


@APP.operation("read")
def show_group_balance(desk: Desk, group_id: int | None = None, email: str | None = None) -> Any:
    """Show your balance with each member of a group, from the expenses of that group alone.

    A positive balance is what that person owes you, a negative one what you owe them. Debts go from each debtor to the
    payer and are not rearranged among the members. show_people_balance counts all groups and other expenses together.

    Args:
        group_id: the group's id (show_groups finds it); 0 for your expenses outside groups; null for all of them, one
            after the other.
        email: only the balance with this person, who must be in the group; null for all members.
    """
    other = None if email is None else _other(desk, email)
    me = own_address(desk)
    if group_id is not None:
        group = need_group(desk, group_id, deleted=True) if group_id else None
        if group is not None and other is not None and other not in group["member_emails"]:
            raise ToolError(
                f"{other} is not in the group {group['name']!r}; its members: {', '.join(group['member_emails'])}."
                " splitwise__show_person_balance counts all groups."
            )
        rows = _taking_part(desk, me) if group is None else _of_group(desk, group_id)
        return _group_balance(desk, me, group_id, group, [row for row in rows if row["group_id"] == group_id], other)
    by_group: dict[int, list[Row]] = {}
    for row in _taking_part(desk, me):
        by_group.setdefault(row["group_id"], []).append(row)
    shared = [
        (key, group)
        for key, group in own_groups(desk)
        if not group["deleted"] and (other is None or other in group["member_emails"])
    ]
    return {
        "groups": [
            _group_balance(desk, me, key, group, by_group.get(key, []), other) for key, group in [*shared, (0, None)]
        ]
    }


@APP.operation("read")
def show_people_balance(desk: Desk) -> Any:
    """Show your balance with everybody with whom you shared expenses, in all groups and outside them together.

    A positive balance is what that person owes you, a negative one what you owe them; 0.0 means that you are even.
    The people stand in the order of their e-mail addresses; total_balance is the sum.
    """
    me = own_address(desk)
    amounts = _owed(me, _taking_part(desk, me))
    return {"total_balance": units(sum(amounts.values())), "people": _people(desk, amounts)}


@APP.operation("read")
def show_person_balance(desk: Desk, email: str) -> Any:
    """Show your balance with one person: in all, and group by group.

    A positive balance is what that person owes you, a negative one what you owe them; 0.0 means that you are even.
    The group with the group_id 0 stands for expenses outside groups; show_group_expenses lists the expenses.

    Args:
        email: the e-mail address of their Splitwise account; search_users finds it.
    """
    me, other = own_address(desk), _other(desk, email)
    by_group: dict[int, list[Row]] = {}
    for row in _taking_part(desk, me):
        if not row["deleted"] and (other == row["payer_email"] or other in row["debtor_emails"]):
            by_group.setdefault(row["group_id"], []).append(row)
    # Both may only have shares in what a third one paid; then there is nothing between them.
    wholes = {key: owed[other] for key, rows in sorted(by_group.items()) if other in (owed := _owed(me, rows))}
    groups = [
        {"group_id": key, "group_name": _group_name(desk, key), "balance": units(whole)}
        for key, whole in wholes.items()
    ]
    total = units(sum(wholes.values()))
    return {"email": other, "name": name_of(desk, other), "balance": total, "groups": groups}


def _group_balance(
    desk: Desk, me: str, group_id: int, group: Row | None, rows: Iterable[Row], other: str | None
) -> dict[str, Any]:
    """A balance with each member, or with one; without a group, with those with whom there is something."""
    amounts = dict.fromkeys((member for member in group["member_emails"] if member != me), 0) if group else {}
    amounts |= _owed(me, rows)
    if other is not None:
        amounts = {other: amounts.get(other, 0)}
    return {
        "group_id": group_id,
        "group_name": group["name"] if group else OUTSIDE,
        "your_balance": units(sum(amounts.values())),
        "members": _people(desk, amounts),
    }


def _of_group(desk: Desk, group_id: int) -> list[Row]:
    return [row for _, row in desk.having("expenses", "group_id", group_id)]


def _taking_part(desk: Desk, email: str) -> list[Row]:
    """The expenses that somebody paid or shares, each once."""
    paid = [row for _, row in desk.having("expenses", "payer_email", email)]
    return paid + [row for _, row in desk.having("expenses", "debtor_emails", email) if row["payer_email"] != email]


def _owed(me: str, rows: Iterable[Row]) -> dict[str, int]:
    """The amounts that others owe somebody by some expenses, in cents; negative where it is owed to them."""
    amounts: dict[str, int] = {}
    for row in rows:
        payer, debtors, shares = row["payer_email"], row["debtor_emails"], row["debt_amounts"]
        if row["deleted"]:
            continue
        if payer == me:
            for debtor, share in zip(debtors, shares, strict=False):
                if debtor != me:
                    amounts[debtor] = amounts.get(debtor, 0) + round(share * 100)
        elif me in debtors:
            share = dict(zip(debtors, shares, strict=False)).get(me, 0.0)
            amounts[payer] = amounts.get(payer, 0) - round(share * 100)
    return amounts


def _people(desk: Desk, amounts: dict[str, int]) -> list[dict[str, Any]]:
    return [
        {"email": email, "name": name_of(desk, email), "balance": units(whole)}
        for email, whole in sorted(amounts.items())
    ]


def _other(desk: Desk, email: str) -> str:
    other = address(desk, email, "email")
    if other == own_address(desk):
        raise ToolError("That is your own address; give the other person's. splitwise__show_people_balance shows all.")
    return other


def _group_name(desk: Desk, group_id: int) -> str:
    group = desk.table("groups").get(group_id)
    return group["name"] if group else OUTSIDE
