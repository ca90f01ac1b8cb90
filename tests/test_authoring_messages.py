"""Helpers for right.py: amounts and days in texts, messages, new sheets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import pytest

from pi_gym.authoring import amounts_in, days_in, message_call, name_day, new_csv_rows, reached, written_day

ANN = {"number": "5550001", "email": "ann@a.example", "cents": 9850, "by": "text"}
BEN = {"number": "5550002", "email": "ben@a.example", "cents": 21000, "by": "mail"}
SAID = {"5550001": ["you owe me 98.50, by 9 April"], "ben@a.example": ["Money\n210 kr by 9 April, please"]}


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("98.50", {9850}),
        ("98,5 kr", {9850}),
        ("1,204.50", {120450}),
        ("1.204,50", {120450}),
        ("12,000", {1200000}),
        ("owes 7.", {700}),
        ("no number", set()),
    ],
)
def test_amounts_are_read_in_either_notation(text: str, cents: set[int]) -> None:
    assert amounts_in(text) == cents


@pytest.mark.parametrize("style", ["iso", "day-month", "month-day"])
def test_a_written_day_is_read_with_its_style(style: str) -> None:
    assert days_in(f"by {written_day(date(2026, 4, 9), style)}, please", 2026, 4) == {(9, style)}


def test_days_of_other_months_and_figures_are_told_apart() -> None:
    assert days_in("from 9 March to 9.4., not 9/5", 2026, 4) == {(9, "figures")}


def test_who_was_reached_is_who_must_be_and_who_may_be() -> None:
    assert reached(SAID, [ANN, BEN])
    assert reached(SAID, [ANN], [BEN])
    assert not reached(SAID, [ANN])
    assert not reached({"5550001": SAID["5550001"]}, [ANN, BEN])
    assert not reached({}, [], [ANN])


def test_one_message_each_with_the_own_amount_alone() -> None:
    assert not reached(SAID | {"ann@a.example": ["98.50"]}, [ANN, BEN])
    assert not reached(SAID | {"5550001": ["98.50", "98.50 again"]}, [ANN, BEN])
    assert not reached(SAID | {"5550001": ["98.50 from you, 210.00 from ben"]}, [ANN, BEN])
    assert not reached(SAID | {"5550001": ["some money"]}, [ANN, BEN])


def test_the_right_channel_is_asked_for_only_where_it_matters() -> None:
    mailed = {"ann@a.example": ["98.50"], "ben@a.example": ["210"]}
    assert reached(mailed, [ANN, BEN])
    assert not reached(mailed, [ANN, BEN], by="right")
    assert reached(SAID, [ANN, BEN], by="right")


def test_each_message_names_the_day_and_an_amount() -> None:
    assert name_day(SAID, "2026-04-09", [9850, 21000])
    assert name_day(SAID, "2026-04-09", [9850, 21000], "day-month")
    assert not name_day(SAID, "2026-04-09", [9850, 21000], "iso")
    assert not name_day(SAID, "2026-04-10", [9850, 21000])
    assert not name_day(SAID, "2026-04-09", [9850])
    assert not name_day({"5550001": SAID["5550001"]}, "2026-04-09", [9850])
    assert not name_day(SAID | {"x": ["98.50 by 9 or 10 April, i.e. 10 April"]}, "2026-04-09", [9850, 21000])


def test_a_message_call_has_one_key_of_all_for_its_kind() -> None:
    text, mail = (message_call(by, "1", "a@a.example", "Money", "now") for by in ("text", "mail"))
    assert {*text} == {*mail}
    assert (text["to"], text["message"], text["emails"]) == ("1", "now", None)
    assert (mail["emails"], mail["body"], mail["to"]) == (["a@a.example"], "now", None)


@dataclass
class Left:
    """What a session left: new files."""

    files: dict[str, str]

    @property
    def created(self) -> frozenset[str]:
        return frozenset(self.files)

    def text(self, path: str) -> str:
        return self.files[path]


def test_the_one_new_sheet_is_read_with_either_delimiter() -> None:
    rows = [["item", "sum"], ["tea", "1,50"]]
    assert new_csv_rows(Left({"bills/a.csv": "Item;Sum\nTea ; 1,50\n", "notes/b.csv": "x,y\n1,2\n"}), "bills/") == rows


def test_two_sheets_are_none_unless_one_was_emptied() -> None:
    two = {"bills/a.csv": "item,sum\ntea,1\n", "bills/b.csv": "item,sum\ntea,2\n"}
    assert new_csv_rows(Left(two), "bills/") == [[]]
    assert new_csv_rows(Left(two | {"bills/b.csv": ""}), "bills/") == [["item", "sum"], ["tea", "1"]]
