"""Six places for a summer, what each leaves in the purse, and which one follows from what decides.

data/places.csv has name, contact, currency, how often pay and rent are due in ten weeks, what pay is rounded to, and
who pays the journey. data/cast.json has what a part means, in euros for ten weeks, meetings (a week, minutes) and days
that a paper waits; who pays, those behind whom are armed forces (only a mail says so) and others; and words that tell
of one side of Nora's work.
"""

import json
from datetime import date, timedelta

from pi_gym.authoring import (
    Change,
    File,
    amounts_in,
    csv_records,
    csv_text,
    days_in,
    keyed_texts,
    new_text,
    written_day,
)

COLUMNS = ("place", "start", "end", "milestones", "pay_eur", "rent_eur", "travel_eur", "left_eur")
COLUMNS += ("supervision_h", "paper_wait_days", "ruled_out", "rank")
MOVED = {"T10,2026-09-14": "T10,2026-08-24"}  # what the office has moved into everybody's summer
REASONS = {
    "money": "it leaves the most",
    "supervision": "nobody else takes so much time for one intern",
    "publication": "what I write there may go out at once",
}
CLASH = date(2026, 7, 13)
STAY = timedelta(days=67)
AWAY = "| abroad, days follow | |"
TABLE, PAGE = "summer/comparison.csv", "summer/recommendation.md"
PLAN = "summer/plan/milestones_2026-03-02.csv"


def world(stream, preferences):
    """The six offers; which place plays which part turns with the summer's cast."""
    data = preferences.data
    plan = data["milestones.csv"]
    spans = {one["currency"]: (int(one["low"]), int(one["high"])) for one in csv_records(data["rates.csv"])}
    rates = {code: stream.integer(*span) / 10000 for code, span in spans.items()}
    old = {code: rate if rate == 1 else round(rate * stream.uniform(0.93, 0.97), 4) for code, rate in rates.items()}
    given = json.loads(data["cast.json"])
    parts, funders, held = given["parts"], stream.shuffled(given["civil"]), stream.shuffled(range(4, 16))
    places = {}
    for index, offer in enumerate(csv_records(data["places.csv"])):
        key, code, part = offer["place"], offer["currency"], preferences.shared.summer_parts[index]
        until = date(2026, 5, held[index])
        places[key] = _place(stream, offer, part, parts[part], rates[code]) | {"old_rate": old[code]}
        places[key]["held"] = until.isoformat()
        places[key]["funder"] = stream.choice(given["armed"]) if part == "refused" else funders[index]
    keys = {place["part"]: key for key, place in places.items()}
    clash, refused = keys["clash"], keys["refused"]
    return {
        "places": places,
        "rates": [(code, str(rate)) for code, rate in rates.items() if rate != 1],
        "old_rates": [(code, str(rate)) for code, rate in old.items() if rate != 1],
        "clash_start": CLASH.isoformat(), "clash_end": (CLASH + STAY).isoformat(),
        "clash": clash, "clash_name": places[clash]["name"],
        "refused": refused, "refused_name": places[refused]["name"],
        "sides": given["sides"], "said": keyed_texts(data["said.csv"]), "plan": plan,
    }, {PLAN: plan}  # fmt: skip


def _place(stream, offer, part, means, rate):
    """An offer in its own currency and terms; what is left follows from the figures as they are written."""
    pay_times, rent_times, step = (float(offer[name]) for name in ("pay_times", "rent_times", "step"))
    paid, key = offer["paid_travel"] == "yes", offer["place"]
    tax = stream.integer(5, 13)
    travel = stream.integer(14, 34) * 10
    rent_figure = max(5, round(stream.integer(*means["rent"]) * rate / rent_times / 5) * 5)
    own = rent_figure * rent_times + (0 if paid else travel * rate)
    gross = (stream.integer(*means["left"]) * rate + own) * 100 / (100 - tax)
    sessions, minutes = stream.choice(means["meetings"])
    wait = stream.integer(*means["wait"])
    return {
        **offer, "part": part, "dates": "fixed" if part == "clash" else "free", "rate": rate, "tax": tax,
        "pay_figure": round(gross / pay_times / step) * int(step), "rent_figure": rent_figure,
        "rent_stale": round(rent_figure * 0.55 / 50) * 50 if key == "halcyon" else rent_figure,
        "travel_figure": round(travel * rate / 10) * 10, "paid_travel": paid,
        "sessions": sessions, "minutes": minutes, "number": stream.integer(100, 999),
        "wait": wait, "wait_stale": (0 if wait else 60) if key == "tanager" else wait,
    }  # fmt: skip


