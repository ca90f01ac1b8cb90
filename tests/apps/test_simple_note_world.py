"""Simple Note's seed world against what the other apps know: a meeting is noted on a day on which it was held."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from pi_gym import load_pack

TUESDAY, WEDNESDAY, THURSDAY = 1, 2, 3


@pytest.fixture(scope="module")
def notes() -> list[Any]:
    return [
        row for row in load_pack("researcher").app_seeds.rows("simple_note")["notes"].values() if row["account"] == 1
    ]


def days(notes: list[Any], series: str) -> list[date]:
    """When the meetings of a series were, from the titles of their notes."""
    found = [row["title"].rpartition(" ")[2] for row in notes if row["title"].startswith(series)]
    assert len(found) >= 8
    return [date.fromisoformat(day) for day in found]


def test_group_meetings_are_on_their_weekday(notes: list[Any]) -> None:
    for day in days(notes, "Group meeting notes"):
        assert day.weekday() == (TUESDAY if day < date(2025, 9, 1) else THURSDAY), day


def test_nobody_met_jonas_while_he_was_ill(notes: list[Any]) -> None:
    held = days(notes, "Jonas, weekly")
    assert all(day.weekday() == WEDNESDAY for day in held)
    assert not [day for day in held if date(2025, 12, 9) <= day <= date(2026, 1, 1)]


@pytest.mark.parametrize(
    ("words", "since"), [("rejection", "2025-09-12"), ("Jonas and his", "2025-10-06"), ("Ines", "2025-02-20")]
)
def test_meetings_talk_of_nothing_that_had_not_happened(notes: list[Any], words: str, since: str) -> None:
    about = [row for row in notes if words in row["content"]]
    assert about
    assert min(row["created_at"] for row in about) >= since


@pytest.mark.parametrize(
    ("title", "not_before"),
    [("Language course", "2024-12-09"), ("Questions for the ethics board", "2025-02-06")],
)
def test_a_note_was_changed_when_what_it_tells_had_happened(notes: list[Any], title: str, not_before: str) -> None:
    (note,) = (row for row in notes if row["title"] == title)
    assert note["created_at"] < not_before <= note["updated_at"]


def test_the_idea_came_before_the_afternoon_at_the_doors(notes: list[Any]) -> None:
    (note,) = (row for row in notes if row["title"] == "Idea: door simulator with real doors")
    assert "2025-10-06" <= note["created_at"] < "2025-10-29"
