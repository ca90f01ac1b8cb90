"""Artists: finding, showing and following them; and the genres."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import page
from pi_gym.apps.row_search import words_of
from pi_gym.apps.spotify import filters
from pi_gym.apps.spotify.app import APP
from pi_gym.apps.spotify.kept import keep, kept
from pi_gym.state.tables import Row

SEARCHED = {"name": 8, "about": 1}
SORTED = ("follower_count", "name")
TOP_SONGS, MAX_ALBUMS = 5, 40


@APP.operation("read")
def search_artists(
    desk: Desk,
    query: str = "",
    genre: str | None = None,
    min_follower_count: int = 0,
    max_follower_count: int = filters.MAX_COUNT,
    page_index: int = 0,
    page_limit: int = 5,
    sort_by: str | None = None,
) -> Any:
    """Search the catalogue's artists by words of their name and of what is said about them, best match first.

    Without a query all artists that pass the filters are found, the most followed first.

    Args:
        query: words to look for; empty for all artists.
        genre: only artists of this genre; show_genres lists them.
        min_follower_count: the least number of followers.
        max_follower_count: the greatest number of followers.
        page_index: which page, from 0.
        page_limit: artists a page, 1 to 20.
        sort_by: + or - (ascending or descending) and follower_count or name; null for the best match first.
    """
    bounds = filters.limit("follower_count", min_follower_count, max_follower_count, 0, filters.MAX_COUNT)
    equal = {"genre": filters.genre_named(desk, genre)}
    found = filters.within(filters.candidates(desk, "artists", query, SEARCHED, equal), {"follower_count": bounds})
    order = sort_by or (None if words_of(query) else "-follower_count")
    nothing = "No artists match. Try fewer or other words, or wider bounds; spotify__search_songs looks for songs too."
    return page(
        filters.sorted_by(found, order, SORTED), page_index, page_limit, "artists", _line, nothing
    )  # fmt: skip


@APP.operation("read")
def show_artist(desk: Desk, artist_id: int) -> Any:
    """Show an artist: genre, followers, albums (the newest first) and the most played songs.

    Args:
        artist_id: the artist's id.
    """
    artist = desk.need("artists", artist_id)
    albums = sorted(desk.having("albums", "artist", artist_id), key=lambda pair: pair[1]["release_date"], reverse=True)
    songs = sorted(desk.having("songs", "artist", artist_id), key=lambda pair: -pair[1]["play_count"])
    return {
        **_line(artist_id, artist),
        "is_following": kept(desk, "followed_artists", "artist", artist_id) is not None,
        "album_count": len(albums),
        "song_count": len(songs),
        "albums": [
            {"album_id": key, "title": album["title"], "release_date": album["release_date"]}
            for key, album in albums[:MAX_ALBUMS]
        ],
        "top_songs": [
            {"song_id": key, "title": song["title"], "album": song["album_title"], "play_count": song["play_count"]}
            for key, song in songs[:TOP_SONGS]
        ],
    }


@APP.operation("write")
def follow_artist(desk: Desk, artist_id: int) -> Any:
    """Follow an artist; an error where you follow them already.

    Args:
        artist_id: the artist's id.
    """
    artist = desk.need("artists", artist_id)
    already = f"You follow {artist['name']} already (artist {artist_id})."
    keep(desk, "followed_artists", "artist", artist_id, "followed_at", already)
    desk.update("artists", artist_id, follower_count=artist["follower_count"] + 1)
    return {"message": f"You follow {artist['name']} now.", "artist_id": artist_id}


@APP.operation("read")
def show_artist_following(desk: Desk, artist_id: int) -> Any:
    """Show whether you follow an artist, since when, and how many accounts do.

    Args:
        artist_id: the artist's id.
    """
    artist = desk.need("artists", artist_id)
    mine = kept(desk, "followed_artists", "artist", artist_id)
    return {
        "artist_id": artist_id,
        "name": artist["name"],
        "is_following": mine is not None,
        "followed_at": None if mine is None else mine[1]["followed_at"],
        "follower_count": artist["follower_count"],
    }


@APP.operation("read")
def show_genres(desk: Desk) -> Any:
    """Show the genres of the catalogue, with the number of artists listed under each: the values of `genre`."""
    return {
        "genres": [
            {"genre": row["name"], "about": row["about"], "artists": len(desk.having("artists", "genre", row["name"]))}
            for _, row in desk.table("genres").rows()
        ]
    }


def _line(key: int, artist: Row) -> dict[str, Any]:
    return {
        "artist_id": key,
        "name": artist["name"],
        "genre": artist["genre"],
        "about": artist["about"],
        "follower_count": artist["follower_count"],
    }
