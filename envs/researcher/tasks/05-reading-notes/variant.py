"""Six papers as text from their PDFs: their figures, what the notes on them must say, and how a note is read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from pi_gym.authoring import Stream, count_words, fixed, is_written

FOLDER = "papers/notes/"
INDEX = FOLDER + "index.md"
KNOWN = "sandvik2024"  # noted as a preprint, in print by now
CONDITIONS = ("clean", "babble 5 dB", "traffic 5 dB", "kitchen 5 dB", "kitchen 0 dB")
ASKED = {"babble": "babble 5 dB", "traffic": "traffic 5 dB", "kitchen": "kitchen 5 dB"}
PAPERS = {
    "holmqvist2026": ("Noise Gates Trained by the Words They Keep", "Speech Systems Journal 33(2)", "Saga Holmqvist"),
    "tanimoto2025": ("Carrying the Room Across Pauses", "Interwave 2025", "Kei Tanimoto"),
    "okonjo2026": ("A Curriculum from the Decoder's Mistakes", "Speech Systems Journal 33(1)", "Ifeoma Okonjo"),
    "verhagen2025": ("Sixteen Frames of Patience", "EuroVoice 2025", "Roos Verhagen"),
    "ruiz2025": ("Broken Bands: Causal Masking in Canteens", "SpokenSys 2025", "Marisol Ruiz"),
}
JOURNALS = ("holmqvist2026", "okonjo2026")
SCALES = {"stars": ("*", "**", "***"), "letters": ("C", "B", "A"), "verbs": ("skip", "cite", "build")}
KINDS = ("rooms", "code", "device")


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    keys = stream.shuffled(list(PAPERS))
    single = stream.shuffled(list(KINDS))
    has = [list(KINDS), [], *([kind] for kind in single)]
    high = [True, False, *stream.shuffled([True, False, stream.choice((True, False))])]
    papers = {key: _paper(stream, key, good, kinds) for key, kinds, good in zip(keys, has, high, strict=True)}
    erratum, alone = keys[3], keys[4]
    papers[alone]["runs"] = 1
    papers[erratum]["printed"] = _misprinted(stream, papers[erratum])
    for number, paper in enumerate(papers.values()):
        paper["table"] = _table(paper, paper.get("printed", paper["test"]), number % 3)
        paper["dev"] = _table(paper, {c: (b + 0.9, s + 0.8) for c, (b, s) in paper["test"].items()}, number % 3)
    of = {"best": keys[0], "worst": keys[1], "erratum": erratum, "alone": alone}
    return {"papers": papers, "known": _paper(stream, "sandvik2026", True, ["rooms"]), **of}, {}


def _paper(stream: Stream, key: str, good: bool, kinds: Sequence[str]) -> dict[str, Any]:
    title, venue, authors = PAPERS.get(key, ("", "", ""))
    frames = {"chunk": stream.integer(8, 20), "ahead": stream.integer(2, 7), "frame": stream.choice((10, 20, 40))}
    return {
        "key": key, "title": title, "venue": venue, "authors": authors, "good": good, "has": list(kinds),
        "runs": stream.integer(3, 5), "test": _figures(stream, good), **frames,
        "names": stream.choice((("baseline", "ours"), ("B0", "full"))),
    }  # fmt: skip


def _figures(stream: Stream, good: bool) -> dict[str, tuple[float, float]]:
    """Error rates of baseline and system by condition, such that no gain can be taken for another one."""
    while True:
        found = {}
        for place, condition in enumerate(CONDITIONS):
            base = stream.integer(60, 90) if not place else stream.integer(150, 290)
            # The last one is what abstracts quote.
            gain = stream.integer(70, 150) if good or place == 4 else stream.integer(16, 38)
            found[condition] = (base / 10, round(base * (1 - gain / 1000)) / 10)
        three = [found[name] for name in ASKED.values()]
        marks = sorted(x for pair in three for x in (_relative(pair), pair[0] - pair[1], *pair))
        gains = [_relative(pair) for pair in found.values()]
        clear = min(b - a for a, b in pairwise(marks)) > 0.12
        if clear and (min(gains) > 6 if good else max(gains[:4]) < 4.2):
            return found


def _relative(pair: Sequence[float]) -> float:
    return 100 * (pair[0] - pair[1]) / pair[0]


def _misprinted(stream: Stream, paper: dict[str, Any]) -> dict[str, tuple[float, float]]:
    """The table before its erratum: the system's row was that of an older checkpoint."""
    return {c: (base, round(ours - stream.integer(9, 14) / 10, 1)) for c, (base, ours) in paper["test"].items()}


