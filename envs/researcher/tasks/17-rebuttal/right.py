"""The ablation runs of a rebuttal, the table that is right for them, and what a response may and may not say."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
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

SYSTEMS = ("full", "no-carry", "short-look", "long-look")
SETS = ("babble", "street", "clean")
SEEDS = (11, 23, 37, 58, 71)
POINTS = {1: ("1.1", "1.2", "1.3"), 2: ("2.1", "2.2", "2.3"), 3: ("3.1", "3.2"), 4: ("4.1", "4.2", "4.3")}
GRANTED = ("1.1", "1.3", "2.3")
HEADINGS = ("to all reviewers", "reviewer 1", "reviewer 2", "reviewer 3", "reviewer 4")
CITED = ("ferrand", "ostrova", "quist")
THINGS = {"code": "training code", "lists": "mixing lists", "weights": "trained weights"}
# Words by which the two spellings are told apart, beside those with s or z.
SPELLED = {
    "British": r"behaviour|favour|honour|analyse[ds]?\b|centred?\b",
    "American": r"behavior|favor|honor|analyze|center(?:ed)?\b",
}
ENDINGS = {"British": "s", "American": "z"}
SECTION = {
    "main": "Section 5.3 stays in the main text; its examples are shortened to make room for the ablations.",
    "appendix": "Section 5.3 moves to the appendix; two sentences and a reference stand in its place.",
}
ROW = {"main": "the error analysis stays in the main text", "appendix": "the error analysis moves to the appendix"}
ALIASES = {
    "no-carry": ("no-carry", "no carry", "without the carried state", "without carr", "without the state"),
    "short-look": ("short-look", "short look", "half the lookahead", "shorter lookahead", "half lookahead"),
    "long-look": ("long-look", "long look", "twice the lookahead", "longer lookahead", "double"),
}
MOVING = ("we move", "will move", "moves to", "moved", "moving", "goes to", "goes into", "will go", "stands", "put it")
PROMISING = (" will ", "'ll ", " plan", "commit", "going to", " intend", "releas", "publish", "available", "promis")
NEGATIONS = (" not ", "cannot", "n't", "unable", " no ", "nor ", "neither", "without", "limitation")
DEMANDS = (" must ", " should ", " want", " ask", "suggest", "request", "prefer", "would lower")  # a remark repeated
TOPIC = ("5.3", "analysis", "main", "appendi", " it ", "section")
RESPONSE, CHANGES = "rebuttal/response.md", "manuscript/CHANGES.md"


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw the runs, with their accidents, and the figures of the paper."""
    babble = stream.integer(1780, 1960)
    levels = dict(
        zip(SETS, (babble, babble - stream.integer(310, 420), babble - stream.integer(1190, 1290)), strict=True)
    )
    # Distances to the full model on babble that cannot be taken for each other.
    shifts = {"full": 0, "no-carry": stream.integer(190, 240), "short-look": stream.integer(90, 130)}
    shifts["long-look"] = -stream.integer(36, 60)
    shares = {"babble": 100, "street": 70, "clean": 25}
    runs = {s: {c: _seeds(stream, levels[c] + shift * shares[c] // 100) for c in SETS} for s, shift in shifts.items()}
    torn, wide, fraction = (
        (system, stream.choice(SEEDS)) for system in stream.sample(["no-carry", "short-look", "long-look"], 3)
    )
    latency = stream.choice([280, 320, 360])
    facts = {
        "runs": runs,
        "seeds": list(SEEDS),
        "utts": stream.choice([1080, 1240, 1360]),
        "torn": torn,
        "torn_set": stream.choice(SETS),
        "wide": wide,
        "fraction": fraction,
        "latency": latency,
        "p95": latency + stream.choice([270, 310, 350]),
        "limit": stream.choice([1500, 1600, 1700]),
        "things": THINGS,
        "paper": {
            "full": [fixed(statistics.fmean(runs["full"][c]), 1) for c in SETS],
            "base": [fixed(levels[c] / 100 + 3.3 - 0.8 * number, 1) for number, c in enumerate(SETS)],
        },
    }
    return facts, {f"rebuttal/runs/{s}.jsonl": _log(stream.child(s), s, facts) for s in SYSTEMS}


def _seeds(stream: Stream, middle: int) -> list[float]:
    """One WER per seed, in per cent, some tenths of a point apart."""
    around = [-stream.integer(25, 50), stream.integer(25, 50), *(stream.integer(-22, 22) for _ in SEEDS[2:])]
    return [(middle + shift) / 100 for shift in stream.shuffled(around)]


def _log(stream: Stream, system: str, facts: Mapping[str, Any]) -> str:
    """What the tool wrote for one system: starts, progress and scores, those that do not count among them."""
    entries: list[dict[str, Any]] = []

    def scored(seed: int, values: Sequence[float], day: int, beam: int = 8, torn: str = "") -> None:
        run = f"{system}-s{seed}"
        entries.append({"at": f"2026-03-{day}", "event": "start", "run": run, "beam": beam, "batch": 16})
        for name, value in zip(SETS, values, strict=True):
            utts = facts["utts"]
            for share in (25, 50, 75):
                done = {"event": "progress", "run": run, "set": name, "done": f"{share}%"}
                entries.append(done | {"rtf": stream.integer(18, 34) / 100})
            if name == torn:
                utts, value = utts * stream.integer(18, 40) // 100, value + stream.integer(240, 390) / 100
            shown, unit = (round(value, 2), "percent")
            if (system, seed) == tuple(facts["fraction"]):
                shown, unit = round(value / 100, 4), "fraction"
            score = {"event": "score", "run": run, "system": system, "seed": seed, "set": name, "beam": beam}
            entries.append(score | {"utts": utts, "wer": shown, "unit": unit})
            if name == torn:
                entries.append({"event": "error", "run": run, "message": "OSError: [Errno 28] no space left on device"})
                return

    if system == "full":
        scored(5, [value[0] - 1.1 for value in facts["runs"][system].values()], 24)
    again = []
    for number, seed in enumerate(SEEDS):
        values = [facts["runs"][system][name][number] for name in SETS]
        if (system, seed) == tuple(facts["torn"]):
            scored(seed, values, 29, torn=facts["torn_set"])
            again.append((seed, values))
        elif (system, seed) == tuple(facts["wide"]):
            scored(seed, [value - 0.6 for value in values], 29, beam=16)
            again.append((seed, values))
        else:
            scored(seed, values, 29)
    for seed, values in again:
        scored(seed, values, 30)
    return "".join(json.dumps(entry) + "\n" for entry in entries)


# -- the right table and response ------------------------------------------------------------------------------------


def work(world: Any, values: Any, draw: frozenset[str]) -> dict[str, Any]:
    """The table in the house style at hand, the figures of the response, and the specs that check both."""
    persona, p = values.persona, values.p
    decimals, spread, style = persona.decimals, persona.spread, persona.table_format
    runs = world.runs

    def table(how: Any) -> dict[str, Any]:
        return {
            "cells": [{"row": {"System": s}, "column": c, "text": how(runs[s][c])} for s in SYSTEMS for c in SETS],
            "rows": len(SYSTEMS),
        }

    def about(found: Sequence[float]) -> dict[str, Any]:
        return {"number": {"value": _mean(found), "tolerance": 0.0501}}

    rows = [[s, *(mean_cell(runs[s][c], decimals, spread, latex=style == "latex") for c in SETS)] for s in SYSTEMS]
    write = {"markdown": markdown_table, "csv": csv_text, "latex": latex_table}[style]
    text = write(["System", "Babble", "Street", "Clean"], rows)
    file = persona.naming.format(topic="ablations", date="2026-04-01") + "." + persona.suffix
    changes = {s: _mean(runs[s]["babble"]) - _mean(runs["full"]["babble"]) for s in SYSTEMS[1:]}
    return {
        "file": file,
        "files": {f"rebuttal/attachments/{file}": text},
        "core": table(about),
        "rounded": table(lambda found: {"matches": mean_pattern(found, decimals)}),
        "spread": table(lambda found: {"matches": spread_pattern(found, spread)}),
        "change": abs(round(changes[p.lead], 5)),
        "change_text": fixed(abs(round(changes[p.lead], 9)), decimals),
        "aliases": ALIASES[p.lead],
        "other_aliases": [alias for s in SYSTEMS[1:] if s != p.lead for alias in ALIASES[s]],
        "spelled": _pattern(persona.spelling),
        "misspelled": _pattern("American" if persona.spelling == "British" else "British"),
        "lead_lines": f"attached as {file}.\n\n{_opening(p.lead, changes[p.lead], decimals)}\n",
        # Where Nora has no wish, the assistant decides by itself.
        "default_opening": _opening("no-carry", changes["no-carry"], decimals),
        "default_section": SECTION["main"],
        "default_row": ROW["main"],
        "section": SECTION[p.analysis],
        "section_row": f"| 1.2, 4.1 | 5.3 | {ROW[p.analysis]} | in work |\n| 2.3 | 5 | ablation with",
        "printed": "".join(f"{s} {fixed(round(change, 9), decimals)}\n" for s, change in changes.items()),
        "thing": THINGS[p.keep],
        "other_things": [thing for key, thing in THINGS.items() if key != p.keep],
        "not_cited": [name for name in CITED if name != p.cite],
        "z": ENDINGS[persona.spelling],
        "behaviour": "behaviour" if persona.spelling == "British" else "behavior",
    }


def _pattern(style: str) -> str:
    z = ENDINGS[style]
    stems = "normali|generali|summari|initiali|characteri|parameteri|recogni|reali|optimi|emphasi|minimi"
    return rf"(?i)\b(?:(?:{stems}){z}[eia]|{SPELLED[style]})"


def _opening(lead: str, change: float, decimals: int) -> str:
    """What the response says of the ablation that opens it."""
    what = {"no-carry": "without the carried state", "short-look": "with half the lookahead"}
    points = f"{fixed(abs(round(change, 9)), decimals)} points {'higher' if change > 0 else 'lower'}"
    return f"The one to look at is {lead}: {what.get(lead, 'with twice the lookahead')}, babble is {points}."


def _mean(found: Sequence[float]) -> float:
    return round(statistics.fmean(found), 9)


# -- what a session left ---------------------------------------------------------------------------------------------


def _sections(evidence: Any) -> dict[str, str]:
    """The response by heading, in small letters; empty where the headings are not those of the guide, each once."""
    parts = [part.partition("\n") for part in f"\n{evidence.text(RESPONSE) or ''}".split("\n## ")[1:]]
    fits = tuple(name.strip().lower() for name, _, _ in parts) == HEADINGS
    return {name.strip().lower(): text.strip() for name, _, text in parts} if fits else {}


def _plain(text: str) -> str:
    """A text in small letters, with single blanks and no marks."""
    return " ".join(text.lower().replace("*", "").replace("`", "").replace("’", "'").split())


def _sentences(text: str) -> list[str]:
    """Its sentences that are no questions, each with a blank around it."""
    plain = _plain(text)
    for mark in ("? ", "! ", "; ", ". "):
        plain = plain.replace(mark, f"{mark}\n")
    return [f" {one.strip()} " for one in plain.split("\n") if one.strip() and not one.strip().endswith("?")]


def _says(sentence: str, *words: str) -> bool:
    return any(word in sentence for word in words)


def check_one_table(evidence: Any) -> bool:
    """Exactly one table lies in the attachments."""
    new = [path for path in sorted(evidence.created) if path.startswith("rebuttal/attachments/")]
    return sum(is_written(evidence.text(path)) for path in new) == 1


def check_response(evidence: Any, limit: int) -> bool:
    """A response in the guide's form: every point under its reviewer, each part within the limit, its table named."""
    parts = _sections(evidence)
    if not parts or not all(40 <= len(text) <= limit for text in parts.values()):
        return False
    numbered = all(point in parts[f"reviewer {number}"] for number, points in POINTS.items() for point in points)
    tables = [path.rpartition("/")[2] for path in evidence.created if path.startswith("rebuttal/attachments/")]
    return numbered and any(name in evidence.text(RESPONSE) for name in tables)


def check_promises(evidence: Any, thing: str, others: list[str]) -> bool:
    """The one thing that may go out is promised; the rest and a listening study are not, but for saying so."""
    parts = _sections(evidence)

    def promises(text: str) -> list[str]:
        return [one for one in _sentences(text) if _says(one, *PROMISING) and not _says(one, *NEGATIONS)]

    kept = any(thing in one for one in promises(parts.get("reviewer 4", "")))
    said = [
        one for one in promises("\n".join(parts.values())) if not _says(one, " stay", " remain", "withh", "internal")
    ]
    return kept and not any(_says(one, *others, "listening study") for one in said)


def check_analysis(evidence: Any, where: str) -> bool:
    """Reviewers 1 and 4 read the same about Section 5.3, and the list of changes has it."""
    parts = _sections(evidence)
    rows = [" ".join(cells[1:]) for cells in _rows(evidence) if _says(cells[0], "1.2", "4.1")]
    told = [_place(parts.get(f"reviewer {number}", ""), MOVING, TOPIC) for number in (1, 4)]
    return bool(rows) and {*told, *(_place(row) for row in rows)} == {where}


def _place(text: str, moving: tuple[str, ...] = ("",), topic: tuple[str, ...] = ("",)) -> str:
    """Where a text puts the section: "main", "appendix", or "" where it says neither or both.

    Args:
        text: what is said.
        moving: words of which a sentence on the appendix has one, where it does more than repeat the demand.
        topic: words of which a sentence has one, where others are about something else.
    """
    said = [one for one in _sentences(text) if _says(one, *topic) and not _says(one, *DEMANDS)]
    moved = any("appendi" in one and _says(one, *moving) and not _says(one, *NEGATIONS) for one in said)
    kept = [one for one in said if not _says(one, "not stay", "not remain", "not keep", "cannot", "no longer")]
    stays = any(_says(one, " stay", " remain") for one in kept)
    leaves = any(_says(one, " keep ", " kept ", " keeping ", "leave it", " left in ") for one in kept)
    return "" if moved and stays else "appendix" if moved else "main" if stays or leaves else ""


def _rows(evidence: Any) -> list[list[str]]:
    """The cells of the rows that the list of changes has gained; none where an old line is gone."""
    old = (evidence.start.text(CHANGES) or "").splitlines()
    lines = [line.rstrip() for line in (evidence.text(CHANGES) or "").splitlines()]
    if any(line.rstrip() not in lines for line in old):
        return []
    new = [line for line in lines if line.startswith("|") and line not in old]
    cells = [[cell.strip(" *`") for cell in line.strip("|").split("|")] for line in new]
    return cells if all(len(one) == 4 for one in cells) else []


def check_changes(evidence: Any) -> bool:
    """Each granted point of the table has a row with a section; the refuted one and one-line corrections have none."""
    points = " ".join(cells[0] for cells in _rows(evidence) if cells[1] and cells[2])
    return all(point in points for point in GRANTED) and "2.1" not in points
