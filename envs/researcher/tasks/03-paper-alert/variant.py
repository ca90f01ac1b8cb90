"""The night's papers, what of them belongs where, and the queue as it should end up.

Which papers exist is fixed here; ids, venues, order, lookahead figures, the overlapped claim and its owner are drawn.
"""

from __future__ import annotations

from datetime import date, timedelta

from pi_gym.authoring import csv_text

QUEUE, WATCH, RISKS = "reading/queue.md", "reading/watch.md", "project/risks.md"
FEED = "inbox/paper-feed/"

# key: (work package's tag, title, authors). The digest's template holds the abstracts.
RUNNING = {
    "filterbank": ("frontend", "Bent Filters: Learning a Causal Filterbank That Ignores Kitchens",
                   "Mireille Castellan, Bo Thyrring, Wenqi Saroyan"),
    "rooms": ("frontend", "One Microphone, Two Rooms: Dereverberation inside a Streaming Encoder",
              "Idris Oyelaran, Pia Vossberg"),
    "adapt": ("frontend", "Thirty Seconds of Traffic: Label-Free Noise Adaptation for Frame-Synchronous Recognisers",
              "Katarzyna Holm, Ruben Achterberg, Sefa Tuala, Dmitri Lundqvist"),
    "babble_end": ("endpoint", "When Did She Stop? Endpointing against a Background of Other People",
                   "Nkechi Abara, Lars Dufresne, Tomoe Ishikura"),
    "fan_end": ("endpoint", "Silence Is Not the End: Learning Turn Closure under Fan Noise",
                "Oskar Wendt, Farida Halimi"),
    "four_bits": ("ondevice", "Four Bits at the Ear: Integer Streaming Encoders on a Hearing-Aid Core",
                  "Marguerite Sallow, Henk Terpstra, Yusuf Adebanjo"),
    "paging": ("ondevice", "Fits in 900 Kilobytes: Weight Paging for Always-On Recognisers",
               "Jiwoo Namgung, Ettore Bassanelli"),
    "late": ("eval", "Late Is Wrong Too: Scoring Emission Delay and Errors Together",
             "Annika Roosval, Siddharth Venkatesan, Paolo Neri"),
    "tram": ("eval", "The Tram Recordings: Fourteen Hours of Commuter Speech with Measured Noise",
             "Zofia Kubiakowska, Emile Garnier"),
}
CLAIMS = {
    "C1": ("Listening Less: Per-Frame Noise Gates for Causal Transducers", "Ffion Maddox, Teodor Ilves, Ruth Obasanjo-Lee"),
    "C2": ("Confusion First: Ordering Noise by Recogniser Error in Streaming Training",
           "Gaspard Thibodeau, Min-ah Seok, Elin Forsgren"),
    "C3": ("Do Not Forget at the Pause: Carrying Front-End State across Segments",
           "Ilse Vandermeer, Rafael Quintero, Abeni Coker"),
}
# Published twice: preprint title, published title, authors.
PAIRS = {
    "masks": ("Masks the Recogniser Wants: Task-Driven Spectral Masking for Live Captions",
              "Spectral Masks the Recogniser Wants: Task-Driven Masking in Live Captioning",
              "Leila Farrokhian, Anton Berglund, Joao Pinhal"),
    "experts": ("Quiet Experts: Noise-Routed Mixture Layers in Chunk-Free Encoders",
                "Quiet Experts: Noise-Routed Mixture Layers for Streaming Recognition",
                "Hanae Ostrander, Vikram Solankar"),
}
LOOKING = {
    "peek": ("Peeking Politely: Small Right Context for Noise-Aware Encoders", "Ingrid Falkner, Chidi Nwosuba, Anselm Kerr"),
    "binaural": ("Two Ears of Context: Binaural Cues for Streaming Recognition in Cafes", "Rosalind Hartwick, Goran Petrovski"),
    "almost": ("Almost Live: Chunked Transformers for Recognising Speech in Wind", "Lihua Chenoweth, Malin Ekdahl, Bram Osei"),
}
CODELESS = {
    "unheard": ("Noise Tokens: Letting a Transducer Say It Did Not Hear", "Beatrix Lemaire, Samuel Okorie"),
    "broken": ("Front-End Dropout: Surviving Broken Microphones in Live Recognition",
               "Viktor Hallgrimson, Amina Tourelle, Jae Kwonhee"),
}
QUEUED = ("Slow Noise, Fast Noise: Splitting Stationarity inside a Causal Encoder", "Petra Novotnik, Alan Quistgaard")
READ = ("Spectral Patience: Delayed Decisions in Streaming Transducers", "Olivia Brandvold, Kofi Mensahene, Ida Rask")
OFF = {
    "video": ("Streaming Video Summaries for Noisy Sports Broadcasts", "Dario Campanelli, Lotte Smedes"),
    "tidal": ("TIDE: Tidal Inundation Detection with Buoy Encoders", "Maarit Kivela, Joseph Tanoh"),
    "sparse": ("Noise-Robust Gating in Sparse Language Models", "Yannick Delorme, Priti Chandran, Owen Lask"),
    "enhance": ("Two Milliseconds to Clean: Perceptual Enhancement for Hearing Aids", "Stellan Brodd, Agnes Kaminska"),
    "giants": ("Full-Context Giants: Self-Supervised Recognition of Noisy Meetings", "Harriet Ballantine, Zheng Weilan"),
    "drones": ("Who Spoke When in the Wind: Streaming Diarisation on Drones", "Noor van Asselt, Piotr Galecki"),
    "fraud": ("Causal Encoders for Streaming Fraud Detection under Label Noise", "Renata Filipek, Colm Hegarty"),
    "keyword": ("Wake Me Gently: Keyword Spotting in Car Noise", "Solveig Aamodt, Hiro Nakadai"),
    "voice": ("Robust Streaming Text-to-Speech for Railway Stations", "Bettina Krauss, Luc Amblard, Tessa Wynn"),
    "effort": ("Listening Effort and Age: A Field Study of Hearing-Aid Wearers", "Gunilla Persing, Mark Ashdown"),
    "ocean": ("Noise Schedules for Diffusion Models of Ocean Sound", "Keoni Makai, Ellen Strand"),
    "translate": ("Without Waiting: Simultaneous Translation of Noisy Talks", "Ana Belmonte, Kristof Varga"),
    "sgd": ("Gradient Noise and Streaming Descent: A Tight Bound", "Ulrich Senn, Mei Tanaka-Boyd"),
    "infants": ("Babble: A Survey of Infant Vocalisation Collections", "Charlotte Dunmore, Felipe Arce"),
    "photos": ("On-Device Photo Denoising with Four-Bit Weights", "Ravi Menonkar, Sabine Holst"),
    "rest": ("Robust Endpoints: Fuzzing Streaming Web Interfaces under Load", "Jana Sokolova, Tim Abernethy"),
}
OLD = [  # already in the queue, then already read: tag, title, authors as the queue has them
    ("frontend", "Weather for Microphones: Wind Models That Train Well", "Dahlgren & Pires"),
    ("eval", "How Loud Was It? Level Metadata in Speech Collections", "Mbatha et al."),
    ("endpoint", "Breath before Turn: Respiratory Cues for Live Dialogue", "Castellanos & Yilmaz"),
    ("frontend", "Small Changes of State: Recurrent Filters for Frame-Synchronous Input", "Haugen et al."),
    ("ondevice", "Sleeping Weights: Power Gating for Recurrent Recognisers", "Rinaldi"),
    ("frontend", "Learning to Mishear: Adversarial Cafes as Training Noise", "Brankovic & Sorell"),
    ("eval", "Error Bars for the Impatient: Small Tests of Streaming Systems", "Whitlock et al."),
    ("ondevice", "Rounding the Transducer: Where Precision Is Lost", "Aguirre et al."),
    ("endpoint", "Polite Machines Interrupt Less", "Sundberg & Achebe"),
    ("frontend", "Room Prints: Estimating Decay while You Speak", "Iwaniec et al."),
    ("eval", "Commuters Do Not Whisper: Lombard Speech in Test Sets", "Gill & Tordsen"),
    ("frontend", "The Useful Part of Clatter", "Ferrante et al."),
    ("ondevice", "Caches for Ears: Memory Traffic in Recurrent Encoders", "Olofsdotter & Reyes"),
    ("frontend", "Twelve Bands Are Enough", "Nyberg"),
]
WPS = {"frontend": "WP1", "endpoint": "WP2", "ondevice": "WP3", "eval": "WP4"}
JOURNALS = [("journal article · Transactions on Listening Machines", "TLM", "TLM-26"),
            ("journal article · Speech Systems Journal", "SSJ", "SSJ-26")]
