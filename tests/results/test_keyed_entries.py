"""Entries with fields: what is read of notes and bibliographies, and what is as good as what is right."""

from __future__ import annotations

import pytest

from pi_gym.results.content import ResultText
from pi_gym.results.facets import Aspect, AspectReading, kinds
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
    found = aspect("values").parts(ResultText("refs.bib", BIB), AspectReading())
    assert found["a2024", "title"] == "One {Small} Gate"
    assert found["a2024", "annote"] == "***"
    assert found["b2025", "type"] == "misc"


def test_notes_are_read_by_files_and_labels() -> None:
    document = ResultText("papers/notes/", joined(NOTES))
    assert set(aspect("rows").parts(document, AspectReading())) == {"a2024", "b"}
    assert aspect("values").parts(document, AspectReading(of=("follow-up",))) == {("a2024", "follow-up"): "***"}
    assert aspect("ends").parts(document, AspectReading(of=("last",), rows=("a2024",))) == {("a2024", "last"): "gain"}


def test_figures_are_the_numbers_with_decimals() -> None:
    found = aspect("figures").parts(ResultText("papers/notes/", joined(NOTES)), AspectReading(of=("gain",)))
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
    assert aspect(name).same(found, right, AspectReading()) is same


def test_a_label_with_two_values_says_neither() -> None:
    document = ResultText("n/", joined({"a.md": "follow-up: A\nfollow-up: B\n"}))
    said = aspect("starts").parts(document, AspectReading())["a", "follow-up"]
    assert not aspect("starts").same(said, "B", AspectReading())
    assert not aspect("starts").same(said, "A", AspectReading())
