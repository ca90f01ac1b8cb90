"""Declaring an app: its tables, its accounts, and one decorator that turns a typed function into an operation."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from pi_gym.apps.accounts import sign_in, sign_out
from pi_gym.apps.columns import SIGNED_IN, TableSpec, account_tables
from pi_gym.apps.desk import Desk
from pi_gym.apps.operation_results import fitted
from pi_gym.state.tables import Database, Row, Table
from pi_gym.tools.declare import Effect, Operation, ToolContext

DeskWork: TypeAlias = Callable[..., Any]
SEPARATOR = "__"
_USERNAMES = {
    "email": "the account's e-mail address.",
    "phone_number": "the account's phone number; blanks and dashes do not matter.",
}


class App:
    """A simulated service: tables and the operations over them; `login` is one of every app.

    Args:
        name: the app's name; its folder under pi_gym/apps has the same.
        title: its name in sentences.
        about: a paragraph on what it does, for the documentation.
        tables: its own tables by name; those of accounts are added.
        username: the column of `accounts` by which one signs in.
        service: what one signs in to, in a sentence; the title where it is left out.
        login: what the agent is told of `login` besides.
        logout: what it is told of `logout` besides; None where the app has no such operation.
    """

    def __init__(
        self,
        name: str,
        title: str,
        about: str,
        tables: Mapping[str, TableSpec] | None = None,
        username: Literal["email", "phone_number"] = "email",
        service: str = "",
        login: str = "",
        logout: str | None = None,
    ) -> None:
        self.name, self.title, self.about, self.username = name, title, about, username
        self.tables: Mapping[str, TableSpec] = {**account_tables(), **(tables or {})}
        self._declared: dict[str, Operation] = {}
        self.login = self._declare_login(service or title, login)
        self.logout = None if logout is None else self._declare_logout(service or title, logout)

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The operations, sorted by name: the order does not depend on which module was imported first."""
        return tuple(self._declared[name] for name in sorted(self._declared))

    def operation(self, effect: Effect, *, open: bool = True) -> Callable[[DeskWork], Operation]:
        """Declare a function as an operation named `<app>__<function>`.

        The function's first parameter is the `Desk`; the others are the agent's, typed, each described under `Args:`
        in the docstring, whose text before that is the description that the agent is given. It returns a JSON value,
        a str being short for `{"message": …}`, or raises `ToolError` with what to do. A result that is too long to be
        shown is shortened, see `results.fitted`.

        Args:
            effect: "write" where it changes the world; a "read" that changes something raises.
            open: whether somebody has to be signed in.
        """

        def declare(function: DeskWork) -> Operation:
            name = f"{self.name}{SEPARATOR}{function.__name__}"
            if name in self._declared:
                raise ValueError(f"two operations are named {name!r}")
            declared = Operation(self._runner(function, effect, open), name, effect)
            self._declared[name] = declared
            return declared

        return declare

    def _declare_login(self, service: str, note: str) -> Operation:
        def login(desk: Desk, username: str, password: str) -> Any:
            return sign_in(desk, username, password)

        login.__doc__ = f"""Sign in to {service}; it stays open for the rest of the session. {note}

        Args:
            username: {_USERNAMES[self.username]}
            password: the account's password for this app.
        """
        return self.operation("write", open=False)(self._placed(login))

    def _declare_logout(self, service: str, note: str) -> Operation:
        def logout(desk: Desk) -> Any:
            return sign_out(desk)

        logout.__doc__ = f"Sign out of {service}. {note}"
        return self.operation("write")(self._placed(logout))

    def _placed(self, function: DeskWork) -> DeskWork:
        """The function, said to stand where a pickled operation is looked for: at the `APP` of the app's folder."""
        function.__module__, function.__qualname__ = f"pi_gym.apps.{self.name}.app", f"APP.{function.__name__}"
        return function

    def _runner(self, function: DeskWork, effect: Effect, open: bool) -> Callable[..., str]:
        writable = effect == "write"

        @functools.wraps(function)  # signature, docstring and place are the function's: the schema comes from them
        def run(context: ToolContext, **given: Any) -> str:
            desk = Desk(self, context, writable)
            if open:
                _ = desk.account_id
            result = function(desk, **given)
            return fitted({"message": result} if isinstance(result, str) else result)

        return run

    def database(self, seeds: Mapping[str, Mapping[int, Row]]) -> Database:
        """The app's tables over seed rows, nobody signed in.

        Args:
            seeds: rows by table and id; they are shared, so they must never change.
        """
        # Opening a session looks at who is signed in, which must not make lazy seeds be read.
        return Database({name: Table({} if name == SIGNED_IN else seeds.get(name, {})) for name in self.tables})

    def __repr__(self) -> str:
        return f"<app {self.name}, {len(self._declared)} operations>"
