"""The phone's seed world: the people that all apps know, and what they wrote each other in two years."""

from __future__ import annotations

from calendar import month_name
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.apps import app_context, done

from pi_gym import load_pack
from pi_gym.tools import ToolContext

SEEDS = Path(__file__).parents[2] / "envs" / "researcher" / "world"
NORA = "5550142001"
OLDER_ENTRIES = {"Elias Lindqvist", "Priya Raman", "Silje Brun"}


def read(name: str) -> Any:
    return yaml.safe_load((SEEDS / f"{name}.yaml").read_text("utf-8"))


@pytest.fixture(scope="module")
def rows() -> Any:
    return load_pack("researcher").app_seeds.rows("phone")


@pytest.fixture(scope="module")
def people() -> dict[str, dict[str, Any]]:
    return read("people")


@pytest.fixture(scope="module")
def phone() -> ToolContext:
    pack = load_pack("researcher")
    context = app_context("phone", pack=pack)
    account = next(one for one in pack.persona.accounts if one.app == "phone")
    done(context, "phone__login", username=account.username, password=account.password)
    return context


def test_everybody_has_an_account_with_their_own_number(rows: Any, people: Any) -> None:
    assert [(key, row["first_name"], row["email"], row["phone_number"]) for key, row in rows["accounts"].items()] == [
        (at, one["first_name"], one["email"], one["phone_number"]) for at, one in enumerate(people.values(), start=1)
    ]
    assert len({row["password"] for row in rows["accounts"].values()}) == len(rows["accounts"])


def own_contacts(rows: Any) -> Iterator[dict[str, Any]]:
    return (row for row in rows["contacts"].values() if row["account"] == 1)


def test_contacts_are_the_people_that_nora_has_in_her_phone(rows: Any, people: Any) -> None:
    by_number = {row["phone_number"]: row for row in own_contacts(rows)}
    assert len(by_number) == len(list(own_contacts(rows)))
    for key, one in people.items():
        expected = one.get("contact", True) and key != "nora"
        assert (one["phone_number"] in by_number) == expected, key
        if expected:
            contact = by_number[one["phone_number"]]
            assert (contact["first_name"], contact["email"]) == (one["first_name"], one["email"])
            assert contact["last_name"] in (one["last_name"], "")
            assert one["home"] in (contact["home_address"], contact["work_address"])
            assert contact["relationships"]


def test_some_contacts_have_an_older_entry_beside_and_some_lack_a_surname(rows: Any, people: Any) -> None:
    names = Counter(f"{row['first_name']} {row['last_name']}" for row in own_contacts(rows))
    assert {name for name, count in names.items() if count > 1} == OLDER_ENTRIES
    known = {one["phone_number"] for one in people.values()}
    assert sum(not row["last_name"] and row["phone_number"] in known for row in own_contacts(rows)) >= 3


def test_birthdays_are_those_that_nora_noted(rows: Any) -> None:
    notes = load_pack("researcher").app_seeds.rows("simple_note")["notes"].values()
    noted = next(note["content"] for note in notes if note["title"] == "Birthdays").rstrip(".").split(", ")
    known = {row["first_name"]: row["birthday"] for row in own_contacts(rows) if row["birthday"]}
    known["Mum"] = known.pop("Eva")
    assert noted == [
        f"{name} {date.fromisoformat(known[name]).day} {month_name[date.fromisoformat(known[name]).month]}"
        for name in (entry.split()[0] for entry in noted)
    ]
    assert len(noted) == len(known)


def test_there_are_two_years_of_messages_with_some_thirty_people(rows: Any) -> None:
    messages = list(rows["messages"].values())
    own = [row for row in messages if NORA in (row["sender"], row["receiver"])]
    assert 1_100 <= len(own) <= 2_000
    others = Counter(row["receiver"] if row["sender"] == NORA else row["sender"] for row in own)
    assert len(others) >= 30
    assert others.most_common(1)[0][1] < len(own) / 5
    assert "2024-03-04" <= min(row["sent_at"] for row in messages) < "2024-03-15"
    assert "2026-02-25" < max(row["sent_at"] for row in messages) < "2026-02-28"
    assert [row["sent_at"] for row in messages] == sorted(row["sent_at"] for row in messages)


def test_messages_are_told_one_by_one_more_than_they_repeat(rows: Any) -> None:
    texts = Counter(row["message"] for row in rows["messages"].values())
    assert sum(count for _, count in texts.items() if count == 1) > 0.6 * sum(texts.values())
    assert max(texts.values()) <= 5
    written = [line for thread in read("phone")["threads"] for line in thread["text"].splitlines()]
    assert len(written) >= 300
    assert len(set(written)) > 0.98 * len(written)


