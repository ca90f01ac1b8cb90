"""Quotes, dates and the budget of the travel-grant statement, and the rules on its form."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any

from pi_gym.authoring import Stream, amounts_in, fixed, written_day

# City, currency of its fees, the rate's bounds in thousandths, a student fee's bounds.
PLACES = (
    ("Gothenburg", "SEK", (11120, 11690), (3350, 3900)),
    ("Basel", "CHF", (928, 974), (285, 330)),
    ("Leeds", "GBP", (841, 879), (250, 295)),
)
OTHER_RATES = (("DKK", "7.461"), ("NOK", "11.742"), ("USD", "1.083"))
# British and American.
PAIRS = """
recogniser/recognizer recognisers/recognizers modelling/modeling labelled/labeled behaviour/behavior
analysed/analyzed organise/organize favourable/favorable generalises/generalizes centre/center
colour/color neighbouring/neighboring organisers/organizers
"""
SPELLINGS = {pair.partition("/")[0]: pair.partition("/")[2] for pair in PAIRS.split()}
STAYING = ("recogniser", "recognisers", "modelling", "labelled", "behaviour", "analysed", "organise", "favourable")
ROWS = ("travel", "registration", "lodging")
DRAFT, NOTE = "grant/statement_draft.md", "grant/note_to_amara.txt"
MAX_CHARS = 40_000


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """The meeting, the quotes, and what the January draft says about both."""
    city, currency, rate_bounds, fee_bounds = stream.choice(PLACES)
    days = stream.integer(3, 4)
    start = date(2026, 6, stream.choice([9, 10, 15, 16, 17, 22, 23, 24]))
    end, wrong = start + timedelta(days - 1), start - timedelta(7)
    deadline = date.fromisoformat(preferences.p.deadline)
    money = _money(stream, currency, rate_bounds, fee_bounds, days)
    p = preferences.p
    kinds = {"poster": "as a POSTER (one afternoon, A0)", "oral": "as an ORAL presentation (15 + 5 minutes)"}
    facts = {
        "city": city, "currency": currency, "days": days, "deadline": p.deadline,
        "start": start.isoformat(), "end": end.isoformat(),
        "wrong": [wrong.isoformat(), (wrong + timedelta(days - 1)).isoformat()],
        "closes": f"2026-05-{stream.integer(6, 9):02d}", "swap": f"2026-05-{stream.integer(18, 27)}",
        "page_saved": f"{stream.integer(10, 18)} March 2026", "page_news": f"{stream.integer(2, 20)} February 2026",
        "kind_wrong": {"poster": "as an oral presentation", "oral": "as a poster"}[p.kind], "kind_mail": kinds[p.kind],
        "who": {"stand-in": [p.stand_in, *p.stand_in.split()]},
        "draft": _mixed_spelling(stream),
    }  # fmt: skip
    return facts | money | _quotes(stream, deadline) | _draft_sums(stream, money), {}


def _money(
    stream: Stream, currency: str, rate_bounds: tuple[int, int], fee_bounds: tuple[int, int], days: int
) -> dict[str, Any]:
    rate = Decimal(stream.integer(*rate_bounds)) / 1000
    fee = stream.integer(*fee_bounds)
    dinner = fee // stream.integer(5, 7)
    room, breakfast = Decimal(stream.integer(870, 1090)) / 10, Decimal(stream.integer(110, 165)) / 10
    nights = days + 1
    return {
        "rates": sorted([*OTHER_RATES, (currency, str(rate))]),
        "fee": fee, "fee_late": fee + 10 * (fee // 70),
        "fee_regular": 2 * fee, "fee_regular_late": 2 * fee + 10 * (fee // 50),
        "dinner": dinner, "proforma": fee + dinner, "registration_number": f"R-118-{stream.integer(1000, 9999)}",
        "hotel_number": f"{stream.integer(20000, 89999)}", "quoted_nights": nights,
        "room": fixed(room, 2), "room_quoted": fixed(room * nights, 2),
        "breakfast": fixed(breakfast, 2), "breakfast_quoted": fixed(breakfast * nights, 2),
        "hotel_total": fixed((room + breakfast) * nights, 2),
        "registration_cost": fixed(fee / rate, 2), "lodging_cost": fixed(room * days, 2),
    }  # fmt: skip


def _quotes(stream: Stream, deadline: date) -> dict[str, Any]:
    """Three quotes: the cheapest has run out by the deadline, the middle one is right, the third is dearer."""
    modes = stream.shuffled(["rail", "air", "coach"])
    fares = [Decimal(stream.integer(*bounds)) / 10 for bounds in ((1720, 1990), (2230, 2590), (2790, 3240))]
    expired = deadline - timedelta(1)
    ends = [expired, deadline + timedelta(stream.integer(0, 2)), date(2026, 4, stream.integer(2, 20))]
    quotes: dict[str, Any] = {}
    for mode, fare, last in zip(modes, fares, ends, strict=True):
        insurance = Decimal(stream.integer(90, 140)) / 10
        quotes[mode] = {
            "number": f"{stream.integer(100, 999)}/{stream.integer(10000, 99999)}",
            "fare": fixed(fare, 2),
            "insurance": fixed(insurance, 2),
            "total": fixed(fare + insurance, 2),
            "validity": {
                "rail": f"This offer holds until {written_day(last, 'day-month')}, midnight.",
                "air": f"Bookable up to and including {last.strftime('%d/%m/%Y')} (day/month/year).",
                "coach": f"valid thru: {last.isoformat()}",
            }[mode],
        }
    names = {"rail": "Train", "air": "Flight", "coach": "Night coach"}
    return quotes | {
        "expired_short": f"{expired.day} March",
        "travel_cost": fixed(fares[1], 2),
        "draft_mode": names[modes[0]],
        "draft_travel": quotes[modes[0]]["total"],
    }


def _draft_sums(stream: Stream, money: Mapping[str, Any]) -> dict[str, Any]:
    """The January table: dinner, breakfast and a night too many, and a total that is none of its own rows."""
    registration = fixed(Decimal(money["registration_cost"]) * Decimal(money["proforma"]) / Decimal(money["fee"]))
    rough = int(registration) + round(float(money["hotel_total"])) + 62 + 38 * money["quoted_nights"] + 190
    return {
        "draft_registration": registration,
        "draft_lodging": money["hotel_total"],
        "draft_ask": rough + stream.choice([-90, -50, 40, 100]),
    }


def _mixed_spelling(stream: Stream) -> dict[str, str]:
    """Half of the words British, half American, in the sections that stay and in those that may go."""
    mixed = {}
    for keys in (STAYING, [key for key in SPELLINGS if key not in STAYING]):
        for position, key in enumerate(stream.shuffled(keys)):
            mixed[key] = SPELLINGS[key] if position % 2 else key
    return mixed


# -- the right statement -----------------------------------------------------------------------------------------------


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The budget and the wording. Who knows nothing of a wish leaves what January wrote, or takes what comes first."""
    costs = {"travel": world.travel_cost, "registration": world.registration_cost, "lodging": world.lodging_cost}
    group, style = wishes.group_pays or "travel", wishes.date_style or "day-month"
    asked = fixed(sum(Decimal(costs[row]) for row in ROWS if row != group), 2)
    spelled = {key: other if wishes.spelling == "American" else key for key, other in SPELLINGS.items()}
    days = {"submitted": "2026-01-12", "student_day": "2025-11-14"}
    days |= {name: getattr(world, name) for name in ("closes", "swap", "deadline")}
    note = f"The group takes {group}, {costs[group]} EUR.\nAsked of the fund: {asked} EUR.\n"
    note += f"Due at the fund: {written_day(world.deadline, style)}, 16:00.\n"
    return {
        "note": note if wishes.note_to_amara else None,
        "costs": costs,
        "total": fixed(sum(Decimal(cost) for cost in costs.values()), 2),
        "asked": asked,
        "group": group,
        "group_amount": costs[group],
        "fund_rows": [row for row in ROWS if row != group],
        "cut": wishes.cut_section or "outreach",
        "give_back": wishes.give_back or "report",
        "words": spelled if wishes.spelling else world.draft,
        "period": _period(date.fromisoformat(world.start), date.fromisoformat(world.end), style),
        "day": {name: written_day(day, style) for name, day in days.items()},
    }


