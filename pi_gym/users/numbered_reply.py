"""A reply as numbered sentences.

A model says by number which sentence asks for something. So it cannot name words that the reply does not hold, it need
not copy any, and what it lists has an order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pi_gym.templates import Markup, mark, quoted, quoted_letters

MAX_SENTENCES = 200
MAX_SENTENCE_CHARS = 600
_ENDS = ".?!"
_WIDE_ENDS = "。？！"


@dataclass(frozen=True)
class NumberedReply:
    """The sentences of a reply that a model is shown.

    Args:
        first, last: sentences from the beginning and from the end, in order.
        left_out: how many between them are not shown.
    """

    first: tuple[str, ...]
    last: tuple[str, ...] = ()
    left_out: int = 0

    @property
    def sentences(self) -> dict[str, str]:
        """The sentences by id ("s1", …), in reading order; what is left out has its numbers too."""
        after = len(self.first) + self.left_out
        numbered = [*enumerate(self.first, start=1), *enumerate(self.last, start=after + 1)]
        return {f"s{number}": text for number, text in numbered}

    def quoted(self) -> Markup:
        """A quoted line for each sentence, its id before it: no text of the reply can imitate one."""
        lines = [f"{number}: {text}" for number, text in self.sentences.items()]
        head, tail = lines[: len(self.first)], lines[len(self.first) :]
        shown = quoted("\n".join(head)) if head else ""
        gap = mark("left_out", sentences=self.left_out) if self.left_out else ""
        return Markup(shown + gap + (quoted("\n".join(tail)) if tail else ""))


def number_sentences(reply: str, most_letters: int) -> NumberedReply:
    r"""A reply's sentences; of a very long one those in the middle are left out.

    Args:
        reply: as the agent wrote it.
        most_letters: the most letters to show, as quoted.

    >>> number_sentences("On it. Which colour?\n- red\n- blue", 100).sentences
    {'s1': 'On it.', 's2': 'Which colour?', 's3': '- red', 's4': '- blue'}
    """
    every = [_cut(one) for line in reply.splitlines() for one in _sentences(line)]
    count = _fitting(every, most_letters, MAX_SENTENCES)
    if count == len(every):
        return NumberedReply(tuple(every))
    head = max(_fitting(every, most_letters // 2, MAX_SENTENCES // 2), 1)
    rest = every[: head - 1 : -1]
    # The last sentence is where people ask, so it is shown whatever there is room for.
    tail = max(_fitting(rest, most_letters // 2, MAX_SENTENCES // 2), min(1, len(rest)))
    gone = len(every) - head - tail
    return NumberedReply(tuple(every[:head]), tuple(every[head + gone :]), gone)


def _sentences(line: str) -> Iterator[str]:
    start = 0
    for place, char in enumerate(line):
        if char in _WIDE_ENDS or (char in _ENDS and line[place + 1 : place + 2].isspace()):
            if part := line[start : place + 1].strip():
                yield part
            start = place + 1
    if part := line[start:].strip():
        yield part


def _cut(sentence: str) -> str:
    if len(sentence) <= MAX_SENTENCE_CHARS:
        return sentence
    # People ask at the end.
    head = MAX_SENTENCE_CHARS // 3
    return f"{sentence[:head]} […] {sentence[head - MAX_SENTENCE_CHARS :]}"


def _fitting(sentences: Sequence[str], most_letters: int, most: int) -> int:
    """The number of the first sentences that may be shown."""
    left = most_letters
    for count, one in enumerate(sentences[:most]):
        left -= quoted_letters(one, most_letters + 1)
        if left < 0:
            return count
    return min(len(sentences), most)
