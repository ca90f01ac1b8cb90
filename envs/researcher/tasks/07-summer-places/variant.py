"""Six places for a summer, what each leaves in the purse, and which one follows from what decides."""

from __future__ import annotations

import csv
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

from pi_gym.authoring import Stream, csv_text

COLUMNS = ("place", "start", "end", "milestones", "pay_eur", "rent_eur", "travel_eur", "left_eur")
COLUMNS += ("supervision_h", "paper_wait_days", "ruled_out", "rank")
MONTHS = ("", "January", "February", "March", "April", "May", "June", "July", "August", "September")
# Name, contact, currency, how often pay and rent are due in ten weeks, what pay is rounded to, who pays the journey.
PLACES = {
    "orrin": ("Orrin Audio Research", "Harriet Pell", "GBP", 10, 10, 1, False),
    "kestrel": ("Kestrel Speech Lab", "Lukas Amsler", "CHF", 2.3, 2.3, 10, True),
    "tanager": ("Tanager Devices", "Annika Roos", "SEK", 400, 2.3, 1, False),
    "halcyon": ("Halcyon Rooms", "Mette Krag", "DKK", 2.3, 1, 10, False),
    "marram": ("Marram Institute", "Corinne Astier", "EUR", 1, 2.3, 10, True),
    "fennick": ("Fennick Labs", "Piotr Zalewski", "PLN", 5, 10, 10, False),
}
RATES = {"GBP": (8412, 8790), "CHF": (9280, 9740), "SEK": (111200, 116900), "DKK": (74590, 74680)}
RATES |= {"EUR": (10000, 10000), "PLN": (41500, 43400), "NOK": (115100, 118800), "USD": (10710, 10990)}
# What a part means, in euros for ten weeks: left, rent; meetings a week; days that a paper waits.
PARTS = {
    "clash": ((5000, 5600), (1000, 1400), ((3, 80), (2, 115)), (0, 0)),
    "refused": ((4250, 4700), (1200, 1700), ((2, 100), (3, 70)), (12, 16)),
    "rich": ((3500, 3900), (900, 1200), ((1, 75), (2, 40)), (75, 90)),
    "guided": ((2700, 3000), (2900, 3300), ((2, 95), (3, 65)), (50, 60)),
    "open": ((1100, 1500), (1400, 1900), ((1, 40), (2, 25)), (0, 0)),
    "middling": ((1900, 2200), (1500, 2000), ((2, 60), (3, 45)), (25, 35)),
}
# The places that stay in, the best first, by what decides.
ORDERS = {
    "money": ("rich", "guided", "middling", "open"),
    "supervision": ("guided", "middling", "rich", "open"),
    "publication": ("open", "middling", "guided", "rich"),
}
ARMED = ("the defence materiel agency", "a maker of sonar for navies", "Greywater Systems, who supply the armed forces")
CIVIL = ("the national research council", "a foundation for inner-ear medicine", "the city's transport office")
CIVIL += ("two makers of hearing aids", "the ministry of culture", "the regional innovation fund")
MILESTONES = {"T5": "2026-06-24", "T6": "2026-07-02", "T7": "2026-07-06", "T8": "2026-08-14", "T9": "2026-09-01"}
MILESTONES |= {"T10": "2026-09-08", "T11": "2026-09-16"}
# Stems that tell of one side of Nora's work.
PITCHES = {
    "delay": ["delay", "latenc", "late", "lag"],
    "rooms": ["room", "record", "door", "tram"],
    "listeners": ["listen", "hearing aid", "wearer"],
}
CLASH = date(2026, 7, 13)
STAY = timedelta(days=67)
TABLE, PAGE = "summer/comparison.csv", "summer/recommendation.md"


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """The six offers; which place plays which part turns with the summer's cast."""
    rates = {code: (stream.integer(*span)) / 10000 for code, span in RATES.items()}
    funders, held = stream.shuffled(CIVIL), stream.shuffled(range(4, 16))
    places: dict[str, Any] = {}
    for index, (key, facts) in enumerate(PLACES.items()):
        part = [*PARTS][(index + preferences.persona.summer_cast) % len(PARTS)]
        funder = stream.choice(ARMED) if part == "refused" else funders[index]
        places[key] = _place(stream, key, part, rates[facts[2]]) | {"funder": funder, **_held(held[index])}
    shifted = [(code, str(round(rate * stream.uniform(0.93, 0.97), 4))) for code, rate in rates.items() if rate != 1]
    return {
        "places": places,
        "rates": [(code, str(rate)) for code, rate in rates.items() if rate != 1],
        "old_rates": shifted,
        "clash_start_words": _words(CLASH),
        "clash_end_words": _words(CLASH + STAY),
        "clash_start_dots": CLASH.strftime("%d.%m.%Y"),
        "clash_end_dots": (CLASH + STAY).strftime("%d.%m.%Y"),
    }, {}


