"""The accepted list of a conference, and what belongs on Nora's shortlist.

Papers on topic that no rule but the evidence concerns are in data/core.csv, those that some rule concerns in
data/ruled.csv; the rest of the list is drawn from data/off-topic.csv.
"""

from pi_gym.authoring import Change, File, csv_records, keyed_texts, new_text

FOLDER = "conferences/soundings-2026/"
TOPICS = {"endpoint": "endpointing", "ondevice": "on device", "eval": "evaluation"}
SPLIT = "everything about {} for us both"
READ = ("read1", "read2")  # as preprints, under titles of their own
TWICE = ("two1", "two2")  # in the show and tell as well
# Which evidence the core papers have (rooms, code, device), and which of them are articles of the journal: each kind of
# evidence five times, in other company each time, and in both tracks.
EVIDENCE = ("r", "r", "r", "c", "c", "c", "d", "d", "d", "rc", "cd", "rd", "", "")
JOURNAL = (1, 1, 0, 1, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0)
TAILS = ("", ": A Second Look", ": Lessons from the Field", ", Revisited")
NOT_CODE = ("code on acceptance", "code on request", "demo page", "audio samples", "")
WORDS = ("streaming, noise", "noise, robustness", "recognition, streaming", "hearing, noise")
DEAD = ("empty repository", "404", "a README that promises the code for summer")


def world(stream, preferences):
    """Draw the list with its traps, and what the committee found behind the links."""
    papers = _papers(stream, preferences.data)
    for paper, number in zip(papers, stream.sample(range(1, 190), len(papers)), strict=True):
        paper["id"] = f"S-{number:03d}"
    by_key = {paper["key"]: paper for paper in papers if paper["key"] != "off"}
    by_key["swap1"]["shown"], by_key["swap2"]["shown"] = by_key["swap2"]["title"], by_key["swap1"]["title"]
    names = {_name(paper): [paper["id"]] for paper in papers}
    off = [paper for paper in papers if paper["key"] == "off"]
    shown = [*(by_key[key] for key in TWICE), *stream.sample(off, 4)]
    shows = []
    for paper, number in zip(shown, stream.sample(range(1, 30), len(shown)), strict=True):
        entry = {"id": f"D-{number:02d}", "session": "SHOW", "format": "show and tell", "score_shown": ""}
        shows.append(paper | entry | {"track": "main"})
        names[_name(paper)].append(entry["id"])
    checked = []
    for paper in sorted((p for p in papers if p["artefacts"].startswith("code: https")), key=lambda p: str(p["id"])):
        day = f"2026-02-{stream.integer(16, 27)}"
        finding = "runs; figures of table 1 reproduced" if paper["code"] else stream.choice(DEAD)
        checked.append({"id": paper["id"], "link": paper["artefacts"][6:], "day": day, "finding": finding})
    topic = preferences.p.priyas_topic
    old = stream.child("topic").choice([one for one in TOPICS if one != topic])
    facts = {
        "rows": stream.shuffled(papers + shows), "by_key": by_key, "checked": checked, "names": names,
        "off": [paper["id"] for paper in off], "read": [by_key[key]["id"] for key in READ],
        "known": {paper["id"]: [paper["title"], paper["score"]] for paper in by_key.values()},
        "shows": dict(zip(TWICE, shows, strict=False)), "said": keyed_texts(preferences.data["said.csv"]),
        "topics": TOPICS, "hers": TOPICS[topic], "topic": topic, "old_topic": old,
        "her_papers": {paper["key"]: paper["id"] for paper in _hers(by_key, topic)},
        "wrong_split": {"mend": SPLIT.format(TOPICS[old]), "line": SPLIT.format(TOPICS[topic])},
    }  # fmt: skip
    return facts, {}


def _name(paper):
    return str(paper["id"] if paper["key"] == "off" else paper["key"])


def _papers(stream, data):
    """All contributions, those on topic first."""
    people = [line.split() for line in data["people.txt"].splitlines()]
    titles = {entry["key"]: entry["title"] for entry in csv_records(data["core.csv"])}
    keys = stream.shuffled(list(titles))
    core = [_paper(stream, people, key, key, titles[key], has) for key, has in zip(keys, EVIDENCE, strict=True)]
    # The scores of the core differ, so that "the best" is no matter of taste.
    scores = stream.sample(range(55, 90), len(core))
    for paper, score, journal in zip(core, scores, JOURNAL, strict=True):
        paper |= {"score": score, "score_shown": _typed(stream, score), "track": "SSJ" if journal else "main"}
    # Links of theirs with nothing behind, so that the committee's check decides something.
    for paper in stream.sample([paper for paper in core if not paper["code"]], 2):
        paper["artefacts"] = _link(stream, paper["short"])
    ruled = []
    for entry in csv_records(data["ruled.csv"]):
        key, off = entry["key"], entry["key"] == "swap2"
        paper = _paper(stream, people, key, "synthesis" if off else key, entry["title"], "" if off else "rcd")
        ruled.append(paper | {"track": entry["track"], "microphones": int(entry["microphones"])})
    heads = csv_records(data["off-topic.csv"])
    rest = []
    for kind, title in stream.sample([(head["kind"], head["title"] + tail) for head in heads for tail in TAILS], 112):
        paper = _paper(stream, people, "off", kind, title, stream.choice(("", "", "c")))
        rest.append(paper | {"track": stream.choice(("main", "main", "main", "SSJ"))})
    return core + ruled + rest


