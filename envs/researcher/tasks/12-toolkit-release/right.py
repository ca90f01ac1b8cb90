"""A release of the toolkit that the group took in session 04: claims, the smoke test, regressions; hold or move."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

from pi_gym.authoring import Change, File, Stream, csv_text, fixed, made_rows, markdown_table

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
PEOPLE = {"tomasz": "tomasz.wieczorek", "priya": "priya.raman", "weilin": "wei-lin.zhao", "jonas": "jonas.beck"}
NEAR_ENOUGH = 10  # percent, for somebody who was not told
WORDS = {"hold": ("hold", "stay", "keep", "remain", "wait"), "move": ("move", "switch", "take", "upgrad", "updat")}
LOG, LOCK = "decoder/watch/log.csv", "decoder/lock.toml"
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
    table, issues = _issues(stream.child("issues"), board, pinned, new)
    sha = next(one["sha"] for one in files if one["name"].endswith(f"+sef-{board}.whl"))
    cleared = stream.choice([date(2026, 3, 31), date(2026, 4, 8), date(2026, 4, 15)])
    others = [number for number, counts in issues if not counts]
    keeper = stream.choice(["Jonas", "Priya"])
    blockers = [number for number, counts in issues if counts]
    facts = {
        "kit": kit, "pinned": pinned, "new": new, "board": board, "board_long": BOARDS[board],
        "published": str(TODAY - timedelta(days=stream.integer(1, 2))),
        "lists": list(LISTS), "mean": means, "bonus": stream.integer(5, 7),
        "claim": {name: fixed(value / 100, 2) for name, value in claim.items()},
        "old_claim": {name: fixed(value * stream.integer(107, 112) / 10000, 2) for name, value in claim.items()},
        "renames": stream.shuffled(renames), "ours": ours, "theirs": theirs,
        "files": stream.shuffled(files), "sha": sha, "other_shas": [one["sha"] for one in files if one["sha"] != sha],
        "old_sha": f"{stream.integer(16**11, 16**12 - 1):x}",
        "blockers": blockers, "no_blockers": others,
        "blockers_line": {"no_number": others} | ({"number": blockers} if blockers else {"names": "none"}),
        "keeper": keeper, "old_keeper": {"Jonas": "Priya", "Priya": "Jonas"}[keeper],
        "cleared": _day(cleared), "old_cleared": _day(cleared - timedelta(days=1)),
        # By decision, the lines of lock.toml that change, but for review and checksums.
        "changes": {
            "hold": {'seen_version = ""': f'seen_version = "{new}"'},
            "move": {f'version = "{pinned}"': f'version = "{new}"', 'since = "2026-03-06"': f'since = "{TODAY}"'},
        },
    }  # fmt: skip
    log = _smoke(stream.child("smoke"), means, pinned, new)
    return facts, {"decoder/smoke/log.csv": log, "decoder/watch/inbox/2026-03-24_issues.csv": table}


def _day(day: date) -> dict[str, str]:
    return {"iso": str(day), "long": f"{day:%A}, {day.day} {day:%B}"}


def _issues(stream: Stream, board: str, pinned: str, new: str) -> tuple[str, list[tuple[int, bool]]]:
    """Open and closed, of both versions and all boards, and whether each counts; in most variants none does."""
    others = [one for one in BOARDS if one != board]
    kinds = [(new, one, "open", "regression") for one in others] + [(new, board, "closed", "regression")]
    kinds += [(pinned, board, "open", "regression"), (new, board, "open", "question"), (new, others[0], "open", "docs")]
    kinds += [(new, stream.choice([board, "all boards"]), "open", "regression")] * (stream.integer(1, 3) == 1)
    rows, found = [], []
    number = stream.integer(410, 480)
    for version, where, state, label in stream.shuffled(kinds):
        number += stream.integer(1, 6)
        title = stream.choice(TITLES) if label == "regression" else "what does the new log line mean?"
        rows.append((number, version, where, label, state, title))
        found.append((number, (version, state, label) == (new, "open", "regression") and where not in others))
    return csv_text(["issue", "version", "board", "label", "state", "title"], rows), found


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


# -- the right decision ----------------------------------------------------------------------------------------------


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The note, the row, the lock and the mail. Who knows nothing of a wish believes much and names everything."""
    rows = {}
    for name in world.lists:
        ours, claim = world.mean[name] / 100, float(world.claim[name])
        gap = 100 * (ours - claim) / claim
        rows[name] = {"claim": claim, "ours": ours, "gap": gap, "good": gap <= (wishes.tolerance or NEAR_ENOUGH)}
    key = wishes.deciding_list or world.lists[0]
    weeks = wishes.pin_term or 9
    until = PINNED_ON + timedelta(weeks=weeks)
    blockers = sorted(world.blockers if wishes.blockers else [*world.blockers, *world.no_blockers])
    against = {"pin": until >= TODAY, "claim": not rows[key]["good"], "regression": bool(blockers)}
    why = "+".join(reason for reason, holds in against.items() if holds) or "ok"
    decision = "move" if why == "ok" else "hold"
    look = str(until if until >= TODAY else TODAY + timedelta(weeks=weeks))
    sha = world.sha if wishes.checksum else next(one["sha"] for one in world.files if one["sha"] != world.sha)
    decimals = wishes.decimals or 2
    cells = [
        [name, fixed(one["claim"], decimals), fixed(one["ours"], decimals), f"{one['gap']:+.1f}",
         "reproduced" if one["good"] else "not reproduced", "yes" if name == key else "no"]
        for name, one in rows.items()
    ]  # fmt: skip
    backs = {"owner": f"; {world.keeper} puts it back", "deadline": f"; possible until {world.cleared['iso']}"}
    told = [wishes.contact] if wishes.contact else PEOPLE
    words = f"We hold at {world.pinned} ({why})" if decision == "hold" else "We move to it"
    return {
        "note": File(f"{TODAY}_{world.kit}-{world.new}.md"),
        "log": Change(append=f"{TODAY},{world.kit},{world.new},{decision},{why},{look}\n"),
        "lock": Change(_lines(world, decision, look, sha)),
        "reminder": [
            {"id": 1, "message": f"Look at {world.kit} again: its pin ends on {look} (decoder/watch/log.csv)."}
        ],
        "mail": {
            "to": [f"{PEOPLE[one]}@halden-it.example" for one in told],
            "subject": f"Release of {world.kit}: {decision}",
            "body": f"Hi,\n\n{world.kit} {world.new} is out. {words}; next look on {look}.\n\nNora\n",
        },
        "table": markdown_table(COLUMNS, cells).strip(),
        "blockers": blockers,
        "migrate": world.ours if wishes.migration else [*world.ours, *world.theirs],
        "back": backs.get(wishes.way_back, ""),
        "decision": decision,
        "why": why,
        "look": look,
    }


