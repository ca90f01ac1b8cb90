"""Splitwise's expenses: each operation, and each error that it documents."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.apps import app_context, done, refused

from pi_gym.apps.splitwise.shares import are_equal, shares
from pi_gym.tools import ToolContext

IDA, PER, TOVE, OLAV = (f"{name}@notes.example" for name in ("ida", "per", "tove", "olav"))
PASSWORDS = {IDA: "oven", PER: "flour", TOVE: "salt", OLAV: "yeast"}
DINNER: dict[str, Any] = {
    "description": "Dinner", "paid_amount": 100.0, "payer_email": IDA, "debtor_emails": [IDA, PER, TOVE], "group_id": 1,
}  # fmt: skip


def splitwise(email: str = IDA, **options: Any) -> ToolContext:
    context = app_context("splitwise", **options)
    done(context, "splitwise__login", username=email, password=PASSWORDS[email])
    return context


def record(context: ToolContext, **arguments: Any) -> Any:
    return done(context, "splitwise__record_expense", **{**DINNER, **arguments})


def listed(context: ToolContext, group_id: int = 1, **arguments: Any) -> list[int]:
    found = done(context, "splitwise__show_group_expenses", group_id=group_id, page_limit=20, **arguments)
    return [one["expense_id"] for one in found["expenses"]]


def balance(context: ToolContext, email: str) -> float:
    return float(done(context, "splitwise__show_person_balance", email=email)["balance"])


# -- recording --------------------------------------------------------------------------------------------------------


def test_an_expense_is_split_equally_to_the_cent() -> None:
    context = splitwise(clock="2026-04-01T09:00:00")
    made = record(context, description=" Dinner ", payer_email="IDA@notes.example")
    assert made == {
        "message": "Expense recorded.",
        "expense_id": 100_001,
        "description": "Dinner",
        "paid_amount": 100.0,
        "payer_email": IDA,
        "debtor_emails": [IDA, PER, TOVE],
        "debt_amounts": [33.34, 33.33, 33.33],
        "creator_email": IDA,
        "deleted": False,
        "created_at": "2026-04-01T09:00:00",
        "updated_at": "2026-04-01T09:00:00",
        "group_id": 1,
        "receipt": None,
    }
    assert balance(context, PER) == pytest.approx(-6.67 + 33.33)
    assert listed(context)[0] == 100_001


def test_given_shares_are_kept_and_the_payer_need_not_take_one() -> None:
    context = splitwise()
    record(context, debtor_emails=[PER, TOVE], debt_amounts=[99.99, 0.01])
    assert balance(context, PER) == pytest.approx(93.32)
    assert balance(context, TOVE) == pytest.approx(33.34)


def test_a_payment_settles_a_debt() -> None:
    context = splitwise()
    record(context, description="Settled", paid_amount=6.67, payer_email=IDA, debtor_emails=[PER])
    assert balance(context, PER) == 0.0


def test_expenses_outside_groups_need_oneself() -> None:
    context = splitwise()
    made = record(context, group_id=None, debtor_emails=[OLAV, IDA])
    assert made["group_id"] is None
    assert listed(context, 0, sort_by="+created_at") == [made["expense_id"], 6]
    text = refused(context, "splitwise__record_expense", **{**DINNER, "group_id": 0, "payer_email": PER,
                                                            "debtor_emails": [OLAV]})  # fmt: skip
    assert "Outside groups you must take part yourself" in text


def test_a_member_may_record_what_others_of_the_group_shared() -> None:
    context = splitwise()
    record(context, payer_email=PER, debtor_emails=[TOVE])
    done(context, "splitwise__login", username=TOVE, password="salt")
    assert balance(context, PER) == pytest.approx(-100.0 + 6.25)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"description": " "}, "description is empty"),
        ({"description": "x" * 201}, "at most 200 are possible"),
        ({"paid_amount": 0.0}, "paid_amount must be"),
        ({"paid_amount": -5.0}, "paid_amount must be"),
        ({"paid_amount": 1.005}, "more than two decimals"),
        ({"paid_amount": 0.02}, "cannot be split among 3 people"),
        ({"payer_email": "lise@notes.example"}, "payer_email: Splitwise has no account"),
        ({"debtor_emails": [PER, "lise@notes.example"]}, "debtor_emails: Splitwise has no account"),
        ({"debtor_emails": []}, "debtor_emails is empty"),
        ({"debtor_emails": [IDA]}, "Only the payer takes a share"),
        ({"debtor_emails": [PER, "PER@notes.example"]}, f"names {PER} more than once"),
        ({"debtor_emails": [PER, OLAV]}, f"Not in the group 'Bakery' (group_id 1): {OLAV}. Its members: {IDA}"),
        ({"payer_email": OLAV}, f"Not in the group 'Bakery' (group_id 1): {OLAV}"),
        ({"debt_amounts": [50.0, 50.0]}, "debt_amounts has 2 amounts for 3 people"),
        ({"debt_amounts": [50.0, 40.0, 9.99]}, "add up to 99.99, but paid_amount is 100.00"),
        ({"debt_amounts": [50.0, 50.0, 0.0]}, "debt_amounts[2] must be"),
        ({"group_id": 2}, "was deleted"),
        ({"group_id": 3}, "You are in no group with the id 3"),
        ({"receipt_file_path": "~/missing.txt"}, "There is no file 'missing.txt'"),
    ],
)
def test_wrong_expenses_are_refused(arguments: dict[str, Any], says: str) -> None:
    assert says in refused(splitwise(), "splitwise__record_expense", **{**DINNER, **arguments})


def test_a_receipt_is_the_file_as_it_was() -> None:
    context = splitwise()
    context.workspace.write("bills/dinner.txt", b"fish 100")
    made = record(context, receipt_file_path="~/bills/dinner.txt", file_system_access_token="x")
    assert made["receipt"] == {"file_name": "dinner.txt", "bytes": 8}
    context.workspace.write("bills/dinner.txt", b"changed")
    (row,) = (row for _, row in context.world.apps["splitwise"].table("attachments").where(record=made["expense_id"]))
    assert (row["text"], row["path"]) == ("fish 100", "bills/dinner.txt")
    first = done(context, "splitwise__show_group_expenses", group_id=1, query="firewood")["expenses"][0]
    assert first["receipt"] == {"file_name": "wood.txt", "bytes": 9}


@given(st.integers(1, 100_000_000), st.integers(1, 50))
def test_equal_shares_add_up_and_differ_by_a_cent_at_most(whole: int, people: int) -> None:
    if whole < people:
        return
    made = [round(share * 100) for share in shares(whole / 100, people, None)]
    assert sum(made) == whole
    assert max(made) - min(made) <= 1
    assert are_equal(whole / 100, [share / 100 for share in made])


# -- lists ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, [3, 2, 1]),
        ({"query": "salt"}, [1, 3]),
        ({"query": "oars"}, []),
        ({"participant_email": IDA}, [2, 1]),
        ({"participant_email": TOVE}, [3, 1]),
        ({"min_amount": 12.5, "max_amount": 60.0}, [3, 2]),
        ({"min_created_at": "2026-01-06"}, [3, 2]),
        ({"max_created_at": "2026-01-06"}, [2, 1]),
        ({"deleted": True}, []),
        ({"sort_by": "+paid_amount"}, [3, 2, 1]),
        ({"sort_by": "+description"}, [2, 1, 3]),
    ],
)
def test_expenses_are_filtered_and_sorted(arguments: dict[str, Any], found: list[int]) -> None:
    assert listed(splitwise(), **arguments) == found


def test_expenses_outside_groups_are_ones_own() -> None:
    assert listed(splitwise(), 0) == [6]
    assert listed(splitwise(OLAV), 0) == [7, 6]
    assert listed(splitwise(TOVE), 0) == []


def test_expenses_of_a_deleted_group_stay_visible_as_deleted() -> None:
    assert listed(splitwise(), 2, deleted=True) == [4]
    assert listed(splitwise(), 2) == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"min_amount": 5.0, "max_amount": 1.0}, "nothing can be between"),
        ({"participant_email": "x@y"}, "participant_email: Splitwise has no account"),
        ({"min_created_at": "May"}, "min_created_at must be"),
        ({"sort_by": "+payer"}, "one of: created_at, updated_at, paid_amount, description"),
        ({"page_limit": 0}, "between 1 and 20"),
    ],
)
def test_wrong_filters_are_explained(arguments: dict[str, Any], says: str) -> None:
    assert says in refused(splitwise(), "splitwise__show_group_expenses", group_id=1, **arguments)


# -- changing ---------------------------------------------------------------------------------------------------------


def update(context: ToolContext, expense_id: int, **arguments: Any) -> Any:
    return done(context, "splitwise__update_expense", expense_id=expense_id, **arguments)


def test_update_changes_what_is_given_and_no_more() -> None:
    context = splitwise(clock="2026-04-02T10:00:00")
    changed = update(context, 2, description="Logs")
    assert (changed["description"], changed["debt_amounts"], changed["paid_amount"]) == ("Logs", [40.0, 20.0], 60.0)
    assert (changed["created_at"], changed["updated_at"]) == ("2026-01-06T09:00:00", "2026-04-02T10:00:00")
    changed = update(context, 2, payer_email=IDA)
    assert (changed["payer_email"], changed["debt_amounts"]) == (IDA, [40.0, 20.0])
    assert balance(context, PER) == pytest.approx(33.33 + 20.0)


def test_a_new_amount_or_new_people_split_anew() -> None:
    context = splitwise()
    assert update(context, 1, paid_amount=10.0)["debt_amounts"] == [3.34, 3.33, 3.33]
    assert update(context, 2, debtor_emails=[IDA, TOVE])["debt_amounts"] == [30.0, 30.0]
    changed = update(context, 2, paid_amount=50.0, debt_amounts=[20.0, 30.0])
    assert (changed["debtor_emails"], changed["debt_amounts"]) == ([IDA, TOVE], [20.0, 30.0])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "Nothing to change"),
        ({"paid_amount": 80.0}, "The shares were not equal (40.00, 20.00); give debt_amounts that add up to 80.00"),
        ({"debt_amounts": [1.0, 2.0]}, "add up to 3.00, but paid_amount is 60.00"),
        ({"debtor_emails": [PER]}, "Only the payer takes a share"),
        ({"debtor_emails": [OLAV]}, "Not in the group 'Bakery'"),
        ({"payer_email": "x@y"}, "payer_email: Splitwise has no account"),
        ({"description": ""}, "description is empty"),
    ],
)
def test_wrong_changes_are_refused(arguments: dict[str, Any], says: str) -> None:
    assert says in refused(splitwise(), "splitwise__update_expense", expense_id=2, **arguments)


def test_deleted_expenses_stay_visible_and_count_nothing() -> None:
    context = splitwise(clock="2026-04-02T10:00:00")
    done(context, "splitwise__delete_expense", expense_id=2)
    assert listed(context) == [3, 1]
    gone = done(context, "splitwise__show_group_expenses", group_id=1, deleted=True)["expenses"]
    assert [(one["expense_id"], one["deleted"], one["updated_at"]) for one in gone] == [
        (2, True, "2026-04-02T10:00:00")
    ]
    assert balance(context, PER) == 33.33
    assert "is deleted and stays so" in refused(context, "splitwise__delete_expense", expense_id=2)
    assert "is deleted and stays so" in refused(context, "splitwise__update_expense", expense_id=2, description="x")


@pytest.mark.parametrize(("operation", "arguments"), [("update_expense", {"description": "x"}), ("delete_expense", {})])
@pytest.mark.parametrize(
    ("expense_id", "says"),
    [
        (3, f"You have no part in the expense 3 ('Sack of salt'), so you cannot change it; its payer {TOVE} can."),
        (5, "There is no expense with the id 5."),
        (7, "There is no expense with the id 7."),
        (99, "splitwise__show_group_expenses finds ids"),
    ],
)
def test_only_who_has_a_part_may_change(operation: str, arguments: dict[str, Any], expense_id: int, says: str) -> None:
    text = refused(splitwise(), f"splitwise__{operation}", expense_id=expense_id, **arguments)
    assert says in text
    assert "Oars" not in text


def test_who_recorded_an_expense_of_others_may_delete_it() -> None:
    context = splitwise()
    made = record(context, payer_email=PER, debtor_emails=[TOVE])
    done(context, "splitwise__delete_expense", expense_id=made["expense_id"])


def test_a_page_of_shared_expenses_can_be_shown() -> None:
    context = splitwise()
    for _ in range(20):
        record(context, description="y" * 200)
    found = done(context, "splitwise__show_group_expenses", group_id=1, page_limit=20)
    assert len(found["expenses"]) == 20
    assert len(str(found)) < 16_000
