"""The ward's board: visits that moved, who acts next, and what is due when."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from pi_gym.authoring import Stream, attempts, messages, see_to, working_day_before, written_day

NAMES = ("case 1", "case 2", "case 3", "case 4", "home 03", "home 05")
VISITS = [str(1101 + place) for place in range(6)]
MADE = ("Antibiotic bags", "Pump cassettes", "Nutrition bag", "Rinse bags", "Oral solution", "Mouth rinse")
PEOPLE = {"gro": 2, "samira": 3, "ketil": 4}
KETIL = "5550261012"
MAILS = {
    "gro": "gro.myklebust@eidsund-hospital.example", "samira": "samira.haddad@eidsund-hospital.example",
    "ketil": "ketil.brunstad@eidsund-hospital.example",
}  # fmt: skip
STAGES = {"ordered": ("gro", "samira"), "made": ("samira", "ketil"), "up": ("ketil", "gro")}  # who had it, who has it
BANDS = ("green", "blue", "yellow")
SHUT = [date(2026, 5, 14), date(2026, 5, 25)]
DAYS = [date(2026, 5, day) for day in (11, 12, 13, 15, 18, 19, 20, 21, 22, 26, 27, 28, 29)]
TODAY = "2026-05-06"


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Six visits, three of which have moved, and how far each thing is on its way."""
    for _ in attempts():
        days = stream.sample(DAYS, 10)
        old, new, superseded = days[:6], days[6:9], days[9]
        moved = stream.sample(range(6), 3)  # the first two by days, the third by one
        now = [new[moved.index(place)] if place in moved else old[place] for place in range(6)]
        gaps = [(now[place] - old[place]).days for place in moved]
        if min(abs(gaps[0]), abs(gaps[1])) >= 4 and gaps[2] == -1 and _is_telling(old, now):
            break
    stages = stream.shuffled([*STAGES, stream.choice([*STAGES])])
    return {
        "visits": VISITS, "below": BELOW,
        "other_bands": {band: [other for other in BANDS if other != band] for band in BANDS},
        "superseded": _door(str(superseded)),
        "door": [
            f"- {name}, {_door(str(day))}: {made.lower()}" for made, name, day in zip(MADE, NAMES, old, strict=True)
        ],
        "titles": [f"{made} for {name}" for made, name in zip(MADE, NAMES, strict=True)],
        "due": [*map(str, old)], "held": [*map(str, now)],
        "had": [PEOPLE[STAGES[one][0]] for one in stages], "has": [STAGES[one][1] for one in stages],
        "at": {
            stage: ", ".join(name for name, one in zip(NAMES, stages, strict=False) if one == stage) for stage in STAGES
        },
        "moved_names": [NAMES[place] for place in moved],
        "old_days": [str(old[place]) for place in moved],
        "new_days": [*map(str, new)], "new_said": [_said(day) for day in new],
        "moves": [
            {"name": NAMES[place], "old": _door(str(old[place])), "new": _door(str(day))}
            for place, day in zip(moved, new, strict=True)
        ],
    }, {}  # fmt: skip


def _due(day: date, rule: str | None) -> str:
    if rule == "before":
        return (day - timedelta(days=1)).isoformat()
    return working_day_before(day, {"working": 1, "two": 2, None: 0}[rule], SHUT).isoformat()


