"""A release of the toolkit that the group took in session 04: claims, the smoke test, regressions; hold or move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any

from pi_gym.authoring import Stream, csv_text, fixed, is_written

TODAY, PINNED_ON = date(2026, 3, 24), date(2026, 3, 6)
NAMES = ("bosun", "capstan", "fathom", "gunwale", "jetsam", "leeward", "thwart")
# Which part of session 04 (steady, middling, boaster) is right there for a tolerance.
PLACES = {3: 0, 5: 1, 8: 2}
LISTS = {"quay-noisy": 1085, "tramline": 1640, "canteen": 1370}
GAPS = ((150, 230), (380, 440), (610, 690))  # to the claim, in hundredths of a percent of it
BOARDS = {"arm64": "an arm64 board", "x86": "an x86 board", "riscv": "a RISC-V board"}
SHUT = [date(2026, 4, day) for day in range(2, 7)]
# Keys of our decoder.yaml, and keys that we do not have.
OURS = ("max_active", "blank_penalty", "revise_words", "hold_ms", "silence_ms", "min_words")
THEIRS = ("lm_scale", "beam_delta", "max_words", "silence_db", "revise_ms", "active_limit")
TITLES = (
    "drops the last chunk",
    "crashes after nine minutes",
    "partials come late",
    "memory grows",
    "state is lost at a restart",
)
COLUMNS = ("list", "claimed", "ours", "gap", "verdict", "decides")


def kit_of(number: int, tolerance: int) -> tuple[str, str]:
    """Name and version that the group took on 6 March."""
    name = NAMES[(number + PLACES[tolerance] * (number // 7 % 6 + 1)) % 7]
    place = NAMES.index(name)
    return name, f"{place % 3 + 1}.{(number * 2 + place * 5) % 9 + 1}.{(number + place * 3) % 6}"


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw the release, what the smoke test says of it, and its issues."""
    kit, pinned = kit_of(preferences.persona.kit_cast, preferences.persona.claim_tolerance)
    new = f"{pinned.split('.')[0]}.{int(pinned.split('.')[1]) + 1}.0"
    board = stream.choice(list(BOARDS))
    gaps = dict(zip(LISTS, stream.shuffled([stream.integer(*gap) for gap in GAPS]), strict=True))
    means = {name: level + stream.integer(-40, 40) for name, level in LISTS.items()}
    claim = {name: round(mean / (1 + gaps[name] / 10000)) for name, mean in means.items()}
    ours, theirs = sorted(stream.sample(OURS, stream.integer(1, 3))), stream.sample(THEIRS, 3)
    renames = [{"old": one, "how": stream.choice(["is gone", f"is now `{one}_v2`"])} for one in (*ours, *theirs)]
    files = [
        {"name": f"{kit}-{new}{flavour}-{one}.whl", "sha": f"{stream.integer(16**11, 16**12 - 1):x}"}
        for one in BOARDS
        for flavour in ("", "+sef")
    ]
    issues, blockers = _issues(stream.child("issues"), board, pinned, new)
    cleared = stream.choice([date(2026, 3, 31), date(2026, 4, 8), date(2026, 4, 15)])
    facts = {
        "kit": kit, "pinned": pinned, "new": new, "board": board, "board_long": BOARDS[board],
        "published": str(TODAY - timedelta(days=stream.integer(1, 2))),
        "lists": list(LISTS), "mean": means, "bonus": stream.integer(5, 7),
        "claim": {name: fixed(value / 100, 2) for name, value in claim.items()},
        "old_claim": {name: fixed(value * stream.integer(107, 112) / 10000, 2) for name, value in claim.items()},
        "renames": stream.shuffled(renames), "ours": ours, "renamed": [f"{one}_v2" for one in ours],
        "files": stream.shuffled(files),
        "sha": next(one["sha"] for one in files if one["name"].endswith(f"+sef-{board}.whl")),
        "old_sha": f"{stream.integer(16**11, 16**12 - 1):x}",
        "blockers": blockers,
        "keeper": stream.choice(["Jonas", "Priya"]),
        "cleared": {
            "iso": str(cleared), "long": f"{cleared:%A}, {cleared.day} {cleared:%B}",
            "forms": rf"{cleared}|\b{cleared.day}(st|th|[.])? (of )?{cleared:%b}|{cleared:%b}[a-z.]* {cleared.day}\b|"
            rf"\b{cleared.day}[./]0?{cleared.month}\b",
        },
    }  # fmt: skip
    log = _smoke(stream.child("smoke"), means, pinned, new)
    return facts, {"decoder/smoke/log.csv": log, "decoder/watch/inbox/2026-03-24_issues.csv": issues}


