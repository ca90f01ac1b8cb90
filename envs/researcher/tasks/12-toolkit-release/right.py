"""A release of the toolkit that the group took in session 04: claims, the smoke test, regressions; hold or move."""

from datetime import date, datetime, timedelta

from pi_gym.authoring import (
    Change,
    File,
    csv_text,
    ends_of_runs,
    fixed,
    keyed_texts,
    made_rows,
    new_lines,
    send_calls,
    working_day_before,
)

TODAY, PINNED_ON = date(2026, 3, 24), date(2026, 3, 6)
# Which toolkit of session 04, by its place among the parts (steady, middling, boaster), is right there for a tolerance.
PLACES = {3: 0, 5: 1, 8: 2}
LISTS = {"quay-noisy": 1085, "tramline": 1640, "canteen": 1370}
GAPS = ((150, 230), (380, 440), (610, 690))  # to the claim, in hundredths of a percent of it
BOARDS = {"arm64": "an arm64 board", "x86": "an x86 board", "riscv": "a RISC-V board"}
SHUT = [date(2026, 4, day) for day in range(2, 7)]
# Keys of our decoder.yaml, and keys that we do not have.
OURS = ("max_active", "blank_penalty", "revise_words", "hold_ms", "silence_ms", "min_words")
THEIRS = ("lm_scale", "beam_delta", "max_words", "silence_db", "revise_ms", "active_limit")
PEOPLE = {"tomasz": "tomasz.wieczorek", "priya": "priya.raman", "weilin": "wei-lin.zhao"}
COLUMNS = ("issue", "version", "board", "label", "state", "title")
NEAR_ENOUGH = 10  # percent, for somebody who was not told
WORDS = {"hold": ("hold", "stay", "keep", "remain", "wait"), "move": ("move", "switch", "take", "upgrad", "updat")}
LOG, LOCK, README = "decoder/watch/log.csv", "decoder/lock.toml", "decoder/watch/README.md"


def world(stream, preferences):
    """Draw the release, what the smoke test says of it, and its issues."""
    persona = preferences.persona
    kit, (major, minor, patch) = preferences.shared.kits[PLACES[persona.claim_tolerance]]
    pinned, new = f"{major}.{minor}.{patch}", f"{major}.{minor + 1}.0"
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
    issues = _issues(stream.child("issues"), preferences.data["titles.txt"].splitlines(), board, pinned, new)
    sha = next(one["sha"] for one in files if one["name"].endswith(f"+sef-{board}.whl"))
    cleared = stream.choice([date(2026, 3, 31), date(2026, 4, 8), date(2026, 4, 15)])
    keeper = stream.choice(["Jonas", "Priya"])
    blocking = [(new, where, "regression", "open") for where in (board, "all boards")]
    blockers = [one[0] for one in issues if one[1:5] in blocking]
    others = [one[0] for one in issues if one[0] not in blockers]
    facts = {
        "kit": kit, "pinned": pinned, "new": new, "board": board, "board_long": BOARDS[board],
        "terms": f"\nA pin holds {persona.pin_weeks} weeks; reproduced is within {persona.claim_tolerance} %.\n",
        "published": str(TODAY - timedelta(days=stream.integer(1, 2))),
        "lists": list(LISTS), "mean": means, "bonus": stream.integer(5, 7),
        "claim": {name: fixed(value / 100, 2) for name, value in claim.items()},
        "old_claim": {name: fixed(value * stream.integer(107, 112) / 10000, 2) for name, value in claim.items()},
        "renames": stream.shuffled(renames), "ours": ours, "theirs": theirs,
        "files": stream.shuffled(files), "sha": sha, "other_shas": [one["sha"] for one in files if one["sha"] != sha],
        "old_sha": f"{stream.integer(16**11, 16**12 - 1):x}",
        "blockers": blockers,
        "blockers_line": {"no_number": others} | ({"number": blockers} if blockers else {"names": "none"}),
        "said": keyed_texts(preferences.data["said.csv"]),
        "keeper": keeper, "old_keeper": {"Jonas": "Priya", "Priya": "Jonas"}[keeper],
        "cleared": str(cleared), "old_cleared": str(cleared - timedelta(days=1)),
        # By decision, the lines of lock.toml that change, but for review and checksums.
        "changes": {
            "hold": {'seen_version = ""': f'seen_version = "{new}"'},
            "move": {f'version = "{pinned}"': f'version = "{new}"', 'since = "2026-03-06"': f'since = "{TODAY}"'},
        },
    }  # fmt: skip
    return facts, {
        "decoder/smoke/log.csv": _smoke(stream.child("smoke"), means, pinned, new),
        "decoder/watch/inbox/2026-03-24_issues.csv": csv_text(COLUMNS, issues),
    }