def test_numbers_are_somebodys(rows: Any) -> None:
    accounts = {row["phone_number"] for row in rows["accounts"].values()}
    contacts = {row["phone_number"] for row in rows["contacts"].values()}
    for row in rows["messages"].values():
        assert {row["sender"], row["receiver"]} <= accounts | contacts
        assert row["sender"] != row["receiver"]
    assert all(number.isdigit() and number.startswith("555") for number in accounts | contacts)


def test_events_are_talked_about_by_those_who_were_there(rows: Any, people: Any) -> None:
    silent = []
    for event in read("life")["events"]:
        numbers = {people[key]["phone_number"] for key in event["with"]}
        around = [(date.fromisoformat(event["date"]) + timedelta(days=days)).isoformat() for days in (-12, 12)]
        if not any(
            around[0] <= row["sent_at"][:10] <= around[1] and numbers & {row["sender"], row["receiver"]}
            for row in rows["messages"].values()
        ):
            silent.append(event["key"])
    assert silent == []


def test_meter_readings_only_grow(rows: Any, people: Any) -> None:
    henrik = people["henrik"]["phone_number"]
    texts = [row["message"] for row in rows["messages"].values() if (row["sender"], row["receiver"]) == (NORA, henrik)]
    digits = [int("".join(letter for letter in text if letter.isdigit())[-5:]) for text in texts if "4" in text]
    readings = [number for number in digits if 40_000 <= number < 50_000]
    assert len(readings) == 8
    assert readings == sorted(readings)


def test_alarms_are_some_on_and_some_off(rows: Any) -> None:
    own = [row for row in rows["alarms"].values() if row["account"] == 1]
    assert len(own) >= 8
    assert 2 <= sum(not row["enabled"] for row in own) < len(own) / 2


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ("printer code new server", "9052"),
        ("cardamom spoons", "two"),
        ("wind shield", "wind shield"),
        ("rent september", "10,200"),
        ("hand-in July", "6 July"),
        ("check-up address", "Havnegata 12"),
        ("foyer demo", "foyer"),
        ("bread knife", "knife"),
        ("hazelnuts", "hazelnuts"),
    ],
)
def test_messages_are_found(phone: ToolContext, query: str, part: str) -> None:
    found = done(phone, "phone__search_text_messages", query=query)["text_messages"]
    assert any(part.casefold() in one["message"].casefold() for one in found), found


def test_a_window_of_the_porto_days_is_the_talk_of_those_days(phone: ToolContext, people: Any) -> None:
    found = done(
        phone, "phone__show_text_message_window", phone_number=people["priya"]["phone_number"],
        min_datetime="2025-06-09", max_datetime="2025-06-12", pagination_order="ascending", page_limit=20,
    )["text_messages"]  # fmt: skip
    assert "taxi" in found[0]["message"]
    assert "platform 1" in found[-1]["message"]


def test_what_others_write_each_other_is_not_noras(phone: ToolContext) -> None:
    found = done(phone, "phone__search_text_messages", query="lighthouse flour hide signed", page_limit=20)
    assert all("flour" not in one["message"] or one["receiver"]["name"] == "Nora Lindqvist"
               or one["sender"]["name"] == "Nora Lindqvist" for one in found["text_messages"])  # fmt: skip
    assert not any("it lies in the flour" in one["message"] for one in found["text_messages"])
    latest = done(phone, "phone__search_text_messages", only_latest_per_contact=True, page_limit=20)
    assert latest["total"] >= 30


def test_nothing_ordinary_is_said_while_nora_is_away(rows: Any) -> None:
    seeds = read("phone")
    told = "\n".join(thread["text"] for thread in seeds["threads"])
    assert len(seeds["away"]) >= 5
    for first, last in seeds["away"]:
        said = [row for row in rows["messages"].values() if first <= row["sent_at"][:10] <= last]
        assert not [row for row in said if row["message"] not in told]


@pytest.mark.parametrize(
    ("words", "before"),
    [("lunch?", "13"), ("at twelve, lotte", "12"), ("talk at five", "16"), ("come by at noon", "12")],
)
def test_what_is_said_fits_the_time_of_day(rows: Any, words: str, before: str) -> None:
    said = [row for row in rows["messages"].values() if words in row["message"]]
    assert said
    assert all(row["sent_at"][11:13] < before for row in said)
