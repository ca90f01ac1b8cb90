"""The desk: an app as one call sees it, with the tables, the session's clock, and the account that is signed in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pi_gym.apps.columns import ACCOUNTS, SIGNED_IN, TableSpec
from pi_gym.apps.lookup import having
from pi_gym.state.tables import Database, Row, Table
from pi_gym.tools.declare import ToolContext, ToolError


class TableApp(Protocol):
    """The app as a desk sees it: its name, its title, and its tables."""

    @property
    def name(self) -> str:
        """See the class."""
        ...

    @property
    def title(self) -> str:
        """See the class."""
        ...

    @property
    def tables(self) -> Mapping[str, TableSpec]:
        """See the class."""
        ...


def mounted(path: str) -> str:
    """A path of the workspace as `ToolContext` takes it: without the `~` under which the apps show it."""
    text = path.strip()
    return (text[1:].lstrip("/") or ".") if text == "~" or text.startswith("~/") else text


class TableDesk:
    """The access of one operation to its app: the tables, and the time.

    Args:
        app: the app.
        context: the call's context.
        writable: whether the operation is declared to change the world.
    """

    __slots__ = ("_writable", "app", "context")

    def __init__(self, app: TableApp, context: ToolContext, writable: bool) -> None:
        self.app, self.context, self._writable = app, context, writable

    @property
    def now(self) -> str:
        """The session's time, ISO 8601."""
        return self.context.clock

    # -- reading ----------------------------------------------------------------------------------------------------

    @property
    def database(self) -> Database:
        """The app's tables as they are."""
        found = self.context.world.apps.get(self.app.name)
        if found is None:
            raise LookupError(f"the app {self.app.name} is not in this world; a session opens the apps that it offers")
        return found

    def table(self, name: str) -> Table:
        """One table as it is."""
        return self.database.table(name)

    def having(self, table: str, column: str, value: Any) -> list[tuple[int, Row]]:
        """The rows whose column is the value, or is a list that holds it, as (id, row), by id; see `lookup.having`."""
        return having(self.table(table), column, value)

    def need(self, table: str, key: int) -> Row:
        """A row.

        Raises:
            ToolError: there is none; the message names the operation that finds ids.
        """
        row = self.table(table).get(key)
        if row is None:
            raise self.absent(table, key)
        return row

    def absent(self, table: str, key: int) -> ToolError:
        """The error for a row that is not there or must not be seen: the same for both, so that it tells nothing."""
        spec = self.app.tables[table]
        advice = f" {self.app.name}__{spec.find} finds ids." if spec.find else ""
        return ToolError(f"There is no {spec.noun} with the id {key}.{advice}")

    # -- changing ---------------------------------------------------------------------------------------------------

    def insert(self, table: str, **row: Any) -> int:
        """Add a row; columns that are left out get their defaults.

        Returns:
            Its id: counted from the session's own base, never given twice.
        """
        key = self.table(table).free_key(self.context.ids + 1)
        self.insert_as(table, key, **row)
        return key

    def insert_as(self, table: str, key: int, **row: Any) -> None:
        """Add a row under an id of the caller's choice, else as `insert`.

        Raises:
            ToolError: there is such a row.
        """
        spec = self.app.tables[table]
        whole = spec.complete(row)
        self._check_texts(table, row)
        current = self.table(table)
        if current.get(key) is not None:
            raise ToolError(f"There is another {spec.noun} with the id {key}; choose a free id.")
        self._put(table, current.insert(key, whole))

    def update(self, table: str, key: int, **columns: Any) -> Row:
        """Set some columns of a row and give the new row; KeyError where there is none."""
        self.app.tables[table].check(columns)
        self._check_texts(table, columns)
        changed = self.table(table).update(key, **columns)
        self._put(table, changed)
        row = changed.get(key)
        assert row is not None
        return row

    def delete(self, table: str, key: int) -> None:
        """Remove a row; KeyError where there is none."""
        self._put(table, self.table(table).delete(key))

    def _put(self, name: str, table: Table) -> None:
        if not self._writable:
            raise RuntimeError(f"an operation of {self.app.name} that is declared as read changes {name!r}")
        self.context.world.put_app(self.app.name, self.database.put(name, table))

    def _check_texts(self, table: str, row: Row) -> None:
        spec = self.app.tables[table]
        for name, value in row.items():
            most = spec.columns[name].max_chars
            if isinstance(value, str) and len(value) > most:
                raise ToolError(
                    f"The {name} of the {spec.noun} would have {len(value)} characters; at most {most} are possible."
                    " Shorten it, or split it."
                )
            if isinstance(value, list) and len(str(value)) > most:
                raise ToolError(f"The {name} are too many or too long; shorten the list.")


class AccountApp(TableApp, Protocol):
    """The app whose operations need an account: the column by which one signs in, too."""

    @property
    def username(self) -> str:
        """See the class."""
        ...


class Desk(TableDesk):
    """The access of one operation to its app: the tables, the time, and the account that is signed in.

    Args:
        app: the app.
        context: the call's context.
        writable: whether the operation is declared to change the world.

    Attributes:
        username: the column of `accounts` by which one signs in.
    """

    __slots__ = ("username",)

    def __init__(self, app: AccountApp, context: ToolContext, writable: bool) -> None:
        super().__init__(app, context, writable)
        self.username = app.username

    @property
    def account_id(self) -> int:
        """The id of the account that is signed in; ToolError where nobody is."""
        row = self.table(SIGNED_IN).get(1)
        if row is None:
            login = f"{self.app.name}__login(username, password)"
            raise ToolError(f"Sign in first: {login}; the accounts stand in the system message.")
        account: int = row["account"]
        return account

    @property
    def account(self) -> Row:
        """The row of the account that is signed in; ToolError where nobody is."""
        row = self.table(ACCOUNTS).get(self.account_id)
        assert row is not None, "accounts are never deleted while they are signed in"
        return row

    def own(self, table: str) -> list[tuple[int, Row]]:
        """The rows that belong to the account that is signed in, as (id, row), by id."""
        return self.having(table, self.app.tables[table].owner, self.account_id)

    def need(self, table: str, key: int) -> Row:
        """A row; where its table has owners, one of the account's own.

        Raises:
            ToolError: there is none; the message names the operation that finds ids.
        """
        row, owner = self.table(table).get(key), self.app.tables[table].owner
        if row is None or (owner and row[owner] != self.account_id):
            raise self.absent(table, key)
        return row
