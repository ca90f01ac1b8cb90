"""The common parts of the searches: candidates, bounds and order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import ordered
from pi_gym.apps.row_search import Fields, search
from pi_gym.apps.times import between
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

MAX_COUNT = 1_000_000_000
MAX_SECONDS = 36_000
WORST, BEST = 1.0, 5.0

Found: TypeAlias = list[tuple[int, Row]]
Limit: TypeAlias = tuple[Any, Any] | None
"""The least and the greatest value that count; None where every value does."""
N = TypeVar("N", int, float)


def candidates(desk: Desk, table: str, query: str, fields: Fields, equal: Mapping[str, Any]) -> Found:
    """The rows that a search is about: by words, best first, or all by id.

    Args:
        desk: the app.
        table: the table.
        query: what is looked for; without a word, everything is.
        fields: the columns to look in, with their weights.
        equal: values that columns must have; None for any.
    """
    where = {column: value for column, value in equal.items() if value is not None}
    return search(desk.table(table), query, fields, where=where)


def limit(name: str, low: N, high: N, least: N, greatest: N) -> Limit:
    """The bounds of a number.

    Args:
        name: what both parameters are called behind `min_` and `max_`.
        low: the least value that counts.
        high: the greatest one.
        least: where the values begin.
        greatest: where they end.

    Raises:
        ToolError: the first lies above the last.
    """
    if low > high:
        raise ToolError(f"min_{name} ({low}) lies above max_{name} ({high}); nothing can be between them.")
    return None if low <= least and high >= greatest else (low, high)


def released(low: str, high: str) -> Limit:
    """The bounds of a release date; ToolError where one is no date or the first lies behind the last."""
    if not low.strip() and not high.strip():
        return None
    first, last = between(low, high, ("min_release_date", "max_release_date"))
    return first[:10], last[:10]


def within(found: Found, limits: Mapping[str, Limit]) -> Found:
    """The rows whose columns lie within the limits."""
    for column, bounds in limits.items():
        if bounds is not None:
            low, high = bounds
            found = [pair for pair in found if low <= pair[1][column] <= high]
    return found


def rated(found: Found, bounds: Limit, rating: Callable[[int], float | None]) -> Found:
    """The rows whose rating lies within the limit; those without one only where there is no limit."""
    if bounds is None:
        return found
    low, high = bounds
    return [pair for pair in found if (stars := rating(pair[0])) is not None and low <= stars <= high]


def sorted_by(
    found: Sequence[tuple[int, Row]],
    sort_by: str | None,
    columns: Sequence[str],
    rating: Callable[[int], float | None] | None = None,
) -> Found:
    """As `ordered`, with `rating` among the columns where it is computed."""
    if rating is not None and sort_by is not None and "rating" in sort_by:
        found = [(key, {**row, "rating": rating(key)}) for key, row in found]
    return ordered(found, sort_by, columns)


def genre_named(desk: Desk, genre: str | None) -> str | None:
    """A genre as the catalogue writes it; ToolError lists the genres where there is none of this name."""
    if genre is None:
        return None
    wanted = genre.strip().casefold()
    names: Iterable[str] = [row["name"] for _, row in desk.table("genres").rows()]
    for name in names:
        if name.casefold() == wanted:
            return name
    raise ToolError(f"There is no genre {genre[:60]!r}. The genres are: {', '.join(names)}.")
