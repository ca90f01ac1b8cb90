"""The play queue of an account: songs in order, one of them the current one.

The position is always that of a song of the queue; in an empty queue it is 0 and nothing plays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.apps.desk import Desk
from pi_gym.apps.spotify.albums import songs_of_album
from pi_gym.apps.spotify.app import APP
from pi_gym.apps.spotify.playlists import visible_playlist
from pi_gym.apps.spotify.ratings import MusicRatings
from pi_gym.apps.spotify.songs import song_line, song_name, song_or_gone, titled
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

MAX_SONGS = 100
_EMPTY: Row = {"songs": [], "position": 0, "playing": False}


@APP.operation("write")
def add_to_queue(
    desk: Desk, song_id: int | None = None, album_id: int | None = None, playlist_id: int | None = None
) -> Any:
    """Append a song, or all songs of an album or of a playlist, to the play queue. What plays goes on playing.

    Give exactly one of the three. A song may stand in the queue more than once; the queue holds at most 100 songs.

    Args:
        song_id: the song to append.
        album_id: the album whose songs to append, in their order.
        playlist_id: the playlist whose songs to append, in their order.
    """
    given = _one_of({"song_id": song_id, "album_id": album_id, "playlist_id": playlist_id})
    queue, added = _queue(desk), _songs(desk, *given)
    free = MAX_SONGS - len(queue["songs"])
    if len(added) > free:
        raise ToolError(
            f"The queue has room for {free} more songs, not for {len(added)}. spotify__remove_song_from_queue makes"
            " room, and spotify__play_music starts a new queue."
        )
    songs = [*queue["songs"], *added]
    _put(desk, songs=songs)
    return {"message": f"Added to the queue: {_count(len(added))}.", "first_position": len(queue["songs"]),
            "song_count": len(songs)}  # fmt: skip


@APP.operation("write")
def play_music(
    desk: Desk,
    song_id: int | None = None,
    album_id: int | None = None,
    playlist_id: int | None = None,
    queue_position: int | None = None,
) -> Any:
    """Play a song, an album or a playlist, which becomes the new queue, or jump to a song of the queue as it is.

    Give exactly one of the four. With queue_position the queue stays and its song at that place plays; with any other
    the whole old queue is replaced. add_to_queue appends instead.

    Args:
        song_id: the song to play.
        album_id: the album to play from its first song.
        playlist_id: the playlist to play from its first song.
        queue_position: the place in the queue to jump to, from 0, as show_song_queue lists them.
    """
    name, value = _one_of(
        {"song_id": song_id, "album_id": album_id, "playlist_id": playlist_id, "queue_position": queue_position}
    )
    if name == "queue_position":
        songs, position = _queue(desk)["songs"], value
        _check_position(songs, position, "queue_position")
    else:
        songs, position = _songs(desk, name, value)[:MAX_SONGS], 0
    _put(desk, songs=songs, position=position, playing=True)
    return _now_playing(desk)


@APP.operation("write")
def previous_song(desk: Desk) -> Any:
    """Go one song back in the queue and play it; an error at the first song."""
    queue = _queue(desk)
    _check_filled(queue["songs"])
    if queue["position"] == 0:
        raise ToolError("This is the first song of the queue; there is none before it.")
    _put(desk, position=queue["position"] - 1, playing=True)
    return _now_playing(desk)


@APP.operation("read")
def show_current_song(desk: Desk) -> Any:
    """Show the song that plays, with its place in the queue; where nothing plays, the song that would go on."""
    queue = _queue(desk)
    if not queue["songs"]:
        nothing = "Nothing is playing and the queue is empty. spotify__play_music plays something."
        return {"message": nothing, "song": None}
    key, position = queue["songs"][queue["position"]], queue["position"]
    song = song_or_gone(desk, key)
    result = {
        "is_playing": queue["playing"],
        "position": position,
        "song_count": len(queue["songs"]),
        "song": song_line(key, song, MusicRatings(desk)),
    }
    if not queue["playing"]:
        result["message"] = (
            f"Nothing is playing. spotify__play_music with queue_position={position} goes on with {titled(song)}."
        )
    return result


@APP.operation("read")
def show_song_queue(desk: Desk) -> Any:
    """Show the play queue: its songs with their positions, which one is the current one, and whether it plays."""
    queue = _queue(desk)
    songs = [
        {"position": position, **song_name(key, song_or_gone(desk, key)), "is_current": position == queue["position"]}
        for position, key in enumerate(queue["songs"])
    ]
    result: dict[str, Any] = {"is_playing": queue["playing"], "song_count": len(songs), "songs": songs}
    if not songs:
        result["message"] = "The queue is empty. spotify__add_to_queue fills it, spotify__play_music starts a new one."
    return result


@APP.operation("write")
def remove_song_from_queue(desk: Desk, position: int) -> Any:
    """Remove one song from the queue; the songs behind it move up.

    Where it is the current one, the next becomes current and plays if the old one did; behind the last song playing
    stops at the one before.

    Args:
        position: its place in the queue, from 0, as show_song_queue lists them.
    """
    queue = _queue(desk)
    songs, current, playing = queue["songs"], queue["position"], queue["playing"]
    _check_position(songs, position, "position")
    left = [*songs[:position], *songs[position + 1 :]]
    if position < current:
        current -= 1
    elif current == len(left):
        current, playing = max(len(left) - 1, 0), False
    _put(desk, songs=left, position=current, playing=playing)
    name = titled(song_or_gone(desk, songs[position]))
    return {"message": f"{name} removed from the queue.", "song_count": len(left)}


def _queue(desk: Desk) -> Row:
    own = desk.own("queues")
    return own[0][1] if own else _EMPTY


def _put(desk: Desk, **columns: Any) -> None:
    own = desk.own("queues")
    if own:
        desk.update("queues", own[0][0], **columns)
    else:
        desk.insert("queues", account=desk.account_id, **columns)


def _one_of(given: Mapping[str, int | None]) -> tuple[str, int]:
    chosen = [(name, value) for name, value in given.items() if value is not None]
    if len(chosen) != 1:
        told = " and ".join(name for name, _ in chosen) or "none"
        raise ToolError(f"Give exactly one of {', '.join(given)}; got {told}.")
    return chosen[0]


def _songs(desk: Desk, name: str, key: int) -> list[int]:
    """The ids of the songs of a song, an album or a playlist, in order; ToolError where there are none."""
    if name == "song_id":
        desk.need("songs", key)
        return [key]
    if name == "album_id":
        album = desk.need("albums", key)
        title, songs = album["title"], [song for song, _ in songs_of_album(desk, key)]
    else:
        playlist = visible_playlist(desk, key)
        title, songs = playlist["title"], list(playlist["songs"])
    if not songs:
        raise ToolError(f"{title!r} has no songs yet, so there is nothing to play.")
    return songs


def _check_filled(songs: list[int]) -> None:
    if not songs:
        raise ToolError("The queue is empty. spotify__add_to_queue fills it, spotify__play_music starts a new one.")


def _check_position(songs: list[int], position: int, name: str) -> None:
    _check_filled(songs)
    if not 0 <= position < len(songs):
        raise ToolError(
            f"{name} must be between 0 and {len(songs) - 1}, not {position}: the queue has {_count(len(songs))}, and"
            " spotify__show_song_queue lists them."
        )


def _now_playing(desk: Desk) -> dict[str, Any]:
    queue = _queue(desk)
    key = queue["songs"][queue["position"]]
    song = desk.need("songs", key)
    return {
        "message": f"Now playing {titled(song)}.",
        "position": queue["position"],
        "song_count": len(queue["songs"]),
        "song": song_name(key, song),
    }


def _count(number: int) -> str:
    return "1 song" if number == 1 else f"{number} songs"
