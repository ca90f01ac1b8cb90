"""What the foyer demo cost after the big order, who stood there, and the sheet, mail and to-dos that follow from it."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping
from datetime import date
from typing import Any

from pi_gym.authoring import Stream, count_words, csv_text, fixed, is_written

LOTTE = "lotte.brandt@halden-it.example"
COLUMNS = ("date", "what", "paid by", "centre", "kroner")
MAIL = {one.partition(".")[0]: f"{one}@halden-it.example" for one in ("tomasz.wieczorek", "priya.raman", "jonas.beck")}
MAIL |= {"wei-lin": "wei-lin.zhao@halden-it.example", "anders": "anders.moe@halden-it.example"}
MAIL |= {"hanne": "hanne.vik@halden-it.example", "linnea": "linnea.strand@student-halden.example"}
MAIL |= {"aisha": "aisha.karimi@student-halden.example", "sander": "sander.moen@student-halden.example"}
MAIL |= {"amara": "amara.okafor@halden-it.example"}
CERTAIN = ("tomasz", "priya", "jonas", "wei-lin")
SIGNED_UP = (*CERTAIN, "anders", "hanne", "linnea")
WISHES = {"stand": 15001, "lamp": 15002, "sign": 15003}
KEEPERS = {"tomasz": 3, "priya": 4, "gunnar": 6}
TREATS = {
    "cake": ("cake", "Thursday", "9 April", "15:00"),
    "waffles": ("waffles", "Friday", "10 April", "11:30"),
    "soup": ("soup", "Wednesday", "8 April", "12:15"),
}
OLD = {"2025-06-20": "porto", "2025-10-24": "open-day"}
TODAY = "2026-03-30"
# Lowest and highest price in kroner, and the step in øre.
WHOLE = {"bank": (329, 369), "cable": (119, 139), "chalk": (229, 279), "fee": (29, 49), "laptop": (239, 269)}
WHOLE |= {"charger": (270, 299), "flask": (289, 319), "monitor": (279, 319), "parking": (72, 120), "screen": (60, 75)}
WHOLE |= {"sek": (129, 199), "coffee": (1290, 1590), "microphone": (1190, 1490)}
HALF = {"print": (78, 96), "plate": (31, 39), "taxi": (268, 339), "taxi_back": (240, 330), "gaffer": (119, 159)}
HALF |= {"pens": (79, 129), "tram": (80, 96), "lunch": (380, 460), "washing": (120, 185)}
PRICES = [(name, (*span, 100)) for name, span in WHOLE.items()] + [(name, (*span, 50)) for name, span in HALF.items()]


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """What was bought, given back, billed and laid out, in øre."""
    facts = _facts(stream.child("facts"))
    attempt = 0
    while not _is_telling(facts):
        attempt += 1
        facts = _facts(stream.child(f"facts {attempt}"))
    persona = preferences.persona
    files = {"demo/after/receipts.csv": _receipts(stream.child("receipts"), facts)}
    for day, topic in OLD.items():
        path = f"costs/{persona.naming.format(topic=topic, date=day)}.csv"
        files[path] = _old_sheet(stream.child(topic), topic, persona.date_style)
    names = [name for name in SIGNED_UP if name != preferences.p.absent]
    return {
        "facts": facts,
        "accused": stream.child("accused").choice([one for one in ("anders", "hanne", "linnea") if one in names]),
        "old_totals": [stream.child("old").integer(60_000, 190_000) / 100 for _ in range(2)],
    }, files


def _facts(stream: Stream) -> dict[str, int]:
    facts = {name: stream.integer(low * 100 // step, high * 100 // step) * step for name, (low, high, step) in PRICES}
    facts |= {"cables": stream.integer(4, 6), "back": stream.integer(2, 3), "plates": stream.integer(7, 14)}
    rate = stream.integer(9610, 9890)
    return facts | {"rate": rate, "old_rate": rate + stream.choice([-1, 1]) * stream.integer(120, 290)}


def _lines(f: Mapping[str, int]) -> list[tuple[str, str, str, str, int]]:
    """The lines that count: day, what, who paid, kind of centre, øre."""
    swedish = (f["sek"] * f["rate"] + 5_000) // 10_000
    return [
        ("2026-03-18", "power banks and cables, shop", "institute", "demo", 2 * f["bank"] + f["cables"] * f["cable"]),
        ("2026-03-18", "taxi, boxes to the foyer", "Tomasz", "demo", f["taxi"]),
        ("2026-03-18", "gaffer tape, one more roll", "Priya", "demo", f["gaffer"]),
        ("2026-03-18", "felt pens, paper for the sign", "Wei-Lin", "demo", f["pens"]),
        ("2026-03-18", "jack adapters, Strömstad", "Priya", "demo", swedish),
        ("2026-03-19", "laptop stand and charger, shop", "Nora", "demo", f["laptop"] + f["charger"]),
        ("2026-03-24", "print on five shirts", "institute", "shirts", 5 * f["print"] + f["screen"]),
        ("2026-03-25", "taxi, boxes back", "Tomasz", "demo", f["taxi_back"]),
        ("2026-03-25", "parking for the van", "Jonas", "demo", f["parking"]),
        ("2026-03-25", "tram, two there and back", "Wei-Lin", "demo", f["tram"]),
        ("2026-03-25", "sandwiches for the pairs", "Tomasz", "demo", f["lunch"]),
        ("2026-03-26", "broken plates, canteen", "institute", "demo", f["plates"] * f["plate"]),
        ("2026-03-26", "washing of the five shirts", "Jonas", "shirts", f["washing"]),
        ("2026-03-27", "money back for cables, shop", "institute", "demo", f["fee"] - f["back"] * f["cable"]),
    ]


def _is_telling(facts: dict[str, Any]) -> bool:
    """Whether an amount names one line, and a sum one centre or person."""
    lines = _lines(facts)
    sums = [*_sums(lines).values()]
    return len({abs(line[-1]) for line in lines}) == len(lines) and len({*sums}) == len(sums)


def _sums(lines: Any) -> dict[str, int]:
    """What each kind of centre comes to, and what each person gets back."""
    sums: Counter[str] = Counter()
    for _, _, payer, kind, cents in lines:
        sums[kind] += cents
        sums[payer] += cents if payer != "institute" else 0
    return {name: cents for name, cents in sums.items() if name != "institute"}


def _receipts(stream: Stream, f: dict[str, Any]) -> str:
    rows = [
        ("18/3", "Tomasz", "taxi, boxes to the foyer", _money(f["taxi"]), "receipt in the envelope"),
        ("18/3", "Priya", "gaffer, yellow and black, the order was one roll short", _money(f["gaffer"]), ""),
        ("18.3.", "Wei-Lin", "felt pens, paper for the sign", f"kr {_money(f['pens'])}", ""),
        ("18/3", "Priya", "taxi to the foyer, with the boxes", _money(f["taxi"]), "T. paid, I only sat in it"),
        ("18 March", "Priya", "jack adapters, in Strömstad", f"{_money(f['sek'])} SEK", "card slip, no other paper"),
        ("23/3", "Jonas", "left microphone, Fredrikstad", _money(f["microphone"]), "on the group's bill, not me"),
        ("25/3", "Tomasz", "taxi, boxes back", _money(f["taxi_back"]), ""),
        ("25/3", "Jonas", "parking for the van", f"{f['parking'] // 100},-", ""),
        ("25.3.", "Wei-Lin", "tram, two there and back", _money(f["tram"]).replace(".", ","), ""),
        ("25/3", "Tomasz", "sandwiches for the pairs", _money(f["lunch"]), "on the packed boxes; G. asked, see mail"),
        ("25/3", "Priya", "coffee and buns, forty people", _money(f["coffee"]), "canteen card of the department"),
        (
            "26/3",
            "Jonas",
            "washing of the five shirts",
            _money(f["washing"]).replace(".", ","),
            "plate, sauce, do not ask",
        ),
        ("26/3", "Anders", "two loudspeakers, a week", "0", "mine, no charge"),
    ]
    return csv_text(("when", "who", "what", "amount", "remark"), stream.shuffled(rows), delimiter=";")


def _old_sheet(stream: Stream, topic: str, style: str) -> str:
    days = {"porto": ("2025-06-09", "2025-06-11", "2025-06-12"), "open-day": ("2025-10-17", "2025-10-21", "2025-10-21")}
    things = {"porto": ("poster tube", "adapters", "taxi, boxes"), "open-day": ("name tags", "tape", "buns")}
    payers = ("institute", "Priya", "Nora")
    rows = [
        (written(day, style), what, payer, "21088", _money(stream.integer(80, 640) * 100 + 50))
        for day, what, payer in zip(days[topic], things[topic], payers, strict=True)
    ]
    return csv_text(COLUMNS, rows)


def work(world: Any, values: Any, draw: frozenset[str]) -> dict[str, Any]:
    """Sheet, sums, thanks and to-dos for the values at hand."""
    p, persona = values.p, values.persona
    lines, sums = _lines(world.facts), _sums(_lines(world.facts))
    centres = {"demo": persona.foyer_centre, "shirts": persona.foyer_shirts}
    helpers = [name for name in SIGNED_UP if name != p.absent] + [p.stand_in]
    food, weekday, day, at = TREATS[p.treat]
    rows = [[written(d, persona.date_style), what, who, centres[k], _money(c)] for d, what, who, k, c in lines]
    people = [name for name in sums if name not in centres]
    name = persona.naming.format(topic="foyer", date=TODAY) + ".csv"
    said = [f"{centres[kind]} {_money(sums[kind])}" for kind in centres] + [f"{n} {_money(sums[n])}" for n in people]
    return {
        "lines": [list(line) for line in lines],
        "rows": rows,
        "path": f"costs/{name}",
        "files": {f"costs/{name}": csv_text(COLUMNS, rows)},
        "said": said,
        "printed": "\n".join([*said, f"total {_money(sums['demo'] + sums['shirts'])}"]) + "\n",
        "sums": [_money(cents) for cents in sums.values()],
        "people": people,
        "demo": _money(sums["demo"]),
        "shirts": _money(sums["shirts"]),
        "back": ", ".join(f"{n} {_money(sums[n])}" for n in people),
        "total": _money(sums["demo"] + sums["shirts"]),
        "helpers": [MAIL[one] for one in helpers],
        "certain": [MAIL[one] for one in CERTAIN],
        "invitation": f"There is {food} for all of us on {weekday}, {day}, at {at}, in the kitchen by C102.",
        "food": food,
        "weekday": weekday,
        "other_foods": [one for one in TREATS if one != p.treat],
        "left": WISHES[persona.foyer_wish],
        "bought": [key for wish, key in WISHES.items() if wish != persona.foyer_wish],
        "keeper": KEEPERS[p.keeper],
    }


def _money(cents: int) -> str:
    return fixed(cents / 100, 2)


def written(day: str, style: str) -> str:
    """A day in one of Nora's three styles."""
    when = date.fromisoformat(day)
    month = f"{when:%B}"
    words = {"day-month": f"{when.day} {month} {when.year}", "month-day": f"{month} {when.day}, {when.year}"}
    return words.get(style, day)


