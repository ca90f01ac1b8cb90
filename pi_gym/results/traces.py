"""Traces: places of a page that the work made wrong, and five ways to see to them, of which one holds at most."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from pi_gym.predicates.node import Node
from pi_gym.predicates.text import fold, visible
from pi_gym.predicates.wording import shown
from pi_gym.results.content import ResultText
from pi_gym.results.days import written_days
from pi_gym.results.demands import is_iso_day, sentences, word_ways

WAYS = ("mended", "marked", "struck", "line", "gone")
#: So many lines more see to a place by a line: what is longer was pasted, not written there.
MOST_LINES = 3
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_STRUCK = re.compile(r"~~(.+?)~~|<(s|del)>(.+?)</\2>")
_BEHIND = ("(", "[", "<!--")
_BRACKETED = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])")


@dataclass(frozen=True, slots=True)
class _Page:
    """The lines of a page that are not blank, folded: as a reader sees them, and with what comments say."""

    seen: tuple[str, ...]
    whole: tuple[str, ...]


def _page(text: str) -> _Page:
    whole = visible(text.replace("\r", ""), comments=False)
    # What a comment holds is no text of the page, but a mark may be one; the lines stay where they are.
    seen = _COMMENT.sub(lambda found: "\n" * found.group().count("\n"), whole)
    pairs = [(fold(one), fold(other)) for one, other in zip(seen.split("\n"), whole.split("\n"), strict=True)]
    return _Page(tuple(one for one, _ in pairs if one), tuple(other for one, other in pairs if one))


def _pattern(word: str) -> re.Pattern[str]:
    """The expression for a text that stands as words of its own: 0.58 is in no 10.58 and in no 0.583.

    A comma parts the cells of a CSV file, so it joins no numbers.
    """
    before = r"(?<![^\W_])(?<!\d\.)" if word[:1].isdigit() else r"(?<![^\W_])" if word[:1].isalnum() else ""
    after = r"(?![^\W_])(?!\.\d)" if word[-1:].isdigit() else r"(?![^\W_])" if word[-1:].isalnum() else ""
    return re.compile(f"{before}{re.escape(word)}{after}")


@dataclass(frozen=True, slots=True)
class _Wording:
    """A text to look for; an ISO date is that day in any style.

    Args:
        word: as the author gave it.
        apart: longer texts with it inside, where it does not count.
    """

    word: str
    apart: tuple[re.Pattern[str], ...] = ()

    def times(self, line: str) -> int:
        """The number of times that it stands in a folded line."""
        if is_iso_day(self.word):
            return sum(one.is_day(self.word) for one in written_days(line))
        for longer in self.apart:
            line = longer.sub(" | ", line)
        return len(_pattern(fold(self.word)).findall(line))

    def times_struck(self, line: str) -> int:
        """The number of times that it stands there struck through."""
        return sum(self.times(found.group(1) or found.group(3)) for found in _STRUCK.finditer(line))

    def stands(self, line: str) -> bool:
        """Whether it stands there and is not struck through."""
        return self.times(_STRUCK.sub(" | ", line)) > 0


@dataclass(frozen=True, slots=True)
class SeenTo:
    """A page on which what is wrong was seen to in one of some ways, and in no other.

    Where several ways will do, lines that say what was replaced by what may stand beside one of them.

    Args:
        how: of `WAYS`.
        old: what was wrong; of several each is seen to, wherever it stands.
        new: what is right, each in one of its ways.
        marks: words of which one says what is wrong with the old.
        most: how many lines more than it had the page has at most; None: any number.
    """

    how: tuple[str, ...]
    old: tuple[_Wording, ...]
    new: tuple[tuple[_Wording, ...], ...] = ()
    marks: tuple[str, ...] = ()
    most: int | None = None

    def fault(self, content: ResultText) -> str:
        """See `Condition`."""
        before, now = _page(content.before or ""), _page(content.text)
        for old in self.old:
            if not any(map(old.stands, before.seen)):
                return f"did not have {shown(old.word)} when the session began"
        faults = [self._fault_of(how, before, now) for how in self.how]
        if "" not in faults and len(self.how) > 1:
            # Whoever mends it in one way may keep a list of corrections besides.
            rest = self._without_records(before, now)
            if rest != now and len(rest.seen) >= len(before.seen):  # what stood there is no record
                faults += [self._fault_of(how, before, rest, len(now.seen)) for how in self.how]
        return "" if "" in faults else faults[0]

    def _without_records(self, before: _Page, now: _Page) -> _Page:
        """The page without what new lines say, beside what is right, of what was there: whole lines, or in brackets."""
        fresh = _fresh(before.whole, now.whole)
        right = [one for ways in self.new for one in ways]
        kept: list[tuple[str, str]] = []
        for place, (seen, whole) in enumerate(zip(now.seen, now.whole, strict=True)):
            if place in fresh and any(old.stands(seen) for old in self.old):
                bare = self._without_old_brackets(seen)
                if any(old.stands(bare) for old in self.old):
                    if any(new.times(seen) for new in right):
                        continue
                elif any(new.times(bare) for new in right):
                    kept.append((bare, self._without_old_brackets(whole)))  # "route A (was route B)"
                    continue
            kept.append((seen, whole))
        return _Page(tuple(seen for seen, _ in kept), tuple(whole for _, whole in kept))

    def _without_old_brackets(self, line: str) -> str:
        def left(found: re.Match[str]) -> str:
            return "" if any(old.stands(found.group()) for old in self.old) else found.group()

        return _BRACKETED.sub(left, line)

    def _fault_of(self, how: str, before: _Page, now: _Page, lines: int | None = None) -> str:
        looks: dict[str, Callable[[_Wording, _Page, _Page], str]] = {
            "mended": self._still_there,
            "marked": self._unmarked,
            "struck": self._not_struck,
            "line": self._touched,
            "gone": self._still_in_place,
        }
        for old in self.old:
            if fault := looks[how](old, before, now):
                return fault
        gains = self._gains(before, now)
        if how == "gone" and any(gains):
            return f"says {shown(self.new[gains.index(True)][0].word)} in place of what was to go"
        if how in ("mended", "line", "struck") and not all(gains):
            return f"has no new line with {shown(self.new[gains.index(False)][0].word)}"
        more = (len(now.seen) if lines is None else lines) - len(before.seen)
        most = MOST_LINES if self.most is None and how == "line" else self.most
        return "" if most is None or more <= most else f"has {more} lines more; at most {most} were wanted"

    def _gains(self, before: _Page, now: _Page) -> list[bool]:
        """For each text that is right, whether the page has it once more than it had."""
        return [
            any(sum(map(one.times, now.seen)) > sum(map(one.times, before.seen)) for one in ways) for ways in self.new
        ]

    def _still_there(self, old: _Wording, before: _Page, now: _Page) -> str:
        if any(map(old.stands, now.seen)):
            return f"still has {shown(old.word)}"
        return f"has {shown(old.word)} struck through" if _more_struck(old, before, now) else ""

    def _unmarked(self, old: _Wording, before: _Page, now: _Page) -> str:
        there = [place for place, line in enumerate(now.seen) if old.stands(line)]
        if not there:
            return f"has {shown(old.word)} no more"
        if _more_struck(old, before, now):
            return f"has {shown(old.word)} struck through"
        fresh = _fresh(before.whole, now.whole)
        bare = [now.whole[place] for place in there if place not in fresh or not self._is_marked(old, now.whole[place])]
        return f"has {shown(old.word)} without a mark in {shown(bare[0])}" if bare else ""

    def _is_marked(self, old: _Wording, line: str) -> bool:
        """Whether each statement of a line with the old has a mark, or brackets with one right behind it."""
        parts = [line] if line.startswith("|") else [*sentences(line), ""]
        for part, behind in zip(parts, [*parts[1:], ""], strict=True):
            said = f"{part} {behind if behind.startswith(_BEHIND) else ''}"
            if old.stands(part) and not any(fold(mark) in said for mark in self.marks):
                return False
        return True

    def _not_struck(self, old: _Wording, before: _Page, now: _Page) -> str:
        if any(map(old.stands, now.seen)):
            return f"has {shown(old.word)} that is not struck through"
        return "" if _more_struck(old, before, now) else f"has {shown(old.word)} no more"

    def _touched(self, old: _Wording, before: _Page, now: _Page) -> str:
        stood = [whole for seen, whole in zip(before.seen, before.whole, strict=True) if old.stands(seen)]
        changed = Counter(stood) - Counter(now.whole)
        return f"has no longer {shown(next(iter(changed)))}, as it stood" if changed else ""

    def _still_in_place(self, old: _Wording, before: _Page, now: _Page) -> str:
        if fault := self._still_there(old, before, now):
            return fault
        matcher = SequenceMatcher(None, before.seen, now.seen, autojunk=False)
        for _, start, end, first, last in matcher.get_opcodes():
            went = sum(any(one.stands(line) for one in self.old) for line in before.seen[start:end])
            if went and last - first > end - start - went:
                return f"has {shown(now.seen[first])} in place of what was to go"
        return ""


def _fresh(before: Sequence[str], now: Sequence[str]) -> set[int]:
    """The places of the lines that a page did not have."""
    left, found = Counter(before), set()
    for place, line in enumerate(now):
        if left[line]:
            left[line] -= 1
        else:
            found.add(place)
    return found


def _more_struck(old: _Wording, before: _Page, now: _Page) -> bool:
    return sum(map(old.times_struck, now.seen)) > sum(map(old.times_struck, before.seen))


def parse_seen_to(node: Node) -> SeenTo:
    """The condition of `{how, old, new, marks, most}`; SpecError says what was expected."""
    fields = node.fields(("how", "old", "new", "marks", "most"))
    how = tuple(one.choice(WAYS) for one in node.need(fields, "how").one_or_more())
    if {"mended", "line"} & {*how}:
        node.need(fields, "new")
    old = [str(one.scalar()) for one in node.need(fields, "old").one_or_more()]
    new = word_ways(fields["new"]) if "new" in fields else ()
    marks = word_ways(node.need(fields, "marks")) if "marked" in how else ()
    words = [*old, *(word for ways in new for word in ways)]

    def wording(word: str) -> _Wording:
        longer = (fold(one) for one in words if fold(word) in fold(one) and fold(word) != fold(one))
        return _Wording(word, tuple(_pattern(one) for one in sorted(longer, key=len, reverse=True)))

    twice = {fold(one) for one in old} & {fold(word) for ways in new for word in ways}
    if twice:
        raise fields["new"].wrong(f"something else than what is wrong, {min(twice)!r}")
    return SeenTo(
        how,
        tuple(map(wording, old)),
        tuple(tuple(map(wording, ways)) for ways in new),
        tuple(mark for ways in marks for mark in ways),
        fields["most"].integer() if "most" in fields else None,
    )
