"""Sorting and paging."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.apps.pages import MAX_PAGE, ordered, page
from pi_gym.tools import ToolError


def paged(count: int, index: int, limit: int) -> dict[str, Any]:
    rows = [(number, {"n": number}) for number in range(1, count + 1)]
    return page(rows, index, limit, "rows", lambda key, row: key, "Nothing there.")


@given(st.integers(0, 60), st.integers(1, MAX_PAGE))
def test_the_pages_hold_every_row_once_and_lead_to_each_other(count: int, limit: int) -> None:
    seen: list[int] = []
    for index in range(100):
        result = paged(count, index, limit)
        assert result["total"] == count
        seen += result["rows"]
        if f"page_index {index + 1}." not in result.get("message", ""):
            break
    assert seen == list(range(1, count + 1))


def test_only_the_rows_of_a_page_are_shown() -> None:
    shown: list[int] = []
    rows = [(number, {}) for number in range(100)]
    page(rows, 2, 5, "rows", lambda key, row: shown.append(key), "")
    assert shown == [10, 11, 12, 13, 14]


@pytest.mark.parametrize(("index", "limit"), [(-1, 5), (0, 0), (0, 21), (0, -3)])
def test_numbers_out_of_range_are_refused(index: int, limit: int) -> None:
    with pytest.raises(ToolError):
        paged(10, index, limit)


ROWS: list[tuple[int, dict[str, Any]]] = [
    (1, {"size": 3, "name": "b"}),
    (2, {"size": None, "name": "a"}),
    (3, {"size": 1, "name": "b"}),
]


@pytest.mark.parametrize(
    ("sort_by", "ids"),
    [
        (None, [1, 2, 3]),
        ("+size", [3, 1, 2]),
        ("size", [3, 1, 2]),
        ("-size", [1, 3, 2]),
        ("+name", [2, 1, 3]),
        ("-name", [1, 3, 2]),
    ],
)
def test_rows_are_sorted_missing_values_last_equal_ones_in_order(sort_by: str | None, ids: list[int]) -> None:
    assert [key for key, _ in ordered(ROWS, sort_by, ("size", "name"))] == ids


@pytest.mark.parametrize("sort_by", ["+price", "siez", "", "+", "size,name"])
def test_another_column_is_refused_with_those_that_exist(sort_by: str) -> None:
    with pytest.raises(ToolError, match="one of: size, name"):
        ordered(ROWS, sort_by, ("size", "name"))


def test_a_misspelt_column_gets_a_hint() -> None:
    with pytest.raises(ToolError, match="Did you mean 'size'"):
        ordered(ROWS, "-siez", ("size", "name"))