MEETINGS = [("conference paper · EuroVoice 2026", "EuroVoice", "EV26"), ("conference paper · SpokenSys 2026", "SpokenSys", "SP26")]
TODAY = date(2026, 3, 5)
MONTHS = "January February March April May June July August September October November December".split()


def written(day: date, style: str) -> str:
    """A date as Nora writes it."""
    month = MONTHS[day.month - 1]
    return {"iso": day.isoformat(), "day-month": f"{day.day} {month} {day.year}"}.get(
        style, f"{month} {day.day}, {day.year}"
    )


def short_authors(authors: str) -> str:
    """`A. Surname et al.` as the queue has it: one name, two with &, more with et al."""
    names = [name.split()[-1] for name in authors.split(", ")]
    return names[0] if len(names) == 1 else " & ".join(names) if len(names) == 2 else f"{names[0]} et al."


def world(stream, preferences):
    ids = _ids(stream.child("ids"))
    claim = stream.child("claim").choice(sorted(CLAIMS))
    papers = _papers(stream, ids, claim)
    off = [key for key in OFF if stream.child("off", key).random() < 0.85]
    papers += [_paper(key, "", *OFF[key], *_status(stream.child("off-status", key), ids)) for key in off]
    papers = stream.child("digest").shuffled(papers)
    for paper in papers:
        own = stream.child("figures", paper["key"])
        paper |= {"score": f"{own.uniform(0.41, 0.97):.2f}", "x": f"{own.uniform(3, 9):.1f}", "hours": own.integer(40, 900)}
    looks = stream.child("lookahead")
    frames = {"peek": looks.integer(9, 11), "binaural": looks.integer(13, 15), "almost": looks.integer(24, 32)}
    shelf, dates = _shelf(stream.child("shelf"), preferences.persona.date_style, ids)
    numbers = stream.child("numbers")
    theirs = numbers.integer(96, 148) / 10
    results = _results(numbers.child("results"), theirs)
    owners = dict(zip(sorted(CLAIMS), numbers.shuffled(["Nora", "Jonas", "Priya"]), strict=True))
    params = {
        "papers": papers, "by_key": {paper["key"]: paper for paper in papers}, "claim": claim, "frames": frames,
        "theirs": theirs, "results": results, "owners": owners, "off": off, "dates": dates,
        "condition": numbers.choice(["babble", "traffic"]),
        "resumed": numbers.choice([wp for wp in ("WP2", "WP3", "WP4") if wp != preferences.p.paused]),
        "old_version": 1, "new_version": numbers.integer(2, 4), "read_version": numbers.integer(2, 3),
        "next_risk": 6, "target": numbers.integer(12, 16), "budget": numbers.choice([560, 600, 640]), **shelf,
    }  # fmt: skip
    for paper in papers:
        paper["id"] += {"known_queue": f"v{params['new_version']}", "known_read": f"v{params['read_version']}"}.get(
            paper["key"], "v1" if paper["id"].startswith("osa:") else ""
        )
    rows = [[c, s, f"{b:.2f}", f"{w:.2f}", f"{r:.1f}", day, state] for c, s, b, w, r, day, state in results]
    columns = ["claim", "condition", "wer_baseline", "wer_ours", "rel_reduction_pct", "run_date", "state"]
    return params, {QUEUE: shelf["queue"], "reading/done.md": shelf["done"], "project/results.csv": csv_text(columns, rows)}


