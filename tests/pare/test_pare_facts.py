"""Days as a proposal names them."""

from __future__ import annotations

from datetime import date

import pytest

from pi_gym.pare.facts import find_facts, plain_text

FRIDAY = date(2026, 5, 8)


def days(text: str) -> list[str]:
    return [one.value for one in find_facts(plain_text(text), FRIDAY) if one.kind == "day"]


@pytest.mark.parametrize(
    "text",
    [
        "to Saturday, 2026-05-23",
        "to Saturday, 23 May",
        "to Saturday the 23rd",
        "to Saturday, the 23rd of May",
        "to 23 May (Saturday)",
        "to the 23rd, a Saturday",
        "to the 23rd",
    ],
)
def test_a_weekday_beside_its_date_is_no_second_day(text: str) -> None:
    assert days(text) == ["2026-05-23"]


def test_a_weekday_that_is_not_that_of_the_date_beside_it_stays_a_day_of_its_own() -> None:
    assert days("to Sunday, 23 May") == ["2026-05-10", "2026-05-23"]


def test_a_weekday_alone_is_the_next_one() -> None:
    assert days("to Saturday") == ["2026-05-09"]


def test_a_day_of_the_month_that_is_over_is_one_of_the_next() -> None:
    assert days("on the 3rd") == ["2026-06-03"]


def test_what_is_only_counted_is_no_day() -> None:
    assert days("on the 3rd floor, the 2nd time") == []
