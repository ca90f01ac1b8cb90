"""Three challenges against what is left of the card hours and what is left of the plan; one of them is entered."""

from datetime import date, timedelta

from pi_gym.authoring import (
    Change,
    File,
    added_lines,
    csv_text,
    days_in,
    keyed_rows,
    keyed_texts,
    made_rows,
    new_text,
    redraw,
    telling,
    working_day_before,
    written_day,
    yaml_fields,
)

NAMES = ("murmur", "kamo", "ridgeline")
FIELDS = ("registration", "final", "card_hours", "days", "verdict")
# The tasks of the plan: how many working days before the final day (of Register: before the registration's day).
BACKS = {"Register": 1, "First results": 15, "Freeze": 5, "Description": 3}
TITLES = ("Register our team", "First results on the development set", "Freeze the system", "Description of the system")
PEOPLE = {"tomasz": (3, "tomasz.wieczorek"), "priya": (4, "priya.raman")}
OWN_DUE = {"done": "2026-03-31", "later": "2026-04-07"}
SHUT = [*(date(2026, 4, day) for day in range(2, 7)), date(2026, 5, 1), date(2026, 5, 14), date(2026, 5, 25)]
USERS = ("nlindqvist", "twieczorek", "praman", "jbeck", "wzhao", "croux")
STRANGERS = ("ehagen", "mlund", "sbakke")


def world(stream, preferences):
    """Draw the plan, the parked package, the quota and the cluster's accounts."""
    # Deadlines in Norway, and, "there", as the pages first gave them.
    data = preferences.data
    challenges = keyed_rows(data["challenges.csv"])
    parked = stream.choice(["WP2", "WP3", "WP4"])
    days = _days(stream.child("days"), challenges, parked)
    drawn = {"thesis": [380, 400, 420], "old": [200, 250], "paper": [340, 390, 430]}
    aside = {what: stream.choice(hours) for what, hours in drawn.items()}
    left = stream.integer(*stream.choice([(1020, 1240), (1400, 1740), (1850, 2080)]))
    used = 6000 - aside["thesis"] - aside["paper"] - left
    jobs = _jobs(stream.child("usage"), used)
    # What somebody finds who counts lost jobs and the short queue, and takes the old number.
    spent = sum(cards * hours for _, _, _, project, _, cards, hours, _ in jobs if project == "hm")
    name = preferences.persona.naming.format(topic="challenge-memo", date="2025-03-27")
    old_day = written_day("2025-05-10", preferences.persona.date_style)
    facts = {
        "challenges": challenges, "parked": parked, "days": days, "trainings": stream.choice([2, 3, 4]),
        "aside": aside, "used": used, "left": left, "naive_left": 6000 - spent - aside["thesis"] - aside["old"],
        "backs": BACKS, "pages": data["pages.txt"].split(), "said": keyed_texts(data["said.csv"]),
    }  # fmt: skip
    usage = csv_text(["job", "day", "user", "project", "queue", "cards", "hours", "state"], jobs)
    memo = data["memo_2025.md"].format(day=old_day)
    return facts, {"challenge/cluster/usage.csv": usage, f"challenge/2025/{name}.md": memo}


def _days(stream, challenges, parked):
    """Planned days; what the three challenges serve of the running packages is never equal."""
    return redraw(
        lambda: {name: stream.integer(6, 24) for name in ("WP1", "WP2", "WP3", "WP4")},
        lambda days: telling.amounts_apart([_served(one, days, parked) for one in challenges.values()], 2),
    )


def _served(challenge, days, parked):
    return sum(days[package] for package in challenge["serves"].split() if package != parked)


