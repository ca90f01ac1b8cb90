"""What the foyer demo cost after the big order, who stood there, and the sheet, mails and to-dos that follow."""

from collections import Counter

from pi_gym.authoring import (
    File,
    amounts_in,
    csv_records,
    csv_text,
    draw_amounts,
    is_written,
    made_records,
    messages,
    new_csv_rows,
    written_amount,
    written_day,
)

LOTTE, TODAY = "lotte.brandt@halden-it.example", "2026-03-30"
COLUMNS = ("date", "what", "paid by", "centre", "kroner")
OLD_CENTRE = "21088"  # of the earlier sheets; closed
SIGNED_UP = ("tomasz", "priya", "jonas", "wei-lin", "anders", "hanne", "linnea")
NICE = {"stand": 1061, "lamp": 1062, "sign": 1063}
KEEPERS = {"tomasz": 3, "priya": 4, "gunnar": 6}
DAYS = {"2026-04-09": "Thursday 9 April", "2026-04-14": "Tuesday 14 April", "2026-04-16": "Thursday 16 April"}
DAYS |= {"2026-04-17": "Friday 17 April"}
TREATS = {
    "cake": "cake for all of us on Thursday, 9 April, at 15:00",
    "waffles": "waffles for all of us on Friday, 10 April, at 11:30",
    "soup": "soup for all of us on Wednesday, 8 April, at 12:15",
}
SETTLED = ("own_order",)  # the wish on which an amount depends


def world(stream, preferences):
    """What was bought, given back, billed and laid out, in øre."""
    p, persona, data = preferences.p, preferences.persona, preferences.data
    texts, attempt = csv_records(data["lines.csv"]), 0
    facts = _facts(stream.child("facts"), data["prices.csv"])
    while not _is_telling(facts, texts):
        attempt += 1
        facts = _facts(stream.child(f"facts {attempt}"), data["prices.csv"])
    files, totals = {}, []
    old = csv_records(data["old_sheets.csv"])
    for topic, day in {one["topic"]: one["written"] for one in old}.items():
        listed, prices = [one for one in old if one["topic"] == topic], stream.child(topic)
        cents = [prices.integer(80, 640) * 100 + 50 for _ in listed]
        days = [written_day(one["date"], persona.date_style) for one in listed]
        rows = [
            [day, one["what"], one["paid by"], OLD_CENTRE, written_amount(paid)]
            for day, one, paid in zip(days, listed, cents, strict=True)
        ]
        files[f"costs/{persona.naming.format(topic=topic, date=day)}.csv"] = csv_text(COLUMNS, rows)
        totals.append(sum(cents) / 100)
    true, other = _lines(facts, texts, SETTLED), _lines(facts, texts, ())
    return {
        "facts": facts,
        "texts": texts,
        "mail": {one["name"]: one["email"] for one in csv_records(data["people.csv"])},
        "accused": stream.child("accused").choice([one for one in SIGNED_UP[4:] if one != p.absent]),
        "absent": p.absent,
        "old_totals": totals,
        "old_photo": stream.child("photo").choice([day for day in DAYS if day != p.photo]),
        "days": DAYS,
        "photo": p.photo,
        # The lines on which no wish bears, and what nobody but these people gets back.
        "plain": [written_amount(line["cents"]) for line in true if line in other],
        "plain_sums": [
            cents / 100 for name, cents in _sums(true).items() if name.istitle() and _sums(other).get(name) == cents
        ],
    }, files


def _facts(stream, prices):
    facts = draw_amounts(stream, prices) | {"cables": stream.integer(4, 6), "back": stream.integer(2, 3)}
    facts |= dict(zip(("plates", "said", "packed"), stream.sample(range(6, 15), 3), strict=True))
    rate = stream.integer(9610, 9890)
    return facts | {"rate": rate, "old_rate": rate + stream.choice([-1, 1]) * stream.integer(120, 290)}


def _lines(f, texts, known):
    """The lines for what is known; without it Nora's order counts as a whole, say."""
    cents = {
        **f,
        "banks": 2 * f["bank"] + f["cables"] * f["cable"],
        "jacks": (f["sek"] * f["rate"] + 5_000) // 10_000,
        "own": f["laptop"] + f["charger"] + (0 if "own_order" in known else f["chalk"]),
        "print": 5 * f["print"] + f["screen"],
        "plates": f["plates"] * f["plate"],
        "back": f["fee"] - f["back"] * f["cable"],
    }
    return [{**text, "cents": cents[text["of"]]} for text in texts]


