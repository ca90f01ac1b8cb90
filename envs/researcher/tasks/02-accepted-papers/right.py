"""The accepted list of a conference, and what belongs on Nora's shortlist."""

from __future__ import annotations

from typing import Any

from pi_gym.authoring import File, Stream

FOLDER = "conferences/soundings-2026/"
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
TOPICS = {"endpoint": "endpointing", "ondevice": "on device", "eval": "evaluation"}
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
    """Draw the list with its traps, and what the committee found behind the links."""
    papers = _on_topic(stream) + _off_topic(stream)
    ids = stream.sample(range(1, 190), len(papers))
    for paper, number in zip(papers, ids, strict=True):
        paper["id"] = f"S-{number:03d}"
    by_key = {paper["key"]: paper for paper in papers if paper["key"] != "off"}
    by_key["swap1"]["shown"], by_key["swap2"]["shown"] = by_key["swap2"]["title"], by_key["swap1"]["title"]
    shows = [*(by_key[key] for key in ("two1", "two2")), *stream.sample([p for p in papers if p["key"] == "off"], 4)]
    numbers = stream.sample(range(1, 30), len(shows))
    twins = [
        p | {"id": f"D-{n:02d}", "session": "SHOW", "format": "show and tell", "score_shown": "", "track": "main"}
        for p, n in zip(shows, numbers, strict=True)
    ]
    names = {p["id"] if p["key"] == "off" else p["key"]: [p["id"]] for p in papers}
    for paper, twin in zip(shows, twins, strict=True):
        names[paper["id"] if paper["key"] == "off" else paper["key"]].append(twin["id"])
    linked = [p for p in papers if p["artefacts"].startswith("code: https")]
    checked = [
        {"id": p["id"], "link": p["artefacts"][6:], "day": f"2026-02-{stream.integer(16, 27)}",
         "finding": RUNS if p["code"] else stream.choice(DEAD)}
        for p in sorted(linked, key=lambda p: str(p["id"]))
    ]  # fmt: skip
    mine = [topic for topic in TOPICS if topic != preferences.p.priyas_topic]
    off = [p["id"] for p in papers if p["key"] == "off"]
    twins_of = dict(zip(("two1", "two2"), twins, strict=False))
    facts = {
        "rows": stream.shuffled(papers + twins), "by_key": by_key, "checked": checked, "names": names, "off": off,
        "topics": TOPICS, "old_topic": stream.child("topic").choice(mine), "shows": twins_of,
        "known": {p["id"]: [p["title"], p["score"]] for p in by_key.values()},
        "read": [by_key[key]["id"] for key in READ], "some": [by_key[key]["id"] for key in ("two1", "two2", "swap1")],
    }  # fmt: skip
    return facts, {}


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


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The shortlist. Who knows nothing of a wish takes whatever is on topic, and the export as it is."""
    listed = {key: world.by_key[key] for key in world.by_key if key not in _left_out(world, wishes)}
    kinds = [wishes.evidence] if wishes.evidence else ["rooms", "code", "device"]
    first = {"journals": "SSJ", "conferences": "main", None: ""}[wishes.venue_order]

    def order(paper: Any) -> tuple[bool, int]:
        return bool(first) and paper["track"] != first, -paper["score"]

    reading = sorted((p for p in listed.values() if any(p[kind] for kind in kinds)), key=order)
    rest = sorted((p for p in listed.values() if p not in reading), key=lambda p: -p["score"])
    skimming = sorted(rest[: wishes.skim_length or len(rest)], key=order)
    parts = [f"## {title}\n\n" + "".join(f"{line}\n" for paper in papers for line in _lines(world, wishes, paper))
             for title, papers in (("Read", reading), ("Skim", skimming))]  # fmt: skip
    text = "\n".join(["# Soundings 2026, what I read\n", *parts])
    worst = min(reading[1:], key=lambda p: int(p["score"]))
    return {"shortlist": File("shortlist.md", text), "first": reading[0], "second": reading[1], "worst": worst}


def _left_out(world: Any, wishes: Any) -> set[str]:
    # What the three side topics are called begins as the keys of their papers do.
    topic = wishes.priyas_topic or world.old_topic
    out = {"swap2", topic[:3] + "1", topic[:3] + "2"}
    out |= {key for key, count in MICROPHONES.items() if wishes.microphones and count > wishes.microphones}
    out |= {"gone1", "gone2"} if wishes.corrections else set()
    return out | (set(READ) if wishes.known_ones == "drop" else set())


def _lines(world: Any, wishes: Any, paper: Any) -> list[str]:
    """The lines of a paper: two for one that is shown as well, as long as nobody says that these are one thing."""
    title = paper["title"] if wishes.corrections else paper["shown"]
    seen = paper["key"] in READ and wishes.known_ones == "mark"
    found = [(paper["id"], paper["session"])]
    if paper["key"] in world.shows and not wishes.one_line_each:
        found.append((world.shows[paper["key"]]["id"], "SHOW"))
    if not wishes.line_form:
        return [f"- {number} {title}, {paper['authors']}{' (seen)' if seen else ''}" for number, _ in found]
    tail = f"{paper['score'] / 10:.1f}" + (" · seen" if seen else "")
    return [f"- [ ] {number} · {title} · {paper['short']} · {session} · {tail}" for number, session in found]


# -- what facets do not say -------------------------------------------------------------------------------------------


def _listed(evidence: Any) -> list[tuple[str, str, str]]:
    """Heading, number and line of the papers of the one new file, in order."""
    new = [path for path in sorted(evidence.created) if path.startswith(FOLDER) and evidence.text(path)]
    found, heading = [], ""
    for line in ((evidence.text(new[-1]) or "") if new else "").splitlines():
        numbers = _numbers(line)
        if numbers:
            found.append((heading, numbers[0], line))
        elif line.startswith(("#", "**")):
            heading = line.strip("#* :").lower()
    return found


def _numbers(text: str) -> list[str]:
    words = "".join(char if char.isalnum() or char == "-" else " " for char in text).split()
    return [word for word in words if word[:2] in ("S-", "D-") and word[2:].isdecimal()]


def check_seen_alone(evidence: Any, known: list[str]) -> bool:
    """No line but those of what she has read says "seen"."""
    return all(number in known for _, number, line in _listed(evidence) if line.rstrip(" .)*_`|").endswith("seen"))


def check_start(evidence: Any, papers: dict[str, Any]) -> bool:
    """A reply names a paper to start with: the first under Read or the best there, of all or of those new to her."""
    read = [(number, "seen" in line) for heading, number, line in _listed(evidence) if heading.startswith("read")]
    good = set()
    for some in (read, [one for one in read if not one[1]]):
        numbers = [number for number, _ in some if number in papers]
        good |= {*numbers[:1], *sorted(numbers, key=lambda number: -papers[number][1])[:1]}
    return any(_recommended(reply, papers) in good for reply in evidence.replies_since(evidence.changed_paths))


def _recommended(reply: str, papers: dict[str, Any]) -> str:
    """The first paper that a sentence about the start names, behind its verb if possible; else that of the reply."""
    sentences = [part for line in reply.splitlines() for part in line.replace("; ", ". ").split(". ")]
    for sentence in sentences:
        words = sentence.lower()
        at = max(words.rfind(word) for word in ("start", "begin", "first"))
        named = _first(sentence[at:], papers) or _first(sentence, papers) if at >= 0 else ""
        if named:
            return named
    return _first(reply, papers)


def _first(text: str, papers: dict[str, Any]) -> str:
    places = [(min((text.find(name) for name in (number, title) if name in text), default=-1), number)
              for number, (title, _) in papers.items()]  # fmt: skip
    return min(((at, number) for at, number in places if at >= 0), default=(0, ""))[1]
