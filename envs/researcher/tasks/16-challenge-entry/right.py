"""Three challenges against what is left of the card hours and what is left of the plan; one of them is entered."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date, timedelta
from typing import Any

from pi_gym.authoring import File, Stream, csv_text, is_written, made_rows, written_day

GRANTED = 6000
# Card hours of one full training, and the packages that an entry serves, as the pages say.
HOURS = {"murmur": 320, "kamo": 190, "ridgeline": 450}
SERVES = {"murmur": ("WP2", "WP4"), "kamo": ("WP1",), "ridgeline": ("WP3",)}
# Deadlines in Norway; the pages give them in other zones, and Murmur has moved its final one.
REGISTRATION = {"murmur": "2026-04-18T13:59", "kamo": "2026-04-23T23:00", "ridgeline": "2026-04-11T02:00"}
FINAL = {"murmur": "2026-05-23T13:59", "kamo": "2026-05-27T23:00", "ridgeline": "2026-06-03T02:00"}
# The same as the pages first gave them, there.
REGISTRATION_THERE = {"murmur": "2026-04-17T23:59", "kamo": "2026-04-24T06:00", "ridgeline": "2026-04-10T17:00"}
FINAL_THERE = {"murmur": "2026-05-15T23:59", "kamo": "2026-05-28T06:00", "ridgeline": "2026-06-02T17:00"}
# The tasks of the plan: how many working days before the final day (of Register: before the registration's day).
BACKS = {"Register": 1, "First results": 15, "Freeze": 5, "Description": 3}
TITLES = ("Register our team", "First results on the development set", "Freeze the system", "Description of the system")
FIELDS = ("registration", "final", "card_hours", "days", "verdict")
FORM, PEOPLE = "challenge/entry.yaml", {"tomasz": (3, "tomasz.wieczorek"), "priya": (4, "priya.raman")}
PAGES = (
    *("murmur-challenge.example/2026", "murmur-challenge.example/2026/news", "murmur-challenge.example/2026/data"),
    *("kamo-streets.example/challenge", "kamo-streets.example/challenge/rules", "ridgeline-device.example/2026"),
    *("ridgeline-device.example/2026/data-terms", "deadline-clocks.example/zones"),
)
SHUT = [*(date(2026, 4, day) for day in range(2, 7)), date(2026, 5, 1), date(2026, 5, 14), date(2026, 5, 25)]
USERS = ("nlindqvist", "twieczorek", "praman", "jbeck", "wzhao", "croux")
STRANGERS = ("ehagen", "mlund", "sbakke")


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw the plan, the parked package, the quota and the cluster's accounts."""
    parked = stream.choice(["WP2", "WP3", "WP4"])
    days = _days(stream.child("days"), parked)
    aside = {
        "thesis": stream.choice([380, 400, 420]),
        "old": stream.choice([200, 250]),
        "paper": stream.choice([340, 390, 430]),
    }
    left = stream.integer(*stream.choice([(1020, 1240), (1400, 1740), (1850, 2080)]))
    used = GRANTED - aside["thesis"] - aside["paper"] - left
    usage = _usage(stream.child("usage"), used)
    old_day = written_day(date(2025, 5, 10), preferences.persona.date_style)
    name = preferences.persona.naming.format(topic="challenge-memo", date="2025-03-27")
    memo = (
        "# Challenge 2025, for Amara\n\nWe enter Murmur: it tests what we have, and it is the cheapest of those left."
        f" Final deadline {old_day}, 13:59 in our time. Three trainings, 285 card hours of 710.\n\n"
        "What speaks against it: exams in May, and corridors.\n\nN.\n"
    )
    # Who takes the lost jobs and the short queue along, and the old number.
    spent = [line.split(",") for line in usage.splitlines()[1:]]
    naive = GRANTED - sum(int(job[5]) * int(job[6]) for job in spent if job[3] == "hm") - aside["thesis"] - aside["old"]
    files = {"challenge/cluster/usage.csv": usage, f"challenge/2025/{name}.md": memo}
    return {
        "parked": parked,
        "days": days,
        "granted": f"{GRANTED:,}",
        "aside": aside,
        "left": left,
        "naive_left": naive,
        "used": used,
        "backs": {title: [back] for title, back in BACKS.items()},
        "any_days": {title: [] for title in (*BACKS, "Submit")},
    }, files


def _days(stream: Stream, parked: str) -> dict[str, int]:
    """Planned days; what the three challenges serve of the running packages is never equal."""
    while True:
        days = {name: stream.integer(6, 24) for name in ("WP1", "WP2", "WP3", "WP4")}
        served = sorted(_served(days, parked).values())
        if served[1] - served[0] >= 2 <= served[2] - served[1]:
            return days


def _served(days: Mapping[str, int], parked: str) -> dict[str, int]:
    return {name: sum(days[one] for one in packages if one != parked) for name, packages in SERVES.items()}


