"""The night's papers, which of them belong where, and the queue as it should end up.

Which papers may exist is fixed here (their abstracts stand in the digest's template); ids, venues, order, lookahead
figures, the overlapped claim and its owner are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any

from pi_gym.authoring import Stream, csv_text

Paper = dict[str, Any]
Predicate = dict[str, Any]

QUEUE, WATCH, RISKS, DONE = "reading/queue.md", "reading/watch.md", "project/risks.md", "reading/done.md"
FEED = "inbox/paper-feed/"
TODAY = date(2026, 3, 5)
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")  # fmt: skip
PACKAGES = {"frontend": "WP1", "endpoint": "WP2", "ondevice": "WP3", "eval": "WP4"}
PACKAGE_OF = {package: tag for tag, package in PACKAGES.items()}
CLAIMS = ("C1", "C2", "C3")
PAIRS = ("masks", "experts")  # published twice: `_pre` and `_pub`
LOOKING = ("peek", "binaural", "almost")  # on topic; their lookahead decides
LAST_WATCHED = "erratum, table 3 has two rows twice"  # how the watch list's last line ends
CODELESS = ("unheard", "broken")  # on topic; without code
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


def written(day: date, style: str) -> str:
    """A date as Nora writes it: "iso", "day-month" or "month-day"."""
    month = MONTHS[day.month - 1]
    if style == "iso":
        return day.isoformat()
    return f"{day.day} {month} {day.year}" if style == "day-month" else f"{month} {day.day}, {day.year}"


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
    style = preferences.persona.date_style
    claim = stream.child("claim").choice(CLAIMS)
    serials = iter(stream.child("ids").sample(range(104, 990), 80))
    papers = _papers(stream, claim, serials)
    by_key = {paper["key"]: paper for paper in papers}
    looks = stream.child("lookahead")
    numbers = stream.child("numbers")
    theirs = numbers.integer(96, 148) / 10
    condition = numbers.choice(["babble", "traffic"])
    shelf, files = _shelf(stream.child("shelf"), style, by_key, serials)
    results, figures = _results(stream.child("results"), claim, condition, theirs)
    params = {
        "papers": papers,
        "by_key": by_key,
        "claim": claim,
        "condition": condition,
        "theirs": theirs,
        "next_risk": 6,
        "owners": dict(zip(CLAIMS, numbers.shuffled(["Nora", "Jonas", "Priya"]), strict=True)),
        # At 20 ms a frame: between 160 and 240, between 240 and 320, and far above.
        "frames": {"peek": looks.integer(9, 11), "binaural": looks.integer(13, 15), "almost": looks.integer(24, 32)},
        "resumed": numbers.choice([wp for wp in ("WP2", "WP3", "WP4") if wp != preferences.p.paused]),
        "target": numbers.integer(15, 18),
        "budget": numbers.choice([560, 600, 640]),
        "today": written(TODAY, style),
        "days": {back: written(TODAY - timedelta(days=back), style) for back in range(60)},
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
        day = written(date(2026, 2, 10) + timedelta(days=index), style)
        lines.append(f"| #{tag} | {title} | {authors} | {where} | added {day}")
    known, read = by_key["queued"], by_key["read"]
    line = f"| #frontend | {known['title']} | {shortened(known['authors'])} | preprint | {known['base']}v1 | added "
    lines.insert(5, line + written(date(2026, 2, 14), style))
    queue = [f"- [ ] R{top - 22 + index} {line}" for index, line in enumerate(lines[:9])]
    line = f"| #frontend | {read['title']} | {shortened(read['authors'])} | preprint | {read['base']}v1 | added "
    lines.append(line + written(date(2026, 2, 24), style))
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


def work(world: Any, values: Any, draw: frozenset[str]) -> dict[str, Any]:
    by_key = world.by_key
    parked = PACKAGE_OF[values.p.paused]
    core = [p for p in world.papers if p["tag"] not in ("off", parked) and p["key"] not in
            (*LOOKING, *CODELESS, "queued", "read", "masks_pre", "experts_pre")]  # fmt: skip
    near = [by_key[key] for key in LOOKING if 20 * world.frames[key] <= values.p.limit]
    far = [by_key[key] for key in LOOKING if by_key[key] not in near]
    unwanted = [p for p in world.papers if p["tag"] in ("off", parked)]
    checks = _checks(world, values, core, unwanted)
    checks |= {
        "near": [_lines(token(p), 1, 1) for p in near] + [_absent(p) for p in far],
        "codeless": [_coded(by_key[key], values.p.no_code) for key in CODELESS],
    }
    marked = "papers-without-code" in draw and values.p.no_code == "mark"
    chosen = [*core, *near, *([by_key[key] for key in CODELESS] if marked else [])]
    scoop = by_key["scoop"]
    known_now = world.known_line.replace(by_key["queued"]["base"] + "v1", by_key["queued"]["id"])
    greeted, others = _addressed(values)
    # The queue before the answers, and after.
    first = _queue(world, values, [*core, *near], None)
    final = _queue(world, values, chosen, values.p.cap if "weekly-number" in draw else None)
    return {
        "first": first,
        "final": final,
        "shift": _difference(first.split("\n"), final.split("\n")),
        "count": len(chosen),
        "scoop": scoop,
        "surname": scoop["authors"].split(", ")[0].split()[-1],
        "short_title": " ".join(scoop["title"].split(":")[0].split()[:3]),
        "other_claims": [claim for claim in CLAIMS if claim != world.claim],
        "greeted": greeted,
        "other_names": others,
        "asks": bool(draw & {"papers-without-code", "weekly-number", "heads-up"}),
        "last_watched": LAST_WATCHED,
        "watched": "\n".join(
            [LAST_WATCHED, *(f"- {by_key[k]['title']} | {by_key[k]['id']} | waits for: code" for k in CODELESS)]
        ),
        "last_risk": f"curriculum from listeners' errors, other task | C2 | {world.owners['C2']} | closed |",
        "known": {
            "all": [
                {"file": QUEUE, "text": {"matches": "^" + escaped(known_now) + r"\s*$"}},
                _lines(token(by_key["queued"]), 1, 1),
                _absent(by_key["read"]),
                {"file": DONE, "state": "unchanged"},
            ]
        },
        "order": " first, then ".join(tiers(values.persona.venue_tier)[:2]),
        "today": written(TODAY, values.persona.date_style),
        **checks,
    }


def _addressed(values: Any) -> tuple[str, str]:
    """Expressions for a letter to the person who is to know, and for one that names another beside."""
    persona = values.persona
    people = {name.split()[-2]: name.split()[-1] for name in (persona.advisor, persona.postdoc, persona.labmate)}
    opening = r"^\W*(?:to:|hi|hello|hey|dear)?"
    listed = r"(?:\W+(?:and|prof|" + "|".join((*people, *people.values())) + r"))*"
    right = "|".join((values.p.heads_up, people[values.p.heads_up]))
    wrong = "|".join(part for names in people.items() if names[0] != values.p.heads_up for part in names)
    return (
        rf"{opening}\W*(?:prof\.?\s+)?(?:{right})\b",
        rf"{opening}{listed}\W+(?:{wrong})\b(?:\W*$|\W+(?:and|{right})\b)",
    )


def tiers(first: str) -> list[str]:
    """Kinds of venue in the order in which Nora reads them."""
    return ["journals", "conferences", "preprints"] if first == "journals" else ["conferences", "journals", "preprints"]


def _queue(world: Any, values: Any, papers: list[Paper], cap: int | None) -> str:
    order = [tier.removesuffix("s") for tier in tiers(values.persona.venue_tier)]
    rows = []
    for number, paper in enumerate(sorted(papers, key=lambda p: order.index(p["kind"])), start=world.top + 1):
        ident = paper["id"]
        if paper["key"].endswith("_pub"):
            ident += " = " + world.by_key[paper["key"].replace("_pub", "_pre")]["base"]
        cells = [f"R{number}", f"#{paper['tag']}", paper["title"], shortened(paper["authors"]), paper["venue"], ident]
        cells += [f"added {written(TODAY, values.persona.date_style)}", *([] if paper["code"] else ["no code"])]
        rows.append("- [ ] " + " | ".join(cells))
    now, later = (rows, []) if cap is None else (rows[:cap], rows[cap:])
    known = world.by_key["queued"]
    text = world.queue.replace(known["base"] + "v1", known["id"])
    head, tail = text.split("\n\n## Later\n\n")
    return "\n".join([head, *now]) + "\n\n## Later\n\n" + "\n".join([*later, tail])


def _difference(old: list[str], new: list[str]) -> dict[str, str]:
    """The lines in which two texts differ, and the one before them: as an edit's old and new text."""
    shorter = min(len(old), len(new))
    same = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    head = max((n for n in range(same) if old[n]), default=0)
    tail = next((n for n in range(shorter - same) if old[-1 - n] != new[-1 - n]), shorter - same)
    return {"old": "\n".join(old[head : len(old) - tail]), "new": "\n".join(new[head : len(new) - tail])}


