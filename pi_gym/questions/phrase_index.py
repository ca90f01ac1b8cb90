"""An index of phrases: which of thousands are in a text, by one pass over its words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from pi_gym.questions.phrases import Phrase, Reading, is_word

MAX_KNOWN_TOKENS = 4_096


class PhraseIndex:
    """Phrases by the beginning of their first word.

    Args:
        phrases: the phrases; what is found is told by their places.
    """

    def __init__(self, phrases: Iterable[Phrase]) -> None:
        self._phrases = tuple(phrases)
        self._stems: defaultdict[str, list[int]] = defaultdict(list)
        self._wholes: defaultdict[str, list[int]] = defaultdict(list)
        for place, phrase in enumerate(self._phrases):
            word, whole, _ = phrase.words[0]
            (self._wholes if whole else self._stems)[word].append(place)
        self._known: dict[str, tuple[tuple[int, ...], tuple[tuple[int, str], ...]]] = {}

    def found(self, reading: Reading) -> dict[int, int]:
        """The phrases in a text: by place, the bits of the tokens that they stand on."""
        found: dict[int, int] = {}
        tokens = reading.tokens
        self._look(tokens, [1 << place for place in range(len(tokens))], found)
        if reading.joined:
            self._look(reading.joined, reading.masks, found)
        return found

    def _look(self, tokens: tuple[str, ...], masks: list[int] | tuple[int, ...], found: dict[int, int]) -> None:
        known = self._known
        for start, token in enumerate(tokens):
            single, longer = known.get(token) or self._beginning(token)
            for place in single:
                found[place] = found.get(place, 0) | masks[start]
            if not longer:
                continue
            following = tokens[start + 1] if start + 1 < len(tokens) else ""
            for place, second in longer:
                if following.startswith(second) and (bits := self._phrases[place].spans(tokens, masks, start)):
                    found[place] = found.get(place, 0) | bits

    def _beginning(self, token: str) -> tuple[tuple[int, ...], tuple[tuple[int, str], ...]]:
        """The places of the phrases that may begin with a token: those of one word, and the longer ones.

        With each longer one stands the beginning of the token that follows; "" where other words may stand between.
        """
        places = list(self._wholes.get(token, ()))
        for length in range(1, len(token) + 1):
            for place in self._stems.get(token[:length], ()):
                if is_word(token, token[:length], False):
                    places.append(place)
        single = tuple(place for place in places if len(self._phrases[place].words) == 1)
        words = ((place, self._phrases[place].words) for place in places)
        longer = tuple((place, "" if found[1][2] else found[1][0]) for place, found in words if len(found) > 1)
        if len(self._known) >= MAX_KNOWN_TOKENS:
            self._known.clear()
        self._known[token] = single, longer
        return single, longer