def _paper(stream, people, key, kind, title, has):
    first, last = people
    count = stream.choice((1, 2, 3, 4, 5))
    authors = [f"{stream.choice(first)} {name}" for name in stream.sample(last, count)]
    short = authors[0].split()[-1] + (" et al." if count > 1 else "")
    score = stream.integer(52, 91)
    link = _link(stream, short)
    broken = stream.choice((True, False, False))  # a link, and nothing behind it
    artefacts = link if "c" in has or broken else stream.choice(NOT_CODE)
    return {
        "key": key, "kind": kind, "title": title, "shown": title, "authors": ", ".join(authors), "short": short,
        "score": score, "score_shown": _typed(stream, score), "microphones": 1, "track": "main",
        "session": f"{stream.choice(('MON', 'TUE', 'WED', 'THU'))}-{stream.integer(1, 4)}",
        "format": stream.choice(("talk", "poster")),
        "status": stream.choice(("accept", "accept", "Accept", "accept (short)", "conditional")),
        "rooms": "r" in has, "code": "c" in has, "device": "d" in has, "artefacts": artefacts,
        "r": stream.integer(0, 3), "d": stream.integer(0, 3), "n": stream.integer(3, 9), "m": stream.integer(24, 190),
        "keywords": stream.choice(WORDS),
    }  # fmt: skip


def _link(stream, short):
    return f"code: https://code.{short.split()[0].lower()}.example/{stream.integer(100, 999)}"


def _typed(stream, score):
    """A score as a reviewer's browser writes it."""
    return f"{score / 10:.1f}".replace(".", stream.choice((".", ".", ",")))


# -- right answers ----------------------------------------------------------------------------------------------------


def right(world, wishes):
    """The shortlist. Who knows nothing of a wish takes whatever is on topic, and the export as it is."""
    listed = [paper for key, paper in world.by_key.items() if _belongs(world, wishes, key, paper)]
    kinds = [wishes.evidence] if wishes.evidence else ["rooms", "code", "device"]
    first = {"journals": "SSJ", "conferences": "main", None: ""}[wishes.venue_order]

    def order(paper):
        return bool(first) and paper["track"] != first, -paper["score"]

    read = sorted((paper for paper in listed if any(paper[kind] for kind in kinds)), key=order)
    rest = sorted((paper for paper in listed if paper not in read), key=lambda paper: -paper["score"])
    skim = sorted(rest[: wishes.skim_length or len(rest)], key=order)
    worst = min(read[1:], key=lambda paper: int(paper["score"]))
    more = f"\nSince 3 March Priya reads {world.hers} at conferences, and the above is mine again.\n"
    mended = Change({world.wrong_split["mend"]: world.wrong_split["line"]})
    topics = {"mend": mended, "line": Change(append=more), None: None}[wishes.topics_page]
    lines = "".join(f"- {paper['id']} · {paper['title']}\n" for paper in _hers(world.by_key, world.topic))
    priya = Change(append=f"\n## Soundings 2026, accepted\n\n{lines}") if wishes.for_priya else None
    results = {"shortlist": File("shortlist.md"), "topics": topics, "priya": priya}
    return results | {"read": read, "skim": skim, "first": read[0], "worst": worst}


def _hers(by_key, topic):
    """The papers on a side topic; what it is called begins as the keys of its papers do."""
    return [paper for key, paper in by_key.items() if key.startswith(topic[:3])]


def _belongs(world, wishes, key, paper):
    # What the three side topics are called begins as the keys of their papers do.
    off = key.startswith(("swap2", "gone", (wishes.priyas_topic or world.old_topic)[:3]))
    many = wishes.microphones and paper["microphones"] > wishes.microphones
    return not (off or many or (wishes.known_ones == "drop" and key in READ))


# -- what facets do not say -------------------------------------------------------------------------------------------


def _listed(evidence):
    """Heading, number and line of the papers of the one new file, in order."""
    found, heading = [], ""
    for line in new_text(evidence, FOLDER).splitlines():
        words = "".join(char if char.isalnum() or char == "-" else " " for char in line).split()
        numbers = [word for word in words if word[:2] in ("S-", "D-") and word[2:].isdecimal()]
        if numbers:
            found.append((heading, numbers[0], line))
        elif line.startswith(("#", "**")):
            heading = line.strip("#* :").lower()
    return found


def check_seen_alone(evidence, known):
    """No line but those of what she has read says "seen"."""
    return all(number in known for _, number, line in _listed(evidence) if line.rstrip(" .)*_`|").endswith("seen"))


def check_start(evidence, papers):
    """A reply names a paper to start with: the first under Read or the best there, of all or of those new to her."""
    read = [(number, "seen" in line) for heading, number, line in _listed(evidence) if heading.startswith("read")]
    good = set()
    for some in (read, [one for one in read if not one[1]]):
        numbers = [number for number, _ in some if number in papers]
        good |= {*numbers[:1], *sorted(numbers, key=lambda number: -papers[number][1])[:1]}
    return any(_recommended(reply, papers) in good for reply in evidence.replies_since(evidence.changed_paths))


def _recommended(reply, papers):
    """The first paper that a sentence about the start names, behind its verb if possible; else that of the reply."""
    for sentence in [part for line in reply.splitlines() for part in line.replace("; ", ". ").split(". ")]:
        at = max(sentence.lower().rfind(word) for word in ("start", "begin", "first"))
        if at >= 0 and (named := _first(sentence[at:], papers) or _first(sentence, papers)):
            return named
    return _first(reply, papers)


def _first(text, papers):
    """The paper that a text names first, by number or title."""
    places = [(text.find(name), number) for number, (title, _) in papers.items() for name in (number, title)]
    return min((place for place in places if place[0] >= 0), default=(0, ""))[1]
