"""Spotify's play queue: what plays, what comes next, what a removal does."""

from __future__ import annotations

from typing import Any

import pytest
from support.spotify import PER, do, error, signed_in, song_ids

from pi_gym.apps.spotify.queue import MAX_SONGS
from pi_gym.tools import ToolContext


def queued(*, position: int | None = None) -> ToolContext:
    """A queue of the songs 1, 2, 3 and 4; it plays where there is a position."""
    context = signed_in()
    do(context, "add_to_queue", album_id=1)
    do(context, "add_to_queue", song_id=4)
    if position is not None:
        do(context, "play_music", queue_position=position)
    return context


def state(context: ToolContext) -> tuple[list[int], list[int], bool]:
    """The songs, the positions that are called current, and whether it plays."""
    shown = do(context, "show_song_queue")
    assert [song["position"] for song in shown["songs"]] == list(range(shown["song_count"]))
    current = [song["position"] for song in shown["songs"] if song["is_current"]]
    return song_ids(shown), current, shown["is_playing"]


def test_an_empty_queue_says_what_fills_it() -> None:
    context = signed_in()
    current = do(context, "show_current_song")
    assert current["song"] is None
    assert "Nothing is playing and the queue is empty" in current["message"]
    assert "add_to_queue fills it" in do(context, "show_song_queue")["message"]
    for operation, arguments in [("previous_song", {}), ("remove_song_from_queue", {"position": 0}),
                                 ("play_music", {"queue_position": 0})]:  # fmt: skip
        assert "The queue is empty" in error(context, operation, **arguments)


def test_songs_albums_and_playlists_are_appended_in_their_order() -> None:
    context = signed_in()
    assert do(context, "add_to_queue", song_id=9)["first_position"] == 0
    assert do(context, "add_to_queue", album_id=1) == {
        "message": "Added to the queue: 3 songs.", "first_position": 1, "song_count": 4,
    }  # fmt: skip
    do(context, "add_to_queue", playlist_id=50004)
    do(context, "add_to_queue", song_id=9)
    assert state(context) == ([9, 1, 2, 3, 5, 6, 9], [0], False)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "exactly one of song_id, album_id, playlist_id; got none"),
        ({"song_id": 1, "album_id": 1}, "got song_id and album_id"),
        ({"song_id": 99}, "search_songs finds ids"),
        ({"album_id": 99}, "search_albums finds ids"),
        ({"playlist_id": 99}, "no playlist with the id 99 that you can see"),
        ({"playlist_id": 50005}, "'Nothing yet' has no songs yet"),
    ],
)
def test_what_cannot_be_queued_or_played_is_explained(arguments: dict[str, Any], says: str) -> None:
    assert says in error(signed_in(), "add_to_queue", **arguments)
    played = error(queued(position=1), "play_music", **arguments)
    assert says.replace("playlist_id; got", "playlist_id, queue_position; got") in played


def test_a_full_queue_takes_no_more() -> None:
    context = signed_in()
    do(context, "add_to_queue", song_id=12)
    for _ in range((MAX_SONGS - 1) // 3):
        do(context, "add_to_queue", album_id=1)
    assert "room for 0 more songs, not for 1" in error(context, "add_to_queue", song_id=1)
    do(context, "remove_song_from_queue", position=5)
    assert "room for 1 more songs, not for 3" in error(context, "add_to_queue", album_id=1)
    do(context, "add_to_queue", song_id=1)


@pytest.mark.parametrize(
    ("arguments", "songs"),
    [({"song_id": 9}, [9]), ({"album_id": 2}, [4, 5]), ({"playlist_id": 50001}, [10, 4, 7])],
)
def test_playing_something_else_replaces_the_queue(arguments: dict[str, Any], songs: list[int]) -> None:
    context = queued(position=2)
    played = do(context, "play_music", **arguments)
    assert played["message"].startswith("Now playing ")
    assert (played["position"], played["song_count"], played["song"]["song_id"]) == (0, len(songs), songs[0])
    assert state(context) == (songs, [0], True)


def test_jumping_keeps_the_queue() -> None:
    context = queued()
    assert do(context, "play_music", queue_position=2)["song"]["song_id"] == 3
    assert state(context) == ([1, 2, 3, 4], [2], True)
    for position in (-1, 4):
        text = error(context, "play_music", queue_position=position)
        assert f"queue_position must be between 0 and 3, not {position}: the queue has 4 songs" in text


def test_previous_goes_back_to_the_first_and_no_further() -> None:
    context = queued(position=1)
    assert do(context, "previous_song")["song"]["song_id"] == 1
    assert state(context) == ([1, 2, 3, 4], [0], True)
    assert "first song of the queue" in error(context, "previous_song")


def test_the_current_song_is_shown_whether_it_plays_or_not() -> None:
    context = queued()
    idle = do(context, "show_current_song")
    assert (idle["is_playing"], idle["position"], idle["song"]["song_id"]) == (False, 0, 1)
    assert "Nothing is playing. spotify__play_music with queue_position=0 goes on with 'Rye" in idle["message"]
    do(context, "play_music", queue_position=3)
    current = do(context, "show_current_song")
    assert (current["is_playing"], current["position"], current["song_count"]) == (True, 3, 4)
    assert (current["song"]["title"], current["song"]["album_id"]) == ("Second Rise", 2)
    assert "message" not in current


@pytest.mark.parametrize(
    ("current", "removed", "left", "after", "plays"),
    [
        (2, 0, [2, 3, 4], 1, True),
        (2, 3, [1, 2, 3], 2, True),
        (1, 1, [1, 3, 4], 1, True),
        (3, 3, [1, 2, 3], 2, False),
        (0, 0, [2, 3, 4], 0, True),
    ],
)
def test_a_removal_moves_the_rest_up(current: int, removed: int, left: list[int], after: int, plays: bool) -> None:
    context = queued(position=current)
    name = ["Rye and Rain", "Flour on the Fiddle", "Millstone Waltz", "Second Rise"][removed]
    assert name in do(context, "remove_song_from_queue", position=removed)["message"]
    assert state(context) == (left, [after], plays)


def test_removing_the_last_song_stops_playing() -> None:
    context = signed_in()
    do(context, "play_music", song_id=6)
    do(context, "remove_song_from_queue", position=0)
    assert state(context) == ([], [], False)
    do(context, "add_to_queue", song_id=5)
    assert state(context) == ([5], [0], False)
    assert "position must be between 0 and 0, not 1: the queue has 1 song," in error(
        context, "remove_song_from_queue", position=1
    )


def test_every_account_has_its_own_queue() -> None:
    context = queued(position=2)
    do(context, "login", **PER)
    assert state(context) == ([5], [0], True)
    do(context, "play_music", song_id=7)
    do(context, "login", username="ida@notes.example", password="oven")
    assert state(context) == ([1, 2, 3, 4], [2], True)
