"""The partner's evaluation of the quarter, last quarter's figures, and the update that is right for them."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from pi_gym.authoring import (
    Stream,
    csv_text,
    fixed,
    is_written,
    latex_table,
    markdown_table,
    mean_cell,
    mean_pattern,
    spread_pattern,
)

BASELINE, DELIVERABLE = "vh-classic", "tide-aid"
OTHERS = ("duo-mic", "nano-q8", "wide-ctx", "near-talk", "lookback")
# WER of the deliverable in hundredths of a point, before the draw.
CONDITIONS = {"Car": 1340, "Crowd": 2480, "Quiet": 520, "Restaurant": 1960, "Street": 1610, "Wind": 1790}
COLLEAGUES = (("Bruno", "Vasco"), ("Tove", "Ahlgren"), ("Marek", "Zielinski"))
SEEDS = (3, 11, 19, 42, 77)


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw the evaluation and the partner's wishes."""
    embargoed, repeated, plain = stream.sample(OTHERS, 3)
    first, second, third, dropped = stream.sample([c for c in CONDITIONS if c != "Quiet"], 4)
    colleague, gone = stream.sample(COLLEAGUES, 2)
    middle = {c: level + stream.integer(-60, 60) for c, level in CONDITIONS.items()}
    # Better to worse: the embargoed system wins everywhere; the first pass of the repeated one looks far too bad.
    shifts = {embargoed: -210, DELIVERABLE: 0, f"{repeated}-b": 140, plain: 290, repeated: 470, BASELINE: 700}
    runs = {
        (s, c): _runs(stream, middle[c] * (100 + shift // 20) // 100 + shift // 2)
        for s, shift in shifts.items()
        for c in CONDITIONS
    }
    now = statistics.fmean(runs[DELIVERABLE, first])
    # Three yardsticks whose distances from the new figure cannot be taken for each other.
    runs[BASELINE, first] = _runs(stream, round(now * 100) + stream.integer(610, 790))
    then = round(now + stream.integer(21, 34) / 10, 1)
    target = round(now - stream.integer(8, 14) / 10, 1)
    before = {c: round(statistics.fmean(runs[DELIVERABLE, c]) + stream.integer(9, 30) / 10, 1) for c in CONDITIONS}
    before[first] = then
    targets = {c: round(statistics.fmean(runs[DELIVERABLE, c]) + stream.integer(-9, 9) / 10, 1) for c in CONDITIONS}
    targets[first] = target
    entries = [_entry(s, c, runs[s, c], stream) for s in sorted(shifts) for c in sorted(CONDITIONS)]
    body = ",\n".join("  " + json.dumps(entry) for entry in entries)
    head = f'"tool": "nrbench 0.9.3", "list": "veltra_field_640", "seeds": {list(SEEDS)}, "unit": "percent"'
    files = {"results/veltra-2026q1/eval.json": f'{{{head},\n "entries": [\n{body}\n ]}}\n'}
    classic = {c: round(statistics.fmean(runs[BASELINE, c]), 1) for c in CONDITIONS}
    facts = {
        "baseline": BASELINE, "deliverable": DELIVERABLE, "embargoed": embargoed, "repeated": repeated, "plain": plain,
        "wanted": [first, second, third], "dropped": dropped, "first": first, "colleague": colleague, "gone": gone,
        "before": before, "misprint": round(then + 1.8, 1), "targets": targets, "classic": classic,
        "address": "ines.duarte@veltra-hearing.example",
        "copy": f"{colleague[0]}.{colleague[1]}@veltra-hearing.example".lower(),
        "old_copy": f"{gone[0]}.{gone[1]}@veltra-hearing.example".lower(),
        "conditions": sorted(CONDITIONS),
        "runs": {s: {c: runs[s, c] for c in CONDITIONS} for s in shifts},
        "gain": stream.integer(4, 9),
    }  # fmt: skip
    return facts, files


def _runs(stream: Stream, middle: int) -> list[float]:
    """One WER per seed, in percent, with a spread of some tenths of a point."""
    around = [-stream.integer(30, 60), stream.integer(30, 60), *(stream.integer(-28, 28) for _ in SEEDS[2:])]
    return [(middle + shift) / 100 for shift in stream.shuffled(around)]


def _entry(system: str, condition: str, found: Sequence[float], stream: Stream) -> dict[str, Any]:
    ratio = 40 + stream.integer(-3, 3)
    return {
        "system": system,
        "condition": condition,
        "n": len(found),
        "wer": _stats(found),
        "cer": _stats([round(value * ratio / 100, 2) for value in found]),
    }


def _stats(found: Sequence[float]) -> dict[str, float]:
    deviation = statistics.stdev(found)
    return {
        "mean": round(statistics.fmean(found), 5),
        "std": round(deviation, 5),
        "sem": round(deviation / len(found) ** 0.5, 5),
        "min": min(found),
        "max": max(found),
    }


# -- the right update ------------------------------------------------------------------------------------------------


def work(world: Any, values: Any, draw: frozenset[str]) -> dict[str, Any]:
    """The table in the house style at hand, the figures of the mail, and the specs that check both."""
    decimals, spread, style = values.persona.decimals, values.persona.spread, values.persona.table_format
    systems = {s: world.runs[s] for s in (BASELINE, DELIVERABLE, world.plain)}
    systems[world.repeated] = world.runs[f"{world.repeated}-b"]
    sure = [(s, c) for s in (BASELINE, DELIVERABLE) for c in world.wanted]

    def table(pick: Sequence[tuple[str, str]], how: Any) -> dict[str, Any]:
        return {"cells": [{"row": {"System": s}, "column": c, "text": how(systems[s][c])} for s, c in pick]}

    def about(found: Sequence[float]) -> dict[str, Any]:
        return {"number": {"value": round(statistics.fmean(found), 5), "tolerance": 0.0501}}

    rows = [
        [s, *(mean_cell(systems[s][c], decimals, spread, latex=style == "latex") for c in world.wanted)]
        for s in systems
    ]
    write = {"markdown": markdown_table, "csv": csv_text, "latex": latex_table}[style]
    name = values.persona.naming.format(topic="veltra-update", date=values.p.day) + "." + values.persona.suffix
    return {
        "path": f"partner/outbox/{name}",
        "file": name,
        "text": write(["System", *world.wanted], rows),
        "core": table(sure, about),
        "rounded": table(sure, lambda found: {"matches": mean_pattern(found, decimals)}),
        "spread": table(sure, lambda found: {"matches": spread_pattern(found, spread)}),
        "repeated": table([(world.repeated, c) for c in world.wanted], about),
        "columns": {"columns": ["System", *world.wanted]},
        "figure": round(statistics.fmean(systems[DELIVERABLE][world.first]), 5),
        "figure_text": fixed(statistics.fmean(systems[DELIVERABLE][world.first]), decimals),
        **_change(world, values),
        **_call(values.p.call),
    }


def _change(world: Any, values: Any) -> dict[str, Any]:
    """The change against the wanted yardstick, as text and as a check that takes either sign and no other yardstick."""
    decimals = values.persona.decimals
    now = statistics.fmean(world.runs[DELIVERABLE][world.first])
    marks = {
        "last-quarter": world.before[world.first],
        "baseline": statistics.fmean(world.runs[BASELINE][world.first]),
        "target": world.targets[world.first],
    }
    changes: Mapping[str, float] = {name: abs(now - mark) for name, mark in marks.items()}
    right = changes[values.p.compare]
    slack = 0.101  # the difference of rounded figures, or the rounded difference, in any precision
    wrong = [gap for name, gap in changes.items() if name != values.p.compare]
    words = {"last-quarter": "last quarter's report", "baseline": f"{BASELINE}", "target": "the target of Annex B"}
    direction = "above" if now > marks[values.p.compare] else "below"
    return {
        "change_text": f"{fixed(right, decimals)} points {direction} {words[values.p.compare]}",
        "change": {"any": [_in_mail(sign * right, slack) for sign in (1, -1)]},
        "wrong_change": {"any": [_in_mail(sign * gap, 0.0501) for gap in wrong for sign in (1, -1)]},
    }


def _in_mail(value: float, slack: float) -> dict[str, Any]:
    return {"file": "partner/outbox/mail.txt", "text": {"number": {"value": round(value, 5), "tolerance": slack}}}


def _call(moment: str) -> dict[str, Any]:
    """The offered call in words, and patterns for its day, its time and the week's other days in any usual spelling."""
    when = datetime.fromisoformat(moment)
    short = when.hour - 12 if when.hour > 12 else when.hour
    monday = when.day - when.weekday()
    others = [when.replace(day=monday + shift) for shift in range(1, 5) if monday + shift != when.day]
    return {
        "call_text": f"{when:%A}, {when.day} {when:%B} at {when:%H:%M}",
        "call_day": f"(?i){_day(when)}",
        "call_time": rf"(?i)\b0?(?:{when.hour}[:.h]{when:%M}|{short}[:.]{when:%M} ?[ap]\.?m)",
        "other_days": "(?i)" + "|".join(_day(other) for other in others),
    }


def _day(when: datetime) -> str:
    day, month = when.day, rf"{when:%b}(?:{f'{when:%B}'[3:]})?\.?"
    numbers = rf"{when:%Y-%m-%d}|\b{day}[./]0?{when.month}[./]{when.year}\b|\b{day}/0?{when.month}\b"
    return rf"(?:\b{day}(?:st|nd|rd|th|\.)?(?: of)? {month}|{month} {day}(?:st|nd|rd|th)?\b|{numbers})"


def _tables(evidence: Any) -> list[str]:
    """New files of the outbox beside the mail that are more than an emptied draft (a line that says so)."""
    found = [
        p for p in sorted(evidence.created) if p.rpartition("/")[0] == "partner/outbox" and not p.endswith("/mail.txt")
    ]
    return [path for path in found if is_written(evidence.text(path))]


def check_one_table(evidence: Any) -> bool:
    """Exactly one table lies in the outbox."""
    return len(_tables(evidence)) == 1


def check_mail_names_table(evidence: Any) -> bool:
    """The mail names the file that goes with it."""
    mail = evidence.text("partner/outbox/mail.txt") or ""
    return any(path.rpartition("/")[2] in mail for path in _tables(evidence))
