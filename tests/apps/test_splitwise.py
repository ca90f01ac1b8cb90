"""Splitwise: signing in, people, groups and balances; each operation, and each error that it documents."""

from __future__ import annotations

from typing import Any

import pytest
from support.apps import app_context, done, refused

from pi_gym.tools import ToolContext

IDA, PER, TOVE, OLAV = (f"{name}@notes.example" for name in ("ida", "per", "tove", "olav"))
PASSWORDS = {IDA: "oven", PER: "flour", TOVE: "salt", OLAV: "yeast"}
NEEDS_SIGN_IN: dict[str, dict[str, Any]] = {
    "search_users": {},
    "show_groups": {},
    "show_group": {"group_id": 1},
    "create_group": {"name": "x", "member_emails": []},
    "add_member_to_group": {"group_id": 1, "user_email": OLAV},
    "record_expense": {"description": "x", "paid_amount": 1.0, "payer_email": IDA, "debtor_emails": [PER]},
    "update_expense": {"expense_id": 1, "description": "x"},
    "delete_expense": {"expense_id": 1},
    "show_group_expenses": {"group_id": 1},
    "show_group_balance": {},
    "show_people_balance": {},
    "show_person_balance": {"email": PER},
}


def splitwise(email: str = IDA, **options: Any) -> ToolContext:
    """A context in which somebody has signed in to Splitwise."""
    context = app_context("splitwise", **options)
    done(context, "splitwise__login", username=email, password=PASSWORDS[email])
    return context


def balances(context: ToolContext) -> dict[str, float]:
    return {one["email"]: one["balance"] for one in done(context, "splitwise__show_people_balance")["people"]}


@pytest.mark.parametrize("operation", NEEDS_SIGN_IN)
def test_nothing_is_open_before_one_signs_in(operation: str) -> None:
    text = refused(app_context("splitwise"), f"splitwise__{operation}", **NEEDS_SIGN_IN[operation])
    assert "Sign in first: splitwise__login(username, password)" in text


def test_login_says_what_is_wrong() -> None:
    context = app_context("splitwise")
    assert "Wrong password" in refused(context, "splitwise__login", username=IDA, password="flour")
    assert "no account with the e-mail address" in refused(context, "splitwise__login", username="x@y", password="x")


def test_people_are_found_by_name_and_address() -> None:
    context = splitwise()
    found = done(context, "splitwise__search_users", query="third")
    assert found["users"] == [{"name": "Tove Third", "email": TOVE}]
    everybody = done(context, "splitwise__search_users")
    assert [one["name"] for one in everybody["users"]] == ["Ida Note", "Olav Fourth", "Per Other", "Tove Third"]
    assert "Try fewer or other words" in done(context, "splitwise__search_users", query="zeppelin")["message"]


# -- groups -----------------------------------------------------------------------------------------------------------


def test_one_sees_ones_own_groups_and_the_deleted_ones_apart() -> None:
    context = splitwise()
    live = done(context, "splitwise__show_groups")
    assert [(group["group_id"], group["name"]) for group in live["groups"]] == [(1, "Bakery")]
    gone = done(context, "splitwise__show_groups", delete=True)
    assert [(group["group_id"], group["deleted"]) for group in gone["groups"]] == [(2, True)]
    done(context, "splitwise__login", username=OLAV, password="yeast")
    assert "in no deleted group" in done(context, "splitwise__show_groups", delete=True)["message"]


def test_a_group_shows_members_and_what_was_spent() -> None:
    shown = done(splitwise(), "splitwise__show_group", group_id=1)
    assert shown["members"][0] == {"name": "Ida Note", "email": IDA}
    assert [one["email"] for one in shown["members"]] == [IDA, PER, TOVE]
    assert (shown["expenses"], shown["total_amount"], shown["deleted"]) == (3, 172.5, False)


def test_deleted_expenses_do_not_count_in_a_deleted_group() -> None:
    shown = done(splitwise(), "splitwise__show_group", group_id=2)
    assert (shown["expenses"], shown["total_amount"], shown["deleted"]) == (0, 0.0, True)


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("show_group", {}),
        ("show_group_expenses", {}),
        ("show_group_balance", {}),
        ("add_member_to_group", {"user_email": IDA}),
    ],
)
@pytest.mark.parametrize("group_id", [3, 99, -1])
def test_groups_of_others_are_not_there(operation: str, arguments: dict[str, Any], group_id: int) -> None:
    text = refused(splitwise(), f"splitwise__{operation}", group_id=group_id, **arguments)
    assert f"You are in no group with the id {group_id}. Your groups by group_id: 1 (Bakery)." in text
    assert "Rowing" not in text


