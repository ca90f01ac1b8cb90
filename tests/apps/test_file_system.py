"""File System: each operation over the session's workspace, and each error that it documents."""

from __future__ import annotations

from typing import Any

import pytest
from support.apps import app_context, call_tool, done, refused

from pi_gym.tools import ToolContext

FILES = {
    "notes/a.md": b"A\n",
    "notes/deep/b.md": b"B\n",
    "plan.txt": b"plan\n",
    "photo.bin": b"\x00\xff",
    "memory/HISTORY.md": b"# Log\n",
}
CALLS: dict[str, dict[str, Any]] = {
    "create_file": {"file_path": "~/x"},
    "create_directory": {"directory_path": "~/x"},
    "copy_file": {"source_file_path": "~/plan.txt", "destination_file_path": "~/x"},
    "move_file": {"source_file_path": "~/plan.txt", "destination_file_path": "~/x"},
    "copy_directory": {"source_directory_path": "~/notes", "destination_directory_path": "~/x"},
    "move_directory": {"source_directory_path": "~/notes", "destination_directory_path": "~/x"},
}


@pytest.fixture
def context() -> ToolContext:
    context = app_context("file_system")
    for path, data in FILES.items():
        context.workspace.write(path, data)
    context.workspace.make_folder("empty/room")
    done(context, "file_system__login", username="ida@notes.example", password="oven")
    return context


def files(context: ToolContext) -> dict[str, bytes]:
    return {path: blob.data for path, blob in context.workspace.walk()}


def moved(old: str, new: str) -> dict[str, str]:
    kind = "directory" if "." not in old.rpartition("/")[2] else "file"
    return {f"source_{kind}_path": old, f"destination_{kind}_path": new}


@pytest.mark.parametrize("operation", CALLS)
def test_one_has_to_sign_in_first(operation: str) -> None:
    assert "Sign in first: file_system__login" in refused(
        app_context("file_system"), f"file_system__{operation}", **CALLS[operation]
    )


def test_the_passwords_of_the_apps_differ() -> None:
    text = refused(
        app_context("file_system"), "file_system__login", username="ida@notes.example", password="crumbs"
    )  # fmt: skip
    assert "Wrong password" in text


@pytest.mark.parametrize("path", ["~/new/file.md", "new/file.md", "/home/ida/workspace/new/file.md", " ~//new/file.md"])
def test_a_file_is_created_in_the_workspace(context: ToolContext, path: str) -> None:
    made = done(context, "file_system__create_file", file_path=path, content="hé\n")
    assert made["file_path"] == "~/new/file.md"
    assert made["bytes"] == 4
    assert context.workspace.text("new/file.md") == "hé\n"
    assert call_tool(context, "read_file", path="new/file.md").text == "hé\n"


def test_a_file_is_replaced_only_where_that_is_wished(context: ToolContext) -> None:
    text = refused(context, "file_system__create_file", file_path="~/plan.txt", content="other")
    assert "'~/plan.txt' exists already" in text
    assert "overwrite=true" in text
    done(context, "file_system__create_file", file_path="~/plan.txt", content="other", overwrite=True)
    assert context.workspace.text("plan.txt") == "other"


def test_a_directory_is_created_with_those_above_it(context: ToolContext) -> None:
    done(context, "file_system__create_directory", directory_path="~/one/two/three")
    assert context.workspace.is_folder("one/two/three")
    done(context, "file_system__create_directory", directory_path="~/one/four", recursive=False)
    text = refused(context, "file_system__create_directory", directory_path="~/five/six", recursive=False)
    assert "'~/five' does not exist; pass recursive=true" in text
    assert "exists already, as a directory" in refused(
        context, "file_system__create_directory", directory_path="~/notes"
    )
    assert "as a file" in refused(context, "file_system__create_directory", directory_path="~/plan.txt")


def test_a_file_is_copied(context: ToolContext) -> None:
    done(context, "file_system__copy_file", **moved("~/photo.bin", "~/copies/p.bin"), retain_dates=True)
    assert files(context) == FILES | {"copies/p.bin": b"\x00\xff"}


def test_a_file_is_moved(context: ToolContext) -> None:
    done(context, "file_system__move_file", **moved("~/plan.txt", "~/notes/plan.txt"), retain_dates=True)
    expected = {**FILES, "notes/plan.txt": b"plan\n"}
    del expected["plan.txt"]
    assert files(context) == expected


