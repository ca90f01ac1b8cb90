"""The night's papers, and the queue as it should end up.

Which papers there may be stands in data/papers.csv (the tag "off" marks what only looks as if it were Nora's), their
abstracts in the digest's template; ids, venues, order, lookahead, the claim that one overlaps and its owner are drawn.
"""

from datetime import date, timedelta

from pi_gym.authoring import Change, csv_records, csv_text, keyed_texts, new_text, written_day

QUEUE, PLAN = "reading/queue.md", "project/plan.md"
TODAY = date(2026, 3, 5)
# The ends of the plan's lines on the packages that may be parked.
PACKAGES = {"WP2": "turn closure in noise |", "WP3": "on the wearer's device |", "WP4": "include emission delay |"}
TAG_OF = {"WP2": "endpoint", "WP3": "ondevice", "WP4": "eval"}
CLAIMS = ("C1", "C2", "C3")
PAIRS = ("masks", "experts")  # published twice: `_pre` and `_pub`
LOOKING = ("peek", "cafe", "almost")  # on topic; their lookahead decides
CODELESS = ("unheard", "broken")  # on topic; without code
KNOWN = ("queued", "read")
OPEN = (*LOOKING, *CODELESS, *KNOWN, "masks_pre", "experts_pre")  # whose place some wish decides
KINDS = {"masks_pub": "journal", "experts_pub": "conference"}
KINDS |= dict.fromkeys((*CLAIMS, *KNOWN, "masks_pre", "experts_pre"), "preprint")
VENUES = {
    "journal": (("Transactions on Listening Machines", "TLM"), ("Speech Systems Journal", "SSJ")),
    "conference": (("EuroVoice 2026", "EuroVoice"), ("SpokenSys 2026", "SpokenSys")),
}


def world(stream, preferences):
    """Draw the night's papers, the shelf and the group's own results."""
    style, data = preferences.persona.date_style, preferences.data
    claim = stream.child("claim").choice(CLAIMS)
    serials = iter(stream.child("ids").sample(range(104, 990), 80))
    papers = _papers(stream, csv_records(data["papers.csv"]), claim, serials)
    by_key = {paper["key"]: paper for paper in papers}
    looks, numbers = stream.child("lookahead"), stream.child("numbers")
    theirs, condition = numbers.integer(96, 148) / 10, numbers.choice(["babble", "traffic"])
    scoop, parked = by_key["scoop"], preferences.p.running_packages
    surname = scoop["short"].split()[0]
    facts = {
        "papers": papers, "by_key": by_key, "names": {key: _names(paper) for key, paper in by_key.items()},
        "kind_of": {paper["base"].split(":")[1]: paper["kind"] for paper in papers},
        "core": [p["key"] for p in papers if p["tag"] != "off" and p["key"] not in OPEN],
        "off": [p["key"] for p in papers if p["tag"] == "off"],
        "pairs": [f"{pair}_{end}" for pair in PAIRS for end in ("pub", "pre")],
        "merged": [f"{by_key[f'{pair}_pub']['id']} = {by_key[f'{pair}_pre']['base']}" for pair in PAIRS],
        "scoop": scoop | {"surname": surname}, "scoop_names": [*_names(scoop), surname],
        "claim": claim, "condition": condition, "theirs": theirs,
        "owners": dict(zip(CLAIMS, numbers.shuffled(["Nora", "Jonas", "Priya"]), strict=True)),
        # At 20 ms a frame: between 160 and 240, between 240 and 320, and far above.
        "frames": {"peek": looks.integer(9, 11), "cafe": looks.integer(13, 15), "almost": looks.integer(24, 32)},
        "parked": parked, "resumed": numbers.choice([package for package in TAG_OF if package != parked]),
        "target": numbers.integer(15, 18), "budget": numbers.choice([560, 600, 640]),
        "days": {back: written_day(TODAY - timedelta(days=back), style) for back in range(60)},
        "top": stream.child("shelf").integer(180, 320),  # the highest number on the shelf
        "shelf": _shelf(data["shelf.csv"], style, by_key, serials), "said": keyed_texts(data["said.csv"]),
    }  # fmt: skip
    return facts, {"project/results.csv": _results(stream.child("results"), theirs)}


