"""What the foyer demo cost after the big order, who stood there, and the sheet, mails and to-dos that follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from pi_gym.authoring import File, Stream, amounts_in, csv_text, fixed, is_written, new_csv_rows, written_day

LOTTE = "lotte.brandt@halden-it.example"
COLUMNS = ("date", "what", "paid by", "centre", "kroner")
OLD_CENTRE = "21088"  # of the earlier sheets; closed
STAFF = ("tomasz.wieczorek", "priya.raman", "jonas.beck", "wei-lin.zhao", "anders.moe", "hanne.vik", "amara.okafor")
STUDENTS = ("linnea.strand", "aisha.karimi", "sander.moen")
MAIL = {one.partition(".")[0]: f"{one}@halden-it.example" for one in (*STAFF, "camille.roux", "gunnar.holte")}
MAIL |= {one.partition(".")[0]: f"{one}@student-halden.example" for one in STUDENTS}
SIGNED_UP = ("tomasz", "priya", "jonas", "wei-lin", "anders", "hanne", "linnea")
NICE = {"stand": 15001, "lamp": 15002, "sign": 15003}
KEEPERS = {"tomasz": 3, "priya": 4, "gunnar": 6}
DAYS = {"2026-04-09": "Thursday 9 April", "2026-04-14": "Tuesday 14 April", "2026-04-16": "Thursday 16 April"}
DAYS |= {"2026-04-17": "Friday 17 April"}
TREATS = {
    "cake": "cake for all of us on Thursday, 9 April, at 15:00",
    "waffles": "waffles for all of us on Friday, 10 April, at 11:30",
    "soup": "soup for all of us on Wednesday, 8 April, at 12:15",
}
THREADS, ORDERS = range(15001, 15015), range(15001, 15005)
OLD = {"2025-06-20": "porto", "2025-10-24": "open-day"}
TODAY = "2026-03-30"
# Lowest and highest price in kroner, and the step in øre.
WHOLE = {"bank": (329, 369), "cable": (119, 139), "chalk": (229, 279), "fee": (29, 49), "laptop": (239, 269)}
WHOLE |= {"charger": (270, 299), "flask": (289, 319), "monitor": (279, 319), "parking": (72, 120), "screen": (60, 75)}
WHOLE |= {"sek": (129, 199), "coffee": (1290, 1590), "microphone": (1190, 1490)}
HALF = {"print": (78, 96), "plate": (31, 39), "taxi": (268, 339), "taxi_back": (240, 330), "gaffer": (119, 159)}
HALF |= {"pens": (79, 129), "tram": (80, 96), "lunch": (380, 460), "washing": (120, 185)}
PRICES = [(name, (*span, 100)) for name, span in WHOLE.items()] + [(name, (*span, 50)) for name, span in HALF.items()]

Line = tuple[str, str, str, str, int]  # day, what, who paid, kind of centre, øre


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """What was bought, given back, billed and laid out, in øre."""
    p, persona = preferences.p, preferences.persona
    facts = _facts(stream.child("facts"))
    attempt = 0
    while not _is_telling(facts):
        attempt += 1
        facts = _facts(stream.child(f"facts {attempt}"))
    files = {}
    for day, topic in OLD.items():
        path = f"costs/{persona.naming.format(topic=topic, date=day)}.csv"
        files[path] = _old_sheet(stream.child(topic), topic, persona.date_style)
    true, other = _lines(facts, SETTLED), _lines(facts, ())
    return {
        "facts": facts,
        "accused": stream.child("accused").choice([one for one in ("anders", "hanne", "linnea") if one != p.absent]),
        "absent": p.absent,
        "old_totals": [stream.child("old").integer(60_000, 190_000) / 100 for _ in range(2)],
        "old_photo": stream.child("photo").choice([day for day in DAYS if day != p.photo]),
        "days": DAYS,
        # The lines on which no wish bears, and what nobody but these people gets back.
        "plain": [_money(line[-1]) for line in true if line in other],
        "plain_sums": [cents / 100 for name, cents in _sums(true).items() if _sums(other).get(name) == cents],
    }, files


def _facts(stream: Stream) -> dict[str, int]:
    facts = {name: stream.integer(low * 100 // step, high * 100 // step) * step for name, (low, high, step) in PRICES}
    facts |= {"cables": stream.integer(4, 6), "back": stream.integer(2, 3)}
    facts |= dict(zip(("plates", "said", "packed"), stream.sample(range(6, 15), 3), strict=True))
    rate = stream.integer(9610, 9890)
    return facts | {"rate": rate, "old_rate": rate + stream.choice([-1, 1]) * stream.integer(120, 290)}


SETTLED = ("print_bill", "rate", "plates", "own_order")


def _lines(f: Mapping[str, int], known: Any) -> list[Line]:
    """The lines for what is known; without it the print shop's first bill counts, say, or Nora's order as a whole."""
    rate = f["rate"] if "rate" in known else f["old_rate"]
    printed = (
        ("2026-03-24", "print on five shirts", 5) if "print_bill" in known else ("2026-03-21", "print, 6 shirts", 6)
    )
    own = f["laptop"] + f["charger"] + (0 if "own_order" in known else f["chalk"])
    return [
        ("2026-03-18", "power banks and cables, shop", "institute", "demo", 2 * f["bank"] + f["cables"] * f["cable"]),
        ("2026-03-18", "taxi, boxes to the foyer", "Tomasz", "demo", f["taxi"]),
        ("2026-03-18", "gaffer tape, one more roll", "Priya", "demo", f["gaffer"]),
        ("2026-03-18", "felt pens, paper for the sign", "Wei-Lin", "demo", f["pens"]),
        ("2026-03-18", "jack adapters, Strömstad", "Priya", "demo", (f["sek"] * rate + 5_000) // 10_000),
        ("2026-03-19", "laptop stand and charger, shop", "Nora", "demo", own),
        (*printed[:2], "institute", "shirts", printed[2] * f["print"] + f["screen"]),
        ("2026-03-25", "taxi, boxes back", "Tomasz", "demo", f["taxi_back"]),
        ("2026-03-25", "parking for the van", "Jonas", "demo", f["parking"]),
        ("2026-03-25", "tram, two there and back", "Wei-Lin", "demo", f["tram"]),
        ("2026-03-25", "sandwiches for the pairs", "Tomasz", "demo", f["lunch"]),
        (
            *("2026-03-26", "broken plates, canteen", "institute", "demo"),
            f["plates" if "plates" in known else "said"] * f["plate"],
        ),
        ("2026-03-26", "washing of the five shirts", "Jonas", "shirts", f["washing"]),
        ("2026-03-27", "money back for cables, shop", "institute", "demo", f["fee"] - f["back"] * f["cable"]),
    ]


def _is_telling(facts: dict[str, Any]) -> bool:
    """Whether an amount names one line, and a sum one centre or person."""
    lines = _lines(facts, SETTLED)
    every = {abs(line[-1]) for line in [*lines, *_lines(facts, ())]}
    sums = [*_sums(lines).values()]
    return len(every) == len(lines) + len(SETTLED) and len({*sums}) == len(sums)


def _sums(lines: Any) -> dict[str, int]:
    """What each kind of centre comes to, and what each person gets back."""
    sums: Counter[str] = Counter()
    for _, _, payer, kind, cents in lines:
        sums[kind] += cents
        sums[payer] += cents if payer != "institute" else 0
    return {name: cents for name, cents in sums.items() if name != "institute"}


def _old_sheet(stream: Stream, topic: str, style: str) -> str:
    days = {"porto": ("2025-06-09", "2025-06-11", "2025-06-12"), "open-day": ("2025-10-17", "2025-10-21", "2025-10-21")}
    things = {"porto": ("poster tube", "adapters", "taxi, boxes"), "open-day": ("name tags", "tape", "buns")}
    payers = ("institute", "Priya", "Nora")
    rows = [
        (written_day(day, style), what, payer, OLD_CENTRE, _money(stream.integer(80, 640) * 100 + 50))
        for day, what, payer in zip(days[topic], things[topic], payers, strict=True)
    ]
    return csv_text(COLUMNS, rows)


# -- right answers ----------------------------------------------------------------------------------------------------


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """Sheet, mails and to-dos. Who knows nothing of a wish goes by what stands there first."""
    lines = _lines(world.facts, [name for name in SETTLED if getattr(wishes, name)])
    demo = wishes.centre or OLD_CENTRE
    centres = {"demo": demo, "shirts": wishes.shirts_centre or demo}
    style = wishes.date_style or "iso"
    rows = [[written_day(day, style), what, who, centres[kind], _money(c)] for day, what, who, kind, c in lines]
    found = Counter[str]()
    for key, cents in _sums(lines).items():
        found[centres.get(key, key)] += cents
    sums = {key: _money(cents) for key, cents in found.items()}
    name = (wishes.sheet_name or "{topic}").format(topic="foyer", date=TODAY) + ".csv"
    total = _money(sum(cents for *_, cents in lines))
    said = [f"- {key}: {one}" for key, one in sums.items()]
    body = "\n".join(["Hi Lotte, the sheet is attached. It comes to", *said, "Nora"])
    thanks = "The foyer demo ran because you stood there, between plates and cables. Thank you!"
    treat = f" There is {TREATS[wishes.treat]}, in the kitchen by C102." if wishes.treat else ""
    return {
        "sheet": File(name, csv_text(COLUMNS, rows)),
        "lotte": {"to": LOTTE, "subject": "What the foyer demo cost", "body": body, "attached": name},
        "thanks": {"to": _helpers(world, wishes), "subject": "The foyer demo", "body": f"{thanks}{treat}\nNora"},
        "todos": _todos(world, wishes),
        "lines": lines,
        "rows": [row[:-1] for row in rows],
        "names": [*sums],
        "sums": sums,
        "total": total,
        "printed": "\n".join([*(f"{key} {one}" for key, one in sums.items()), f"total {total}"]) + "\n",
    }


def _helpers(world: Any, wishes: Any) -> list[str]:
    """Those who are thanked; by the roster and Jonas' first mail, where it is not known who really came."""
    away = world.absent if wishes.who_helped else world.accused
    names = [name for name in SIGNED_UP if name != away] + [wishes.who_helped or "camille"]
    return [MAIL[name] for name in names]