def right(world, wishes):
    """The table, and what the page says. Who knows nothing of a wish goes by the sheets and by the money."""
    places, rule, style = world.places, wishes.summer_rule or "money", wishes.date_style or "day-month"
    sums = {key: _sums(place, bool(wishes.sums)) for key, place in places.items()}
    hours = {key: place["sessions"] * place["minutes"] / 60 for key, place in places.items()}
    left = {key: found[3] for key, found in sums.items()}
    best = {
        "money": lambda key: -left[key],
        "supervision": lambda key: -hours[key],
        "publication": lambda key: (places[key]["wait"], -left[key]),
    }
    out = {world.clash: "committee meeting, T11"} if wishes.committee else {}
    out |= {world.refused: "paid for by the armed forces' side"} if wishes.no_arms else {}
    order = sorted((key for key in places if key not in out), key=best[rule])
    start = date.fromisoformat(wishes.summer_start or "2026-06-22")
    stays = {key: CLASH if key == world.clash else start for key in places}
    plan = [(one["id"], one["date"]) for one in csv_records(Change(MOVED).of(world.plan).partition("\n")[2])]
    rows = []
    for key, day in stays.items():
        ids = [name for name, one in plan if day <= date.fromisoformat(one) <= day + STAY]
        rank = order.index(key) + 1 if key in order else ""
        row = [key, day, day + STAY, " ".join(ids), *sums[key], f"{hours[key]:.2f}", places[key]["wait"]]
        rows.append([*row, out.get(key), rank])
    first, second = order[0], places[order[1]]
    return {
        "comparison": csv_text(COLUMNS, rows),
        "printed": "".join(f"{key} {' '.join(map(str, row))}\n" for key, row in sums.items()),
        "winner": places[first]["name"], "left": left[first], "why": REASONS[rule],
        "second": {"name": second["name"], "contact": second["contact"], "held": written_day(second["held"], style)},
        "out": [f"{places[key]['name']} ({why})" for key, why in out.items()],
        "others": [f"{places[key]['name']} leaves {left[key]} EUR" for key in order[1:]],
        "stay": f"{written_day(stays[first], style)} to {written_day(stays[first] + STAY, style)}",
        "plan": Change(MOVED) if wishes.plan == "same" else None,
        "new_plan": File("milestones_2026-03-14.csv", Change(MOVED).of(world.plan)) if wishes.plan == "new" else None,
        "away": Change({AWAY: f"| {stays[first]} | {stays[first] + STAY} |"}) if wishes.away else None,
    }  # fmt: skip


def _sums(place, known):
    """Pay after tax, rent, travel and what is left, in whole euros; by what was overtaken, where that is not known."""
    rate = place["rate" if known else "old_rate"]
    pay = float(place["pay_times"]) * place["pay_figure"] * (100 - place["tax"]) / 100 / rate
    rent = float(place["rent_times"]) * place["rent_figure" if known else "rent_stale"] / rate
    travel = 0 if place["paid_travel"] else place["travel_figure"] / rate
    return [int(f"{amount:.0f}") for amount in (pay, rent, travel, pay - rent - travel)]


def _rows(evidence):
    """The rows of the table, against which the page is read; none where a column is missing."""
    rows = csv_records(evidence.text(TABLE))
    return rows if rows and rows[0].keys() >= set(COLUMNS) else []


def _ranked(evidence):
    """The rows with a rank, the first choice first; none where there are not two of them."""
    rows = sorted((row for row in _rows(evidence) if row["rank"].isdecimal()), key=lambda row: int(row["rank"]))
    return rows if len(rows) > 1 else []


def _page(evidence):
    """The paragraphs of the page as a reader sees them, headings left out."""
    text = (evidence.text(PAGE) or "")[:8000].partition("<!--")[0]
    plain = "\n".join("" if line.startswith("#") else line for line in text.splitlines())
    return [part for part in plain.split("\n\n") if part.strip()]


def _named_ends(evidence):
    """Whether the first choice is what the page's first paragraph names first, and its last one."""
    parts, ranked = _page(evidence), _ranked(evidence)
    if len(parts) < 2 or not ranked:
        return [False, False]
    keys = [row["place"] for row in _rows(evidence) if row["place"]]
    ends = [[(at, key) for key in keys if (at := part.lower().find(key)) >= 0] for part in (parts[0], parts[-1])]
    return [min(found, default=(0, ""))[1] == ranked[0]["place"] for found in ends]


def _names_day(text, day):
    try:
        found = date.fromisoformat(day)
    except ValueError:  # what somebody wrote into the table
        return False
    return found.day in {one for one, _ in days_in(text, found.year, found.month)}


def _gives_left(evidence, text):
    left = amounts_in(_ranked(evidence)[0]["left_eur"])
    return any(abs(one - other) <= 200 for one in left for other in amounts_in(text))


def check_recommends(evidence):
    """The page opens or closes with the table's first choice, and says what that leaves."""
    return any(_named_ends(evidence)) and _gives_left(evidence, "\n".join(_page(evidence)))


def check_verdict(evidence, at):
    """The verdict opens the page ("top") or closes it ("end"), and stands there only."""
    return _named_ends(evidence) == [at == "top", at == "end"]


def check_falls_back(evidence, by, places):
    """The page says of the table's second choice until when it is kept ("deadline") or who sees to it ("owner")."""
    text, place = "\n".join(_page(evidence)), next((row["place"] for row in _ranked(evidence)[1:]), "")
    if place not in places or place not in text.lower():
        return False
    found = [_names_day(text, places[place]["held"]), places[place]["contact"].split()[1] in text]
    return found == [by == "deadline", by == "owner"]


def check_gives_stay(evidence):
    """The page gives first and last day of the stay that the table has for its first choice."""
    text, first = "\n".join(_page(evidence)), _ranked(evidence)[:1]
    return bool(first) and all(_names_day(text, first[0][end]) for end in ("start", "end"))


def check_moves(evidence, how):
    """The plan of 2 March has the new day of the list of figures ("same"), or a new file beside it has ("new")."""
    plans = (evidence.text(PLAN) or "", new_text(evidence, "summer/plan/"))
    moved = [day in text for text in plans for day in MOVED.values()]
    return moved == [how == "same", how == "new"] and "T11,2026-09-16" in plans[0]


def check_reasoned(evidence):
    """Whatever has no rank has a reason, and nothing else has one."""
    rows = _rows(evidence)
    return bool(rows) and all((len(row["ruled_out"]) > 3) != bool(row["rank"]) for row in rows)


def check_told(evidence):
    """A reply names the table's first choice and says what it leaves."""
    ranked = _ranked(evidence)
    said = [text for text in evidence.replies if ranked and ranked[0]["place"] in text.lower()]
    return any(_gives_left(evidence, text) for text in said)
