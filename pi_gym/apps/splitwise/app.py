"""The app Splitwise: its tables, signing in, and finding people."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.accounts import full_name
from pi_gym.apps.attachments import TABLE as RECEIPTS
from pi_gym.apps.attachments import attachment_table
from pi_gym.apps.columns import ACCOUNTS, Column, TableSpec
from pi_gym.apps.declare import App
from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import page
from pi_gym.apps.row_search import search
from pi_gym.state.tables import Row

_EMAIL = f"{ACCOUNTS}.email"
SEARCHED = {"first_name": 4, "last_name": 4, "email": 1}

GROUPS = TableSpec(
    {
        "name": Column(str, "its name", max_chars=100),
        "description": Column(str, "what it is for", "", max_chars=400),
        "creator_email": Column(str, "the account that made it", refers=_EMAIL),
        "member_emails": Column(list[str], "the accounts in it, the creator among them", refers=_EMAIL),
        "deleted": Column(bool, "whether it was deleted; its expenses are deleted too", False),
        "created_at": Column(str, "when it was made, ISO 8601", "2026-01-01T09:00:00"),
    },
    noun="group",
    find="show_groups",
)
EXPENSES = TableSpec(
    {
        "group_id": Column(int, "the group that it belongs to; 0 for none", 0, "groups"),
        "description": Column(str, "what was paid", max_chars=200),
        "paid_amount": Column(float, "how much, with two decimals"),
        "payer_email": Column(str, "the account that paid", refers=_EMAIL),
        "debtor_emails": Column(
            list[str], "the accounts that take a share, the payer too where they do", refers=_EMAIL
        ),
        "debt_amounts": Column(list[float], "the shares in the order of debtor_emails; they add up to paid_amount"),
        "creator_email": Column(str, "the account that recorded it", refers=_EMAIL),
        "deleted": Column(bool, "whether it was deleted; then it counts nothing", False),
        "created_at": Column(str, "when it was recorded, ISO 8601", "2026-01-01T09:00:00"),
        "updated_at": Column(str, "when it was last changed, ISO 8601", "2026-01-01T09:00:00"),
    },
    noun="expense",
    find="show_group_expenses",
)

APP = App(
    "splitwise",
    "Splitwise",
    "Shared expenses. Whoever takes a share of an expense owes it to the one who paid; balances follow from the"
    " expenses that are not deleted, to the cent. A payment between two people is an expense too: paid by the one who"
    " hands over the money, its only debtor the one who gets it. Expenses belong to a group or to none. Every account"
    " sees its own groups with all their expenses, and the expenses outside groups in which it takes part.",
    {"groups": GROUPS, "expenses": EXPENSES, RECEIPTS: attachment_table("expense", "expenses")},
)


@APP.operation("read")
def search_users(desk: Desk, query: str = "", page_index: int = 0, page_limit: int = 5) -> Any:
    """Search the people who have an account, or list them all: those whom groups and expenses can name.

    People are found by words of their names and e-mail addresses, best match first; without a query they stand in the
    order of their names.

    Args:
        query: words to look for; empty for everybody.
        page_index: which page, from 0.
        page_limit: people a page, 1 to 20.
    """
    found = search(desk.table(ACCOUNTS), query, SEARCHED)
    if not query.strip():
        found.sort(key=lambda pair: (full_name(pair[1]).casefold(), pair[0]))
    nothing = "Nobody matches. Try fewer or other words, or splitwise__search_users without query for everybody."
    return page(found, page_index, page_limit, "users", _show, nothing)


def _show(key: int, account: Row) -> dict[str, Any]:
    return {"name": full_name(account), "email": account["email"]}
