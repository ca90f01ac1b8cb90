"""The mail: folders, drafts, files, and mails from outside."""

from __future__ import annotations

from typing import Any

import pytest
from support.phone_hand import Phone
from support.phone_rows.emails import ADA, JONAS, MARA


@pytest.fixture
def phone() -> Phone:
    return Phone("Emails")


def test_a_folder_is_listed_from_the_newest_with_its_total(phone: Phone) -> None:
    listed = phone.agent("list_emails", limit=1)
    assert ([mail["email_id"] for mail in listed["emails"]], listed["total"]) == ([2], 2)
    assert listed["emails"][0]["beginning"] == "Saturday at ten?"
    assert phone.agent("list_emails", offset=1) == phone.user("list_emails", offset=1)
    assert phone.agent("get_email_by_index", idx=1)["email_id"] == 1
    assert "none at 2" in phone.agent("get_email_by_index", idx=2)
    assert "limit must be between" in phone.agent("list_emails", limit=0)


def test_a_mail_is_whole_with_the_texts_of_its_files(phone: Phone) -> None:
    mail = phone.agent("get_email_by_id", email_id=1)
    assert (mail["sender"], mail["content"]) == (ADA, "Here it is; please read the second page.")
    assert mail["attachments"][0] == {"file_name": "lease.txt", "bytes": 11, "text": "Two rooms.\n"}


def test_a_mail_of_another_folder_is_refused_with_the_right_one(phone: Phone) -> None:
    assert "lies in SENT, not in INBOX" in phone.agent("get_email_by_id", email_id=3)
    assert "no e-mail with the id 99" in phone.agent("delete_email", email_id=99)
    assert "search_emails" in phone.agent("delete_email", email_id=99)
    assert "lies in SENT, not in INBOX" in phone.user("open_email_by_id", email_id=3)
    assert '"INBOX", "SENT"' in phone.agent("list_emails", folder_name="SPAM")


def test_only_its_owner_makes_a_mail_count_as_read(phone: Phone) -> None:
    phone.agent("get_email_by_id", email_id=1)
    assert not phone.rows("emails")[1]["is_read"]
    phone.user("open_email_by_id", email_id=1)
    assert phone.rows("emails")[1]["is_read"]


def test_searches_stay_in_the_folder_and_its_days(phone: Phone) -> None:
    assert [mail["email_id"] for mail in phone.agent("search_emails", query="boat")["emails"]] == [2]
    assert phone.agent("search_emails", query="boat", folder_name="SENT")["total"] == 0
    assert "query is empty" in phone.agent("search_emails", query=" ")
    assert phone.user("search_emails", query="boat", min_date="2026-05-05")["total"] == 0
    assert phone.user("search_emails", query="boat", max_date="2026-05-04")["total"] == 1
    assert "without a zone" in phone.user("search_emails", query="boat", min_date="2026-05-04T10:00+02:00")


def test_deleting_goes_to_the_trash_and_from_there_for_good(phone: Phone) -> None:
    phone.agent("delete_email", email_id=1)
    assert phone.rows("emails")[1]["folder"] == "TRASH"
    phone.agent("delete_email", email_id=4, folder_name="TRASH")
    assert 4 not in phone.rows("emails")
    assert {row["record"] for row in phone.rows("attachments").values()} == {1}


def test_moving_to_the_same_folder_is_refused(phone: Phone) -> None:
    assert "lies in INBOX already" in phone.agent("move_email", email_id=1, dest_folder_name="INBOX")


def test_a_mail_needs_somebody_and_something(phone: Phone) -> None:
    assert "nobody to send it to" in phone.agent("send_email", subject="Hello")
    assert "'jonas' is no e-mail address" in phone.agent("send_email", recipients=["jonas"], subject="Hello")
    assert "The mail is empty" in phone.agent("send_email", recipients=[JONAS])
    assert "The answer is empty" in phone.agent("reply_to_email", email_id=2)
    assert "no file 'gone.txt'" in phone.agent(
        "send_email", recipients=[JONAS], subject="Hi", attachment_paths=["gone.txt"]
    )


