"""Nora's mailbox: large enough, coherent with the people and what happened to them, and worth searching."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.apps import app_context, call_tool, done

from pi_gym import load_pack
from pi_gym.tools import ToolContext

ROOT = Path(__file__).parents[2]
SEEDS = ROOT / "envs" / "researcher" / "world"
NORA = "nora.lindqvist@halden-it.example"
FROM, TO = "2024-03-04", "2026-02-28"


@cache
def tables() -> Any:
    return load_pack("researcher").app_seeds.rows("gmail")


@cache
def seeds(name: str) -> Any:
    return yaml.safe_load((SEEDS / f"{name}.yaml").read_text("utf-8"))


@cache
def nora() -> ToolContext:
    context = app_context("gmail", pack=load_pack("researcher"), clock="2026-03-02T09:00:00")
    account = next(one for one in load_pack("researcher").persona.accounts if one.app == "gmail")
    done(context, "gmail__login", username=account.username, password=account.password)
    return context


def own_mails() -> list[dict[str, Any]]:
    return [row for row in tables()["emails"].values() if NORA in (row["sender"], *row["recipients"])]


def found(query: str = "", side: str = "inbox", **filters: Any) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = done(
        nora(), f"gmail__show_{side}_threads", query=query, page_limit=20, **filters
    )["email_threads"]  # fmt: skip
    return listed


def test_there_are_years_of_mail() -> None:
    sizes = done(nora(), "gmail__show_category_sizes")
    assert sizes["threads"] >= 450
    assert len(own_mails()) >= 1_000
    assert len(seeds("gmail")["explicit"]) >= 130
    assert sizes["inbox"] + sizes["archived"] + sizes["spam"] + sizes["only_sent"] == sizes["threads"]
    assert sum(sizes["categories"].values()) == sizes["inbox"]
    assert min(sizes["categories"].values()) >= 5
    assert 20 <= sizes["unread"] <= 120
    assert sizes["spam"] >= 20
    assert 10 <= sizes["starred"] <= 40
    assert sizes["outbox"] >= 200
    assert 6 <= sizes["drafts"] <= 10
    assert sizes["scheduled_drafts"] == 1


def test_most_bodies_stand_once() -> None:
    times = Counter(row["body"] for row in own_mails())
    assert sum(count == 1 for count in times.values()) >= 850
    assert max(times.values()) <= 6


def test_labels_are_those_of_a_life() -> None:
    labels: dict[str, int] = {}
    for page in range(2):
        listed = done(nora(), "gmail__search_labels", page_limit=20, page_index=page)["labels"]
        labels |= {one["label"]: one["threads"] for one in listed}
    wanted = ("travel", "veltra", "jonas", "reviews", "flat", "money", "teaching", "cluster", "shopping", "family")
    assert all(labels[name] >= 3 for name in wanted)


def test_mails_and_drafts_are_to_known_addresses_and_answer_within_their_thread() -> None:
    emails, addresses = tables()["emails"], {row["email"] for row in tables()["accounts"].values()}
    threads = {row["thread"] for row in emails.values()}
    for key, row in emails.items():
        assert {row["sender"], *row["recipients"]} <= addresses, key
        assert row["recipients"], key
        assert len(set(row["recipients"])) == len(row["recipients"]), key
        answered = row["response_to"]
        assert answered is None or (answered < key and emails[answered]["thread"] == row["thread"])
        assert answered is None or row["sender"] in emails[answered]["recipients"], key
        assert FROM <= row["created_at"] < TO, key
    for key, state in tables()["thread_states"].items():
        assert key == state["thread"]
        assert state["thread"] in threads
    for draft in tables()["drafts"].values():
        assert {*draft["recipients"]} <= addresses
        assert draft["thread"] is None or emails[draft["response_to"]]["thread"] == draft["thread"]
    assert max(max(rows, default=0) for rows in tables().values()) < 50_000


def test_nora_has_a_state_for_each_of_her_threads_and_for_no_other() -> None:
    assert {row["thread"] for row in own_mails()} == {row["thread"] for row in tables()["thread_states"].values()}


def test_ids_follow_time() -> None:
    times = [row["created_at"] for _, row in sorted(tables()["emails"].items())]
    assert times == sorted(times)


def test_accounts_are_the_people_first_and_no_address_is_anybodys() -> None:
    accounts = tables()["accounts"]
    for number, one in enumerate(seeds("people").values(), start=1):
        assert {name: accounts[number][name] for name in ("first_name", "last_name", "email", "phone_number")} == {
            name: one[name] for name in ("first_name", "last_name", "email", "phone_number")
        }
    assert all(row["email"].endswith(".example") for row in accounts.values())
    assert len({row["email"] for row in accounts.values()}) == len(accounts)
    writers = {row["sender"] for row in own_mails()}
    assert {one["email"] for one in seeds("people").values()} <= writers


def test_each_order_has_its_confirmation_with_product_price_and_day() -> None:
    threads = defaultdict(list)
    for row in own_mails():
        if row["sender"] == "orders@amazon.example":
            threads[row["thread"]].append(row)
    by_day = {mails[0]["created_at"][:10]: mails for mails in threads.values()}
    assert sorted(by_day) == [order["date"] for order in seeds("life")["orders"]]
    for order in seeds("life")["orders"]:
        confirmed, sent = by_day[order["date"]]
        for item in order["items"]:
            assert f"{item['quantity']} x {item['product']}" in confirmed["body"]
            assert f"{item['price']:.2f}" in confirmed["body"]
            assert item["product"] in sent["body"]
        total = sum(round(item["price"] * 100) * item["quantity"] for item in order["items"]) / 100
        assert f"Total: {total:.2f} kroner" in confirmed["body"]


def test_each_electricity_bill_has_its_mails_and_the_meter_only_rises() -> None:
    bills = [one for one in seeds("life")["expenses"] if one["what"].startswith("Electricity")]
    readings = []
    texts = [row["message"] for row in load_pack("researcher").app_seeds.rows("phone")["messages"].values()]
    texts += [row["content"] for row in load_pack("researcher").app_seeds.rows("todoist")["task_comments"].values()]
    told = Counter(re.findall(r"\b4\d ?\d{3}\b", "\n".join(texts)))
    for bill in bills:
        mails = [row for row in own_mails() if row["subject"].endswith(bill["what"])]
        [mail] = [row for row in mails if row["sender"].startswith("henrik") and row["created_at"][:10] == bill["date"]]
        assert f"{bill['amount']:.2f}" in mail["body"]
        readings.append(next(int(word.strip("().")) for word in mail["body"].split() if word.strip("().").isdigit()))
        # The same meter in the message to Henrik and in the comment on the task.
        assert told[f"{readings[-1]:,}".replace(",", " ")] == told[str(readings[-1])] == 1
    assert readings == sorted(readings)


def test_others_have_mails_that_nora_does_not_see() -> None:
    foreign = [key for key, row in tables()["emails"].items() if NORA not in (row["sender"], *row["recipients"])]
    assert len(foreign) >= 10
    assert not any(call_tool(nora(), "gmail__show_email", email_id=key).ok for key in foreign)
    assert not found("examiners committee", from_email="gunnar")


@pytest.mark.parametrize(
    ("query", "filters", "subject"),
    [
        ("rent letter", {}, "New rent from September"),
        ("ten working days", {"from_email": "beatriz"}, "Draft of the agreement"),
        ("hotel miradouro reservation", {}, "Reservation 8841, Hotel Miradouro"),
        ("group disk full checkpoints", {}, "Your group directory is full"),
        ("reviewer scores rejected submission", {}, "Decision on submission 1187"),
        ("poster tube lost", {}, "Lost: a poster tube"),
        ("printer code", {"from_email": "helpdesk"}, "Printer code"),
        ("dentist", {}, "Your check-up at the dentist"),
        ("cardamom", {"from_email": "eva"}, "Slippers"),
        ("hand-in july", {"label": "jonas"}, "Thesis: timeline"),
        ("wool socks order", {}, "Your order of 9 February 2026"),
        ("hazelnuts carrot cake", {}, "Carrot cake"),
        ("workshop submitted", {"attachment": True}, "Workshop on real rooms"),
        ("foyer demo", {"min_created_at": "2026-02-01"}, "A demo in the foyer"),
        ("driver tunnel", {"from_email": NORA, "to_email": NORA}, "Note to self: bus"),
    ],
)
def test_mails_are_found(query: str, filters: dict[str, Any], subject: str) -> None:
    listed = [thread["subject"] for thread in found(query, **filters)[:4]]
    assert subject in listed, listed


def test_of_mails_of_the_same_words_the_newest_is_found_first() -> None:
    found = done(nora(), "gmail__show_inbox_threads", query="group meeting: who presents", page_limit=20)
    dates = [one["last_email"]["created_at"] for one in found["email_threads"]]
    assert dates[0] > "2026" > dates[-1]


def test_earlier_mails_are_corrected_by_later_ones() -> None:
    [rent] = [thread for thread in found("rent letter") if thread["subject"] == "New rent from September"]
    mails = done(nora(), "gmail__show_thread", email_thread_id=rent["email_thread_id"])["emails"]
    assert "10,300" in mails[0]["body"]
    assert "10,200" in mails[-1]["body"]
    shown = done(nora(), "gmail__show_email", email_id=mails[-1]["email_id"])
    assert "replaces the letter of 18 August" in shown["attachments"][0]["text"]


def test_every_page_of_every_list_is_short_enough() -> None:
    longest = 0
    for side in ("inbox", "outbox"):
        for page in range(0, 30, 3):
            result = done(nora(), f"gmail__show_{side}_threads", page_limit=20, page_index=page)
            longest = max(longest, len(json.dumps(result, ensure_ascii=False)))
    assert longest < 14_500
    for thread in sorted({row["thread"] for row in own_mails()})[::7]:
        text = call_tool(nora(), "gmail__show_thread", email_thread_id=thread).text
        assert len(text) < 14_500


def test_nothing_tells_what_variants_draw() -> None:
    told = ("markdown", "latex", "csv", "standard deviation", "standard error", "bottom line", "plan b", "decimal")
    for row in tables()["emails"].values():
        text = f"{row['subject']} {row['body']}".casefold()
        assert not [word for word in told if word in text], row