def _lines(world: Any, decision: str, look: str, sha: str) -> dict[str, str]:
    """What changes in lock.toml."""
    seen = {'seen_version = ""': f'seen_version = "{world.new}"', 'seen_sha256 = ""': f'seen_sha256 = "{sha}"'}
    taken = {
        f'version = "{world.pinned}"\nsince = "2026-03-06"': f'version = "{world.new}"\nsince = "{TODAY}"',
        world.old_sha: sha,
    }
    return {'review = ""': f'review = "{look}"', **(seen if decision == "hold" else taken)}


def remind_and_tell(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Set the reminder and send the mail."""
    made = right(world, wishes)
    day = _before(date.fromisoformat(made["look"]), {"eve": 1, "two": 2}.get(wishes.reminder_day, 0))
    mail = made["mail"]
    sent = {"email_addresses": mail["to"], "subject": mail["subject"], "body": mail["body"]}
    return [
        {"tool": "cron", "action": "add", "at": f"{day}T09:00", "message": made["reminder"][0]["message"]},
        {"tool": "gmail__send_email", **sent},
    ]


def _before(day: date, back: int) -> date:
    """The working day so many working days before."""
    while back:
        day -= timedelta(days=1)
        back -= day.weekday() < 5 and day not in SHUT
    return day


# -- what was handed in, each part against its own row in log.csv -----------------------------------------------------


def _logged(evidence: Any) -> tuple[str, str]:
    """Decision and next look of the row of the day; "" where there is none."""
    lines = (evidence.text(LOG) or "").splitlines()
    rows = [[cell.strip() for cell in line.split(",")] for line in lines if line.startswith(f"{TODAY},")]
    return (rows[0][3].lower(), rows[0][5]) if len(rows) == 1 and len(rows[0]) == 6 else ("", "")


def check_locked(evidence: Any, hold: dict[str, str], move: dict[str, str]) -> bool:
    """lock.toml says what the row says, whatever its checksum, and is otherwise as it was."""
    decision, look = _logged(evidence)
    wanted = {"hold": hold, "move": move}.get(decision, {}) | {'review = ""': f'review = "{look}"'}
    old, new = (_loose(text or "") for text in (evidence.start.text(LOCK), evidence.text(LOCK)))
    changed = [(a, b) for a, b in zip(old, new, strict=False) if a != b]
    return len(old) == len(new) and bool(look) and dict(changed) == wanted and len(changed) == len(wanted)


def _loose(text: str) -> list[str]:
    """Lines without their comments; checksums are left out."""
    lines = [line.partition("#")[0].rstrip() for line in text.splitlines()]
    return [line for line in lines if "sha256" not in line]


def check_reminded(evidence: Any, backs: list[int], hour: str = "") -> bool:
    """The reminder comes so many working days before the next look of the row, perhaps at an hour."""
    _, look = _logged(evidence)
    jobs = made_rows(evidence, "cron", "jobs")
    if len(jobs) != 1 or len(look) != 10 or not look.replace("-", "").isdecimal():
        return False
    days = [str(_before(date.fromisoformat(look), int(back))) for back in backs]
    return str(jobs[0]["at"])[:10] in days and hour in str(jobs[0]["at"])


def check_tells_decision(evidence: Any) -> bool:
    """The mail says what the row says, hold or move."""
    decision, _ = _logged(evidence)
    sent = made_rows(evidence, "gmail", "emails")
    text = f"{sent[0]['subject']} {sent[0]['body']}".lower() if len(sent) == 1 else ""
    return any(word in text for word in WORDS.get(decision, ()))