def _todos(world: Any, wishes: Any) -> list[dict[str, Any]]:
    done = [{"id": key, "is_completed": True} for key in (308, 313, 15004, 15007, 15008)]
    rows = [*done, {"id": 15005, "is_completed": False, "due_date": "2026-04-08"}]
    for name, key in NICE.items():
        waits = name == wishes.what_waits
        rows.append({"id": key, "is_completed": not waits, "due_date": "2026-06-01" if waits else "2026-03-18"})
    rows.append({"id": 315, "is_completed": False, "due_date": wishes.photo or world.old_photo})
    if wishes.headphones:
        rows.append({"id": 15006, "is_completed": False, "assignee": KEEPERS[wishes.headphones]})
    return rows


def _money(cents: int) -> str:
    return fixed(cents / 100, 2)


# -- what the model solution does in the apps -------------------------------------------------------------------------


def look_around(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Look through mails, notes, orders and to-dos."""
    calls: list[dict[str, Any]] = [
        {"tool": "gmail__show_inbox_threads", "min_created_at": "2026-03-18", "page_limit": 20},
        {"tool": "simple_note__search_notes", "query": "foyer demo cost", "page_limit": 10},
        {"tool": "amazon__show_orders", "page_limit": 8},
        {"tool": "todoist__show_tasks", "project_id": 11, "is_completed": False},
    ]
    calls += [{"tool": "gmail__show_thread", "email_thread_id": key} for key in THREADS]
    calls += [{"tool": "simple_note__show_note", "note_id": key} for key in (15001, 15002)]
    return calls + [{"tool": "amazon__show_order", "order_id": key} for key in ORDERS]


def tell_lotte(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Send the sheet, note what it comes to, and tidy the list as far as it is known."""
    made = right(world, wishes)
    mail = _sent(made["lotte"]) | {"attachment_file_paths": [f"costs/{made['sheet'].name}"]}
    line = {"note_id": 15001, "added_content": f"foyer, March 2026: {made['total']}"}
    noted = [{"tool": "simple_note__add_content_to_note", **line}] if wishes.ledger else []
    return [mail, *noted, *(_ticked(row) for row in made["todos"] if row["id"] not in (15006, 15008))]


def thank(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Thank those who came, and give the headphones away."""
    made = right(world, wishes)
    calls = [_sent(made["thanks"]), _ticked({"id": 15008, "is_completed": True})]
    if wishes.headphones:
        given = {"task_id": 15006, "assignee_email": MAIL[wishes.headphones]}
        calls.append({"tool": "todoist__assign_or_unassign_task", **given})
    return calls


def _sent(mail: Mapping[str, Any]) -> dict[str, Any]:
    to = [mail["to"]] if isinstance(mail["to"], str) else mail["to"]
    return {"tool": "gmail__send_email", "email_addresses": to, "subject": mail["subject"], "body": mail["body"]}


def _ticked(row: Mapping[str, Any]) -> dict[str, Any]:
    new = {"is_completed": True} if row["is_completed"] else {"due_date": row["due_date"]}
    return {"tool": "todoist__update_task", "task_id": row["id"], **new}


# -- what was written, against the sheet that was handed in ------------------------------------------------------------


def _handed_in(evidence: Any) -> list[tuple[str, str, int]]:
    """Who paid, the centre and the øre of each line of the one new sheet."""
    rows = [row for row in new_csv_rows(evidence, "costs/")[1:] if len(row) == len(COLUMNS)]
    return [(who, centre, sum(amounts_in(cell)) * (-1 if cell[:1] in "-−" else 1)) for _, _, who, centre, cell in rows]


def _to_lotte(evidence: Any) -> dict[int, Mapping[str, Any]]:
    now, start = (apps["gmail"].table("emails") for apps in (evidence.apps, evidence.apps_start))
    new = {key: after for key, (before, after) in now.diff(start).items() if before is None and after}
    return {key: row for key, row in new.items() if LOTTE in row["recipients"]}


def check_attached(evidence: Any) -> bool:
    """One mail went to Lotte, and carries the new sheet as it is."""
    mails, table = _to_lotte(evidence), evidence.apps["gmail"].table("attachments")
    sent = [row["text"] for _, row in table.rows() if row["record"] in mails]
    texts = [evidence.text(path) for path in evidence.created if path.startswith("costs/")]
    return len(mails) == len(sent) == 1 and sent == [text for text in texts if is_written(text)]


def check_adds_up(evidence: Any) -> bool:
    """The mail to Lotte says what each centre of the sheet comes to, and what each person gets back."""
    sums: Counter[str] = Counter()
    for who, centre, cents in _handed_in(evidence):
        sums[who] += cents
        sums[centre] += cents
    said = {one for row in _to_lotte(evidence).values() for one in amounts_in(row["body"])}
    return bool(sums) and {abs(cents) for name, cents in sums.items() if name != "institute"} <= said


def check_once(evidence: Any, to_do: int, what: str) -> bool:
    """A to-do was given one day, or one person, in each turn: trying is no knowledge, and people are told of it."""
    tried: dict[int, set[str]] = {}
    for call in evidence.calls:
        if call.ok and str(call.arguments.get("task_id")) == str(to_do) and call.arguments.get(what):
            tried.setdefault(call.turn, set()).add(str(call.arguments[what])[:10])
    return bool(tried) and all(len(values) == 1 for values in tried.values())


def check_ledger(evidence: Any) -> bool:
    """The note of all demos has one more line, for the foyer, with what the sheet comes to; the rest stands."""
    now, start = (apps["simple_note"].table("notes").get(15001) for apps in (evidence.apps, evidence.apps_start))
    old, lines = start["content"].splitlines(), now["content"].splitlines() if now else []
    new = [line for line in lines if line.strip() and line not in old]
    kept = [line for line in lines if line in old and line.strip()] == [line for line in old if line.strip()]
    total = sum(cents for *_, cents in _handed_in(evidence))
    return kept and len(new) == 1 and "foyer" in new[0].lower() and total in amounts_in(new[0])
