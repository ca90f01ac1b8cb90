"""Ratings: the means of what reviews give. They are computed, so a review never leaves a rating behind.

What the shared reviews sum up to is computed once per process, at the first look; what the session changed is added
row by row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from pi_gym.apps.desk import Desk
from pi_gym.caches import BoundedCache
from pi_gym.state.tables import Row

SHARED_CACHE = 64
_Sums: TypeAlias = dict[int, tuple[int, int]]
"""Stars and number of reviews, by song or by album."""


class _Shared(NamedTuple):
    """The sums and means over shared rows. Holding them keeps their identity from being given to others."""

    reviews: Mapping[int, Row]
    songs: Mapping[int, Row]
    by_song: _Sums
    by_album: _Sums
    means: dict[int, float | None]


_shared: BoundedCache[tuple[int, int], _Shared] = BoundedCache(SHARED_CACHE)


class MusicRatings:
    """The ratings as one call sees them.

    Args:
        desk: the app.
    """

    __slots__ = ("_albums", "_changed", "_shared", "_songs")

    def __init__(self, desk: Desk) -> None:
        reviews, self._songs = desk.table("reviews"), desk.table("songs")
        old, songs = reviews.base, self._songs.base
        self._shared = _shared.get((id(old), id(songs)), lambda: _read(old, songs))
        self._changed: _Sums = {}
        for key, row in reviews.changed_rows().items():
            before = old.get(key)
            if before is not None:
                _add(self._changed, before["song"], -before["rating"], -1)
            if row is not None:
                _add(self._changed, row["song"], row["rating"], 1)
        self._albums: _Sums | None = None

    def song(self, song_id: int) -> float | None:
        """A song's rating, 1 to 5 with two decimals; None where nobody has reviewed it."""
        if song_id in self._changed:
            return _mean(*self._of(song_id))
        return self._shared.means.get(song_id)

    def reviews(self, song_id: int) -> int:
        """The number of reviews of a song."""
        return self._of(song_id)[1]

    def album(self, album_id: int) -> float | None:
        """An album's rating: the mean of all reviews of its songs; None where there are none."""
        if self._albums is None:
            self._albums = self._changes_of_albums()
        stars, count = self._shared.by_album.get(album_id, (0, 0))
        more, others = self._albums.get(album_id, (0, 0))
        return _mean(stars + more, count + others)

    def _of(self, song_id: int) -> tuple[int, int]:
        stars, count = self._shared.by_song.get(song_id, (0, 0))
        more, others = self._changed.get(song_id, (0, 0))
        return stars + more, count + others

    def _changes_of_albums(self) -> _Sums:
        """The changes to the sums of albums by new reviews, and by songs that a task has put on another album."""
        changes: _Sums = {}
        for key, row in self._songs.changed_rows().items():
            before = self._shared.songs.get(key)
            if before is None or row is None or before["album"] != row["album"]:
                stars, count = self._shared.by_song.get(key, (0, 0))
                if before is not None:
                    _add(changes, before["album"], -stars, -count)
                if row is not None:
                    _add(changes, row["album"], stars, count)
        for key, (stars, count) in self._changed.items():
            song = self._songs.get(key)
            if song is not None:
                _add(changes, song["album"], stars, count)
        return changes


def _read(reviews: Mapping[int, Row], songs: Mapping[int, Row]) -> _Shared:
    by_song = _summed((row["song"], row["rating"], 1) for row in reviews.values())
    by_album = _summed((songs[key]["album"], *found) for key, found in by_song.items() if key in songs)
    means = {key: _mean(*found) for key, found in by_song.items()}
    return _Shared(reviews, songs, by_song, by_album, means)


def _summed(parts: Iterable[tuple[int, int, int]]) -> _Sums:
    sums: _Sums = {}
    for key, stars, count in parts:
        _add(sums, key, stars, count)
    return sums


def _add(sums: _Sums, key: int, stars: int, count: int) -> None:
    before, others = sums.get(key, (0, 0))
    sums[key] = (before + stars, others + count)


def _mean(stars: int, count: int) -> float | None:
    return round(stars / count, 2) if count else None
