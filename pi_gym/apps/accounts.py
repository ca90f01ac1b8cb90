"""Signing in and out, the same in every app."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.columns import ACCOUNTS, SIGNED_IN
from pi_gym.apps.desk import Desk
from pi_gym.apps.row_search import search
from pi_gym.state.tables import Row
from pi_gym.state.world import World
from pi_gym.tools.declare import ToolError

_NOBODY: Row = {"first_name": "", "last_name": "", "email": ""}
_KINDS = {"email": "e-mail address", "phone_number": "phone number"}


def sign_in(desk: Desk, username: str, password: str) -> dict[str, Any]:
    """Open the app for the rest of the session; whoever was signed in before is signed out.

    Raises:
        ToolError: no such account, or another password.
    """
    column, title = desk.username, desk.app.title
    found = _account_with(desk, column, username)
    if found is None:
        raise ToolError(
            f"{title} has no account with the {_KINDS[column]} {username[:80]!r}; the accounts stand in the system"
            " message."
        )
    key, row = found
    if row["password"] != password:
        raise ToolError(f"Wrong password for {username[:80]!r}; the accounts stand in the system message.")
    current = desk.table(SIGNED_IN).get(1)
    if current is None:
        desk.context.world.put_app(
            desk.app.name, desk.database.put(SIGNED_IN, desk.table(SIGNED_IN).insert(1, {"account": key}))
        )
    elif current["account"] != key:
        desk.update(SIGNED_IN, 1, account=key)
    return {"message": f"Signed in to {title} as {full_name(row)}; it stays open for the rest of the session."}


def sign_out(desk: Desk) -> str:
    """Close the app again."""
    name = full_name(desk.account)
    desk.delete(SIGNED_IN, 1)
    return f"Signed out of {desk.app.title}; {name} has to sign in again before the next use."


def sign_out_everywhere(world: World) -> None:
    """Close every app of a world: signing in ends with the session."""
    for name in sorted(world.apps):
        database = world.apps[name]
        if SIGNED_IN in database.names and database.table(SIGNED_IN).get(1) is not None:
            world.put_app(name, database.put(SIGNED_IN, database.table(SIGNED_IN).delete(1)))


def account_by_email(desk: Desk, email: str) -> tuple[int, Row]:
    """The account with an e-mail address, as (id, row); ToolError where there is none."""
    found = find_account(desk, email)
    if found is None:
        raise ToolError(f"{desk.app.title} has no account with the e-mail address {email[:80]!r}.")
    return found


def find_account(desk: Desk, email: str) -> tuple[int, Row] | None:
    """The account with an e-mail address, as (id, row), or None."""
    return _account_with(desk, "email", email)


def search_accounts(desk: Desk, query: str) -> list[tuple[int, Row]]:
    """The accounts by words of name and e-mail address, best match first, as (id, row); all for an empty query."""
    return search(desk.table(ACCOUNTS), query, {"first_name": 2, "last_name": 2, "email": 1})


def full_name(account: Row) -> str:
    """First and last name."""
    return f"{account['first_name']} {account['last_name']}".strip()


def holder(desk: Desk, account: int) -> Row:
    """The account with an id; one without name and address where it is gone, as a task's rows may bring it about."""
    return desk.table(ACCOUNTS).get(account) or _NOBODY


def profile(account: Row) -> dict[str, Any]:
    """The columns of an account that everybody may see: names and e-mail address."""
    return {name: account[name] for name in ("first_name", "last_name", "email")}


def _account_with(desk: Desk, column: str, username: str) -> tuple[int, Row] | None:
    wanted = _normal(username, column)
    exact = desk.having(ACCOUNTS, column, wanted)
    if exact:
        return exact[0]
    # Addresses may be written with capitals in a task's rows, and numbers with blanks.
    return next(desk.table(ACCOUNTS).where(lambda row: _normal(row[column], column) == wanted), None)


def _normal(username: str, column: str) -> str:
    """A username as it is compared: addresses without regard to case, numbers by their digits."""
    if column == "phone_number":
        return "".join(letter for letter in username if letter.isdigit())
    return username.strip().casefold()
