"""The line of a file that an agent probably meant, found at a bounded cost."""

from __future__ import annotations

from difflib import SequenceMatcher
from heapq import nlargest

MAX_LINES = 20_000
MAX_CHARS = 160
CANDIDATES = 12


def closest_line(text: str, wanted: str) -> tuple[int, str] | None:
    """The line of a text that is most like the first line of `wanted` that is not blank.

    Only the first `MAX_LINES` lines are looked at; those that share most words are compared letter by letter.

    Returns:
        Its number from 1 and the line; None where nothing is alike.
    """
    target = next((line.strip() for line in wanted.split("\n", MAX_LINES) if line.strip()), "")[:MAX_CHARS]
    if not target:
        return None
    words = set(target.split())
    lines = text.split("\n", MAX_LINES)[:MAX_LINES]
    scores = [(len(words.intersection(line[:1_000].split())), -index) for index, line in enumerate(lines) if line]
    best: tuple[float, int] = (0.5, 1)
    for _, index in nlargest(CANDIDATES, scores):
        ratio = SequenceMatcher(None, target, lines[-index].strip()[:MAX_CHARS], autojunk=False).ratio()
        best = max(best, (ratio, index))
    return None if best[1] > 0 else (1 - best[1], lines[-best[1]])