def escaped(text: str) -> str:
    """A text as an RE2 expression."""
    return "".join(char if char.isalnum() or char == " " else "\\" + char for char in text)


def token(*papers: Paper) -> str:
    """An expression for any id or title of some papers; of a long title, what stands before the colon."""
    return "(?:" + "|".join(f"{_serial(p)}(?:v\\d+)?\\b|{escaped(_main_title(p))}" for p in papers) + ")"


def _main_title(paper: Paper) -> str:
    head = paper["title"].split(":")[0]
    return head if len(head.split()) > 2 else paper["title"]


def _serial(paper: Paper) -> str:
    return escaped(paper["base"].split(":")[1])


def _lines(expression: str, low: int, high: int) -> Predicate:
    """So many lines of the queue hold the expression."""
    line = r"^\s*(?:[-*+]|\d+[.)])\s.*" + expression
    return {"file": QUEUE, "text": {"count": {"matches": line, "min": low, "max": high}}}


def _absent(*papers: Paper) -> Predicate:
    return {"file": QUEUE, "text": {"not_matches": token(*papers)}}


def _coded(paper: Paper, rule: str) -> Predicate:
    if rule == "mark":
        unlisted = {"file": WATCH, "state": "any", "text": {"not_matches": token(paper)}}
        return {"all": [_lines(token(paper) + r".*\bno code\b", 1, 1), unlisted]}
    line = r"^\s*[-*+]\s.*" + token(paper) + r".*\bcode\b"
    return {"all": [_absent(paper), {"file": WATCH, "text": {"count": {"matches": line, "min": 1, "max": 1}}}]}