def _issues(stream, titles, board, pinned, new):
    """Open and closed ones, of both versions and all boards; in most variants none hits the box."""
    others = [one for one in BOARDS if one != board]
    kinds = [(new, one, "open", "regression") for one in others] + [(new, board, "closed", "regression")]
    kinds += [(pinned, board, "open", "regression"), (new, board, "open", "question"), (new, others[0], "open", "docs")]
    kinds += [(new, stream.choice([board, "all boards"]), "open", "regression")] * (stream.integer(1, 3) == 1)
    rows, number = [], stream.integer(410, 480)
    for version, where, state, label in stream.shuffled(kinds):
        number += stream.integer(1, 6)
        title = stream.choice(titles) if label == "regression" else "what does the new log line mean?"
        rows.append((number, version, where, label, state, title))
    return rows


def _smoke(stream, means, pinned, new):
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
    rows, ends = [], ends_of_runs(stream, datetime(2026, 3, 23, 22, 5), (4, 8))
    for place, (job, at) in enumerate(zip([*jobs, *busy], ends, strict=False)):
        void = place < len(jobs) and job in busy
        wer = job[3] * stream.integer(112, 125) // 100 if void else job[3]
        load = stream.integer(80, 97) if void else stream.integer(2, 78)
        rows.append((f"{at:%Y-%m-%d %H:%M}", *job[:3], fixed(wer / 100, 2), fixed(load / 100, 2)))
    return csv_text(["when", "version", "list", "repeat", "wer", "load"], rows)


# -- the right decision ----------------------------------------------------------------------------------------------


def right(world, wishes):
    """The note, the row, the lock and the mail. Who knows nothing of a wish believes much and names everything."""
    gaps = {name: 100 * (world.mean[name] / 100 / float(claim) - 1) for name, claim in world.claim.items()}
    good = {name: gap <= (wishes.tolerance or NEAR_ENOUGH) for name, gap in gaps.items()}
    key = wishes.deciding_list or world.lists[0]
    weeks = wishes.pin_term or 9
    until = PINNED_ON + timedelta(weeks=weeks)
    against = {"pin": until >= TODAY, "claim": not good[key], "regression": bool(world.blockers)}
    why = "+".join(reason for reason, holds in against.items() if holds) or "ok"
    decision = "move" if why == "ok" else "hold"
    look = str(until if until >= TODAY else TODAY + timedelta(weeks=weeks))
    sha = world.sha if wishes.checksum else next(one["sha"] for one in world.files if one["sha"] != world.sha)
    sums = {"hold": {'seen_sha256 = ""': f'seen_sha256 = "{sha}"'}, "move": {world.old_sha: sha}}[decision]
    backs = {"owner": f"; {world.keeper} puts it back", "deadline": f"; possible until {world.cleared}"}
    told = [wishes.contact] if wishes.contact else PEOPLE
    words = f"{world.new} is out. We {decision}: {why}; next look on {look}."
    mail = {"to": [f"{PEOPLE[one]}@halden-it.example" for one in told], "subject": f"Release of {world.kit}"}
    answer = {"to": ["jonas.beck@halden-it.example"], "subject": "Re: Watch mails"}
    return {
        "note": File(f"{TODAY}_{world.kit}-{world.new}.md"),
        "log": Change(append=f"{TODAY},{world.kit},{world.new},{decision},{why},{look}\n"),
        "lock": Change({'review = ""': f'review = "{look}"', **world.changes[decision], **sums}),
        "reminder": [{"id": 1, "message": f"Look at {world.kit} again: its pin ends on {look}, see log.csv."}],
        "mail": mail | {"body": f"Hi,\n\n{world.kit} {words}\n\nNora\n"},
        "answer": answer | {"body": world.said["answer"][wishes.answer]} if wishes.answer else None,
        "readme": Change(append=world.terms) if wishes.terms else None,
        "gaps": gaps, "good": good, "key": key, "decision": decision, "why": why, "look": look,
        "migrate": world.ours if wishes.migration else [*world.ours, *world.theirs],
        "back": backs.get(wishes.way_back, ""),
    }  # fmt: skip


