"""Results are whole JSON of bounded size, whatever the records hold."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.apps import call_tool, done
from support.every_app import all_apps, app_of, forked

from pi_gym.apps import load_app
from pi_gym.apps.columns import MAX_TEXT_CHARS
from pi_gym.apps.operation_results import fitted
from pi_gym.tools.registry import MAX_RESULT_CHARS

MOST = 2_000
TEXTS = st.builds(lambda text, times: text * times, st.text(max_size=4), st.sampled_from([1, 10, 100, 2_000]))
SCALARS = st.none() | st.booleans() | st.integers(0, 10**9) | TEXTS
RESULTS = st.dictionaries(
    st.sampled_from(["title", "content", "entries", "files", "total"]),
    SCALARS | st.lists(SCALARS, max_size=30) | st.lists(st.fixed_dictionaries({"id": SCALARS, "text": TEXTS})),
)


@given(RESULTS)
@settings(max_examples=60, deadline=None)
def test_what_is_shown_is_json_of_bounded_size_and_whole_where_it_fits(result: dict[str, Any]) -> None:
    before = json.dumps(result)
    text = fitted(result, MOST)
    assert len(text) <= MOST
    shown = json.loads(text)
    if len(json.dumps(result, ensure_ascii=False)) <= MOST:
        assert shown == result
    else:
        assert shown != result
        assert "too long to " in text.lower()
    assert json.dumps(result) == before, "the result itself stays as it is"


def test_only_the_longest_texts_are_cut_and_each_says_how_long_it_is() -> None:
    shown = json.loads(fitted({"id": 7, "title": "Rye", "body": '"' * 9_000, "note": "x" * 5_000}, 4_000))
    assert shown["id"] == 7
    assert shown["title"] == "Rye"
    assert shown["body"].startswith('"' * 500)
    assert shown["body"].endswith("… (9,000 characters; too long to show whole)")
    assert shown["note"].endswith("… (5,000 characters; too long to show whole)")
    assert 3_950 <= len(json.dumps(shown, ensure_ascii=False)) <= 4_000, "what there is room for is shown"


def test_lists_are_shortened_where_texts_are_short_already() -> None:
    entries = [{"id": at, "text": "a short text"} for at in range(1_000)]
    shown = json.loads(fitted({"entries": entries, "total": 1_000}, MOST))
    assert shown["entries"] == entries[: len(shown["entries"])]
    assert len(shown["entries"]) > 20
    assert f"the last {1_000 - len(shown['entries'])} of 1000 are left out" in shown["left_out"]


ESCAPED = {"quotes": '"', "controls": "\x01", "backslashes": "\\", "lines": "\n", "emoji": "🥖", "plain": "x"}
RECORDS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "simple_note__show_note": ("notes", "note_id", ("content",)),
    "simple_note__search_notes": ("notes", "", ("content",)),
    "todoist__show_task": ("tasks", "task_id", ("description",)),
    "gmail__show_draft": ("drafts", "draft_id", ("body",)),
    "amazon__show_product": ("products", "product_id", ("description",)),
}


@pytest.mark.parametrize("letter", ESCAPED.values(), ids=list(ESCAPED))
@pytest.mark.parametrize("name", RECORDS)
def test_a_record_of_the_longest_texts_is_shown_as_json(name: str, letter: str) -> None:
    apps = all_apps("notes")
    operation = next(one for one in apps.operations("read") if one.name == name)
    app, (table, parameter, columns) = app_of(operation), RECORDS[name]
    context = forked(apps.context)
    if name == "gmail__show_draft":
        arguments = {parameter: done(context, "gmail__create_draft", body="rye")["draft_id"]}
    else:
        arguments = apps.arguments(operation)[0]
    database = context.world.apps[app]
    rows = database.table(table)
    key = arguments.get(parameter) or next(key for key, _ in rows.rows())
    texts = dict.fromkeys(columns, letter * MAX_TEXT_CHARS)
    assert set(texts) <= set(load_app(app).tables[table].columns)
    context.world.put_app(app, database.put(table, rows.update(key, **texts)))
    result = call_tool(context, name, **arguments)
    assert result.ok
    assert len(result.text) <= MAX_RESULT_CHARS
    shown = json.loads(result.text)
    if parameter:
        begun = [one for one in shown.values() if isinstance(one, str) and one.startswith(letter * 2_000)]
        (text,) = begun
        assert len(text) == MAX_TEXT_CHARS or text.endswith("(10,000 characters; too long to show whole)")
