"""Mails on the phone of the tests."""

from __future__ import annotations

from typing import Any

MARA, JONAS, ADA = "mara.lind@fastpost.example", "jonas.ek@fastpost.example", "ada.wirth@fastpost.example"
FILES = {"papers/lease.txt": "Two rooms, from June on.\n"}
ROWS: dict[str, dict[int, dict[str, Any]]] = {
    "emails": {
        1: {
            "sender": ADA,
            "recipients": [MARA],
            "subject": "The lease",
            "content": "Here it is; please read the second page.",
            "timestamp": "2026-05-03T18:00:00",
        },
        2: {
            "sender": JONAS,
            "recipients": [MARA, ADA],
            "subject": "Boat trip",
            "content": "Saturday at ten?",
            "timestamp": "2026-05-04T08:00:00",
        },
        3: {
            "folder": "SENT",
            "sender": MARA,
            "recipients": [JONAS],
            "subject": "Keys",
            "content": "They lie under the mat.",
            "timestamp": "2026-05-02T12:00:00",
            "is_read": True,
        },
        4: {"folder": "TRASH", "sender": JONAS, "recipients": [MARA], "timestamp": "2026-05-01T12:00:00"},
    },
    "attachments": {
        1: {"record": 1, "file_name": "lease.txt", "bytes": 11, "text": "Two rooms.\n"},
        2: {"record": 1, "file_name": "plan.png", "bytes": 900},
        3: {"record": 4, "file_name": "old.txt", "bytes": 3, "text": "old"},
    },
}
ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "Emails__get_email_by_id": [{"email_id": 1}],
    "Emails__get_email_by_index": [{"idx": 1}],
    "Emails__search_emails": [{"query": "boat"}],
    "Emails__send_email": [{"recipients": [JONAS], "subject": "Tomorrow"}],
    "Emails__reply_to_email": [{"email_id": 2, "content": "Gladly."}],
    "Emails__forward_email": [{"email_id": 1, "recipients": [JONAS]}],
    "Emails__download_attachments": [{"email_id": 1}, {"path_to_save": "Downloads"}],
    "Emails__move_email": [{"email_id": 1, "dest_folder_name": "TRASH"}],
    "Emails__delete_email": [{"email_id": 1}],
    "Emails__open_email_by_id": [{"email_id": 1}],
    "Emails__open_email_by_index": [{"index": 1}],
    "Emails__switch_folder": [{"folder_name": "SENT"}],
    "Emails__reply": [{"content": "Gladly."}],
    "Emails__forward": [{"recipients": [JONAS]}],
    "Emails__move": [{"destination_folder": "DRAFT"}],
    "Emails__set_recipients": [{"recipients": [JONAS]}],
    "Emails__add_recipient": [{"recipient": ADA}],
    "Emails__set_cc": [{"cc": [ADA]}],
    "Emails__set_subject": [{"subject": "Tomorrow"}],
    "Emails__set_body": [{"body": "At eight?"}],
    "Emails__attach_file": [{"attachment_path": "papers/lease.txt"}],
    "Emails__send_email_to_user_with_id": [{"email_id": 77, "sender": JONAS, "content": "Wait for me!"}],
    "Emails__send_email_to_user_only": [{"sender": JONAS, "subject": "Boat trip"}],
    "Emails__reply_to_email_from_user": [{"sender": JONAS, "email_id": 3, "content": "Found them."}],
    "Emails__create_and_add_email": [{"sender": JONAS, "subject": "Boat trip"}],
}