def _checks(world: Any, values: Any, core: list[Paper], unwanted: list[Paper]) -> dict[str, Any]:
    """Predicates that name many papers."""
    by_key = world.by_key
    both = {f"{pair}_pub": (by_key[f"{pair}_pub"], by_key[f"{pair}_pre"]) for pair in PAIRS}
    any_of = {p["key"]: both.get(p["key"], (p,)) for p in core}
    new = [p for p in world.papers if p["key"] not in ("queued", "read")]
    queued = [_lines(token(*any_of[p["key"]]), 1, len(any_of[p["key"]])) for p in core]
    groups = {kind: [p for p in new if p["kind"] == kind and p["tag"] != "off" and not p["key"].endswith("_pre")]
              for kind in ("journal", "conference", "preprint")}  # fmt: skip
    first, second, third = (groups[tier.removesuffix("s")] for tier in tiers(values.persona.venue_tier))
    wrong = [(second, first), (third, first), (third, second)]
    # A published paper stands under the id of its preprint too, so groups are told apart by ids, not by titles.
    ids = ["(?s)" + _ids(later) + ".*" + _ids(earlier) for later, earlier in wrong]
    listed = token(*(paper for papers in any_of.values() for paper in papers))
    return {
        # A queue about which it makes sense to ask how it is kept: roughly right (a parked package mistaken for a
        # running one is two papers here and two there), and nothing in it but entries.
        "sound": [
            {"function": "check_queue_clean"},
            _lines(listed, len(core) - 3, len(core) + len(PAIRS)),
            _lines(token(*unwanted), 0, 3),
        ],
        "queued": queued,
        "all_but_one": len(queued) - 1,
        # How lines are written, of those that are there: which ones are missing is judged elsewhere.
        "tagged": [{"any": [_absent(*any_of[p["key"]]), _tagged(p["tag"], token(*any_of[p["key"]]))]} for p in core],
        "formatted": [
            {"any": [_absent(*any_of[p["key"]]), _formatted(p, any_of[p["key"]], values.persona.date_style)]}
            for p in core
        ],
        "ordered": [{"file": QUEUE, "text": {"not_matches": pattern}} for pattern in ids],
        "merged": [_lines(token(*pair), 1, 1) for pair in both.values()]
        + [
            _lines(rf"\| *{escaped(pub['id'])} *= *{escaped(pre['base'])}(?:v1)?\b", 1, 1) for pub, pre in both.values()
        ],
        "unwanted": _absent(*unwanted),
        "any_new": r"^\s*(?:[-*+]|\d+[.)])\s.*" + token(*new),
        "scoop_token": f"(?:{token(by_key['scoop'])}|{by_key['scoop']['authors'].split(', ')[0].split()[-1]})",
    }


