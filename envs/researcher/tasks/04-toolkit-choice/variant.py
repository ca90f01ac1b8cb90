"""Seven decoder toolkits, each with a part to play (`kit_cast`): what they claim, what re-runs say, which is right."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any

from pi_gym.authoring import Stream, csv_text, fixed, is_written

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
GRADED = ("steady", "middling", "boaster", "plain")
SHARES = {"noisy320": 100, "noisy640": 94, "clean320": 46, "clean640": 44}  # of the first, in percent
LICENCES = ("copyleft", "research-only", "registration-bound")
FREE = ("Millpond", "Three-Clause Pier", "Lantern 2.0")
DECISIONS = "decoder/decisions/"
COLUMNS = ("toolkit", "claimed", "re-run", "gap", "verdict")
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
    number, months = preferences.persona.kit_cast, preferences.p.months
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
    wiped = stream.choice([date(2026, 3, 11), date(2026, 3, 13), date(2026, 3, 16)])
    return {
        "kits": {name: kits[name] for name in NAMES},
        "names": names,
        "early": early,
        "window": window,
        "keeper": stream.choice(["Jonas", "Priya"]),
        "wiped": {
            "iso": str(wiped),
            "long": f"{wiped:%A}, {wiped.day} {wiped:%B}",
            "forms": rf"{wiped}|\b{wiped.day}(th|[.])? (of )?Mar|Mar(ch|[.])? {wiped.day}\b|\b{wiped.day}[./]0?3\b",
        },
    }, files


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


# -- the right answer ------------------------------------------------------------------------------------------------


def work(world: Any, values: Any, draw: frozenset[str]) -> dict[str, Any]:
    """Verdicts, choice and pin for the wishes at hand."""
    tolerance, months = values.persona.claim_tolerance, values.p.months
    rows = {}
    for name, kit in world.kits.items():
        claim, mean = float(kit["claim"]["noisy320"]), kit["mean"]["noisy320"] / 100
        gap = 100 * (mean - claim) / claim
        verdict = "reproduced" if gap <= tolerance else "not reproduced"
        if kit["part"] == "closed":
            verdict = "out: export"
        if kit["age"] > months * 30.5:
            verdict = "out: unmaintained"
        if kit["licence"] == values.p.licence:
            verdict = "out: licence"
        rows[name] = {"claim": claim, "mean": mean, "gap": gap, "verdict": verdict}
    fit = sorted((name for name in rows if rows[name]["verdict"] == "reproduced"), key=lambda name: rows[name]["mean"])
    taken, spare = (*fit, "mizzen")[:2]
    rows[taken]["verdict"] = "taken"
    return {
        "taken": taken,
        "version": world.kits[taken]["version"],
        "spare": spare,
        "until": str(TODAY + timedelta(weeks=values.persona.pin_weeks)),
        "rows": rows,
        "mean": rows[taken]["mean"],
        "means": {name: one["mean"] for name, one in rows.items()},
        "gaps": {name: one["gap"] for name, one in rows.items()},
        "graded": {world.names[part]: rows[world.names[part]]["gap"] <= tolerance for part in GRADED},
        "versions": {name: kit["version"] for name, kit in world.kits.items()},
    }


# -- what a decision note holds ------------------------------------------------------------------------------------


def _note(evidence: Any) -> str:
    """The one new note, "" where there is none or several; an emptied draft is none."""
    created = [path for path in evidence.created if path.startswith(DECISIONS) and path.endswith(".md")]
    notes = [path for path in created if is_written(evidence.text(path))]
    return (evidence.text(notes[0]) or "") if len(notes) == 1 else ""


def _cells(line: str) -> list[str]:
    return [cell.strip(" *`_").lower() for cell in line.strip().strip("|").split("|")] if "|" in line else []


@lru_cache(maxsize=256)
def _rows(text: str) -> tuple[tuple[str, ...], ...]:
    """The body of the note's only table: toolkit, claimed, re-run, gap, verdict as written."""
    found: list[list[tuple[str, ...]]] = []
    places: list[int] | None = None
    for cells in map(_cells, text.splitlines()):
        if not cells:
            places = None
        elif places is None:
            places = [cells.index(name) for name in COLUMNS if name in cells]
            found.append([])
        elif len(places) == len(COLUMNS) <= len(cells) and set(cells[0]) - set("-: "):
            name = cells[places[0]].strip("[").replace("]", " ").partition(" ")[0]
            found[-1].append((name, *(cells[at] for at in places[1:])))
    return tuple(found[0]) if len(found) == 1 else ()


