"""The accepted list of a conference: what is in it, what belongs on Nora's shortlist, and how a shortlist is read."""

from __future__ import annotations

from typing import Any

from pi_gym.authoring import Stream, count_words, is_written

FOLDER = "conferences/soundings-2026/"
PATH = FOLDER + "shortlist.md"
# Papers on topic that no rule but the evidence concerns; in `MORE` those that some rule concerns.
CORE = {
    "gate": "Gatekeepers: A Noise Floor in Front of the Encoder",
    "warp": "Twenty Filters and a Clatter",
    "carry": "What Was Before the Pause",
    "mask": "A Mask That Knows When to Stop",
    "adapt": "Half a Minute of Street",
    "curric": "In Order of Confusion",
    "steps": "Shorter Steps in Quiet Rooms",
    "floor": "The Floor of 1998",
    "wind": "Wind Is a Band Problem",
    "memory": "A Shelf for Old Spectra",
    "doubt": "Passing On the Doubt",
    "babble": "How Many Is Babble?",
    "reverb": "Two Blocks Against the Room",
    "small": "Ninety Thousand Parameters by the Road",
}
MORE = {
    "pair": "One Ear Each",
    "behind": "Behind Both Ears",
    "ring": "A Collar That Listens",
    "table": "Eight in a Puck",
    "gone1": "A Description of the Din",
    "gone2": "Forgetting What Repeats",
    "two1": "Holes Instead of Bangs",
    "two2": "Pardon? A Recogniser That Waits",
    "read1": "Bands That Lied",
    "read2": "Noise Made to Hurt",
    "swap1": "My Voice, Your Room",
    "swap2": "The Reader Breathes",
    "end1": "Done, Despite the Fan",
    "end2": "Ends Without Sound",
    "ond1": "Four Bits in Traffic",
    "ond2": "The Weights of the Next Word",
    "eva1": "Sentence by Sentence, Decibel by Decibel",
    "eva2": "Late Is Wrong Too",
}
MICROPHONES = {"pair": 2, "behind": 2, "ring": 4, "table": 8}
TOPICS = {key: topic for topic in ("endpoint", "ondevice", "eval") for key in (topic[:3] + "1", topic[:3] + "2")}
READ = ("read1", "read2")  # as preprints, under titles of their own
# Which evidence the core papers have: each kind five times, in other company each time.
PATTERNS = ("r", "r", "r", "c", "c", "c", "d", "d", "d", "rc", "cd", "rd", "", "")
OFF = {
    "synthesis": ("Voices for Long Books", "Reading Aloud at Night", "Prosody of Lists"),
    "diarisation": ("Who Spoke in the Corridor", "Counting Talkers", "Overlap in Councils"),
    "verification": ("The Same Voice Tomorrow", "Twins at the Door", "A Voice Is No Password"),
    "emotion": ("Anger in Short Words", "Five Raters, Six Feelings", "Boredom, Measured"),
    "enhancement": ("Causal Masks for Ears", "Streaming Comfort in Noise", "Four Milliseconds for the Listener"),
    "translation": ("Waiting for the Verb", "Streaming Across Borders", "Half a Sentence Ahead"),
    "dialogue": ("A Guide That Interrupts", "Planning the Next Turn", "Small Talk in Museums"),
    "phonetics": ("Vowels of the Outer Islands", "A Stop in Three Dialects", "Forty Years of One Family"),
    "keywords": ("Waking at 0.4 Milliwatts", "Wake Words by the Sea", "One Word in Noise"),
    "music": ("Lyrics Under Drums", "Choirs, Aligned", "Humming to Search"),
    "offline": ("The Whole Meeting at Once", "Looking Both Ways", "Everything, Then Words"),
    "teaching": ("Learners and Their Rs", "A Class Reads Aloud", "Scoring the First Year"),
}
TAILS = ("", ": A Second Look", ": Lessons from the Field", ", Revisited")
FIRST = "Aino Berit Caspar Dilan Eskil Femke Goran Hedda Ivar Jolanta Kerem Liv Marit Niko Oriol Petra Quirin Runa"
LAST = (
    "Aalberg Brekkestad Castellan Drummond Eikrem Fontanel Gjertsen Hovland Iwarsson Jagland Kostova Lunde Marchetti"
    " Nystad Osei Prestrud Quarles Rosvold Sandnes Tessier Ullmann Vasseur Wennberg Yilmaz Zetterlund Abeni Brodin"
)
NOT_CODE = ("code on acceptance", "code on request", "demo page", "audio samples", "")
WORDS = ("streaming, noise", "noise, robustness", "recognition, streaming", "hearing, noise")
DAYS = ("MON", "TUE", "WED", "THU")
RUNS = "runs; figures of table 1 reproduced"
DEAD = ("empty repository", "404", "a README that promises the code for summer")


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    papers = _on_topic(stream) + _off_topic(stream)
    ids = stream.sample(range(1, 190), len(papers))
    for paper, number in zip(papers, ids, strict=True):
        paper["id"] = f"S-{number:03d}"
    by_key = {paper["key"]: paper for paper in papers if paper["key"] in CORE or paper["key"] in MORE}
    by_key["swap1"]["shown"], by_key["swap2"]["shown"] = by_key["swap2"]["title"], by_key["swap1"]["title"]
    shows = [*(by_key[key] for key in ("two1", "two2")), *stream.sample([p for p in papers if p["key"] == "off"], 4)]
    numbers = stream.sample(range(1, 30), len(shows))
    twins = [
        p | {"id": f"D-{n:02d}", "session": "SHOW", "format": "show and tell", "score_shown": "", "track": "main"}
        for p, n in zip(shows, numbers, strict=True)
    ]
    for key, twin in zip(("two1", "two2"), twins, strict=False):
        by_key[key]["twin"] = twin["id"]
    linked = [p for p in papers if p["artefacts"].startswith("code: https")]
    checked = [
        {"id": p["id"], "link": p["artefacts"][6:], "day": f"2026-02-{stream.integer(16, 27)}",
         "finding": RUNS if p["code"] else stream.choice(DEAD)}
        for p in sorted(linked, key=lambda p: str(p["id"]))
    ]  # fmt: skip
    return {"rows": stream.shuffled(papers + twins), "by_key": by_key, "checked": checked}, {}


