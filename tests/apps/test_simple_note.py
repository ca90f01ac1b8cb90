"""Simple Note: each operation, and each error that it documents."""

from __future__ import annotations

from typing import Any

import pytest
from support.apps import IDA, app_context, done, refused, signed_in

from pi_gym.apps.columns import MAX_TEXT_CHARS
from pi_gym.tools import ToolContext

NEEDS_SIGN_IN: dict[str, dict[str, Any]] = {
    "logout": {},
    "show_account": {},
    "search_notes": {},
    "show_note": {"note_id": 1},
    "create_note": {"title": "x"},
    "update_note": {"note_id": 1, "title": "x"},
    "add_content_to_note": {"note_id": 1, "added_content": "x"},
    "delete_note": {"note_id": 1},
}


def titles(context: ToolContext, **arguments: Any) -> list[str]:
    return [note["title"] for note in done(context, "simple_note__search_notes", **arguments)["notes"]]


@pytest.mark.parametrize("operation", NEEDS_SIGN_IN)
def test_nothing_of_an_account_is_open_before_one_signs_in(operation: str) -> None:
    text = refused(app_context(), f"simple_note__{operation}", **NEEDS_SIGN_IN[operation])
    assert "Sign in first: simple_note__login(username, password)" in text
    assert "system message" in text


def test_login_opens_the_app_and_logout_closes_it() -> None:
    context = app_context()
    assert "Ida Note" in done(context, "simple_note__login", **IDA)["message"]
    assert titles(context, query="suppliers") == ["Suppliers"]
    assert "Signed out" in done(context, "simple_note__logout")["message"]
    assert "Sign in first" in refused(context, "simple_note__search_notes")


def test_login_says_what_is_wrong() -> None:
    context = app_context()
    assert "Wrong password" in refused(context, "simple_note__login", username=IDA["username"], password="Crumbs")
    text = refused(context, "simple_note__login", username="nobody@notes.example", password="x")
    assert "no account with the e-mail address 'nobody@notes.example'" in text


def test_addresses_are_compared_without_case_and_blanks() -> None:
    done(app_context(), "simple_note__login", username=" IDA@Notes.example ", password="crumbs")


def test_signing_in_as_somebody_else_changes_whose_notes_are_seen() -> None:
    context = signed_in()
    done(context, "simple_note__login", username="per@notes.example", password="flour")
    assert titles(context) == ["Per's rye secret"]
    assert "no note with the id 1" in refused(context, "simple_note__show_note", note_id=1)


def test_account_and_profile() -> None:
    context = signed_in()
    account = done(context, "simple_note__show_account")
    assert account["email"] == IDA["username"]
    assert account["notes"] == 4
    assert "password" not in account
    profile = done(context, "simple_note__show_profile", email="PER@notes.example")
    assert profile == {"first_name": "Per", "last_name": "Other", "email": "per@notes.example"}
    assert "no account" in refused(context, "simple_note__show_profile", email="x@y")


def test_a_new_note_is_there_with_the_sessions_id_and_time() -> None:
    context = signed_in(app_context(clock="2026-04-01T09:00:05"))
    made = done(context, "simple_note__create_note", title="  Yeast ", content="Fresh.", tags=["shop", " shop", ""])
    assert made["note_id"] == 100_001
    assert done(context, "simple_note__show_note", note_id=100_001) == {
        "note_id": 100_001,
        "title": "Yeast",
        "content": "Fresh.",
        "tags": ["shop"],
        "pinned": False,
        "created_at": "2026-04-01T09:00:05",
        "updated_at": "2026-04-01T09:00:05",
    }


def test_ids_are_never_given_twice() -> None:
    context = signed_in()
    first = [done(context, "simple_note__create_note", title=str(n))["note_id"] for n in range(5)]
    for note in first:
        done(context, "simple_note__delete_note", note_id=note)
    second = [done(context, "simple_note__create_note", title=str(n))["note_id"] for n in range(5)]
    assert [*first, *second] == list(range(100_001, 100_011))


@pytest.mark.parametrize("operation", ["create_note", "update_note"])
def test_a_title_is_needed(operation: str) -> None:
    extra = {"note_id": 1} if operation == "update_note" else {}
    assert "title is empty" in refused(signed_in(), f"simple_note__{operation}", title=" \n", **extra)


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [("show_note", {}), ("update_note", {"title": "x"}), ("add_content_to_note", {"added_content": "x"}),
     ("delete_note", {})],
)  # fmt: skip
@pytest.mark.parametrize("note_id", [3, 99, -1])
def test_notes_of_others_and_notes_that_do_not_exist_are_not_there(
    operation: str, arguments: dict[str, Any], note_id: int
) -> None:
    text = refused(signed_in(), f"simple_note__{operation}", note_id=note_id, **arguments)
    assert f"no note with the id {note_id}" in text
    assert "simple_note__search_notes finds ids" in text


