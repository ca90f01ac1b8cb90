"""The tables of an app as it declares them: columns with types, and how a row is completed and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from pi_gym.errors import unknown
from pi_gym.state.tables import Row
from pi_gym.tools.parameters import REQUIRED, preview, words

ACCOUNTS = "accounts"
MAX_TEXT_CHARS = 10_000
"""For one text of a record; what JSON makes of it may still be longer than a result, see `results.fitted`."""
_STRICT = ConfigDict(strict=True, allow_inf_nan=False)
SIGNED_IN = "signed_in"
"""One row while somebody is signed in. It ends with the session, so it counts as no change to the app."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Args:
        type: its type; those that parameters of operations may have.
        description: what it holds, for authors.
        default: the value where a row leaves it out; `REQUIRED` where it cannot. An empty one (None, 0, "") stands for
            nothing where the column refers.
        refers: the table of the same app whose rows its values name: by their ids ("notes"), or by another column
            ("accounts.email"). Of a list, each entry does.
        max_chars: how many characters a text of it may have that an agent writes; all of its texts, for a list.
    """

    type: Any
    description: str
    default: Any = REQUIRED
    refers: str = ""
    max_chars: int = MAX_TEXT_CHARS

    def names(self, value: Any) -> list[Any]:
        """The references in a value of the column; none where the column refers to nothing."""
        if not self.refers or (not value and value == self.default):
            return []
        return list(value) if isinstance(value, list) else [value]


@dataclass(frozen=True)
class TableSpec:
    """One table of an app.

    Args:
        columns: by name; the id is none of them.
        noun: what a row is called in messages ("note").
        find: the operation by which an agent finds ids ("search_notes"), or "".
        owner: the column that holds the id of the account that a row belongs to, or "" where rows are everybody's.
    """

    columns: Mapping[str, Column]
    noun: str = "row"
    find: str = ""
    owner: str = ""
    _adapters: dict[str, TypeAdapter[Any]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def complete(self, row: Mapping[str, Any]) -> Row:
        """A whole row from the columns that were given.

        Raises:
            ValueError: a column is unknown, missing or of the wrong type; the message says which and what it holds.
        """
        self.check(row)
        whole = {}
        for name, column in self.columns.items():
            if name not in row and column.default is REQUIRED:
                raise ValueError(f"column {name!r} is missing: {words(column.type)} ({column.description})")
            whole[name] = row.get(name, column.default)
        return whole

    def check(self, row: Mapping[str, Any]) -> None:
        """Check the columns that were given; ValueError as `complete`."""
        for name, value in row.items():
            if name not in self.columns:
                raise ValueError(unknown("column", str(name), self.columns, shown=40))
            try:
                self._adapter(name).validate_python(value)
            except ValidationError:
                expected = words(self.columns[name].type)
                raise ValueError(f"column {name!r}: expected {expected}, got {preview(value)}") from None

    def complete_all(self, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[Row]:
        """Whole rows from many that give the same columns, column by column checked; ValueError as `complete`.

        Args:
            names: the columns that are given.
            rows: for each row the values of these.
        """
        given = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)) if rows else {}
        if not all(self._holds(name, values) for name, values in given.items()):
            return [self.complete(dict(zip(names, row, strict=True))) for row in rows]
        number = {name: index for index, name in enumerate(names)}
        if any(column.default is REQUIRED and name not in number for name, column in self.columns.items()):
            return [self.complete(dict(zip(names, row, strict=True))) for row in rows]
        places = [(name, number.get(name), column.default) for name, column in self.columns.items()]
        return [{name: default if at is None else row[at] for name, at, default in places} for row in rows]

    def _holds(self, name: str, values: list[Any]) -> bool:
        """Whether a column exists and takes all these values."""
        if name not in self.columns:
            return False
        try:
            _adapter_of_many(self.columns[name].type).validate_python(values)
        except ValidationError:
            return False
        return True

    def _adapter(self, name: str) -> TypeAdapter[Any]:
        found = self._adapters.get(name)
        if found is None:
            found = TypeAdapter(self.columns[name].type, config=_STRICT)
            self._adapters[name] = found
        return found


@cache
def _adapter_of_many(kind: Any) -> TypeAdapter[list[Any]]:
    many: Any = list.__class_getitem__(kind)
    return TypeAdapter(many, config=_STRICT)


def account_tables() -> dict[str, TableSpec]:
    """The tables that every app has: who has an account, and who is signed in."""
    accounts = TableSpec(
        {
            "first_name": Column(str, "the holder's first name"),
            "last_name": Column(str, "the holder's last name"),
            "email": Column(str, "the e-mail address"),
            "phone_number": Column(str, "the phone number, digits only", ""),
            "password": Column(str, "the app's password"),
        },
        noun="account",
    )
    signed_in = TableSpec(
        {"account": Column(int, "the id of the account that is signed in", refers=ACCOUNTS)}, noun="sign-in"
    )
    return {ACCOUNTS: accounts, SIGNED_IN: signed_in}
