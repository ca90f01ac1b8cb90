"""The related work of a resubmission: works, wrong claims, and what section, table and bibliography must say."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from pi_gym.authoring import Change, Stream, attempts, count_words, fixed, keyed_rows, keyed_texts, latex_table

ROOT = "resubmission/"
SECTION, TABLE, BIB = ROOT + "related_work.tex", ROOT + "tables/related.tex", ROOT + "refs.bib"
SCALES = {"stars": ("*", "**", "***"), "letters": ("C", "B", "A"), "verbs": ("skip", "cite", "build")}
HEADS = {"rooms": "Real rooms", "code": "Code", "device": "On device"}
STEMS = {"rooms": ("room", "record"), "code": ("code", "repo"), "device": ("device", "latency", "delay")}
JOURNAL, ARCHIVE = "Speech Systems Journal", "Open Speech Archive"
APPEARED = "soltani2024"
DEMANDED = ("strand2019", "strand2020", "strand2021", "strand2022")
# The entry that the other sections cite, and its double, which the draft of this one cites.
TWINS = {"eide2025delay": "Eide25", "haugen2025wind": "haugen_wind"}
DOUBLES = (
    "@Article{Eide25,\n  author = {R. Eide},\n  title = {Late words are wrong words},\n"
    "  journal = {Speech Syst. J.},\n  year = {2025},\n}\n\n",
    "@MISC{haugen_wind,\n  author = {Haugen and Lie},\n  title = {Wind noise for hearing aids},\n"
    "  note = {to appear},\n}\n\n",
)
PLACES = ("babble", "traffic")
DRAFT = "related work: Nora, Amara"
BOXES = {
    "ticked": {DRAFT: f"[x] {DRAFT}", "refs.bib": "[x] refs.bib"},
    "amara": {DRAFT: "[ ] related work: done, Amara reads it; Nora, Amara"},
}


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw what each work has and gains, and which three the draft has wrong."""
    patterns = ("rooms code device", "", "rooms", "code", "device", "rooms code")
    listed = keyed_rows(preferences.data["works.csv"])
    core = list(listed)[:6]
    has = dict(zip(stream.shuffled(core), patterns, strict=True))
    works: dict[str, Any] = {}
    for key, entry in listed.items():
        kinds = has.get(key, "rooms" if entry["runs"] == 5 else "rooms code device").split()
        good = len(kinds) == 3 or (len(kinds) > 0 and stream.choice((True, False)))
        works[key] = {**entry, "key": key, "has": kinds, "good": good, "rates": _rates(stream, good),
                      "v": stream.integer(0, 2), "n": stream.integer(4, 12), "ms": stream.integer(96, 180)}  # fmt: skip
    rooms_wrong = stream.choice([k for k in core if "rooms" in works[k]["has"]])
    code_wrong = stream.choice([k for k in core if "code" in works[k]["has"] and k != rooms_wrong])
    number_wrong = stream.choice([k for k in core if k not in (rooms_wrong, code_wrong)])
    base, ours = works[number_wrong]["rates"]["babble"]
    gain = _relative((base, ours))
    wrong = gain + stream.integer(31, 49) / 10
    while any(abs(wrong - right) < 0.2 for right in (base, ours)):  # the wrong gain must be no right rate
        wrong = gain + stream.integer(31, 49) / 10
    rooms = ("recorded in", "taken down on site in", "their own recordings from")
    facts = {
        "works": works, "rooms_wrong": rooms_wrong, "code_wrong": code_wrong, "number_wrong": number_wrong,
        "wrong": fixed(wrong, 1), "rooms_said": rooms[works[rooms_wrong]["v"]],
        "figures": [gain, base - ours, ours],
        "named": [[key, "van Dijk" if key == "vandijk2025" else works[key]["says"].split()[0]]
                  for key in (number_wrong, rooms_wrong, code_wrong)],
        "core": core, "twins": list(TWINS),
        "doubles": list(TWINS.values()), "strand": {key: [key] for key in DEMANDED},
        "said": keyed_texts(preferences.data["said.csv"]),
    }  # fmt: skip
    return facts, {}


