"""What a pack's `variant.py` may use beside the standard library: numbers, days and tables written and read one way."""

from __future__ import annotations

import csv
import io
import statistics
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from pi_gym.numbers import fixed
from pi_gym.seeding import Stream


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A GitHub-style table with a final newline.

    >>> print(markdown_table(["run", "score"], [["a", 1]]), end="")
    | run | score |
    | --- | --- |
    | a | 1 |
    """
    lines = ["| " + " | ".join(columns) + " |", "| " + " | ".join("---" for _ in columns) + " |"]
    lines += ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Any]], delimiter: str = ",") -> str:
    r"""A CSV file's text, with `\n` line ends.

    >>> csv_text(["run", "note"], [["a", "x, y"]])
    'run,note\na,"x, y"\n'
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return buffer.getvalue()


def latex_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A booktabs tabular, left-aligned, with a final newline."""

    def line(cells: Sequence[Any]) -> str:
        return " & ".join(str(cell).replace("&", r"\&").replace("%", r"\%").replace("_", r"\_") for cell in cells)

    body = [line(row) + r" \\" for row in rows]
    head = [r"\begin{tabular}{" + "l" * len(columns) + "}", r"\toprule", line(columns) + r" \\", r"\midrule"]
    return "\n".join([*head, *body, r"\bottomrule", r"\end{tabular}"]) + "\n"


def mean_cell(found: Sequence[float], decimals: int, spread: str, *, latex: bool = False) -> str:
    """A table's cell with the mean and what it varies by.

    Args:
        found: the values, two or more.
        decimals: of all figures in the cell.
        spread: "std" (of a sample), "sem" (that over the root of n) or "range" (least to most).
        latex: whether it is written for LaTeX.

    >>> mean_cell([18.1, 18.4, 18.9], 1, "std"), mean_cell([18.1, 18.4, 18.9], 1, "range")
    ('18.5 ± 0.4', '18.5 (18.1–18.9)')
    """
    mean = fixed(_clean(statistics.fmean(found)), decimals)
    if spread == "range":
        return f"{mean} ({fixed(min(found), decimals)}{'--' if latex else '–'}{fixed(max(found), decimals)})"
    sign = r"$\pm$" if latex else "±"
    return f"{mean} {sign} {fixed(_deviation(found, spread), decimals)}"


def mean_pattern(found: Sequence[float], decimals: int) -> str:
    """An expression (RE2) for cells that begin with the mean so rounded and have no figure of another precision."""
    mean = _rounded(statistics.fmean(found), decimals)
    return rf"^[^0-9.]*{mean}(?:[^0-9.]+[0-9]+\.[0-9]{{{decimals}}})*[^0-9]*$"


def spread_pattern(found: Sequence[float], spread: str) -> str:
    """An expression (RE2) for cells where this spread, in any precision, and nothing else stands behind the mean."""
    ways = []
    for decimals in (1, 2, 3):
        if spread == "range":
            ways.append(rf"{_rounded(min(found), decimals)}[^0-9]+{_rounded(max(found), decimals)}")
        else:
            ways.append(_rounded(_deviation(found, spread), decimals))
    return rf"^[^0-9.]*[0-9]+\.?[0-9]*[^0-9.]+(?:{'|'.join(ways)})[^0-9]*$"


def _deviation(found: Sequence[float], spread: str) -> float:
    deviation = statistics.stdev(found)
    return _clean(deviation / len(found) ** 0.5 if spread == "sem" else deviation)


def _clean(value: float) -> float:
    """A computed value without the dust of floating point, so that a tie is seen as one."""
    return round(value, 9)


def _rounded(value: float, decimals: int) -> str:
    """How a value may be rounded: either way at a tie."""
    options = sorted({fixed(_clean(value + shift), decimals) for shift in (0.0, -1e-8)})
    return "(?:" + "|".join(option.replace(".", r"\.") for option in options) + ")"


def is_written(text: str | None) -> bool:
    """Whether a deliverable's text is more than an emptied draft, which is at most one line that says so.

    Files cannot be deleted by tools, so a draft that was given up is still there.

    Args:
        text: what `evidence.text(path)` gave; None, for a file too long or binary, is something written.
    """
    if text is None or "tabular" in text:
        return True
    return sum(bool(line.strip()) for line in text.splitlines()) > 1 or sum(char.isdigit() for char in text) > 20


def made_rows(evidence: Any, app: str, table: str) -> list[dict[str, Any]]:
    """The rows of an app that this session made and left, deleted ones among them where the app keeps those."""
    now, start = (apps[app].table(table) for apps in (evidence.apps, evidence.apps_start))
    return [row for before, row in now.diff(start).values() if before is None and row]


def sent_messages(evidence: Any, apart: int | None = None) -> dict[str, list[str]]:
    """What was texted and mailed in this session, by the receiver's number or address.

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


