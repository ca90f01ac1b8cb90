"""The seed world of Gmail: threads written by hand, what life.yaml tells of orders and bills, and ordinary days."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from pi_gym.seeding import Stream

Seeds = Mapping[str, Any]
Row = dict[str, Any]
FIRST_SENDER, FIRST_EMAIL = 101, 2_001
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
BULK_UNREAD, RECENT = ("updates", "promotions", "social", "forums"), "2026-02-16"


def tables(
    seeds: Seeds, people: Mapping[str, Mapping[str, Any]], life: Mapping[str, Any], stream: Stream
) -> dict[str, list[Row]]:
    """The tables of the app.

    Args:
        seeds: the content of seeds/gmail.yaml.
        people: by key, from seeds/people.yaml; all have an account.
        life: from seeds/life.yaml, for its orders and electricity bills.
        stream: for everything that is drawn.
    """
    accounts = list(_accounts(seeds, people, stream))
    emails = {one["key"]: one["email"] for one in accounts}
    threads = [*map(_written, seeds["explicit"]), *(_written({**one, "foreign": True}) for one in seeds["others"])]
    threads += [*_ordinary(seeds, stream), *_orders(seeds, life, stream), *_electricity(seeds, life, stream)]
    threads.sort(key=lambda thread: (thread["mails"][0]["at"], thread["subject"]))
    mails, files = _mails(threads, emails)
    drafts, draft_files = _drafts(seeds, threads, emails)
    return {
        "accounts": [{name: one[name] for name in one if name != "key"} for one in accounts],
        "emails": mails,
        "thread_states": [_state(number, one, stream) for number, one in enumerate(threads, 1) if not one["foreign"]],
        "drafts": drafts,
        "attachments": files,
        "draft_attachments": draft_files,
    }


def _accounts(seeds: Seeds, people: Mapping[str, Mapping[str, Any]], stream: Stream) -> Iterator[Row]:
    """Everybody's mailbox: people from 1 on, the other senders after them."""

    def password(key: str) -> str:
        own = stream.child("password", key)
        return str(seeds["accounts"].get(key, "".join(own.choice("abcdefghkmnpqrstuvwxyz23456789") for _ in range(10))))

    names = ("first_name", "last_name", "email", "phone_number")
    for number, (key, one) in enumerate(people.items(), start=1):
        yield {"key": key, "id": number, **{name: one[name] for name in names}, "password": password(key)}
    for number, (key, given) in enumerate(seeds["senders"].items(), start=FIRST_SENDER):
        columns = dict(zip(names, [*given, ""], strict=True))
        yield {"key": key, "id": number, **columns, "password": password(key)}


def _written(given: Mapping[str, Any]) -> Row:
    """A thread as the seeds have it."""
    mails = [
        {"at": at.replace(" ", "T") + ":00", "from": who, "to": to.split(), "body": body, "files": (rest or [{}])[0]}
        for at, who, to, body, *rest in given["m"]
    ]
    return _thread(given["s"], mails, given)


def _thread(subject: str, mails: Sequence[Row], given: Mapping[str, Any]) -> Row:
    return {
        "subject": subject,
        "mails": [{"files": {}, **mail, "to": [one for one in mail["to"] if one != mail["from"]] or mail["to"]}
                  for mail in sorted(mails, key=lambda mail: mail["at"])],
        "label": given.get("l", ""),
        "flags": given.get("f", []),
        "category": given.get("c", "primary"),
        "foreign": given.get("foreign", False),
        "drawn": given.get("drawn", False),
    }  # fmt: skip


class _Cycle:
    """A list gone through in random order or, `in_turn`, in its own, again and again."""

    def __init__(self, options: Sequence[Any], stream: Stream, in_turn: bool = False) -> None:
        self._options, self._stream, self._in_turn = options, stream, in_turn
        self._left: list[Any] = []

    def next(self) -> Any:
        if not self._left:
            self._left = list(self._options) if self._in_turn else self._stream.shuffled(self._options)
        return self._left.pop(0)


