"""The things that an account keeps: likes, follows, library, downloads. One row each, never two for the same."""

from __future__ import annotations

from pi_gym.apps.desk import Desk
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError


def kept(desk: Desk, table: str, record: str, key: int) -> tuple[int, Row] | None:
    """The account's own row about a record, as (id, row), or None.

    Args:
        desk: the app.
        table: one of the tables of what accounts hold on to.
        record: its column that names the record ("song").
        key: the record's id.
    """
    mine = desk.account_id
    return next((pair for pair in desk.having(table, record, key) if pair[1]["account"] == mine), None)


def keep(desk: Desk, table: str, record: str, key: int, moment: str, already: str) -> None:
    """Hold on to a record from now on.

    Raises:
        ToolError: the account does so already; the message is `already`.
    """
    if kept(desk, table, record, key) is not None:
        raise ToolError(already)
    desk.insert(table, account=desk.account_id, **{record: key, moment: desk.now})


def newest_first(desk: Desk, table: str, record: str, moment: str) -> list[tuple[int, Row]]:
    """The account's own rows about records that are there, the last one first."""
    records = desk.table(f"{record}s")
    found = [pair for pair in desk.own(table) if records.get(pair[1][record]) is not None]
    # Sorting keeps the order of equal ones, backwards too: of those that came at one moment the last id stands first.
    found.reverse()
    found.sort(key=lambda pair: pair[1][moment], reverse=True)
    return found
