"""The night's papers, which of them belong where, and the queue as it should end up.

Which papers may exist is fixed here (their abstracts stand in the digest's template); ids, venues, order, lookahead
figures, the overlapped claim and its owner are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from pi_gym.authoring import Change, File, Stream, csv_text, written_day

Paper = dict[str, Any]

QUEUE, DONE = "reading/queue.md", "reading/done.md"
FEED = "inbox/paper-feed/"
TODAY = date(2026, 3, 5)
PACKAGES = {"frontend": "WP1", "endpoint": "WP2", "ondevice": "WP3", "eval": "WP4"}
PACKAGE_OF = {package: tag for tag, package in PACKAGES.items()}
CLAIMS = ("C1", "C2", "C3")
PAIRS = ("masks", "experts")  # published twice: `_pre` and `_pub`
LOOKING = ("peek", "binaural", "almost")  # on topic; their lookahead decides
PEOPLE = {"Amara": "Okafor", "Tomasz": "Wieczorek", "Priya": "Raman"}
CODELESS = ("unheard", "broken")  # on topic; without code
OPEN = (*LOOKING, *CODELESS, "queued", "read", "masks_pre", "experts_pre")  # whose place some wish decides
VENUES = {
    "journal": (("Transactions on Listening Machines", "TLM"), ("Speech Systems Journal", "SSJ")),
    "conference": (("EuroVoice 2026", "EuroVoice"), ("SpokenSys 2026", "SpokenSys")),
}

# Two lines a paper: key, tag, title; authors. The tag "off" marks what only looks as if it were Nora's.
CATALOGUE = """
filterbank frontend Bent Filters: Learning a Causal Filterbank That Ignores Kitchens
Mireille Castellan, Bo Thyrring, Wenqi Saroyan
rooms frontend One Microphone, Two Rooms: Dereverberation inside a Streaming Encoder
Idris Oyelaran, Pia Vossberg
adapt frontend Thirty Seconds of Traffic: Label-Free Noise Adaptation for Frame-Synchronous Recognisers
Katarzyna Holm, Ruben Achterberg, Sefa Tuala, Dmitri Lundqvist
babble_end endpoint When Did She Stop? Endpointing against a Background of Other People
Nkechi Abara, Lars Dufresne, Tomoe Ishikura
fan_end endpoint Silence Is Not the End: Learning Turn Closure under Fan Noise
Oskar Wendt, Farida Halimi
four_bits ondevice Four Bits at the Ear: Integer Streaming Encoders on a Hearing-Aid Core
Marguerite Sallow, Henk Terpstra, Yusuf Adebanjo
paging ondevice Fits in 900 Kilobytes: Weight Paging for Always-On Recognisers
Jiwoo Namgung, Ettore Bassanelli
late eval Late Is Wrong Too: Scoring Emission Delay and Errors Together
Annika Roosval, Siddharth Venkatesan, Paolo Neri
tram eval The Tram Recordings: Fourteen Hours of Commuter Speech with Measured Noise
Zofia Kubiakowska, Emile Garnier
C1 frontend Listening Less: Per-Frame Noise Gates for Causal Transducers
Ffion Maddox, Teodor Ilves, Ruth Obasanjo
C2 frontend Confusion First: Ordering Noise by Recogniser Error in Streaming Training
Gaspard Thibodeau, Mina Seokjin, Elin Forsgren
C3 frontend Do Not Forget at the Pause: Carrying Front-End State across Segments
Ilse Vandermeer, Rafael Quintero, Abeni Coker
masks_pre frontend Masks the Recogniser Wants: Task-Driven Spectral Masking for Live Captions
Leila Farrokhian, Anton Berglund, Joao Pinhal
masks_pub frontend Spectral Masks for Recognisers: Task-Driven Masking in Live Captioning
Leila Farrokhian, Anton Berglund, Joao Pinhal
experts_pre frontend Quiet Experts: Noise-Routed Mixture Layers in Chunk-Free Encoders
Hanae Ostrander, Vikram Solankar
experts_pub frontend Quiet Experts: Noise-Routed Mixture Layers for Streaming Recognition
Hanae Ostrander, Vikram Solankar
peek frontend Peeking Politely: Small Right Context for Noise-Aware Encoders
Ingrid Falkner, Chidi Nwosuba, Anselm Kerr
binaural frontend Two Ears of Context: Binaural Cues for Streaming Recognition in Cafes
Rosalind Hartwick, Goran Petrovski
almost frontend Almost Live: Chunked Transformers for Recognising Speech in Wind
Lihua Chenoweth, Malin Ekdahl, Bram Osei
unheard frontend Noise Tokens: Letting a Transducer Say It Did Not Hear
Beatrix Lemaire, Samuel Okorie
broken frontend Front-End Dropout: Surviving Broken Microphones in Live Recognition
Viktor Hallgrimson, Amina Tourelle, Jae Kwonhee
queued frontend Slow Noise, Fast Noise: Splitting Stationarity inside a Causal Encoder
Petra Novotnik, Alan Quistgaard
read frontend Spectral Patience: Delayed Decisions in Streaming Transducers
Olivia Brandvold, Kofi Mensahene, Ida Raskin
video off Streaming Video Summaries for Noisy Sports Broadcasts
Dario Campanelli, Lotte Smedes
tidal off TIDE: Tidal Inundation Detection with Buoy Encoders
Maarit Kivela, Joseph Tanoh
sparse off Noise-Robust Gating in Sparse Language Models
Yannick Delorme, Priti Chandran, Owen Lask
enhance off Two Milliseconds to Clean: Perceptual Enhancement for Hearing Aids
Stellan Brodd, Agnes Kaminska
giants off Full-Context Giants: Self-Supervised Recognition of Noisy Meetings
Harriet Ballantine, Weilan Zhengyi
drones off Who Spoke When in the Wind: Streaming Diarisation on Drones
Noor Asselberg, Piotr Galecki
fraud off Causal Encoders for Streaming Fraud Detection under Label Noise
Renata Filipek, Colm Hegarty
keyword off Wake Me Gently: Keyword Spotting in Car Noise
Solveig Aamodt, Hiro Nakadai
voice off Robust Streaming Text-to-Speech for Railway Stations
Bettina Krauss, Luc Amblard, Tessa Wynn
effort off Listening Effort and Age: A Field Study of Hearing-Aid Wearers
Gunilla Persing, Mark Ashdown
ocean off Noise Schedules for Diffusion Models of Ocean Sound
Keoni Makai, Ellen Strand
translate off Without Waiting: Simultaneous Translation of Noisy Talks
Ana Belmonte, Kristof Varga
sgd off Gradient Noise and Streaming Descent: A Tight Bound
Ulrich Senn, Mei Tanabe
infants off Babble: A Survey of Infant Vocalisation Collections
Charlotte Dunmore, Felipe Arce
photos off On-Device Photo Denoising with Four-Bit Weights
Ravi Menonkar, Sabine Holst
rest off Robust Endpoints: Fuzzing Streaming Web Interfaces under Load
Jana Sokolova, Tim Abernethy
"""
# What stands on the shelf: tag, title; authors as the queue shortens them. The last six have been read.
SHELF = """
frontend Weather for Microphones: Wind Models That Train Well
Dahlgren & Pires
eval How Loud Was It? Level Metadata in Speech Collections
Mbatha et al.
endpoint Breath before Turn: Respiratory Cues for Live Dialogue
Castellanos & Yilmaz
frontend Small Changes of State: Recurrent Filters for Frame-Synchronous Input
Haugen et al.
ondevice Sleeping Weights: Power Gating for Recurrent Recognisers
Rinaldi
frontend Learning to Mishear: Adversarial Cafes as Training Noise
Brankovic & Sorell
eval Error Bars for the Impatient: Small Tests of Streaming Systems
Whitlock et al.
ondevice Rounding the Transducer: Where Precision Is Lost
Aguirre et al.
endpoint Polite Machines Interrupt Less
Sundberg & Achebe
frontend Room Prints: Estimating Decay while You Speak
Iwaniec et al.
eval Commuters Do Not Whisper: Lombard Speech in Test Sets
Gill & Tordsen
frontend The Useful Part of Clatter
Ferrante et al.
ondevice Caches for Ears: Memory Traffic in Recurrent Encoders
Olofsdotter & Reyes
frontend Twelve Bands Are Enough
Nyberg
"""


def shortened(authors: str) -> str:
    """Authors as the queue has them: one surname, two with an ampersand, more with et al."""
    names = [name.split()[-1] for name in authors.split(", ")]
    return f"{names[0]} et al." if len(names) > 2 else " & ".join(names)


def pairs_of_lines(text: str) -> list[tuple[str, str]]:
    """The catalogue's blocks of two lines."""
    lines = text.strip().split("\n")
    return list(zip(lines[::2], lines[1::2], strict=True))


