"""The related work of a resubmission: works, wrong claims, and how section, table and bibliography are read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from pi_gym.authoring import Stream, count_words, fixed, latex_table

ROOT = "resubmission/"
SECTION, TABLE, BIB = ROOT + "related_work.tex", ROOT + "tables/related.tex", ROOT + "refs.bib"
SCALES = {"stars": ("*", "**", "***"), "letters": ("C", "B", "A"), "verbs": ("skip", "cite", "build")}
HEADS = {"rooms": "Real rooms", "code": "Code", "device": "On device"}
STEMS = {"rooms": ("room", "record"), "code": ("code", "repo"), "device": ("device", "latency", "delay")}
JOURNAL, ARCHIVE = "Speech Systems Journal", "Open Speech Archive"
# Key: venue, and what the draft says that they do.
WORKS = {
    "dahlgren2025": (
        JOURNAL,
        "Dahlgren and Roy train a gate on the loss of the recogniser, so that weak fricatives pass",
    ),
    "moreau2025": (
        JOURNAL,
        "Moreau et al. carry the state of the front-end over pauses, which helps the word after each",
    ),
    "pettersen2025": ("Interwave 2025", "Pettersen waits once, before the first block, and then never again"),
    "iqbal2025": ("EuroVoice 2025", "Iqbal et al. order the training mixtures by what the model confuses"),
    "sorensen2024": ("SpokenSys 2024", "Sorensen and Abid adapt the weights of single bands to where somebody sits"),
    "vandijk2025": (ARCHIVE, "Van Dijk et al. move the mask into the first layer of the encoder"),
    "soltani2024": (ARCHIVE, "Soltani and Wirth describe the room by two numbers, twice per second"),
    "kessler2025": ("Interwave 2025", ""),
    "almeida2025": (JOURNAL, ""),
    "brandvold2025": (ARCHIVE, ""),
}
CORE = tuple(WORKS)[:6]
EDGE = {"kessler2025": 1, "almeida2025": 2, "brandvold2025": 3}  # runs; the core has five
APPEARED = "soltani2024"
DEMANDED = ("strand2019", "strand2020", "strand2021", "strand2022")
OWN = "lindqvist2025"
# The entry that the other sections cite, and its double, which the draft of this one cites.
TWINS = {"eide2025delay": "Eide25", "haugen2025wind": "haugen_wind"}
PLACES = ("babble", "traffic")


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    patterns = ("rooms code device", "", "rooms", "code", "device", "rooms code")
    has = dict(zip(stream.shuffled(list(CORE)), patterns, strict=True))
    works: dict[str, Any] = {}
    for key in WORKS:
        kinds = has.get(key, "rooms code device" if key in EDGE else "rooms").split()
        good = len(kinds) == 3 or (len(kinds) > 0 and stream.choice((True, False)))
        works[key] = {"key": key, "has": kinds, "good": good, "runs": EDGE.get(key, 5), "rates": _rates(stream, good),
                      "v": stream.integer(0, 2), "n": stream.integer(4, 12), "ms": stream.integer(96, 180)}  # fmt: skip
    rooms_wrong = stream.choice([k for k in CORE if "rooms" in works[k]["has"]])
    code_wrong = stream.choice([k for k in CORE if "code" in works[k]["has"] and k != rooms_wrong])
    number_wrong = stream.choice([k for k in CORE if k not in (rooms_wrong, code_wrong)])
    base, ours = works[number_wrong]["rates"]["babble"]
    wrong = fixed(_relative((base, ours)) + stream.integer(31, 49) / 10, 1)
    return {
        "works": works, "rooms_wrong": rooms_wrong, "code_wrong": code_wrong, "number_wrong": number_wrong,
        "right": [key for key in CORE if key not in (rooms_wrong, code_wrong, number_wrong)], "wrong": wrong,
        "named": [[key, WORKS[key][1].split()[0] if key != "vandijk2025" else "van Dijk"]
                  for key in (number_wrong, rooms_wrong, code_wrong)],
        "says": {key: entry[1] for key, entry in WORKS.items()}, "core": list(CORE),
    }, {}  # fmt: skip


def _rates(stream: Stream, good: bool) -> dict[str, tuple[float, float]]:
    while True:
        found = {}
        for place in PLACES:
            base = stream.integer(150, 290)
            gain = stream.integer(70, 150) if good else stream.integer(16, 36)
            found[place] = (base / 10, round(base * (1 - gain / 1000)) / 10)
        marks = sorted(x for pair in found.values() for x in (_relative(pair), pair[0] - pair[1], *pair))
        gains = [_relative(pair) for pair in found.values()]
        clear = min(b - a for a, b in pairwise(marks)) > 0.12
        if clear and (min(gains) > 6 if good else max(gains) < 4.2):
            return found


def _relative(pair: Sequence[float]) -> float:
    return 100 * (pair[0] - pair[1]) / pair[0]


# -- right answers ----------------------------------------------------------------------------------------------------


def work(world: Any, values: Any, draw: frozenset[str]) -> dict[str, Any]:
    persona, works = values.persona, world.works
    venues = {key: JOURNAL if key == APPEARED else entry[0] for key, entry in WORKS.items()}
    ranks = {key: _rank(venue, persona.venue_tier) for key, venue in venues.items()}
    far = [key for key, runs in EDGE.items() if runs < values.p.runs]
    listed = sorted((key for key in WORKS if key not in far), key=lambda key: (ranks[key], key))
    levels = {key: (persona.evidence in works[key]["has"]) + works[key]["good"] for key in WORKS}
    annotes = {key: SCALES[persona.follow_scale][levels[key]] for key in listed if "follow-scale" in draw}
    said = {key: "yes" if persona.evidence in works[key]["has"] else "no" for key in WORKS}
    gains = {key: _written(works[key]["rates"][values.p.condition], persona.gain_form) for key in WORKS}
    rows = [[rf"\citet{{{key}}}", venues[key], said[key], gains[key]] for key in listed]
    cited = {"all": list(DEMANDED), "survey": [DEMANDED[2]], "none": []}[values.p.demanded]
    sure = [key for key in CORE if len(works[key]["has"]) in (0, 3)]
    return {
        "annotes": {key: annotes.get(key, "") for key in WORKS},
        "table": latex_table(["Work", "Venue", HEADS[persona.evidence], "Gain"], rows),
        "ranks": {key: ranks[key] for key in CORE}, "far": far, "near": [key for key in EDGE if key not in far],
        "truth": {key: persona.evidence in works[key]["has"] for key in CORE},
        "gains": {key: {place: list(pair) for place, pair in works[key]["rates"].items()} for key in CORE},
        "steps": {key: levels[key] for key in CORE}, "sure": {key: levels[key] for key in sure},
        "babble": list(works[world.number_wrong]["rates"]["babble"]),
        "demanded": cited if "reviewer-papers" in draw else DEMANDED, "cited": cited, "doubles": list(TWINS.values()),
        "twins": list(TWINS),
        "first": "table-place" in draw and values.p.place == "first",
        "right": _written(works[world.number_wrong]["rates"]["babble"], persona.gain_form).replace("%", r"\%"),
    }  # fmt: skip


def _rank(venue: str, tier: str) -> int:
    kind = {JOURNAL: "journals", ARCHIVE: "preprints"}.get(venue, "conferences")
    return 2 if kind == "preprints" else int(kind != tier)


def _written(pair: Sequence[float], form: str) -> str:
    if form == "pair":
        return f"{fixed(pair[0], 1)} to {fixed(pair[1], 1)}"
    return f"{fixed(_relative(pair), 1)} % relative" if form == "relative" else f"{fixed(pair[0] - pair[1], 1)} points"


# -- how the section, the table and the bibliography are read ---------------------------------------------------------


def _cites(text: str) -> list[str]:
    """The keys that a text cites, in order."""
    parts = [part.split("{", 1)[1].split("}")[0] for part in text.split("\\cite")[1:] if "{" in part]
    return [key.strip() for part in parts for key in part.split(",")]


def _sentences(evidence: Any, key: str) -> str:
    """The lines of the section that cite a key, in lower case."""
    lines = (evidence.text(SECTION) or "").splitlines()
    return " ".join(line.lower() for line in lines if key in _cites(line) and not line.lstrip().startswith("%"))


def _rows(evidence: Any) -> list[list[str]]:
    """The rows of the new table: cells without LaTeX's escapes."""
    text = (evidence.text(TABLE) or "").replace("\\%", "%").replace("~", " ").replace("$", "")
    rows = [[cell.strip() for cell in row.split("&")] for row in text.split("\\\\") if "&" in row]
    return rows