def _rates(stream: Stream, good: bool) -> dict[str, tuple[float, float]]:
    for _ in attempts():
        found = {}
        for place in PLACES:
            base = stream.integer(150, 290)
            gain = stream.integer(70, 150) if good else stream.integer(16, 36)
            found[place] = (base / 10, round(base * (1 - gain / 1000)) / 10)
        marks = sorted(x for pair in found.values() for x in (_relative(pair), pair[0] - pair[1], *pair))
        gains = [_relative(pair) for pair in found.values()]
        clear = min(b - a for a, b in pairwise(marks)) > 0.12
        if clear and (min(gains) > 6 if good else max(gains) < 4.2):
            break
    return found


def _relative(pair: Sequence[float]) -> float:
    return 100 * (pair[0] - pair[1]) / pair[0]


# -- right answers ----------------------------------------------------------------------------------------------------


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """Section, table and bibliography. Who knows nothing of a wish leaves what stands there, and takes all works."""
    works = world.works
    venues = {key: work["venue"] for key, work in works.items()} | ({APPEARED: JOURNAL} if wishes.appeared else {})
    listed = [key for key, work in works.items() if work["runs"] >= (wishes.least_runs or 1)]
    listed = sorted(listed, key=lambda key: (_rank(venues[key], wishes.venue_order), key))
    rows = [[rf"\citet{{{key}}}", venues[key], _said(works[key], wishes.evidence),
             _written(works[key]["rates"]["babble"], wishes.gain_form)] for key in listed]  # fmt: skip
    figure = works[world.number_wrong]["rates"]["babble"]
    gain = _written(figure, wishes.gain_form or "relative").replace("%", r"\%")
    return {
        "section": _section(world, wishes, gain),
        "table": latex_table(["Work", "Venue", HEADS.get(wishes.evidence, "Evidence"), "Gain"], rows),
        "bib": _bibliography(world, wishes, listed),
        "todo": Change({f"- [ ] {old}": f"- {new}" for old, new in BOXES[wishes.todo].items()})
        if wishes.todo
        else None,
        "note": Change({f"{ARCHIVE} (preprint)": f"{JOURNAL} 33(3), 2026"}) if wishes.note_venue else None,
        "gain": gain,
        "cell": rows[0][3],
        "both": f"{_written(figure, 'points')} ({_written(figure, 'pair')})",
    }


def _section(world: Any, wishes: Any, gain: str) -> Change:
    text = {"In our earlier work we treated babble": r"Lindqvist et al.\ treat babble"}
    if wishes.wrong_claims:
        code, rooms = (f"~\\cite{{{key}}}" for key in (world.code_wrong, world.rooms_wrong))
        text[f"a gain of {world.wrong}~\\% relative in babble"] = f"a gain of {gain} in babble"
        text[f"their code is not available{code}"] = f"their code is available{code}"
        text[f"tests are in simulated rooms only{rooms}"] = f"tests are on speech from real rooms{rooms}"
    if wishes.doubles:
        text |= {f"\\cite{{{double}}}": f"\\cite{{{key}}}" for key, double in TWINS.items()}
    if wishes.appeared:
        article = "it has by now appeared in the Speech Systems Journal"
        text["this is a preprint and has not been reviewed"] = article
    cited = f"Further problems of rooms are treated elsewhere~\\cite{{{','.join(DEMANDED)}}}.\n"
    if wishes.reviewer_papers in ("survey", "none"):
        text[cited] = cited.replace(",".join(DEMANDED), DEMANDED[2]) if wishes.reviewer_papers == "survey" else ""
    return Change(text, "\n\\input{tables/related}\n")


