"""Full-text search: what is found, in which order, at which cost."""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from pi_gym.apps.row_search import search, words_of
from pi_gym.state import Table
from pi_gym.state.tables import Row

FIELDS = {"title": 8, "body": 1}
BASE: dict[int, Row] = {
    1: {"title": "Boats", "body": "A harbour with a boat."},
    2: {"title": "Harbour", "body": "Sheds."},
    3: {"title": "Boat in the harbour", "body": ""},
    4: {"title": "Åsa's café", "body": "cardamom BUNS"},
    5: {"title": "Harbour", "body": "Sheds."},
}


def found(table: Table, query: str) -> list[int]:
    return [key for key, _ in search(table, query, FIELDS)]


def test_more_words_of_the_query_come_first_then_titles_then_ids() -> None:
    assert found(Table(BASE), "boat harbour") == [3, 1, 2, 5]
    assert found(Table(BASE), "harbour") == [2, 3, 5, 1]


def test_case_plural_and_beginnings_of_words_do_not_matter() -> None:
    assert found(Table(BASE), "BUN") == found(Table(BASE), "buns") == found(Table(BASE), "carda") == [4]
    assert found(Table(BASE), "åsa") == [4]


def test_accents_do_not_matter_however_they_are_written() -> None:
    assert found(Table(BASE), "asas cafe") == found(Table(BASE), "A\u030asa cafe\u0301") == [4]
    plain = Table(BASE).insert(9, {"title": "Cafe", "body": ""})
    assert found(plain, "café") == [4, 9]


def test_what_is_no_word_finds_nothing_and_no_query_finds_all() -> None:
    assert found(Table(BASE), "zebra") == []
    assert found(Table(BASE), "  !? ") == [1, 2, 3, 4, 5]


def test_changes_count_and_the_shared_index_stays() -> None:
    table = Table(BASE)
    assert found(table, "harbour")[0] == 2
    changed = table.update(2, title="Bay").delete(3).insert(9, {"title": "New harbour", "body": None})
    assert found(changed, "harbour") == [5, 9, 1]
    assert found(changed, "bay") == [2]
    assert found(table, "harbour") == [2, 3, 5, 1]


def test_only_rows_that_are_kept_are_found() -> None:
    assert [key for key, _ in search(Table(BASE), "harbour", FIELDS, lambda row: row["title"] != "Harbour")] == [3, 1]


words = st.text(st.sampled_from("abcs "), max_size=10)


@given(st.lists(st.tuples(words, words), max_size=6), st.lists(st.tuples(words, words), max_size=4), words)
def test_changed_rows_are_found_as_if_they_had_always_been_there(
    base: list[tuple[str, str]], added: list[tuple[str, str]], query: str
) -> None:
    rows = {number: {"title": one, "body": two} for number, (one, two) in enumerate(base, start=1)}
    more = {number: {"title": one, "body": two} for number, (one, two) in enumerate(added, start=50)}
    table = Table(rows)
    for key, row in more.items():
        table = table.insert(key, row)
    assert found(table, query) == found(Table({**rows, **more}), query)


rows = st.fixed_dictionaries({"title": words, "body": words, "owner": st.integers(1, 2)})


@given(st.lists(rows, max_size=6), st.lists(st.tuples(st.integers(1, 9), rows | st.none()), max_size=6), words)
def test_of_equally_good_rows_the_newest_come_first_where_that_is_wished(
    old: list[Row], changes: list[tuple[int, Row | None]], query: str
) -> None:
    table = Table(dict(enumerate(old, 1)))
    for key, row in changes:
        there = table.get(key) is not None
        if row is None:
            table = table.delete(key) if there else table
        else:
            table = table.update(key, **row) if there else table.insert(key, row)
    turned = {-key: row for key, row in reversed(list(table.rows()))}  # the same rows, the newest with the least id
    if words_of(query):
        newest = [key for key, _ in search(table, query, FIELDS, newest=True)]
        assert newest == [-key for key in found(Table(turned), query)]


@given(st.lists(rows, max_size=6), st.lists(st.tuples(st.integers(1, 9), rows | st.none()), max_size=6), words)
def test_changed_and_deleted_rows_are_found_as_they_are_now_among_all_and_among_some(
    base: list[Row], changes: list[tuple[int, Row | None]], query: str
) -> None:
    table = Table(dict(enumerate(base, start=1)))
    for key, row in changes:
        there = table.get(key) is not None
        if row is not None:
            table = table.update(key, **row) if there else table.insert(key, row)
        elif there:
            table = table.delete(key)
    anew = Table(dict(sorted(table.rows())))
    assert search(table, query, FIELDS) == search(anew, query, FIELDS)
    own = [(key, row) for key, row in search(table, query, FIELDS) if row["owner"] == 1]
    assert search(table, query, FIELDS, where={"owner": 1}) == own
    assert search(table, query, FIELDS, lambda row: row["owner"] == 1) == own
    titled = [(key, row) for key, row in own if row["title"] == "a"]
    assert search(table, query, FIELDS, where={"owner": 1, "title": "a"}) == titled


def test_a_query_that_was_asked_before_finds_what_is_there_now() -> None:
    table = Table(BASE)
    assert found(table, "harbour boat") == found(table, "harbour boat") == [3, 1, 2, 5]
    assert found(table.update(5, title="Boat, harbour"), "harbour boat") == [3, 5, 1, 2]
    assert found(table, "harbour boat") == [3, 1, 2, 5]


@given(st.text())
def test_any_text_has_words(text: str) -> None:
    assert all(word and not word.isspace() for word in words_of(text))


def test_a_search_over_untouched_data_copies_nothing() -> None:
    base = {n: {"title": f"title {n}", "body": "word " * 200 + str(n)} for n in range(1, 2_001)}
    table = Table(base)
    assert found(table, "1999") == [1999]
    tracemalloc.start()
    for _ in range(5):
        assert found(table, "1999") == [1999]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000, peak
