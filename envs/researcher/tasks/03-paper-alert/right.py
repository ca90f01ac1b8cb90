"""The night's papers, which of them belong where, and the queue as it should end up.

Which papers may exist stands in data/papers.csv (the tag "off" marks what only looks as if it were Nora's), and their
abstracts in the digest's template; ids, venues, order, lookahead figures, the overlapped claim and its owner are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any

from pi_gym.authoring import Change, File, Stream, csv_records, csv_text, keyed_texts, new_text, written_day

Paper = dict[str, Any]

QUEUE = "reading/queue.md"
TODAY = date(2026, 3, 5)
TAG_OF = {"WP2": "endpoint", "WP3": "ondevice", "WP4": "eval"}
CLAIMS = ("C1", "C2", "C3")
PAIRS = ("masks", "experts")  # published twice: `_pre` and `_pub`
LOOKING = ("peek", "binaural", "almost")  # on topic; their lookahead decides
CODELESS = ("unheard", "broken")  # on topic; without code
KNOWN = ("queued", "read")
OPEN = (*LOOKING, *CODELESS, *KNOWN, "masks_pre", "experts_pre")  # whose place some wish decides
KINDS = {"masks_pub": "journal", "experts_pub": "conference"}
KINDS |= dict.fromkeys((*CLAIMS, *KNOWN, "masks_pre", "experts_pre"), "preprint")
VENUES = {
    "journal": (("Transactions on Listening Machines", "TLM"), ("Speech Systems Journal", "SSJ")),
    "conference": (("EuroVoice 2026", "EuroVoice"), ("SpokenSys 2026", "SpokenSys")),
}
PEOPLE = {"Amara": "Okafor", "Tomasz": "Wieczorek", "Priya": "Raman"}


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw the night's papers, the shelf and the group's own results."""
    style, data = preferences.persona.date_style, preferences.data
    claim = stream.child("claim").choice(CLAIMS)
    serials = iter(stream.child("ids").sample(range(104, 990), 80))
    papers = _papers(stream, csv_records(data["papers.csv"]), claim, serials)
    by_key = {paper["key"]: paper for paper in papers}
    looks, numbers = stream.child("lookahead"), stream.child("numbers")
    theirs = numbers.integer(96, 148) / 10
    condition = numbers.choice(["babble", "traffic"])
    results, figures = _results(stream.child("results"), claim, condition, theirs)
    scoop = by_key["scoop"]
    surname = scoop["authors"].split(", ")[0].split()[-1]
    facts = {
        "papers": papers, "by_key": by_key, "names": {key: _names(paper) for key, paper in by_key.items()},
        "core": [p["key"] for p in papers if p["tag"] != "off" and p["key"] not in OPEN],
        "off": [p["key"] for p in papers if p["tag"] == "off"],
        "pairs": [f"{pair}_{end}" for pair in PAIRS for end in ("pub", "pre")],
        "merged": [f"{by_key[f'{pair}_pub']['id']} = {by_key[f'{pair}_pre']['base']}" for pair in PAIRS],
        "scoop": scoop | {"surname": surname, "short": " ".join(scoop["title"].split(":")[0].split()[:3])},
        "scoop_names": [*_names(scoop), surname], "claim": claim, "condition": condition, "theirs": theirs,
        "owners": dict(zip(CLAIMS, numbers.shuffled(["Nora", "Jonas", "Priya"]), strict=True)),
        # At 20 ms a frame: between 160 and 240, between 240 and 320, and far above.
        "frames": {"peek": looks.integer(9, 11), "binaural": looks.integer(13, 15), "almost": looks.integer(24, 32)},
        "resumed": numbers.choice([wp for wp in TAG_OF if wp != preferences.p.running_packages]),
        "target": numbers.integer(15, 18), "budget": numbers.choice([560, 600, 640]),
        "days": {back: written_day(TODAY - timedelta(days=back), style) for back in range(60)},
        "top": stream.child("shelf").integer(180, 320),  # the highest number on the shelf
        "shelf": _shelf(data["shelf.csv"], style, by_key, serials), "said": keyed_texts(data["said.csv"]),
    }  # fmt: skip
    return facts | figures, {"project/results.csv": results}


