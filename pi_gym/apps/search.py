"""Full-text search over a table: ranked by how many words of the query a row has, and where.

The shared rows of a table are indexed once per process, at the first search; rows that the session changed are looked
at one by one. So a search costs what it finds and what the session changed, whatever the size of the seed world.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pi_gym.caches import BoundedCache
from pi_gym.state.tables import Row, Table

MAX_QUERY_WORDS = 32
MAX_QUERY_CHARS = 1_000
MIN_PREFIX_CHARS = 3
INDEX_CACHE = 256
CHANGED_CACHE = 8_192
_WHOLE, _PREFIX = 2, 1

Fields = Mapping[str, int]
"""Weight by column: what a word counts where it stands there."""


def words_of(text: str) -> list[str]:
    """The words of a text as they are compared: without case, a plural's final s dropped.

    >>> words_of("Two packing-lists, for Åse's bus")
    ['two', 'packing', 'list', 'for', 'åse', 's', 'bus']
    """
    letters = "".join(letter if letter.isalnum() else " " for letter in text.casefold())
    return [
        word[:-1] if len(word) > 3 and word[-1] == "s" and word[-2] not in "su" else word for word in letters.split()
    ]


class _Index:
    """Where the words of some rows stand."""

    __slots__ = ("base", "places", "vocabulary")

    def __init__(self, base: Mapping[int, Row], fields: Fields) -> None:
        # Holding the rows keeps their identity from being given to others while the index is in the cache.
        self.base = base
        places: dict[str, dict[int, int]] = {}
        for key, row in base.items():
            for word, weight in _weights(row, fields).items():
                places.setdefault(word, {})[key] = weight
        self.places = places
        self.vocabulary = sorted(places)

    def add_scores(self, word: str, scores: dict[int, int]) -> None:
        """Add what the rows get for one word of the query."""
        best: dict[int, int] = {key: weight * _WHOLE for key, weight in self.places.get(word, {}).items()}
        if len(word) >= MIN_PREFIX_CHARS:
            for longer in self._beginning(word):
                for key, weight in self.places[longer].items():
                    best[key] = max(best.get(key, 0), weight * _PREFIX)
        for key, score in best.items():
            scores[key] = scores.get(key, 0) + _HIT + score

    def _beginning(self, word: str) -> Iterator[str]:
        at = bisect_left(self.vocabulary, word)
        while at < len(self.vocabulary) and self.vocabulary[at].startswith(word):
            yield self.vocabulary[at]
            at += 1


# One more word found outweighs any weight of the columns.
_HIT = 1_000_000
_Key = tuple[int, tuple[tuple[str, int], ...]]
_indexes: BoundedCache[_Key, _Index] = BoundedCache(INDEX_CACHE)
_changed_rows: BoundedCache[_Key, tuple[Row, Mapping[str, int]]] = BoundedCache(CHANGED_CACHE)


def search(
    table: Table, query: str, fields: Fields, keep: Callable[[Row], bool] = lambda row: True
) -> list[tuple[int, Row]]:
    """The rows that have at least one word of the query, best first, then by id; all of them for an empty query.

    A word counts as found where it stands itself or, from three letters on, where a longer word begins with it.

    Args:
        table: the table.
        query: what is looked for.
        fields: the columns to look in, with their weights; a list's entries are read as one text.
        keep: which rows may be found.
    """
    wanted = list(dict.fromkeys(words_of(query[:MAX_QUERY_CHARS])))[:MAX_QUERY_WORDS]
    if not wanted:
        return list(table.where(keep))
    key = (id(table.base), tuple(fields.items()))
    index = _indexes.get(key, lambda: _Index(table.base, fields))
    scores: dict[int, int] = {}
    for word in wanted:
        index.add_scores(word, scores)
    for number, row in table.changed_rows().items():
        score = 0 if row is None else _score(_weights_once(row, fields), wanted)
        if score:
            scores[number] = score
        else:
            scores.pop(number, None)
    rows = ((number, table.get(number)) for number in sorted(scores, key=lambda number: (-scores[number], number)))
    return [(number, row) for number, row in rows if row is not None and keep(row)]


def _score(weights: Mapping[str, int], wanted: Sequence[str]) -> int:
    """What a single row gets; the same as by an index that holds it."""
    total = 0
    for word in wanted:
        best = weights.get(word, 0) * _WHOLE
        if len(word) >= MIN_PREFIX_CHARS:
            best = max(best, *(weights[longer] * _PREFIX for longer in weights if longer.startswith(word)), 0)
        if best:
            total += _HIT + best
    return total


def _weights_once(row: Row, fields: Fields) -> Mapping[str, int]:
    """The words of a changed row; rows are never changed in place, so their words are looked for once."""
    key = (id(row), tuple(fields.items()))
    return _changed_rows.get(key, lambda: (row, _weights(row, fields)))[1]


def _weights(row: Row, fields: Fields) -> dict[str, int]:
    weights: dict[str, int] = {}
    for column, weight in fields.items():
        for word in dict.fromkeys(words_of(_text(row.get(column)))):
            weights[word] = weights.get(word, 0) + weight
    return weights


def _text(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(str(entry) for entry in value)
    return "" if value is None else str(value)
