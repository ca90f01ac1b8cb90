"""Sorting and paging of lists, the same in every app."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pi_gym.errors import closest
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

PAGE = 5
MAX_PAGE = 20


def page(
    found: Sequence[tuple[int, Row]],
    page_index: int,
    page_limit: int,
    name: str,
    show: Callable[[int, Row], Any],
    nothing: str,
) -> dict[str, Any]:
    """One page of a list.

    Args:
        found: all rows of the list as (id, row), in order.
        page_index: which page, from 0.
        page_limit: rows a page, 1 to 20.
        name: the key of the rows in the result.
        show: how a row is shown; only those of the page are.
        nothing: what to do where the whole list is empty.

    Raises:
        ToolError: a number is out of range.
    """
    if page_index < 0:
        raise ToolError(f"page_index counts pages from 0, so {page_index} is none.")
    if not 1 <= page_limit <= MAX_PAGE:
        raise ToolError(f"page_limit must be between 1 and {MAX_PAGE}, not {page_limit}.")
    first = page_index * page_limit
    rows = [show(key, row) for key, row in found[first : first + page_limit]]
    result: dict[str, Any] = {name: rows, "total": len(found), "page_index": page_index}
    if not found:
        result["message"] = nothing
    elif not rows:
        last = (len(found) - 1) // page_limit
        result["message"] = f"This page is behind the end; the last one has page_index {last}."
    elif first + len(rows) < len(found):
        result["message"] = f"More: page_index {page_index + 1}."
    return result


def ordered(found: Iterable[tuple[int, Row]], sort_by: str | None, columns: Sequence[str]) -> list[tuple[int, Row]]:
    """The rows sorted by a column; as they come where `sort_by` is None.

    Args:
        found: rows as (id, row).
        sort_by: "+column" for ascending, "-column" for descending; a bare column is ascending. Rows without a value
            come last, equal ones keep their order.
        columns: those that can be sorted by.

    Raises:
        ToolError: another column; the message lists these.
    """
    rows = list(found)
    if sort_by is None:
        return rows
    column = sort_by.strip().lstrip("+-")
    if column not in columns:
        near = closest(column[:60], columns, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        listed = ", ".join(columns)
        raise ToolError(f"sort_by cannot be {sort_by[:60]!r}.{hint} Write + or - and one of: {listed}.")
    present = [pair for pair in rows if pair[1][column] is not None]
    present.sort(key=lambda pair: pair[1][column], reverse=sort_by.strip().startswith("-"))
    return present + [pair for pair in rows if pair[1][column] is None]