def _is_telling(old: list[date], now: list[date]) -> bool:
    """Whether calendar and working days differ for two visits, and no task stays due as it was."""
    rules = ("before", "working", "two")
    apart = sum(_due(day, "before") != _due(day, "working") for day in now)
    still = [was for was, day in zip(old, now, strict=True) if was.isoformat() in {_due(day, rule) for rule in rules}]
    return apart >= 2 and not still


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The board, the text and the page for the door. Who knows nothing goes by HANDOVER.md as it stands."""
    rows: list[dict[str, Any]] = []
    for place, key in enumerate(VISITS):
        row = {"id": int(key), "due_date": _due(date.fromisoformat(world.held[place]), wishes.due_rule)}
        if wishes.owner and place < 4:
            row["assignee"] = PEOPLE[world.has[place]]
        rows.append(row)
    if wishes.parked:
        rows += [{"id": key, "due_date": None if wishes.parked == "none" else wishes.parked} for key in (1108, 1109)]
    if wishes.stock_out:
        rows.append({"id": 1111, "due_date": wishes.stock_out})
    done = [1112, 1113] + [1107] * bool(wishes.twice)
    rows += [{"id": key, "is_completed": True} for key in done]
    olds, news = ([_door(day) for day in days] for days in (world.old_days, world.new_days))
    moved = "; ".join(f"{name} to {new}" for name, new in zip(world.moved_names, news, strict=True))
    text = messages.message("text", "", KETIL, "", f"For the van's plan, visits moved: {moved}.")
    mail = {"to": MAILS["gro"], "subject": "Drip stands", "body": f"Ours have the {wishes.gro_answer} band."}
    return {
        "todos": rows, "printed": see_to("mended" if wishes.printed_list else None, olds, news),
        "texts": text if wishes.ward_text else None, "gro": mail if wishes.gro_answer else None,
    }  # fmt: skip


def _door(day: str) -> str:
    """A day as the page for the door has it."""
    return f"{date.fromisoformat(day):%a} {date.fromisoformat(day).day} May"


def _said(day: date) -> list[str]:
    """A day of May as one may write it, in small letters."""
    return [form.format(day.day) for form in ("{} may", "may {}", "{}th", "{}.5", "{}.05", "{}/5", "2026-05-{}")]


def bring_in_line(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Change the board's tasks; where it is not known that comments ring, with a comment on what moved."""
    calls: list[dict[str, Any]] = []
    since = written_day(TODAY, wishes.since_line) if wishes.since_line else "6.5."
    for row in right(world, wishes)["todos"]:
        call = {"tool": "todoist__update_task", "task_id": row["id"]}
        if "due_date" in row:
            call["due_date"] = row["due_date"] or ""
            if not row.get("is_completed"):
                call["description"] = f"since {since}\n{BELOW[row['id']]}"
        if row.get("is_completed"):
            call["is_completed"] = True
        calls.append(call)
        if "assignee" in row:
            email = MAILS[next(name for name, key in PEOPLE.items() if key == row["assignee"])]
            tool = "todoist__assign_or_unassign_task"
            calls.append({"tool": tool, "task_id": row["id"], "assignee_email": email})
    if not wishes.quiet:
        moved = [VISITS[NAMES.index(name)] for name in world.moved_names]
        tool = "todoist__post_task_comment"
        calls += [{"tool": tool, "task_id": int(key), "content": "The visit has moved."} for key in moved]
    return calls


# Below the first line of each task that stays open.
BELOW = {
    **{int(key): f"For the visit of {name}." for key, name in zip(VISITS, NAMES, strict=True)},
    1105: "For the visit of home 03. Two cold boxes.",
    1108: "Waits for the ward: which cupboard.",
    1109: "Waits for the ward: how many hooks.",
    1111: "Four boxes for the ward.",
}


def _board(apps: Any) -> dict[int, dict[str, Any]]:
    return {key: dict(row) for key, row in apps["todoist"].table("tasks").rows() if row["project"] == 1}


def check_since(evidence: Any, day: str) -> bool:
    """What has another day or owner now, and is open, says on its first line since when; one may be forgotten."""
    before, after = _board(evidence.apps_start), _board(evidence.apps)
    both = [(before[key], row) for key, row in after.items() if key in before and not row["is_completed"]]
    changed = [row for was, row in both if any(row[one] != was[one] for one in ("due_date", "assignee"))]
    said = [(row["description"].strip() or " ").splitlines()[0].strip(" .*").lower() for row in changed]
    return len(said) >= 4 and sum(line == f"since {day}".lower() for line in said) >= len(said) - 1


def check_stands(evidence: Any) -> bool:
    """Each task is there, and of its description all but a line that begins with "since"."""
    before, after = _board(evidence.apps_start), _board(evidence.apps)
    return all(
        key in after
        and all(
            line in after[key]["description"]
            for line in row["description"].splitlines()
            if not line.lower().startswith("since")
        )
        for key, row in before.items()
    )