def _words(day: date) -> str:
    return f"{day.day} {MONTHS[day.month]} {day.year}"


def _held(day: int) -> dict[str, str]:
    until = date(2026, 5, day)
    return {"held": until.isoformat(), "held_words": _words(until), "held_dots": until.strftime("%d.%m.%Y")}


def _place(stream: Stream, key: str, part: str, rate: float) -> dict[str, Any]:
    """An offer in its own currency and terms; what is left follows from the figures as they are written."""
    name, contact, _, pay_times, rent_times, step, paid = PLACES[key]
    left, rent, meetings, waits = PARTS[part]
    tax = stream.integer(5, 13)
    travel = stream.integer(14, 34) * 10
    rent_figure = max(5, round(stream.integer(*rent) * rate / rent_times / 5) * 5)
    own = rent_figure * rent_times + (0 if paid else travel * rate)
    gross = (stream.integer(*left) * rate + own) * 100 / (100 - tax)
    sessions, minutes = stream.choice(meetings)
    wait = stream.integer(*waits)
    return {
        "name": name,
        "contact": contact,
        "part": part,
        "dates": "fixed" if part == "clash" else "free",
        "rate": rate,
        "pay_times": pay_times,
        "rent_times": rent_times,
        "pay_figure": round(gross / pay_times / step) * step,
        "tax": tax,
        "rent_figure": rent_figure,
        "rent_stale": round(rent_figure * 0.55 / 50) * 50,
        "travel_figure": round(travel * rate / 10) * 10,
        "paid_travel": paid,
        "sessions": sessions,
        "minutes": minutes,
        "wait": wait,
        "wait_stale": 0 if wait else 60,
        "number": stream.integer(100, 999),
    }


def work(world: Any, values: Any, draw: frozenset[str]) -> dict[str, Any]:
    """The table, who wins and how it is said, for the values at hand."""
    persona = values.persona
    sums = {key: _sums(place) for key, place in world.places.items()}
    keys = {place["part"]: key for key, place in world.places.items()}
    start = date.fromisoformat(persona.summer_start)
    stays = {key: CLASH if place["part"] == "clash" else start for key, place in world.places.items()}
    order = [keys[part] for part in ORDERS[persona.summer_rule]]
    (winner, second), style = order[:2], persona.date_style
    return {
        "order": order,
        "out": {"clash": keys["clash"], "refused": keys["refused"]},
        "stays": {key: [day.isoformat(), (day + STAY).isoformat()] for key, day in stays.items()},
        "milestones": {key: _within(day) for key, day in stays.items()},
        "sums": sums,
        "names": {key: place["name"] for key, place in world.places.items()},
        "start_words": f"Monday, {start.day} {MONTHS[start.month]}",
        "pitch_words": PITCHES[persona.summer_pitch],
        "other_pitch_words": [stem for key, stems in PITCHES.items() if key != persona.summer_pitch for stem in stems],
        "winner": {"key": winner, "name": world.places[winner]["name"], "left": sums[winner][3]},
        "second": {
            "name": world.places[second]["name"],
            "contact": world.places[second]["contact"],
            "held": _day(date.fromisoformat(world.places[second]["held"]), style),
            "held_pattern": _any_day(date.fromisoformat(world.places[second]["held"])),
        },
        "clash_name": world.places[keys["clash"]]["name"],
        "refused_name": world.places[keys["refused"]]["name"],
        "why": {
            "money": "it leaves the most",
            "supervision": "nobody else takes so much time for one intern",
            "publication": "what I write there may go out at once",
        }[persona.summer_rule],
        "others": "Of the rest, "
        + ", ".join(f"{world.places[key]['name']} leaves {sums[key][3]} EUR" for key in order[1:])
        + ".",
        "stay": f"{_day(start, style)} to {_day(start + STAY, style)}",
        "stay_patterns": [_styled(day, style) for day in (start, start + STAY)],
        "foreign_dates": _other_styles(style),
        "table": _table(world, sums, stays, order, keys),
        "printed": "".join(f"{key} {' '.join(map(str, row))}\n" for key, row in sums.items()),
        "waits": {key: place["wait"] for key, place in world.places.items()},
        "hours": {key: place["sessions"] * place["minutes"] / 60 for key, place in world.places.items()},
    }