def _papers(stream: Stream, listed: list[dict[str, str]], claim: str, serials: Iterator[int]) -> list[Paper]:
    kinds = iter(stream.child("kinds").shuffled(["journal"] * 3 + ["conference"] * 3 + ["preprint"] * 3))
    papers = []
    for entry in listed:
        key, off = entry["key"], entry["tag"] == "off"
        own = stream.child("paper", key)
        if (key in CLAIMS and key != claim) or (off and own.random() < 0.15):
            continue
        kind = KINDS.get(key)
        if kind is None:
            free = off or key in (*LOOKING, *CODELESS)
            kind = own.choice(["journal", "conference", "preprint"]) if free else next(kinds)
        names = [name.split()[-1] for name in entry["authors"].split(", ")]
        short = f"{names[0]} et al." if len(names) > 2 else " & ".join(names)  # as the queue has them
        paper: Paper = entry | {"key": "scoop" if key in CLAIMS else key, "short": short}
        paper |= _status(own, kind, key, next(serials))
        paper["code"] = key not in CODELESS and (not off or own.random() < 0.6)
        paper["score"] = f"{own.uniform(0.41, 0.97):.2f}"
        paper |= {"gain": f"{own.uniform(3, 9):.1f}", "hours": own.integer(40, 900)}
        papers.append(paper)
    return stream.child("digest").shuffled(papers)


def _status(stream: Stream, kind: str, key: str, serial: int) -> Paper:
    if kind == "preprint":
        version = stream.integer(2, 4) if key in KNOWN else 1
        base = f"osa:{2602 if key in KNOWN else 2603}.{serial:04d}"
        status = f"preprint · Open Speech Archive{', revised' if version > 1 else ''}"
        return {"kind": kind, "base": base, "id": f"{base}v{version}", "status": status, "venue": "preprint"}
    name, short = stream.choice(VENUES[kind])
    base = f"pid:{short.upper()}-26-{serial}"
    status = f"{kind} {'article' if kind == 'journal' else 'paper'} · {name}"
    return {"kind": kind, "base": base, "id": base, "status": status, "venue": f"{short} 2026"}


def _names(paper: Paper) -> list[str]:
    """The names by which a list may speak of a paper: ids with any version, its title, and what leads a long one."""
    serial = paper["base"].split(":")[1]
    head = paper["title"].split(":")[0]
    return [serial, *(f"{serial}v{n}" for n in range(1, 6)), paper["title"], *([head] if len(head.split()) > 2 else [])]


def _entry(paper: Mapping[str, Any], where: str, day: str) -> str:
    """What stands behind the number in a line of the queue."""
    return f"| #{paper['tag']} | {paper['title']} | {paper['short']} | {where} | added {day}"


def _shelf(listed: str, style: str, known: Mapping[str, Paper], serials: Iterator[int]) -> list[str]:
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


def _results(stream: Stream, claim: str, condition: str, theirs: float) -> tuple[str, dict[str, float]]:
    """The group's runs as CSV, and its figures of the overlapped claim: that of the current run, and the superseded."""
    rows: list[list[str]] = []
    figures: dict[str, float] = {}
    for name in CLAIMS:
        # No whole numbers: "5 dB" must not read as a figure.
        values = stream.sample([n for n in range(40, 150) if n % 10 and abs(n - 10 * theirs) > 3], 4)
        places = [("babble", "superseded"), ("traffic", "superseded"), ("babble", "current"), ("traffic", "current")]
        for (place, state), value in zip(places, values, strict=True):
            base, figure = stream.uniform(17, 26), value / 10
            day = (date(2026, 1, 20) if state == "superseded" else date(2026, 2, 25)) + timedelta(days=len(rows) % 5)
            ours = f"{base * (1 - figure / 100):.2f}"
            rows.append([name, f"{place}_5dB", f"{base:.2f}", ours, f"{figure:.1f}", day.isoformat(), state])
            if name == claim and place == condition:
                figures["ours" if state == "current" else "superseded"] = figure
    columns = ["claim", "condition", "wer_baseline", "wer_ours", "rel_reduction_pct", "run_date", "state"]
    return csv_text(columns, stream.shuffled(rows)), figures


