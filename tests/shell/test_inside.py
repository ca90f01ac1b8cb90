"""Collecting from a copy, by the keeper's own functions: the copy is hostile."""

from __future__ import annotations

import base64
import os
from pathlib import Path

from pi_gym.shell.collecting import collect

CAPS = {"files": 5, "bytes": 1_000, "file_bytes": 500, "entries": 50}


def test_changes_are_told_and_what_is_the_same_is_not(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "same").write_bytes(b"s")
    (tmp_path / "d" / "new").write_bytes(b"\0n")
    found = collect(str(tmp_path), {"d/same": b"s", "gone/x": b"x"}, {"d", "gone"}, CAPS)
    assert found["files"] == {"d/new": base64.b64encode(b"\0n").decode()}
    assert (found["folders"], found["deleted"]) == ([], ["gone", "gone/x"])


def test_a_link_keeps_what_it_stands_in_the_place_of(tmp_path: Path) -> None:
    (tmp_path / "d").symlink_to("/etc")
    (tmp_path / "f").symlink_to("/etc/passwd")
    found = collect(str(tmp_path), {"d/x": b"x", "f": b"f", "g": b"g"}, {"d"}, CAPS)
    assert (found["files"], found["deleted"]) == ({}, ["g"])
    assert [what for what, _ in found["refused"]] == ["d", "f"]


def test_beyond_the_caps_nothing_is_taken(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"f{number}").write_bytes(b"")
    found = collect(str(tmp_path), {}, set(), CAPS)
    assert found["overflow"] == "it changed more than 5 files"
    assert found["files"] == {}
    assert collect(str(tmp_path), {}, set(), CAPS | {"entries": 3})["overflow"]


def test_sizes_are_bounded(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * 501)
    assert [what for what, _ in collect(str(tmp_path), {}, set(), CAPS)["refused"]] == ["big"]
    for number in range(3):
        (tmp_path / f"f{number}").write_bytes(b"y" * 400)
    assert collect(str(tmp_path), {}, set(), CAPS)["overflow"] == "it changed more than 1000 bytes"


def test_names_that_are_no_text_come_through(tmp_path: Path) -> None:
    (Path(os.fsencode(tmp_path).decode()) / os.fsdecode(b"bad\xff")).write_bytes(b"x")
    assert list(collect(str(tmp_path), {}, set(), CAPS)["files"]) == ["bad\udcff"]