def test_an_answer_goes_to_the_sender_and_to_a_mail_of_ones_own_to_those_it_went_to(phone: Phone) -> None:
    first = phone.agent("reply_to_email", email_id=2, content="Gladly.")["email_id"]
    second = phone.agent("reply_to_email", email_id=3, folder_name="SENT", content="Or under the pot.")["email_id"]
    sent = phone.rows("emails")
    assert (sent[first]["recipients"], sent[first]["subject"], sent[first]["parent_id"]) == (
        [JONAS],
        "Re: Boat trip",
        2,
    )
    assert (sent[second]["recipients"], sent[second]["folder"], sent[second]["sender"]) == ([JONAS], "SENT", MARA)


def test_a_forwarded_mail_carries_its_text_and_files(phone: Phone) -> None:
    number = phone.agent("forward_email", email_id=1, recipients=[f"Jonas <{JONAS.upper()}>"])["email_id"]
    mail = phone.agent("get_email_by_id", email_id=number, folder_name="SENT")
    assert (mail["recipients"], mail["subject"]) == ([JONAS], "Fwd: The lease")
    assert f"From: {ADA}" in mail["content"]
    assert mail["content"].endswith("second page.")
    assert [file["file_name"] for file in mail["attachments"]] == ["lease.txt", "plan.png"]


def test_downloads_are_saved_beside_what_is_there(phone: Phone) -> None:
    told = phone.agent("download_attachments", email_id=1)
    assert (told["paths"], told["not_saved"]) == (["Downloads/lease.txt"], ["plan.png"])
    assert phone.text("Downloads/lease.txt") == "Two rooms.\n"
    assert phone.agent("download_attachments", email_id=1)["paths"] == ["Downloads/lease.txt"]
    assert phone.agent("download_attachments", email_id=1, path_to_save="/workspace/papers")["paths"] == [
        "papers/lease-2.txt"
    ]
    assert phone.text("papers/lease.txt") == "Two rooms, from June on.\n"
    assert "carries no files" in phone.agent("download_attachments", email_id=2)


@pytest.mark.parametrize(
    ("agent", "steps"),
    [
        (
            ("send_email", {"recipients": [JONAS, ADA], "cc": [MARA], "subject": "Tea", "content": "At four?"}),
            [
                ("start_compose", {}),
                ("set_recipients", {"recipients": [JONAS]}),
                ("add_recipient", {"recipient": ADA}),
                ("set_cc", {"cc": [MARA]}),
                ("set_subject", {"subject": "Tea"}),
                ("set_body", {"body": "At four?"}),
                ("send_composed_email", {}),
            ],
        ),
        (
            ("reply_to_email", {"email_id": 1, "content": "Thanks.", "attachment_paths": ["papers/lease.txt"]}),
            [
                ("open_email_by_id", {"email_id": 1}),
                ("start_compose_reply", {}),
                ("set_body", {"body": "Thanks."}),
                ("attach_file", {"attachment_path": "papers/lease.txt"}),
                ("send_composed_email", {}),
            ],
        ),
        (
            ("reply_to_email", {"email_id": 1, "content": "Thanks."}),
            [("open_email_by_index", {"index": 1}), ("reply", {"content": "Thanks."})],
        ),
        (
            ("forward_email", {"email_id": 1, "recipients": [JONAS]}),
            [("open_email_by_id", {"email_id": 1}), ("forward", {"recipients": [JONAS]})],
        ),
        (
            ("move_email", {"email_id": 1, "dest_folder_name": "TRASH"}),
            [("open_email_by_id", {"email_id": 1}), ("move", {"destination_folder": "TRASH"})],
        ),
        (("delete_email", {"email_id": 1}), [("open_email_by_id", {"email_id": 1}), ("delete", {})]),
        (
            ("download_attachments", {"email_id": 1, "path_to_save": "in"}),
            [("open_email_by_id", {"email_id": 1}), ("download_attachments", {"path_to_save": "in"})],
        ),
    ],
)
def test_owner_and_agent_leave_the_same(
    agent: tuple[str, dict[str, Any]], steps: list[tuple[str, dict[str, Any]]]
) -> None:
    one, other = Phone("Emails"), Phone("Emails")
    for phone in (one, other):  # so that opening it makes no difference
        phone.user("open_email_by_id", email_id=1)
    other.navigation = Phone("Emails").navigation
    one.agent(agent[0], **agent[1])
    for name, given in steps:
        assert isinstance(other.user(name, **given), dict), name
    assert one.state == other.state