# -- right answers ----------------------------------------------------------------------------------------------------


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The queue, the lists beside it and the note. Who knows nothing of a wish takes all that is on topic."""
    waiting = [world.by_key[key] for key in CODELESS]
    watch = "".join(f"- {paper['title']} | {paper['id']} | waits for: code\n" for paper in waiting)
    scoop, owner = world.scoop, world.owners[world.claim]
    overlap = f"{scoop['id']}: {scoop['title']} | {world.claim} | {owner} | open |\n"
    return {
        "queue": _queue(world, wishes),
        "watch": Change(append=watch) if wishes.papers_without_code == "watch" else None,
        "risks": Change(append=f"| 6 | {world.days[0]} | {overlap}") if wishes.risk_row else None,
        "note": File(f"to-{wishes.heads_up}-{world.claim}-overlap.md".lower()) if wishes.heads_up else None,
    }


def _chosen(world: Any, wishes: Any) -> list[Paper]:
    out = {"off", TAG_OF.get(wishes.running_packages)}
    away = {key for key in LOOKING if wishes.lookahead and 20 * world.frames[key] > wishes.lookahead}
    away |= set() if wishes.papers_without_code == "mark" else set(CODELESS)
    away |= set(KNOWN) if wishes.seen_before else set()
    away |= {f"{pair}_pre" for pair in PAIRS} if wishes.one_line_a_paper else set()
    return [paper for paper in world.papers if paper["tag"] not in out and paper["key"] not in away]


def _queue(world: Any, wishes: Any) -> Change:
    """The queue with its new lines at the end of This week and at the top of Later."""
    papers = _chosen(world, wishes)
    if wishes.reading_order:
        kinds = [wishes.reading_order.removesuffix("s"), "journal", "conference", "preprint"]
        papers = sorted(papers, key=lambda paper: kinds.index(paper["kind"]))
    rows = [f"{_line(world, wishes, at, paper)}\n" for at, paper in enumerate(papers, start=world.top + 1)]
    now = wishes.weekly_number or 7  # a paper a day, as the notes have it where she gives no number
    known = world.by_key["queued"]
    version = {known["base"] + "v1": known["id"]} if wishes.seen_before else {}
    return Change({"\n## Later\n\n": "".join([*rows[:now], "\n## Later\n\n", *rows[now:]]), **version})


def _line(world: Any, wishes: Any, number: int, paper: Paper) -> str:
    ident = paper["id"]
    if paper["key"].endswith("_pub") and wishes.one_line_a_paper:
        ident += " = " + world.by_key[paper["key"].replace("_pub", "_pre")]["base"]
    code = "" if paper["code"] else " | no code"
    if not wishes.entry_format:
        return f"- {paper['title']} ({ident}){code}"
    entry = _entry(paper, f"{paper['venue']} | {ident}", written_day(TODAY, wishes.entry_format))
    return f"- [ ] R{number} {entry}{code}"


# -- what no facet says ------------------------------------------------------------------------------------------------


def check_numbers_go_on(evidence: Any, top: int) -> bool:
    """New lines carry the next free R numbers, each once; those that were there keep theirs."""
    old, now = (_numbers(text or "") for text in (evidence.start.text(QUEUE), evidence.text(QUEUE)))
    new = len(now) - len(old)
    return new > 0 and now == [*old, *range(top + 1, top + 1 + new)]


def _numbers(text: str) -> list[int]:
    """The R numbers of a list's lines, the last word before the first stroke, in order of size."""
    heads = [line.partition("|")[0].split()[-1:] for line in text.splitlines() if "|" in line]
    return sorted(int(word[1:]) for words in heads for word in words if word[0] == "R" and word[1:].isdecimal())


def check_greets(evidence: Any, who: str) -> bool:
    """The one new draft is addressed to this person, and to nobody else."""
    lines = [line for line in new_text(evidence, "drafts/").splitlines() if line.strip()][:4]
    named = {first for first, last in PEOPLE.items() for line in lines if _addresses(line, first, last)}
    return named == {who}


def _addresses(line: str, first: str, last: str) -> bool:
    """Whether a line greets somebody, or is the line "To:" with the name in it."""
    words = [word.strip(".,:;!-*()<>") for word in line.lower().replace("@", " ").replace(".", " ").split()]
    greeting = words[:1] in (["to"], ["hi"], ["hello"], ["hey"], ["dear"]) or len(words) <= 3
    return greeting and bool({first.lower(), last.lower()} & set(words))
