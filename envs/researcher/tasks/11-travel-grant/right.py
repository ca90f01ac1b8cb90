"""Quotes, dates and the budget of the travel-grant statement, and the rules on its form."""

from datetime import date, timedelta

from pi_gym.authoring import (
    Change,
    File,
    amounts_in,
    count_words,
    csv_records,
    fixed,
    kept_share,
    keyed_texts,
    prose_sections,
    written_day,
)

OTHER_RATES = (("DKK", "7.461"), ("NOK", "11.742"), ("USD", "1.083"))
ROWS = ("travel", "registration", "lodging")
DRAFT = "grant/statement_draft.md"
MAX_CHARS = 40_000


def world(stream, preferences):
    """The meeting, the quotes, and what the January draft says about both."""
    place = stream.choice(csv_records(preferences.data["places.csv"]))
    days = stream.integer(3, 4)
    # Over before her ten weeks elsewhere may begin.
    start = date(2026, 6, stream.choice([8, 9, 10, 15, 16, 17]))
    end, wrong = start + timedelta(days - 1), start - timedelta(7)
    p = preferences.p
    money = _money(stream, place, days)
    spellings = csv_records(preferences.data["spellings.csv"])
    signed_off = csv_records(preferences.data["signed_off.csv"])
    facts = {
        "city": place["city"],
        "currency": place["currency"],
        "days": days,
        "start": str(start),
        "end": str(end),
        "wrong": [str(wrong), str(wrong + timedelta(days - 1))],
        "closes": f"2026-05-{stream.integer(6, 9):02d}",
        "swap": f"2026-05-{stream.integer(18, 27)}",
        "deadline": p.deadline,
        "page_saved": f"{stream.integer(10, 18)} March 2026",
        "page_news": f"{stream.integer(2, 20)} February 2026",
        "who": {"stand-in": [p.stand_in, *p.stand_in.split()]},
        "called": p.stand_in.split()[0],
        "said": keyed_texts(preferences.data["said.csv"]),
        "draft": _mixed_spelling(stream, spellings),
        "spelled": {way: {pair["British"]: pair[way] for pair in spellings} for way in ("British", "American")},
        "signed_off": {
            heading: [one["sentence"] for one in signed_off if one["heading"] == heading]
            for heading in ("The problem", "What comes after")
        },
    }
    quotes = _quotes(stream, date.fromisoformat(p.deadline))
    travel = fixed(quotes[quotes["middle"]]["fare"], 2)
    return facts | money | quotes | {
        "costs": {"travel": travel, "registration": money["own_fee"], "lodging": fixed(money["room"] * days, 2)},
        # How far the total of January is off the sum of its own rows.
        "draft_slip": stream.choice([-90, -50, 40, 100]),
    }, {}


def _money(stream, place, days):
    rate = stream.integer(int(place["least rate"]), int(place["greatest rate"])) / 1000
    fee = stream.integer(int(place["least fee"]), int(place["greatest fee"]))
    dinner = fee // stream.integer(5, 7)
    room, breakfast = stream.integer(870, 1090) / 10, stream.integer(110, 165) / 10
    nights = days + 1
    return {
        "rates": sorted([*OTHER_RATES, (place["currency"], str(rate))]),
        "fee": fee,
        "dinner": dinner,
        "registration_number": f"R-118-{stream.integer(1000, 9999)}",
        "hotel_number": f"{stream.integer(20000, 89999)}",
        "quoted_nights": nights,
        "room": room,
        "breakfast": breakfast,
        "own_fee": fixed(fee / rate, 2),
    }


def _quotes(stream, deadline):
    """Three quotes: the cheapest has run out by the deadline, the middle one is right, the third is dearer."""
    modes = stream.shuffled(["rail", "air", "coach"])
    fares = [stream.integer(*bounds) / 10 for bounds in ((1720, 1990), (2230, 2590), (2790, 3240))]
    expired = deadline - timedelta(1)
    ends = [expired, deadline + timedelta(stream.integer(0, 2)), date(2026, 4, stream.integer(2, 20))]
    quotes = {"expired": str(expired), "cheapest": modes[0], "middle": modes[1]}
    for mode, fare, last in zip(modes, fares, ends, strict=True):
        insurance = stream.integer(90, 140) / 10
        quotes[mode] = {
            "number": f"{stream.integer(100, 999)}/{stream.integer(10000, 99999)}",
            "fare": fare,
            "insurance": insurance,
            "last": str(last),
        }
    return quotes | {"draft_mode": {"rail": "Train", "air": "Flight", "coach": "Night coach"}[modes[0]]}


