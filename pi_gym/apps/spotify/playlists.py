"""Playlists: songs in order. Everybody sees public ones, only the owner private ones; only owners change them."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.accounts import full_name, holder
from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import page
from pi_gym.apps.row_search import words_of
from pi_gym.apps.spotify import filters
from pi_gym.apps.spotify.app import APP
from pi_gym.apps.spotify.songs import song_name, song_or_gone, titled
from pi_gym.apps.texts import is_blank
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

SEARCHED = {"title": 1}
SORTED = ("like_count", "rating", "created_at", "updated_at", "title")
MAX_SONGS = 100


@APP.operation("read")
def search_playlists(
    desk: Desk,
    query: str = "",
    min_like_count: int = 0,
    max_like_count: int = filters.MAX_COUNT,
    min_rating: float = 0.0,
    max_rating: float = 5.0,
    page_index: int = 0,
    page_limit: int = 5,
    sort_by: str | None = None,
) -> Any:
    """Search public playlists and your own by words of the title, best match first.

    Without a query all that pass the filters are found, the most liked first. show_playlist_library lists only yours
    and those that you like; search_users finds the public playlists of one person.

    Args:
        query: words to look for; empty for all playlists.
        min_like_count: the least number of likes.
        max_like_count: the greatest number of likes.
        min_rating: the least rating, 1.0 to 5.0; playlists that nobody has rated are left out as soon as min_rating is
            above 1 or max_rating below 5.
        max_rating: the greatest rating.
        page_index: which page, from 0.
        page_limit: playlists a page, 1 to 20.
        sort_by: + or - (ascending or descending) and like_count, rating, created_at, updated_at or title; null for the
            best match first.
    """
    limits = {"like_count": filters.limit("like_count", min_like_count, max_like_count, 0, filters.MAX_COUNT)}
    stars = filters.limit("rating", min_rating, max_rating, filters.WORST, filters.BEST)
    mine = desk.account_id
    found = filters.candidates(desk, "playlists", query, SEARCHED, {})
    found = filters.within([pair for pair in found if _open(pair[1], mine)], limits)
    if stars is not None:
        found = filters.within([pair for pair in found if pair[1]["rating"] is not None], {"rating": stars})
    found = filters.sorted_by(found, sort_by or (None if words_of(query) else "-like_count"), SORTED)
    nothing = (
        "No playlists match. Try fewer or other words, or wider bounds; spotify__show_playlist_library lists your own."
    )
    return page(found, page_index, page_limit, "playlists", lambda key, row: _line(desk, key, row), nothing)


@APP.operation("write")
def create_playlist(desk: Desk, title: str, is_public: bool = False) -> Any:
    """Make a new, empty playlist.

    Args:
        title: its title, at most 100 characters; it must not be empty.
        is_public: whether others can find and see it.
    """
    cleaned = title.strip()
    if is_blank(cleaned):
        raise ToolError("The title is empty; give the playlist a title.")
    key = desk.insert(
        "playlists",
        account=desk.account_id,
        title=cleaned,
        is_public=is_public,
        created_at=desk.now,
        updated_at=desk.now,
    )
    return {"message": f"Playlist {cleaned!r} created; spotify__add_song_to_playlist fills it.", "playlist_id": key}


@APP.operation("read")
def show_playlist(desk: Desk, playlist_id: int) -> Any:
    """Show a playlist with its songs in order.

    Args:
        playlist_id: the playlist's id: a public one, or one of your own.
    """
    playlist = visible_playlist(desk, playlist_id)
    return {
        **_line(desk, playlist_id, playlist),
        "duration": sum(song_or_gone(desk, key)["duration"] for key in playlist["songs"]),
        "songs": [song_name(key, song_or_gone(desk, key)) for key in playlist["songs"][:MAX_SONGS]],
    }


@APP.operation("read")
def show_playlist_library(
    desk: Desk, page_index: int = 0, page_limit: int = 5, is_public: bool | None = None
) -> Any:  # fmt: skip
    """Show your playlists, then those of others that you like; each part by title.

    Args:
        page_index: which page, from 0.
        page_limit: playlists a page, 1 to 20.
        is_public: only public (true) or private (false) ones; null for both.
    """
    mine, table = desk.account_id, desk.table("playlists")
    found = dict(desk.having("playlists", "account", mine))
    for _, like in desk.own("liked_playlists"):
        row = table.get(like["playlist"])
        if row is not None and _open(row, mine):
            found[like["playlist"]] = row
    chosen = [pair for pair in found.items() if is_public is None or pair[1]["is_public"] == is_public]
    chosen.sort(key=lambda pair: (pair[1]["account"] != mine, pair[1]["title"].casefold(), pair[0]))
    nothing = (
        "There are no such playlists in your library. spotify__create_playlist makes one, spotify__like_playlist adds"
        " another's."
    )
    return page(chosen, page_index, page_limit, "playlists", lambda key, row: _line(desk, key, row), nothing)


@APP.operation("write")
def add_song_to_playlist(desk: Desk, playlist_id: int, song_id: int) -> Any:
    """Add a song to the end of one of your playlists; an error where it is there already.

    Args:
        playlist_id: the playlist's id; it must be your own.
        song_id: the song's id.
    """
    playlist, song = own_playlist(desk, playlist_id), desk.need("songs", song_id)
    if song_id in playlist["songs"]:
        raise ToolError(f"{titled(song)} (song {song_id}) is in the playlist {playlist['title']!r} already.")
    if len(playlist["songs"]) >= MAX_SONGS:
        raise ToolError(
            f"The playlist {playlist['title']!r} is full: it has {MAX_SONGS} songs. Remove one with"
            " spotify__remove_song_from_playlist, or make another with spotify__create_playlist."
        )
    songs = [*playlist["songs"], song_id]
    desk.update("playlists", playlist_id, songs=songs, updated_at=desk.now)
    return {
        "message": f"{titled(song)} added to {playlist['title']!r}.",
        "playlist_id": playlist_id,
        "song_count": len(songs),
    }


@APP.operation("write")
def remove_song_from_playlist(desk: Desk, playlist_id: int, song_id: int) -> Any:
    """Remove a song from one of your playlists; the others keep their order.

    Args:
        playlist_id: the playlist's id; it must be your own.
        song_id: the song's id.
    """
    playlist = own_playlist(desk, playlist_id)
    listed = song_id in playlist["songs"]
    song = song_or_gone(desk, song_id) if listed else desk.need("songs", song_id)
    if not listed:
        raise ToolError(
            f"{titled(song)} (song {song_id}) is not in the playlist {playlist['title']!r}; spotify__show_playlist"
            " lists its songs."
        )
    songs = [key for key in playlist["songs"] if key != song_id]
    desk.update("playlists", playlist_id, songs=songs, updated_at=desk.now)
    return {
        "message": f"{titled(song)} removed from {playlist['title']!r}.",
        "playlist_id": playlist_id,
        "song_count": len(songs),
    }


def visible_playlist(desk: Desk, playlist_id: int) -> Row:
    """A playlist that the account may see; ToolError where there is none, the same for private ones of others."""
    row = desk.table("playlists").get(playlist_id)
    if row is None or not _open(row, desk.account_id):
        raise ToolError(
            f"There is no playlist with the id {playlist_id} that you can see. spotify__show_playlist_library finds the"
            " ids of yours, spotify__search_playlists those of public ones."
        )
    return row


def own_playlist(desk: Desk, playlist_id: int) -> Row:
    """A playlist of the account's own; ToolError where there is none, or where it is somebody else's."""
    row = visible_playlist(desk, playlist_id)
    if row["account"] != desk.account_id:
        raise ToolError(
            f"The playlist {row['title']!r} ({playlist_id}) belongs to {_owner(desk, row)}; only your own can be"
            " changed. spotify__show_playlist_library lists them, spotify__create_playlist makes a new one."
        )
    return row


def _open(playlist: Row, account: int) -> bool:
    return bool(playlist["is_public"] or playlist["account"] == account)


def _owner(desk: Desk, playlist: Row) -> str:
    return full_name(holder(desk, playlist["account"]))


def _line(desk: Desk, key: int, playlist: Row) -> dict[str, Any]:
    return {
        "playlist_id": key,
        "title": playlist["title"],
        "owner": _owner(desk, playlist),
        "is_own": playlist["account"] == desk.account_id,
        "is_public": playlist["is_public"],
        "song_count": len(playlist["songs"]),
        "like_count": playlist["like_count"],
        "rating": playlist["rating"],
        "created_at": playlist["created_at"],
        "updated_at": playlist["updated_at"],
    }