def _sums(place: Any) -> list[int]:
    """Pay after tax, rent, travel and what is left, in whole euros."""
    rate = place["rate"]
    pay = place["pay_times"] * place["pay_figure"] * (100 - place["tax"]) / 100 / rate
    rent = place["rent_times"] * place["rent_figure"] / rate
    travel = 0 if place["paid_travel"] else place["travel_figure"] / rate
    return [int(f"{amount:.0f}") for amount in (pay, rent, travel, pay - rent - travel)]


def _within(start: date) -> list[str]:
    return [key for key, day in MILESTONES.items() if start <= date.fromisoformat(day) <= start + STAY]


def _table(world: Any, sums: Any, stays: Any, order: list[str], keys: dict[str, str]) -> str:
    why = {keys["clash"]: "committee meeting on 16 September", keys["refused"]: "paid for by the armed forces' side"}
    rows = []
    for key, place in world.places.items():
        start, ids = stays[key], " ".join(_within(stays[key]))
        hours = f"{place['sessions'] * place['minutes'] / 60:.2f}"
        rank = order.index(key) + 1 if key in order else ""
        stay = [start.isoformat(), (start + STAY).isoformat()]
        rows.append([key, *stay, ids, *sums[key], hours, place["wait"], why.get(key, ""), rank])
    return csv_text(COLUMNS, rows)


def _day(day: date, style: str) -> str:
    american = f"{MONTHS[day.month]} {day.day}, {day.year}"
    return {"iso": day.isoformat(), "day-month": _words(day), "month-day": american}[style]


def _styled(day: date, style: str) -> str:
    """A pattern for a day in one style; the year may stand once for two days."""
    forms = {
        "iso": rf"\b{day.isoformat()}\b",
        "day-month": rf"\b{day.day}(?:st|nd|rd|th)?(?:\s+of)?\s+{MONTHS[day.month][:3]}[a-z]*\b",
        "month-day": rf"\b{MONTHS[day.month][:3]}[a-z]*\.?\s+{day.day}(?:st|nd|rd|th)?\b",
    }
    return forms[style]


def _any_day(day: date) -> str:
    return "|".join(_styled(day, style) for style in ("iso", "day-month", "month-day"))


def _other_styles(style: str) -> str:
    """A pattern for dates that are in none but the other styles."""
    short = "|".join(f"{name[:3]}[a-z]*" for name in MONTHS[1:])
    forms = {
        "iso": r"\b\d{4}-\d{1,2}-\d{1,2}\b",
        "day-month": rf"\b\d{{1,2}}(?:st|nd|rd|th|\.)?(?:\s+of)?\s+(?:{short})\b",
        "month-day": rf"\b(?:{short})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b",
    }
    return "|".join([*(form for name, form in forms.items() if name != style), r"\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b"])


# -- rules -------------------------------------------------------------------------------------------------------------


