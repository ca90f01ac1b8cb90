"""The library of an account: songs and albums that it keeps, and songs that are downloaded."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import page
from pi_gym.apps.spotify.albums import album_line
from pi_gym.apps.spotify.app import APP
from pi_gym.apps.spotify.kept import keep, kept, newest_first
from pi_gym.apps.spotify.ratings import MusicRatings
from pi_gym.apps.spotify.songs import song_line, titled
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError


@APP.operation("write")
def add_song_to_library(desk: Desk, song_id: int) -> Any:
    """Put a song into your song library; an error where it is there already.

    Args:
        song_id: the song's id.
    """
    song = desk.need("songs", song_id)
    already = f"{titled(song)} (song {song_id}) is in your library already."
    keep(desk, "library_songs", "song", song_id, "added_at", already)
    return {"message": f"{titled(song)} is in your library now.", "song_id": song_id}


@APP.operation("write")
def add_album_to_library(desk: Desk, album_id: int) -> Any:
    """Put an album into your album library; an error where it is there already. The song library does not change.

    Args:
        album_id: the album's id.
    """
    album = desk.need("albums", album_id)
    already = f"{titled(album)} (album {album_id}) is in your library already."
    keep(desk, "library_albums", "album", album_id, "added_at", already)
    return {"message": f"{titled(album)} is in your library now.", "album_id": album_id}


@APP.operation("read")
def show_song_library(desk: Desk, page_index: int = 0, page_limit: int = 5) -> Any:
    """Show the songs of your library, the last added first, and whether each is downloaded.

    Args:
        page_index: which page, from 0.
        page_limit: songs a page, 1 to 20.
    """
    ratings = MusicRatings(desk)
    downloaded = {row["song"] for _, row in desk.own("downloads")}

    def show(_: int, row: Row) -> dict[str, Any]:
        key = row["song"]
        line = song_line(key, desk.need("songs", key), ratings)
        return {**line, "is_downloaded": key in downloaded, "added_at": row["added_at"]}

    found = newest_first(desk, "library_songs", "song", "added_at")
    nothing = "Your song library is empty. spotify__add_song_to_library adds to it; spotify__search_songs finds songs."
    return page(found, page_index, page_limit, "songs", show, nothing)


@APP.operation("read")
def show_album_library(desk: Desk, page_index: int = 0, page_limit: int = 5) -> Any:
    """Show the albums of your library, the last added first.

    Args:
        page_index: which page, from 0.
        page_limit: albums a page, 1 to 20.
    """
    ratings = MusicRatings(desk)

    def show(_: int, row: Row) -> dict[str, Any]:
        key = row["album"]
        return {**album_line(key, desk.need("albums", key), ratings), "added_at": row["added_at"]}

    found = newest_first(desk, "library_albums", "album", "added_at")
    nothing = (
        "Your album library is empty. spotify__add_album_to_library adds to it; spotify__search_albums finds albums."
    )
    return page(found, page_index, page_limit, "albums", show, nothing)


@APP.operation("write")
def remove_downloaded_song(desk: Desk, song_id: int) -> Any:
    """Remove a downloaded song from the device. It stays in library, likes and playlists.

    Args:
        song_id: the song's id; show_song and show_song_library say whether a song is downloaded.
    """
    song = desk.need("songs", song_id)
    mine = kept(desk, "downloads", "song", song_id)
    if mine is None:
        raise ToolError(
            f"{titled(song)} (song {song_id}) is not downloaded, so there is nothing to remove; is_downloaded in"
            " spotify__show_song and spotify__show_song_library says which songs are."
        )
    desk.delete("downloads", mine[0])
    return {"message": f"The download of {titled(song)} is removed.", "song_id": song_id}
