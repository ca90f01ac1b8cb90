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
    assert not check({**spec, "which": "each"}, found)
    assert check({"file": "r/*.md", "which": "each", "count": 2}, found)
    assert not check({"file": "r/*.md", "which": "each", "count": 3}, found)


def test_a_missing_file_says_what_is_there() -> None:
    found = evidence({"Notes.md": "x"})
    assert "Notes.md" in check({"file": "notes.md"}, found).why
    assert check({"file": "gone.md", "exists": False}, found)
    assert not check({"file": "*.md", "exists": False}, found)
    assert not check({"file": "Notes.md", "exists": False}, found, file_state="changed")


def test_all_parts_of_the_content_must_hold() -> None:
    found = evidence({"a.csv": "k,v\na,1\n"})
    assert check({"file": "a.csv", "text": "k,v", "table": {"rows": 1}}, found)
    assert not check({"file": "a.csv", "text": "k,v", "table": {"rows": 2}}, found)
    assert not check({"file": "a.bin", "text": {"lacks": "x"}}, evidence({"a.bin": b"\xff\x00"}))


EDITS = {"lines": [{"from": "two", "to": "2"}]}


@pytest.mark.parametrize(
    ("edits", "text", "holds"),
    [
        (EDITS, "one\n2\nthree\n", True),
        (EDITS, "one\n2\nthree", True),
        (EDITS, "one\ntwo\nthree\n", False),
        (EDITS, "One\n2\nthree\n", False),
        (EDITS, "one\n2\nthree\nmore\n", False),
        (EDITS, "one\n2\n", False),
        ({"lines": [{"from": "two", "to": None}]}, "one\nthree\n", True),
        ({"lines": [{"from": "two", "to": None}]}, "one\ntwo\nthree\n", False),
        ({"lines": [{"from": "two", "to": ["2a", "2b"]}]}, "one\n2a\n2b\nthree\n", True),
        ({"lines": [{"from": "two", "to": {"number": 2}}]}, "one\nit is 2\nthree\n", True),
        ({"lines": [{"from": "two", "to": {"number": 2}}]}, "one\nit is 3\nthree\n", False),
        ({**EDITS, "add": ["four"]}, "one\n2\nthree\nfour\n", True),
        ({**EDITS, "add": ["four"]}, "one\n2\nthree\n", False),
        ({**EDITS, "add": ["four"]}, "one\n2\nthree\nfour\nfour\n", False),
        ({**EDITS, "allow": ["", {"starts_with": "note"}]}, "one\n\n2\nnote: x\nthree\n", True),
        ({**EDITS, "allow": [""]}, "one\n2\nthree\n", True),
        ({"lines": [{"from": "never", "to": "x"}]}, "one\ntwo\nthree\n", False),
    ],
)
def test_edits_are_exact(edits: Any, text: str, holds: bool) -> None:
    outcome = check({"file": "a.md", "edits": edits}, evidence({"a.md": text}, START))
    assert outcome.holds is holds, outcome.why


def test_revised_is_not_rewritten() -> None:
    found = evidence({"a.md": "one\nnew\nthree\n"}, START)
    assert check({"file": "a.md", "kept": {"at_least": 0.6}}, found)
    assert not check({"file": "a.md", "kept": 0.9}, found)
    assert not check({"file": "b.md", "kept": 0.1}, evidence({"b.md": "x"}))


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"file": "../x"}, "c.file"),
        ({"file": ""}, "c.file"),
        ({"file": "a", "state": "new"}, "c.state"),
        ({"file": "a", "exists": False, "text": "x"}, "c.exists"),
        ({"file": "a", "count": 2}, "c.count"),
        ({"file": "a", "edits": {}}, "c.edits"),
        ({"file": "a", "edits": {"lines": [{"from": "x"}]}}, "c.edits.lines[0]"),
        ({"file": "a", "kept": 2}, "c.kept"),
        ({"file": "a", "txet": "x"}, "c"),
    ],
)
def test_a_wrong_file_atom_names_its_field(spec: Any, field: str) -> None:
    with pytest.raises(SpecError) as caught:
        compile_predicate(spec, "c")
    assert caught.value.field == field