def _rows(evidence: Any) -> dict[str, dict[str, str]]:
    """The lines of the table by place; none where its columns or places are not the given ones, once each."""
    lines = list(csv.reader((evidence.text(TABLE) or "").splitlines()))
    body = [[cell.strip() for cell in line] for line in lines[1:] if any(cell.strip() for cell in line)]
    if not lines or tuple(cell.strip() for cell in lines[0]) != COLUMNS:
        return {}
    if [line[0] for line in body] != [*PLACES] or any(len(line) != len(COLUMNS) for line in body):
        return {}
    return {line[0]: dict(zip(COLUMNS, line, strict=True)) for line in body}


def _number(text: str) -> float:
    bare = text.replace(",", "").replace(" ", "")
    return float(bare) if bare.replace(".", "", 1).removeprefix("-").isdecimal() else -1e9


def check_column(evidence: Any, column: str, wanted: dict[str, float], tolerance: float) -> bool:
    """One column of the table has these numbers."""
    rows = _rows(evidence)
    return bool(rows) and all(abs(_number(rows[key][column]) - float(wanted[key])) <= tolerance for key in wanted)


def check_sums(evidence: Any, sums: dict[str, list[int]]) -> bool:
    """Pay, rent, travel and what is left, within two euros."""
    return all(
        check_column(evidence, column, {key: row[at] for key, row in sums.items()}, 2)
        for at, column in enumerate(("pay_eur", "rent_eur", "travel_eur", "left_eur"))
    )


def check_stays(evidence: Any, stays: dict[str, list[str]]) -> bool:
    rows = _rows(evidence)
    return bool(rows) and all([rows[key]["start"], rows[key]["end"]] == [*stay] for key, stay in stays.items())


def check_milestones(evidence: Any, milestones: dict[str, list[str]]) -> bool:
    told = {key: row["milestones"].replace(",", " ").replace(";", " ").split() for key, row in _rows(evidence).items()}
    return bool(told) and all({*told[key]} == {*ids} for key, ids in milestones.items())


def check_out(evidence: Any, place: str, free: list[str]) -> bool:
    """A place is ruled out, with a reason and without a rank; those that may stay in have a rank and no reason."""
    rows = _rows(evidence)
    stay = bool(rows) and all(rows[key]["rank"] and not rows[key]["ruled_out"] for key in free)
    return stay and len(rows[place]["ruled_out"]) > 3 and not rows[place]["rank"]


def check_ranks(evidence: Any, order: list[str]) -> bool:
    """The places that stay in stand in this order."""
    rows = _rows(evidence)
    ranks = [_number(rows[key]["rank"]) for key in order] if rows else []
    return bool(ranks) and ranks[0] > 0 and all(one < two for one, two in pairwise(ranks))


def _first_named(evidence: Any, at: int, names: dict[str, str]) -> str:
    """The place that a paragraph of the one page names first."""
    if sum(path.startswith("summer/") and path.endswith(".md") for path in evidence.created) > 1:
        return ""
    text = (evidence.text(PAGE) or "").partition("<!--")[0].lower()
    plain = "\n".join("" if line.startswith("#") else line for line in text.splitlines())
    parts = [part for part in plain.split("\n\n") if part.strip()]
    if len(parts) < 2 or len(text) > 6000:
        return ""
    found = sorted((parts[at].find(name.split()[0].lower()), key) for key, name in names.items())
    return next((key for place, key in found if place >= 0), "")


def check_named(evidence: Any, winner: str, names: dict[str, str]) -> bool:
    """The winner is what the page's first or last paragraph names first."""
    return winner in (_first_named(evidence, 0, names), _first_named(evidence, -1, names))


def check_verdict(evidence: Any, winner: str, place: str, names: dict[str, str]) -> bool:
    """The verdict opens the page ("top") or closes it ("end"), and stands there only."""
    ends = [_first_named(evidence, at, names) == winner for at in (0, -1)]
    return ends == [place == "top", place == "end"]