def _table(paper: dict[str, Any], figures: dict[str, tuple[float, float]], layout: int) -> str:
    """A table as it comes out of a PDF."""
    base, ours = paper["names"]
    if layout == 1:
        rows = [f"{c:<15}{fixed(b, 1):>9}{fixed(s, 1):>9}" for c, (b, s) in figures.items()]
        return "\n".join([f"{'condition':<15}{base:>9}{ours:>9}", *rows])
    heads = "".join(f"{c:>14}" for c in figures)
    lines = [f"{'system':<11}{heads}"]
    for name, at in ((base, 0), (ours, 1)):
        cells = [fixed(pair[at], 1) for pair in figures.values()]
        cells = [cell.replace(".", ",") for cell in cells] if layout == 2 else cells
        lines.append(f"{name:<11}" + "".join(f"{cell:>14}" for cell in cells))
    return "\n".join(lines)


# -- right answers ----------------------------------------------------------------------------------------------------


def work(world: Any, values: Any, draw: frozenset[str]) -> dict[str, Any]:
    persona, papers = values.persona, world.papers
    order = sorted(papers, key=lambda key: ((key in JOURNALS) != (persona.venue_tier == "journals"), key))
    levels = {key: _level(papers[key], persona.evidence) for key in papers}
    marks = {key: SCALES[persona.follow_scale][level] for key, level in levels.items()}
    delays = {key: _delay(paper, values.p.delay) for key, paper in papers.items()}
    figures = {key: _figure(paper, values) for key, paper in papers.items()}
    core = [key for key in papers if key not in (world.erratum, world.alone)]
    gains = {key: {name: list(papers[key]["test"][c]) for name, c in ASKED.items()} for key in papers}
    return {
        "order": order, "first": papers[world.best],
        "notes": {key: _note(papers[key], persona.bottom_line, figures[key], delays[key], marks[key], levels[key])
                  for key in papers},
        "rows": "".join(f"| {k} | {papers[k]['title']} | {papers[k]['venue']} | {marks[k]} |\n" for k in order),
        "tops": [world.best, *(k for k in order if levels[k] == 2 and k != world.best)],
        "known_figure": _figure(world.known, values),
        "known_gains": {name: list(world.known["test"][c]) for name, c in ASKED.items()},
        "marks": marks, "levels": levels, "sure": {key: levels[key] for key in (world.best, world.worst)},
        "delays": delays, "facts": {key: paper["has"] for key, paper in papers.items()},
        "titles": {key: paper["title"] for key, paper in papers.items()},
        "core": {key: gains[key] for key in core}, "gains": gains, "every": sorted(papers),
        "erratum": {world.erratum: gains[world.erratum]}, "alone": world.alone,
        "journal": [key for key in order if key in JOURNALS], "other": [key for key in order if key not in JOURNALS],
    }  # fmt: skip


def _level(paper: Any, kind: str) -> int:
    return (kind in paper["has"]) + paper["good"]


def _delay(paper: Any, rule: str) -> int:
    return (paper["ahead"] + (paper["chunk"] if rule == "sum" else 0)) * paper["frame"]


def _written(pair: Sequence[float], form: str) -> str:
    if form == "pair":
        return f"{fixed(pair[0], 1)} to {fixed(pair[1], 1)}"
    return f"{fixed(_relative(pair), 1)} % relative" if form == "relative" else f"{fixed(pair[0] - pair[1], 1)} points"


def _figure(paper: Any, values: Any) -> str:
    condition = ASKED[values.p.condition]
    if paper["runs"] > 1:
        return f"{_written(paper['test'][condition], values.persona.gain_form)} in {condition}"
    if values.p.single == "blank":
        return "none, single run"
    return f"{_written(paper['test'][condition], values.persona.gain_form)} in {condition} (single run)"


