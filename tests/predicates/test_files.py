from __future__ import annotations

from typing import Any

import pytest

from pi_gym.errors import SpecError
from pi_gym.predicates import compile_predicate

from .helpers import check, evidence

START = {"a.md": "one\ntwo\nthree\n", "old.md": "old", "keep.md": "keep", "memory/MEMORY.md": "m"}
NOW = {"a.md": "one\n2\nthree\n", "old.md": None, "reports/new.md": "a new report", "memory/MEMORY.md": "more"}


@pytest.mark.parametrize(
    ("path", "state"),
    [
        ("reports/new.md", "created"),
        ("reports/new.md", "changed"),
        ("reports/*.md", "created"),
        ("**/*.md", "created"),
        ("reports/", "any"),
        ("a.md", "modified"),
        ("?.md", "modified"),
        ("keep.md", "unchanged"),
        ("k*.md", "unchanged"),
        ("old.md", "deleted"),
        ("o*.md", "deleted"),
        ("memory/MEMORY.md", "modified"),
        ("memory/*", "changed"),
        ("./a.md", "any"),
    ],
)
def test_a_file_is_found_in_its_state_and_in_no_other(path: str, state: str) -> None:
    found = evidence(NOW, START)
    assert check({"file": path, "state": state}, found)
    others = {"created", "modified", "unchanged", "deleted"} - {state}
    if state not in ("changed", "any"):
        assert not any(check({"file": path.replace("**/", "reports/"), "state": other}, found) for other in others)


def test_the_default_state_depends_on_the_use() -> None:
    found = evidence(NOW, START)
    assert check({"file": "keep.md"}, found)
    assert not check({"file": "keep.md"}, found, file_state="changed")
    assert check({"file": "a.md", "text": "2"}, found, file_state="changed")


def test_several_matching_files_are_no_deliverable() -> None:
    found = evidence({"r/a.md": "right", "r/b.md": "wrong"})
    spec = {"file": "r/*.md", "text": "right"}
    assert "2 files match" in check(spec, found).why
    assert check({**spec, "which": "some"}, found)


def test_a_missing_file_says_what_is_there() -> None:
    found = evidence({"Notes.md": "x"})
    assert "Notes.md" in check({"file": "notes.md"}, found).why


def test_a_file_that_is_no_text_says_nothing() -> None:
    assert not check({"file": "a.bin", "text": {"lacks": "x"}}, evidence({"a.bin": b"\xff\x00"}))


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"file": "../x"}, "c.file"),
        ({"file": ""}, "c.file"),
        ({"file": "a", "state": "new"}, "c.state"),
        ({"file": "a", "which": "each"}, "c.which"),
        ({"file": "a", "txet": "x"}, "c"),
    ],
)
def test_a_wrong_file_atom_names_its_field(spec: Any, field: str) -> None:
    with pytest.raises(SpecError) as caught:
        compile_predicate(spec, "c")
    assert caught.value.field == field
