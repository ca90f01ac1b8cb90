"""Splitwise's seed world: the groups and expenses that all apps know, and balances that follow from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from support.apps import app_context, done

from pi_gym import load_pack
from pi_gym.apps.money import split
from pi_gym.tools import ToolContext

SEEDS = Path(__file__).parents[2] / "envs" / "researcher" / "world"
NORA = "nora.lindqvist@halden-it.example"
LAST_SESSIONLESS_DAY = "2026-02-28"


def read(name: str) -> Any:
    return yaml.safe_load((SEEDS / f"{name}.yaml").read_text("utf-8"))


@pytest.fixture(scope="module")
def rows() -> Any:
    return load_pack("researcher").app_seeds.rows("splitwise")


@pytest.fixture(scope="module")
def emails() -> dict[str, str]:
    return {key: one["email"] for key, one in read("people").items()}


@pytest.fixture(scope="module")
def splitwise() -> ToolContext:
    pack = load_pack("researcher")
    context = app_context("splitwise", pack=pack)
    account = next(one for one in pack.persona.accounts if one.app == "splitwise")
    done(context, "splitwise__login", username=account.username, password=account.password)
    return context


def cents(amount: float) -> int:
    return round(amount * 100)


def test_everybody_has_an_account(rows: Any, emails: dict[str, str]) -> None:
    assert [row["email"] for row in rows["accounts"].values()] == list(emails.values())
    assert len({row["password"] for row in rows["accounts"].values()}) > 30


def test_what_all_apps_know_was_shared_as_they_know_it(rows: Any, emails: dict[str, str]) -> None:
    life = read("life")
    names = {group["key"]: group["name"] for group in life["groups"]}
    for known in life["expenses"]:
        (row,) = (
            row
            for row in rows["expenses"].values()
            if (row["description"], row["created_at"][:10]) == (known["what"], known["date"]) and not row["deleted"]
        )
        assert (row["paid_amount"], row["payer_email"]) == (known["amount"], emails[known["paid_by"]])
        assert row["debtor_emails"] == [emails[key] for key in known["between"]]
        assert [cents(one) for one in row["debt_amounts"]] == split(cents(known["amount"]), len(known["between"]))
        assert bool(row["group_id"]) == ("group" in known)
        if "group" in known:
            assert rows["groups"][row["group_id"]]["name"] == names[known["group"]]
    for group in life["groups"]:
        (row,) = (row for row in rows["groups"].values() if row["name"] == group["name"])
        assert sorted(row["member_emails"]) == sorted([NORA, *(emails[key] for key in group["with"])])


def test_there_is_more_than_that(rows: Any) -> None:
    own = [row for row in rows["expenses"].values() if NORA in (row["payer_email"], *row["debtor_emails"])]
    assert len(own) >= 60
    assert sum(row["deleted"] for row in own) >= 5
    assert len({row["description"] for row in own}) > 0.85 * len(own)
    assert sum(NORA in group["member_emails"] for group in rows["groups"].values()) >= 5
    assert any(NORA not in group["member_emails"] for group in rows["groups"].values())


def test_everybody_who_is_named_belongs_there(rows: Any) -> None:
    for group in rows["groups"].values():
        assert group["creator_email"] == group["member_emails"][0]
    for row in rows["expenses"].values():
        named = {row["payer_email"], row["creator_email"], *row["debtor_emails"]}
        assert "2024-03-04" <= row["created_at"] <= row["updated_at"] < LAST_SESSIONLESS_DAY
        if row["group_id"]:
            group = rows["groups"][row["group_id"]]
            assert named <= set(group["member_emails"])
            assert group["created_at"] <= row["created_at"]
            assert row["deleted"] or not group["deleted"]
    for file in rows["attachments"].values():
        assert file["bytes"] == len(file["text"].encode())


def test_electricity_is_recorded_after_the_bill_came_and_was_paid(rows: Any) -> None:
    mails = load_pack("researcher").app_seeds.rows("gmail")["emails"].values()
    checked = 0
    for row in rows["expenses"].values():
        if not row["description"].startswith("Electricity"):
            continue
        said = [one for one in mails if "Electricity" in one["subject"] and f"{row['paid_amount']:.2f}" in one["body"]]
        for mail in said:
            assert mail["created_at"] < row["created_at"], row["description"]
            checked += 1
    assert checked >= 10


def test_shares_add_up(rows: Any) -> None:
    for row in rows["expenses"].values():
        assert len(row["debtor_emails"]) == len(set(row["debtor_emails"])) == len(row["debt_amounts"])
        assert sum(map(cents, row["debt_amounts"])) == cents(row["paid_amount"])
        assert min(row["debt_amounts"]) > 0


def test_balances_of_all_people_add_up_to_nothing(rows: Any, splitwise: ToolContext) -> None:
    total, by_pair = 0, {}
    for row in rows["accounts"].values():
        fork = ToolContext(splitwise.world.fork(), ids=splitwise.ids)
        done(fork, "splitwise__login", username=row["email"], password=row["password"])
        shown = done(fork, "splitwise__show_people_balance")
        total += cents(shown["total_balance"])
        by_pair |= {(row["email"], one["email"]): cents(one["balance"]) for one in shown["people"]}
    assert total == 0
    assert all(by_pair[other, one] == -amount for (one, other), amount in by_pair.items())


def test_journeys_are_settled_and_the_winter_is_not(splitwise: ToolContext) -> None:
    groups = {one["group_name"]: one for one in done(splitwise, "splitwise__show_group_balance")["groups"]}
    assert groups["Porto, June 2025"]["your_balance"] == groups["Tromsdal, June 2024"]["your_balance"] == 0.0
    assert groups["Fyrgata 14"]["your_balance"] > 1_000
    deleted = done(splitwise, "splitwise__show_groups", delete=True)
    assert [group["name"] for group in deleted["groups"]] == ["Fyrgata 14, Silje and Nora"]


@pytest.mark.parametrize(
    ("group", "query", "first"),
    [
        ("Fyrgata 14", "electricity fourth quarter", "Electricity, fourth quarter"),
        ("Lab lunches and cakes", "dumplings", "Lab lunch, dumplings without nuts"),
        ("Bjornbu weekends", "stove", "Sealing cord for the stove"),
        (None, "skis day passes", "Car park and day passes, Linddalen"),
    ],
)
def test_expenses_are_found(splitwise: ToolContext, rows: Any, group: str | None, query: str, first: str) -> None:
    key = next((key for key, row in rows["groups"].items() if row["name"] == group), 0)
    found = done(splitwise, "splitwise__show_group_expenses", group_id=key, query=query)["expenses"]
    assert found[0]["description"] == first