def _period(start: date, end: date, style: str) -> str:
    if style == "day-month":
        return f"{start.day} to {written_day(end, style)}"
    return f"{f'June {start.day}' if style == 'month-day' else start.isoformat()} to {written_day(end, style)}"


# -- the statement against the draft and its own table -----------------------------------------------------------------


def _tokens(text: str) -> list[str]:
    return [token for token in text.split() if any(char.isalnum() for char in token)]


@lru_cache(maxsize=256)
def _content(text: str) -> frozenset[str]:
    """The words that carry a sentence, free of marks."""
    plain = "".join(char if char.isalnum() else " " for char in text.lower())
    return frozenset(word for word in plain.split() if len(word) > 3)


def _sections(text: str) -> list[tuple[str, list[str]]]:
    """Headings, in lower case, with the paragraphs under them; tables left out."""
    sections: list[tuple[str, list[str]]] = [("", [])]
    paragraph: list[str] = []
    for line in [*(raw.strip() for raw in text.splitlines()), ""]:
        if line and not line.startswith(("#", "|")):
            paragraph.append(line)
            continue
        if paragraph:
            sections[-1][1].append(" ".join(paragraph))
            paragraph = []
        if line.startswith("#"):
            sections.append((line.lstrip("# ").lower(), []))
    return sections


