"""Helpers for right.py: amounts and days in texts, messages, new sheets."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pytest

from pi_gym.authoring import amounts_in, days_in, debts, logs, messages, new_csv_rows, written_day

OWED = {"ann": 9850, "ben": 21000}


@dataclass
class Said:
    replies: list[str]


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


def test_thousands_set_off_by_a_blank_are_read_too() -> None:
    assert 641230 in amounts_in("6 412.30 kroner")


def test_each_reads_the_own_sum_and_nobody_elses() -> None:
    said = {"ann": ["you owe me 98.50, by 9 April"], "ben": ["Money\n210 kr by 9 April, please"]}
    assert messages.tell_own_sums(said, OWED)
    assert not messages.tell_own_sums(said | {"ann": ["some money"]}, OWED)
    assert not messages.tell_own_sums(said | {"ann": ["98.50 from you, 210.00 from ben"]}, OWED)
    assert messages.tell_own_sums(said | {"ann": ["98.50; your part was 210.00"]}, OWED, {"ann": [21000]})
    assert not messages.tell_own_sums(said | {"cleo": ["98.50"]}, OWED)


def test_a_reply_that_goes_on_and_on_tells_nothing() -> None:
    said = "Ann owes 98.50."
    assert messages.reply_tells(Said([said]), {"ann": 9850})
    assert not messages.reply_tells(Said(["Ann owes you.", "98.50"]), {"ann": 9850})
    assert not messages.reply_tells(Said([said + " word" * 500]), {"ann": 9850})


def test_a_reply_tells_one_of_some_words_unless_it_goes_on_and_on() -> None:
    assert messages.told(Said(["Nothing.", "The Tips stop."]), "tip")
    assert messages.told(Said(["The lids stop."]), ["tip", "lid"])
    assert not messages.told(Said(["Nothing stops.", "tip" + " word" * 500]), "tip")


def test_a_text_and_a_mail_are_sent_by_the_tools_of_their_apps() -> None:
    both = [messages.message(by, "ann@a.example", "5550001", "Money", "now") for by in ("text", "mail")]
    assert [call["tool"] for call in messages.send_calls(*both)] == ["phone__send_text_message", "gmail__send_email"]


def test_shares_are_recorded_in_cents_and_read_back() -> None:
    row = debts.expense("Tram", "ann@a.example", {"ann@a.example": 451, "ben@a.example": 450, "cleo@a.example": 0}, 4)
    assert (row["paid_amount"], debts.shares(row)) == (9.01, {"ann@a.example": 451, "ben@a.example": 450})


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


@dataclass
class Sent:
    """A session that sent these texts, by number."""

    texts: list[tuple[str, str]]
    apps = ("phone",)

    def changed_rows(self, app: str, table: str) -> dict[int, tuple[None, dict[str, str]]]:
        return {at: (None, {"receiver": to, "message": said}) for at, (to, said) in enumerate(self.texts)}


def test_who_was_written_to_and_hears_one_thing_and_no_heap() -> None:
    people = {"ann": ["5550001"], "ben": ["5550002"]}
    sent = Sent([("5550001", "The LIST is there"), ("5550002", "list " * 300)])
    assert messages.heard(sent, people, "ann", "list")
    assert messages.heard(sent, people, "ann", ["songs", "list"])
    assert not messages.heard(sent, people, "ann", "rain")
    assert not messages.heard(sent, people, "ben", "list")
    assert messages.seldom(sent, people)
    assert not messages.seldom(Sent([("5550001", "now")] * 3), people)


@pytest.mark.parametrize(
    ("now", "line"),
    [
        ("# Log\n| 1 | a |\n| 2 | b |\n", "| 2 | b |"),
        ("# Log\n\n| 1 | a |\n2 | b", "2 | b"),
        ("# Log\n| 1 | a |\n| 2 | b |\n| 3 | c |\n", ""),
        ("# Log\n| 2 | b |\n", ""),
        ("# Log\n| 1 | a |\n", ""),
    ],
)
def test_a_log_gains_one_line_and_keeps_the_others(now: str, line: str) -> None:
    assert logs.gained_line("# Log\n| 1 | a |\n", now) == line


def test_one_is_reached_and_another_is_not() -> None:
    sent = Sent([("5550001", "now"), ("5550002", "later")])
    assert messages.reaches(sent, "5550001", "5550003")
    assert not messages.reaches(sent, "5550001", "5550002")
    assert not messages.reaches(sent, "5550003", "5550004")


@dataclass
class Files:
    texts: dict[str, str]

    def text(self, path: str) -> str | None:
        return self.texts.get(path)


@dataclass
class Session(Files):
    start: Files = field(default_factory=lambda: Files({}))
    apps: dict[str, Any] = field(default_factory=dict)
    rows: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)

    @property
    def changed(self) -> set[str]:
        return {path for path, text in self.texts.items() if text != self.start.text(path)}

    def changed_rows(self, app: str, table: str) -> dict[int, tuple[None, dict[str, Any]]]:
        return {key: (None, row) for key, row in enumerate(self.rows.get((app, table), []))}


def _mail(*to: str, body: str = "Plate B is run again.") -> dict[str, Any]:
    return {"recipients": [*to], "subject": "Plates", "body": body}


def _left(session: Session) -> bool:
    return messages.left_word(session, ["siri", "5550261013"], ["plate b", ["again", "repeat"]], ["assay/results/"])


@pytest.mark.parametrize(
    ("files", "rows"),
    [
        ({"assay/for-siri.txt": "Plate B again."}, {}),
        ({"notes/today.md": "Siri: plate B is to be repeated."}, {}),
        ({"notes/old.md": "It was so.\nSiri: plate B again."}, {}),
        ({}, {("gmail", "emails"): [_mail("siri.kolstad@lab.example")]}),
        ({}, {("gmail", "drafts"): [_mail("siri.kolstad@lab.example")]}),
        ({}, {("gmail", "drafts"): [_mail(body="Dear Siri, plate B is run again.")]}),
        ({}, {("phone", "messages"): [{"receiver": "5550261013", "message": "plate B again"}]}),
        ({}, {("todoist", "task_comments"): [{"content": "Siri, plate B again"}]}),
    ],
)
def test_a_word_may_be_left_in_any_way(files: dict[str, str], rows: Any) -> None:
    apps = dict.fromkeys(("gmail", "phone", "todoist"))
    assert _left(Session(files, Files({"notes/old.md": "It was so."}), apps, rows))


@pytest.mark.parametrize(
    ("files", "rows"),
    [
        ({}, {}),
        ({"assay/results/siri.csv": "plate b,again"}, {}),
        ({"assay/for-siri.txt": "Plate A again."}, {}),
        ({"assay/for-pavel.txt": "Plate B again."}, {}),
        ({"assay/for-siri.txt": "Plate B again." + " and so on" * 100}, {}),
        ({"notes/old.md": "Siri asked of plate B again."}, {}),
        ({}, {("gmail", "emails"): [_mail("pavel@lab.example", body="Siri says that plate B is run again.")]}),
    ],
)
def test_what_is_no_word_to_somebody_is_none(files: dict[str, str], rows: Any) -> None:
    old = Files({"notes/old.md": "Siri asked of plate B again."})
    assert not _left(Session(files, old, dict.fromkeys(("gmail",)), rows))
