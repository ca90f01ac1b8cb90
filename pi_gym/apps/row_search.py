"""Full-text search over a table: ranked by how many words of the query a row has, and where.

The shared rows of a table are indexed once per process, at the first search, and what a query finds in them is kept
for the next one; rows that the session changed are looked at one by one, and where they stand among the others is kept
for as long as the table stays as it is. So a search costs what it finds and what the session changed, whatever the size
of the seed world.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from unicodedata import combining, normalize

from pi_gym.apps.lookup import having, holds
from pi_gym.caches import BoundedCache
from pi_gym.state.tables import Row, Table

MAX_QUERY_WORDS = 32
MAX_QUERY_CHARS = 1_000
MIN_PREFIX_CHARS = 3
INDEX_CACHE = 256
RANKING_CACHE = 256
ORDER_CACHE = 256
CHANGED_CACHE = 8_192
_WHOLE, _PREFIX = 2, 1
# One more word found outweighs any weight of the columns.
_HIT = 1_000_000

Fields: TypeAlias = Mapping[str, int]
"""Weight by column: what a word counts where it stands there."""
Keep: TypeAlias = Callable[[Row], bool]
_Key: TypeAlias = tuple[int, tuple[tuple[str, int], ...]]


class _Letters(dict[int, str]):
    """A translation table that learns: letters and digits stay without accents, all else becomes a blank."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        if letter.isalnum():
            kept = "".join(part for part in normalize("NFD", letter) if not combining(part))
        else:
            kept = "" if combining(letter) else " "
        self[code] = kept
        return kept


_LETTERS = _Letters()


def words_of(text: str) -> list[str]:
    """The words of a text as they are compared: without case and accents, a plural's final s dropped.

    >>> words_of("Two packing-lists, for Åse's bus")
    ['two', 'packing', 'list', 'for', 'ase', 's', 'bus']
    """
    letters = text.casefold().translate(_LETTERS)
    return [
        word[:-1] if len(word) > 3 and word[-1] == "s" and word[-2] not in "su" else word for word in letters.split()
    ]


def search(
    table: Table,
    query: str,
    fields: Fields,
    keep: Keep | None = None,
    *,
    where: Mapping[str, Any] | None = None,
    newest: bool = False,
) -> list[tuple[int, Row]]:
    """The rows that have at least one word of the query, best first, then by id; all of them for an empty query.

    A word counts as found where it stands itself or, from three letters on, where a longer word begins with it.

    Args:
        table: the table.
        query: what is looked for.
        fields: the columns to look in, with their weights; a list's entries are read as one text.
        keep: which rows may be found.
        where: values that columns must have; like `keep`, but the first is looked up, so that rows of other values
            cost next to nothing. See `lookup.having`.
        newest: for records whose ids follow time: of equally good ones, the greatest id comes first.
    """
    wanted = tuple(dict.fromkeys(words_of(query[:MAX_QUERY_CHARS])))[:MAX_QUERY_WORDS]
    among = None if not where else _having_all(table, where)
    if not wanted:
        rows: Iterable[tuple[int, Row]] = table.rows() if among is None else among.items()
    else:
        rows = _ranked(table, wanted, fields, among, newest)
    return list(rows) if keep is None else [(key, row) for key, row in rows if keep(row)]


def _having_all(table: Table, where: Mapping[str, Any]) -> dict[int, Row]:
    (column, value), *others = where.items()
    found = dict(having(table, column, value))
    for column, value in others:
        found = {key: row for key, row in found.items() if holds(row[column], value)}
    return found


def _ranked(
    table: Table, wanted: tuple[str, ...], fields: Fields, among: Mapping[int, Row] | None, newest: bool
) -> Iterable[tuple[int, Row]]:
    """The rows of a table that have a word, best first."""
    index = _indexes.get((id(table.base), tuple(fields.items())), lambda: _Index(table.base, fields))
    ranking = _rankings.get((id(index), wanted, newest), lambda: index.ranking(wanted, newest))
    changed = table.changed_rows()
    order: Sequence[int] = ranking.keys
    if changed:
        # Sessions that opened alike share a table until they change it.
        order = _orders.get((id(table), id(ranking)), lambda: (table, ranking, _merged(ranking, table, fields)))[2]
    if among is not None:
        return [(key, among[key]) for key in order if key in among]
    rows = index.rows
    if not changed:
        return [(key, rows[key]) for key in order]
    return [(key, row) for key in order if (row := changed[key] if key in changed else rows[key]) is not None]


