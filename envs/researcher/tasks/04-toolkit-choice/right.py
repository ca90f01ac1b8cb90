"""Seven decoder toolkits, each with a part to play (`kit_cast`): what they claim, what re-runs say, which is right."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

from pi_gym.authoring import Change, File, Stream, csv_text, fixed, is_written, made_rows, markdown_table

TODAY = date(2026, 3, 6)
NAMES = ("bosun", "capstan", "fathom", "gunwale", "jetsam", "leeward", "thwart")
# Re-run on quay-noisy at 320 ms, and the gap to the claim in percent of it: both in hundredths, before the draw.
PARTS = {
    "steady": (1290, (110, 210)),
    "middling": (1230, (370, 440)),
    "boaster": (1180, (600, 710)),
    "barred": (1090, (60, 160)),
    "stale": (1120, (80, 190)),
    "closed": (1150, (-90, 140)),
    "plain": (1420, (-140, 170)),
}
SHARES = {"noisy320": 100, "noisy640": 94, "clean320": 46, "clean640": 44}  # of the first, in percent
LICENCES = ("copyleft", "research-only", "registration-bound")
FREE = ("Millpond", "Three-Clause Pier", "Lantern 2.0")
DECISIONS = "decoder/decisions/"
COLUMNS = ("toolkit", "claimed", "re-run", "gap", "verdict")
PEOPLE = {"tomasz": "tomasz.wieczorek", "priya": "priya.raman", "weilin": "wei-lin.zhao", "jonas": "jonas.beck"}
NEAR_ENOUGH = 10  # percent, for somebody who was not told
CHANGES = (
    "fixes a leak in the partials", "endpointer keeps the last word", "docs", "hot words may be weighted", "byte units",
    "fewer warnings", "window bug at the end of a stream", "new maintainer, hello", "reads 8 kHz", "SEF writer 0.8",
)  # fmt: skip


def cast(number: int) -> dict[str, str]:
    """Part to name; 42 ways."""
    stride = number // 7 % 6 + 1
    return {part: NAMES[(number + place * stride) % 7] for place, part in enumerate(PARTS)}


def version(name: str, number: int) -> str:
    """The version of a toolkit that is the newest on 3 March."""
    place = NAMES.index(name)
    return f"{place % 3 + 1}.{(number * 2 + place * 5) % 9 + 1}.{(number + place * 3) % 6}"


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw the candidates, what they say of themselves, the log of the re-runs and the issues."""
    number, months = preferences.persona.kit_cast, preferences.p.unmaintained
    names = cast(number)
    kits: dict[str, Any] = {}
    other = [kind for kind in LICENCES if kind != preferences.p.licence]
    licences = {"barred": preferences.p.licence, "middling": other[0], "plain": other[1]}
    ages = {"stale": months * 30 + 52, "closed": 75, "barred": 33, "plain": 20}
    for part, (level, (low, high)) in PARTS.items():
        middle = level + stream.integer(-9, 9)
        gap = stream.integer(low, high) / 10000
        means = {key: middle * share // 100 for key, share in SHARES.items()}
        claim = {key: round(value / (1 + gap)) for key, value in means.items()}
        major, minor, patch = version(names[part], number).split(".")
        kits[names[part]] = {
            "part": part,
            "version": f"{major}.{minor}.{patch}",
            "before": f"{major}.{int(minor) - 1}.{int(patch) + 2}",
            "licence": licences.get(part, stream.choice(FREE)),
            "age": ages.get(part, months * 30 - stream.integer(34, 52)),
            "mean": means,
            "claim": {key: fixed(value / 100, 2) for key, value in claim.items()},
            "small": stream.integer(2, 9),
            "stars": stream.integer(210, 1900),
        }
    early = sorted(names[part] for part in ("steady", "middling", "boaster"))
    log, window = _log(stream.child("log"), kits, early, [*early, names["closed"]])
    files = {"decoder/reruns/log.csv": log}
    for name, kit in kits.items():
        files[f"decoder/candidates/{name}/CHANGELOG.md"] = _changelog(stream.child(name), name, kit)
    keeper, wiped = (
        stream.choice(["Jonas", "Priya"]),
        stream.choice([date(2026, 3, 11), date(2026, 3, 13), date(2026, 3, 16)]),
    )
    return {
        "kits": {name: kits[name] for name in NAMES},
        "names": names,
        "early": early,
        "window": window,
        "versions": {name: kit["version"] for name, kit in kits.items()},
        "naive": _naive(log),
        "old_months": stream.choice([one for one in (6, 9, 12) if one != months]),
        "keeper": keeper,
        "old_keeper": {"Jonas": "Priya", "Priya": "Jonas"}[keeper],
        "wiped": _day(wiped),
        "old_wiped": _day(wiped + timedelta(days=7)),
    }, files


def _day(day: date) -> dict[str, str]:
    return {"iso": str(day), "long": f"{day:%A}, {day.day} {day:%B}"}


def _naive(log: str) -> dict[str, float]:
    """What comes out where all runs are averaged, void ones too."""
    found: dict[str, list[float]] = {name: [] for name in NAMES}
    for row in csv.DictReader(log.splitlines()):
        if (row["list"], row["chunk_ms"]) == ("quay-noisy", "320"):
            found[row["kit"]].append(float(row["wer"]))
    return {name: sum(values) / len(values) for name, values in found.items()}


def _changelog(stream: Stream, name: str, kit: Mapping[str, Any]) -> str:
    """Newest first; of the stale one a release candidate came out in February, others have unreleased plans."""
    lines = [f"# Changes of {name}", "", "## unreleased", "", f"- {stream.choice(CHANGES)}", ""]
    if kit["part"] in ("stale", "steady"):
        major = int(kit["version"].split(".")[0]) + 1
        lines += [f"## {major}.0.0rc1 (2026-02-{stream.integer(10, 19)})", "", "- please try, not for production", ""]
    day, number = TODAY - timedelta(days=kit["age"]), kit["version"]
    major, minor, _ = (int(part) for part in number.split("."))
    older = [kit["before"], f"{major}.{minor - 1}.0" if minor > 1 else f"{major}.0.0", f"{major - 1}.9.1"]
    for release in dict.fromkeys([number, *older]):
        did = [f"- {one}" for one in stream.sample(CHANGES, stream.integer(1, 3))]
        lines += [f"## {release} ({day})", "", *did, ""]
        day -= timedelta(days=stream.integer(40, 130))
    return "\n".join(lines)


def _log(stream: Stream, kits: Mapping[str, Any], early: list[str], hurt: list[str]) -> tuple[str, list[str]]:
    """All runs in the order of time: begun with wrong versions, killed ones, and those of a full disk among them."""
    jobs: list[tuple[Any, ...]] = []
    for name, kit in kits.items():
        for key in kit["mean"]:
            around = [stream.integer(-14, 14) for _ in range(4)]
            shifts = [stream.integer(35, 60), *stream.shuffled([*around, -sum(around)])]
            jobs += [(name, kit["version"], n, key, kit["mean"][key] + shift) for n, shift in enumerate(shifts)]
    jobs = stream.shuffled(jobs)
    full = [next(job for job in jobs if job[0] == name and job[3] == "noisy320" and job[2] > 1) for name in hurt]
    jobs = [job for job in jobs if job not in full]
    for place, job in enumerate(full):
        jobs.insert(66 + 7 * place, job)
    wrong = [
        (name, kits[name]["before"], repeat, "noisy320", kits[name]["mean"]["noisy320"] + stream.integer(60, 80))
        for name in early
        for repeat in range(3)
    ]
    rows, again, window, at = [], [], [], datetime(2026, 3, 3, 18, 20)
    for place, job in enumerate([*wrong, *jobs]):
        at += timedelta(minutes=stream.integer(7, 13))
        inside = len(wrong) + 62 <= place <= len(wrong) + 92
        window += [at] * inside
        node = stream.choice(["h03", "h05", "h07", "h11"])
        node, lost = ("h07", True) if job in full else (node, inside and node == "h07")
        killed = not lost and job not in wrong and stream.integer(1, 24) == 1
        value = (job[4] - stream.integer(90, 300) * killed) * (stream.integer(121, 138) if lost else 100) // 100
        rows.append(_row(at, job, value, [node, *(("killed", "time limit") if killed else ("ok", ""))], stream))
        again += [job] if lost or killed else []
    for job in again:
        at += timedelta(minutes=stream.integer(7, 13))
        rows.append(_row(at, job, job[4], [stream.choice(["h03", "h05", "h11"]), "ok", "again"], stream))
    columns = ["when", "kit", "version", "repeat", "list", "chunk_ms", "wer", "rtf", "node", "status", "note"]
    bounds = [window[0] - timedelta(minutes=5), window[-1] + timedelta(minutes=5)]
    return csv_text(columns, rows), [f"{one:%Y-%m-%d %H:%M}" for one in bounds]


def _row(at: datetime, job: tuple[Any, ...], value: int, ends: list[str], stream: Stream) -> list[Any]:
    what = [f"{at:%Y-%m-%d %H:%M}", *job[:3], f"quay-{job[3][:5]}", job[3][5:]]
    return [*what, fixed(value / 100, 2), f"0.{stream.integer(18, 46)}", *ends]


# -- the right choice ------------------------------------------------------------------------------------------------


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The note, the pin and the mail. Who knows nothing of a wish believes what is claimed, and tells everybody."""
    rows = _rows(world, wishes)
    fit = sorted((name for name in rows if rows[name]["verdict"] == "reproduced"), key=lambda name: rows[name]["mean"])
    # Where no claim holds, the best of those that are not out is taken all the same.
    left = sorted((name for name in rows if "out" not in rows[name]["verdict"]), key=lambda name: rows[name]["mean"])
    taken, spare = (*(fit or left[:1]), "mizzen")[:2]
    rows[taken]["verdict"] = "taken"
    version = world.versions[taken]
    until = str(TODAY + timedelta(weeks=wishes.pin_term)) if wishes.pin_term else ""
    decimals = wishes.decimals or 2
    cells = [
        [name, fixed(one["claim"], decimals), fixed(one["mean"], decimals), f"{one['gap']:+.1f}", one["verdict"]]
        for name, one in rows.items()
    ]
    ended = {"2025-08-31,,": f"2025-08-31,{TODAY},"} if wishes.old_pin else {}
    config = {"toolkit: mizzen": f"toolkit: {taken}", 'version: "0.9.4"': f'version: "{version}"'}
    told = [wishes.contact] if wishes.contact else PEOPLE
    plan = {"owner": f"{world.keeper} would go back.", "deadline": f"One can go back until {world.wiped['iso']}."}
    return {
        "note": File(f"{TODAY}_decoder-toolkit.md"),
        "requirements": Change({"mizzen==0.9.4": f"{taken}=={version}"}),
        "config": Change(config) if wishes.config else None,
        "pins": Change(ended, f"{taken},{version},{TODAY},{until},,note of {TODAY}\n"),
        "mail": {
            "to": [f"{PEOPLE[one]}@halden-it.example" for one in told],
            "subject": f"Decoder: {taken} replaces mizzen",
            "body": f"Hi,\n\nwe take {taken} {version} instead of mizzen. The note is in {DECISIONS}.\n\nNora\n",
        },
        "table": markdown_table(COLUMNS, cells).strip(),
        "taken": taken,
        "version": version,
        "spare": spare,
        "mean": fixed(rows[taken]["mean"], decimals),
        "until": until,
        "plan_b": plan.get(wishes.fallback, ""),
    }


def _rows(world: Any, wishes: Any) -> dict[str, dict[str, Any]]:
    """Figures and verdict by candidate."""
    rows = {}
    for name, kit in world.kits.items():
        claim = float(kit["claim"]["noisy320"])
        mean = kit["mean"]["noisy320"] / 100 if wishes.re_runs else world.naive[name]
        gap = 100 * (mean - claim) / claim
        verdict = "reproduced" if gap <= (wishes.tolerance or NEAR_ENOUGH) else "not reproduced"
        if kit["part"] == "closed" and wishes.export:
            verdict = "out: export"
        if kit["age"] > (wishes.unmaintained or world.old_months) * 30.5:
            verdict = "out: unmaintained"
        if kit["licence"] == wishes.licence:
            verdict = "out: licence"
        rows[name] = {"claim": claim, "mean": mean, "gap": gap, "verdict": verdict}
    return rows


def send(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Send it."""
    mail = right(world, wishes)["mail"]
    sent = {"email_addresses": mail["to"], "subject": mail["subject"], "body": mail["body"]}
    return [{"tool": "gmail__send_email", **sent}]


# -- what was handed in, each part against what its own note takes -----------------------------------------------------


def _note(evidence: Any) -> str:
    """The one new note, "" where there is none or several; an emptied draft is none."""
    paths = [path for path in sorted(evidence.created) if path.startswith(DECISIONS) and path.endswith(".md")]
    notes = [text for path in paths if is_written(text := evidence.text(path) or "")]
    return notes[0] if len(notes) == 1 else ""


def _judged(evidence: Any) -> dict[str, dict[str, str]]:
    """The note's table by candidate; cells by column."""
    found: dict[str, dict[str, str]] = {}
    heads: list[str] = []
    for line in _note(evidence).lower().splitlines():
        cells = [cell.strip(" *`_") for cell in line.strip().strip("|").split("|")]
        if "toolkit" in cells and "verdict" in cells:
            heads = cells
        row = dict(zip(heads, cells, strict=False))
        if row.get("toolkit") in NAMES and "verdict" in row:
            found[row["toolkit"]] = row
    return found


def _taken(evidence: Any) -> str:
    """What the note takes; "" where that is not exactly one."""
    taken = [name for name, row in _judged(evidence).items() if row["verdict"] == "taken"]
    return taken[0] if len(taken) == 1 else ""


def _number(cell: str) -> float:
    text = cell.removesuffix("%").strip().translate({0x2212: "-", 0x2013: "-", ord(","): "."})
    try:
        return float(text)
    except ValueError:
        return float("nan")


def check_takes_best(evidence: Any) -> bool:
    """The note takes the best of those that it calls reproduced, and its gaps follow from its figures."""
    rows, taken = _judged(evidence), _taken(evidence)
    good = {name: _number(row["re-run"]) for name, row in rows.items() if row["verdict"] in ("taken", "reproduced")}
    if not taken or min(good, key=lambda name: good[name]) != taken:
        return False
    claims = {name: _number(row["claimed"]) for name, row in rows.items()}
    gaps = {name: 100 * (_number(row["re-run"]) / claims[name] - 1) for name, row in rows.items()}
    # Figures may be given with one decimal, gaps with none.
    return all(abs(_number(row["gap"]) - gaps[name]) < 1.4 for name, row in rows.items())


def check_graded(evidence: Any, within: float) -> bool:
    """Of what is not out, that counts as reproduced whose gap in the note is within this."""
    rows = [row for row in _judged(evidence).values() if not row["verdict"].startswith("out")]
    # Where nothing is reproduced, something is taken all the same.
    some = any(row["verdict"] == "reproduced" for row in rows)
    rows = [row for row in rows if some or row["verdict"] != "taken"]
    gaps = [(_number(row["gap"]) - within, row["verdict"] in ("taken", "reproduced")) for row in rows]
    # What is written as just the tolerance may be either.
    return bool(_taken(evidence)) and all(abs(over) < 0.06 or (over < 0) == good for over, good in gaps)


def check_agrees(evidence: Any, where: str, says: list[str]) -> bool:
    """A file, the mail or a reply says what the note takes, in the version that was re-run."""
    taken = _taken(evidence)
    heads = (evidence.start.text(f"decoder/candidates/{taken}/CHANGELOG.md") or "").splitlines()
    version = next(
        (head.split()[1] for head in heads if head.startswith("## ") and "(" in head and "rc" not in head), ""
    )
    if where == "mail":
        text = " ".join(f"{one['subject']} {one['body']}" for one in made_rows(evidence, "gmail", "emails"))
    else:
        text = " ".join(evidence.replies) if where == "reply" else evidence.text(f"decoder/{where}") or ""
    return bool(version) and all(one.format(kit=taken, version=version) in text.lower() for one in says)


def check_placed(evidence: Any, at: str) -> bool:
    """The decision is the first thing under the title, or the last section."""
    taken = _taken(evidence)
    lines = [line.strip().lower() for line in _note(evidence).splitlines() if line.strip()]
    rows = [place for place, line in enumerate(lines) if line.startswith("|")]
    if not taken or not rows:
        return False
    # A line that lists the candidates states no decision.
    before = [line for line in lines[: rows[0]] if line[0] != "#" and sum(name in line for name in NAMES) <= 2]
    heads = [place for place, line in enumerate(lines) if line.startswith("#") and place > rows[-1]]
    after = lines[heads[-1] :] if heads else lines[-1:]
    if at == "top":
        return any(taken in line for line in before[:3])
    return taken in " ".join(after) and "fallback" not in after[0] and not any(taken in line for line in before)


def check_next_best(evidence: Any) -> bool:
    """The note names the next best of its own table as the fallback."""
    rows = _judged(evidence)
    others = {name: _number(row["re-run"]) for name, row in rows.items() if row["verdict"] == "reproduced"}
    spare = min(others, key=lambda name: others[name]) if others else "mizzen"
    text = " ".join(line for line in _note(evidence).lower().splitlines() if "|" not in line)
    return any(spare in part[:240] for part in text.split("fallback")[1:])