def _is_telling(facts, texts):
    """Whether an amount names one line, and a sum one centre or person."""
    lines, other = _lines(facts, texts, SETTLED), _lines(facts, texts, ())
    sums = [*_sums(lines).values()]
    every = {abs(line["cents"]) for line in [*lines, *other]}
    return len(every) == len(lines) + len(SETTLED) and len({*sums}) == len(sums)


def _sums(lines):
    """What each kind of centre comes to, and what each person gets back."""
    sums = Counter()
    for line in lines:
        sums[line["centre"]] += line["cents"]
        sums[line["paid by"]] += line["cents"]
    return {name: cents for name, cents in sums.items() if name != "institute"}


# -- right answers ----------------------------------------------------------------------------------------------------


def right(world, wishes):
    """Sheet, mails and to-dos. Who knows nothing of a wish goes by what stands there first."""
    lines = _lines(world.facts, world.texts, [name for name in SETTLED if getattr(wishes, name)])
    demo, style = wishes.centre or OLD_CENTRE, wishes.date_style or "iso"
    centres = {"demo": demo, "shirts": wishes.shirts_centre or demo}
    for line in lines:
        line |= {"date": written_day(line["date"], style), "centre": centres[line["centre"]]}
        line["kroner"] = written_amount(line["cents"])
    sums = {name: written_amount(cents) for name, cents in _sums(lines).items()}
    name = (wishes.sheet_name or "{topic}").format(topic="foyer", date=TODAY) + ".csv"
    total = written_amount(sum(line["cents"] for line in lines))
    body = ["Hi Lotte, the sheet is attached. It comes to", *(f"- {key}: {one}" for key, one in sums.items()), "Nora"]
    thanks = "The foyer demo ran because you stood there, between plates and cables. Thank you!"
    treat = f" There is {TREATS[wishes.treat]}, in the kitchen by C102." if wishes.treat else ""
    return {
        "sheet": File(name, csv_text(COLUMNS, [[line[column] for column in COLUMNS] for line in lines])),
        "lotte": {"to": LOTTE, "subject": "What the foyer demo cost", "body": "\n".join(body), "attached": name},
        "thanks": {"to": _helpers(world, wishes), "subject": "The foyer demo", "body": f"{thanks}{treat}\nNora"},
        "todos": _todos(world, wishes),
        "lines": lines,
        "sums": sums,
        "total": total,
        "printed": "".join(f"{key} {one}\n" for key, one in (sums | {"total": total}).items()),
    }


def _helpers(world, wishes):
    """Those who are thanked; by the roster and Jonas' first mail, where it is not known who really came."""
    away = world.absent if wishes.who_helped else world.accused
    names = [name for name in SIGNED_UP if name != away] + [wishes.who_helped or "camille"]
    return [world.mail[name] for name in names]


def _todos(world, wishes):
    rows = [{"id": key, "is_completed": True} for key in (308, 313, 1064, 1067, 1068)]
    rows.append({"id": 1065, "is_completed": False, "due_date": "2026-04-08"})
    for name, key in NICE.items():
        waits = name == wishes.what_waits
        rows.append({"id": key, "is_completed": not waits, "due_date": "2026-06-01" if waits else "2026-03-18"})
    rows.append({"id": 315, "is_completed": False, "due_date": wishes.photo or world.old_photo})
    if wishes.headphones:
        rows.append({"id": 1066, "is_completed": False, "assignee": KEEPERS[wishes.headphones]})
    return rows


def tell_lotte(world, wishes):
    """Send the sheet, note what it comes to, and tidy the list as far as it is known."""
    made = right(world, wishes)
    calls = messages.send_calls(made["lotte"])
    calls[0]["attachment_file_paths"] = [f"costs/{made['sheet'].name}"]
    if wishes.ledger:
        line = f"foyer, March 2026: {made['total']}"
        calls.append({"tool": "simple_note__add_content_to_note", "note_id": 731, "added_content": line})
    return calls + [_updated(row) for row in made["todos"] if row["id"] not in (1066, 1068)]


