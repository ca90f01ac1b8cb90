"""The common tools of the makers of seed worlds: rows, moments, days, and words that are drawn or looked up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator

from pi_gym.errors import UnknownName, unknown
from pi_gym.seeding import Stream

T = TypeVar("T")
Row = dict[str, Any]
Tables = dict[str, list[Row]]
#: Shared rows count from 1; from here on count strangers' accounts, and a person's own rows of tables that have both.
FIRST_STRANGER, FIRST_OWN = 1_001, 50_001


def _require_day(text: str) -> str:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"expected a day such as 2026-03-09, got {text!r}") from None
    return text


def _require_moment(text: str) -> str:
    try:
        datetime.strptime(text, "%Y-%m-%d %H:%M")
    except ValueError:
        raise ValueError(f"expected a day and a time such as 2026-03-09 08:30, got {text!r}") from None
    return text


Day = Annotated[str, AfterValidator(_require_day)]
Moment = Annotated[str, AfterValidator(_require_moment)]


class Known(dict[str, T]):
    """A mapping that tells what it knows: a missing key raises UnknownName.

    Args:
        kind: what its keys are, for the message.
        content: the mapping.
    """

    def __init__(self, kind: str, content: Mapping[str, T]) -> None:
        super().__init__(content)
        self.kind = kind

    def __missing__(self, key: str) -> T:
        raise UnknownName(unknown(self.kind, key, self))


class Cycle:
    """A list gone through in random order, again and again.

    Args:
        options: the list.
        stream: for the orders.
        in_turn: goes through it in its own order.
    """

    def __init__(self, options: Sequence[Any], stream: Stream, in_turn: bool = False) -> None:
        self._options, self._stream, self._in_turn = options, stream, in_turn
        self._left: list[Any] = []

    def next(self) -> Any:
        """The next of them."""
        if not self._left:
            self._left = list(self._options) if self._in_turn else self._stream.shuffled(self._options)
        return self._left.pop(0)


def fill(text: str, words: Mapping[str, Any]) -> str:
    """A text with its words in braces filled in; UnknownName lists the known ones."""
    return text.format_map(Known("word in braces", words))


def number_rows(rows: Iterable[Row], first: int = 1) -> list[Row]:
    """Rows with ids from `first` on."""
    return [{"id": number, **row} for number, row in enumerate(rows, start=first)]


def moment(day: str, stream: Stream, first: int = 7, last: int = 22) -> str:
    """A drawn time of a day, between two full hours and an hour after the second."""
    return f"{day}T{stream.integer(first, last):02d}:{stream.integer(0, 59):02d}:{stream.integer(0, 59):02d}"


def days(first: str, last: str, every: int) -> Iterator[date]:
    """Every so many days, the first and perhaps the last included."""
    day, end = date.fromisoformat(first), date.fromisoformat(last)
    while day <= end:
        yield day
        day += timedelta(days=every)


def draw_day(first: str, last: str, stream: Stream) -> str:
    """A day between two, both included."""
    begin, end = date.fromisoformat(first), date.fromisoformat(last)
    return (begin + timedelta(days=stream.integer(0, (end - begin).days))).isoformat()


def text_file(name: str, text: str) -> Row:
    """The columns of an attached text."""
    return {"file_name": name, "bytes": len(text.encode()), "text": text}