def test_update_changes_what_is_given_and_no_more() -> None:
    context = signed_in(app_context(clock="2026-04-02T10:00:00"))
    done(context, "simple_note__update_note", note_id=4, pinned=True, tags=[])
    note = done(context, "simple_note__show_note", note_id=4)
    assert (note["title"], note["content"]) == ("Suppliers", "The mill delivers rye on Mondays.")
    assert (note["pinned"], note["tags"], note["updated_at"]) == (True, [], "2026-04-02T10:00:00")
    assert "Nothing to change" in refused(context, "simple_note__update_note", note_id=4)


def test_content_is_added_on_lines_of_its_own() -> None:
    context = signed_in()
    done(context, "simple_note__add_content_to_note", note_id=2, added_content="Closed on Sundays.")
    done(context, "simple_note__add_content_to_note", note_id=2, added_content="Hours", append_or_prepend="prepend")
    content = done(context, "simple_note__show_note", note_id=2)["content"]
    assert content == "Hours\nOpen at seven.\nClosed on Sundays."
    assert "empty" in refused(context, "simple_note__add_content_to_note", note_id=2, added_content="")


def test_a_deleted_note_is_gone() -> None:
    context = signed_in()
    done(context, "simple_note__delete_note", note_id=1)
    assert "no note" in refused(context, "simple_note__show_note", note_id=1)
    assert "Rye bread" not in titles(context, query="rye")


def test_texts_stay_short_enough_to_be_shown_whole() -> None:
    context = signed_in()
    done(context, "simple_note__create_note", title="x", content="y" * MAX_TEXT_CHARS)
    text = refused(context, "simple_note__add_content_to_note", note_id=100_001, added_content="z")
    assert f"at most {MAX_TEXT_CHARS}" in text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"title": "x" * 201}, "at most 200 are possible"),
        ({"title": "x", "tags": [str(n) for n in range(21)]}, "At most 20 tags"),
        ({"title": "x", "tags": ["y" * 51]}, "of 50 characters"),
    ],
)
def test_titles_and_tags_stay_short_enough_for_lists(arguments: dict[str, Any], says: str) -> None:
    context = signed_in()
    assert says in refused(context, "simple_note__create_note", **arguments)
    assert says in refused(context, "simple_note__update_note", note_id=1, **arguments)


def test_a_tag_that_no_note_has_is_answered_with_those_that_there_are() -> None:
    context = signed_in()
    message = done(context, "simple_note__search_notes", tags=["recipe"])["message"]
    assert message == "No note has the tag 'recipe'; there are: fair, recipes, shop."
    assert "No notes match" in done(context, "simple_note__search_notes", tags=["fair", "recipes"])["message"]
    assert titles(context, tags=[" Recipes ", ""]) == ["Rye bread"]


def test_search_ranks_titles_over_text_and_sees_only_ones_own() -> None:
    context = signed_in()
    assert titles(context, query="rye bread") == ["Rye bread", "Bread for the fair", "Suppliers"]
    assert titles(context, query="honey") == []


def test_pinned_notes_come_first_unless_told_otherwise() -> None:
    context = signed_in()
    done(context, "simple_note__update_note", note_id=4, content="open open bread")
    assert titles(context, query="bread open")[0] == "Opening hours"
    assert titles(context, query="bread open", dont_reorder_pinned=True)[0] == "Suppliers"


def test_filters_narrow_the_search() -> None:
    context = signed_in()
    assert titles(context, tags=["SHOP", "fair"]) == ["Bread for the fair"]
    assert titles(context, pinned=True) == ["Opening hours"]
    assert sorted(titles(context, pinned=False, tags=["shop"])) == ["Bread for the fair", "Suppliers"]


def test_lists_are_sorted_and_paged() -> None:
    context = signed_in(app_context(clock="2026-04-01T09:00:00"))
    named = {"sort_by": "+title", "dont_reorder_pinned": True, "page_limit": 3}
    assert titles(context, **named) == ["Bread for the fair", "Opening hours", "Rye bread"]
    assert titles(context, page_index=1, **named) == ["Suppliers"]
    behind = done(context, "simple_note__search_notes", page_index=7, **named)
    assert behind["notes"] == []
    assert "the last one has page_index 1" in behind["message"]
    done(context, "simple_note__create_note", title="Newest")
    assert titles(context, dont_reorder_pinned=True)[0] == "Newest"


def test_an_empty_result_says_what_to_do() -> None:
    found = done(signed_in(), "simple_note__search_notes", query="zeppelin")
    assert (found["notes"], found["total"]) == ([], 0)
    assert "fewer or other words" in found["message"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"page_index": -1}, "counts pages from 0"),
        ({"page_limit": 0}, "between 1 and 20"),
        ({"page_limit": 21}, "between 1 and 20"),
        ({"sort_by": "+name"}, "one of: created_at, updated_at, title"),
        ({"sort_by": ""}, None),
    ],
)
def test_wrong_paging_and_sorting_is_explained(arguments: dict[str, Any], says: str | None) -> None:
    if says is None:
        assert titles(signed_in(), **arguments)
    else:
        assert says in refused(signed_in(), "simple_note__search_notes", **arguments)