def _paragraphs(text: str) -> list[str]:
    return [paragraph for _, paragraphs in _sections(text) for paragraph in paragraphs]


def _start_lines(evidence: Any, heading: str = "") -> list[str]:
    """The sentences of the draft as the session found it, of one section or of all."""
    lines, title = [], ""
    for line in (evidence.start.text(DRAFT) or "").splitlines():
        if line.startswith("#"):
            title = line.lstrip("# ").lower()
        elif line and not line.startswith("|") and heading in ("", title):
            lines.append(line)
    return lines


def _statement(evidence: Any) -> str:
    """The statement as a reader sees it: without what is commented out. Nothing where it is far too long."""
    text = evidence.text(DRAFT) or ""
    if len(text) > MAX_CHARS:
        return ""
    first, *rest = text.split("<!--")
    return first + "".join(part.partition("-->")[2] for part in rest)


def _kept(lines: list[str], paragraphs: list[str]) -> float:
    """The share of sentences that are still there, respelt or mended or not."""
    bags = [_content(paragraph) for paragraph in paragraphs]
    wanted = [_content(line) for line in lines]
    found = sum(any(len(words & bag) >= 0.7 * len(words) for bag in bags) for words in wanted)
    return found / len(lines) if lines else 0.0


def check_still_hers(evidence: Any) -> bool:
    """The draft, revised and not written anew, and no longer than it was."""
    paragraphs, start = _paragraphs(_statement(evidence)), _start_lines(evidence)
    words = sum(len(_tokens(paragraph)) for paragraph in paragraphs)
    return words <= sum(len(_tokens(line)) for line in start) and _kept(start, paragraphs) >= 0.45


def check_within(evidence: Any, limit: int) -> bool:
    """As many words as the call allows, headings and table not counted."""
    return sum(len(_tokens(paragraph)) for paragraph in _paragraphs(_statement(evidence))) <= limit


def check_signed_off(evidence: Any) -> bool:
    """The two sections that the advisor has signed off stand word for word."""
    text = " ".join(_statement(evidence).split())
    lines = _start_lines(evidence, "the problem") + _start_lines(evidence, "what comes after")
    return all(line in text for line in lines)


def check_cut(evidence: Any, gone: str) -> bool:
    """One of the three optional sections is gone, the other two stand."""
    paragraphs = _paragraphs(_statement(evidence))
    names = {"earlier": "earlier work", "outreach": "outreach", "visit": "a visit next door"}
    shares = {key: _kept(_start_lines(evidence, heading), paragraphs) for key, heading in names.items()}
    return all(share == 0 if key == gone else share >= 0.75 for key, share in shares.items())


def _totals(evidence: Any) -> tuple[str, str]:
    """What the table's last row asks of the fund, and what it leaves to the group; "" where there is no such row."""
    lines = [line.strip().strip("|").split("|") for line in _statement(evidence).splitlines()]
    rows = [[cell.strip(" *").replace(",", "") for cell in line] for line in lines if len(line) == 4]
    found: list[str] = next((row for row in rows if row[0].lower() == "total"), ["", "", "", ""])
    return found[2], found[3]


def _gives_totals(evidence: Any, text: str) -> bool:
    return all(one and amounts_in(one) <= amounts_in(text) for one in _totals(evidence))


def check_ask(evidence: Any, place: str) -> bool:
    """The sum asked, as the table has it, opens the statement ("top") or closes it ("end"), and stands there only."""
    asked, _ = _totals(evidence)
    parts = [(title, " ".join(part).replace(",", "")) for title, part in _sections(_statement(evidence)) if part]
    # What the call wants filled in (other support, a line beside the table) is no place of honour, wherever it stands.
    found = [
        asked in part
        for title, part in parts
        if not title.startswith("other support") and ("budget" not in title or asked in part)
    ]
    return bool(asked) and len(found) > 1 and sum(found) == 1 and found[0 if place == "top" else -1]


def check_note_agrees(evidence: Any) -> bool:
    """The note has the two sums of the statement's table."""
    return _gives_totals(evidence, evidence.text(NOTE) or "")


def check_told(evidence: Any) -> bool:
    """A reply has the two sums of the statement's table."""
    return any(_gives_totals(evidence, text) for text in evidence.replies)
