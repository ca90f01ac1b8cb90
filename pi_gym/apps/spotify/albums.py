"""Albums: finding and showing them, and how lists show one."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import page
from pi_gym.apps.row_search import words_of
from pi_gym.apps.spotify import filters
from pi_gym.apps.spotify.app import APP
from pi_gym.apps.spotify.kept import kept
from pi_gym.apps.spotify.ratings import MusicRatings
from pi_gym.state.tables import Row

SEARCHED = {"title": 8, "artist_name": 4}
SORTED = ("like_count", "rating", "release_date", "title")
MAX_TRACKS = 100


@APP.operation("read")
def search_albums(
    desk: Desk,
    query: str = "",
    genre: str | None = None,
    min_release_date: str = "",
    max_release_date: str = "",
    min_rating: float = 0.0,
    max_rating: float = 5.0,
    min_like_count: int = 0,
    max_like_count: int = filters.MAX_COUNT,
    page_index: int = 0,
    page_limit: int = 5,
    sort_by: str | None = None,
) -> Any:
    """Search the catalogue's albums by words of title and artist, best match first.

    Without a query all albums that pass the filters are found, the most liked first.

    Args:
        query: words to look for; empty for all albums.
        genre: only albums of this genre; show_genres lists them.
        min_release_date: only albums released on this date or later, like 2024-05-17; empty for any.
        max_release_date: only albums released on this date or earlier; empty for any.
        min_rating: the least rating; an album's is the mean of its songs' reviews, 1.0 to 5.0. Albums without a review
            are left out as soon as min_rating is above 1 or max_rating below 5.
        max_rating: the greatest rating.
        min_like_count: the least number of likes.
        max_like_count: the greatest number of likes.
        page_index: which page, from 0.
        page_limit: albums a page, 1 to 20.
        sort_by: + or - (ascending or descending) and like_count, rating, release_date or title; null for the best
            match first.
    """
    limits = {
        "release_date": filters.released(min_release_date, max_release_date),
        "like_count": filters.limit("like_count", min_like_count, max_like_count, 0, filters.MAX_COUNT),
    }
    stars = filters.limit("rating", min_rating, max_rating, filters.WORST, filters.BEST)
    ratings = MusicRatings(desk)
    equal = {"genre": filters.genre_named(desk, genre)}
    found = filters.within(filters.candidates(desk, "albums", query, SEARCHED, equal), limits)
    found = filters.rated(found, stars, ratings.album)
    order = sort_by or (None if words_of(query) else "-like_count")
    found = filters.sorted_by(found, order, SORTED, ratings.album)
    nothing = "No albums match. Try fewer or other words, or wider bounds; spotify__search_songs looks for songs."
    return page(found, page_index, page_limit, "albums", lambda key, row: album_line(key, row, ratings), nothing)


@APP.operation("read")
def show_album(desk: Desk, album_id: int) -> Any:
    """Show an album with its songs in order, and whether you like or keep it.

    Args:
        album_id: the album's id.
    """
    album = desk.need("albums", album_id)
    songs = songs_of_album(desk, album_id)
    return {
        **album_line(album_id, album, MusicRatings(desk)),
        "is_liked": kept(desk, "liked_albums", "album", album_id) is not None,
        "in_library": kept(desk, "library_albums", "album", album_id) is not None,
        "song_count": len(songs),
        "duration": sum(song["duration"] for _, song in songs),
        "songs": [
            {"song_id": key, "title": song["title"], "duration": song["duration"]} for key, song in songs[:MAX_TRACKS]
        ],
    }


def songs_of_album(desk: Desk, album_id: int) -> list[tuple[int, Row]]:
    """An album's songs in order, as (id, row)."""
    return sorted(desk.having("songs", "album", album_id), key=lambda pair: (pair[1]["track"], pair[0]))


def album_line(key: int, album: Row, ratings: MusicRatings) -> dict[str, Any]:
    """An album as lists show it."""
    return {
        "album_id": key,
        "title": album["title"],
        "artist_id": album["artist"],
        "artist": album["artist_name"],
        "genre": album["genre"],
        "release_date": album["release_date"],
        "like_count": album["like_count"],
        "rating": ratings.album(key),
    }