def _issues(stream: Stream, board: str, pinned: str, new: str) -> tuple[str, list[int]]:
    """Open and closed, of both versions and all boards; of those that count there are none in most variants."""
    others = [one for one in BOARDS if one != board]
    kinds = [(new, one, "open", "regression") for one in others] + [(new, board, "closed", "regression")]
    kinds += [(pinned, board, "open", "regression"), (new, board, "open", "question"), (new, others[0], "open", "docs")]
    kinds += [(new, stream.choice([board, "all boards"]), "open", "regression")] * (stream.integer(1, 3) == 1)
    rows, blockers = [], []
    number = stream.integer(410, 480)
    for version, where, state, label in stream.shuffled(kinds):
        number += stream.integer(1, 6)
        title = stream.choice(TITLES) if label == "regression" else "what does the new log line mean?"
        rows.append((number, version, where, label, state, title))
        blockers += [number] if (version, state, label) == (new, "open", "regression") and where not in others else []
    return csv_text(["issue", "version", "board", "label", "state", "title"], rows), blockers


def _smoke(stream: Stream, means: Mapping[str, int], pinned: str, new: str) -> str:
    """The night's runs in the order of time; those on a busy node are worthless and were run again."""
    jobs = []
    for version in (pinned, new):
        for name, mean in means.items():
            around = [stream.integer(-12, 12) for _ in range(4)]
            level = mean if version == new else mean * stream.integer(104, 109) // 100
            shifts = [stream.integer(40, 60), *stream.shuffled([*around, -sum(around)])]
            jobs += [(version, name, repeat, level + shift) for repeat, shift in enumerate(shifts)]
    jobs = stream.shuffled(jobs)
    # At least one void run for each list of the new version.
    busy = [next(job for job in jobs if job[:2] == (new, name) and job[2]) for name in means]
    busy += [job for job in jobs if job not in busy and stream.integer(1, 9) == 1]
    rows, at = [], datetime(2026, 3, 23, 22, 5)
    for place, job in enumerate([*jobs, *busy]):
        at += timedelta(minutes=stream.integer(4, 8))
        void = place < len(jobs) and job in busy
        wer = job[3] * stream.integer(112, 125) // 100 if void else job[3]
        load = stream.integer(80, 97) if void else stream.integer(2, 78)
        rows.append((f"{at:%Y-%m-%d %H:%M}", *job[:3], fixed(wer / 100, 2), fixed(load / 100, 2)))
    return csv_text(["when", "version", "list", "repeat", "wer", "load"], rows)


# -- the right answer ------------------------------------------------------------------------------------------------


def work(world: Any, values: Any, draw: frozenset[str]) -> dict[str, Any]:
    """Verdicts, decision and the next look for the wishes at hand."""
    tolerance, weeks, key = values.persona.claim_tolerance, values.persona.pin_weeks, values.p.key
    rows = {}
    for name in world.lists:
        ours, claim = world.mean[name] / 100, float(world.claim[name])
        gap = 100 * (ours - claim) / claim
        rows[name] = {"claim": claim, "ours": ours, "gap": gap, "good": gap <= tolerance}
    until = PINNED_ON + timedelta(weeks=weeks)
    against = [("pin", until >= TODAY), ("claim", not rows[key]["good"]), ("regression", bool(world.blockers))]
    why = [reason for reason, holds in against if holds]
    look = until if until >= TODAY else TODAY + timedelta(weeks=weeks)
    seen = [
        ('seen_version = ""', f'seen_version = "{world.new}"'),
        ('seen_sha256 = ""', f'seen_sha256 = "{world.sha}"'),
    ]
    taken = [
        (f'version = "{world.pinned}"', f'version = "{world.new}"'),
        ('since = "2026-03-06"', f'since = "{TODAY}"'),
        (f'sha256 = "{world.old_sha}"', f'sha256 = "{world.sha}"'),
    ]
    lines = [{"from": old, "to": to} for old, to in [('review = ""', f'review = "{look}"'), *(seen if why else taken)]]
    holding, moving = ["hold", "stay", "keep", "remain", "wait", "not"], ["move", "switch", "take", "upgrad", "updat"]
    return {
        "rows": rows,
        "good": {name: row["good"] for name, row in rows.items()},
        "means": {name: row["ours"] for name, row in rows.items()},
        "decision": "hold" if why else "move",
        "why": "+".join(why) or "ok",
        "look": str(look),
        "days": {lead: str(_before(look, back)) for lead, back in (("same", 0), ("eve", 1), ("two", 2))},
        "window": [str(_before(look, back)) for back in range(6)],
        "lines": lines,
        # As far as the decision goes, whatever the checksum.
        "loose": [one | {"to": {"matches": "^(seen_)?sha256 = "}} if "sha256" in one["from"] else one for one in lines],
        "words": holding if why else moving,
    }  # fmt: skip