def _usage(stream: Stream, used: int) -> str:
    """Jobs in the order of time whose counted card hours add up; lost, free and foreign ones among them."""
    jobs: list[list[Any]] = []
    rest = used
    while rest > 0:
        cards = stream.choice([1, 2, 2, 4])
        hours = min(stream.integer(9, 46), rest // cards)
        cards, hours = (cards, hours) if hours else (1, rest)
        queue = "day" if hours <= 12 else "night"
        jobs.append([stream.choice(USERS), "hm", queue, cards, hours, "done" if stream.integer(0, 8) else "ended"])
        rest -= cards * hours
    jobs += [
        [stream.choice(USERS), "hm", "night", stream.choice([2, 4]), stream.integer(8, 40), "lost"] for _ in range(9)
    ]
    jobs += [
        [stream.choice(USERS), "hm", "short", stream.choice([1, 2]), stream.integer(1, 2), "done"] for _ in range(16)
    ]
    jobs += [[stream.choice(STRANGERS), "aud", "night", 2, stream.integer(6, 60), "done"] for _ in range(14)]
    jobs = stream.shuffled(jobs)
    rows = []
    for place, job in enumerate(jobs):
        day = date(2026, 1, 5) + timedelta(days=place * 85 // len(jobs))
        rows.append([41200 + 7 * place + stream.integer(0, 6), day, *job])
    return csv_text(["job", "day", "user", "project", "queue", "cards", "hours", "state"], rows)


# -- the right entry -------------------------------------------------------------------------------------------------


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The form, the memo and the plan. Who knows nothing of a wish takes what the pages and files say first."""
    trainings, decides = wishes.trainings or 3, wishes.what_decides or "days"
    hours = {name: one * trainings for name, one in HOURS.items()}
    left = world.left if wishes.quota else world.naive_left
    final, registration = (FINAL, REGISTRATION) if wishes.our_time else (FINAL_THERE, REGISTRATION_THERE)
    served = _served(world.days, world.parked if wishes.days_served else "")
    barred = ["ridgeline"] if wishes.licence_rule == "needed" else []
    enter, verdicts = _judged(hours, left, final, served, barred, decides)
    lines = [
        f"enter: {enter}",
        f"decided_by: {decides}",
        f"trainings: {trainings}",
        f"quota_left: {left}",
        "challenges:",
    ]
    for name in HOURS:
        times = [f'registration: "{registration[name]}"', f'final: "{final[name]}"']
        rest = [f"card_hours: {hours[name]}", f"days: {served[name]}", f"verdict: {verdicts[name]}"]
        lines += [f"  {name}:", *(f"    {line}" for line in (*times, *rest))]
    name = (wishes.memo_name or "{topic}").format(topic="challenge-memo", date="2026-03-31")
    return {
        "form": "\n".join([*lines, ""]),
        "memo": File(f"{name}.md"),
        "section": [{"id": 1, "name": enter.capitalize()}],
        "plan": [{"id": 1}],
        "description": [{"project": 1, "assignee": PEOPLE[wishes.writer][0] if wishes.writer else None}],
        "title": enter.capitalize(),
        "decides": decides,
        "trainings": trainings,
        "left": left,
        "hours": hours[enter],
        "day": written_day(date.fromisoformat(final[enter][:10]), wishes.date_style or "iso"),
        "hour": final[enter][11:],
        "others": {name: verdicts[name] for name in HOURS if name != enter},
        "due": _due(date.fromisoformat(final[enter][:10]), date.fromisoformat(registration[enter][:10]), wishes),
    }


def _judged(
    hours: Mapping[str, int],
    left: int,
    final: Mapping[str, str],
    served: Mapping[str, int],
    barred: Collection[str],
    decides: str,
) -> tuple[str, dict[str, str]]:
    """What is entered, and all verdicts."""
    verdicts = {
        name: "licence" if name in barred else "possible" if hours[name] <= left else "compute" for name in HOURS
    }
    # Where nothing fits, the cheapest is entered all the same.
    possible = [name for name in HOURS if verdicts[name] == "possible"] or ["kamo"]
    possible.sort(key=lambda name: final[name])
    most = max(possible, key=lambda name: served[name])
    enter = {"early": possible[0], "late": possible[-1], "days": most}[decides]
    return enter, verdicts | {enter: "enter"}


def _due(final: date, registration: date, wishes: Any) -> list[str]:
    """The days of the five tasks; who does not read how they are counted counts the days of the calendar."""
    ends = {title: registration if title == "Register" else final for title in BACKS}
    days = [
        _before(ends[title], back) if wishes.milestones else ends[title] - timedelta(days=back)
        for title, back in BACKS.items()
    ]
    return [str(day) for day in (*days, _before(final, wishes.buffer or 0))]


def _before(day: date, back: int) -> date:
    """The working day so many working days before."""
    while back:
        day -= timedelta(days=1)
        back -= day.weekday() < 5 and day not in SHUT
    return day


def look_around(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Read the pages, the mails and the project."""
    return [
        {"tool": "web_search", "query": "Murmur Kamo Ridgeline challenge 2026 deadline"},
        *({"tool": "web_fetch", "url": f"https://{page}"} for page in PAGES),
        {"tool": "gmail__login", "username": "nora.lindqvist@halden-it.example", "password": "lantern-tide-58"},
        *({"tool": "gmail__show_thread", "email_thread_id": thread} for thread in (16001, 16005)),
        {"tool": "todoist__login", "username": "nora.lindqvist@halden-it.example", "password": "low-water-mark-3"},
        {"tool": "todoist__show_projects", "query": "TideASR"},
        {"tool": "todoist__show_sections", "project_id": 1},
    ]


def make_plan(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Make the section and its tasks."""
    made, first = right(world, wishes), world.first_id
    tasks = zip((*TITLES, "Submit"), made["due"], strict=True)
    calls = [{"tool": "todoist__create_section", "project_id": 1, "name": made["title"]}]
    for title, day in tasks:
        calls.append(
            {"tool": "todoist__create_task", "project_id": 1, "section_id": first, "title": title, "due_date": day}
        )
    if wishes.writer:
        email = f"{PEOPLE[wishes.writer][1]}@halden-it.example"
        calls.append({"tool": "todoist__assign_or_unassign_task", "task_id": first + 3, "assignee_email": email})
    return calls


# -- what was handed in, each part against its own form ----------------------------------------------------------------


def _form(evidence: Any) -> dict[str, str]:
    """The form's fields by name, those of a challenge with its name and a point before."""
    found: dict[str, str] = {}
    place = ""
    text = (evidence.text(FORM) or "").replace("{", "\n  ").replace("}", "").replace(", ", "\n  ")
    for line in text.splitlines():
        name, _, value = (part.strip(" \"'\t") for part in line.partition(" #")[0].partition(":"))
        if not line.startswith(" "):
            place = ""
        if name in HOURS and not value:
            place = f"{name}."
        elif value:
            found[place + name] = value
    return found


def check_whole_form(evidence: Any) -> bool:
    """The form is filled in, once, and one of the three is entered."""
    form, text = _form(evidence), f"\n{evidence.text(FORM) or ''}"
    numbers = [form.get(name, "") for name in ("trainings", "quota_left", *(f"{one}.card_hours" for one in HOURS))]
    entered = [name for name in HOURS if form.get(f"{name}.verdict") == "enter"]
    whole = all(f"{name}.{field}" in form for name in HOURS for field in FIELDS) and text.count("\nenter") == 1
    return whole and all(one.isdecimal() for one in numbers) and entered == [form.get("enter")]


def check_by_the_rules(evidence: Any) -> bool:
    """Verdicts and entry follow from the form's own figures."""
    form = _form(evidence)
    barred = [name for name in HOURS if form[f"{name}.verdict"] == "licence"]
    numbers = {field: {name: int(form[f"{name}.{field}"]) for name in HOURS} for field in ("card_hours", "days")}
    final = {name: form[f"{name}.final"] for name in HOURS}
    if form["decided_by"] not in ("days", "late", "early") or set(barred) - {"ridgeline"}:
        return False
    left = int(form["quota_left"])
    enter, verdicts = _judged(numbers["card_hours"], left, final, numbers["days"], barred, form["decided_by"])
    return enter == form["enter"] and all(form[f"{name}.verdict"] == verdicts[name] for name in HOURS)


def check_memo_fits_form(evidence: Any) -> bool:
    """The one new memo names what the form enters, its card hours, and the hour of its final deadline."""
    form = _form(evidence)
    enter = form.get("enter", "")
    paths = [path for path in sorted(evidence.created) if path.startswith("challenge/") and path.endswith(".md")]
    memos = [text.lower().replace(",", "") for path in paths if is_written(text := evidence.text(path) or "")]
    hour, _, minute = form.get(f"{enter}.final", "")[11:16].partition(":")
    if len(memos) != 1 or not (hour.isdecimal() and minute.isdecimal()):
        return False
    short = int(hour) % 12 or 12
    times = [f"{hour}{sign}{minute}" for sign in (":", ".", "h", "")] + [f"{int(hour)}:{minute}", f"{short}:{minute}"]
    times += [f"{short} {half}" for half in ("am", "pm", "a.m", "p.m")] if minute == "00" else []
    return enter in memos[0] and form[f"{enter}.card_hours"] in memos[0] and any(time in memos[0] for time in times)


def check_section_named(evidence: Any) -> bool:
    """The section has the name of what the form enters."""
    enter = _form(evidence).get("enter", "-")
    return all(row["name"].lower().startswith(enter) for row in made_rows(evidence, "todoist", "sections"))


def check_due(evidence: Any, days: dict[str, list[Any]]) -> bool:
    """There is one task for each title, due one of so many working days before the deadline of what is entered."""
    form = _form(evidence)
    for title, backs in days.items():
        tasks = [
            row for row in made_rows(evidence, "todoist", "tasks") if row["title"].lower().startswith(title.lower())
        ]
        end = form.get(f"{form.get('enter')}.{'registration' if title == 'Register' else 'final'}", "")[:10]
        if len(tasks) != 1 or len(end) != 10:
            return False
        wanted = [str(_before(date.fromisoformat(end), int(back))) for back in backs]
        if wanted and str(tasks[0]["due_date"])[:10] not in wanted:
            return False
    return True