def _papers(stream, listed, claim, serials):
    kinds = iter(stream.child("kinds").shuffled(["journal"] * 3 + ["conference"] * 3 + ["preprint"] * 3))
    papers = []
    for entry in listed:
        key, off = entry["key"], entry["tag"] == "off"
        own = stream.child("paper", key)
        if (key in CLAIMS and key != claim) or (off and key != "effort" and own.random() < 0.15):
            continue
        free = off or key in (*LOOKING, *CODELESS)
        kind = KINDS.get(key) or (own.choice(["journal", "conference", "preprint"]) if free else next(kinds))
        names = [name.split()[-1] for name in entry["authors"].split(", ")]
        short = f"{names[0]} et al." if len(names) > 2 else " & ".join(names)  # as the queue has them
        paper = entry | _status(own, kind, key, next(serials))
        paper |= {"key": "scoop" if key in CLAIMS else key, "short": short}
        paper["code"] = key not in CODELESS and (not off or own.random() < 0.6)
        paper["score"] = f"{own.uniform(0.41, 0.97):.2f}"
        paper |= {"gain": f"{own.uniform(3, 9):.1f}", "hours": own.integer(40, 900)}
        papers.append(paper)
    return stream.child("digest").shuffled(papers)


def _status(stream, kind, key, serial):
    if kind == "preprint":
        version = stream.integer(2, 4) if key in KNOWN else 1
        base = f"osa:{2602 if key in KNOWN else 2603}.{serial:04d}"
        status = f"preprint · Open Speech Archive{', revised' if version > 1 else ''}"
        return {"kind": kind, "base": base, "id": f"{base}v{version}", "status": status, "venue": "preprint"}
    name, short = stream.choice(VENUES[kind])
    base = f"pid:{short.upper()}-26-{serial}"
    status = f"{kind} {'article' if kind == 'journal' else 'paper'} · {name}"
    return {"kind": kind, "base": base, "id": base, "status": status, "venue": f"{short} 2026"}


def _names(paper):
    """The names by which a list may speak of a paper: ids of any version, its title, and the head of a long one."""
    serial = paper["base"].split(":")[1]
    head = paper["title"].split(":")[0]
    return [serial, *(f"{serial}v{n}" for n in range(1, 6)), paper["title"], *([head] if len(head.split()) > 2 else [])]


def _entry(paper, where, day):
    """What stands behind the number in a line of the queue."""
    return f"| #{paper['tag']} | {paper['title']} | {paper['short']} | {where} | added {day}"


def _shelf(listed, style, known, serials):
    """The lines of the queue, and behind them those of what was read, without their numbers."""
    lines = []
    for index, one in enumerate(csv_records(listed)):
        # One published paper shows how a preprint's id goes with it.
        where = [f"preprint | osa:2601.{next(serials):04d}v1", f"TLM 2025 | pid:TLM-25-{next(serials)}"][index % 2]
        where += f" = osa:2510.{next(serials):04d}" if index in (3, 9) else ""
        lines.append(_entry(one, where, written_day(date(2026, 2, 10) + timedelta(days=index), style)))
    for place, key, day in ((5, "queued", "2026-02-14"), (15, "read", "2026-02-24")):
        lines.insert(place, _entry(known[key], f"preprint | {known[key]['base']}v1", written_day(day, style)))
    return lines


def _results(stream, theirs):
    """The group's runs as CSV: for each claim superseded ones and current ones."""
    rows = []
    for name in CLAIMS:
        # No whole numbers: "5 dB" must not read as a figure.
        values = stream.sample([n for n in range(40, 150) if n % 10 and abs(n - 10 * theirs) > 3], 4)
        places = [("babble", "superseded"), ("traffic", "superseded"), ("babble", "current"), ("traffic", "current")]
        for (place, state), value in zip(places, values, strict=True):
            base = stream.uniform(17, 26)
            day = (date(2026, 1, 20) if state == "superseded" else date(2026, 2, 25)) + timedelta(days=len(rows) % 5)
            wers = [f"{wer:.2f}" for wer in (base, base * (1 - value / 1000))]
            rows.append([name, f"{place}_5dB", *wers, f"{value / 10:.1f}", day, state])
    columns = ["claim", "condition", "wer_baseline", "wer_ours", "rel_reduction_pct", "run_date", "state"]
    return csv_text(columns, stream.shuffled(rows))


# -- right answers ---------------------------------------------------------------------------------------------------


def right(world, wishes):
    """The queue, the lists beside it and the note. Who knows nothing of a wish takes all that is on topic."""
    codeless, scoop, effort = [world.by_key[key] for key in CODELESS], world.scoop, world.by_key["effort"]
    watch = "".join(f"- {paper['title']} | {paper['id']} | waits for: code\n" for paper in codeless)
    overlap = f"{scoop['id']}: {scoop['title']} | {world.claim} | {world.owners[world.claim]} | open |\n"
    return {
        "queue": _queue(world, wishes),
        "watch": Change(append=watch) if wishes.papers_without_code == "watch" else None,
        "risks": Change(append=f"| 6 | {world.days[0]} | {overlap}") if wishes.risk_row else None,
        "plan": _plan(world, wishes.plan_states) if wishes.plan_states else None,
        "maja": Change(append=f"\n{effort['title']}, {effort['id']}\n") if wishes.maja else None,
        "states": _states(world),
    }