# -- what a session left ---------------------------------------------------------------------------------------------


def _sheets(evidence: Any) -> list[tuple[str, list[dict[str, str]]]]:
    """Path and rows of every new sheet that is more than an emptied draft."""
    found = []
    for path in sorted(evidence.created):
        text = evidence.text(path)
        if path.endswith(".csv") and text and is_written(text):
            mark = ";" if text.split("\n", 1)[0].count(";") == 4 else ","
            rows = [*csv.reader(io.StringIO(text), delimiter=mark)]
            head = [cell.strip().lower().replace("_", " ") for cell in rows[0]]
            body = [dict(zip(head, map(str.strip, row), strict=False)) for row in rows[1:] if any(row)]
            found.append((path, body if tuple(head) == COLUMNS else []))
    return found


def _cents(text: str) -> int | None:
    """An amount of money, with point or comma before two decimals."""
    plain = text.replace("−", "-").replace("kr", "").replace(" ", "").replace("\u00a0", "")
    whole, mark, part = plain[:-3], plain[-3:-2], plain[-2:]
    digits = whole.replace(",", "").replace(".", "").removeprefix("-")
    if mark not in (".", ",") or not (digits + part).isascii() or not (digits + part).isdigit():
        return None
    return (-1 if plain.startswith("-") else 1) * int(digits + part)


