"""Seven decoder toolkits, each with a part to play (shared.py): what they claim, what re-runs say, which is right."""

from collections import namedtuple
from datetime import date, datetime, timedelta

from pi_gym.authoring import (
    Change,
    File,
    added_lines,
    csv_text,
    ends_of_runs,
    fixed,
    keyed_rows,
    keyed_texts,
    markdown_rows,
    new_text,
    repeated_values,
    sent_messages,
)

TODAY = date(2026, 3, 6)
SHARES = {"noisy320": 100, "noisy640": 94, "clean320": 46, "clean640": 44}  # of the first, in percent
LICENCES = ("copyleft", "research-only", "registration-bound")
FREE = ("Millpond", "Three-Clause Pier", "Lantern 2.0")
DECISIONS = "decoder/decisions/"
PEOPLE = {"tomasz": "tomasz.wieczorek", "priya": "priya.raman", "weilin": "wei-lin.zhao", "jonas": "jonas.beck"}
NEAR_ENOUGH = 10  # percent, for somebody who was not told
OLD = """Until now that is mizzen, which nobody has maintained since the
people who wrote it found jobs. """
# A run that is to be made; `wer` in hundredths of a percent.
Run = namedtuple("Run", "kit version repeat key wer")


def world(stream, preferences):
    """Draw the candidates, what they say of themselves, the log of the re-runs and the issues."""
    months = preferences.p.unmaintained
    # Error rates on quay-noisy at 320 ms, and the gap to the claim in percent of it: both in hundredths.
    parts = keyed_rows(preferences.data["parts.csv"])
    changes = preferences.data["changes.txt"].splitlines()
    versions = dict(preferences.shared.kits)
    names = dict(zip(parts, versions, strict=True))
    other = [kind for kind in LICENCES if kind != preferences.p.licence]
    licences = {"barred": preferences.p.licence, "middling": other[0], "plain": other[1]}
    ages = {"stale": months * 30 + 52, "closed": 75, "barred": 33, "plain": 20}
    kits = {}
    for part, drawn in parts.items():
        middle = drawn["level"] + stream.integer(-9, 9)
        gap = stream.integer(drawn["least gap"], drawn["greatest gap"]) / 10000
        means = {key: middle * share // 100 for key, share in SHARES.items()}
        major, minor, patch = versions[names[part]]
        kits[names[part]] = {
            "part": part, "version": f"{major}.{minor}.{patch}", "before": f"{major}.{minor - 1}.{patch + 2}",
            "licence": licences.get(part, stream.choice(FREE)),
            "age": ages.get(part, months * 30 - stream.integer(34, 52)), "mean": means,
            "claim": {key: fixed(round(mean / (1 + gap)) / 100, 2) for key, mean in means.items()},
            "small": stream.integer(2, 9), "stars": stream.integer(210, 1900),
        }  # fmt: skip
    early = sorted(names[part] for part in ("steady", "middling", "boaster"))
    log, window = _log(stream.child("log"), kits, early)
    files = {"decoder/reruns/log.csv": log}
    for name, kit in kits.items():
        files[f"decoder/candidates/{name}/CHANGELOG.md"] = _changelog(stream.child(name), name, kit, changes)
    keeper, wiped = stream.choice(["Jonas", "Priya"]), date(2026, 3, stream.choice([11, 13, 16]))
    facts = {
        "kits": dict(sorted(kits.items())), "names": names, "early": early, "window": window,
        "old_months": stream.choice([one for one in (6, 9, 12) if one != months]),
        "keeper": keeper, "old_keeper": {"Jonas": "Priya", "Priya": "Jonas"}[keeper],
        "wiped": str(wiped), "old_wiped": str(wiped + timedelta(days=7)),
        "behind": {"owner": keeper, "deadline": str(wiped)}, "said": keyed_texts(preferences.data["said.csv"]),
    }  # fmt: skip
    return facts, files


def _changelog(stream, name, kit, changes):
    """Newest first; of the stale one a release candidate came out in February, others have unreleased plans."""
    lines = [f"# Changes of {name}", "", "## unreleased", "", f"- {stream.choice(changes)}", ""]
    major, minor, _ = map(int, kit["version"].split("."))
    if kit["part"] in ("stale", "steady"):
        lines += [f"## {major + 1}.0.0rc1 (2026-02-{stream.integer(10, 19)})", ""]
        lines += ["- please try, not for production", ""]
    day = TODAY - timedelta(days=kit["age"])
    older = [kit["before"], f"{major}.{minor - 1}.0" if minor > 1 else f"{major}.0.0", f"{major - 1}.9.1"]
    for release in dict.fromkeys([kit["version"], *older]):
        did = [f"- {one}" for one in stream.sample(changes, stream.integer(1, 3))]
        lines += [f"## {release} ({day})", "", *did, ""]
        day -= timedelta(days=stream.integer(40, 130))
    return "\n".join(lines)


def _log(stream, kits, early):
    """All runs in the order of time: begun with wrong versions, killed ones, and those of a full disk among them."""
    runs = stream.shuffled(
        Run(name, kit["version"], repeat, key, wer)
        for name, kit in kits.items()
        for key, mean in kit["mean"].items()
        for repeat, wer in enumerate(repeated_values(stream, mean, 14, (35, 60)))
    )
    wrong = [
        Run(name, kits[name]["before"], repeat, "noisy320", kits[name]["mean"]["noisy320"] + stream.integer(60, 80))
        for name in early
        for repeat in range(3)
    ]
    rows, again, window = [], [], []
    ends = ends_of_runs(stream, datetime(2026, 3, 3, 18, 20), (7, 13))
    for place, (run, at) in enumerate(zip([*wrong, *runs], ends, strict=False)):
        inside, node = len(wrong) + 62 <= place <= len(wrong) + 92, stream.choice(["h03", "h05", "h07", "h11"])
        window += [at] * inside
        lost = inside and node == "h07"
        killed = not lost and run not in wrong and stream.integer(1, 24) == 1
        wer = (run.wer - stream.integer(90, 300) * killed) * (stream.integer(121, 138) if lost else 100) // 100
        rows.append(_row(stream, at, run, wer, node, *(("killed", "time limit") if killed else ("ok", ""))))
        again += [run] * (lost or killed)
    for run, at in zip(again, ends, strict=False):
        rows.append(_row(stream, at, run, run.wer, stream.choice(["h03", "h05", "h11"]), "ok", "again"))
    columns = ["when", "kit", "version", "repeat", "list", "chunk_ms", "wer", "rtf", "node", "status", "note"]
    bounds = [window[0] - timedelta(minutes=5), window[-1] + timedelta(minutes=5)]
    return csv_text(columns, rows), [f"{one:%Y-%m-%d %H:%M}" for one in bounds]


def _row(stream, at, run, wer, *rest):
    what = [f"{at:%Y-%m-%d %H:%M}", *run[:3], f"quay-{run.key[:5]}", run.key[5:]]
    return [*what, fixed(wer / 100, 2), f"0.{stream.integer(18, 46)}", *rest]


# -- the right choice ------------------------------------------------------------------------------------------------


def right(world, wishes):
    """The note, the pin and the mail. Who knows nothing of a wish believes what is claimed, and tells everybody."""
    rows = {name: _judged(name, world, wishes) for name in world.kits}
    best = sorted(rows, key=lambda name: rows[name]["mean"])
    fit = [name for name in best if rows[name]["verdict"] == "reproduced"]
    # Where no claim holds, the best of those that are not out is taken all the same.
    taken, spare = (*(fit or [name for name in best if "out" not in rows[name]["verdict"]][:1]), "mizzen")[:2]
    rows[taken]["verdict"] = "taken"
    version = world.kits[taken]["version"]
    until = str(TODAY + timedelta(weeks=wishes.pin_term)) if wishes.pin_term else ""
    config = {"toolkit: mizzen": f"toolkit: {taken}", 'version: "0.9.4"': f'version: "{version}"'}
    entry, old = f"{taken},{version},{TODAY},\n", "mizzen,0.9.4,2025-02-24,\n"
    listed = {"gone": entry, "closed": f"{old[:-1]}{TODAY}\n{entry}"}.get(wishes.components)
    files = {
        "note": File(f"{TODAY}_decoder-toolkit.md"),
        "requirements": Change({"mizzen==0.9.4": f"{taken}=={version}"}),
        "config": Change(config) if wishes.config else None,
        "pins": Change({"-31,,": f"-31,{TODAY},"}, f"{taken},{version},{TODAY},{until},,note of {TODAY}\n"),
        "mail": {
            "to": [f"{PEOPLE[one]}@halden-it.example" for one in ([wishes.contact] if wishes.contact else PEOPLE)],
            "subject": f"Decoder: {taken} replaces mizzen",
            "body": f"Hi,\n\nwe take {taken} {version} instead of mizzen. The note is in {DECISIONS}.\n\nNora\n",
        },
        "components": Change({old: listed}) if listed else None,
        "readme": Change({OLD: f"Since {TODAY} that is {taken}.\n"}) if wishes.readme == "mend" else None,
        "tidy": Change(append=f"- README.md: it is {taken}, not mizzen\n") if wishes.readme == "list" else None,
    }
    return files | {"rows": rows, "taken": taken, "version": version, "spare": spare, "until": until}


def _judged(name, world, wishes):
    """Figures and verdict of a candidate."""
    kit = world.kits[name]
    claim = float(kit["claim"]["noisy320"])
    mean = kit["mean"]["noisy320"] / 100
    gap = 100 * (mean - claim) / claim
    verdict = "reproduced" if gap <= (wishes.tolerance or NEAR_ENOUGH) else "not reproduced"
    if kit["part"] == "closed" and wishes.export:
        verdict = "out: export"
    if kit["age"] > (wishes.unmaintained or world.old_months) * 30.5:
        verdict = "out: unmaintained"
    if kit["licence"] == wishes.licence:
        verdict = "out: licence"
    return {"claim": claim, "mean": mean, "gap": gap, "verdict": verdict}


# -- what was handed in, each part against what its own note takes -----------------------------------------------------


def _note(evidence):
    """The one new note, its table by candidate with cells by column, and what it takes: "" unless exactly one."""
    text = new_text(evidence, DECISIONS, ".md").lower()
    heads, found = [], {}
    for cells in markdown_rows(text):
        if "toolkit" in cells and "verdict" in cells:
            heads = cells
        elif heads:
            row = dict.fromkeys(heads, "") | dict(zip(heads, cells, strict=False))
            found[row["toolkit"].split(" ")[0]] = row  # some write the version behind it
    taken = [name for name, row in found.items() if row["verdict"] == "taken"]
    return text, found, taken[0] if len(taken) == 1 else ""


def _re_run(row):
    try:
        return float(row.get("re-run", "").removesuffix("%").strip().replace(",", "."))
    except ValueError:
        return float("nan")


def _best(rows, *verdicts):
    """The best re-run among those with these verdicts, mizzen where there is none."""
    found = {name: _re_run(row) for name, row in rows.items() if row["verdict"] in verdicts}
    return min(found, key=found.get, default="mizzen")


def check_takes_best(evidence):
    """The note takes the best of those that it calls reproduced."""
    _, rows, taken = _note(evidence)
    return bool(taken) and _best(rows, "taken", "reproduced") == taken


def check_agrees(evidence, where, says):
    """A file, the mail or a reply says what the note takes, in the version that was re-run."""
    taken = _note(evidence)[2]
    changes = evidence.start.text(f"decoder/candidates/{taken}/CHANGELOG.md") or ""
    releases = [head.split(" ")[0] for head in changes.split("\n## ")[2:] if "rc" not in head.split(" ")[0]]
    version = releases[0] if releases else ""
    if where == "mail":
        text = " ".join(one for texts in sent_messages(evidence).values() for one in texts)
    else:
        text = " ".join(evidence.replies) if where == "reply" else evidence.text(f"decoder/{where}") or ""
    return bool(version) and all(one.format(kit=taken, version=version) in text.lower() for one in says)


def check_placed(evidence, at):
    """The decision is the first thing under the title, or the last section."""
    text, rows, taken = _note(evidence)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    table = [place for place, line in enumerate(lines) if line.startswith("|")]
    if not taken or not table:
        return False
    # A line that lists the candidates states no decision.
    before = [line for line in lines[: table[0]] if line[0] != "#" and sum(name in line for name in rows) <= 2]
    heads = [place for place, line in enumerate(lines) if line.startswith("#") and place > table[-1]]
    after = lines[heads[-1] :] if heads else lines[-1:]
    if at == "top":
        return any(taken in line for line in before[:3])
    return taken in " ".join(after) and "fallback" not in after[0] and not any(taken in line for line in before)


def check_next_best(evidence):
    """The note names the next best of its own table as the fallback."""
    text, rows, _ = _note(evidence)
    prose = " ".join(line for line in text.splitlines() if "|" not in line)
    return any(_best(rows, "reproduced") in part[:240] for part in prose.split("fallback")[1:])


def check_readme(evidence, how):
    """The README names what the note takes instead of mizzen; or it is as it was, and Jonas' list has it."""
    taken, text = _note(evidence)[2], evidence.text("decoder/README.md") or ""
    mended = taken in " ".join(added_lines(evidence, "decoder/README.md")) and OLD not in text
    listed = "readme" in " ".join(added_lines(evidence, "decoder/notes/tidy.md"))
    as_it_was = text == evidence.start.text("decoder/README.md")
    return bool(taken) and (listed and as_it_was if how == "list" else mended and not listed)
