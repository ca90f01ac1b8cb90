"""Messages as results: mails and texts that an app sent, and mails that lie in a file with their headers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pi_gym.predicates.evidence import Evidence
from pi_gym.results.content import Letter, Letters, ResultText

_HEADERS = ("to", "cc", "bcc", "from", "subject", "attached", "attachment", "attachments")


def message_in(document: ResultText) -> Letters:
    r"""The mail that a text is: lines "To: …", "Cc: …", "Subject: …" and "Attached: …", then the body.

    >>> one = message_in(ResultText("a.txt", "To: ann@b.example\nSubject: Hi\n\nDear Ann,")).each[0]
    >>> one.to, one.subject, one.body.text
    (('ann@b.example',), 'Hi', 'Dear Ann,')
    """
    lines = document.view.text.split("\n")
    heads: dict[str, str] = {}
    at = 0
    for at, line in enumerate(lines):  # noqa: B007
        name, sign, rest = line.strip(" *").partition(":")
        if not line.strip() and heads:
            break
        if not (sign and name.strip(" *").lower() in _HEADERS):
            if line.strip():
                break
            continue
        heads[name.strip(" *").lower()] = rest.strip(" *")
    attached = next((heads[name] for name in ("attached", "attachment", "attachments") if name in heads), "")
    return Letters(
        (
            Letter(
                to=_addresses(heads.get("to", "")),
                cc=_addresses(heads.get("cc", "")),
                subject=heads.get("subject", ""),
                attached=tuple(sorted(one.strip().rpartition("/")[2] for one in attached.split(",") if one.strip())),
                body=document.part("\n".join(lines[at:]).strip()),
            ),
        )
    )


def _addresses(text: str) -> tuple[str, ...]:
    found = [word.strip("<>()[],;\"'").lower() for word in text.replace(",", " ").replace(";", " ").split()]
    named = sorted({word for word in found if "@" in word or word.lstrip("+").isdigit()})
    return tuple(named) if named else tuple(sorted({one.strip().lower() for one in text.split(",") if one.strip()}))


def messages_of(given: Mapping[str, Any] | Iterable[Mapping[str, Any]], day: str = "") -> Letters:
    """Messages as right.py gives them: mappings with to, and optionally cc, subject, body, channel and attached."""
    each = [given] if isinstance(given, Mapping) else list(given)
    return Letters(
        tuple(
            Letter(
                to=_sorted(one["to"]),
                cc=_sorted(one.get("cc", ())),
                subject=one.get("subject", ""),
                channel=one.get("channel", "mail"),
                attached=_sorted(one.get("attached", ())),
                body=ResultText("", one.get("body", ""), day=day),
                extra=one.get("extra", {}),
            )
            for one in each
        )
    )


def _sorted(names: str | Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted([names] if isinstance(names, str) else names))


def sent_in(rows: Mapping[int, Mapping[str, Any]], app: str, table: str, evidence: Evidence) -> Letters:
    """Messages as rows of gmail's mails or drafts, or of the phone's texts."""
    if app == "phone":
        return Letters(
            tuple(Letter((row["receiver"],), ResultText("", row["message"]), channel="text") for row in rows.values())
        )
    files: dict[int, list[str]] = {}
    for _, one in evidence.apps[app].table("draft_attachments" if table == "drafts" else "attachments").rows():
        if one["record"] in rows:
            files.setdefault(one["record"], []).append(one["file_name"])
    return Letters(
        tuple(
            Letter(
                to=_sorted(row["recipients"]),
                subject=row["subject"],
                attached=_sorted(files.get(key, ())),
                body=ResultText("", row["body"]),
                extra={"thread": row.get("thread"), "answers": row.get("response_to")},
            )
            for key, row in rows.items()
        )
    )