def _jobs(stream, used):
    """Jobs in the order of time whose counted card hours add up; lost, free and foreign ones among them."""
    jobs, rest = [], used
    while rest > 0:
        cards = stream.choice([1, 2, 2, 4])
        hours = min(stream.integer(9, 46), rest // cards)
        cards, hours = (cards, hours) if hours else (1, rest)
        queue = "day" if hours <= 12 else "night"
        jobs.append([stream.choice(USERS), "hm", queue, cards, hours, "done" if stream.integer(0, 8) else "ended"])
        rest -= cards * hours
    pick, some = stream.choice, stream.integer
    jobs += [[pick(USERS), "hm", "night", pick([2, 4]), some(8, 40), "lost"] for _ in range(9)]
    jobs += [[pick(USERS), "hm", "short", pick([1, 2]), some(1, 2), "done"] for _ in range(16)]
    jobs += [[pick(STRANGERS), "aud", "night", 2, some(6, 60), "done"] for _ in range(14)]
    rows = []
    for place, job in enumerate(stream.shuffled(jobs)):
        day = date(2026, 1, 5) + timedelta(days=place * 85 // len(jobs))
        rows.append([41200 + 7 * place + stream.integer(0, 6), day, *job])
    return rows


# -- the right entry -------------------------------------------------------------------------------------------------


def right(world, wishes):
    """The form, the memo and the plan. Who knows nothing of a wish takes what the pages and files say first."""
    decides = wishes.what_decides or "days"
    left = world.left if wishes.quota else world.naive_left
    there = "" if wishes.our_time else " there"
    parked = world.parked if wishes.days_served else ""
    challenges = {
        name: {"registration": one[f"registration{there}"], "final": one[f"final{there}"],
               "card_hours": one["hours"] * world.trainings, "days": _served(one, world.days, parked)}
        for name, one in world.challenges.items()
    }  # fmt: skip
    enter, verdicts = _judged(challenges, left, ["ridgeline"] if wishes.licence_rule == "needed" else [], decides)
    entered = challenges[enter]
    ends = {title: entered["registration" if title == "Register" else "final"][:10] for title in BACKS}
    # Who does not read how days are counted counts those of the calendar.
    due = [working_day_before(ends[title], back, SHUT) if wishes.milestones
           else date.fromisoformat(ends[title]) - timedelta(days=back) for title, back in BACKS.items()]  # fmt: skip
    due.append(working_day_before(entered["final"][:10], wishes.buffer or 0, SHUT))
    day, title = written_day(entered["final"][:10], wishes.date_style or "iso"), enter.capitalize()
    own = {"is_completed": wishes.question == "done", "due_date": OWN_DUE.get(wishes.question)}
    return {
        "form": "", "memo": File("challenge-memo.md"), "section": [{"id": 1, "name": title}], "plan": [{"id": 1}],
        "description": [{"project": 1, "assignee": PEOPLE[wishes.writer][0] if wishes.writer else None}],
        "question": [{"id": 1101, **own}] if wishes.question else None,
        "page": Change(append=f"{title}, until {day}: the challenge of the group.\n") if wishes.plan_page else None,
        "enter": enter, "title": title, "decides": decides, "left": left, "entered": entered, "day": day,
        "challenges": {name: one | {"verdict": verdicts[name]} for name, one in challenges.items()},
        "tasks": [{"title": task, "due_date": str(day)} for task, day in zip((*TITLES, "Submit"), due, strict=True)],
        "own": [own] if wishes.question else [],
        "writers": [f"{PEOPLE[wishes.writer][1]}@halden-it.example"] if wishes.writer else [],
    }  # fmt: skip


def _judged(challenges, left, barred, decides):
    """What is entered, and all verdicts."""
    verdicts = {name: "possible" if one["card_hours"] <= left else "compute" for name, one in challenges.items()}
    verdicts |= dict.fromkeys(barred, "licence")
    # Where nothing fits, the cheapest is entered all the same.
    possible = [name for name in NAMES if verdicts[name] == "possible"] or ["kamo"]
    possible.sort(key=lambda name: challenges[name]["final"])
    most = max(possible, key=lambda name: challenges[name]["days"])
    enter = {"early": possible[0], "late": possible[-1], "days": most}[decides]
    return enter, verdicts | {enter: "enter"}


# -- what was handed in, each part against its own form ----------------------------------------------------------------


def _form(evidence):
    """The form's fields, and those of each challenge."""
    fields = yaml_fields(evidence.text("challenge/entry.yaml"))
    return fields, {name: {one: fields.get(f"challenges.{name}.{one}", "") for one in FIELDS} for name in NAMES}


def _entered(evidence):
    fields, challenges = _form(evidence)
    enter = fields.get("enter", "")
    return enter, challenges.get(enter, dict.fromkeys(FIELDS, ""))


def check_whole_form(evidence):
    """The form is filled in, and one of the three is entered."""
    fields, challenges = _form(evidence)
    numbers = [fields.get(name, "") for name in ("trainings", "quota_left")]
    numbers += [one[field] for one in challenges.values() for field in ("card_hours", "days")]
    whole = all(all(one.values()) for one in challenges.values()) and all(one.isdecimal() for one in numbers)
    return whole and [name for name in NAMES if challenges[name]["verdict"] == "enter"] == [fields.get("enter")]


def check_by_the_rules(evidence):
    """Verdicts and entry follow from the form's own figures."""
    fields, challenges = _form(evidence)
    barred = [name for name, one in challenges.items() if one["verdict"] == "licence"]
    if not check_whole_form(evidence) or fields["decided_by"] not in ("days", "late", "early"):
        return False
    figures = {name: one | {field: int(one[field]) for field in ("card_hours", "days")}
               for name, one in challenges.items()}  # fmt: skip
    enter, verdicts = _judged(figures, int(fields["quota_left"]), barred, fields["decided_by"])
    same = all(one["verdict"] == verdicts[name] for name, one in challenges.items())
    return set(barred) <= {"ridgeline"} and enter == fields["enter"] and same


def check_memo_fits_form(evidence):
    """The one new memo names what the form enters, its card hours, and the hour of its final deadline."""
    enter, challenge = _entered(evidence)
    memo = new_text(evidence, "challenge/", ".md").lower().replace(",", "")
    hour, _, minute = challenge["final"][11:16].partition(":")
    if not memo or not (hour.isdecimal() and minute.isdecimal()):
        return False
    short = int(hour) % 12 or 12
    times = [f"{hour}{sign}{minute}" for sign in (":", ".", "h", "")] + [f"{int(hour)}:{minute}", f"{short}:{minute}"]
    times += [f"{short} {half}" for half in ("am", "pm", "a.m", "p.m")] if minute == "00" else []
    return enter in memo and challenge["card_hours"] in memo and any(time in memo for time in times)


def check_section_named(evidence):
    """The section has the name of what the form enters."""
    enter = _entered(evidence)[0] or "-"
    return all(row["name"].lower().startswith(enter) for row in made_rows(evidence, "todoist", "sections"))


def check_due(evidence, days=None):
    """There is one task for each title, due so many working days before the deadline of what is entered."""
    challenge, made = _entered(evidence)[1], made_rows(evidence, "todoist", "tasks")
    for title, back in (days or dict.fromkeys((*BACKS, "Submit"))).items():
        due = [str(row["due_date"])[:10] for row in made if row["title"].lower().startswith(title.lower())]
        end = challenge["registration" if title == "Register" else "final"][:10]
        if len(due) != 1 or len(end) != 10 or (back and due != [str(working_day_before(end, back, SHUT))]):
            return False
    return True


def check_paged(evidence):
    """A new line of the plan names what the form enters, with the day on which its final deadline falls."""
    enter, challenge = _entered(evidence)
    text, final = " ".join(added_lines(evidence, "challenge/plan-q2.md")), challenge["final"][:10]
    days = {f"2026-{month:02}-{day:02}" for month in (5, 6) for day, _ in days_in(text, 2026, month)}
    return bool(enter) and enter in text and (final in days or final in text)