def _ordinary(seeds: Seeds, stream: Stream) -> Iterator[Row]:
    """The threads of the series."""
    for series in seeds["series"]:
        own = stream.child("series", series["key"])
        turns = series.get("turns", [])
        drawn = {name: _Cycle(all_, own.child("draw", name), name in turns) for name, all_ in series["draw"].items()}
        texts = [_Cycle(mail[3], own.child("text", at)) for at, mail in enumerate(series["m"])]
        for number, day in enumerate(_days(seeds, series), start=1):
            words = {name: cycle.next() for name, cycle in drawn.items()}
            words |= words.get("case", {})
            words |= {"n": number, "month_name": f"{MONTHS[day.month - 1]} {day.year}"}
            mails = list(_series_mails(seeds, series, day, words, texts, own.child("thread", number)))
            yield _thread(series["s"].format(**words), mails, {**series, "drawn": True})


def _days(seeds: Seeds, series: Mapping[str, Any]) -> Iterator[date]:
    """The days on which a series has a thread."""
    day, last = date.fromisoformat(series["first"]), str(series.get("until", seeds["to"]))
    quiet = series.get("not", ["9999", "9999"])
    while day.isoformat() <= last:
        lunch = day + timedelta(days=3)
        due = "every" in series or (lunch.weekday() == 4 and lunch.day <= 7)
        if due and not quiet[0] <= day.isoformat() <= quiet[1]:
            yield day
        day += timedelta(days=series.get("every", 1))


def _series_mails(
    seeds: Seeds, series: Mapping[str, Any], day: date, words: Row, texts: Sequence[_Cycle], own: Stream
) -> Iterator[Row]:
    start = datetime.fromisoformat(f"{day.isoformat()}T{series['at']}:00") + timedelta(minutes=own.integer(0, 40))
    for (hours, who, to, _, *rest), text in zip(series["m"], texts, strict=True):
        at = start + timedelta(hours=hours, minutes=own.integer(0, 50) if hours else 0, seconds=own.integer(0, 59))
        at = _awake(at) if hours else at
        happens = own.integer(1, 10) <= (rest[0] if rest else 10)
        sender, answered = who.format(**words), to.format(**words).split()
        if happens and at.date().isoformat() <= seeds["to"] and not ("{" in to and sender == answered[0]):
            body = text.next().format(**words)
            yield {"at": at.isoformat(), "from": sender, "to": _all_of(seeds, answered, day), "body": body}


def _awake(at: datetime) -> datetime:
    """People do not answer at night; the machines' first mails may come early."""
    return at.replace(hour=8) if at.hour < 7 else at


def _all_of(seeds: Seeds, to: Sequence[str], day: date) -> list[str]:
    """Recipients, `group` standing for those who work there by then."""
    there = [key for key, since in seeds["lab"].items() if since <= day.isoformat()]
    return list(dict.fromkeys(one for key in to for one in (there if key == "group" else [key])))


def _orders(seeds: Seeds, life: Mapping[str, Any], stream: Stream) -> Iterator[Row]:
    """Confirmation and delivery of what Nora bought."""
    plan = seeds["shop"]
    sent = _Cycle(plan["sent"], stream.child("sent"))
    for order in life["orders"]:
        own, day = stream.child("order", order["date"]), date.fromisoformat(order["date"])
        words = {
            "date": f"{day.day} {MONTHS[day.month - 1]} {day.year}",
            "names": ", ".join(item["product"] for item in order["items"]),
            "lines": "\n".join(_line(item) for item in order["items"]),
            "total": f"{sum(round(item['price'] * 100) * item['quantity'] for item in order['items']) / 100:.2f}",
        }
        # Behind the order itself, whenever on that day it was placed, and before the first possible delivery.
        first = f"{day.isoformat()}T23:{own.integer(10, 59)}:{own.integer(10, 59)}"
        later = f"{(day + timedelta(days=1)).isoformat()}T06:{own.integer(10, 59)}:00"
        shop = {"from": "shop", "to": ["nora"]}
        yield _thread(
            f"Your order of {words['date']}",
            [{**shop, "at": first, "body": plan["confirmed"].format(**words)},
             {**shop, "at": later, "body": sent.next().format(**words)}],
            {"l": "shopping", "c": "updates", "drawn": True},
        )  # fmt: skip


def _line(item: Mapping[str, Any]) -> str:
    size = f", size {item['size']}" if "size" in item else ""
    return f"{item['quantity']} x {item['product']}{size}: {item['price']:.2f}"


