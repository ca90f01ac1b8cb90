"""Rows by the value of a column: the same as looking at every row, at the cost of what is found."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pi_gym.apps import lookup
from pi_gym.apps.lookup import having
from pi_gym.state import Table, tables
from pi_gym.state.tables import Row

values: st.SearchStrategy[Any] = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["a", "b", ""])
cells = values | st.lists(values, max_size=3)
rows = st.fixed_dictionaries({"kind": cells})
changes = st.lists(st.tuples(st.integers(1, 12), st.none() | rows), max_size=8)


def changed(table: Table, made: list[tuple[int, Row | None]]) -> Table:
    """The table after inserts, updates and deletes as they are possible."""
    for key, row in made:
        if row is None:
            table = table if table.get(key) is None else table.delete(key)
        else:
            table = table.insert(key, row) if table.get(key) is None else table.update(key, **row)
    return table


def by_looking(table: Table, value: Any) -> list[tuple[int, Row]]:
    def holds(found: Any) -> bool:
        return value in found if isinstance(found, list) else found == value

    return sorted((key, row) for key, row in table.rows() if holds(row["kind"]))


@given(st.dictionaries(st.integers(1, 9), rows, max_size=6), changes, values)
def test_the_rows_are_those_that_a_walk_finds_by_id(
    base: dict[int, Row], made: list[tuple[int, Row | None]], value: Any
) -> None:
    table = Table(dict(sorted(base.items())))
    assert having(table, "kind", value) == by_looking(table, value)
    later = changed(table, made)
    assert having(later, "kind", value) == by_looking(later, value)
    assert having(table, "kind", value) == by_looking(table, value)


def test_a_list_that_holds_the_value_twice_is_found_once() -> None:
    assert [key for key, _ in having(Table({1: {"kind": ["a", "a"]}}), "kind", "a")] == [1]


def test_a_result_is_the_callers_own() -> None:
    table = Table({1: {"kind": "a"}, 2: {"kind": "a"}})
    for one in (table, table.delete(1), table.insert(3, {"kind": "a"})):
        before = [*having(one, "kind", "a")]
        having(one, "kind", "a").clear()
        assert having(one, "kind", "a") == before


class Counted(Mapping[int, Row]):
    """Rows that count how often one is looked at."""

    def __init__(self, count: int) -> None:
        self.rows = {number: {"kind": number % 100} for number in range(1, count + 1)}
        self.looks = 0

    def __getitem__(self, key: int) -> Row:
        self.looks += 1
        return self.rows[key]

    def __iter__(self) -> Iterator[int]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


def test_after_the_first_look_only_the_found_rows_are_touched() -> None:
    base = Counted(2_000)
    table = Table(base)
    having(table, "kind", 5)
    base.looks = 0
    assert len(having(table, "kind", 7)) == 20
    assert base.looks <= 20
    base.looks = 0
    assert having(table.update(7, kind=8), "kind", 8)[0] == (7, {"kind": 8})
    assert base.looks < 30


def test_tables_of_the_same_rows_share_one_index() -> None:
    base = {number: {"kind": number} for number in range(1, 3_001)}
    having(Table(base), "kind", 1)
    tracemalloc.start()
    kept = [having(Table(base), "kind", number) for number in range(1, 101)]
    # Whatever other threads of the process do meanwhile is not counted.
    own = [tracemalloc.Filter(True, lookup.__file__), tracemalloc.Filter(True, tables.__file__)]
    size = sum(one.size for one in tracemalloc.take_snapshot().filter_traces(own).statistics("filename"))
    tracemalloc.stop()
    assert len(kept) == 100
    # An index of these rows has some 500 kB; a result with its one row a few hundred bytes.
    assert 1_000 < size < 60_000