def thank(world, wishes):
    """Thank those who came, and give the headphones away."""
    calls = messages.send_calls(right(world, wishes)["thanks"])
    calls.append(_updated({"id": 1068, "is_completed": True}))
    if wishes.headphones:
        given = {"task_id": 1066, "assignee_email": world.mail[wishes.headphones]}
        calls.append({"tool": "todoist__assign_or_unassign_task", **given})
    if wishes.broken_pair:
        title = "Headphones: the pair without a left side"
        calls.append({"tool": "todoist__create_task", "title": title, "project_id": 11})
        given = {"task_id": world.first_id, "assignee_email": world.mail[wishes.broken_pair]}
        calls.append({"tool": "todoist__assign_or_unassign_task", **given})
    if wishes.photo_word:
        day = f"Hi Gunnar, {world.days[world.photo]} stands for the photo, thank you for asking the dean. Nora"
        calls += messages.send_calls({"to": world.mail["gunnar"], "subject": "The photo", "body": day})
    return calls


def _updated(row):
    new = {"is_completed": True} if row["is_completed"] else {"due_date": row["due_date"]}
    return {"tool": "todoist__update_task", "task_id": row["id"], **new}


# -- what was written, against the sheet that was handed in ------------------------------------------------------------


def _handed_in(evidence):
    """Who paid, the centre and the øre of each line of the one new sheet."""
    rows = [row for row in new_csv_rows(evidence, "costs/")[1:] if len(row) == len(COLUMNS)]
    return [
        {"paid by": who, "centre": centre, "cents": sum(amounts_in(cell)) * (-1 if cell[:1] in "-−" else 1)}
        for _, _, who, centre, cell in rows
    ]


def _to_lotte(evidence):
    made = made_records(evidence, "gmail", "emails")
    return {key: row for key, row in made.items() if LOTTE in row["recipients"]}


def check_attached(evidence):
    """One mail went to Lotte, and carries the new sheet as it is."""
    mails, table = _to_lotte(evidence), evidence.apps["gmail"].table("attachments")
    sent = [row["text"] for _, row in table.rows() if row["record"] in mails]
    texts = [evidence.text(path) for path in evidence.created if path.startswith("costs/")]
    return len(mails) == len(sent) == 1 and sent == [text for text in texts if is_written(text)]


def check_adds_up(evidence):
    """The mail to Lotte says what each centre of the sheet comes to, and what each person gets back."""
    sums = _sums(_handed_in(evidence))
    said = {one for row in _to_lotte(evidence).values() for one in amounts_in(row["body"])}
    return bool(sums) and {abs(cents) for cents in sums.values()} <= said


def check_once(evidence, to_do, what):
    """A to-do was given one day, or one person, in each turn: trying is no knowledge, and people are told of it."""
    tried = {}
    for call in evidence.calls:
        if call.ok and str(call.arguments.get("task_id")) == str(to_do) and call.arguments.get(what):
            tried.setdefault(call.turn, set()).add(str(call.arguments[what])[:10])
    return bool(tried) and all(len(values) == 1 for values in tried.values())


def check_goes_to(evidence, who):
    """A new to-do on the headphones is assigned to this person, and none to anybody else."""
    made = made_records(evidence, "todoist", "tasks").values()
    titles = " ".join(row["title"].lower() for row in made)
    return {row["assignee"] for row in made} == {KEEPERS[who]} and ("pair" in titles or "headphone" in titles)


def check_ledger(evidence):
    """The note of all demos has one more line, for the foyer, with what the sheet comes to; the rest stands."""
    now, start = (apps["simple_note"].table("notes").get(731) for apps in (evidence.apps, evidence.apps_start))
    old = [line for line in start["content"].splitlines() if line.strip()]
    lines = [line for line in (now["content"] if now else "").splitlines() if line.strip()]
    new = [line for line in lines if line not in old]
    total = sum(line["cents"] for line in _handed_in(evidence))
    kept = [line for line in lines if line in old] == old
    return kept and len(new) == 1 and "foyer" in new[0].lower() and total in amounts_in(new[0])
