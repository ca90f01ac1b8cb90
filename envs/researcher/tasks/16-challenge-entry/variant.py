"""Three challenges against what is left of the card hours and what is left of the plan; one of them is entered."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from pi_gym.authoring import Stream, csv_text

GRANTED = 6000
# Card hours of one full training, and the packages that an entry serves, as the pages say.
HOURS = {"murmur": 320, "kamo": 190, "ridgeline": 450}
SERVES = {"murmur": ("WP2", "WP4"), "kamo": ("WP1",), "ridgeline": ("WP3",)}
# Deadlines in Norway; the pages give them in other zones, and Murmur has moved its final one.
REGISTRATION = {"murmur": "2026-04-18T13:59", "kamo": "2026-04-23T23:00", "ridgeline": "2026-04-11T02:00"}
FINAL = {"murmur": "2026-05-23T13:59", "kamo": "2026-05-27T23:00", "ridgeline": "2026-06-03T02:00"}
# The hour of the final deadline, as one may write it.
CLOCK = {"murmur": "13[:.h]59|1[:.]59 ?p", "kamo": "23[:.h]00|11([:.]00)? ?p", "ridgeline": "0?2[:.h]00|2([:.]00)? ?a"}
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
    old_day = _styled(date(2025, 5, 10), preferences.persona.date_style)
    name = preferences.persona.naming.format(topic="challenge-memo", date="2025-03-27")
    memo = (
        "# Challenge 2025, for Amara\n\nWe enter Murmur: it tests what we have, and it is the cheapest of those left."
        f" Final deadline {old_day}, 13:59 in our time. Three trainings, 285 card hours of 710.\n\n"
        "What speaks against it: exams in May, and corridors.\n\nN.\n"
    )
    files = {"challenge/cluster/usage.csv": usage, f"challenge/2025/{name}.md": memo}
    return {
        "parked": parked,
        "days": days,
        "granted": f"{GRANTED:,}",
        "aside": aside,
        "left": left,
        "used": used,
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


def work(world: Any, values: Any, draw: frozenset[str]) -> dict[str, Any]:
    """Verdicts, dates and forms for the wishes at hand."""
    p = values.p
    need = {name: hours * p.trainings for name, hours in HOURS.items()}
    served = _served(world.days, world.parked)
    verdicts = {name: "possible" if need[name] <= world.left else "compute" for name in HOURS}
    if p.veltra == "needed":
        verdicts["ridgeline"] = "licence"
    possible = sorted((name for name in HOURS if verdicts[name] == "possible"), key=lambda name: FINAL[name])
    most = max(possible, key=lambda name: served[name])
    enter = {"early": possible[0], "late": possible[-1], "days": most}[p.decide]
    verdicts[enter] = "enter"
    final, registration = (date.fromisoformat(times[enter][:10]) for times in (FINAL, REGISTRATION))
    due = {"Register": _before(registration, 1)}
    due |= {title: _before(final, back) for title, back in (("First results", 15), ("Freeze", 5), ("Description", 3))}
    due["Submit"] = _before(final, p.buffer)
    styles = {style: [_styled(date.fromisoformat(one[:10]), style) for one in FINAL.values()] for style in STYLES}
    style = values.persona.date_style
    return {
        "enter": enter,
        "title": enter.capitalize(),
        "need": need,
        "served": served,
        "verdicts": verdicts,
        "registration": REGISTRATION,
        "final": FINAL,
        "clock": CLOCK[enter],
        "due": {title: str(day) for title, day in due.items()},
        "day": _styled(final, style),
        "styled": _pattern(styles[style]),
        "unstyled": _pattern([one for other in STYLES if other != style for one in styles[other]]),
        "against": [name for name in HOURS if name != enter],
    }


STYLES = ("iso", "day-month", "month-day")


def _styled(day: date, style: str) -> str:
    forms = {
        "iso": str(day),
        "day-month": f"{day.day} {day:%B} {day.year}",
        "month-day": f"{day:%B} {day.day}, {day.year}",
    }
    return forms[style]


def _pattern(days: list[str]) -> str:
    """Any of these days, with or without the year."""
    short = [
        day if day[4:5] == "-" else day.replace(",", "").removesuffix("2026").removesuffix("2025").strip()
        for day in days
    ]
    return "|".join(rf"\b{day}\b" for day in short)


def _before(day: date, back: int) -> date:
    """The working day so many working days before."""
    while back:
        day -= timedelta(days=1)
        back -= day.weekday() < 5 and day not in SHUT
    return day
