"""Quotes, dates and the budget of the travel-grant statement, and the rules on its form."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any

from pi_gym.authoring import Stream, fixed

# Written out: names made by the calendar would follow the locale of the machine.
MONTHS: tuple[str, ...] = ("January", "February", "March", "April", "May", "June", "July")
MONTHS += ("August", "September", "October", "November", "December")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
SHORT_MONTHS = "|".join(f"{name[:3]}[a-z]*" for name in MONTHS)
# City, currency of its fees, the rate's bounds in thousandths, a student fee's bounds.
PLACES = (
    ("Gothenburg", "SEK", (11120, 11690), (3350, 3900)),
    ("Basel", "CHF", (928, 974), (285, 330)),
    ("Leeds", "GBP", (841, 879), (250, 295)),
)
OTHER_RATES = (("DKK", "7.461"), ("NOK", "11.742"), ("USD", "1.083"))
SPELLINGS = {
    "recogniser": ("recogniser", "recognizer"),
    "recognisers": ("recognisers", "recognizers"),
    "modelling": ("modelling", "modeling"),
    "labelled": ("labelled", "labeled"),
    "behaviour": ("behaviour", "behavior"),
    "analysed": ("analysed", "analyzed"),
    "organise": ("organise", "organize"),
    "favourable": ("favourable", "favorable"),
    "generalises": ("generalises", "generalizes"),
    "centre": ("centre", "center"),
    "colour": ("colour", "color"),
    "neighbouring": ("neighbouring", "neighboring"),
    "organisers": ("organisers", "organizers"),
}
BRITISH = (
    r"\b(?:(?:recogni|organi|generali|reali|emphasi|optimi|summari|minimi|maximi|normali|finali|prioriti)s(?:e|ed|er|ers"
    r"|es|ing|ation|ations)\b|analys(?:e|ed|er|ing)\b|model(?:led|ling|ler)|label(?:led|ling)|travel(?:led|ling|ler)"
    r"|behaviour|favour|colour|neighbour|honour|centre|programme)"
)
AMERICAN = (
    r"\b(?:(?:recogni|organi|generali|reali|emphasi|optimi|summari|minimi|maximi|normali|finali|prioriti)z(?:e|ed|er|ers"
    r"|es|ing|ation|ations)\b|analyz(?:e|es|ed|er|ing)\b|(?:model|label|travel)(?:ed|ing|er|ers)\b"
    r"|behavior|favor|color|neighbor|honor|center|programs?\b)"
)
ROWS = ("travel", "registration", "lodging")
WORDS_FOR = {
    "travel": ["travel", "train", "rail", "flight", "coach", "fare", "journey", "ticket"],
    "registration": ["regist", "fee"],
    "lodging": ["lodg", "hotel", "accommodation", "room"],
}
DRAFT, CALL = "grant/statement_draft.md", "grant/call_spring_2026.md"
MAX_CHARS = 40_000


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """The meeting, the quotes, and what the January draft says about both."""
    city, currency, rate_bounds, fee_bounds = stream.choice(PLACES)
    days = stream.integer(3, 4)
    start = date(2026, 6, stream.choice([9, 10, 15, 16, 17, 22, 23, 24]))
    end, wrong = start + timedelta(days - 1), start - timedelta(7)
    deadline = date.fromisoformat(preferences.p.deadline)
    money = _money(stream, currency, rate_bounds, fee_bounds, days)
    return {
        "city": city,
        "currency": currency,
        "days": days,
        "start": start.isoformat(),
        "end": end.isoformat(),
        "start_day": start.day,
        "end_day": end.day,
        "start_weekday": WEEKDAYS[start.weekday()],
        "end_weekday": WEEKDAYS[end.weekday()],
        "wrong_start_day": wrong.day,
        "wrong_end_day": (wrong + timedelta(days - 1)).day,
        "deadline_long": f"{WEEKDAYS[deadline.weekday()]}, {_day_month(deadline)}",
        "registration_closes": (closes := date(2026, 5, stream.integer(6, 9))).isoformat(),
        "closes_day": closes.day,
        "swap": (swap := date(2026, 5, stream.integer(18, 27))).isoformat(),
        "swap_day": swap.day,
        "page_saved": f"{stream.integer(10, 18)} March 2026",
        "page_news": f"{stream.integer(2, 20)} February 2026",
        "kind_wrong": {"poster": "as an oral presentation", "oral": "as a poster"}[preferences.p.kind],
        "kind_mail": {"poster": "as a POSTER (one afternoon, A0)", "oral": "as an ORAL presentation (15 + 5 minutes)"}[
            preferences.p.kind
        ],
        "draft": _mixed_spelling(stream),
        **money,
        **_quotes(stream, deadline),
    } | _draft_sums(stream, money), {}


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
        "fee": fee,
        "fee_late": fee + 10 * (fee // 70),
        "fee_regular": 2 * fee,
        "fee_regular_late": 2 * fee + 10 * (fee // 50),
        "dinner": dinner,
        "proforma": fee + dinner,
        "registration_number": f"R-118-{stream.integer(1000, 9999)}",
        "hotel_number": f"{stream.integer(20000, 89999)}",
        "quoted_nights": nights,
        "room": fixed(room, 2),
        "room_quoted": fixed(room * nights, 2),
        "breakfast": fixed(breakfast, 2),
        "breakfast_quoted": fixed(breakfast * nights, 2),
        "hotel_total": fixed((room + breakfast) * nights, 2),
        "registration_cost": fixed(fee / rate, 2),
        "lodging_cost": fixed(room * days, 2),
    }


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
                "rail": f"This offer holds until {_day_month(last)}, midnight.",
                "air": f"Bookable up to and including {last.strftime('%d/%m/%Y')} (day/month/year).",
                "coach": f"valid thru: {last.isoformat()}",
            }[mode],
        }
    names = {"rail": "Train", "air": "Flight", "coach": "Night coach"}
    return quotes | {
        "expired_short": f"{expired.day} {MONTHS[expired.month - 1]}",
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
    staying = ["recogniser", "recognisers", "modelling", "labelled", "behaviour", "analysed", "organise", "favourable"]
    others = [key for key in SPELLINGS if key not in staying]
    mixed = {}
    for keys in (staying, others):
        for position, key in enumerate(stream.shuffled(keys)):
            mixed[key] = SPELLINGS[key][position % 2]
    return mixed


def work(world: Any, values: Any, draw: frozenset[str]) -> dict[str, Any]:
    """The budget and the wording for the values at hand."""
    persona, p = values.persona, values.p
    costs = {"travel": world.travel_cost, "registration": world.registration_cost, "lodging": world.lodging_cost}
    asked = sum(Decimal(costs[row]) for row in ROWS if row != p.group_pays)
    start, end, swap = (date.fromisoformat(text) for text in (world.start, world.end, world.swap))
    wrong = start - timedelta(7)
    style = persona.date_style
    return {
        "costs": costs,
        "total": fixed(sum(Decimal(cost) for cost in costs.values()), 2),
        "asked": fixed(asked, 2),
        "group_amount": costs[p.group_pays],
        "group_words": WORDS_FOR[p.group_pays],
        "fund_rows": [row for row in ROWS if row != p.group_pays],
        # Where Nora has no wish, the assistant decides by itself.
        "cut": p.cut if "cut-section" in draw else "outreach",
        "give_back": p.give_back if "give-back" in draw else "report",
        "words": {key: pair[persona.spelling == "American"] for key, pair in SPELLINGS.items()},
        "period": _period(start, end, style),
        "day": {
            name: _day(date.fromisoformat(text), style)
            for name, text in (
                ("closes", world.registration_closes),
                ("swap", world.swap),
                ("submitted", "2026-01-12"),
                ("student_day", "2025-11-14"),
                ("deadline", p.deadline),
            )
        },
        "period_pattern": "|".join(_period_pattern(start, end, one) for one in ("iso", "day-month", "month-day")),
        "styled_period": _period_pattern(start, end, style),
        "wrong_pattern": "|".join(
            [_any_day(wrong), *(_period_pattern(wrong, wrong + (end - start), s) for s in ("day-month", "month-day"))]
        ),
        "swap_pattern": _any_day(swap),
        "stand_in_pattern": p.stand_in.replace(" ", "|"),
        "deadline_pattern": _any_day(date.fromisoformat(p.deadline)),
        "foreign_dates": _other_styles(style),
        "right_spelling": BRITISH if persona.spelling == "British" else AMERICAN,
        "wrong_spelling": AMERICAN if persona.spelling == "British" else BRITISH,
    }


def _day_month(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _day(day: date, style: str) -> str:
    if style == "iso":
        return day.isoformat()
    return _day_month(day) if style == "day-month" else f"{MONTHS[day.month - 1]} {day.day}, {day.year}"


def _period(start: date, end: date, style: str) -> str:
    if style == "iso":
        return f"{start.isoformat()} to {end.isoformat()}"
    month = MONTHS[start.month - 1]
    if style == "day-month":
        return f"{start.day} to {end.day} {month} {start.year}"
    return f"{month} {start.day} to {month} {end.day}, {start.year}"


def _any_day(day: date) -> str:
    """A pattern for a day in any of the usual forms."""
    month = f"(?:{MONTHS[day.month - 1]}|{MONTHS[day.month - 1][:3]}\\.?)"
    forms = (
        rf"\b{day.isoformat()}\b",
        rf"\b0?{day.day}(?:st|nd|rd|th|\.)?(?:\s+of)?\s+{month}\b",
        rf"\b{month}\s+(?:the\s+)?{day.day}(?:st|nd|rd|th)?\b",
    )
    return "|".join(forms)


def _period_pattern(start: date, end: date, style: str) -> str:
    """A pattern for a period within one month in one style."""
    between = r"\s*(?:,?\s*(?:to|until|till|through|and|up to)|-|–|—)\s*(?:the\s+)?"
    if style == "iso":
        return rf"\b{start.isoformat()}{between}{end.isoformat()}\b"
    month, ordinal = MONTHS[start.month - 1], "(?:st|nd|rd|th)?"
    if style == "day-month":
        return rf"\b{start.day}{ordinal}(?:\s+{month})?(?:\s+{start.year})?{between}{end.day}{ordinal}\s+{month}\b"
    return rf"\b{month}\s+{start.day}{ordinal}(?:,?\s+{start.year})?{between}(?:{month}\s+)?{end.day}{ordinal}\b"


def _other_styles(style: str) -> str:
    """A pattern for dates that are not in this style."""
    forms = {
        "iso": r"\b\d{4}-\d{1,2}-\d{1,2}\b",
        "day-month": rf"\b\d{{1,2}}(?:st|nd|rd|th|\.)?(?:\s+of)?\s+(?:{SHORT_MONTHS})\b",
        "month-day": rf"\b(?:{SHORT_MONTHS})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b",
    }
    never = [r"\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b"]
    return "|".join([*(form for name, form in forms.items() if name != style), *never])


# -- rules on the statement's form -------------------------------------------------------------------------------------


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


def check_revised(evidence: Any) -> bool:
    """Within the call's words, without the forbidden praise, and still the same statement."""
    call = evidence.start.text(CALL) or ""
    limit = int(call.partition("at most ")[2].split()[0])
    text = _statement(evidence)
    paragraphs = _paragraphs(text)
    count = sum(len(_tokens(paragraph)) for paragraph in paragraphs)
    if not 0.6 * limit <= count <= limit or "reviewer" in text.lower():
        return False
    if _kept(_start_lines(evidence, "what others say"), paragraphs) > 0:
        return False
    return _kept(_start_lines(evidence), paragraphs) >= 0.45