def test_a_draft_changes_nothing_until_it_is_saved(phone: Phone) -> None:
    before = phone.state
    phone.user("start_compose")
    assert "The draft is empty" in phone.user("save_draft")
    assert "no e-mail address" in phone.user("add_recipient", recipient="jonas")
    assert "no file 'gone.txt'" in phone.user("attach_file", attachment_path="gone.txt")
    draft = phone.user("set_subject", subject="Tea")
    assert draft["subject"] == "Tea"
    assert phone.state == before
    number = phone.user("save_draft")["email_id"]
    assert (phone.rows("emails")[number]["folder"], phone.screen) == ("DRAFT", "MailboxView")


def test_a_discarded_draft_leaves_nothing_and_leads_back(phone: Phone) -> None:
    before = phone.state
    phone.user("start_compose")
    phone.user("set_subject", subject="Tea")
    phone.user("discard_draft")
    assert (phone.state, phone.screen) == (before, "MailboxView")


def test_a_mail_from_outside_is_short_for_its_owner_and_whole_for_the_agent(phone: Phone) -> None:
    phone.event(
        "send_email_to_user_with_id",
        email_id=77,
        sender=JONAS,
        subject="Boat trip",
        content="Wait for me!\nI am at the landing stage at half past.",
        attachment_paths=["papers/lease.txt"],
    )
    (notice,) = phone.notices
    assert notice.short == f"New e-mail from {JONAS}: Boat trip\nWait for me! I am at…"
    assert notice.whole.splitlines() == [
        f"New e-mail from {JONAS}: Boat trip",
        "email id: 77",
        "files: lease.txt",
        "Wait for me!",
        "I am at the landing stage at half past.",
    ]
    mail = phone.agent("get_email_by_id", email_id=77)
    assert (mail["recipients"], mail["timestamp"], mail["is_read"]) == ([MARA], phone.clock, False)
    assert mail["attachments"][0]["text"] == "Two rooms, from June on.\n"


def test_an_empty_mail_shows_no_empty_lines(phone: Phone) -> None:
    phone.event("send_email_to_user_only", sender=JONAS)
    assert phone.notices[0].short == f"New e-mail from {JONAS}"
    assert "" not in phone.notices[0].whole.split("\n")


def test_an_answer_from_outside_needs_a_mail_of_the_owners(phone: Phone) -> None:
    number = phone.event("reply_to_email_from_user", sender=JONAS, email_id=3, content="Found them.")["email_id"]
    assert phone.rows("emails")[number]["parent_id"] == 3
    assert phone.notices[0].short == f"New e-mail from {JONAS}: Re: Keys\nFound them."
    assert "not from the owner" in phone.event("reply_to_email_from_user", sender=JONAS, email_id=2, content="Hm.")
    assert "no e-mail with the id 99" in phone.event("reply_to_email_from_user", sender=JONAS, email_id=99)


def test_an_id_is_given_once(phone: Phone) -> None:
    assert "another e-mail with the id 2" in phone.event("send_email_to_user_with_id", email_id=2, sender=JONAS)
    assert not phone.notices


def test_a_mail_may_come_into_another_folder_and_to_others_too(phone: Phone) -> None:
    number = phone.event(
        "create_and_add_email", sender=JONAS, recipients=[MARA, ADA], content="Old news", folder_name="TRASH"
    )["email_id"]
    assert phone.rows("emails")[number]["folder"] == "TRASH"
    assert phone.notices[0].short == f"New e-mail in TRASH from {JONAS}\nOld news"
    assert f"also to: {ADA}" in phone.notices[0].whole
