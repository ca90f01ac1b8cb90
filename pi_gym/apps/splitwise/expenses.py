"""Recording, changing and deleting expenses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pi_gym.apps.attachments import TABLE as RECEIPTS
from pi_gym.apps.attachments import attach, files_of
from pi_gym.apps.desk import Desk
from pi_gym.apps.money import cents, units
from pi_gym.apps.splitwise.app import APP
from pi_gym.apps.splitwise.groups import need_group
from pi_gym.apps.splitwise.people import check_members, own_address
from pi_gym.apps.splitwise.shares import are_equal, debtors, shares
from pi_gym.apps.texts import is_blank
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError


@APP.operation("write")
def record_expense(
    desk: Desk,
    description: str,
    paid_amount: float,
    payer_email: str,
    debtor_emails: list[str],
    debt_amounts: list[float] | None = None,
    group_id: int | None = None,
    receipt_file_path: str | None = None,
    file_system_access_token: str | None = None,
) -> Any:
    """Record an expense that one person paid and several share.

    debtor_emails names everybody who takes a share, the payer too if they do. Three people who share a dinner that one
    of them paid are three debtors; each of the other two then owes the payer a third. Without debt_amounts the amount
    is split equally to the cent, and cents that are left over go to the first in the list. A payment that settles a
    debt is recorded as an expense as well: payer_email is the one who hands over the money, debtor_emails holds only
    the one who gets it.

    Args:
        description: what was paid, 1 to 200 characters.
        paid_amount: how much, at least 0.01, with at most two decimals.
        payer_email: the e-mail address of the person who paid.
        debtor_emails: the e-mail addresses of all who take a share, each once. They and the payer need Splitwise
            accounts (search_users finds them) and, for an expense of a group, must be members of it.
        debt_amounts: the share of each in the order of debtor_emails, at least 0.01; they must add up to paid_amount.
            Null to split equally.
        group_id: one of your groups; null or 0 for an expense outside groups, in which you must take part yourself, as
            payer or debtor.
        receipt_file_path: a file of the workspace to attach, like ~/bills/dinner.txt; it is copied as it is now.
        file_system_access_token: not needed; ignored.
    """
    text = _description(description)
    payer, people = debtors(desk, payer_email, debtor_emails)
    amounts = shares(paid_amount, len(people), debt_amounts)
    group = group_id or 0
    _check_place(desk, group, payer, people)
    files = files_of(desk, [receipt_file_path]) if receipt_file_path and receipt_file_path.strip() else []
    key = desk.insert(
        "expenses",
        group_id=group,
        description=text,
        paid_amount=units(cents(paid_amount, "paid_amount")),
        payer_email=payer,
        debtor_emails=people,
        debt_amounts=amounts,
        creator_email=own_address(desk),
        created_at=desk.now,
        updated_at=desk.now,
    )
    attach(desk, key, files)
    row = desk.table("expenses").get(key)
    assert row is not None
    return {"message": "Expense recorded.", **shown(desk, key, row)}


@APP.operation("write")
def update_expense(
    desk: Desk,
    expense_id: int,
    description: str | None = None,
    paid_amount: float | None = None,
    payer_email: str | None = None,
    debtor_emails: list[str] | None = None,
    debt_amounts: list[float] | None = None,
) -> Any:
    """Change an expense. What is left out, or null, stays as it is.

    Only the one who recorded it, the payer and those who take a share may change it. With a new paid_amount or new
    debtor_emails, and no debt_amounts, the amount is split equally; where the shares were not equal before, a new
    paid_amount needs new debt_amounts. The group stays the same.

    Args:
        expense_id: the expense's id; show_group_expenses finds it.
        description: the new description, 1 to 200 characters.
        paid_amount: the new amount.
        payer_email: the e-mail address of the person who paid.
        debtor_emails: the e-mail addresses of all who take a share, which replace the old ones; see record_expense.
        debt_amounts: the new shares, in the order of debtor_emails (the old ones where these stay); they must add up
            to paid_amount.
    """
    old = _need_to_change(desk, expense_id)
    given = (description, paid_amount, payer_email, debtor_emails, debt_amounts)
    if all(value is None for value in given):
        raise ToolError("Nothing to change; give description, paid_amount, payer_email, debtor_emails or debt_amounts.")
    changes: dict[str, Any] = {} if description is None else {"description": _description(description)}
    if any(value is not None for value in given[1:]):
        changes |= _redivided(desk, old, paid_amount, payer_email, debtor_emails, debt_amounts)
    row = desk.update("expenses", expense_id, **changes, updated_at=desk.now)
    return {"message": "Expense updated.", **shown(desk, expense_id, row)}


@APP.operation("write")
def delete_expense(desk: Desk, expense_id: int) -> Any:
    """Delete an expense: it counts no longer in any balance, and show_group_expenses lists it with deleted=true.

    Only the one who recorded it, the payer and those who take a share may delete it. It cannot be brought back.

    Args:
        expense_id: the expense's id; show_group_expenses finds it.
    """
    _need_to_change(desk, expense_id)
    desk.update("expenses", expense_id, deleted=True, updated_at=desk.now)
    return {"message": "Expense deleted.", "expense_id": expense_id}


def shown(desk: Desk, key: int, row: Row) -> dict[str, Any]:
    """An expense as an agent sees it."""
    receipts = [
        {"file_name": file["file_name"], "bytes": file["bytes"]} for _, file in desk.having(RECEIPTS, "record", key)
    ]
    return {
        "expense_id": key,
        **{name: value for name, value in row.items() if name != "group_id"},
        "group_id": row["group_id"] or None,
        "receipt": receipts[0] if receipts else None,
    }


def takes_part(row: Row, email: str) -> bool:
    """Whether somebody paid or shares an expense."""
    return email == row["payer_email"] or email in row["debtor_emails"]


def _redivided(
    desk: Desk,
    old: Row,
    paid_amount: float | None,
    payer_email: str | None,
    debtor_emails: list[str] | None,
    debt_amounts: list[float] | None,
) -> dict[str, Any]:
    """Payer, amount and shares of an expense after a change of some of them."""
    payer, people = debtors(
        desk,
        old["payer_email"] if payer_email is None else payer_email,
        old["debtor_emails"] if debtor_emails is None else debtor_emails,
    )
    _check_place(desk, old["group_id"], payer, people)
    amount = old["paid_amount"] if paid_amount is None else paid_amount
    if debt_amounts is None and debtor_emails is None:
        if amount == old["paid_amount"]:
            return {"payer_email": payer}
        if not are_equal(old["paid_amount"], old["debt_amounts"]):
            raise ToolError(
                f"The shares were not equal ({_listed(old['debt_amounts'])}); give debt_amounts that add up to"
                f" {amount:.2f}, or debtor_emails to split equally."
            )
    amounts = shares(amount, len(people), debt_amounts)
    return {
        "payer_email": payer,
        "debtor_emails": people,
        "paid_amount": units(cents(amount, "paid_amount")),
        "debt_amounts": amounts,
    }


def _check_place(desk: Desk, group: int, payer: str, people: Sequence[str]) -> None:
    """See to it that an expense may be where it is: with members in a group, with oneself outside."""
    if group:
        check_members(group, need_group(desk, group), [payer, *people])
    elif own_address(desk) not in (payer, *people):
        raise ToolError(
            f"Outside groups you must take part yourself: {own_address(desk)} neither pays nor takes a share."
            " splitwise__show_groups finds the group_id of an expense of others."
        )


def _need_to_change(desk: Desk, key: int) -> Row:
    """An expense that the signed-in account may change."""
    row, me = desk.table("expenses").get(key), own_address(desk)
    concerned = row is not None and (takes_part(row, me) or me == row["creator_email"])
    if row is None or not (concerned or _sees_group(desk, row["group_id"], me)):
        raise ToolError(
            f"There is no expense with the id {key}. splitwise__show_group_expenses finds ids; with group_id 0, those"
            " of expenses outside groups."
        )
    if not concerned:
        raise ToolError(
            f"You have no part in the expense {key} ({row['description']!r}), so you cannot change it; its payer"
            f" {row['payer_email']} can."
        )
    if row["deleted"]:
        raise ToolError(f"The expense {key} ({row['description']!r}) is deleted and stays so; record a new one.")
    return row


def _sees_group(desk: Desk, group_id: int, email: str) -> bool:
    group = desk.table("groups").get(group_id)
    return group is not None and email in group["member_emails"]


def _description(text: str) -> str:
    cleaned = text.strip()
    if is_blank(cleaned):
        raise ToolError("The description is empty; say what was paid.")
    return cleaned


def _listed(amounts: Sequence[float]) -> str:
    return ", ".join(f"{amount:.2f}" for amount in amounts)