def _people(stream: Stream) -> tuple[str, str]:
    """Authors as in the list, and as in a line of the shortlist."""
    count = stream.choice((1, 2, 3, 4, 5))
    names = [f"{stream.choice(FIRST.split())} {last}" for last in stream.sample(LAST.split(), count)]
    return ", ".join(names), names[0].split()[-1] + (" et al." if count > 1 else "")


def _paper(stream: Stream, key: str, kind: str, title: str, has: str) -> dict[str, Any]:
    authors, short = _people(stream)
    score = stream.integer(52, 91)
    link = f"https://code.{short.split()[0].lower()}.example/{stream.integer(100, 999)}"
    broken = stream.choice((True, False, False))  # a link, and nothing behind it
    artefacts = f"code: {link}" if "c" in has or broken else stream.choice(NOT_CODE)
    return {
        "key": key, "kind": kind, "title": title, "shown": title, "authors": authors, "short": short, "score": score,
        "score_shown": f"{score / 10:.1f}".replace(".", stream.choice((".", ".", ","))),
        "session": f"{stream.choice(DAYS)}-{stream.integer(1, 4)}", "format": stream.choice(("talk", "poster")),
        "status": stream.choice(("accept", "accept", "Accept", "accept (short)", "conditional")),
        "track": "main", "rooms": "r" in has, "code": "c" in has, "device": "d" in has, "artefacts": artefacts,
        "r": stream.integer(0, 3), "d": stream.integer(0, 3), "n": stream.integer(3, 9), "m": stream.integer(24, 190),
        "keywords": stream.choice(WORDS),
    }  # fmt: skip


def _on_topic(stream: Stream) -> list[dict[str, Any]]:
    keys = stream.shuffled(list(CORE))
    core = [_paper(stream, key, key, CORE[key], has) for key, has in zip(keys, PATTERNS, strict=True)]
    # The scores of the core differ, so that "the best" is no matter of taste; both tracks under each kind of evidence.
    for paper, score in zip(core, stream.sample(range(55, 90), len(core)), strict=True):
        paper["score"] = score
        paper["score_shown"] = f"{score / 10:.1f}".replace(".", stream.choice((".", ".", ",")))
    for at, journal in enumerate((1, 1, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0)):
        core[at]["track"] = "SSJ" if journal else "main"
    # Links of theirs with nothing behind, so that the committee's check decides something.
    for paper in stream.sample([p for p in core if not p["code"]], 2):
        paper["artefacts"] = (
            f"code: https://code.{paper['short'].split()[0].lower()}.example/{stream.integer(100, 999)}"
        )
    more = [_paper(stream, key, key, MORE[key], "" if key == "swap2" else "rcd") for key in MORE]
    for paper in more:
        paper["kind"] = "synthesis" if paper["key"] == "swap2" else paper["kind"]
        paper["track"] = "SSJ" if paper["key"] in ("read1", "eva1") else "main"
    return core + more