CLAIMS = {
    "holmqvist2026": ("a gate trained on the recogniser's loss keeps fricatives that SNR gates drop", "one microphone"),
    "tanimoto2025": ("state carried over pauses saves the first word after each", "few long pauses"),
    "okonjo2026": ("mixtures ordered by the decoder's confusions beat those ordered by level", "five times the cost"),
    "verhagen2025": (
        "one wait before the first block is worth more than larger blocks",
        "smaller context in the baseline",
    ),
    "ruiz2025": ("single bands can be masked causally if the mask is never above one", "one building's canteens"),
}
VERDICTS = ("nothing in it for us", "cite it, no more for now", "read it together")


def _note(paper: Any, place: str, figure: str, delay: int, mark: str, level: int) -> str:
    claim, doubt = CLAIMS[paper["key"]]
    line = f"bottom line: {VERDICTS[level]}; {claim}"
    body = [
        f"key: {paper['key']}", f"venue: {paper['venue']}", f"claim: {claim}", f"figure: {figure}",
        f"delay: {delay} ms", f"evidence: {', '.join(paper['has']) or 'none'}", f"runs: {paper['runs']}",
        f"doubt: {doubt}", f"follow-up: {mark}",
    ]  # fmt: skip
    return "\n".join([f"# {paper['title']}", "", *([line, *body] if place == "top" else [*body, line]), ""])


# -- how a note is read -----------------------------------------------------------------------------------------------


def _notes(evidence: Any) -> dict[str, list[str]]:
    """The new notes by key: their lines that are not blank."""
    found = {}
    for path in sorted(evidence.created):
        key, text = path.removeprefix(FOLDER).removesuffix(".md"), evidence.text(path)
        if path.startswith(FOLDER) and path.endswith(".md") and is_written(text) and len(text or "x" * 3000) < 2400:
            found[key] = [_plain(line) for line in (text or "").splitlines() if line.strip()]
    return found


def _plain(line: str) -> str:
    """A line without the marks of a list, and without those of a bold field name."""
    line = line.strip().removeprefix("- ")
    return line[2:].replace(":**", ":", 1).replace("**:", ":", 1) if line.startswith("**") else line


def _field(lines: list[str] | None, name: str) -> str:
    """What stands behind a field's name, if exactly one line has it."""
    hits = [line for line in lines or [] if line.lower().startswith(name + ":")]
    return hits[0].split(":", 1)[1].strip(" `") if len(hits) == 1 else ""


def _numbers(text: str) -> list[float]:
    """The numbers of a line, those before "dB" apart."""
    words = "".join(char if char.isdigit() or char.isalpha() or char == "." else " " for char in text.replace(",", "."))
    parts = [word.strip(".") for word in words.split()]
    pairs = zip(parts, [*parts[1:], ""], strict=False)
    plain = [part for part, after in pairs if after.lower() != "db"]
    return [float(part) for part in plain if part.replace(".", "", 1).isdecimal()]


def _read_gain(line: str, gains: dict[str, Any]) -> set[tuple[str, str]]:
    """Which (condition, form) a figure's line can be read as: all its numbers belong to that form."""
    numbers, found = _numbers(line), set()
    for name, (base, ours) in gains.items():
        forms = {"relative": [_relative((base, ours))], "points": [base - ours], "pair": [base, ours]}
        for form, right in forms.items():
            if len(numbers) == len(right) and all(abs(a - b) < 0.0501 for a, b in zip(numbers, right, strict=True)):
                found.add((name, form))
    return found


def check_notes(evidence: Any, keys: list[str]) -> bool:
    """At least four of the papers have a note with figure, evidence and follow-up, and nothing else has one."""
    notes = _notes(evidence)
    whole = [key for key, lines in notes.items() if all(_field(lines, n) for n in ("figure", "evidence", "follow-up"))]
    new = {path for path in evidence.created if path.startswith("papers/")}
    return len(set(whole) & set(keys)) >= 4 and len(new) <= len(keys) + 1


def check_facts(evidence: Any, facts: dict[str, list[str]]) -> bool:
    notes = _notes(evidence)
    said = {key: _field(notes.get(key), "evidence").lower() for key in facts}
    return all(said[key] and {kind for kind in KINDS if kind in said[key]} == set(has) for key, has in facts.items())