# -- the world --------------------------------------------------------------------------------------------------------


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw the night's papers, the shelf and the group's own results."""
    style = preferences.persona.date_style
    claim = stream.child("claim").choice(CLAIMS)
    serials = iter(stream.child("ids").sample(range(104, 990), 80))
    papers = _papers(stream, claim, serials)
    by_key = {paper["key"]: paper for paper in papers}
    looks = stream.child("lookahead")
    numbers = stream.child("numbers")
    surname = by_key["scoop"]["authors"].split(", ")[0].split()[-1]
    theirs = numbers.integer(96, 148) / 10
    condition = numbers.choice(["babble", "traffic"])
    shelf, files = _shelf(stream.child("shelf"), style, by_key, serials)
    results, figures = _results(stream.child("results"), claim, condition, theirs)
    params = {
        "papers": papers,
        "by_key": by_key,
        "names": {key: _names(paper) for key, paper in by_key.items()},
        "core": [p["key"] for p in papers if p["tag"] != "off" and p["key"] not in OPEN],
        "off": [p["key"] for p in papers if p["tag"] == "off"],
        "pairs": [f"{pair}_{end}" for pair in PAIRS for end in ("pub", "pre")],
        "merged": [f"{by_key[f'{pair}_pub']['id']} = {by_key[f'{pair}_pre']['base']}" for pair in PAIRS],
        "scoop": {
            **by_key["scoop"],
            "surname": surname,
            "short": " ".join(by_key["scoop"]["title"].split(":")[0].split()[:3]),
        },
        "scoop_names": [*_names(by_key["scoop"]), surname],
        "claim": claim,
        "condition": condition,
        "theirs": theirs,
        "next_risk": 6,
        "owners": dict(zip(CLAIMS, numbers.shuffled(["Nora", "Jonas", "Priya"]), strict=True)),
        # At 20 ms a frame: between 160 and 240, between 240 and 320, and far above.
        "frames": {"peek": looks.integer(9, 11), "binaural": looks.integer(13, 15), "almost": looks.integer(24, 32)},
        "resumed": numbers.choice([wp for wp in ("WP2", "WP3", "WP4") if wp != preferences.p.running_packages]),
        "target": numbers.integer(15, 18),
        "budget": numbers.choice([560, 600, 640]),
        "today": written_day(TODAY, style),
        "days": {back: written_day(TODAY - timedelta(days=back), style) for back in range(60)},
        **shelf,
        **figures,
    }
    return params, {**files, "project/results.csv": results}


def _papers(stream: Stream, claim: str, serials: Iterator[int]) -> list[Paper]:
    kinds = iter(stream.child("kinds").shuffled(["journal"] * 3 + ["conference"] * 3 + ["preprint"] * 3))
    papers = []
    for head, authors in pairs_of_lines(CATALOGUE):
        key, tag, title = head.split(" ", 2)
        own = stream.child("paper", key)
        if (key in CLAIMS and key != claim) or (tag == "off" and own.random() < 0.15):
            continue
        fixed_kind = {"masks_pub": "journal", "experts_pub": "conference"}.get(key)
        if key in (*CLAIMS, "masks_pre", "experts_pre", "queued", "read"):
            fixed_kind = "preprint"
        elif tag == "off" or key in (*LOOKING, *CODELESS):
            fixed_kind = own.choice(["journal", "conference", "preprint"])
        paper: Paper = {"key": "scoop" if key in CLAIMS else key, "tag": tag, "title": title, "authors": authors}
        paper |= _status(own, fixed_kind or next(kinds), key, next(serials))
        paper |= {
            "code": key not in CODELESS and (tag != "off" or own.random() < 0.6),
            "score": f"{own.uniform(0.41, 0.97):.2f}",
        }
        paper |= {"gain": f"{own.uniform(3, 9):.1f}", "hours": own.integer(40, 900)}
        papers.append(paper)
    return stream.child("digest").shuffled(papers)


def _status(stream: Stream, kind: str, key: str, serial: int) -> Paper:
    if kind == "preprint":
        month = "2602" if key in ("queued", "read") else "2603"
        version = stream.integer(2, 4) if month == "2602" else 1
        base = f"osa:{month}.{serial:04d}"
        status = f"preprint · Open Speech Archive{', revised' if version > 1 else ''}"
        return {"kind": kind, "base": base, "id": f"{base}v{version}", "status": status, "venue": "preprint"}
    name, short = stream.choice(VENUES[kind])
    base = f"pid:{short.upper()}-26-{serial}"
    status = f"{kind} {'article' if kind == 'journal' else 'paper'} · {name}"
    return {"kind": kind, "base": base, "id": base, "status": status, "venue": f"{short} 2026"}


def _shelf(
    stream: Stream, style: str, by_key: dict[str, Paper], serials: Iterator[int]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The queue and the list of what was read, with numbers that the latter has the highest of."""
    top = stream.integer(180, 320)
    lines = []
    for index, (head, authors) in enumerate(pairs_of_lines(SHELF)):
        tag, title = head.split(" ", 1)
        # One published paper shows how a preprint's id goes with it.
        where = [f"preprint | osa:2601.{next(serials):04d}v1", f"TLM 2025 | pid:TLM-25-{next(serials)}"][index % 2]
        where += f" = osa:2510.{next(serials):04d}" if index in (3, 9) else ""
        day = written_day(date(2026, 2, 10) + timedelta(days=index), style)
        lines.append(f"| #{tag} | {title} | {authors} | {where} | added {day}")
    known, read = by_key["queued"], by_key["read"]
    line = f"| #frontend | {known['title']} | {shortened(known['authors'])} | preprint | {known['base']}v1 | added "
    lines.insert(5, line + written_day(date(2026, 2, 14), style))
    queue = [f"- [ ] R{top - 22 + index} {line}" for index, line in enumerate(lines[:9])]
    line = f"| #frontend | {read['title']} | {shortened(read['authors'])} | preprint | {read['base']}v1 | added "
    lines.append(line + written_day(date(2026, 2, 24), style))
    done = [f"- [x] R{top - 13 + 2 * index - (index > 3)} {line}" for index, line in enumerate(lines[9:15])]
    done.append(f"- [x] R{top} {lines[15]}")
    header = (
        "# Reading queue\n\nOne line a paper, all of it from me or from whoever keeps this for me. R numbers go on from"
        " the highest one there is\nand never come back, so look into done.md too.\n"
    )
    text = "\n".join([header, "## This week", "", *queue[:2], "", "## Later", "", *queue[2:], ""])
    read_text = "\n".join(["# Read", "", "Newest at the bottom. What I thought of them is in notes.md.", "", *done, ""])
    shelf = {"queue": text, "top": top, "known_line": queue[5]}
    return shelf, {QUEUE: text, DONE: read_text}


