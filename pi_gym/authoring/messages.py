"""Messages of an app: those that a session sent, the sums in them, and the calls that send those of right.py."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pi_gym.authoring.amounts import amounts_in
from pi_gym.authoring.leavings import made_rows, new_lines
from pi_gym.numbers import count_words

LONGEST_REPLY = 500


def sent_messages(evidence: Any, people: Mapping[str, Iterable[str]] | None = None) -> dict[str, list[str]]:
    """The texts and mails sent in this session, by receiver.

    Args:
        evidence: what the check was given.
        people: by name, somebody's addresses and numbers; others go by the address or number itself.

    Returns:
        By receiver the texts, oldest first; a mail as its subject and, on the next line, its body.
    """
    names = {place: name for name, places in (people or {}).items() for place in places}
    sent: dict[str, list[str]] = {}
    for row in made_rows(evidence, "phone", "messages"):
        sent.setdefault(names.get(row["receiver"], row["receiver"]), []).append(row["message"])
    for row in made_rows(evidence, "gmail", "emails"):
        for one in row["recipients"]:
            sent.setdefault(names.get(one, one), []).append(f"{row['subject']}\n{row['body']}")
    return sent


def heard(
    evidence: Any, people: Mapping[str, Iterable[str]], who: str, words: str | Sequence[str], most: int = 200
) -> bool:
    """Whether somebody has a text or a mail with one of some words that is no heap of everything.

    Args:
        evidence: what the check was given.
        people: by name, somebody's addresses and numbers.
        who: the name of whom it is about.
        words: in small letters.
        most: so many words are no heap.
    """
    any_of = [words] if isinstance(words, str) else words
    said = sent_messages(evidence, people).get(who, [])
    return any(count_words(text) <= most and any(word in text.casefold() for word in any_of) for text in said)


def left_word(
    evidence: Any,
    to: str | Sequence[str],
    words: Sequence[str | Sequence[str]] = (),
    but: Sequence[str] = (),
    most: int = 150,
) -> bool:
    """Whether somebody was left a word, by whichever way: a mail, a text, a draft, a comment, a file or lines in one.

    Args:
        evidence: what the check was given.
        to: in small letters, parts of somebody's name, addresses and numbers: one of them is in the receivers, in the
            path, or in what is written.
        words: in small letters; all are in what is written, of a list any.
        but: beginnings of paths that are no word to anybody: results in which that person may be named.
        most: so many words are a word, and no heap.
    """
    names = [to] if isinstance(to, str) else to
    left = [(who, text) for who, texts in sent_messages(evidence).items() for text in texts]
    left += [
        (" ".join(row["recipients"]), f"{row['subject']}\n{row['body']}")
        for row in made_rows(evidence, "gmail", "drafts")
    ]
    left += [("", row["content"]) for row in made_rows(evidence, "todoist", "task_comments")]
    own = ("memory/", *but)  # what the agent notes for itself is no word to anybody
    left += [(path, new_lines(evidence, path)) for path in evidence.changed if not path.startswith(own)]
    asked = [[one] if isinstance(one, str) else one for one in words]
    for place, text in left:
        said = text.casefold()
        # A mail that only speaks of somebody is no word to them; a file or a draft without receivers may be.
        is_to = any(name in place.casefold() or ("@" not in place and name in said) for name in names)
        if is_to and text.strip() and count_words(text) <= most and all(any(w in said for w in one) for one in asked):
            return True
    return False


def seldom(evidence: Any, people: Mapping[str, Iterable[str]], most: int = 2) -> bool:
    """Whether nobody is written to more often, texts and mails together."""
    return all(len(said) <= most for said in sent_messages(evidence, people).values())


def tell_own_sums(
    sent: Mapping[str, Sequence[str]], owed: Mapping[str, int], also: Mapping[str, Iterable[int]] | None = None
) -> bool:
    """Whether each receiver reads the own sum, and nobody else's.

    Args:
        sent: by receiver the texts, as `sent_messages` gives them.
        owed: by name what somebody owes, in cents; who is not among them owes nothing.
        also: by name, further amounts that somebody may read.

    >>> tell_own_sums({"ann": ["98.50, please"]}, {"ann": 9850, "ben": 21000})
    True
    >>> tell_own_sums({"ann": ["98.50 from you, 210.00 from ben"]}, {"ann": 9850, "ben": 21000})
    False
    """
    sums = {cents for cents in owed.values() if cents > 0}
    for name, texts in sent.items():
        read = amounts_in(" ".join(texts))
        if owed.get(name) not in read or (read & sums) - {owed[name], *(also or {}).get(name, ())}:
            return False
    return True


def reply_tells(evidence: Any, sums: Mapping[str, int]) -> bool:
    """Whether a reply that is not too long has each of these words (in small letters) and amounts (in cents)."""
    short = [said.lower() for said in evidence.replies if count_words(said) <= LONGEST_REPLY]
    return any(all(word in said and cents in amounts_in(said) for word, cents in sums.items()) for said in short)


def told(evidence: Any, words: str | Sequence[str]) -> bool:
    """Whether a reply that is not too long has one of some words (in small letters), whatever was done after it."""
    any_of = [words] if isinstance(words, str) else words
    short = [said.lower() for said in evidence.replies if count_words(said) <= LONGEST_REPLY]
    return any(word in said for said in short for word in any_of)


def reaches(evidence: Any, some: str, none: str) -> bool:
    """Whether something went to one address or number, and nothing to another; parts of them will do."""
    to = " ".join(sent_messages(evidence))
    return some in to and none not in to


def message(channel: str, email: str, number: str, subject: str, body: str) -> dict[str, Any]:
    """A message as right.py gives it: a text to the number where the channel is "text", else a mail.

    >>> message("text", "ann@a.example", "5550001", "Money", "98.50, please")
    {'to': '5550001', 'channel': 'text', 'body': '98.50, please'}
    """
    if channel == "text":
        return {"to": number, "channel": "text", "body": body}
    return {"to": email, "subject": subject, "body": body}


def send_calls(*messages: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The calls that send messages as right.py gives them, but for what they carry.

    >>> send_calls(message("text", "", "5550001", "", "now, please"))
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