def check_levels(evidence: Any, levels: dict[str, int], scale: str = "") -> bool:
    """The follow-up marks, read in the scale given or in whichever fits all of them, are of these levels."""
    said = _marks(evidence, list(levels))
    ways = [SCALES[name] for name in SCALES if scale in ("", name)]
    return any(said == [marks[level].lower() for level in levels.values()] for marks in ways)


def _marks(evidence: Any, keys: list[str]) -> list[str]:
    said = [_field(_notes(evidence).get(key), "follow-up") for key in keys]
    plain = [text.replace("\\", "").replace("★", "*").replace("☆", "").lower() for text in said]
    return [(text.split() or [""])[0].strip(",;:.") for text in plain]


def check_scale(evidence: Any, scale: str, keys: list[str], sure: dict[str, int]) -> bool:
    """All marks are of the scale, and the two that are beyond doubt are right."""
    marks = [mark.lower() for mark in SCALES[scale]]
    return set(_marks(evidence, keys)) <= set(marks) and check_levels(evidence, sure, scale)


def check_figures(evidence: Any, gains: dict[str, Any], form: str = "", condition: str = "") -> bool:
    """The figures are right in some condition and form, one for all notes, or in the one that is named."""
    notes = _notes(evidence)
    common = set.intersection(*(_read_gain(_field(notes.get(k), "figure"), by_name) for k, by_name in gains.items()))
    return any(condition in ("", name) and form in ("", written) for name, written in common)


def check_single(evidence: Any, key: str, rule: str, gains: dict[str, Any]) -> bool:
    line = _field(_notes(evidence).get(key), "figure")
    if rule == "blank":
        return line.lower().startswith("none") and not _numbers(line) and "single run" in line.lower()
    return bool(_read_gain(line, gains)) and "single run" in line.lower()


def check_delays(evidence: Any, delays: dict[str, int]) -> bool:
    said = {key: _numbers(_field(_notes(evidence).get(key), "delay")) for key in delays}
    return all(said[key][:1] == [float(ms)] and len(said[key]) <= 3 for key, ms in delays.items())


def check_place(evidence: Any, keys: list[str], place: str) -> bool:
    """The bottom line is the first line under the title, or the note's last one."""
    for key in keys:
        lines = _notes(evidence).get(key, [])
        line = _field(lines, "bottom line")
        at = [number for number, text in enumerate(lines) if text.lower().startswith("bottom line:")]
        if not line or at != [1 if place == "top" else len(lines) - 1]:
            return False
    return True


def check_index(evidence: Any, keys: list[str], first: list[str]) -> bool:
    """All that stood in the index stands there; below it each paper has one row, those of `first` ahead."""
    old, lines = (
        [line for line in (text or "").split("\n") if line.strip()]
        for text in (evidence.start.text(INDEX), evidence.text(INDEX))
    )
    kept = len(lines) >= len(old) and all(
        # Venue and follow-up of the paper that is in print by now may change.
        now == then or (_cells(now)[:2] == _cells(then)[:2] and _cells(then)[0] == KNOWN)
        for now, then in zip(lines, old, strict=False)
    )
    added = [_cells(line)[0] for line in lines[len(old) :]]
    known = [key in first for key in added]
    return kept and sorted(added) == sorted(keys) and (not first or known == sorted(known)[::-1])


def _cells(row: str) -> list[str]:
    return [cell.strip(" `") for cell in row.strip().strip("|").split("|")]


def check_known(evidence: Any, gains: dict[str, Any]) -> bool:
    """The figure in the preprint's note is that of the printed version, in some condition and form."""
    lines = [_plain(line) for line in (evidence.text(f"{FOLDER}{KNOWN}.md") or "").splitlines()]
    return bool(_read_gain(_field(lines, "figure"), gains))


def check_best(evidence: Any, tops: list[str], titles: dict[str, str]) -> bool:
    """The first paper that a reply names is one of those at the top."""
    for reply in evidence.replies:
        places = {key: [at for at in (reply.find(key), reply.find(title)) if at >= 0] for key, title in titles.items()}
        named = sorted((min(at), key) for key, at in places.items() if at)
        if named and named[0][1] in tops and count_words(reply) <= 500:
            return True
    return False
