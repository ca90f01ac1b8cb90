"""Six places for a summer, what each leaves in the purse, and which one follows from what decides."""

from __future__ import annotations

import csv
from datetime import date, timedelta
from typing import Any

from pi_gym.authoring import Stream, amounts_in, csv_text, days_in, written_day

COLUMNS = ("place", "start", "end", "milestones", "pay_eur", "rent_eur", "travel_eur", "left_eur")
COLUMNS += ("supervision_h", "paper_wait_days", "ruled_out", "rank")
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
# Only a mail says what is behind these names.
ARMED = ("Greywater Systems", "the Hollen Group", "the Aldermoor Foundation")
CIVIL = ("the Bellweather Foundation", "Sanna & Rhode", "the regional innovation fund", "the Lysgaard Foundation")
CIVIL += ("the national research council", "the Tessel Group")
MILESTONES = {"T5": "2026-06-24", "T6": "2026-07-02", "T7": "2026-07-06", "T8": "2026-08-14", "T9": "2026-09-08"}
MILESTONES |= {"T10": "2026-08-24", "T11": "2026-09-16"}
PLANNED = {"T10": "2026-09-14"}  # before the office moved it into everybody's summer
# Words that tell of one side of Nora's work.
SIDES = {
    "delay": ["delay-", "latenc-", "late-", "lag-"],
    "rooms": ["room-", "record-", "door-", "tram-"],
    "listeners": ["listen-", "hearing aid-", "wearer-"],
}
CLASH = date(2026, 7, 13)
STAY = timedelta(days=67)
TABLE, PAGE = "summer/comparison.csv", "summer/recommendation.md"


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """The six offers; which place plays which part turns with the summer's cast."""
    rates = {code: (stream.integer(*span)) / 10000 for code, span in RATES.items()}
    old = {code: rate if rate == 1 else round(rate * stream.uniform(0.93, 0.97), 4) for code, rate in rates.items()}
    funders, held = stream.shuffled(CIVIL), stream.shuffled(range(4, 16))
    places: dict[str, Any] = {}
    for index, (key, facts) in enumerate(PLACES.items()):
        part = [*PARTS][(index + preferences.persona.summer_cast) % len(PARTS)]
        places[key] = _place(stream, key, part, rates[facts[2]]) | {"old_rate": old[facts[2]]}
        until = date(2026, 5, held[index])
        places[key] |= {"held": until.isoformat(), "held_dots": until.strftime("%d.%m.%Y")}
        places[key]["funder"] = stream.choice(ARMED) if part == "refused" else funders[index]
    keys = {place["part"]: key for key, place in places.items()}
    return {
        "places": places,
        "rates": [(code, str(rate)) for code, rate in rates.items() if rate != 1],
        "old_rates": [(code, str(rate)) for code, rate in old.items() if rate != 1],
        "clash_start": CLASH.isoformat(), "clash_start_dots": CLASH.strftime("%d.%m.%Y"),
        "clash_end": (CLASH + STAY).isoformat(), "clash_end_dots": (CLASH + STAY).strftime("%d.%m.%Y"),
        "clash": keys["clash"], "clash_name": places[keys["clash"]]["name"],
        "refused": keys["refused"], "refused_name": places[keys["refused"]]["name"],
        "seconds": {key: {"held": place["held"], "contact": place["contact"]} for key, place in places.items()},
        "sides": SIDES,
    }, {}  # fmt: skip


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
        "name": name, "contact": contact, "part": part, "dates": "fixed" if part == "clash" else "free",
        "rate": rate, "pay_times": pay_times, "rent_times": rent_times, "tax": tax,
        "pay_figure": round(gross / pay_times / step) * step,
        "rent_figure": rent_figure,
        "rent_stale": round(rent_figure * 0.55 / 50) * 50 if key == "halcyon" else rent_figure,
        "travel_figure": round(travel * rate / 10) * 10, "paid_travel": paid,
        "sessions": sessions, "minutes": minutes, "number": stream.integer(100, 999),
        "wait": wait, "wait_stale": (0 if wait else 60) if key == "tanager" else wait,
    }  # fmt: skip


