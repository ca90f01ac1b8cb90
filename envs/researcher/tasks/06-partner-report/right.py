"""The partner's evaluation of the quarter, last quarter's figures, and the update that is right for them."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pi_gym.authoring import (
    Change,
    File,
    Stream,
    csv_text,
    fixed,
    is_written,
    latex_table,
    markdown_table,
    mean_cell,
    sample_figures,
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
        "conditions": sorted(CONDITIONS), "runs": {s: {c: runs[s, c] for c in CONDITIONS} for s in shifts},
        "gain": stream.integer(4, 9), "headline": round(now, 5), "day": preferences.p.day,
    }  # fmt: skip
    return facts, files


def _runs(stream: Stream, middle: int) -> list[float]:
    """One WER per seed, in percent, with a spread of some tenths of a point."""
    around = [-stream.integer(30, 60), stream.integer(30, 60), *(stream.integer(-28, 28) for _ in SEEDS[2:])]
    return [(middle + shift) / 100 for shift in stream.shuffled(around)]


def _entry(system: str, condition: str, found: Sequence[float], stream: Stream) -> dict[str, Any]:
    ratio = 40 + stream.integer(-3, 3)
    letters = [round(value * ratio / 100, 2) for value in found]
    figures = {"wer": sample_figures(found), "cer": sample_figures(letters)}
    return {"system": system, "condition": condition, "n": len(found), **figures}


# -- the right update ------------------------------------------------------------------------------------------------


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The table and what the mail says. Who knows nothing of a wish goes by last quarter's report."""
    decimals, style = wishes.decimals or 2, wishes.table_format or "markdown"
    systems = {s: world.runs[s] for s in (BASELINE, DELIVERABLE, world.plain)}
    systems[world.repeated] = world.runs[f"{world.repeated}-b"]
    columns = world.wanted if wishes.conditions else world.conditions
    rows = [[s, *(_cell(found[c], decimals, wishes.spread, style) for c in columns)] for s, found in systems.items()]
    forms = {"markdown": ("md", markdown_table), "csv": ("csv", csv_text), "latex": ("tex", latex_table)}
    suffix, write = forms[style]
    name = (wishes.naming or "{topic}").format(topic="veltra-update", date=world.day)
    return {
        "contacts": _contacts(world, wishes.contacts),
        "todo": Change(replace={"[ ] update for": "[x] update for"}) if wishes.todo else None,
        "table": File(f"{name}.{suffix}", write(["System", *columns], rows)),
        "copy": world.copy if wishes.copy_line else world.old_copy,
        "figure": fixed(world.headline, decimals),
        "change": _change(world, wishes.comparison, decimals) if wishes.comparison else "",
        "call": f"{datetime.fromisoformat(wishes.call):%A, %-d %B at %H:%M}" if wishes.call else "",
    }


def _contacts(world: Any, way: str | None) -> Change | None:
    """The list of contacts with the new colleague in place of, or beside, the one who left."""
    name, old = " ".join(world.colleague), " ".join(world.gone)
    beside = Change({"field trials, gets": "left in February, got"}, f"- name: {name}\n  mail: {world.copy}\n")
    return {"out": Change({old: name, world.old_copy: world.copy}), "left": beside}.get(way or "")


def _cell(found: Sequence[float], decimals: int, spread: str | None, style: str) -> str:
    if spread is None:
        return fixed(statistics.fmean(found), decimals)
    return mean_cell(found, decimals, spread, latex=style == "latex")


def _change(world: Any, against: str, decimals: int) -> str:
    """The change against the wanted yardstick, in words."""
    mark, words = {
        "last-quarter": (world.before[world.first], "last quarter's report"),
        "baseline": (statistics.fmean(world.runs[BASELINE][world.first]), BASELINE),
        "target": (world.targets[world.first], "the target of Annex B"),
    }[against]
    direction = "above" if world.headline > mark else "below"
    return f"{fixed(abs(world.headline - mark), decimals)} points {direction} {words}"


def check_mail_names_table(evidence: Any) -> bool:
    """The mail names a file beside it that is more than an emptied draft (a line that says so)."""
    mail = evidence.text("partner/outbox/mail.txt") or ""
    beside = [path.rpartition("/") for path in evidence.created if is_written(evidence.text(path))]
    return any(folder == "partner/outbox" and name != "mail.txt" and name in mail for folder, _, name in beside)


def check_contacts(evidence: Any, way: str, new: str, old: str) -> bool:
    """The list of contacts has the new colleague once, and the one who left not at all or marked."""
    text = (evidence.text("partner/contacts.yaml") or "").lower()
    marked = any(word in text for word in ("left", "gone", "until", "former", "no longer"))
    return text.count(new) == 1 and (old not in text if way == "out" else old in text and marked)