def _by_key(evidence: Any) -> dict[str, list[str]]:
    return {_cites(row[0])[0]: row for row in _rows(evidence) if len(row) == 4 and _cites(row[0])}


def _entries(evidence: Any) -> dict[str, str]:
    """The bibliography's entries by key; a key that occurs twice has both texts."""
    found: dict[str, str] = {}
    for part in ("\n" + (evidence.text(BIB) or "")).split("\n@")[1:]:
        key = part.split("{", 1)[-1].split(",")[0].strip()
        found[key] = found.get(key, "") + "@" + part
    return found


def _numbers(text: str) -> list[float]:
    """The numbers of a text, those before "dB" apart."""
    words = "".join(char if char.isdigit() or char.isalpha() or char == "." else " " for char in text).split()
    parts = [word.strip(".") for word in words]
    pairs = zip(parts, [*parts[1:], ""], strict=False)
    return [float(a) for a, b in pairs if a.replace(".", "", 1).isdecimal() and b.lower() != "db"]


def _forms(text: str, pair: Sequence[float]) -> list[str]:
    """The forms in which a text gives a gain, and no other number."""
    ways = {"relative": [_relative(pair)], "points": [pair[0] - pair[1]], "pair": list(pair)}
    said = _numbers(text)
    fits = [name for name, right in ways.items() if len(said) == len(right)]
    return [name for name in fits if all(abs(a - b) < 0.0501 for a, b in zip(said, ways[name], strict=True))]


