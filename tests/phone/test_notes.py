"""Notes: written, moved and copied between folders, some of which are always there."""

from __future__ import annotations

import pytest
from support.phone_hand import StrictPhone


@pytest.fixture
def phone() -> StrictPhone:
    return StrictPhone("Notes")


@pytest.fixture
def other() -> StrictPhone:
    return StrictPhone("Notes")


def test_a_new_note_exists_once_it_is_written(phone: StrictPhone, other: StrictPhone) -> None:
    phone.user("new_note")
    phone.back()
    assert phone.state == StrictPhone("Notes").state
    phone.user("new_note")
    assert "are empty" in phone.refused("user", "update", title=" ", content="")
    told = phone.user("update", title="Tools", content="A saw.")
    assert (phone.screen, told["folder"]) == ("NoteDetail", "Inbox")
    phone.back()
    assert phone.screen == "NoteList"
    other.agent("create_note", title="Tools", content="A saw.")
    assert phone.state == other.state


def test_owner_and_agent_change_notes_alike(phone: StrictPhone, other: StrictPhone) -> None:
    phone.user("open", note_id=1)
    phone.user("edit")
    assert phone.user("update", title="Trip", content="Ferry at nine.")["updated_at"] == "2026-05-04T09:00:00"
    assert phone.screen == "NoteDetail"
    phone.user("add_attachment", attachment_path="plans/route.md")
    phone.user("remove_attachment", attachment="map.md")
    assert phone.user("duplicate")["attachments"] == ["route.md"]
    phone.user("move", dest_folder_name="work")
    assert {one["note_id"] for one in phone.user("list_notes")["notes"]} == {2, 500_001}
    other.agent("update_note", note_id=1, content="Ferry at nine.")
    other.agent("add_attachment_to_note", note_id=1, attachment_path="plans/route.md")
    other.agent("remove_attachment", note_id=1, attachment="map.md")
    copy = other.agent("duplicate_note", folder_name="Inbox", note_id=1)["note_id"]
    other.agent("move_note", note_id=copy, dest_folder_name="Work")
    assert phone.state == other.state


def test_a_deleted_note_takes_its_files_along(phone: StrictPhone, other: StrictPhone) -> None:
    phone.user("open", note_id=1)
    phone.user("delete")
    other.agent("delete_note", note_id=1)
    assert phone.screen == "NoteList"
    assert phone.state == other.state
    assert phone.rows("attachments") == {}
    assert "no note with the id 1" in phone.refused("user", "open", note_id=1)


@pytest.mark.parametrize(
    ("name", "given", "reason"),
    [
        ("create_note", {}, "are empty"),
        ("create_note", {"title": "Tools", "folder": "Garden"}, "there are: Inbox, Personal, Work, Recipes"),
        ("update_note", {"note_id": 1}, "Nothing to change"),
        ("update_note", {"note_id": 1, "title": "", "content": ""}, "would be empty"),
        ("move_note", {"note_id": 2}, "is in the folder 'Work', not in 'Inbox'"),
        ("move_note", {"note_id": 1, "dest_folder_name": "inbox"}, "already"),
        ("new_folder", {"folder_name": "work"}, "exists already"),
        ("new_folder", {"folder_name": "  "}, "is empty"),
        ("rename_folder", {"folder": "Inbox", "new_folder": "In"}, "always there"),
        ("rename_folder", {"folder": "Recipes", "new_folder": "Work"}, "exists already"),
        ("delete_folder", {"folder_name": "personal"}, "always there"),
        ("search_notes", {"query": "…"}, "query is empty"),
        ("add_attachment_to_note", {"note_id": 1, "attachment_path": "plans"}, "directory"),
        ("remove_attachment", {"note_id": 1, "attachment": "route.md"}, "it carries: map.md"),
        ("list_notes", {"folder": "Work", "limit": 0}, "limit must be"),
    ],
)
def test_an_impossible_thing_is_refused_with_its_reason(
    phone: StrictPhone, name: str, given: dict[str, object], reason: str
) -> None:
    assert reason in phone.refused("assistant", name, **given)


def test_a_file_is_attached_once(phone: StrictPhone) -> None:
    phone.agent("add_attachment_to_note", note_id=2, attachment_path="plans/route.md")
    given = {"note_id": 2, "attachment_path": "plans/route.md"}
    assert "already" in phone.refused("assistant", "add_attachment_to_note", **given)
    (told,) = phone.agent("list_attachments", note_id=2)
    assert told["text"] == "North bank, then the ferry.\n"


def test_a_renamed_folder_keeps_its_notes(phone: StrictPhone) -> None:
    phone.agent("rename_folder", folder="recipes", new_folder="Kitchen")
    assert [one["note_id"] for one in phone.agent("list_notes", folder="Kitchen")["notes"]] == [3]
    assert {"name": "Kitchen", "notes": 1} in phone.agent("list_folders")["folders"]


def test_pinned_notes_stand_first_then_those_changed_last(phone: StrictPhone) -> None:
    first = phone.agent("create_note", title="Old", pinned=True)["note_id"]
    second = phone.agent("create_note", title="New")["note_id"]
    told = phone.agent("list_notes", folder="Inbox", limit=2)
    assert ([one["note_id"] for one in told["notes"]], told["total"]) == ([first, second], 3)


def test_a_search_can_stay_in_one_folder(phone: StrictPhone) -> None:
    assert phone.agent("search_notes", query="ferry")["total"] == 1
    assert phone.agent("search_notes_in_folder", query="ferry", folder_name="Work")["total"] == 0


def test_a_folder_goes_with_its_notes(phone: StrictPhone, other: StrictPhone) -> None:
    notice = phone.event("delete_folder", folder_name="Recipes")
    assert notice.short == "Folder 'Recipes' was deleted (notes in it: 1)"
    assert notice.whole == "Folder 'Recipes' was deleted\ndeleted notes: Pears"
    assert other.agent("delete_folder", folder_name="Recipes")["deleted_notes"] == ["Pears"]
    assert phone.state == other.state
    assert other.notices == []
    assert "no folder 'Recipes'" in phone.refused("event", "delete_folder", folder_name="Recipes")


def test_the_event_tells_of_an_empty_folder_without_an_empty_line(phone: StrictPhone) -> None:
    phone.agent("new_folder", folder_name="Garden")
    assert phone.event("delete_folder", folder_name="Garden").whole == "Folder 'Garden' was deleted"
