"""Gmail: signing in, sending, replying and forwarding, and each error that they document."""

from __future__ import annotations

from typing import Any

import pytest
from support.apps import app_context, done, refused

from pi_gym.apps.columns import MAX_TEXT_CHARS
from pi_gym.tools import ToolContext

IDA = {"username": "ida@notes.example", "password": "oven"}
PER = {"username": "per@notes.example", "password": "flour"}
LIV = {"username": "liv@notes.example", "password": "harvest"}
NOW = "2026-04-01T09:00:05"
NEEDS_SIGN_IN: dict[str, dict[str, Any]] = {
    "logout": {},
    "search_users": {},
    "show_inbox_threads": {},
    "show_outbox_threads": {},
    "show_starred_threads": {},
    "show_thread": {"email_thread_id": 1},
    "show_email": {"email_id": 11},
    "show_category_sizes": {},
    "search_labels": {},
    "send_email": {"email_addresses": [PER["username"]], "body": "x"},
    "reply_to_email": {"email_thread_id": 1, "email_id": 11, "body": "x"},
    "forward_email_thread": {"email_thread_id": 1, "email_addresses": [PER["username"]]},
    "label_thread": {"email_thread_id": 1, "label": "x"},
    "unlabel_thread": {"email_thread_id": 1},
    **{f"mark_thread_{word}": {"email_thread_id": 1} for word in ("read", "unread", "starred", "archived")},
    "create_draft": {},
    "show_draft": {"draft_id": 1},
    "show_drafts": {},
    "update_draft": {"draft_id": 1, "body": "x"},
    "send_email_from_draft": {"draft_id": 1},
}


def opened(who: dict[str, str] = IDA, context: ToolContext | None = None) -> ToolContext:
    context = context or app_context("gmail", clock=NOW)
    done(context, "gmail__login", **who)
    return context


def mails(context: ToolContext, thread: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = done(context, "gmail__show_thread", email_thread_id=thread)["emails"]
    return found


def ids(context: ToolContext, thread: int) -> list[int]:
    return [mail["email_id"] for mail in mails(context, thread)]


@pytest.mark.parametrize("operation", NEEDS_SIGN_IN)
def test_nothing_of_a_mailbox_is_open_before_one_signs_in(operation: str) -> None:
    text = refused(app_context("gmail"), f"gmail__{operation}", **NEEDS_SIGN_IN[operation])
    assert "Sign in first: gmail__login" in text


def test_login_and_logout() -> None:
    context = opened()
    assert "Signed out" in done(context, "gmail__logout")["message"]
    assert "Sign in first" in refused(context, "gmail__show_inbox_threads")
    assert "Wrong password" in refused(context, "gmail__login", username=IDA["username"], password="x")


def test_a_new_mailbox_is_empty_open_and_reachable() -> None:
    context = app_context("gmail", clock=NOW)
    done(context, "gmail__signup", first_name="Ada", last_name="Ny", email=" Ada@New.example ", password="12345678")
    assert done(context, "gmail__show_category_sizes")["threads"] == 0
    opened(PER, context)
    done(context, "gmail__send_email", email_addresses=["ada@new.example"], body="Welcome.")
    done(context, "gmail__login", username="ada@new.example", password="12345678")
    assert done(context, "gmail__show_inbox_threads")["total"] == 1


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"email": "IDA@notes.example"}, "a mailbox ida@notes.example already"),
        ({"email": "ada"}, "no e-mail address"),
        ({"email": "a b@c.example"}, "no e-mail address"),
        ({"email": "a@b@c.example"}, "no e-mail address"),
        ({"email": "ida@notes.example\u200b"}, "no e-mail address"),
        ({"email": "\u0456da@notes.example"}, "no e-mail address"),
        ({"email": "a" * 250 + "@new.example"}, "no e-mail address"),
        ({"password": "1234567"}, "8 characters or more"),
        ({"password": "1" * 201}, "too long"),
        ({"first_name": "Ida <ida@notes.example>"}, "first_name must be a name"),
        ({"last_name": "Ny\nBerg"}, "last_name must be a name"),
        ({"last_name": "N" * 61}, "at most 60 characters"),
        ({"first_name": " "}, "first_name is empty"),
        ({"last_name": ""}, "last_name is empty"),
    ],
)
def test_signup_says_what_is_wrong(changed: dict[str, str], says: str) -> None:
    given = {"first_name": "Ada", "last_name": "Ny", "email": "ada@new.example", "password": "12345678"} | changed
    assert says in refused(app_context("gmail"), "gmail__signup", **given)


def test_users_are_found_by_name_and_address_without_passwords() -> None:
    context = opened()
    found = done(context, "gmail__search_users", query="berg")["users"]
    assert found == [{"first_name": "Liv", "last_name": "Berg", "email": "liv@notes.example"}]
    assert done(context, "gmail__search_users", query="mill")["users"][0]["email"] == "orders@mill.example"
    assert done(context, "gmail__search_users")["total"] == 4
    assert "Nobody matches" in done(context, "gmail__search_users", query="zeppelin")["message"]


