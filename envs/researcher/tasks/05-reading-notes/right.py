"""Six papers as text from their PDFs: their figures, and what the notes on them must say."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from pi_gym.authoring import Change, Stream, attempts, fixed, keyed_rows, keyed_texts

CONDITIONS = ("clean", "babble 5 dB", "traffic 5 dB", "kitchen 5 dB", "kitchen 0 dB")
ASKED = {place: f"{place} 5 dB" for place in ("babble", "traffic", "kitchen")}
PILE = "the pile of February"
PRAISE = ("worth", "begin with", "start with", "first", "best", "recommend")
JOURNALS = ("holmqvist2026", "okonjo2026")
SCALES = {"stars": ("*", "**", "***"), "letters": ("C", "B", "A"), "verbs": ("skip", "cite", "build")}
VERDICTS = ("nothing in it for us", "cite it, no more for now", "read it together")
KINDS = ("rooms", "code", "device")
PRINTED = "sandvik2026"


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw who has which evidence and gain."""
    listed = keyed_rows(preferences.data["papers.csv"])
    keys = stream.shuffled([key for key in listed if key != PRINTED])
    single = stream.shuffled(list(KINDS))
    has = [list(KINDS), [], *([kind] for kind in single)]
    high = [True, False, *stream.shuffled([True, False, stream.choice((True, False))])]
    papers = {
        key: _paper(stream, key, listed[key], good, kinds) for key, kinds, good in zip(keys, has, high, strict=True)
    }
    for number, paper in enumerate(papers.values()):
        paper["table"] = _table(paper, paper["test"], number % 3)
        paper["dev"] = _table(paper, {c: (b + 0.9, s + 0.8) for c, (b, s) in paper["test"].items()}, number % 3)
    others = [name for name in ASKED if name != preferences.p.condition]
    facts = {
        "papers": papers, "known": _paper(stream, PRINTED, listed[PRINTED], True, ["rooms"]),
        "best": keys[0], "worst": keys[1], "said": keyed_texts(preferences.data["said.csv"]),
        "titles": {key: paper["title"] for key, paper in papers.items()},
        "good": [key for key, paper in papers.items() if paper["good"] and paper["has"]],
        "condition": preferences.p.condition, "old_condition": stream.child("condition").choice(others),
    }  # fmt: skip
    return facts, {}


def _paper(stream: Stream, key: str, entry: dict[str, Any], good: bool, kinds: Sequence[str]) -> dict[str, Any]:
    return {
        **entry, "key": key, "good": good, "has": list(kinds), "chunk": stream.integer(8, 20),
        "ahead": stream.integer(2, 7), "frame": stream.choice((10, 20, 40)), "runs": stream.integer(3, 5),
        "test": _figures(stream, good), "names": stream.choice((("baseline", "ours"), ("B0", "full"))),
    }  # fmt: skip


def _figures(stream: Stream, good: bool) -> dict[str, tuple[float, float]]:
    """Error rates of baseline and system by condition, such that no gain can be taken for another one."""
    for _ in attempts():
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
            break
    return found


def _relative(pair: Sequence[float]) -> float:
    return 100 * (pair[0] - pair[1]) / pair[0]


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


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """Notes, index and the note on the preprint. Who knows nothing of a wish does as the old notes and how.md do."""
    papers = dict(world.papers)
    first = {"journals": True, "conferences": False, None: None}[wishes.reading_order]
    order = sorted(papers, key=lambda key: (first is not None and (key in JOURNALS) != first, key))
    if not wishes.printed_version:
        papers[PRINTED] = world.known
        order.append(PRINTED)
    marks = {key: _mark(papers[key], wishes) for key in papers}
    known = {
        "venue: preprint, osa:2411.0815": f"venue: {world.known['venue']}, 2026 (preprint osa:2411.0815)",
        "figure: preliminary, half the data": f"figure: {_figure(world, world.known, wishes)}",
    }
    rows = [f"| {k} | {papers[k]['title']} | {papers[k]['venue']} | {marks[k]} |\n" for k in order]
    tops = [world.best, *(k for k in papers if _level(papers[k], wishes.evidence) == 2 and k != world.best)]
    now, old = (world.said["place"][name] for name in (world.condition, world.old_condition))
    plan = ", ".join(sorted(papers, key=lambda key: (key not in tops, key)))
    return {
        "how": Change({f"in {old} at": f"in {now} at", "January": "March"}) if wishes.how_page else None,
        "plan": Change({PILE: plan if wishes.plan == "all" else world.best}) if wishes.plan else None,
        "notes": {f"{key}.md": _note(world, papers[key], wishes, marks[key]) for key in papers},
        "index": Change(append="".join(rows)),
        "known": Change(known) if wishes.printed_version else None,
        "tops": tops,
        "gain": _figure(world, papers[world.best], wishes),
    }


