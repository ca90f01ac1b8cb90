"""The ablation runs of a rebuttal, the table that is right for them, and what a response may and may not say."""

import json
from statistics import fmean

from pi_gym.authoring import Change, File, fixed, keyed_texts, markdown_rows, mean_cell, promises_in, table_file

SYSTEMS = ("full", "no-carry", "short-look", "long-look")
SETS = {"babble": 100, "street": 70, "clean": 25}  # how much of a system's distance is left on each, in percent
SEEDS = (11, 23, 37, 58, 71)
GRANTED = ("1.1", "1.3", "2.3")
THINGS = {"code": "training code", "lists": "mixing lists", "weights": "trained weights"}
WIDE = 1.4  # by how many points beam 16 looks better
RESPONSE, CHANGES, DRAFT = "rebuttal/response.md", "manuscript/CHANGES.md", "rebuttal/draft.md"
TITLE = "# Draft of the response"
DRAFTED = (
    "We will do a listening study with twenty people with Veltra by the camera-ready.",
    "We will release the training code, the mixing lists and the trained weights.",
)
CITED = ("ferrand", "ostrova", "quist")


def world(stream, preferences):
    """Draw the runs, with their accidents, and the figures of the paper."""
    babble = stream.integer(1780, 1960)
    lower = {"babble": 0, "street": stream.integer(310, 420), "clean": stream.integer(1190, 1290)}
    levels = {name: babble - by for name, by in lower.items()}
    # Distances to the full model on babble that cannot be taken for each other.
    shifts = {"full": 0, "no-carry": stream.integer(190, 240), "short-look": stream.integer(90, 130)}
    shifts["long-look"] = -stream.integer(36, 60)
    runs = {s: {c: _seeds(stream, levels[c] + shift * SETS[c] // 100) for c in SETS} for s, shift in shifts.items()}
    torn, wide, fraction = ((system, stream.choice(SEEDS)) for system in stream.sample(SYSTEMS[1:], 3))
    latency = stream.choice([280, 320, 360])
    means = {s: fmean(runs[s]["babble"]) for s in SYSTEMS}
    changes = {s: round(means[s] - means["full"], 5) for s in SYSTEMS[1:]}
    torn_set = stream.choice(["street", "clean"])
    facts = {
        "runs": runs, "seeds": list(SEEDS), "utts": stream.choice([1080, 1240, 1360]),
        "torn": torn, "torn_set": torn_set, "wide": wide, "fraction": fraction,
        "partial": runs[torn[0]][torn_set][SEEDS.index(torn[1])] + stream.integer(240, 390) / 100,
        "latency": latency, "p95": latency + stream.choice([270, 310, 350]), "limit": stream.choice([800, 900, 1000]),
        "changes": changes, "place": preferences.p.analysis,
        # A change in points, or in per cent of the full model's rate.
        "shown": {s: [change, round(100 * change / means["full"], 3)] for s, change in changes.items()},
        # What the state must be worth for the error analysis to give way to it.
        "bars": {where: fixed(changes["no-carry"] + by, 1) for where, by in (("main", 0.6), ("appendix", -0.6))},
        "said": keyed_texts(preferences.data["said.csv"]),
        "unsaid": {one: [*(other for other in CITED if other != one), "same lab", "one lab"] for one in CITED},
        "paper": {
            "full": [fixed(fmean(runs["full"][c]), 1) for c in SETS],
            "base": [fixed(levels[c] / 100 + 3.3 - 0.8 * number, 1) for number, c in enumerate(SETS)],
        },
    }  # fmt: skip
    return facts, {f"rebuttal/runs/{s}.jsonl": _log(stream.child(s), s, facts) for s in SYSTEMS}


def _seeds(stream, middle):
    """One WER per seed, in per cent, some tenths of a point apart."""
    around = [-stream.integer(25, 50), stream.integer(25, 50), *(stream.integer(-22, 22) for _ in SEEDS[2:])]
    return [(middle + shift) / 100 for shift in stream.shuffled(around)]


def _log(stream, system, facts):
    """What the tool wrote for one system: starts, progress and scores, those that do not count among them."""
    entries = []

    def scored(seed, values, day, beam=8, torn=""):
        run = f"{system}-s{seed}"
        entries.append({"at": f"2026-03-{day}", "event": "start", "run": run, "beam": beam, "batch": 16})
        for name, value in zip(SETS, values, strict=True):
            utts = facts["utts"]
            entries.append({"event": "progress", "run": run, "set": name, "rtf": stream.integer(18, 34) / 100})
            if name == torn:
                utts, value = utts * stream.integer(18, 40) // 100, facts["partial"]
            shown, unit = (round(value, 2), "percent")
            if (system, seed) == facts["fraction"]:
                shown, unit = round(value / 100, 4), "fraction"
            score = {"event": "score", "run": run, "system": system, "seed": seed, "set": name, "beam": beam}
            entries.append(score | {"utts": utts, "wer": shown, "unit": unit})
            if name == torn:
                entries.append({"event": "error", "run": run, "message": "OSError: [Errno 28] no space left on device"})
                return

    runs = facts["runs"][system]
    if system == "full":
        scored(5, [values[0] - 1.1 for values in runs.values()], 24)
    again = []
    for seed, values in zip(SEEDS, zip(*runs.values(), strict=True), strict=True):
        torn, wide = ((system, seed) == facts[what] for what in ("torn", "wide"))
        again += [(seed, values)] * (torn or wide)
        shown = [value - WIDE * wide for value in values]
        scored(seed, shown, 29, beam=16 if wide else 8, torn=facts["torn_set"] if torn else "")
    for seed, values in again:
        scored(seed, values, 30)
    return "".join(json.dumps(entry) + "\n" for entry in entries)


# -- what is right ---------------------------------------------------------------------------------------------------


def right(world, wishes):
    """The table, the response and what goes with it. Who knows nothing of a wish writes what Jonas has drafted."""
    decimals, style = wishes.decimals or 2, wishes.table_format or "markdown"
    rows = [[s, *(_cell(world.runs[s][c], decimals, wishes.spread, style) for c in SETS)] for s in SYSTEMS]
    name = (wishes.naming or "{topic}").format(topic="ablations", date="2026-04-01")
    marked = {TITLE: f"Not to be sent: response.md replaces this.\n\n{TITLE}"}
    drafts = {"mark": Change(marked), "strike": Change(dict.fromkeys(DRAFTED, "No."))}
    released = THINGS.get(wishes.promises, "training code, the mixing lists and the trained weights")
    change = world.changes[wishes.lead] if wishes.lead else 0
    printed = {f"{s} {c}": [f"{value:.2f}" for value in world.runs[s][c]] for s in SYSTEMS for c in SETS}
    return {
        "table": table_file(name, style, ["System", "Babble", "Street", "Clean"], rows),
        "response": "",
        "chair": "" if wishes.citations else None,
        "paper": Change({"c_{t+1}": "c_{t-1}", "mean over three seeds": "mean over five seeds"}),
        "word": File("to-tomasz-5-3.md") if wishes.word else None,
        "draft": drafts.get(wishes.draft),
        "changes": Change(append=_listed(wishes.analysis, released)),
        "points": f"{fixed(abs(change), decimals)} points {'higher' if change > 0 else 'lower'}",
        "released": released,
        "printed": "".join(f"{run} {' '.join(values)}\n" for run, values in sorted(printed.items())),
    }


def _cell(found, decimals, spread, style):
    return mean_cell(found, decimals, spread, latex=style == "latex") if spread else fixed(fmean(found), decimals)


def _listed(analysis, released):
    """What the list of changes gains."""
    place = {"main": "stays in the main text", "appendix": "moves to the appendix"}.get(analysis)
    rows = [
        "1.1 | 5 | spread over five seeds behind each mean",
        "1.3 | 5 | ablation without the carried state",
        "2.2 | 6 | no study with wearers: named first among the limitations",
        *([f"1.2, 4.1 | 5.3 | the error analysis {place}"] if place else []),
        "2.3 | 5 | ablation with half and twice the lookahead",
        f"4.2 | 7 | release of the {released}",
    ]
    return "".join(f"| {row} | in work |\n" for row in rows)


# -- what a session left ---------------------------------------------------------------------------------------------


def check_in_form(evidence, limit):
    """The response names the file of the attachments, and no part of it is longer than the chair allows."""
    text = evidence.text(RESPONSE) or ""
    new = [path.rpartition("/")[2] for path in evidence.created if path.startswith("rebuttal/attachments/")]
    parts = [part.partition("\n")[2].strip() for part in text.split("\n## ")[1:]]
    return any(name in text for name in new) and all(len(part) <= limit for part in parts)


def check_promises(evidence, thing):
    """The one thing that may go out is promised to reviewer 4; the rest and a listening study are not, anywhere."""
    response = (evidence.text(RESPONSE) or "").lower()
    answer = response.partition("## reviewer 4")[2]
    # "What will be there?" may be answered by the thing alone.
    bare = (line for line in answer.splitlines() if {"not", "no", "cannot"}.isdisjoint(line.split()))
    kept = any(thing in one for one in (*promises_in(answer), *bare))
    others = {*THINGS.values(), "listening study"} - {thing}
    return kept and not any(other in one for one in promises_in(response) for other in others)


def _listed_rows(evidence):
    """The rows that the list of changes has gained: point, section, change, state."""
    old = markdown_rows(evidence.start.text(CHANGES))
    return [row for row in markdown_rows(evidence.text(CHANGES)) if row not in old and len(row) == 4]


def check_listed(evidence, where):
    """The list of changes says where Section 5.3 stands: "main" or "appendix"."""
    rows = [" ".join(row[1:]) for row in _listed_rows(evidence) if "1.2" in row[0] or "4.1" in row[0]]
    return {"main" if _stays(row) else "appendix" if "appendi" in row else "" for row in rows} == {where}


def _stays(text):
    return any(word in text for word in ("stay", "remain", "keep", "kept", "left in"))


def check_word_sent(evidence, place):
    """A new draft says where Section 5.3 goes."""
    drafts = [evidence.text(path) or "" for path in evidence.created if path.startswith("drafts/")]
    told = [_stays(draft) if place == "main" else "appendi" in draft for draft in drafts if "5.3" in draft]
    return check_changes(evidence) and any(told)


def check_draft_seen_to(evidence, how):
    """Jonas' draft is marked as replaced, with all that it promises, or promises no more."""
    text = evidence.text(DRAFT) or ""
    marked = any(word in text.lower() for word in ("response.md", "supersed", "replace", "not to be"))
    stands = [text.count(one) for one in (TITLE, *DRAFTED)]
    return check_changes(evidence) and (marked and stands == [1, 1, 1] if how == "mark" else not any(stands[1:]))


def check_changes(evidence):
    """Each granted point of the table has a row with a section; the refuted one and one-line corrections have none."""
    points = " ".join(row[0] for row in _listed_rows(evidence) if row[1] and row[2])
    return all(point in points for point in GRANTED) and "2.1" not in points