def _before(day: date, back: int) -> date:
    """The working day so many working days before."""
    while back:
        day -= timedelta(days=1)
        back -= day.weekday() < 5 and day not in SHUT
    return day


# -- what a watch note holds ---------------------------------------------------------------------------------------


def _note(evidence: Any) -> str:
    """The one new note of the day, "" where there is none or several."""
    created = [path for path in evidence.created if path.startswith("decoder/watch/") and path.endswith(".md")]
    notes = [path for path in created if is_written(evidence.text(path))]
    whole = len(notes) == 1 and notes[0].startswith("decoder/watch/2026-03-24_")
    return (evidence.text(notes[0]) or "") if whole else ""


@lru_cache(maxsize=256)
def _rows(text: str) -> dict[str, tuple[str, ...]]:
    """The note's only table by list: claimed, ours, gap, verdict, decides as written."""
    found: list[list[tuple[str, ...]]] = []
    places: list[int] | None = None
    for line in text.splitlines():
        cells = [cell.strip(" *`_").lower() for cell in line.strip().strip("|").split("|")] if "|" in line else []
        if not cells:
            places = None
        elif places is None:
            places = [cells.index(name) for name in COLUMNS if name in cells]
            found.append([])
        elif len(places) == len(COLUMNS) <= len(cells) and set(cells[0]) - set("-: "):
            found[-1].append(tuple(cells[place] for place in places))
    rows = {row[0]: row[1:] for row in found[0]} if len(found) == 1 else {}
    return rows if set(rows) == set(LISTS) and len(found[0]) == len(LISTS) else {}


def _number(cell: str) -> tuple[float, int] | None:
    """A cell's number, with a sign and a per cent sign perhaps, and how many decimals it shows."""
    text = cell.removesuffix("%").strip().translate({0x2212: "-", 0x2013: "-", ord(","): "."}).removeprefix("+")
    whole, _, part = text.removeprefix("-").partition(".")
    return (float(text), len(part)) if whole.isdecimal() and (part or "0").isdecimal() and len(text) < 9 else None


def check_sound(evidence: Any, means: Mapping[str, float]) -> bool:
    """The day's note judges all lists with the right figures, each of them, and one of them decides."""
    rows = _rows(_note(evidence))
    near = [
        (found := _number(row[1])) is not None and abs(found[0] - means[name]) <= 0.051 for name, row in rows.items()
    ]
    return bool(rows) and all(near) and [row[4] for row in rows.values()].count("yes") == 1


def check_verdicts(evidence: Any, good: Mapping[str, bool]) -> bool:
    """Exactly the claims within the tolerance are called reproduced."""
    words = {True: "reproduced", False: "not reproduced"}
    rows = _rows(_note(evidence))
    return bool(rows) and all(rows[name][3] == words[value] for name, value in good.items())


def check_decides(evidence: Any, key: str) -> bool:
    """This list decides and no other."""
    return [name for name, row in _rows(_note(evidence)).items() if row[4] == "yes"] == [key]


def check_decimals(evidence: Any, count: int) -> bool:
    """Error rates are written with so many decimals."""
    rows = _rows(_note(evidence)).values()
    return bool(rows) and all((_number(cell) or (0, -1))[1] == count for row in rows for cell in row[:2])


def check_line(evidence: Any, head: str, words: Sequence[Any], also: Sequence[str] = ()) -> bool:
    """The one line with this head lists these things ("none" for nothing), and beside them only what is in `also`."""
    lines = [line.strip(" *`_->").lower() for line in _note(evidence).splitlines()]
    found = [line.partition(":")[2] for line in lines if line.startswith(f"{head}:") or line.startswith(f"{head}**:")]
    text = "".join(char if char.isalnum() or char == "_" else " " for char in " ".join(found))
    listed = {word for word in text.split() if "_" in word or word.isdecimal()}
    listed -= set(also)
    named = listed == {str(word).lower() for word in words}
    return bool(_rows(_note(evidence))) and len(found) == 1 and named and (bool(words) or "none" in text.split())