# -- the right table and page ------------------------------------------------------------------------------------------


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The table, and what the page says. Who knows nothing of a wish goes by the sheets and by the money."""
    sums = {key: _sums(place, bool(wishes.sums)) for key, place in world.places.items()}
    waits = {key: place["wait" if wishes.paper_wait else "wait_stale"] for key, place in world.places.items()}
    hours = {key: place["sessions"] * place["minutes"] / 60 for key, place in world.places.items()}
    best = {
        "money": lambda key: -sums[key][3],
        "supervision": lambda key: -hours[key],
        "publication": lambda key: (waits[key], -sums[key][3]),
    }[wishes.summer_rule or "money"]
    out = {world.clash: "committee meeting, T11"} if wishes.committee else {}
    out |= {world.refused: "paid for by the armed forces' side"} if wishes.no_arms else {}
    order = sorted((key for key in world.places if key not in out), key=best)
    start = date.fromisoformat(wishes.summer_start or "2026-06-22")
    stays = {key: CLASH if key == world.clash else start for key in world.places}
    plan = MILESTONES if wishes.milestones else MILESTONES | PLANNED
    rows = []
    for key, day in stays.items():
        ids = [name for name, one in plan.items() if day <= date.fromisoformat(one) <= day + STAY]
        rank = order.index(key) + 1 if key in order else ""
        stay = [day.isoformat(), (day + STAY).isoformat()]
        rows.append([key, *stay, " ".join(ids), *sums[key], f"{hours[key]:.2f}", waits[key], out.get(key, ""), rank])
    winner, second, style = world.places[order[0]], world.places[order[1]], wishes.date_style or "day-month"
    taken = stays[order[0]]
    return {
        "comparison": csv_text(COLUMNS, rows),
        "printed": "".join(f"{key} {' '.join(map(str, row))}\n" for key, row in sums.items()),
        "winner": winner["name"],
        "left": sums[order[0]][3],
        "second": {"name": second["name"], "contact": second["contact"], "held": written_day(second["held"], style)},
        "out": [f"{world.places[key]['name']} ({why})" for key, why in out.items()],
        "others": [f"{world.places[key]['name']} leaves {sums[key][3]} EUR" for key in order[1:]],
        "stay": f"{written_day(taken, style)} to {written_day(taken + STAY, style)}",
        "why": {
            "money": "it leaves the most",
            "supervision": "nobody else takes so much time for one intern",
            "publication": "what I write there may go out at once",
        }[wishes.summer_rule or "money"],
    }


def _sums(place: Any, known: bool) -> list[int]:
    """Pay after tax, rent, travel and what is left, in whole euros; by what was overtaken, where that is not known."""
    rate = place["rate" if known else "old_rate"]
    pay = place["pay_times"] * place["pay_figure"] * (100 - place["tax"]) / 100 / rate
    rent = place["rent_times"] * place["rent_figure" if known else "rent_stale"] / rate
    travel = 0 if place["paid_travel"] else place["travel_figure"] / rate
    return [int(f"{amount:.0f}") for amount in (pay, rent, travel, pay - rent - travel)]


# -- the page against the table that lies beside it --------------------------------------------------------------------


def _lines(evidence: Any) -> dict[str, dict[str, str]]:
    """The lines of the table by place."""
    found = csv.DictReader((evidence.text(TABLE) or "").splitlines())
    return {
        (line.get("place") or "").strip(): {key: (line.get(key) or "").strip() for key in COLUMNS} for line in found
    }


def _ranked(evidence: Any) -> list[dict[str, str]]:
    """The lines with a rank, the first choice first."""
    lines = [line for line in _lines(evidence).values() if line["rank"].isdecimal() and line["place"] in PLACES]
    return sorted(lines, key=lambda line: int(line["rank"]))


def _page(evidence: Any) -> list[str]:
    """The paragraphs of the page as a reader sees them, headings left out."""
    text = (evidence.text(PAGE) or "")[:8000].partition("<!--")[0]
    plain = "\n".join("" if line.startswith("#") else line for line in text.splitlines())
    return [part for part in plain.split("\n\n") if part.strip()]


def _first_named(text: str) -> str:
    found = sorted((at, key) for key in PLACES if (at := text.lower().find(key)) >= 0)
    return found[0][1] if found else ""


def _named_ends(evidence: Any) -> list[bool]:
    """Whether the first choice is what the page's first paragraph names first, and its last one."""
    parts, ranked = _page(evidence), _ranked(evidence)
    if len(parts) < 2 or len(ranked) < 2:
        return [False, False]
    return [_first_named(part) == ranked[0]["place"] for part in (parts[0], parts[-1])]


def _names_day(text: str, day: str) -> bool:
    year, month, number = map(int, day.split("-"))
    return number in {one for one, _ in days_in(text, year, month)}


def _gives_left(evidence: Any, text: str) -> bool:
    left = amounts_in(_ranked(evidence)[0]["left_eur"])
    return any(abs(one - other) <= 200 for one in left for other in amounts_in(text))


def check_recommends(evidence: Any) -> bool:
    """The page opens or closes with the table's first choice, and says what that leaves."""
    return any(_named_ends(evidence)) and _gives_left(evidence, "\n".join(_page(evidence)))


def check_verdict(evidence: Any, at: str) -> bool:
    """The verdict opens the page ("top") or closes it ("end"), and stands there only."""
    return _named_ends(evidence) == [at == "top", at == "end"]


def check_falls_back(evidence: Any, by: str, seconds: dict[str, dict[str, str]]) -> bool:
    """The page says of the table's second choice until when it is kept ("deadline") or who sees to it ("owner")."""
    text, ranked = "\n".join(_page(evidence)), _ranked(evidence)
    if len(ranked) < 2 or ranked[1]["place"] not in text.lower():
        return False
    second = seconds[ranked[1]["place"]]
    found = [_names_day(text, second["held"]), second["contact"].split()[1] in text]
    return found == [by == "deadline", by == "owner"]


def check_gives_stay(evidence: Any) -> bool:
    """The page gives first and last day of the stay that the table has for its first choice."""
    text, ranked = "\n".join(_page(evidence)), _ranked(evidence)
    return bool(ranked) and all(_names_day(text, ranked[0][end]) for end in ("start", "end"))


def check_reasoned(evidence: Any) -> bool:
    """Whatever has no rank has a reason, and nothing else has one."""
    lines = _lines(evidence)
    return bool(lines) and all((len(line["ruled_out"]) > 3) != bool(line["rank"]) for line in lines.values())


def check_told(evidence: Any) -> bool:
    """A reply names the table's first choice and says what it leaves."""
    ranked = _ranked(evidence)
    return bool(ranked) and any(
        ranked[0]["place"] in text.lower() and _gives_left(evidence, text) for text in evidence.replies
    )