def _ids(stream):
    """Ids without repetition: for the preprint server by month, and serial numbers of venues."""
    serials = stream.sample(range(104, 990), 90)
    return iter(serials)


def _status(stream, ids, kind=None):
    kind = kind or stream.choice(["preprint", "preprint", "journal", "conference"])
    if kind == "preprint":
        return "preprint · Open Speech Archive", "preprint", f"osa:2603.{next(ids):04d}"
    text, short, stem = stream.choice(JOURNALS if kind == "journal" else MEETINGS)
    return text + (", early access" if kind == "journal" else ""), f"{short} 2026", f"pid:{stem}-{next(ids)}"


def _paper(key, tag, title, authors, status, venue, ident, code=True):
    kind = "preprint" if venue == "preprint" else "journal" if status.startswith("journal") else "conference"
    return {"key": key, "tag": tag, "title": title, "authors": authors, "status": status, "venue": venue, "id": ident,
            "base": ident.split(":")[1], "kind": kind, "code": code}  # fmt: skip


def _papers(stream, ids, claim):
    statuses = stream.child("statuses")
    kinds = statuses.shuffled(["journal"] * 3 + ["conference"] * 3 + ["preprint"] * 3)
    papers = [_paper(key, *spec, *_status(statuses.child(key), ids, kind))
              for (key, spec), kind in zip(RUNNING.items(), kinds, strict=True)]  # fmt: skip
    papers.append(_paper("scoop", "frontend", *CLAIMS[claim], *_status(statuses, ids, "preprint")))
    for (key, (before, after, authors)), kind in zip(PAIRS.items(), ["journal", "conference"], strict=True):
        papers.append(_paper(f"{key}_pre", "frontend", before, authors, *_status(statuses, ids, "preprint")))
        papers.append(_paper(f"{key}_pub", "frontend", after, authors, *_status(statuses, ids, kind)))
    for key, spec in LOOKING.items():
        papers.append(_paper(key, "frontend", *spec, *_status(statuses.child(key), ids)))
    for key, spec in CODELESS.items():
        papers.append(_paper(key, "frontend", *spec, *_status(statuses.child(key), ids), code=False))
    for key, spec in (("known_queue", QUEUED), ("known_read", READ)):
        ident = f"osa:2602.{next(ids):04d}"
        papers.append(_paper(key, "frontend", *spec, "preprint · Open Speech Archive, revised", "preprint", ident))
    known = {paper["key"]: paper for paper in papers}
    stream.names  # the two known papers' ids are used for the shelf as well
    ids_of_known = [known["known_queue"]["id"], known["known_read"]["id"]]
    papers[-1]["shelf"] = ids_of_known
    return papers