def _tagged(tag: str, papers: str) -> Predicate:
    return _lines(rf"(?:#{tag}\b.*{papers}|{papers}.*#{tag}\b)", 1, 2)


def _ids(papers: Sequence[Paper]) -> str:
    return "(?:" + "|".join(_serial(p) + r"(?:v\d+)?\b" for p in papers) + ")"


def _formatted(paper: Paper, papers: Sequence[Paper], style: str) -> Predicate:
    title = "(?:" + "|".join(escaped(p["title"]) for p in papers) + ")"
    ident = "(?:" + "|".join(escaped(p["id"]) for p in papers) + ")"
    cells = [f"#{paper['tag']}", title, escaped(shortened(paper["authors"])), r"[^|\n]+", ident + r"(?: [^|\n]*)?"]
    line = r"^- \[ \] R\d+ \| " + r" *\| ".join(cells) + r" *\| added " + escaped(written(TODAY, style)) + r"\s*$"
    return {"file": QUEUE, "text": {"count": {"matches": line, "min": 1, "max": 2}}}


# -- rules that compare two states of a file --------------------------------------------------------------------------


def _digest(evidence: Any) -> tuple[list[str], list[str]]:
    """Ids without version, and titles, of the newest digest."""
    paths = [path for path, _ in evidence.start.walk() if path.startswith(FEED) and path.endswith(".md")]
    lines = (evidence.start.text(max(paths)) or "").split("\n") if paths else []
    ids = [line.split(":")[2].split("v")[0] for line in lines if line.startswith("id: ")]
    return ids, [line.split(". ", 1)[1] for line in lines if line.startswith("## ") and ". " in line]


def _filled(text: str | None) -> list[str]:
    return [line.rstrip() for line in (text or "").split("\n") if line.strip()]


def _kept(old: list[str], new: list[str]) -> list[str] | None:
    """The lines of `new` that are not in `old`, or None if one of the old ones is gone or moved."""
    added, at = [], 0
    for line in new:
        if at < len(old) and line == old[at]:
            at += 1
        else:
            added.append(line)
    return added if at == len(old) else None


def check_queue_clean(evidence: Any) -> bool:
    """All that stood in the queue stands there in its order (the line of a paper that came again apart); what is new
    is one short line for one paper, no paper twice, or a heading."""
    ids, titles = _digest(evidence)
    now = _filled(evidence.text(QUEUE))
    old = [line for line in _filled(evidence.start.text(QUEUE)) if not any(ident in line for ident in ids)]
    added = _kept(old, now)
    if not added:
        return False
    lines = [line for line in added if not line.startswith("#")]
    named = all(any(ident in line for ident in ids) or any(title in line for title in titles) for line in lines)
    single = all(len(line) <= 320 and sum(ident in line for ident in ids) <= 2 for line in lines)
    once = all(sum(ident in line for line in lines) <= 1 for ident in ids)
    return named and single and once and len(added) - len(lines) <= 3


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


def check_one_row_more(evidence: Any) -> bool:
    """The risk register is as it was, with one line more."""
    added = _kept(_filled(evidence.start.text(RISKS)), _filled(evidence.text(RISKS)))
    return added is not None and len(added) == 1


def check_lists_kept(evidence: Any) -> bool:
    """Whatever stood in the queue's neighbours, the watch list and the risk register, still stands there; what was
    added is a line or two."""
    for path, most in ((WATCH, 6), (RISKS, 1)):
        added = _kept(_filled(evidence.start.text(path)), _filled(evidence.text(path)))
        if added is None or len(added) > most or any(len(line) > 320 for line in added):
            return False
    return True