def _results(stream: Stream, claim: str, condition: str, theirs: float) -> tuple[str, dict[str, float]]:
    rows: list[list[str]] = []
    figures: dict[str, float] = {}
    for name in CLAIMS:
        # No whole numbers: "5 dB" must not read as a figure.
        values = stream.sample([n for n in range(40, 150) if n % 10 and abs(n - 10 * theirs) > 3], 4)
        places = [("babble", "superseded"), ("traffic", "superseded"), ("babble", "current"), ("traffic", "current")]
        for (place, state), value in zip(places, values, strict=True):
            base = stream.uniform(17, 26)
            day = (date(2026, 1, 20) if state == "superseded" else date(2026, 2, 25)) + timedelta(days=len(rows) % 5)
            figure = value / 10
            ours = f"{base * (1 - figure / 100):.2f}"
            rows.append([name, f"{place}_5dB", f"{base:.2f}", ours, f"{figure:.1f}", day.isoformat(), state])
            if name == claim and place == condition:
                figures["ours" if state == "current" else "superseded"] = figure
    columns = ["claim", "condition", "wer_baseline", "wer_ours", "rel_reduction_pct", "run_date", "state"]
    return csv_text(columns, stream.shuffled(rows)), figures


# -- right answers ----------------------------------------------------------------------------------------------------


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The queue, the lists beside it and the note. Who knows nothing of a wish takes all that is on topic."""
    chosen = _chosen(world, wishes)
    return {
        "queue": _queue(world, wishes, chosen),
        "watch": Change(append=_watched(world)) if wishes.papers_without_code == "watch" else None,
        "risks": Change(append=_risk(world)) if wishes.risk_row else None,
        "note": File(f"to-{wishes.heads_up}-{world.claim}-overlap.md".lower()) if wishes.heads_up else None,
    }


def _chosen(world: Any, wishes: Any) -> list[Paper]:
    out = {"off", PACKAGE_OF.get(wishes.running_packages)}
    away = {key for key in LOOKING if wishes.lookahead and 20 * world.frames[key] > wishes.lookahead}
    away |= set() if wishes.papers_without_code == "mark" else set(CODELESS)
    away |= {"queued", "read"} if wishes.seen_before else set()
    away |= {f"{pair}_pre" for pair in PAIRS} if wishes.one_line_a_paper else set()
    return [paper for paper in world.papers if paper["tag"] not in out and paper["key"] not in away]


def _queue(world: Any, wishes: Any, papers: list[Paper]) -> str:
    if wishes.reading_order:
        kinds = [wishes.reading_order.removesuffix("s"), "journal", "conference", "preprint"]
        papers = sorted(papers, key=lambda paper: kinds.index(paper["kind"]))
    rows = [_line(world, wishes, number, paper) for number, paper in enumerate(papers, start=world.top + 1)]
    now, later = (
        (rows, []) if wishes.weekly_number is None else (rows[: wishes.weekly_number], rows[wishes.weekly_number :])
    )
    text, known = world.queue, world.by_key["queued"]
    if wishes.seen_before:
        text = text.replace(known["base"] + "v1", known["id"])
    head, tail = text.split("\n\n## Later\n\n")
    return "\n".join([head, *now]) + "\n\n## Later\n\n" + "\n".join([*later, tail])


def _line(world: Any, wishes: Any, number: int, paper: Paper) -> str:
    ident = paper["id"]
    if paper["key"].endswith("_pub") and wishes.one_line_a_paper:
        ident += " = " + world.by_key[paper["key"].replace("_pub", "_pre")]["base"]
    code = [] if paper["code"] else ["no code"]
    if not wishes.entry_format:
        return "- " + " | ".join([f"{paper['title']} ({ident})", *code])
    cells = [f"R{number}", f"#{paper['tag']}", paper["title"], shortened(paper["authors"]), paper["venue"], ident]
    return "- [ ] " + " | ".join([*cells, f"added {written_day(TODAY, wishes.entry_format)}", *code])


def _watched(world: Any) -> str:
    papers = [world.by_key[key] for key in CODELESS]
    return "".join(f"- {paper['title']} | {paper['id']} | waits for: code\n" for paper in papers)


def _risk(world: Any) -> str:
    scoop, owner = world.scoop, world.owners[world.claim]
    return (
        f"| {world.next_risk} | {world.days[0]} | {scoop['id']}: {scoop['title']} | {world.claim} | {owner} | open |\n"
    )


def _names(paper: Paper) -> list[str]:
    """The names by which a list may speak of a paper: ids with any version, its title, and what leads a long one."""
    serial = paper["base"].split(":")[1]
    head = paper["title"].split(":")[0]
    return [serial, *(f"{serial}v{n}" for n in range(1, 6)), paper["title"], *([head] if len(head.split()) > 2 else [])]


# -- rules that compare two states of a file --------------------------------------------------------------------------


def _digest(evidence: Any) -> tuple[list[str], list[str]]:
    """Ids without version, and titles, of the newest digest."""
    paths = [path for path, _ in evidence.start.walk() if path.startswith(FEED) and path.endswith(".md")]
    lines = (evidence.start.text(max(paths)) or "").split("\n") if paths else []
    ids = [line.split(":")[2].split("v")[0] for line in lines if line.startswith("id: ")]
    return ids, [line.split(". ", 1)[1] for line in lines if line.startswith("## ") and ". " in line]


def _filled(text: str | None) -> list[str]:
    return [line.rstrip() for line in (text or "").split("\n") if line.strip()]


def check_numbers_go_on(evidence: Any) -> bool:
    """New lines carry the next free R numbers, each once."""
    ids, _ = _digest(evidence)
    old = _filled(evidence.start.text(QUEUE))
    used = _numbers(old) + _numbers(_filled(evidence.start.text(DONE)))
    known = [ident for ident in ids if any(ident in line for line in old)]
    new = [line for line in _filled(evidence.text(QUEUE)) if line not in old and line.lstrip().startswith("- [")]
    found = sorted(_numbers([line for line in new if not any(ident in line for ident in known)]))
    return bool(found) and found == list(range(max(used) + 1, max(used) + 1 + len(found)))


def _numbers(lines: list[str]) -> list[int]:
    words = [line.split("|")[0].split()[-1] for line in lines if "|" in line and line.split("|")[0].split()]
    return [int(word[1:]) for word in words if word[0] == "R" and word[1:].isdecimal() and len(word) < 8]


def check_greets(evidence: Any, who: str) -> bool:
    """The one new draft is addressed to this person, and to nobody else."""
    drafts = [path for path in sorted(evidence.created) if path.startswith("drafts/")]
    text = (evidence.text(drafts[0]) or "") if len(drafts) == 1 else ""
    heads = [line for line in text.splitlines() if line.strip()][:4]
    named = {first for first, last in PEOPLE.items() for line in heads if _addresses(line, first, last)}
    return named == {who}


def _addresses(line: str, first: str, last: str) -> bool:
    """Whether a line greets somebody, or is the line "To:" with the name in it."""
    words = [word.strip(".,:;!-*()<>") for word in line.lower().replace("@", " ").replace(".", " ").split()]
    greeting = words[:1] in (["to"], ["hi"], ["hello"], ["hey"], ["dear"]) or len(words) <= 3
    return greeting and bool({first.lower(), last.lower()} & set(words))