def _verdict(cell: str) -> str:
    words = "".join(char if char.isalpha() else " " for char in cell).split()
    first, second = (*words, "", "")[:2]
    if first == "out":
        return next((kind for kind in ("licen", "unmaintained", "export") if second.startswith(kind)), "")
    return first if first in ("taken", "reproduced") else "not" if (first, second) == ("not", "reproduced") else ""


def _verdicts(evidence: Any) -> dict[str, str]:
    """Toolkit to verdict; {} where the note does not judge every candidate and take exactly one."""
    rows = _rows(_note(evidence))
    found = {row[0]: kind for row in rows if (kind := _verdict(row[4]))}
    whole = set(found) == set(NAMES) and len(rows) == len(NAMES)
    return found if whole and list(found.values()).count("taken") == 1 else {}


def _number(cell: str) -> tuple[float, int] | None:
    """A cell's number, with a sign and a per cent sign perhaps, and how many decimals it shows."""
    text = cell.removesuffix("%").strip().translate({0x2212: "-", 0x2013: "-", ord(","): "."}).removeprefix("+")
    whole, _, part = text.removeprefix("-").partition(".")
    return (float(text), len(part)) if whole.isdecimal() and (part or "0").isdecimal() and len(text) < 9 else None


def _near(cell: str, value: float, slack: float) -> bool:
    found = _number(cell)
    return found is not None and abs(found[0] - value) <= slack


def check_sound(evidence: Any, means: Mapping[str, float]) -> bool:
    """One note judges all candidates, takes one, and most of its figures are true."""
    rows = _rows(_note(evidence)) if _verdicts(evidence) else ()
    return sum(_near(row[2], means[row[0]], 0.051) for row in rows) >= 4


def check_figures(evidence: Any, means: Mapping[str, float], gaps: Mapping[str, float]) -> bool:
    """All re-run figures and gaps are true, whatever the decimals."""
    rows = _rows(_note(evidence)) if _verdicts(evidence) else ()
    return bool(rows) and all(_near(row[2], means[row[0]], 0.051) and _near(row[3], gaps[row[0]], 0.56) for row in rows)


def check_graded(evidence: Any, graded: Mapping[str, bool]) -> bool:
    """Exactly the claims within the tolerance count as reproduced."""
    found = _verdicts(evidence)
    return bool(found) and all((found[name] in ("reproduced", "taken")) == good for name, good in graded.items())


def check_out(evidence: Any, reason: str, name: str) -> bool:
    """This toolkit, and no other, is out for this reason (or taken)."""
    return [kit for kit, found in _verdicts(evidence).items() if found == reason] == [name]


def check_decimals(evidence: Any, count: int) -> bool:
    """Error rates are written with so many decimals."""
    rows = _rows(_note(evidence)) if _verdicts(evidence) else ()
    return bool(rows) and all((_number(cell) or (0, -1))[1] == count for row in rows for cell in row[1:3])


def check_place(evidence: Any, place: str) -> bool:
    """The decision is the first thing under the title, or the last section."""
    taken = next((kit for kit, found in _verdicts(evidence).items() if found == "taken"), None)
    lines = [line.strip().lower() for line in _note(evidence).splitlines() if line.strip()]
    if taken is None:
        return False
    rows = [at for at, line in enumerate(lines) if line.startswith("|")]
    # A line that lists the candidates states no decision.
    stated = [line for line in lines if line[0] != "#" and sum(name in line for name in NAMES) <= 2]
    before = [line for line in stated if rows and lines.index(line) < rows[0]]
    heads = [at for at, line in enumerate(lines) if line.startswith("#") and rows and at > rows[-1]]
    after = lines[heads[-1] :] if heads else lines[-1:]
    leads, ends = any(taken in line for line in before[:3]), taken in " ".join(after) and "fallback" not in after[0]
    return leads if place == "top" else ends and not any(taken in line for line in before)


def check_mail(evidence: Any, to: str, versions: Mapping[str, str]) -> bool:
    """One mail went out, to this person alone, with what the note takes and the version that was re-run."""
    taken = next((kit for kit, found in _verdicts(evidence).items() if found == "taken"), None)
    now, start = evidence.apps["gmail"].table("emails"), evidence.apps_start["gmail"].table("emails")
    sent = [after for before, after in now.diff(start).values() if before is None and after is not None]
    text = f"{sent[0]['subject']} {sent[0]['body']}".lower() if len(sent) == 1 else ""
    told = taken is not None and taken in text and versions[taken] in text
    return told and list(sent[0]["recipients"]) == [to]