@pytest.mark.parametrize("operation", ["copy_file", "move_file"])
def test_a_file_in_the_way_goes_only_where_that_is_wished(context: ToolContext, operation: str) -> None:
    arguments = moved("~/plan.txt", "~/notes/a.md")
    assert "exists already" in refused(context, f"file_system__{operation}", **arguments)
    done(context, f"file_system__{operation}", **arguments, overwrite=True)
    assert context.workspace.read("notes/a.md") == b"plan\n"
    assert (context.workspace.read("plan.txt") is None) == (operation == "move_file")


def test_a_directory_is_copied_with_all_it_holds(context: ToolContext) -> None:
    done(context, "file_system__copy_directory", **moved("~/notes", "~/old/notes"))
    assert files(context) == FILES | {"old/notes/a.md": b"A\n", "old/notes/deep/b.md": b"B\n"}
    done(context, "file_system__copy_directory", **moved("~/empty", "~/void"))
    assert context.workspace.is_folder("void/room")


def test_a_directory_is_moved(context: ToolContext) -> None:
    done(context, "file_system__move_directory", **moved("~/notes", "~/archive/2026"))
    assert not context.workspace.is_folder("notes")
    assert context.workspace.read("archive/2026/deep/b.md") == b"B\n"


@pytest.mark.parametrize("operation", ["copy_directory", "move_directory"])
def test_a_directory_in_the_way_is_replaced_whole(context: ToolContext, operation: str) -> None:
    arguments = moved("~/notes", "~/empty")
    assert "exists already" in refused(context, f"file_system__{operation}", **arguments)
    done(context, f"file_system__{operation}", **arguments, overwrite=True)
    assert context.workspace.names("empty") == [("a.md", False), ("deep", True)]


REFUSED = [
    ("copy_file", moved("~/nothing.md", "~/x.md"), "There is no file 'nothing.md'"),
    ("copy_file", moved("~/Plan.txt", "~/x.md"), "'plan.txt' exists: names are case-sensitive"),
    ("copy_file", moved("~/plan.txt", "~/plan.txt"), "the same file"),
    ("move_file", moved("~/plan.txt", "~/plan.txt"), "the same file"),
    ("move_file", moved("~/plan.txt", "~/notes"), "is a directory; give the whole path"),
    ("copy_file", moved("~/plan.txt", "~/plan.txt/x.md"), "is a file, not a directory"),
    ("copy_file", {"source_file_path": "~/notes", "destination_file_path": "~/x"}, "is a directory, not a file"),
    ("copy_directory", {"source_directory_path": "~/plan.txt", "destination_directory_path": "~/x"}, "is a file, not"),
    ("copy_directory", moved("~/gone", "~/x"), "There is no directory 'gone'"),
    ("copy_directory", moved("~/notes", "~/notes"), "the same directory"),
    ("copy_directory", moved("~/notes", "~/notes/deep/copy"), "lies in '~/notes'"),
    ("move_directory", moved("~/notes", "~/notes/deep/copy"), "lies in '~/notes'"),
    ("move_directory", {**moved("~/notes/deep", "~/notes"), "overwrite": True}, "which would be replaced"),
    ("copy_directory", {**moved("~", "~/x"), "overwrite": True}, "lies in"),
    ("move_directory", moved("~", "~/x"), "The root"),
    ("copy_directory", {**moved("~/notes", "~/"), "overwrite": True}, "The root"),
    ("create_file", {"file_path": "~"}, "The root"),
    ("create_file", {"file_path": "~/../x"}, "cannot leave the workspace"),
    ("create_file", {"file_path": "/etc/passwd"}, "outside the workspace"),
    ("create_file", {"file_path": "~other/x"}, "outside the workspace"),
    ("create_file", {"file_path": "~/memory/HISTORY.md", "overwrite": True}, "read-only"),
    ("move_file", moved("~/memory/HISTORY.md", "~/x.md"), "read-only"),
    ("move_directory", {**moved("~/notes", "~/memory"), "overwrite": True}, "read-only"),
    ("copy_directory", {**moved("~/notes", "~/memory"), "overwrite": True}, "read-only"),
]


@pytest.mark.parametrize(("operation", "arguments", "says"), REFUSED)
def test_what_cannot_be_done_is_explained(
    context: ToolContext, operation: str, arguments: dict[str, Any], says: str
) -> None:
    assert says in refused(context, f"file_system__{operation}", **arguments)
    assert files(context) == FILES


def test_a_copy_that_would_lie_too_deep_leaves_nothing_behind(context: ToolContext) -> None:
    deep = "/".join("d" * 30)
    context.workspace.make_folder(deep)
    target = "~/" + "/".join("e" * 20)
    refused(context, "file_system__copy_directory", **moved("~/d", target))
    assert not context.workspace.is_folder("e")
