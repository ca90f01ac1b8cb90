"""Workspace files that records carry: taken as they are at that moment, found again by record."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from pi_gym.apps import App, Column, Desk, TableSpec
from pi_gym.apps.attachments import MAX_FILES, TABLE, attach, attached, attachment_table, files_of
from pi_gym.apps.columns import MAX_TEXT_CHARS
from pi_gym.state import World
from pi_gym.state.paths import PathRefused
from pi_gym.tools import ToolContext, ToolError

MAIL = App(
    "post",
    "Post",
    "Letters.",
    {"letters": TableSpec({"body": Column(str, "its text")}), TABLE: attachment_table("letter", "letters")},
)


def a_desk(**files: bytes) -> Desk:
    context = ToolContext(World(apps={"post": MAIL.database({})}), root="/home/ida/workspace", ids=100_000)
    for name, data in files.items():
        context.workspace.write(f"bills/{name}.csv", data)
    return Desk(MAIL, context, True)


def test_a_record_carries_name_size_and_text_of_its_files() -> None:
    desk = a_desk(may=b"item,price\nrye,3\n", june=b"")
    first, second = desk.insert("letters", body="one"), desk.insert("letters", body="two")
    attach(desk, first, files_of(desk, ["bills/may.csv", "~/bills/june.csv"]))
    assert attached(desk, second) == []
    assert attached(desk, first) == [
        {"file_name": "may.csv", "bytes": 17, "text": "item,price\nrye,3\n"},
        {"file_name": "june.csv", "bytes": 0, "text": ""},
    ]


def test_what_was_attached_stays_as_it_was() -> None:
    desk = a_desk(may=b"old")
    record = desk.insert("letters", body="")
    attach(desk, record, files_of(desk, ["bills/may.csv"]))
    desk.context.workspace.write("bills/may.csv", b"new")
    assert attached(desk, record)[0]["text"] == "old"
    row = next(row for _, row in desk.table(TABLE).rows())
    assert row["sha256"] == hashlib.sha256(b"old").hexdigest()
    assert row["path"] == "bills/may.csv"


SPELLINGS = ["bills/may.csv", "~/bills/may.csv", "./bills//may.csv", "~//bills/may.csv"]


@pytest.mark.parametrize("spelling", [*SPELLINGS, "/home/ida/workspace/bills/may.csv"])
def test_one_file_is_attached_once_however_it_is_written(spelling: str) -> None:
    desk = a_desk(may=b"1")
    (row,) = files_of(desk, [spelling, "bills/may.csv"])
    assert row["path"] == "bills/may.csv"


def test_bytes_that_are_no_text_and_long_texts_fit_into_a_row() -> None:
    desk = a_desk(scan=b"\xff\x00\xfe", log=b"x" * (MAX_TEXT_CHARS + 1))
    scan, log = files_of(desk, ["bills/scan.csv", "bills/log.csv"])
    assert (scan["text"], scan["bytes"]) == ("", 3)
    assert (len(log["text"]), log["bytes"]) == (MAX_TEXT_CHARS, MAX_TEXT_CHARS + 1)
    attach(desk, 1, [scan, log])
    assert len(attached(desk, 1)) == 2


@pytest.mark.parametrize(
    ("paths", "advice"),
    [
        (["bills/april.csv"], "'bills' holds: may.csv"),
        (["bills"], "'bills' is a directory; only files"),
        (["~"], "'~' is a directory; only files"),
        ([f"bills/{number}.csv" for number in range(MAX_FILES + 1)], f"At most {MAX_FILES} files"),
    ],
)
def test_what_cannot_be_attached_is_refused_with_advice(paths: list[str], advice: str) -> None:
    with pytest.raises(ToolError, match=advice):
        files_of(a_desk(may=b"1"), paths)


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "~ida/x", "a\0b"])
def test_a_path_outside_the_workspace_is_refused(path: str) -> None:
    with pytest.raises(PathRefused):
        files_of(a_desk(), [path])


def test_files_of_no_paths_are_none() -> None:
    found: list[dict[str, Any]] = files_of(a_desk(), [])
    assert found == []