def test_a_sent_mail_lies_in_the_outbox_and_unread_in_each_inbox() -> None:
    context = opened()
    sent = done(
        context, "gmail__send_email", email_addresses=["PER@notes.example", "liv@notes.example", "per@notes.example"],
        subject="Yeast", body="Fresh.",
    )  # fmt: skip
    mail = done(context, "gmail__show_email", email_id=sent["email_id"])
    assert mail["to"] == ["per@notes.example", "liv@notes.example"]
    assert (mail["from"], mail["created_at"]) == ("Ida Note <ida@notes.example>", NOW)
    assert done(context, "gmail__show_outbox_threads")["email_threads"][0]["email_thread_id"] == sent["email_thread_id"]
    assert all(
        one["email_thread_id"] != sent["email_thread_id"]
        for one in done(context, "gmail__show_inbox_threads")["email_threads"]
    )
    for who in (PER, LIV):
        first = done(opened(who, context), "gmail__show_inbox_threads")["email_threads"][0]
        assert (first["email_thread_id"], first["read"]) == (sent["email_thread_id"], False)


def test_a_mail_to_oneself_lies_in_both() -> None:
    context = opened()
    sent = done(context, "gmail__send_email", email_addresses=[IDA["username"]], body="Buy flour.")
    for side in ("inbox", "outbox"):
        first = done(context, f"gmail__show_{side}_threads")["email_threads"][0]
        assert first["email_thread_id"] == sent["email_thread_id"]
        assert first["read"] is False


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"email_addresses": []}, "at least one address"),
        ({"email_addresses": ["pier@notes.example"]}, "no mailbox pier@notes.example. Did you mean per@notes.example?"),
        ({"email_addresses": ["per@notes.example", "boss@moon.example"]}, "search_users finds addresses"),
        ({"email_addresses": ["Per"]}, "'per' is no e-mail address"),
        ({"email_addresses": [f"a{n}@b.example" for n in range(51)]}, "At most 50"),
        ({"body": " ", "subject": ""}, "The mail is empty"),
        ({"subject": "x" * 201}, "at most 200"),
        ({"body": "x" * (MAX_TEXT_CHARS + 1)}, "at most 10000"),
        ({"attachment_file_paths": ["~/no.txt"]}, "no.txt"),
    ],
)
def test_sending_says_what_is_wrong(arguments: dict[str, Any], says: str) -> None:
    given = {"email_addresses": ["per@notes.example"], "subject": "s", "body": "b"} | arguments
    assert says in refused(opened(), "gmail__send_email", **given)


def test_files_are_attached_as_they_were() -> None:
    context = opened()
    context.workspace.write("bills/rye.txt", b"840.00")
    sent = done(
        context, "gmail__send_email", email_addresses=[PER["username"]], body="The bill.",
        attachment_file_paths=["~/bills/rye.txt"],
    )  # fmt: skip
    context.workspace.write("bills/rye.txt", b"999.00")
    shown = done(opened(PER, context), "gmail__show_email", email_id=sent["email_id"])
    assert shown["attachments"] == [{"file_name": "rye.txt", "bytes": 6, "text": "840.00"}]
    assert done(context, "gmail__show_inbox_threads", attachment=True)["total"] == 1


def test_a_reply_stays_in_the_thread_and_goes_to_all_others() -> None:
    context = opened()
    sent = done(context, "gmail__reply_to_email", email_thread_id=1, email_id=12, body="Forty it is.")
    mail = mails(context, 1)[-1]
    assert (sent["email_thread_id"], mail["email_id"]) == (1, sent["email_id"])
    assert (mail["subject"], mail["response_to_email_id"]) == ("Re: Bread for the fair", 12)
    assert mail["to"] == ["per@notes.example", "liv@notes.example"]
    done(context, "gmail__reply_to_email", email_thread_id=4, email_id=16, body="Done.")
    assert mails(context, 4)[-1]["to"] == [IDA["username"]]


