"""The forms of mail that services share: addresses, subjects of answers, the head of a forwarded mail."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pi_gym.tools.declare import ToolError

MAX_ADDRESS_CHARS, MAX_SUBJECT_CHARS, MAX_RECIPIENTS = 254, 200, 50
FORWARDED = "---------- Forwarded message ----------"


def is_address(text: str) -> bool:
    """Whether a text looks like an e-mail address: no blanks, nothing invisible, no letters that imitate others."""
    name, _, place = text.partition("@")
    inner = "." in place and not place.startswith(".") and not place.endswith(".")
    plain = len(text) <= MAX_ADDRESS_CHARS and text.isascii() and text.isprintable() and not set(text) & set(' <>,;:"')
    return bool(name) and inner and "@" not in place and plain


def bare(text: str) -> str:
    """An address as it is kept and compared, without the name that mails show in front of it.

    >>> bare("Liv Berg <Liv@notes.example>")
    'liv@notes.example'
    """
    cleaned = text.strip().casefold()
    return cleaned[cleaned.rindex("<") + 1 : -1].strip() if cleaned.endswith(">") and "<" in cleaned else cleaned


def addresses(given: Iterable[str], find: str) -> list[str]:
    """Addresses as they are kept, each once, in order; they need no mailbox yet.

    Args:
        given: as they were written, with or without names in front.
        find: the operation that finds addresses by name, for the message.

    Raises:
        ToolError: one is no address, or there are too many.
    """
    found = list(dict.fromkeys(map(bare, given)))
    for one in found:
        if not is_address(one):
            raise ToolError(f"{one[:80]!r} is no e-mail address; {find} finds addresses by name.")
    if len(found) > MAX_RECIPIENTS:
        raise ToolError(f"At most {MAX_RECIPIENTS} addresses are possible, not {len(found)}.")
    return found


def answer_to(subject: str) -> str:
    """The subject of a reply: "Re:" in front, once."""
    return subject if subject[:3].casefold() == "re:" else f"Re: {subject}".strip()[:MAX_SUBJECT_CHARS]


def forwarded(subject: str) -> str:
    """The subject of a forwarded mail: "Fwd:" in front, once."""
    return subject if subject[:4].casefold() == "fwd:" else f"Fwd: {subject}".strip()[:MAX_SUBJECT_CHARS]


def forwarded_head(sender: str, sent_at: str, subject: str, recipients: Sequence[str]) -> str:
    """The lines above the text of a forwarded mail."""
    lines = [FORWARDED, f"From: {sender}", f"Date: {sent_at}", f"Subject: {subject}", f"To: {', '.join(recipients)}"]
    return "\n".join(lines) + "\n\n"
