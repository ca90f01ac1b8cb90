"""Listing and searching expenses."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.desk import Desk
from pi_gym.apps.money import MAX_AMOUNT
from pi_gym.apps.pages import ordered, page
from pi_gym.apps.row_search import search
from pi_gym.apps.splitwise.app import APP
from pi_gym.apps.splitwise.expenses import shown, takes_part
from pi_gym.apps.splitwise.groups import need_group
from pi_gym.apps.splitwise.people import address, own_address
from pi_gym.apps.times import between
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

SEARCHED = {"description": 1}
SORTED = ("created_at", "updated_at", "paid_amount", "description")


@APP.operation("read")
def show_group_expenses(
    desk: Desk,
    group_id: int,
    query: str = "",
    participant_email: str | None = None,
    min_amount: float = 0.0,
    max_amount: float = MAX_AMOUNT,
    min_created_at: str = "",
    max_created_at: str = "",
    deleted: bool = False,
    page_index: int = 0,
    page_limit: int = 5,
    sort_by: str | None = None,
) -> Any:
    """List or search the expenses of a group, or, with group_id 0, your expenses outside groups.

    Expenses are found by words of their descriptions, best match first; without a query, the newest first. Each has
    payer_email, debtor_emails and, in the same order, debt_amounts: what each of them owes the payer.

    Args:
        group_id: the group's id (show_groups finds it), or 0 for your expenses outside groups.
        query: words to look for; empty for all.
        participant_email: only expenses that this person paid or shares; null for all.
        min_amount: only expenses of at least this paid_amount.
        max_amount: only expenses of at most this paid_amount.
        min_created_at: only expenses recorded from then on: a date or a time; empty for no bound.
        max_created_at: only expenses recorded until then; a date alone counts to its end; empty for no bound.
        deleted: list the deleted expenses (true) instead of those that count (false).
        page_index: which page, from 0.
        page_limit: expenses a page, 1 to 20.
        sort_by: + or - (ascending or descending) and created_at, updated_at, paid_amount or description; null for the
            best match first.
    """
    if group_id:
        need_group(desk, group_id, deleted=True)
    if min_amount > max_amount:
        raise ToolError(f"min_amount ({min_amount}) is more than max_amount ({max_amount}); nothing can be between.")
    participant = address(desk, participant_email, "participant_email") if participant_email else ""
    first, last = between(min_created_at, max_created_at, ("min_created_at", "max_created_at"))
    me = own_address(desk)

    def keep(row: Row) -> bool:
        return (
            row["group_id"] == group_id
            and row["deleted"] == deleted
            and (group_id != 0 or takes_part(row, me) or row["creator_email"] == me)
            and (not participant or takes_part(row, participant))
            and min_amount <= row["paid_amount"] <= max_amount
            and first <= row["created_at"] <= last
        )

    if query.strip():
        found = search(desk.table("expenses"), query, SEARCHED, keep)
    else:
        found = [pair for pair in desk.having("expenses", "group_id", group_id) if keep(pair[1])]
        found.sort(key=lambda pair: (pair[1]["created_at"], pair[0]), reverse=True)
    nothing = "No expenses match. Leave filters out for all of the group; splitwise__show_groups lists other groups."
    return page(
        ordered(found, sort_by or None, SORTED),
        page_index,
        page_limit,
        "expenses",
        lambda key, row: shown(desk, key, row),
        nothing,
    )