def _off_topic(stream: Stream) -> list[dict[str, Any]]:
    titles = [(kind, head + tail) for kind, heads in OFF.items() for head in heads for tail in TAILS]
    found = []
    for kind, title in stream.sample(titles, 112):
        paper = _paper(stream, "off", kind, title, stream.choice(("", "", "c")))
        found.append(paper | {"track": stream.choice(("main", "main", "main", "SSJ"))})
    return found


# -- right answers ----------------------------------------------------------------------------------------------------


def work(world: Any, values: Any, draw: frozenset[str]) -> dict[str, Any]:
    by_key, kind = world.by_key, values.persona.evidence
    out = [key for key, topic in TOPICS.items() if topic == values.p.priyas]
    far = [key for key, count in MICROPHONES.items() if count > values.p.mics]
    known = list(READ) if values.p.known == "drop" else []
    left = {"swap2", "gone1", "gone2", *out, *far, *known}
    eligible = [paper for key, paper in by_key.items() if key not in left]
    journals_first = values.persona.venue_tier == "journals"

    def order(paper: Any) -> tuple[bool, int]:
        return (paper["track"] == "SSJ") != journals_first, -paper["score"]

    reading = sorted((p for p in eligible if p[kind]), key=order)
    rest = sorted((p for p in eligible if not p[kind]), key=lambda p: -p["score"])[: values.p.skim]
    skimming = sorted(rest, key=order)
    core = [by_key[key] for key in CORE]
    off = [row["id"] for row in world.rows if row["key"] == "off"]
    parts = [f"## {title}\n\n" + "".join(_line(p, values.p.known) + "\n" for p in papers)
             for title, papers in (("Read", reading), ("Skim", skimming))]  # fmt: skip

    def ids(papers: Any) -> list[str]:
        return [p["id"] for p in papers]

    return {
        "path": PATH, "eligible": len(eligible), "reading": reading, "skimming": skimming,
        "text": "\n".join(["# Soundings 2026, what I read\n", *parts]),
        "sound": {"function": "check_sound", "with": {"core": ids(core), "off": off}},
        "strays": [*off, by_key["swap2"]["id"]],
        "evidence_in": ids(p for p in core if p[kind]), "evidence_out": ids(p for p in core if not p[kind]),
        "journal": ids(p for p in core if p["track"] == "SSJ"), "main": ids(p for p in core if p["track"] == "main"),
        "topic_in": ids(by_key[k] for k in TOPICS if k not in out), "topic_out": ids(by_key[k] for k in out),
        "near": ids(by_key[k] for k in MICROPHONES if k not in far), "far": ids(by_key[k] for k in far),
        "gone": ids((by_key["gone1"], by_key["gone2"])), "swapped": by_key["swap1"],
        "twice": [(by_key[key]["id"], by_key[key]["twin"]) for key in ("two1", "two2")],
        "known": ids(by_key[key] for key in READ),
        "ranked": ids(sorted((p for p in core if not p[kind]), key=lambda p: -p["score"])),
        "forms": {p["id"]: _line(p, "drop") for p in core},
    }  # fmt: skip


def _line(paper: Any, known: str) -> str:
    line = f"- [ ] {paper['id']} · {paper['title']} · {paper['short']} · {paper['session']} · {paper['score'] / 10:.1f}"
    return line + " · seen" if paper["key"] in READ and known == "mark" else line


# -- how a shortlist is read ------------------------------------------------------------------------------------------


def _sections(evidence: Any) -> dict[str, list[tuple[str, str]]] | None:
    """The sections of the one new file in the conference's folder: heading to lines with the first number in each."""
    new = [path for path in sorted(evidence.created) if path.startswith("conferences/")]
    new = [path for path in new if is_written(evidence.text(path))]
    text = evidence.text(new[0]) if len(new) == 1 and new[0].startswith(FOLDER) else None
    if text is None or len(text) > 9000:
        return None
    found: dict[str, list[tuple[str, str]]] = {"": []}
    heading = ""
    for line in text.splitlines():
        numbers = _numbers(line)
        if line.lstrip().startswith(("#", "**")) and not numbers:
            heading = line.strip("#* :").lower()
            found.setdefault(heading, [])
        elif numbers:
            found[heading].append((numbers[0], line.strip()))
    return found


