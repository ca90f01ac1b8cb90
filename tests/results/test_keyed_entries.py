"""Entries with fields: what is read of notes and bibliographies, and what is as good as what is right."""

from __future__ import annotations

import pytest

from pi_gym.results.content import Document
from pi_gym.results.facets import Aspect, Reading, kinds
from pi_gym.results.joined import joined

BIB = """@article{a2024,
  title = {{One {Small} Gate}},
  year = 2024, annote = {***},
}
@misc{b2025, howpublished = "Archive"}
"""
NOTES = {
    "a2024.md": "# A: a title\n\n**key:** a2024\n- follow-up: ***\ngain: 12.3 % relative at 5 dB\n",
    "b.md": "key: b",
}


def aspect(name: str) -> Aspect:
    found = kinds()["entries"].facets[name]
    assert isinstance(found, Aspect)
    return found


def test_a_bibliography_is_read_by_keys_and_fields() -> None:
    found = aspect("values").parts(Document("refs.bib", BIB), Reading())
    assert found["a2024", "title"] == "One {Small} Gate"
    assert found["a2024", "annote"] == "***"
    assert found["b2025", "type"] == "misc"


def test_notes_are_read_by_files_and_labels() -> None:
    document = Document("papers/notes/", joined(NOTES))
    assert set(aspect("rows").parts(document, Reading())) == {"a2024", "b"}
    assert aspect("values").parts(document, Reading(of=("follow-up",))) == {("a2024", "follow-up"): "***"}
    assert aspect("ends").parts(document, Reading(of=("last",), rows=("a2024",))) == {("a2024", "last"): "gain"}


def test_figures_are_the_numbers_with_decimals() -> None:
    found = aspect("figures").parts(Document("papers/notes/", joined(NOTES)), Reading(of=("gain",)))
    assert [one.value for one in found["a2024", "gain"]] == [12.3]


@pytest.mark.parametrize(
    ("name", "found", "right", "same"),
    [
        ("values", "code (there), rooms", "rooms, code", True),
        ("values", "code at its address, rooms", "rooms, code", True),
        ("values", "rooms, code, device", "rooms, code", False),
        ("starts", "A, as I see it", "A", True),
        ("starts", "***", "**", False),
        ("starts", "640ms (8 frames)", "640 ms", True),
    ],
)
def test_remarks_leave_a_field_right(name: str, found: str, right: str, same: bool) -> None:
    assert aspect(name).same(found, right, Reading()) is same


def test_a_label_with_two_values_says_neither() -> None:
    document = Document("n/", joined({"a.md": "follow-up: A\nfollow-up: B\n"}))
    said = aspect("starts").parts(document, Reading())["a", "follow-up"]
    assert not aspect("starts").same(said, "B", Reading())
    assert not aspect("starts").same(said, "A", Reading())
