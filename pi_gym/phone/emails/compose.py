"""The owner's actions on the draft of a mail; it lies on the screen until it is sent or saved."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.attachments import files_of
from pi_gym.apps.texts import is_blank
from pi_gym.phone.declare import USER
from pi_gym.phone.emails.app import APP, COMPOSE
from pi_gym.phone.emails.posting import checked_addresses, kept, sent
from pi_gym.phone.navigation import BACK
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.tools.declare import ToolError


@APP.operation("read", USER, on=COMPOSE)
def set_recipients(desk: PhoneDesk, recipients: list[str]) -> Any:
    """Set the addresses that the mail goes to.

    Args:
        recipients: the addresses, instead of those before.
    """
    return _with(desk, recipients=checked_addresses(recipients))


@APP.operation("read", USER, on=COMPOSE)
def add_recipient(desk: PhoneDesk, recipient: str) -> Any:
    """Add an address that the mail goes to.

    Args:
        recipient: the address.
    """
    return _with(desk, recipients=checked_addresses([*desk.shown["recipients"], recipient]))


@APP.operation("read", USER, on=COMPOSE)
def set_cc(desk: PhoneDesk, cc: list[str]) -> Any:
    """Set the addresses that get a copy.

    Args:
        cc: the addresses, instead of those before.
    """
    return _with(desk, cc=checked_addresses(cc))


@APP.operation("read", USER, on=COMPOSE)
def set_subject(desk: PhoneDesk, subject: str) -> Any:
    """Set the subject.

    Args:
        subject: the subject.
    """
    return _with(desk, subject=subject)


@APP.operation("read", USER, on=COMPOSE)
def set_body(desk: PhoneDesk, body: str) -> Any:
    """Set the text.

    Args:
        body: the whole text.
    """
    return _with(desk, content=body)


@APP.operation("read", USER, on=COMPOSE)
def attach_file(desk: PhoneDesk, attachment_path: str) -> Any:
    """Attach a workspace file; it goes out as it is when the mail is sent.

    Args:
        attachment_path: the file.
    """
    paths = list(dict.fromkeys([*desk.shown["attachments"], attachment_path]))
    files_of(desk, paths)
    return _with(desk, attachments=paths)


@APP.operation("write", USER, on=COMPOSE, goto=BACK)
def send_composed_email(desk: PhoneDesk) -> Any:
    """Send the mail, and go back."""
    draft = desk.shown
    files = files_of(desk, draft["attachments"])
    told = sent(desk, draft["recipients"], draft["subject"], draft["content"], draft["cc"], files, draft["parent_id"])
    desk.leave()
    return told


@APP.operation("write", USER, on=COMPOSE, goto=BACK)
def save_draft(desk: PhoneDesk) -> Any:
    """Save the mail in DRAFT, and go back."""
    draft = desk.shown
    if not draft["recipients"] and all(is_blank(draft[name]) for name in ("subject", "content")):
        raise ToolError("The draft is empty; there is nothing to save.")
    files = files_of(desk, draft["attachments"])
    texts = (draft["recipients"], draft["cc"], draft["subject"], draft["content"])
    number = kept(desk, "DRAFT", *texts, files, draft["parent_id"])
    desk.leave()
    return {"message": "Saved in DRAFT.", "email_id": number}


@APP.operation("read", USER, on=COMPOSE, goto=BACK)
def discard_draft(desk: PhoneDesk) -> Any:
    """Throw the draft away, and go back."""
    desk.leave()
    return "Draft discarded."


def _with(desk: PhoneDesk, **changed: Any) -> dict[str, Any]:
    """The draft with something changed, as it is then."""
    desk.revise(**changed)
    return dict(desk.shown)