def remind_and_tell(world, wishes):
    """Set the reminder and send the mails."""
    made = right(world, wishes)
    what = made["reminder"][0]["message"]
    reminder = {"tool": "cron", "action": "add", "at": f"{made['look']}T09:00", "message": what}
    return [reminder, *send_calls(*filter(None, (made["mail"], made["answer"])))]


# -- what was handed in, each part against its own row in log.csv -----------------------------------------------------


def _logged(evidence):
    """Decision and next look of the row of the day; "" where there is none."""
    lines = (evidence.text(LOG) or "").splitlines()
    rows = [[cell.strip() for cell in line.split(",")] for line in lines if line.startswith(f"{TODAY},")]
    return (rows[0][3].lower(), rows[0][5]) if len(rows) == 1 and len(rows[0]) == 6 else ("", "")


def check_locked(evidence, hold, move):
    """lock.toml says what the row says, whatever its checksum, and is otherwise as it was."""
    decision, look = _logged(evidence)
    wanted = {"hold": hold, "move": move}.get(decision, {}) | {'review = ""': f'review = "{look}"'}
    old, new = (_loose(text or "") for text in (evidence.start.text(LOCK), evidence.text(LOCK)))
    changed = [(a, b) for a, b in zip(old, new, strict=False) if a != b]
    return len(old) == len(new) and bool(look) and dict(changed) == wanted and len(changed) == len(wanted)


def _loose(text):
    """Lines without their comments; checksums and empty ones are left out."""
    lines = [line.partition("#")[0].rstrip() for line in text.splitlines()]
    return [line for line in lines if line and "sha256" not in line]


def check_reminded(evidence):
    """The reminder comes on the day of the next look in the row, or up to five working days before it."""
    _, look = _logged(evidence)
    jobs = made_rows(evidence, "cron", "jobs")
    if len(jobs) != 1 or len(look) != 10 or not look.replace("-", "").isdecimal():
        return False
    return str(jobs[0]["at"])[:10] in [str(working_day_before(look, back, SHUT)) for back in range(6)]


def check_tells_decision(evidence):
    """The mail says what the row says, hold or move."""
    decision, _ = _logged(evidence)
    sent = [row for row in made_rows(evidence, "gmail", "emails") if "jonas" not in str(row["recipients"])]
    said = [f"{row['subject']} {row['body']}".lower() for row in sent]
    return len(said) == 1 and any(word in said[0] for word in WORDS.get(decision, ()))


def check_terms_stand(evidence):
    """Term and tolerance stand in lines that are new in some file of the folder that others read."""
    texts = [new_lines(evidence, path).lower() for path in (README, LOCK, "decoder/README.md")]
    said = [("week" in text or " days" in text) and ("%" in text or "percent" in text) for text in texts]
    return any(said) and bool(_logged(evidence)[1])
