"""New ids of a table: one after the other, never given twice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pi_gym.state import Table


@given(st.lists(st.booleans(), max_size=80), st.integers(1, 50))
def test_ids_count_up_from_the_first_whatever_is_deleted(steps: list[bool], first: int) -> None:
    table, given_ids, live = Table({1_000: {}}), list[int](), list[int]()
    for insert in steps:
        if insert or not live:
            key = table.free_key(first)
            table = table.insert(key, {"n": key})
            given_ids.append(key)
            live.append(key)
        else:
            table = table.delete(live.pop())
    assert given_ids == list(range(first, first + len(given_ids)))


def test_ids_of_the_base_are_taken_and_others_spaces_do_not_matter() -> None:
    table = Table({1: {}, 2: {}, 3: {}})
    assert table.free_key(1) == 4
    table = table.delete(3).insert(100, {})
    assert table.free_key(1) == 4
    assert table.free_key(100) == 101
    assert table.free_key(200) == 200


def test_finding_an_id_looks_at_few_rows() -> None:
    looked = []

    class Base(dict[int, dict[str, int]]):
        def __contains__(self, key: object) -> bool:
            looked.append(key)
            return super().__contains__(key)

    assert Table(Base({number: {} for number in range(1, 10_001)})).free_key(1) == 10_001
    assert len(looked) < 40
