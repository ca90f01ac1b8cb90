"""Likes of songs, albums and playlists: the count moves with them, and a second like is refused."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import page
from pi_gym.apps.spotify import filters
from pi_gym.apps.spotify.app import APP
from pi_gym.apps.spotify.kept import keep, newest_first
from pi_gym.apps.spotify.playlists import visible_playlist
from pi_gym.apps.spotify.ratings import MusicRatings
from pi_gym.apps.spotify.songs import song_line, titled
from pi_gym.state.tables import Row

SORTED = ("liked_at", "play_count", "like_count", "rating", "release_date", "duration", "title")


@APP.operation("write")
def like_song(desk: Desk, song_id: int) -> Any:
    """Like a song; an error where you like it already.

    Args:
        song_id: the song's id.
    """
    song = desk.need("songs", song_id)
    _like(desk, "song", song_id, song, titled(song))
    return {"message": f"You like {titled(song)} now.", "song_id": song_id}


@APP.operation("write")
def like_album(desk: Desk, album_id: int) -> Any:
    """Like an album; an error where you like it already. Its songs are not liked by that.

    Args:
        album_id: the album's id.
    """
    album = desk.need("albums", album_id)
    _like(desk, "album", album_id, album, titled(album))
    return {"message": f"You like {titled(album)} now.", "album_id": album_id}


@APP.operation("write")
def like_playlist(desk: Desk, playlist_id: int) -> Any:
    """Like a playlist, which puts it into your playlist library; an error where you like it already.

    Args:
        playlist_id: the playlist's id: a public one, or one of your own.
    """
    playlist = visible_playlist(desk, playlist_id)
    _like(desk, "playlist", playlist_id, playlist, f"the playlist {playlist['title']!r}")
    return {"message": f"You like the playlist {playlist['title']!r} now.", "playlist_id": playlist_id}


@APP.operation("read")
def show_liked_songs(desk: Desk, page_index: int = 0, page_limit: int = 5, sort_by: str = "-liked_at") -> Any:
    """Show the songs that you like, the last liked first.

    Args:
        page_index: which page, from 0.
        page_limit: songs a page, 1 to 20.
        sort_by: + or - (ascending or descending) and liked_at, play_count, like_count, rating, release_date, duration
            or title.
    """
    ratings = MusicRatings(desk)
    found: filters.Found = [(row["song"], row) for _, row in newest_first(desk, "liked_songs", "song", "liked_at")]
    if sort_by.strip() not in ("", "-liked_at"):
        whole = [(key, {**desk.need("songs", key), "liked_at": row["liked_at"]}) for key, row in found]
        found = filters.sorted_by(whole, sort_by, SORTED, ratings.song)

    def show(key: int, row: Row) -> dict[str, Any]:
        return {**song_line(key, desk.need("songs", key), ratings), "liked_at": row["liked_at"]}

    nothing = "You like no songs yet. spotify__like_song likes one; spotify__search_songs finds some."
    return page(found, page_index, page_limit, "songs", show, nothing)


def _like(desk: Desk, record: str, key: int, row: Row, name: str) -> None:
    keep(desk, f"liked_{record}s", record, key, "liked_at", f"You like {name} already ({record} {key}).")
    desk.update(f"{record}s", key, like_count=row["like_count"] + 1)