def _bibliography(world: Any, wishes: Any, listed: Sequence[str]) -> Change:
    kinds = {"journals": "article", "conferences": "inproceedings", "preprints": "misc"}
    old_kinds = {key: kinds[_kind(work["venue"])] for key, work in world.works.items()}
    text = {}
    for key in listed:
        kind = "article" if key == APPEARED and wishes.appeared else old_kinds[key]
        level = (wishes.evidence or "rooms") in world.works[key]["has"]
        mark = SCALES[wishes.follow_scale][level + world.works[key]["good"]] if wishes.follow_scale else ""
        annote = f"  annote = {{{mark}}},\n" if mark else ""
        text[f"@{old_kinds[key]}{{{key},\n"] = f"@{kind}{{{key},\n{annote}"
    if wishes.appeared:
        article = "journal = {Speech Systems Journal},\n  volume = {33},\n  number = {3},\n  pages = {171--186},\n"
        old = "{{Room State in Two Numbers}},\n  howpublished = {Open Speech Archive},\n  year = {2024}"
        text[old] = "{{Room State in Two Numbers}},\n  " + article + "  year = {2026}"
    return Change(text | (dict.fromkeys(DOUBLES, "") if wishes.doubles else {}))


def _kind(venue: str) -> str:
    return {JOURNAL: "journals", ARCHIVE: "preprints"}.get(venue, "conferences")


def _rank(venue: str, tier: str | None) -> int:
    return 2 if _kind(venue) == "preprints" else int(tier is not None and _kind(venue) != tier)


def _said(work: Any, evidence: str | None) -> str:
    if evidence is None:
        return ", ".join(work["has"]) or "none"
    return "yes" if evidence in work["has"] else "no"


def _written(pair: Sequence[float], form: str | None) -> str:
    rates = f"{fixed(pair[0], 1)} to {fixed(pair[1], 1)}"
    relative, points = f"{fixed(_relative(pair), 1)} % relative", f"{fixed(pair[0] - pair[1], 1)} points"
    return {"pair": rates, "relative": relative, "points": points, None: f"{rates} ({relative})"}[form]


# -- what facets do not say -------------------------------------------------------------------------------------------


def _cites(text: str) -> list[str]:
    """The keys that a text cites, in order."""
    parts = [part.split("{", 1)[1].split("}")[0] for part in text.split("\\cite")[1:] if "{" in part]
    return [key.strip() for part in parts for key in part.split(",")]


def check_cited_there(evidence: Any) -> bool:
    """All that section and table cite has an entry in the bibliography."""
    table = evidence.text(TABLE) or ""
    cited = _cites((evidence.text(SECTION) or "") + table) if table else []
    entries = ("\n" + (evidence.text(BIB) or "")).split("\n@")[1:]
    return bool(cited) and set(cited) <= {part.split("{", 1)[-1].split(",")[0].strip() for part in entries}


def check_head(evidence: Any, kind: str) -> bool:
    """The head of the table's third column names this kind of evidence, and no other."""
    rows = [row.split("&") for row in (evidence.text(TABLE) or "").split("\\\\") if "&" in row]
    head = rows[0][2].lower() if rows and len(rows[0]) > 2 else ""
    return [name for name, stems in STEMS.items() if any(stem in head for stem in stems)] == [kind]


def check_boxes(evidence: Any, how: str) -> bool:
    """The section's box is ticked, and that of refs.bib; or it is open, and a word more says that Amara reads."""
    path = ROOT + "TODO.md"
    if len(evidence.text(path) or "") > 1.5 * len(evidence.start.text(path) or ""):
        return False
    before, now = ((one or "").casefold() for one in (evidence.start.text(path), evidence.text(path)))
    box, bib = (next((one for one in now.splitlines() if one.startswith("- [") and name in one), "")
                for name in ("related work", "refs.bib:"))  # fmt: skip
    if how == "ticked":
        return "[x]" in box and "[x]" in bib
    return "[ ]" in box and now.count("amara") > before.count("amara") and "read" in now


def check_told(evidence: Any, named: list[list[str]]) -> bool:
    """Replies since the last change name each of the works, by key or author, in a line that does not list them all."""
    lines = [line.casefold() for one in evidence.replies_since(evidence.changed_paths) if count_words(one) <= 500
             for line in one.splitlines()]  # fmt: skip
    lines = [line for line in lines if line.count("20") <= 5]
    return all(any(name.casefold() in line for line in lines for name in names) for names in named)