def _electricity(seeds: Seeds, life: Mapping[str, Any], stream: Stream) -> Iterator[Row]:
    """Reading, bill and payment of each quarter that life.yaml has an expense for."""
    plan = seeds["electricity"]
    cycles = {name: _Cycle(texts, stream.child("electricity", name)) for name, texts in plan.items()}
    for expense in life["expenses"]:
        if not expense["what"].startswith("Electricity"):
            continue
        words = {"reading": life["meter"][expense["date"]], "amount": f"{expense['amount']:.2f}"}
        payer, other = (("nora", "maren"), ("maren", "nora"))[expense["paid_by"] == "maren"]
        mails = [
            ("08:12:00", "nora", ["henrik", "maren"], "reading"),
            ("14:30:00", "henrik", ["nora", "maren"], "bill"),
            ("19:45:00", payer, [other], f"paid_{payer}"),
        ]
        yield _thread(
            expense["what"],
            [{"at": f"{expense['date']}T{at}", "from": who, "to": to, "body": cycles[text].next().format(**words)}
             for at, who, to, text in mails],
            {"l": "flat", "drawn": True},
        )  # fmt: skip


def _mails(threads: Sequence[Row], emails: Mapping[str, str]) -> tuple[list[Row], list[Row]]:
    """The rows of mails and their files, mails by time; each mail gets its id, for the drafts that answer it."""
    listed = [(mail, number, thread) for number, thread in enumerate(threads, 1) for mail in thread["mails"]]
    listed.sort(key=lambda one: (one[0]["at"], one[1]))
    for number, (mail, _, _) in enumerate(listed, FIRST_EMAIL):
        mail["id"] = number
    rows, files = [], []
    for mail, number, thread in listed:
        before = [one for one in thread["mails"] if one["id"] < mail["id"] and one["from"] != mail["from"]]
        seen = [one for one in before if mail["from"] in one["to"]]
        rows.append(
            {
                "id": mail["id"],
                "thread": number,
                "sender": emails[mail["from"]],
                "recipients": [emails[key] for key in mail["to"]],
                "subject": f"Re: {thread['subject']}" if before else thread["subject"],
                "body": mail["body"],
                "response_to": seen[-1]["id"] if seen else None,
                "category": thread["category"],
                "created_at": mail["at"],
            }
        )
        files += [{"record": mail["id"], **_file(name, text)} for name, text in mail["files"].items()]
    return rows, [{"id": number, **file} for number, file in enumerate(files, 1)]


def _file(name: str, text: str) -> Row:
    return {"file_name": name, "bytes": len(text.encode()), "text": text}


def _state(number: int, thread: Row, stream: Stream) -> Row:
    """What Nora made of a thread; its id is the thread's. What is long past is more often archived."""
    own, last = stream.child("state", thread["subject"], thread["mails"][0]["at"]), thread["mails"][-1]["at"]
    flags, bulk = thread["flags"], thread["category"] in BULK_UNREAD
    archived = own.integer(1, 10) <= (1 if last >= RECENT else 6 if last < "2025-09" else 3)
    unread = bulk and own.integer(1, 10) <= (7 if last >= RECENT else 2)
    return {
        "id": number,
        "account": 1,
        "thread": number,
        "read": "unread" not in flags and not unread,
        "starred": "star" in flags or (thread["drawn"] and not bulk and own.integer(1, 60) == 1),
        "archived": not {"unread", "inbox", "spam"} & set(flags) and archived and not unread,
        "spam": "spam" in flags,
        "label": thread["label"],
    }


def _drafts(seeds: Seeds, threads: Sequence[Row], emails: Mapping[str, str]) -> tuple[list[Row], list[Row]]:
    rows, files = [], []
    numbers = {thread["subject"]: number for number, thread in enumerate(threads, 1)}
    for number, draft in enumerate(sorted(seeds["drafts"], key=lambda draft: draft["at"]), 1):
        thread = numbers[draft["answers"]] if "answers" in draft else None
        mails = [] if thread is None else [one for one in threads[thread - 1]["mails"] if one["from"] != "nora"]
        at = draft["at"].replace(" ", "T") + ":00"
        rows.append(
            {
                "id": number,
                "account": 1,
                "recipients": [emails[key] for key in draft["to"].split()],
                "subject": f"Re: {draft['answers']}" if thread else draft["subject"],
                "body": draft["body"],
                "thread": thread,
                "response_to": mails[-1]["id"] if mails else None,
                "scheduled_send_at": draft["send"].replace(" ", "T") + ":00" if "send" in draft else None,
                "created_at": at,
                "updated_at": at,
            }
        )
        files += [{"record": number, **_file(name, text)} for name, text in draft.get("file", {}).items()]
    return rows, [{"id": number, **file} for number, file in enumerate(files, 1)]