def test_whoever_makes_a_group_is_in_it() -> None:
    context = splitwise(clock="2026-04-01T09:00:00")
    made = done(
        context, "splitwise__create_group", name=" Fair ", member_emails=["OLAV@notes.example", IDA, OLAV],
        description="One day",
    )  # fmt: skip
    assert made == {"message": "Group created.", "group_id": 100_001, "member_emails": [IDA, OLAV]}
    newest = done(context, "splitwise__show_groups")["groups"][0]
    assert (newest["name"], newest["description"], newest["created_at"]) == ("Fair", "One day", "2026-04-01T09:00:00")
    done(context, "splitwise__login", username=OLAV, password="yeast")
    assert "Fair" in [group["name"] for group in done(context, "splitwise__show_groups")["groups"]]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"name": " "}, "name is empty"),
        ({"name": "x" * 101}, "at most 100 are possible"),
        ({"description": "x" * 401}, "at most 400 are possible"),
        ({"member_emails": ["lise@notes.example"]}, "no account with the e-mail address 'lise@notes.example'"),
    ],
)
def test_wrong_groups_are_refused(arguments: dict[str, Any], says: str) -> None:
    given = {"name": "Fair", "member_emails": [PER], **arguments}
    assert says in refused(splitwise(), "splitwise__create_group", **given)


def test_a_new_member_sees_the_group_and_owes_nothing() -> None:
    context = splitwise()
    added = done(context, "splitwise__add_member_to_group", group_id=1, user_email=OLAV)
    assert added["member_emails"] == [IDA, PER, TOVE, OLAV]
    done(context, "splitwise__login", username=OLAV, password="yeast")
    assert done(context, "splitwise__show_group_expenses", group_id=1)["total"] == 3
    assert done(context, "splitwise__show_group_balance", group_id=1)["your_balance"] == 0.0


@pytest.mark.parametrize(
    ("group_id", "email", "says"),
    [
        (1, PER, "is in the group 'Bakery' already"),
        (1, "lise@notes.example", "no account"),
        (2, OLAV, "was deleted"),
    ],
)
def test_wrong_members_are_refused(group_id: int, email: str, says: str) -> None:
    text = refused(splitwise(), "splitwise__add_member_to_group", group_id=group_id, user_email=email)
    assert says in text


# -- balances ---------------------------------------------------------------------------------------------------------


def test_balances_follow_from_the_expenses_to_the_cent() -> None:
    context = splitwise()
    assert done(context, "splitwise__show_people_balance") == {
        "total_balance": 16.16,
        "people": [
            {"email": OLAV, "name": "Olav Fourth", "balance": -10.5},
            {"email": PER, "name": "Per Other", "balance": -6.67},
            {"email": TOVE, "name": "Tove Third", "balance": 33.33},
        ],
    }
    done(context, "splitwise__login", username=PER, password="flour")
    assert balances(context) == {IDA: 6.67, OLAV: 70.0, TOVE: -6.25}


def test_a_persons_balance_is_shown_group_by_group() -> None:
    context = splitwise(PER)
    assert done(context, "splitwise__show_person_balance", email=" OLAV@notes.example") == {
        "email": OLAV,
        "name": "Olav Fourth",
        "balance": 70.0,
        "groups": [
            {"group_id": 0, "group_name": "outside groups", "balance": 30.0},
            {"group_id": 3, "group_name": "Rowing", "balance": 40.0},
        ],
    }


def test_a_person_with_whom_nothing_was_shared_is_even() -> None:
    context = splitwise(TOVE)
    shown = done(context, "splitwise__show_person_balance", email=OLAV)
    assert (shown["balance"], shown["groups"]) == (0.0, [])
    assert "That is your own address" in refused(context, "splitwise__show_person_balance", email=TOVE)
    assert "search_users finds people" in refused(context, "splitwise__show_person_balance", email="x@y")


def test_a_groups_balance_counts_that_group_alone() -> None:
    context = splitwise()
    shown = done(context, "splitwise__show_group_balance", group_id=1)
    assert (shown["group_name"], shown["your_balance"]) == ("Bakery", 26.66)
    assert {one["email"]: one["balance"] for one in shown["members"]} == {PER: -6.67, TOVE: 33.33}
    one = done(context, "splitwise__show_group_balance", group_id=1, email=TOVE)
    assert [(member["email"], member["balance"]) for member in one["members"]] == [(TOVE, 33.33)]
    assert one["your_balance"] == 33.33
    outside = done(context, "splitwise__show_group_balance", group_id=0)
    assert (outside["your_balance"], outside["members"][0]["email"]) == (-10.5, OLAV)


def test_without_a_group_all_groups_are_shown() -> None:
    context = splitwise()
    assert [one["group_id"] for one in done(context, "splitwise__show_group_balance")["groups"]] == [1, 0]
    olav = done(context, "splitwise__show_group_balance", email=OLAV)["groups"]
    assert [(one["group_id"], one["your_balance"]) for one in olav] == [(0, -10.5)]


def test_wrong_members_of_a_balance_are_explained() -> None:
    text = refused(splitwise(), "splitwise__show_group_balance", group_id=1, email=OLAV)
    assert f"{OLAV} is not in the group 'Bakery'; its members: {IDA}, {PER}, {TOVE}." in text
    assert "own address" in refused(splitwise(), "splitwise__show_group_balance", group_id=1, email=IDA)