def test_a_reply_brings_the_thread_back_for_those_it_goes_to_only() -> None:
    context = opened(LIV)
    done(context, "gmail__mark_thread_archived", email_thread_id=1)
    opened(IDA, context)
    given = {"email_thread_id": 1, "email_id": 11, "email_addresses": [PER["username"]], "body": "Just us."}
    done(context, "gmail__reply_to_email", **given)
    seen = done(opened(PER, context), "gmail__show_thread", email_thread_id=1)
    assert (seen["read"], seen["archived"], seen["label"]) == (False, False, "bakery")
    assert len(seen["emails"]) == 4
    seen = done(opened(LIV, context), "gmail__show_thread", email_thread_id=1)
    assert (seen["archived"], len(seen["emails"])) == (True, 3)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"email_thread_id": 3, "email_id": 15}, "no thread with the email_thread_id 3"),
        ({"email_thread_id": 99, "email_id": 11}, "show_outbox_threads find ids"),
        ({"email_thread_id": 1, "email_id": 13}, "no e-mail with the email_id 13"),
        ({"email_thread_id": 1, "email_id": 14}, "in the thread 2, not in 1"),
        ({"email_thread_id": 1, "email_id": 11, "body": " "}, "The answer is empty"),
        ({"email_thread_id": 1, "email_id": 11, "email_addresses": ["x@y.example"]}, "no mailbox"),
    ],
)
def test_replying_says_what_is_wrong(arguments: dict[str, Any], says: str) -> None:
    assert says in refused(opened(), "gmail__reply_to_email", **({"body": "x"} | arguments))


def test_mails_among_others_are_not_there() -> None:
    context = opened()
    assert ids(context, 1) == [11, 12]
    assert ids(opened(LIV, context), 1) == [11, 12, 13]
    opened(IDA, context)
    for email in (13, 15, 99, -1):
        assert "no e-mail" in refused(context, "gmail__show_email", email_id=email)
    for query in ("secret", "between thirty", "know"):
        assert done(context, "gmail__show_inbox_threads", query=query)["total"] == 0


def test_a_forwarded_thread_holds_the_mails_that_one_sees_and_their_files() -> None:
    context = opened()
    given = {"email_thread_id": 1, "email_addresses": ["orders@mill.example"]}
    sent = done(context, "gmail__forward_email_thread", **given)
    mail = done(context, "gmail__show_email", email_id=sent["email_id"])
    assert sent["email_thread_id"] != 1
    assert mail["subject"] == "Fwd: Bread for the fair"
    assert mail["body"].index("Forty loaves of rye, or fewer?") < mail["body"].index("The oven can do it.")
    assert "Between us" not in mail["body"]
    sent = done(context, "gmail__forward_email_thread", email_thread_id=2, email_addresses=[PER["username"]])
    again = done(opened(PER, context), "gmail__show_email", email_id=sent["email_id"])
    assert again["attachments"][0]["text"] == "2 sacks of rye: 840.00, paid."
    given = {"email_thread_id": sent["email_thread_id"], "email_addresses": [LIV["username"]]}
    twice = done(context, "gmail__forward_email_thread", **given)
    assert mails(context, twice["email_thread_id"])[0]["subject"] == "Fwd: Your delivery of rye"


def test_a_long_thread_is_forwarded_with_its_mails_cut() -> None:
    context = opened()
    for _ in range(3):
        done(context, "gmail__reply_to_email", email_thread_id=1, email_id=12, body="rye " * 2_400)
    sent = done(context, "gmail__forward_email_thread", email_thread_id=1, email_addresses=[PER["username"]])
    body = done(context, "gmail__show_email", email_id=sent["email_id"])["body"]
    assert len(body) <= MAX_TEXT_CHARS
    assert body.count("Forwarded message") == 5
    assert "… [cut]" in body


def test_forwarding_can_make_a_draft_instead() -> None:
    context = opened()
    before = done(context, "gmail__show_category_sizes")
    made = done(context, "gmail__forward_email_thread", email_thread_id=2, email_addresses=[], draft_not_send=True)
    draft = done(context, "gmail__show_draft", draft_id=made["draft_id"])
    assert (draft["to"], draft["subject"]) == ([], "Fwd: Your delivery of rye")
    assert draft["attachments"][0]["file_name"] == "bill.txt"
    assert done(context, "gmail__show_category_sizes") == {**before, "drafts": 2}
    assert "at least one" in refused(context, "gmail__forward_email_thread", email_thread_id=2, email_addresses=[])
    assert "no thread" in refused(context, "gmail__forward_email_thread", email_thread_id=3, email_addresses=["a@b.c"])


def test_results_stay_short_however_long_the_mails_are() -> None:
    context = opened()
    context.workspace.write("long.txt", b"line\n" * 2_000)
    for number in range(34):
        done(
            context, "gmail__reply_to_email", email_thread_id=1, email_id=11, body=f"{number} " + "a\n" * 4_900,
            attachment_file_paths=["long.txt"],
        )  # fmt: skip
    shown = done(context, "gmail__show_thread", email_thread_id=1)
    assert len(str(shown)) < 16_000
    assert len(shown["emails"]) == 30
    assert shown["earlier_email_ids"][:2] == [11, 12]
    assert "show_email gives the whole mail" in shown["emails"][-1]["body"]
    mail = done(context, "gmail__show_email", email_id=shown["emails"][-1]["email_id"])
    assert mail["body"].startswith("33 a\n")
    assert len(mail["body"]) > 9_800
    assert mail["attachments"][0]["text"].endswith("[cut]")