def _numbers(line: str) -> list[str]:
    words = "".join(char if char.isalnum() or char == "-" else " " for char in line).split()
    return [word for word in words if word[:2] in ("S-", "D-") and word[2:].isdecimal()]


def _listed(evidence: Any) -> dict[str, str]:
    return {number: line for lines in (_sections(evidence) or {}).values() for number, line in lines}


def _under(evidence: Any, stem: str) -> list[str]:
    return [n for heading, lines in (_sections(evidence) or {}).items() if heading.startswith(stem) for n, _ in lines]


def check_sound(evidence: Any, core: list[str], off: list[str]) -> bool:
    """A shortlist worth judging: short lines, no paper twice, most of what it must have, hardly anything beside."""
    lines = [entry for part in (_sections(evidence) or {}).values() for entry in part]
    numbers = [number for number, _ in lines]
    short = all(len(line) <= 260 and len(_numbers(line)) <= 2 for _, line in lines)
    right = len(set(numbers) & set(core)) >= 7 and len(set(numbers) & set(off)) <= 2
    return short and right and len(numbers) == len(set(numbers)) and len(numbers) <= 40


def check_tiers(evidence: Any, first: list[str], second: list[str]) -> bool:
    """In every section the first kind stands before the second, and some section has both."""
    mixed = False
    for lines in (_sections(evidence) or {}).values():
        kinds = [number in second for number, _ in lines if number in first or number in second]
        if kinds != sorted(kinds):
            return False
        mixed = mixed or len(set(kinds)) == 2
    return mixed


def check_listed(evidence: Any, inside: list[str], outside: list[str], under: str = "") -> bool:
    """All of the first and none of the second are listed, under headings that begin so."""
    found = set(_under(evidence, under))
    return found >= set(inside) and not found & set(outside)


def check_twins(evidence: Any, pairs: list[Any]) -> bool:
    """Each pair has one line, under the number of the proceedings."""
    found = _listed(evidence)
    return all(paper in found and twin not in found for paper, twin in pairs)


def check_known(evidence: Any, known: list[str], rule: str) -> bool:
    found = _listed(evidence)
    if rule == "drop":
        return not set(known) & set(found)
    marked = [number for number, line in found.items() if line.rstrip(" .)*_`|").lower().endswith("seen")]
    return sorted(marked) == sorted(known)


def check_skim(evidence: Any, length: int, ranked: list[str]) -> bool:
    """Skim has so many lines, and no paper of the core is passed over for one with a lower score."""
    found = _under(evidence, "skim")
    chosen = [number in found for number in ranked]
    return len(found) == length and any(chosen) and chosen == sorted(chosen, reverse=True)


def check_forms(evidence: Any, forms: dict[str, str]) -> bool:
    """All but one of the core's lines have the form of last year's."""
    found = {number: line for number, line in _listed(evidence).items() if number in forms}
    right = [line == forms[number] for number, line in found.items()]
    return len(right) >= 7 and sum(right) >= len(right) - 1


def check_start(evidence: Any) -> bool:
    """A reply recommends the paper that stands first under Read, or the first there that is not marked as seen."""
    listed, read = _listed(evidence), _under(evidence, "read")
    fresh = [number for number in read if not listed[number].endswith("seen")]
    titles = {parts[1]: number for number, line in listed.items() if len(parts := line.split(" · ")) > 1}
    return any(
        _recommended(reply, titles) in {*read[:1], *fresh[:1]}
        for reply in evidence.replies
        if count_words(reply) <= 500
    )


def _recommended(reply: str, titles: dict[str, str]) -> str:
    """The paper behind the first word for starting, or else the first in its sentence; without such a word, in all."""
    for title, number in titles.items():
        reply = reply.replace(title, number)
    for mark in (". ", "! ", "? ", "; "):
        reply = reply.replace(mark, "\n")
    sentences = [sentence for sentence in reply.split("\n") if _numbers(sentence)]
    for sentence in sentences:
        words = sentence.split()
        for place, word in enumerate(words):
            if word.lower().strip("*_(").startswith(("start", "begin", "first")):
                return (_numbers(" ".join(words[place:])) or _numbers(sentence))[0]
    return _numbers(sentences[0])[0] if sentences else ""
