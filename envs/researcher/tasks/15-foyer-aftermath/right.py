"""What the foyer demo cost after the big order, who stood there, and the sheet, mails and to-dos that follow."""

from collections import Counter
from itertools import count, groupby

from pi_gym.authoring import (
    File,
    amounts_in,
    csv_records,
    csv_text,
    draw_amounts,
    is_written,
    keyed_texts,
    logs,
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
PAIR = "Headphones: the pair without a left side"


def world(stream, preferences):
    """What was bought, given back, billed and laid out, in øre."""
    p, persona, data = preferences.p, preferences.persona, preferences.data
    texts, said = csv_records(data["lines.csv"]), keyed_texts(data["said.csv"])
    drawn = (_facts(stream.child(f"facts {one}" if one else "facts"), data["prices.csv"]) for one in count())
    facts = next(one for one in drawn if _is_telling(one, texts))
    files, totals = {}, []
    for (topic, day), old in groupby(csv_records(data["old_sheets.csv"]), lambda one: (one["topic"], one["written"])):
        prices = stream.child(topic)
        lines = [{**one, "cents": prices.integer(80, 640) * 100 + 50} for one in old]
        name = persona.naming.format(topic=topic, date=day)
        files[f"costs/{name}.csv"] = _sheet([_written(line, OLD_CENTRE, persona.date_style) for line in lines])
        totals.append(sum(line["cents"] for line in lines) / 100)
    true = _lines(facts, texts, True)
    return {
        "facts": facts, "texts": texts, "said": said, "absent": p.absent, "photo": p.photo, "old_totals": totals,
        "keepers": {"tomasz": 3, "priya": 4, "gunnar": 6},
        "accused": stream.child("accused").choice([one for one in SIGNED_UP[4:] if one != p.absent]),
        "old_photo": stream.child("photo").choice([day for day in said["days"] if day != p.photo]),
        # The lines on which no wish bears, and what nobody but these people gets back.
        "plain": [written_amount(line["cents"]) for line in true if line["of"] != "own"],
        "plain_sums": [cents / 100 for name, cents in _sums(true).items() if name.istitle() and name != "Nora"],
    }, files  # fmt: skip


def _facts(stream, prices):
    facts = draw_amounts(stream, prices) | {"cables": stream.integer(4, 6), "back": stream.integer(2, 3)}
    facts |= dict(zip(("plates", "said", "packed"), stream.sample(range(6, 15), 3), strict=True))
    rate = stream.integer(9610, 9890)
    return facts | {"rate": rate, "old_rate": rate + stream.choice([-1, 1]) * stream.integer(120, 290)}


def _lines(f, texts, own_order):
    """The lines; where it is not known what of Nora's own order is the demo's, all of it."""
    cents = {
        **f,
        "banks": 2 * f["bank"] + f["cables"] * f["cable"],
        "jacks": (f["sek"] * f["rate"] + 5_000) // 10_000,
        "own": f["laptop"] + f["charger"] + (0 if own_order else f["chalk"]),
        "print": 5 * f["print"] + f["screen"],
        "plates": f["plates"] * f["plate"],
        "back": f["fee"] - f["back"] * f["cable"],
    }
    return [{**text, "cents": cents[text["of"]]} for text in texts]


def _is_telling(facts, texts):
    """Whether an amount names one line, and a sum one centre or person."""
    amounts = {abs(line["cents"]) for known in (True, False) for line in _lines(facts, texts, known)}
    sums = _sums(_lines(facts, texts, True)).values()
    return len(amounts) == len(texts) + 1 and len({*sums}) == len(sums)


def _sums(lines):
    """What each centre comes to, and what each person gets back."""
    sums = Counter()
    for line in lines:
        sums[line["centre"]] += line["cents"]
        sums[line["paid by"]] += line["cents"]
    return {name: cents for name, cents in sums.items() if name != "institute"}


def _written(line, centre, style):
    """A line with its cells as the sheet has them."""
    kroner = written_amount(line["cents"])
    return {**line, "date": written_day(line["date"], style), "centre": centre, "kroner": kroner}


def _sheet(lines):
    return csv_text(COLUMNS, [[line[column] for column in COLUMNS] for line in lines])


# -- right answers -----------------------------------------------------------------------------------------------------


def right(world, wishes):
    """Sheet, mails and to-dos. Who knows nothing of a wish goes by what stands there first."""
    demo, style = wishes.centre or OLD_CENTRE, wishes.date_style or "iso"
    centres = {"demo": demo, "shirts": wishes.shirts_centre or demo}
    lines = _lines(world.facts, world.texts, wishes.own_order)
    lines = [_written(line, centres[line["centre"]], style) for line in lines]
    sums = {name: written_amount(cents) for name, cents in _sums(lines).items()}
    total = written_amount(sum(line["cents"] for line in lines))
    name = (wishes.sheet_name or "{topic}").format(topic="foyer", date=TODAY) + ".csv"
    body = ["Hi Lotte, the sheet is attached. It comes to", *(f"- {key}: {one}" for key, one in sums.items()), "Nora"]
    thanks = "The foyer demo ran because you stood there, between plates and cables. Thank you!"
    treat = f" There is {world.said['treat'][wishes.treat]}, in the kitchen by C102." if wishes.treat else ""
    # By the roster and Jonas' first mail, where it is not known who really came.
    away, more = (world.absent, wishes.who_helped) if wishes.who_helped else (world.accused, "camille")
    helpers = [world.said["mail"][name] for name in (*SIGNED_UP, more) if name != away]
    return {
        "sheet": File(name, _sheet(lines)),
        "lotte": {"to": LOTTE, "subject": "What the foyer demo cost", "body": "\n".join(body), "attached": name},
        "thanks": {"to": helpers, "subject": "The foyer demo", "body": f"{thanks}{treat}\nNora"},
        "todos": _todos(world, wishes),
        "pair": [{"id": world.first_id, "title": PAIR, "assignee": world.keepers[wishes.broken_pair]}]
        if wishes.broken_pair
        else None,
        "lines": lines,
        "sums": sums,
        "total": total,
    }


def _todos(world, wishes):
    rows = [{"id": key, "is_completed": True} for key in (308, 313, 1064, 1067, 1068)]
    rows.append({"id": 1065, "is_completed": False, "due_date": "2026-04-08"})
    for name, key in NICE.items():
        waits = name == wishes.what_waits
        rows.append({"id": key, "is_completed": not waits, "due_date": "2026-06-01" if waits else "2026-03-18"})
    rows.append({"id": 315, "is_completed": False, "due_date": wishes.photo or world.old_photo})
    if wishes.headphones:
        rows.append({"id": 1066, "is_completed": False, "assignee": world.keepers[wishes.headphones]})
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
    calls = [*messages.send_calls(right(world, wishes)["thanks"]), _updated({"id": 1068, "is_completed": True})]
    if wishes.headphones:
        calls.append(_given(world, 1066, wishes.headphones))
    if wishes.broken_pair:
        calls.append({"tool": "todoist__create_task", "title": PAIR, "project_id": 11})
        calls.append(_given(world, world.first_id, wishes.broken_pair))
    if wishes.photo_word:
        day = f"Hi Gunnar, {world.said['days'][world.photo]} stands for the photo, thank you for asking the dean. Nora"
        calls += messages.send_calls({"to": world.said["mail"]["gunnar"], "subject": "The photo", "body": day})
    return calls


def _updated(row):
    new = {"is_completed": True} if row["is_completed"] else {"due_date": row["due_date"]}
    return {"tool": "todoist__update_task", "task_id": row["id"], **new}


def _given(world, task, name):
    tool = "todoist__assign_or_unassign_task"
    return {"tool": tool, "task_id": task, "assignee_email": world.said["mail"][name]}


# -- what was written, against the sheet that was handed in ------------------------------------------------------------


def _handed_in(evidence):
    """Who paid, the centre and the øre of each line of the one new sheet."""
    rows = [row for row in new_csv_rows(evidence, "costs/")[1:] if len(row) == len(COLUMNS)]
    return [
        {"paid by": who, "centre": centre, "cents": sum(amounts_in(cell)) * (-1 if cell[:1] in "-−" else 1)}
        for _, _, who, centre, cell in rows
    ]


def check_statement(evidence):
    """One mail went to Lotte, with the new sheet as it is; it says what each centre and each person comes to."""
    made = made_records(evidence, "gmail", "emails")
    mails = {key: row for key, row in made.items() if LOTTE in row["recipients"]}
    attached = [row["text"] for _, row in evidence.apps["gmail"].table("attachments").rows() if row["record"] in mails]
    texts = [evidence.text(path) for path in evidence.created if path.startswith("costs/")]
    sums = _sums(_handed_in(evidence)).values()
    said = {one for row in mails.values() for one in amounts_in(row["body"])}
    whole = len(mails) == len(attached) == 1 and attached == [text for text in texts if is_written(text)]
    return whole and bool(sums) and {abs(cents) for cents in sums} <= said


def check_once(evidence, to_do, what):
    """A to-do was given one day, or one person, in each turn: trying is no knowledge, and people are told of it."""
    tried = {}
    for call in evidence.calls:
        if call.ok and str(call.arguments.get("task_id")) == str(to_do) and call.arguments.get(what):
            tried.setdefault(call.turn, set()).add(str(call.arguments[what])[:10])
    return bool(tried) and all(len(values) == 1 for values in tried.values())


def check_ledger(evidence):
    """The note of all demos has one more line, for the foyer, with what the sheet comes to; the rest stands."""
    line, total = logs.note_gained(evidence, 731), sum(one["cents"] for one in _handed_in(evidence))
    return "foyer" in line.lower() and total in amounts_in(line)