def new_csv_rows(evidence: Any, folder: str) -> list[list[str]]:
    """The rows of the one new CSV file in a folder, cells stripped and in small letters; [[]] without just one."""
    paths = [path for path in evidence.created if path.startswith(folder) and path.endswith(".csv")]
    texts = [text or "" for path in sorted(paths) if is_written(text := evidence.text(path))]
    lines = (texts[0].strip().lower() if len(texts) == 1 else "").splitlines() or [""]
    reader = csv.reader(lines, delimiter=";" if ";" in lines[0] else ",")
    return [[cell.strip() for cell in row] for row in reader] or [[]]


def amounts_in(text: str) -> set[int]:
    """All numbers of a text as amounts in cents; a point or comma before one or two last digits is the decimal one.

    >>> sorted(amounts_in("1,204.50 for the hut, 98,5 for petrol, by 9 April"))
    [900, 9850, 120450]
    """
    found = set()
    for run in "".join(char if char in "0123456789.," else " " for char in text).split():
        whole, _, part = run.strip(".,").replace(",", ".").rpartition(".")
        if not whole or len(part) > 2:
            whole, part = whole + part, ""
        if 0 < len(digits := whole.replace(".", "")) < 10:
            found.add(int(digits) * 100 + int(part.ljust(2, "0")))
    return found


def written_day(day: date, style: str) -> str:
    """A day with its year, as "iso" (2026-04-09), "day-month" (9 April 2026) or "month-day" (April 9, 2026)."""
    words = {"day-month": f"{day.day} {day:%B} {day.year}", "month-day": f"{day:%B} {day.day}, {day.year}"}
    return words.get(style, day.isoformat())


def days_in(text: str, year: int, month: int) -> set[tuple[int, str]]:
    """The days of one month that a text names, each with the style of `written_day`, or "figures" (9.4.).

    >>> sorted(days_in("by 9 April, no later than the 10th of april", 2026, 4))
    [(9, 'day-month'), (10, 'day-month')]
    """
    name = date(year, month, 1).strftime("%B").lower()
    words = [w for w in "".join(c if c.isalnum() else " " for c in text.lower()).split() if w not in ("of", "the")]
    bare = [word[:-2] if word[-2:] in ("st", "nd", "rd", "th") else word for word in words] + ["", ""]
    days = [int(word) if word.isdecimal() and len(word) <= 2 else 0 for word in bare]
    found = set()
    for at, word in enumerate(words):
        if word == str(year) and bare[at + 1] == f"{month:02d}":
            found.add((days[at + 2], "iso"))
        elif word in (name, name[:3]):
            found.add((days[at - 1], "day-month") if at and days[at - 1] else (days[at + 1], "month-day"))
    for run in text.replace("/", ".").split():
        day, _, rest = run.strip(".,;:!?()").removesuffix(f".{year}").partition(".")
        if rest in (str(month), f"{month:02d}") and day.isdecimal() and int(day) <= 31:
            found.add((int(day), "figures"))
    return {one for one in found if one[0]}


__all__ = [
    "Stream",
    "amounts_in",
    "csv_text",
    "days_in",
    "fixed",
    "is_written",
    "latex_table",
    "made_rows",
    "markdown_table",
    "mean_cell",
    "mean_pattern",
    "message_call",
    "name_day",
    "new_csv_rows",
    "reached",
    "sent_messages",
    "spread_pattern",
    "written_day",
]
