"""The app Simple Note: its tables, and whose notes are open."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.accounts import account_by_email, profile
from pi_gym.apps.columns import ACCOUNTS, Column, TableSpec
from pi_gym.apps.declare import App
from pi_gym.apps.desk import Desk

APP = App(
    "simple_note",
    "Simple Note",
    "Notes with a title, a text and tags. Pinned notes stand first in lists. Every account sees its own notes only.",
    {
        "notes": TableSpec(
            {
                "account": Column(int, "the id of the account that it belongs to", 1, ACCOUNTS),
                "title": Column(str, "its title", max_chars=200),
                "content": Column(str, "its text", ""),
                "tags": Column(list[str], "its tags, in the order in which they were given", []),
                "pinned": Column(bool, "whether it is pinned", False),
                "created_at": Column(str, "when it was written, ISO 8601", "2026-01-01T09:00:00"),
                "updated_at": Column(str, "when it was last changed, ISO 8601", "2026-01-01T09:00:00"),
            },
            noun="note",
            find="search_notes",
            owner="account",
        )
    },
    logout="",
)


@APP.operation("read")
def show_account(desk: Desk) -> Any:
    """Show the account that is signed in."""
    account = desk.account
    return {**profile(account), "phone_number": account["phone_number"], "notes": len(desk.own("notes"))}


@APP.operation("read", open=False)
def show_profile(desk: Desk, email: str) -> Any:
    """Show the public profile of an account: name and e-mail address.

    Args:
        email: the account's e-mail address.
    """
    return profile(account_by_email(desk, email)[1])