def _mixed_spelling(stream, spellings):
    """Half of the words British, half American, in the sections that stay and in those that may go."""
    mixed = {}
    for section in ("stays", "may go"):
        pairs = [pair for pair in spellings if pair["section"] == section]
        for position, pair in enumerate(stream.shuffled(pairs)):
            mixed[pair["British"]] = pair["American" if position % 2 else "British"]
    return mixed


# -- the right statement -----------------------------------------------------------------------------------------------


def right(world, wishes):
    """The budget and the wording. Who knows nothing of a wish leaves what January wrote, or takes what comes first."""
    costs, group, style = world.costs, wishes.group_pays or "travel", wishes.date_style or "day-month"
    days = {"submitted": "2026-01-12", "student_day": "2025-11-14"}
    days |= {name: getattr(world, name) for name in ("closes", "swap", "deadline")}
    hotel, closes = (written_day(day, style) for day in ("2026-04-30", world.closes))
    start = date.fromisoformat(world.start)
    first = {"day-month": f"{start.day}", "month-day": f"June {start.day}", "iso": world.start}[style]
    return {
        "note": "" if wishes.note_to_amara else None,
        "costs": costs,
        "total": fixed(sum(float(costs[row]) for row in ROWS), 2),
        "asked": fixed(sum(float(costs[row]) for row in ROWS if row != group), 2),
        "group": group,
        "group_amount": costs[group],
        "fund_rows": [row for row in ROWS if row != group],
        "word": File(f"to-{world.who['stand-in'][1].lower()}-shalm.md") if wishes.stand_in else None,
        "notes": Change(append=f"- hotel until {hotel}, registration until {closes}\n") if wishes.days_ahead else None,
        "words": world.spelled[wishes.spelling] if wishes.spelling else world.draft,
        "period": f"{first} to {written_day(world.end, style)}",
        "day": {name: written_day(day, style) for name, day in days.items()},
    }


# -- the statement against the draft and its own table -----------------------------------------------------------------


def _statement(evidence):
    """The statement, nothing where it is far too long, and its paragraphs by section."""
    text = evidence.text(DRAFT) or ""
    text = "" if len(text) > MAX_CHARS else text
    return text, prose_sections(text)


def _words(sections):
    return sum(count_words(paragraph) for paragraphs in sections.values() for paragraph in paragraphs)


def check_still_hers(evidence):
    """The draft, revised and not written anew, and no longer than it was."""
    sections, start = _statement(evidence)[1], evidence.start.text(DRAFT) or ""
    lines = [line for line in start.splitlines() if line and not line.startswith(("#", "|"))]
    paragraphs = [paragraph for found in sections.values() for paragraph in found]
    return _words(sections) <= _words(prose_sections(start)) and kept_share(lines, paragraphs) >= 0.45


def check_within(evidence, limit):
    """As many words as the call allows, headings and table not counted."""
    return _words(_statement(evidence)[1]) <= limit


def _totals(text):
    """What the table's last row asks of the fund, and what it leaves to the group; "" where there is no such row."""
    lines = [line.strip().strip("|").split("|") for line in text.splitlines()]
    rows = [[cell.strip(" *").replace(",", "") for cell in line] for line in lines if len(line) == 4]
    return next((row[2:] for row in rows if row[0].lower() == "total"), ["", ""])


def check_ask(evidence, place):
    """The sum asked, as the table has it, opens the statement ("top") or closes it ("end"), and stands there only."""
    text, sections = _statement(evidence)
    asked = _totals(text)[0]
    parts = [(title, " ".join(part).replace(",", "")) for title, part in sections.items() if part]
    # What the call wants filled in (other support, a line beside the table) is no place of honour, wherever it stands.
    found = [
        asked in part
        for title, part in parts
        if not title.startswith("other support") and ("budget" not in title or asked in part)
    ]
    return bool(asked) and len(found) > 1 and sum(found) == 1 and found[0 if place == "top" else -1]


def check_sums(evidence, path=""):
    """The file, or without a path some reply, has the two sums of the statement's table."""
    texts = [evidence.text(path) or ""] if path else evidence.replies
    totals = _totals(_statement(evidence)[0])
    return any(all(one and amounts_in(one) <= amounts_in(text) for one in totals) for text in texts)