def _rows(evidence: Any, lines: Any) -> list[tuple[dict[str, str], Any]]:
    """The rows of the one new sheet, each with its line; empty where one is missing, wrong or too many."""
    sheets = _sheets(evidence)
    if len(sheets) != 1:
        return []
    left = {(payer.lower(), cents): (day, kind) for day, _, payer, kind, cents in lines}
    pairs = []
    for row in sheets[0][1]:
        key = (row.get("paid by", "").lower().split(" ")[0], _cents(row.get("kroner", "")))
        if key not in left:
            return []
        pairs.append((row, left.pop(key)))
    return [] if left else pairs


def check_sheet(evidence: Any, lines: Any) -> bool:
    """The one new sheet has each line that counts once, with who paid and the amount."""
    return bool(_rows(evidence, lines))


def check_centre(evidence: Any, lines: Any, kind: str, centre: str) -> bool:
    """All lines of a kind, and of a right sheet, are on this cost centre."""
    pairs = _rows(evidence, lines)
    return bool(pairs) and all(row["centre"] == centre for row, (_, one) in pairs if one == kind)


def check_dates(evidence: Any, lines: Any, style: str) -> bool:
    """Each line has its day, as Nora writes days."""
    pairs = _rows(evidence, lines)
    return bool(pairs) and all(row["date"] == written(day, style) for row, (day, _) in pairs)


