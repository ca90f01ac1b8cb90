"""Ratings of products: always the mean of the reviews that are there, whoever wrote them.

The shared reviews are summed up once per process; those of a session are added to that. So no row holds a rating that
could differ from the reviews, and a task that adds a review changes the rating.
"""

from __future__ import annotations

from collections.abc import Mapping

from pi_gym.apps.desk import Desk
from pi_gym.caches import BoundedCache
from pi_gym.state.tables import Row

_Sums = dict[int, tuple[int, int]]
_Means = dict[int, tuple[float, int]]
_NONE = (0.0, 0)
_sums: BoundedCache[int, tuple[Mapping[int, Row], _Sums, _Means]] = BoundedCache(64)


class Ratings:
    """The ratings as one call sees them.

    Args:
        desk: the app.
    """

    __slots__ = ("_changed", "_means", "_shared")

    def __init__(self, desk: Desk) -> None:
        reviews = desk.table("reviews")
        _, self._shared, self._means = _sums.get(id(reviews.base), lambda: _sum_up(reviews.base))
        self._changed: _Sums = {}
        for key, row in reviews.changed_rows().items():
            before = reviews.base.get(key)
            if before is not None:
                self._add(before, -1)
            if row is not None:
                self._add(row, 1)

    def of(self, product_id: int) -> tuple[float, int]:
        """A product's mean of stars, two decimals, and the number of its reviews; 0.0 where it has none."""
        if product_id not in self._changed:
            return self._means.get(product_id, _NONE)
        (stars, count), more = self._shared.get(product_id, (0, 0)), self._changed[product_id]
        return _mean(stars + more[0], count + more[1])

    def _add(self, review: Row, sign: int) -> None:
        stars, count = self._changed.get(review["product_id"], (0, 0))
        self._changed[review["product_id"]] = (stars + sign * review["rating"], count + sign)


def _mean(stars: int, count: int) -> tuple[float, int]:
    return (round(stars / count, 2), count) if count else _NONE


def _sum_up(base: Mapping[int, Row]) -> tuple[Mapping[int, Row], _Sums, _Means]:
    sums: _Sums = {}
    for review in base.values():
        stars, count = sums.get(review["product_id"], (0, 0))
        sums[review["product_id"]] = (stars + review["rating"], count + 1)
    # Holding the rows keeps their identity from being given to others while the sums are in the cache.
    return base, sums, {key: _mean(*sum_of) for key, sum_of in sums.items()}
