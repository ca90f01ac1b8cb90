"""A night in a freezer: how long it was how warm, which boxes are lost, and what has to come for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.authoring import File, Stream, added_lines, csv_text, fixed, new_csv_rows, see_to, telling
from pi_gym.authoring import stock as shelf

KINDS = {"RNA": (1, 2, 3), "cells": (4, 5, 6, 7), "enzymes": (8, 9, 10), "skin discs": (11, 12)}
KIND = {box: kind for kind, boxes in KINDS.items() for box in boxes}
LIMITS = {"RNA": (-60, 5.0), "cells": (-60, 1.0), "enzymes": (-40, 0.5), "skin discs": (-50, 6.0)}
PROJECTS = ("service", "degrader", "topical")
RUN = {"service": "2026-05-19", "degrader": "2026-05-20", "topical": "2026-05-22"}
RUNS = {"service": "pavel.novotny", "degrader": "siri.kvamme", "topical": "amina.yusuf"}
HEAD, KEEPER = "henrike.vossberg", "ingebjorg.aalen"
ARRIVES = {True: ("2026-05-19", "2026-05-27"), False: ("2026-05-18", "2026-05-25")}
LEVELS = (-60, -50, -40, -30)  # all that a limit may be
READINGS = 124  # of five minutes each, until the alarm
LOST = (
    "lost", "loss", "gone", "warm", "limit", "spoil", "thawed", "discard", "dead", "ruin", "unusable", "unfit",
    "withdrawn", "written off", "none", "nothing", "no ", "not ", "n't", "never", "14 may", "15 may", "2026-05-1",
)  # fmt: skip


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """A night in which each probe and each limit gives other hours."""
    sound = preferences.p.probe
    for _ in telling.attempts():
        peak, up, down = stream.uniform(-29, -22), stream.uniform(3.6, 4.6), stream.uniform(3.4, 4.4)
        off = stream.uniform(5.5, 8.0) * stream.choice((-1, 1))
        true = [_at(place / 12, peak, up, down) + stream.uniform(-0.2, 0.2) for place in range(READINGS)]
        probes = {sound: [round(one, 1) for one in true], 3 - sound: [round(one + off, 1) for one in true]}
        hours = {
            name: {limit: _above(values, limit) for limit in LEVELS}
            for name, values in {
                "1": probes[1], "2": probes[2],
                "mean": [(a + b) / 2 for a, b in zip(probes[1], probes[2], strict=True)],
            }.items()
        }  # fmt: skip
        if _is_telling(hours):
            break
    moved = stream.choice([2, 5, 6, 9])
    goods = preferences.shared.stock
    counted = [
        shelf.lot_row(stream, item, goods[item], goods[item]["units"] // 2 or 1, "2027-03-31", place)
        for item, place in (("wst8", "K1"), ("abar", "F3"), ("pklk3", "F3"))
    ]
    counted += [("qmix", "QM-204", "F3", 500, "reaction", "2026-12-31")]
    return {
        "peak": fixed(max(probes[3 - sound]), 1), "hours": hours, "moved": str(moved),
        "readings": [*zip(probes[1], probes[2], strict=True)],
        "limits": LEVELS, "wanted": [f"rtmix / {one}" for one in PROJECTS],
        "printed": "".join(
            f"above {limit}: probe 1 {fixed(hours['1'][limit], 2)} h, probe 2 {fixed(hours['2'][limit], 2)} h,"
            f" mean {fixed(hours['mean'][limit], 2)} h\n"
            for limit in LEVELS
        ),
    }, {"orders/stock.csv": csv_text(["item", "lot", "place", "counted", "unit", "expires"], counted)}  # fmt: skip


def _at(hour: float, peak: float, up: float, down: float) -> float:
    """The temperature so many hours after eight in the evening: up in a line, and down again."""
    begins = 1.0
    if hour < begins:
        return -79.0
    if hour < begins + up:
        return -79 + (peak + 79) * (hour - begins) / up
    return max(-78.0, peak - (peak + 79) * (hour - begins - up) / down)


def _above(values: list[float], limit: float) -> float:
    """For how many hours the readings are above a limit."""
    return round(sum(one > limit for one in values) / 12, 2)


def _is_telling(hours: Mapping[str, Mapping[int, float]]) -> bool:
    """Whether hours differ by probe and limit, while cells and enzymes are lost by each and skin discs by none."""
    ways = list(hours.values())
    apart = all(telling.amounts_apart([way[limit] for way in ways], 0.35) for limit in LEVELS)
    fates = all(way[-60] > 1.1 and way[-50] < 5.9 and way[-30] > 0.6 for way in ways)
    steps = all(telling.amounts_apart(way.values(), 0.35) for way in ways)
    far = all(abs(way[-60] - 5) > 0.12 for way in ways)
    return apart and fates and steps and far and len({way[-60] > 5 for way in ways}) == 2


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """Losses, replacement and who hears. Who knows nothing goes by the sheet, and by the mean of the probes."""
    hours = world.hours[str(wishes.probe) if wishes.probe else "mean"]
    limits = {kind: limit for kind, (limit, _) in LIMITS.items()} | {"enzymes": wishes.thaw_limit or -40}
    losses = []
    for box, kind in KIND.items():
        if not (wishes.moved_box and str(box) == world.moved):
            over = hours[limits[kind]]
            losses.append((box, kind, fixed(over, 1), "no" if over > LIMITS[kind][1] else "yes"))
    first, later = ARRIVES[bool(wishes.cold_day)]
    days = {one: first if wishes.first_project in (one, None) else later for one in PROJECTS}
    words = world.shared.words["priority"][wishes.priority_words or ""]
    rows = [("rtmix", 1, words[0 if RUN[one] < days[one] else 1], one, days[one]) for one in PROJECTS]
    rows.append(("trypsin", 1, words[2], "degrader", "2026-05-20"))
    if not wishes.spare:
        rows.append(("qmix", 1, words[0], "service", later))
    stopped = [one for one in PROJECTS if RUN[one] < days[one]] or ["service"]
    hear = {"owner": [RUNS[one] for one in stopped], "head": [HEAD], "keeper": [KEEPER], None: [HEAD, KEEPER]}[
        wishes.tell_stop
    ]
    body = "F1 was warm in the night and the RT mix in it is lost. What needs it before the new one is here stops: "
    return {
        "losses": File("2026-05-15_F1.csv", csv_text(["box", "content", "hours", "kept"], losses)),
        "list": File("2026-05-15.csv", csv_text(["item", "packs", "priority", "goes to", "arrives"], rows)),
        "stop": {
            "to": [f"{one}@brygge-lab.example" for one in hear], "subject": "What stops after the night in F1",
            "body": body + ", ".join(f"{one} on {RUN[one]}" for one in stopped) + ".",
        },
        "service": {"to": "service@kaldvakt.example", "subject": "F1", "body": "F1 was warm in the night."}
        if wishes.service_man
        else None,
        "door": see_to(
            "mended" if wishes.door_sheet else None,
            "RT mix from box 8, trypsin from box 10.", "nothing, since the night of 14 May.",
        ),
        "cells": see_to("marked" if wishes.cell_stock else None, "F1, box 7, frozen on 7 May", mark="(lost)"),
    }  # fmt: skip


# -- what was handed in ----------------------------------------------------------------------------------------------


def _kept(evidence: Any) -> dict[int, tuple[float, bool]]:
    """By box, the hours and whether it is kept, as the new table has them."""
    found = {}
    for row in new_csv_rows(evidence, "freezers/losses/")[1:]:
        try:
            found[int(row[0].removeprefix("box").strip())] = (float(row[2].removesuffix("h")), row[3].startswith("y"))
        except (ValueError, IndexError):
            continue
    return found


def check_follows(evidence: Any) -> bool:
    """What is kept was not above its limit for longer than its kind bears, by the table's own hours."""
    kept = _kept(evidence)
    near = {box: (hours, fate) for box, (hours, fate) in kept.items() if box in KIND}
    return len(near) >= 10 and all(
        fate == (hours <= LIMITS[KIND[box]][1]) or abs(hours - LIMITS[KIND[box]][1]) < 0.1
        for box, (hours, fate) in near.items()
    )


def check_seen(evidence: Any, path: str, old: str) -> bool:
    """No line of a page offers the old any more: it is gone or struck, or what came to the page says more."""
    lines, told = (evidence.text(path) or "").splitlines(), " ".join(added_lines(evidence, path))
    offered = [line for line in lines if old in line and "~~" not in line]
    return bool(lines) and (not offered or any(word in told for word in LOST))
