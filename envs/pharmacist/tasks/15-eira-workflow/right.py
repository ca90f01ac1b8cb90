"""A study that was amended: which figures of its workflow are old, its visits, and what its calls rest on."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from pi_gym.authoring import Change, Stream, markdown_table, mends, see_to

OPEN = "to come"
HEADS = ("Participant", "Start", "Week 4", "Week 12", "Week 24")
BASIS = ("Endpoint", "Study", "Effect", "Interval", "Certainty")
SHUT = (date(2026, 7, 6), date(2026, 7, 17))
# A figure of the workflow by its sentence, its words in the protocol, and what it was and is.
PROSE = {
    "minutes": ("A call lasts {} minutes at most.", "minutes of a call at most", (19, 20), (31, 33)),
    "points": ("Her list has {} points.", "points of the list", (17, 18), (21, 22)),
    "men": ("One caller has {} men at a time.", "men a caller has at a time", (10, 11), (13, 14)),
    "hours": ("What changes a supply is passed on within {} hours.", "hours until it is passed on", (44, 48), (34, 38)),
    "taken": (
        "Where under {} per cent of the tablets are taken the ward is told.",
        "per cent taken below which the ward is told", (78, 80), (83, 87),
    ),
    "letter": ("Who is not reached gets a letter after {} days.", "days until a letter", (40, 43), (28, 30)),
    "supply": ("A parcel is for {} days.", "days that a parcel is for", (55, 57), (91, 98)),
    "years": ("Notes are kept for {} years.", "years that notes are kept", (15, 15), (25, 25)),
}  # fmt: skip
ROWS = {"overall survival": ("FULMAR-1", "OS", "months"), "metastasis-free survival": ("FULMAR-2", "MFS", "nnt")}
COUNTED = {
    "visit": "at the visit",
    "home": "at home, in the call",
    "pharmacy": "in the pharmacy",
    None: "to be settled",
}


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw the figures of protocol and amendment, which of them the workflow has, and who began when."""
    trials = preferences.shared["trials"]
    figures = {key: (str(stream.integer(*was)), str(stream.integer(*now))) for key, (_, _, was, now) in PROSE.items()}
    wrong = stream.sample([*PROSE], stream.integer(4, 6))
    early = [date(2026, 4, day) for day in (20, 21, 22, 23, 24)]
    later = [date(2026, 4, 28) + timedelta(n) for n in range(25)]
    later = [day for day in later if day.weekday() < 5 and day not in (date(2026, 5, 1), date(2026, 5, 14))]
    starts = [*early, *sorted(stream.sample(later, 5))]
    people = {f"EIRA-{n:02}": str(day) for n, day in enumerate(starts, 1)}
    hour = stream.integer(8, 9)
    effects = {endpoint: trials["effects"][name]["randomised"] for endpoint, (_, name, _) in ROWS.items()}
    facts = {
        **mends.draft_facts({key: one[0] for key, one in PROSE.items()}, figures, wrong), "people": people,
        "effects": effects, "words": {key: one[1] for key, one in PROSE.items()}, "rows": ROWS,
        "table": markdown_table(HEADS, [(who, day, *[OPEN] * 3) for who, day in people.items()]),
        "basis": markdown_table(BASIS, [(endpoint, *[OPEN] * 4) for endpoint in ROWS]),
        "hours": [f"{hour:02}:00 to {hour + 1:02}:00", f"13:{stream.choice((15, 20, 40))} to 14:45"],
        "windows": {one: [other for other in (2, 3, 5, 7) if other != one] for one in (3, 5, 7)},
        "ways": {"visit": ["visit"], "home": ["at home"], "courier": ["courier", "door"], "pharmacy": ["pharmacy"]},
        "shut": [who for who, day in people.items() if day < "2026-04-25"],
    }  # fmt: skip
    return facts, {}


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """Workflow and basis, and the pages beside them. Who knows nothing mends silently and goes by version 1."""
    window = wishes.window or 2
    rows = [
        [who, day, *(_visit(date.fromisoformat(day), week, window, wishes.closed_day) for week in (4, 12, 24))]
        for who, day in world.people.items()
    ]
    sentences = {key: one[0] for key, one in PROSE.items()}
    pairs = {key: world.mends[key] for key in world.wrong}
    changes, _, below = mends.mending(sentences, pairs, wishes.mend_mark, world.words)
    changes |= {
        world.table: markdown_table(HEADS, rows),
        f"Window in days: {OPEN}": f"Window in days: {window}",
        f"Tablets left over: {OPEN}": f"Tablets left over: counted {COUNTED[wishes.returns]}",
    }
    row = "| EIRA, week {} | the day of the visit | Samira |\n"
    gate = {row.format(8): "", row.format(12): row.format(12) + row.format(24)}
    return {
        "workflow": Change(changes, below),
        "basis": Change({world.basis: _basis(world, wishes)}),
        "gate": Change(gate) if wishes.gate_page else None,
        "card": see_to("mended" if wishes.visit_card else None, *world.hours),
        "samira": "Week 8 is over: EIRA is handed out in weeks 4, 12 and 24.\n" if wishes.samira_word else None,
    }


def _visit(start: date, week: int, window: int, moved: bool | None) -> str:
    day = start + timedelta(7 * week)
    if not (moved and SHUT[0] <= day <= SHUT[1]):
        return str(day)
    after = SHUT[1] + timedelta(3)
    return str(after) if (after - day).days <= window else "telephone"


def _basis(world: Any, wishes: Any) -> str:
    rows, trials = [], world.shared.trials
    for endpoint, (study, _, mixed) in ROWS.items():
        called = trials["named"][study][wishes.study_name or "mixed"]
        effect = world.effects[endpoint][wishes.effect_form or mixed]
        rows.append([endpoint, called, *effect, trials["quality"][study]["sure"][wishes.certainty or "counted"]])
    return markdown_table(BASIS, rows)