def check_same_statement(evidence: Any) -> bool:
    """Not longer than the draft was, and still the same statement."""
    paragraphs = _paragraphs(_statement(evidence))
    start = _start_lines(evidence)
    words = sum(len(_tokens(paragraph)) for paragraph in paragraphs)
    return words <= sum(len(_tokens(line)) for line in start) and _kept(start, paragraphs) >= 0.45


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


def _ask_at(evidence: Any) -> tuple[bool, bool]:
    """Whether the sum asked, as the table's total has it, stands in the first and in the last section of prose."""
    text = _statement(evidence)
    rows = [[cell.strip(" *") for cell in line.strip().strip("|").split("|")] for line in text.splitlines()]
    header: list[str] = next((row for row in rows if len(row) == 4 and row[0].lower() == "item"), [])
    total: list[str] = next((row for row in rows if len(row) == 4 and row[0].lower() == "total"), [])
    if not header or not total or not header[2].lower().startswith("fund"):
        return False, False
    asked = total[2].replace(",", "")
    if not any(char.isdigit() for char in asked):
        return False, False
    parts = [(title, " ".join(part).replace(",", "")) for title, part in _sections(text) if part]
    # What the call wants filled in (other support, a line beside the table) is no place of honour, wherever it stands.
    found = [
        asked in part
        for title, part in parts
        if not title.startswith("other support") and ("budget" not in title or asked in part)
    ]
    return (found[0], found[-1]) if len(found) > 1 else (False, False)


def check_ask(evidence: Any, place: str) -> bool:
    """The ask opens the statement ("top") or closes it ("end"), and stands in one place only."""
    return _ask_at(evidence) == (place == "top", place == "end")
