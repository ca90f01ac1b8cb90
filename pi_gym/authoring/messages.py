"""Texts and mails that a session sent, and calls that send them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pi_gym.authoring.amounts import amounts_in, days_in
from pi_gym.authoring.leavings import made_rows


def sent_messages(evidence: Any, apart: int | None = None) -> dict[str, list[str]]:
    """The texts and mails sent in this session, by the receiver's number or address.

    Args:
        evidence: what the check was given.
        apart: a thread of mails that is left out.

    Returns:
        By receiver the texts, oldest first; a mail as its subject and, on the next line, its body.
    """
    sent: dict[str, list[str]] = {}
    for row in made_rows(evidence, "phone", "messages"):
        sent.setdefault(row["receiver"], []).append(row["message"])
    for row in made_rows(evidence, "gmail", "emails"):
        for one in row["recipients"] if row["thread"] != apart else ():
            sent.setdefault(one, []).append(f"{row['subject']}\n{row['body']}")
    return sent


def reached(sent: dict[str, list[str]], must: list[Any], may: Sequence[Any] = (), by: str = "any") -> bool:
    """Whether these people got one message each with their own amount, and nobody else got one.

    Args:
        sent: what `sent_messages` gave.
        must: who must have got one: mappings with number, email, cents and by ("text" or "mail").
        may: who may have got one as well.
        by: "any" for a text or a mail, "right" for what `by` of each person says.
    """
    rest, amounts = dict(sent), {one["cents"] for one in (*must, *may)}
    for one in (*must, *may):
        places = [one["number"]] * (one["by"] == "text" or by == "any") + [one["email"]] * (
            one["by"] == "mail" or by == "any"
        )
        texts = [text for place in places for text in rest.pop(place, [])]
        if not texts and one in may:
            continue
        if len(texts) != 1 or amounts_in(texts[0]) & amounts != {one["cents"]}:
            return False
    return not rest and bool(sent)


def name_day(sent: dict[str, list[str]], day: str, cents: Sequence[int], style: str = "") -> bool:
    """Whether messages went to two or more, and each names one of the amounts, the day and no other day of its month.

    Args:
        sent: what `sent_messages` gave.
        day: an ISO date.
        cents: the amounts of which each has one.
        style: how the day must be written, as in `written_day`; empty for any way.
    """
    year, month, number = map(int, day.split("-"))
    for texts in sent.values():
        found = days_in(" ".join(texts), year, month)
        if {one for one, _ in found} != {number} or not amounts_in(" ".join(texts)) & {*cents}:
            return False
        if style and {form for _, form in found} != {style}:
            return False
    return len(sent) > 1


def message_call(by: str, number: str, email: str, subject: str, text: str) -> dict[str, Any]:
    """The reference's call that sends one message, for a step with a template for each key; None is left out.

    Args:
        by: "text" for a text message; a mail otherwise.
        number: the receiver's phone number.
        email: the receiver's address.
        subject: the mail's subject.
        text: what is said.
    """
    if by == "text":
        return {"tool": "phone__send_text_message", "to": number, "message": text} | dict.fromkeys(
            ("emails", "subject", "body")
        )
    mail = {"tool": "gmail__send_email", "emails": [email], "subject": subject, "body": text}
    return mail | dict.fromkeys(("to", "message"))


def send_calls(*messages: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The calls that send messages as right.py gives them, but for what they carry.

    >>> send_calls({"to": "5550001", "channel": "text", "body": "now, please"})
    [{'tool': 'phone__send_text_message', 'phone_number': '5550001', 'message': 'now, please'}]
    """
    calls: list[dict[str, Any]] = []
    for one in messages:
        if one.get("channel") == "text":
            calls.append({"tool": "phone__send_text_message", "phone_number": one["to"], "message": one["body"]})
        else:
            to = [one["to"]] if isinstance(one["to"], str) else one["to"]
            mail = {"email_addresses": to, "subject": one["subject"], "body": one["body"]}
            calls.append({"tool": "gmail__send_email", **mail})
    return calls