def _mails(evidence: Any) -> list[tuple[int, Mapping[str, Any]]]:
    now, start = (apps["gmail"].table("emails") for apps in (evidence.apps, evidence.apps_start))
    return [(key, after) for key, (before, after) in sorted(now.diff(start).items()) if before is None and after]


def _numbers(text: str) -> set[int]:
    """The amounts of a text with two decimals, in øre."""
    plain = "".join(char if char.isdigit() or char in ".,-" else " " for char in text)
    found = (_cents(token.strip(".,").lstrip("-")) for token in plain.split())
    return {one for one in found if one is not None}


def check_mail(evidence: Any, lines: Any, sums: list[str], people: list[str]) -> bool:
    """One mail, to Lotte alone, carries the right sheet as it is and gives all sums, those of persons by name."""
    mails = [(key, row) for key, row in _mails(evidence) if LOTTE in row["recipients"]]
    if len(mails) != 1 or list(mails[0][1]["recipients"]) != [LOTTE] or not check_sheet(evidence, lines):
        return False
    key, mail = mails[0]
    attached = [row for _, row in evidence.apps["gmail"].table("attachments").rows() if row["record"] == key]
    path = _sheets(evidence)[0][0]
    told = count_words(mail["body"]) <= 150 and all(name in mail["body"] for name in people)
    fits = [(row["path"], row["text"]) for row in attached] == [(path, evidence.text(path))]
    return told and fits and {_cents(one) for one in sums} <= _numbers(mail["body"])


def check_thanks(evidence: Any, certain: list[str], only: bool, food: str, weekday: str, others: list[str]) -> bool:
    """Mails that thank went to all of some people; to nobody else, or with an invitation, where that is asked."""
    mails = [row for _, row in _mails(evidence) if LOTTE not in row["recipients"]]
    thanks = [row for row in mails if "thank" in row["body"].lower() and count_words(row["body"]) <= 500]
    reached = {one for row in thanks for one in row["recipients"]}
    if not set(certain) <= reached or (only and (reached != set(certain) or len(thanks) != len(mails))):
        return False
    bodies = [row["body"].lower() for row in thanks]
    stems = [one[:5].rstrip("s") for one in others]
    return not food or all(
        food[:5] in one and weekday.lower() in one and not any(stem in one for stem in stems) for one in bodies
    )


def check_ledger(evidence: Any, total: str) -> bool:
    """The note of all demos has one more line, for the foyer, with what it came to; the rest stands."""
    now, start = (apps["simple_note"].table("notes").get(15001) for apps in (evidence.apps, evidence.apps_start))
    old, lines = start["content"].splitlines(), now["content"].splitlines() if now else []
    new = [line for line in lines if line.strip() and line not in old]
    kept = [line for line in lines if line in old and line.strip()] == [line for line in old if line.strip()]
    return kept and len(new) == 1 and "foyer" in new[0].lower() and _numbers(new[0]) == {_cents(total)}