def check_section(evidence: Any, right: list[str]) -> bool:
    """The section was mended and not written anew, nor in several versions: what was right stands as it did."""
    old, new = evidence.start.text(SECTION) or "", evidence.text(SECTION) or ""
    lines = [line for line in old.splitlines() if set(right) & set(_cites(line))]
    kept = sum(line in new.splitlines() for line in lines)
    alone = all(path == TABLE for path in evidence.created)
    return alone and new != old and kept >= len(lines) - 1 and len(new) < 1.5 * len(old)


def check_claims(evidence: Any, number: str, wrong: str, babble: list[float], rooms: str, code: str) -> bool:
    """The three wrong claims are right now, each in the sentence that cites the work."""
    figure, real, public = (_sentences(evidence, key) for key in (number, rooms, code))
    said = _numbers(figure.split("\\cite")[0])
    right = float(wrong) not in said and any(_forms(str(number), babble) for number in said)
    right = right or (float(wrong) not in said and bool(_forms(" ".join(map(str, said)), babble)))
    recorded = "simulat" not in real and any(word in real for word in ("real", "record", "on site"))
    absent = any(word in public for word in ("not available", "not released", "not public", "unavailable", "no code"))
    return right and recorded and not absent and any(w in public for w in ("code", "repositor", "implementation"))


def check_bib(evidence: Any, doubles: list[str], cited: list[str]) -> bool:
    """Each double is gone from bibliography and section; all else is there once, and all that is cited exists."""
    entries = _entries(evidence)
    old = _entries(_Start(evidence))
    whole = set(entries) == set(old) - set(doubles) and all(text.count("\n@") == 0 for text in entries.values())
    keys = _cites(evidence.text(SECTION) or "") + _cites(evidence.text(TABLE) or "")
    return whole and set(keys) <= set(entries) and set(cited) <= set(keys)


class _Start:
    """The session's start, read as if it were now."""

    def __init__(self, evidence: Any) -> None:
        self.text = evidence.start.text