def _merged(ranking: _Ranking, table: Table, fields: Fields) -> list[int]:
    """The ids of a ranking, those of changed rows at the places that they have by now."""
    changed, columns = table.changed_rows(), tuple(fields.items())
    _, words = _changed_words.get((id(table), columns), lambda: (table, _words_of_changed(table, fields)))
    scores = {key: one.score(ranking.words) for key, one in words.items()}
    order: list[int] = []
    begin, places = 0, range(len(ranking.keys))
    sign = -1 if ranking.newest else 1
    for rank, tie in sorted((-score, sign * key) for key, score in scores.items() if score):
        end = bisect_left(places, (rank, tie), key=lambda place: (ranking.ranks[place], sign * ranking.keys[place]))
        order += [other for other in ranking.keys[begin:end] if other not in changed]
        order.append(sign * tie)
        begin = end
    return order + [other for other in ranking.keys[begin:] if other not in changed]


@dataclass(frozen=True, slots=True)
class _Ranking:
    """The shared rows that a query finds, best first.

    Args:
        index: the rows' index; holding it keeps its identity from being given to others.
        words: the query's words.
        newest: whether of equally good rows the greatest id comes first.
        ranks: by place: the score, negative, so that (rank, key), or (rank, -key), sorts as results do.
        keys: by place: the row's id.
    """

    index: _Index
    words: tuple[str, ...]
    newest: bool
    ranks: tuple[int, ...]
    keys: tuple[int, ...]


class _Index:
    """An index of rows by their words."""

    __slots__ = ("base", "places", "rows", "vocabulary")

    def __init__(self, base: Mapping[int, Row], fields: Fields) -> None:
        # Holding the base keeps its identity from being given to others while the index is in the cache.
        self.base, self.rows = base, dict(base.items())
        self.places: dict[str, dict[int, int]] = {}
        for key, row in self.rows.items():
            for word, weight in _weights(row, fields).items():
                self.places.setdefault(word, {})[key] = weight
        self.vocabulary = sorted(self.places)

    def ranking(self, wanted: tuple[str, ...], newest: bool) -> _Ranking:
        """The rows that have at least one of the words."""
        scores = self._scores(wanted[0])
        for word in wanted[1:]:
            for key, score in self._scores(word).items():
                scores[key] = scores.get(key, 0) + score
        keys = sorted(
            sorted(scores, reverse=newest), key=scores.__getitem__, reverse=True
        )  # reversed, equal ones keep their order
        return _Ranking(self, wanted, newest, tuple(-scores[key] for key in keys), tuple(keys))

    def _scores(self, word: str) -> dict[int, int]:
        """The scores of rows for one word of the query, by id."""
        scores = {key: _HIT + weight * _WHOLE for key, weight in self.places.get(word, {}).items()}
        if len(word) >= MIN_PREFIX_CHARS:
            for longer in _beginning(self.vocabulary, word):
                for key, weight in self.places[longer].items():
                    score = _HIT + weight * _PREFIX
                    if score > scores.get(key, 0):
                        scores[key] = score
        return scores


_indexes: BoundedCache[_Key, _Index] = BoundedCache(INDEX_CACHE)
_rankings: BoundedCache[tuple[int, tuple[str, ...], bool], _Ranking] = BoundedCache(RANKING_CACHE)


_orders: BoundedCache[tuple[int, int], tuple[Table, _Ranking, list[int]]] = BoundedCache(ORDER_CACHE)


class _RowWords:
    """The words of one row, with what each weighs."""

    __slots__ = ("row", "vocabulary", "weights")

    def __init__(self, row: Row, fields: Fields) -> None:
        # Holding the row keeps its identity from being given to others while its words are in the cache.
        self.row, self.weights = row, _weights(row, fields)
        self.vocabulary = sorted(self.weights)

    def score(self, wanted: Sequence[str]) -> int:
        """The score of the row; the same as by an index that holds it."""
        total = 0
        for word in wanted:
            best = self.weights.get(word, 0) * _WHOLE
            if len(word) >= MIN_PREFIX_CHARS:
                for longer in _beginning(self.vocabulary, word):
                    best = max(best, self.weights[longer] * _PREFIX)
            if best:
                total += _HIT + best
        return total


_changed_rows: BoundedCache[_Key, _RowWords] = BoundedCache(CHANGED_CACHE)
_changed_words: BoundedCache[_Key, tuple[Table, Mapping[int, _RowWords]]] = BoundedCache(ORDER_CACHE)


def _words_of_changed(table: Table, fields: Fields) -> Mapping[int, _RowWords]:
    """The words of a table's changed rows, by id."""
    return {key: _words_once(row, fields) for key, row in table.changed_rows().items() if row is not None}


def _words_once(row: Row, fields: Fields) -> _RowWords:
    """The words of a changed row; rows are never changed in place, so their words are looked for once."""
    return _changed_rows.get((id(row), tuple(fields.items())), lambda: _RowWords(row, fields))


def _beginning(vocabulary: Sequence[str], word: str) -> list[str]:
    """The longer words of a sorted list that begin with a word."""
    at = begin = bisect_left(vocabulary, word)
    while at < len(vocabulary) and vocabulary[at].startswith(word):
        at += 1
    return [longer for longer in vocabulary[begin:at] if longer != word]


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