def _level(paper: Any, kind: str | None) -> int:
    return int(kind in paper["has"] if kind else bool(paper["has"])) + int(paper["good"])


def _mark(paper: Any, wishes: Any) -> str:
    level = _level(paper, wishes.evidence)
    return SCALES[wishes.follow_scale][level] if wishes.follow_scale else f"step {level + 1} of 3"


def _figure(world: Any, paper: Any, wishes: Any) -> str:
    condition = ASKED[wishes.condition or world.old_condition]
    return f"{_written(paper['test'][condition], wishes.gain_form)} in {condition}"


def _written(pair: Sequence[float], form: str | None) -> str:
    rates = f"{fixed(pair[0], 1)} to {fixed(pair[1], 1)}"
    relative = f"{fixed(_relative(pair), 1)} % relative"
    points = f"{fixed(pair[0] - pair[1], 1)} points"
    return {"pair": rates, "relative": relative, "points": points, None: f"{rates}, {relative}"}[form]


def _note(world: Any, paper: Any, wishes: Any, mark: str) -> str:
    line = f"bottom line: {VERDICTS[_level(paper, wishes.evidence)]}; {paper['claim']}"
    body = [
        *(f"{name}: {paper[name]}" for name in ("key", "venue", "claim")),
        f"figure: {_figure(world, paper, wishes)}", f"delay: {paper['ahead'] * paper['frame']} ms",
        f"evidence: {', '.join(paper['has']) or 'none'}", f"runs: {paper['runs']}", f"doubt: {paper['doubt']}",
        f"follow-up: {mark}",
    ]  # fmt: skip
    at = {"top": 0, "end": len(body), None: 2}[wishes.bottom_line]
    return "\n".join([f"# {paper['title']}", "", *body[:at], line, *body[at:], ""])


# -- what facets do not say -------------------------------------------------------------------------------------------


def check_best(evidence: Any, tops: list[str], titles: dict[str, str]) -> bool:
    """The paper that a reply recommends, by key or title, is one of these."""
    for reply in evidence.replies_since(evidence.changed_paths):
        sentences = reply.replace("\n", ". ").split(". ")
        # Where a file lies may be told first, of any paper.
        praise = [one for one in sentences if any(word in one.casefold() for word in PRAISE)]
        named = [found for one in [*praise, reply] if (found := _named(one, titles))]
        if named and named[0][0] in tops:
            return True
    return False


def check_planned(evidence: Any, how: str, tops: list[str], titles: dict[str, str]) -> bool:
    """Tuesday's line names one of the papers at the top, alone or before all others."""
    lines = [one for one in (evidence.text("papers/tuesdays.md") or "").splitlines() if "10 March" in one]
    named = _named(" ".join(lines), titles)
    return len(lines) == 1 and bool(named) and named[0] in tops and len(named) == (1 if how == "one" else len(titles))


def _named(text: str, titles: dict[str, str]) -> list[str]:
    """The papers that a text names, by key or title, in its order."""
    places = {key: [at for at in (text.find(key), text.find(title)) if at >= 0] for key, title in titles.items()}
    return [key for _, key in sorted((min(at), key) for key, at in places.items() if at)]