def check_appeared(evidence: Any) -> bool:
    """The preprint is an article of 2026 in its journal, under its old key, and the section says nothing else."""
    entry, said = _entries(evidence).get(APPEARED, "").lower(), _sentences(evidence, APPEARED)
    fields = all(word in entry for word in ("@article", JOURNAL.lower(), "2026", "33")) and "howpublished" not in entry
    return fields and bool(said) and not any(word in said for word in ("preprint", "not been", "unreviewed"))


def check_own(evidence: Any) -> bool:
    """Own work is cited, and in the third person."""
    said = "".join(char if char.isalpha() else " " for char in _sentences(evidence, OWN)).split()
    return bool(said) and not {"we", "our", "ours", "us", "my", "i"} & set(said)


def check_demanded(evidence: Any, cited: list[str]) -> bool:
    return set(_cites(evidence.text(SECTION) or "")) & set(DEMANDED) == set(cited)


def check_place(evidence: Any, place: str) -> bool:
    """The section inputs the table once, before its first citation or after its last."""
    text = evidence.text(SECTION) or ""
    at = text.find("\\input{tables/related")
    ends = text.find("\\cite") if place == "first" else text.rfind("\\cite")
    return at >= 0 and text.count("\\input{") == 1 and (at < ends) == (place == "first")


def check_table(evidence: Any, core: list[str]) -> bool:
    """One new table of four columns with a row for each work of the core, no work twice, and the section inputs it."""
    rows = _rows(evidence)
    keys = [key for row in rows for key in _cites(row[0])]
    new = [path for path in evidence.created if path.startswith(ROOT)]
    shape = all(len(row) == 4 for row in rows) and 7 <= len(rows) <= 12 and len(keys) == len(rows) - 1
    return new == [TABLE] and shape and set(keys) >= set(core) and len(keys) == len(set(keys))


def check_evidence(evidence: Any, kind: str, truth: dict[str, bool]) -> bool:
    """The third column names the one kind of evidence, and says of each work whether it has it."""
    head, rows = "".join(cell.lower() for row in _rows(evidence)[:1] for cell in row[2:3]), _by_key(evidence)
    named = [name for name, stems in STEMS.items() if any(stem in head for stem in stems)]
    said = [rows[key][2].lower() if key in rows else "" for key in truth]
    return named == [kind] and said == ["yes" if has else "no" for has in truth.values()]


def check_order(evidence: Any, ranks: dict[str, int]) -> bool:
    found = [ranks[key] for key in _by_key(evidence) if key in ranks]
    return len(found) == len(ranks) and found == sorted(found)


def check_gains(evidence: Any, gains: dict[str, Any], form: str = "", condition: str = "") -> bool:
    """The last column gives the core's gains, in one form and one condition, or in those that are named."""
    rows = _by_key(evidence)
    said = {key: rows[key][3] if key in rows else "" for key in gains}
    ways = [{(name, f) for name, pair in by.items() for f in _forms(said[key], pair)} for key, by in gains.items()]
    return any(condition in ("", name) and form in ("", f) for name, f in set.intersection(*ways))


def check_rows(evidence: Any, near: list[str], far: list[str]) -> bool:
    return set(_by_key(evidence)) >= set(near) and not set(_by_key(evidence)) & set(far)


def check_scale(evidence: Any, scale: str, sure: dict[str, int], core: list[str]) -> bool:
    """The core's entries have their step in an annote field, in the scale; the two that are beyond doubt are right."""
    said = {key: text.partition("annote")[2].split("\n")[0].strip(' ={},"') for key, text in _entries(evidence).items()}
    marks = SCALES[scale]
    return all(said.get(key) in marks for key in core) and all(said[k] == marks[level] for k, level in sure.items())


def check_told(evidence: Any, named: list[list[str]]) -> bool:
    """A reply names all of the works, by key or author, and hardly any other."""
    for reply in evidence.replies:
        said = reply.lower()
        others = sum(key in said for key in WORKS)
        if all(any(n.lower() in said for n in names) for names in named) and count_words(said) <= 500 and others <= 7:
            return True
    return False