def _plan(world, how):
    """The plan with what was decided on Monday, in its table or under it."""
    old, new, (parked, resumed) = _states(world).values()
    if how == "under":
        last = f"{PACKAGES['WP4']} {'parked' if resumed == 'WP4' else 'running'} |\n"
        return Change({last: f"{last}\nSince 2 March {parked} is parked and {resumed} is running.\n"})
    return Change(dict(zip(old, new, strict=True)))


def _states(world):
    """The ends of the plan's lines that are wrong by now, the right ones, and what a line under the table names."""
    names = (world.parked, world.resumed)
    old, new = ([f"{PACKAGES[name]} {state}" for name, state in zip(names, states, strict=True)]
                for states in (("running", "parked"), ("parked", "running")))  # fmt: skip
    return {"old": old, "table": new, "under": names}


def _chosen(world, wishes):
    out = {"off", TAG_OF.get(wishes.running_packages)}
    away = {key for key in LOOKING if wishes.lookahead and 20 * world.frames[key] > wishes.lookahead}
    away |= set(KNOWN) if wishes.papers_without_code == "mark" else {*KNOWN, *CODELESS}
    away |= {f"{pair}_pre" for pair in PAIRS} if wishes.one_line_a_paper else set()
    return [paper for paper in world.papers if paper["tag"] not in out and paper["key"] not in away]


def _queue(world, wishes):
    """The queue with its new lines at the end of This week and at the top of Later."""
    papers = _chosen(world, wishes)
    if wishes.reading_order:
        kinds = [wishes.reading_order.removesuffix("s"), "journal", "conference", "preprint"]
        papers = sorted(papers, key=lambda paper: kinds.index(paper["kind"]))
    # Whichever, so some of each kind; where she gives no number a paper a day, as the notes have it.
    week = papers[::2][: wishes.weekly_number] if wishes.weekly_number else papers[:7]
    placed = [*week, *(paper for paper in papers if paper not in week)]
    rows = [f"{_line(world, wishes, at, paper)}\n" for at, paper in enumerate(placed, start=world.top + 1)]
    known, later = world.by_key["queued"], "\n## Later\n\n"
    return Change({later: "".join([*rows[: len(week)], later, *rows[len(week) :]]), f"{known['base']}v1": known["id"]})


def _line(world, wishes, number, paper):
    ident = paper["id"]
    if paper["key"].endswith("_pub") and wishes.one_line_a_paper:
        ident += " = " + world.by_key[paper["key"].replace("_pub", "_pre")]["base"]
    code = "" if paper["code"] else " | no code"
    if not wishes.entry_format:
        return f"- {paper['title']} ({ident}){code}"
    entry = _entry(paper, f"{paper['venue']} | {ident}", written_day(TODAY, wishes.entry_format))
    return f"- [ ] R{number} {entry}{code}"


def check_in_order(evidence, first, kind_of):
    """Under each heading the new lines go by what a paper is: the first kind on top, preprints last."""
    order = [first, *(kind for kind in ("journal", "conference", "preprint") if kind != first)]
    old = {*_numbers(evidence.start.text(QUEUE) or "")}
    ranks = []
    for part in (evidence.text(QUEUE) or "").split("\n## "):
        # A line that was there and has another version now keeps its place.
        new = [line for line in part.splitlines() if old.isdisjoint(_numbers(line))]
        named = [[(line.find(serial), kind) for serial, kind in kind_of.items() if serial in line] for line in new]
        ranks.append([order.index(min(found)[1]) for found in named if found])
    return sum(map(len, ranks)) > 3 and all(part == sorted(part) for part in ranks)


def check_numbers_go_on(evidence, top):
    """New lines carry the next free R numbers, each once; those that were there keep theirs."""
    old, now = (_numbers(text or "") for text in (evidence.start.text(QUEUE), evidence.text(QUEUE)))
    return len(now) > len(old) and now == [*old, *range(top + 1, top + 1 + len(now) - len(old))]


def _numbers(text):
    """The R numbers of a list's lines, the last word before the first stroke, in order of size."""
    words = [word for line in text.splitlines() if "|" in line for word in line.partition("|")[0].split()[-1:]]
    return sorted(int(word[1:]) for word in words if word[0] == "R" and word[1:].isdecimal())


def check_tells_maja(evidence, names):
    """A draft names the study."""
    drafts = new_text(evidence, "drafts/") + (evidence.text("drafts/maja-listening-effort.txt") or "")
    return any(name in drafts for name in names)


def check_told(evidence, names, claim):
    """A reply names the paper that overlaps, and the claim."""
    return any(claim in text and any(name.lower() in text.lower() for name in names) for text in evidence.replies)
