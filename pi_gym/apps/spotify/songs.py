"""Songs: finding and showing them, and how lists show one."""

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

SEARCHED = {"title": 8, "artist_name": 4, "album_title": 2}
_GONE: Row = {"title": "a song that is gone", "artist": 0, "artist_name": "nobody", "album": 0, "album_title": "",
              "genre": "", "release_date": "", "duration": 0, "play_count": 0, "like_count": 0}  # fmt: skip
SORTED = ("play_count", "like_count", "rating", "release_date", "duration", "title")


@APP.operation("read")
def search_songs(
    desk: Desk,
    query: str = "",
    artist_id: int | None = None,
    album_id: int | None = None,
    genre: str | None = None,
    min_release_date: str = "",
    max_release_date: str = "",
    min_duration: int = 0,
    max_duration: int = filters.MAX_SECONDS,
    min_rating: float = 0.0,
    max_rating: float = 5.0,
    min_like_count: int = 0,
    max_like_count: int = filters.MAX_COUNT,
    min_play_count: int = 0,
    max_play_count: int = filters.MAX_COUNT,
    page_index: int = 0,
    page_limit: int = 5,
    sort_by: str | None = None,
) -> Any:
    """Search the catalogue's songs by words of title, artist and album, best match first.

    Without a query all songs that pass the filters are found, the most played first.

    Args:
        query: words to look for; empty for all songs.
        artist_id: only songs of this artist.
        album_id: only songs of this album.
        genre: only songs of this genre; show_genres lists them.
        min_release_date: only songs released on this date or later, like 2024-05-17; empty for any.
        max_release_date: only songs released on this date or earlier; empty for any.
        min_duration: the least length in seconds.
        max_duration: the greatest length in seconds.
        min_rating: the least rating; ratings are means of reviews, 1.0 to 5.0. Songs that nobody has reviewed are left
            out as soon as min_rating is above 1 or max_rating below 5.
        max_rating: the greatest rating.
        min_like_count: the least number of likes.
        max_like_count: the greatest number of likes.
        min_play_count: the least number of plays.
        max_play_count: the greatest number of plays.
        page_index: which page, from 0.
        page_limit: songs a page, 1 to 20.
        sort_by: + or - (ascending or descending) and play_count, like_count, rating, release_date, duration or title;
            null for the best match first.
    """
    if artist_id is not None:
        desk.need("artists", artist_id)
    if album_id is not None:
        desk.need("albums", album_id)
    limits = {
        "release_date": filters.released(min_release_date, max_release_date),
        "duration": filters.limit("duration", min_duration, max_duration, 0, filters.MAX_SECONDS),
        "like_count": filters.limit("like_count", min_like_count, max_like_count, 0, filters.MAX_COUNT),
        "play_count": filters.limit("play_count", min_play_count, max_play_count, 0, filters.MAX_COUNT),
    }
    stars = filters.limit("rating", min_rating, max_rating, filters.WORST, filters.BEST)
    equal = {"album": album_id, "artist": artist_id, "genre": filters.genre_named(desk, genre)}
    ratings = MusicRatings(desk)
    found = filters.within(filters.candidates(desk, "songs", query, SEARCHED, equal), limits)
    found = filters.rated(found, stars, ratings.song)
    order = sort_by or (None if words_of(query) else "-play_count")
    found = filters.sorted_by(found, order, SORTED, ratings.song)
    nothing = (
        "No songs match. Try fewer or other words, or wider bounds; spotify__search_artists and"
        " spotify__search_albums find others."
    )
    return page(found, page_index, page_limit, "songs", lambda key, row: song_line(key, row, ratings), nothing)


@APP.operation("read")
def show_song(desk: Desk, song_id: int) -> Any:
    """Show a song: artist, album, length, counts, rating, and whether you like, keep or have downloaded it.

    Args:
        song_id: the song's id.
    """
    song, ratings = desk.need("songs", song_id), MusicRatings(desk)
    return {
        **song_line(song_id, song, ratings),
        "track": song["track"],
        "review_count": ratings.reviews(song_id),
        "is_liked": kept(desk, "liked_songs", "song", song_id) is not None,
        "in_library": kept(desk, "library_songs", "song", song_id) is not None,
        "is_downloaded": kept(desk, "downloads", "song", song_id) is not None,
    }


def song_or_gone(desk: Desk, key: int) -> Row:
    """A song that a record names; one without a name where it is gone, as a task's rows may bring it about."""
    return desk.table("songs").get(key) or _GONE


def song_line(key: int, song: Row, ratings: MusicRatings) -> dict[str, Any]:
    """A song as lists show it, with its counts and rating."""
    return {
        **song_name(key, song),
        "artist_id": song["artist"],
        "album_id": song["album"],
        "album": song["album_title"],
        "genre": song["genre"],
        "release_date": song["release_date"],
        "play_count": song["play_count"],
        "like_count": song["like_count"],
        "rating": ratings.song(key),
    }


def song_name(key: int, song: Row) -> dict[str, Any]:
    """A song in as few words as possible, for long lists: durations are in seconds."""
    return {"song_id": key, "title": song["title"], "artist": song["artist_name"], "duration": song["duration"]}


def titled(song: Row) -> str:
    """A song's title and artist, for messages."""
    return f"{song['title']!r} by {song['artist_name']}"
