"""The files: an agent's view of the workspace."""

from __future__ import annotations

import pytest
from support.phone_hand import Phone

from pi_gym.phone.handset import act, offered
from pi_gym.phone.phone_desk import PhoneContext
from pi_gym.types import ToolCall


@pytest.fixture
def phone() -> Phone:
    return Phone("Files")


def test_texts_are_shown_whole_in_part_and_by_folder(phone: Phone) -> None:
    whole = {"path": "notes/a.txt", "text": "one\ntwo\nthree\n"}
    assert whole == phone.agent("open", path="~/notes/a.txt") == phone.agent("display", path="notes/a.txt")
    assert phone.agent("cat", path="notes/a.txt") == whole
    assert phone.agent("read_document", file_path="notes/a.txt", max_lines=2) == {
        "path": "notes/a.txt",
        "text": "one\ntwo\n",
        "lines": 3,
    }
    assert phone.agent("cat", path="notes", recursive=True)["texts"] == {
        "notes/a.txt": "one\ntwo\nthree\n",
        "notes/deep/b.txt": "four\n",
    }
    assert "is a directory" in phone.agent("cat", path="notes")
    assert "max_lines must be 1 or more" in phone.agent("read_document", file_path="notes/a.txt", max_lines=0)


def test_what_is_no_text_is_refused_or_left_out(phone: Phone) -> None:
    phone.world.workspace.write("notes/plan.png", b"\x00\x01")
    assert "is no text" in phone.agent("open", path="notes/plan.png")
    assert "is no text" in phone.agent("cat", path="notes", recursive=True)
    assert len(phone.agent("cat", path="notes", recursive=True, on_error="omit")["texts"]) == 2


def test_directories_are_listed(phone: Phone) -> None:
    assert phone.agent("ls", path="notes")["entries"] == ["notes/a.txt", "notes/deep"]
    assert phone.agent("ls", path="notes", detail=True)["entries"][0] == {
        "name": "notes/a.txt",
        "type": "file",
        "size": 14,
    }
    assert phone.agent("tree", path="notes")["entries"] == ["a.txt (14 bytes)", "deep/", "deep/b.txt (5 bytes)"]
    assert "is a file" in phone.agent("ls", path="notes/a.txt")


def test_what_is_there_is_told(phone: Phone) -> None:
    assert phone.agent("exists", path="notes") == {"exists": True, "name": "notes", "type": "directory", "size": 0}
    assert phone.agent("exists", path="gone") == {"exists": False}
    assert phone.agent("info", path="notes/a.txt")["size"] == 14
    assert "no file or directory 'gone'" in phone.agent("info", path="gone")
    assert "cannot leave the workspace" in phone.agent("exists", path="../x")


def test_directories_are_made(phone: Phone) -> None:
    phone.agent("mkdir", path="new/folder")
    assert phone.world.workspace.is_folder("new/folder")
    assert "exists already" in phone.agent("mkdir", path="new/folder")
    assert "exists already" in phone.agent("makedirs", path="new/folder")
    assert "is there" in phone.agent("makedirs", path="new/folder", exist_ok=True)["message"]
    assert "as a file" in phone.agent("makedirs", path="notes/a.txt", exist_ok=True)
    assert "create_parents=true" in phone.agent("mkdir", path="other/folder", create_parents=False)


def test_files_move_and_go_and_directories_only_with_leave(phone: Phone) -> None:
    phone.agent("mv", path1="notes/a.txt", path2="notes/deep")
    assert phone.text("notes/deep/a.txt") == "one\ntwo\nthree\n"
    assert "exists already" in phone.agent("mv", path1="notes/deep/a.txt", path2="notes/deep/b.txt")
    assert "recursive=true" in phone.agent("mv", path1="notes/deep", path2="deep")
    phone.agent("mv", path1="notes/deep", path2="deep", recursive=True)
    assert "recursive=true" in phone.agent("rm", path="deep")
    phone.agent("rm", path="deep", recursive=True)
    assert phone.text("deep/b.txt") is None
    assert "The root" in phone.agent("rm", path=".", recursive=True)


def test_its_owner_has_no_such_app(phone: Phone) -> None:
    context = PhoneContext(phone.world)
    registry = offered(context.display.navigation)
    result = act(ToolCall("System__open_app", {"app_name": "Files"}), context, registry)
    assert not result.ok
    assert "Contacts" in result.text
