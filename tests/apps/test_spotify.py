"""Spotify: signing in, likes, follows, the library, other users."""

from __future__ import annotations

from typing import Any

import pytest
from support.apps import app_context
from support.spotify import IDA, PER, do, error, signed_in, song_ids

from pi_gym.apps import load_app

NEEDED: dict[str, dict[str, Any]] = {
    "create_playlist": {"title": "x"},
    "add_song_to_playlist": {"playlist_id": 50001, "song_id": 1},
    "remove_song_from_playlist": {"playlist_id": 50001, "song_id": 1},
    "remove_song_from_queue": {"position": 0},
    "review_song": {"song_id": 1, "rating": 3},
    "show_song_review": {"review_id": 1},
    "update_song_review": {"review_id": 1},
}
RECORDS = ["song", "album", "artist", "playlist"]
OPEN = {"login"}
OPERATIONS = [one.name.removeprefix("spotify__") for one in load_app("spotify").operations]


def arguments_for(operation: str) -> dict[str, Any]:
    """What an operation cannot do without."""
    guessed = {f"{record}_id": 1 for record in RECORDS if operation in {
        f"like_{record}", f"add_{record}_to_library", f"show_{record}", f"follow_{record}", f"show_{record}_following",
        f"show_{record}_reviews", f"remove_downloaded_{record}"}}  # fmt: skip
    return NEEDED.get(operation, guessed)


@pytest.mark.parametrize("operation", [name for name in OPERATIONS if name not in OPEN])
def test_nothing_is_open_before_one_signs_in(operation: str) -> None:
    text = error(app_context("spotify"), operation, **arguments_for(operation))
    assert "Sign in first: spotify__login(username, password)" in text


def test_login_opens_the_app_and_logout_closes_it() -> None:
    context = app_context("spotify")
    assert "Ida Note" in do(context, "login", **IDA)["message"]
    assert song_ids(do(context, "show_liked_songs"))
    assert "Signed out" in do(context, "logout")["message"]
    assert "Sign in first" in error(context, "show_liked_songs")
    assert "Wrong password" in error(context, "login", username=IDA["username"], password="yeast")
    assert "no account" in error(context, "login", username="nobody@notes.example", password="yeast")


# -- likes and follows -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "key", "name"),
    [("song", 7, "'Rain on the Awning' by Oven Door Trio"), ("album", 1, "'Rye and Rain' by The Crumb Collectors"),
     ("playlist", 1, "the playlist 'Slow Sunday'"), ("playlist", 50001, "the playlist 'Dough rising'")],
)  # fmt: skip
def test_a_like_moves_the_count_once(record: str, key: int, name: str) -> None:
    context, about = signed_in(), {f"{record}_id": key}
    before = do(context, f"show_{record}", **about)["like_count"]
    assert do(context, f"like_{record}", **about)["message"] == f"You like {name} now."
    assert do(context, f"show_{record}", **about)["like_count"] == before + 1
    assert f"You like {name} already ({record} {key})" in error(context, f"like_{record}", **about)


@pytest.mark.parametrize(("record", "finder"), [("song", "search_songs"), ("album", "search_albums")])
def test_what_does_not_exist_cannot_be_liked_or_kept(record: str, finder: str) -> None:
    for operation in (f"like_{record}", f"add_{record}_to_library", f"show_{record}"):
        text = error(signed_in(), operation, **{f"{record}_id": 99})
        assert f"There is no {record} with the id 99. spotify__{finder} finds ids." in text


def test_what_others_like_counts_for_nobody_else() -> None:
    context = signed_in()
    do(context, "like_song", song_id=5)
    do(context, "login", **PER)
    assert song_ids(do(context, "show_liked_songs")) == [1]
    assert do(context, "show_song", song_id=5)["is_liked"] is False
    do(context, "like_song", song_id=5)
    assert do(context, "show_song", song_id=5)["like_count"] == 14


def test_liked_songs_stand_with_the_last_one_first_or_as_told() -> None:
    context = signed_in()
    assert song_ids(do(context, "show_liked_songs")) == [1, 6]
    for song in (12, 10):
        do(context, "like_song", song_id=song)
    listed = do(context, "show_liked_songs")
    assert song_ids(listed) == [10, 12, 1, 6]
    assert listed["songs"][0]["liked_at"] == "2026-04-01T09:00:00"
    assert song_ids(do(context, "show_liked_songs", sort_by="+liked_at")) == [6, 1, 10, 12]
    assert song_ids(do(context, "show_liked_songs", sort_by="+duration")) == [1, 6, 10, 12]
    assert song_ids(do(context, "show_liked_songs", sort_by="-rating", page_limit=2)) == [6, 1]
    assert song_ids(do(context, "show_liked_songs", page_index=1, page_limit=3)) == [6]
    assert "one of: liked_at, play_count" in error(context, "show_liked_songs", sort_by="-name")


def test_without_likes_the_list_says_how_to_get_some() -> None:
    context = app_context("spotify")
    do(context, "login", username="rosa.thorne@letterbox.example", password="thimble")
    for operation, says in [("show_liked_songs", "like_song"), ("show_song_library", "add_song_to_library"),
                            ("show_album_library", "add_album_to_library")]:  # fmt: skip
        listed = do(context, operation)
        assert listed["total"] == 0
        assert says in listed["message"]


def test_following_is_shown_and_counted_once() -> None:
    context = signed_in()
    assert do(context, "show_artist_following", artist_id=2) == {
        "artist_id": 2, "name": "Oven Door Trio", "is_following": True, "followed_at": "2025-01-02T09:00:00",
        "follower_count": 4000,
    }  # fmt: skip
    shown = do(context, "show_artist_following", artist_id=1)
    assert (shown["is_following"], shown["followed_at"], shown["follower_count"]) == (False, None, 900)
    do(context, "follow_artist", artist_id=1)
    shown = do(context, "show_artist_following", artist_id=1)
    assert (shown["is_following"], shown["followed_at"], shown["follower_count"]) == (True, "2026-04-01T09:00:00", 901)
    assert "You follow The Crumb Collectors already" in error(context, "follow_artist", artist_id=1)
    for operation in ("follow_artist", "show_artist_following"):
        assert "spotify__search_artists finds ids" in error(context, operation, artist_id=44)


# -- library -----------------------------------------------------------------------------------------------------------


def test_songs_are_kept_once_and_the_last_stands_first() -> None:
    context = signed_in()
    assert song_ids(do(context, "show_song_library")) == [10, 6]
    do(context, "add_song_to_library", song_id=3)
    listed = do(context, "show_song_library")
    assert song_ids(listed) == [3, 10, 6]
    assert [song["is_downloaded"] for song in listed["songs"]] == [False, True, False]
    assert do(context, "show_song", song_id=3)["in_library"] is True
    text = error(context, "add_song_to_library", song_id=3)
    assert "'Millstone Waltz' by The Crumb Collectors (song 3) is in your library already" in text


def test_albums_are_kept_once_and_leave_the_song_library_alone() -> None:
    context = signed_in()
    do(context, "add_album_to_library", album_id=2)
    assert [album["album_id"] for album in do(context, "show_album_library")["albums"]] == [2, 3]
    assert song_ids(do(context, "show_song_library")) == [10, 6]
    assert do(context, "show_album", album_id=2)["in_library"] is True
    assert "(album 2) is in your library already" in error(context, "add_album_to_library", album_id=2)


def test_a_download_is_removed_and_nothing_else() -> None:
    context = signed_in()
    assert do(context, "show_song", song_id=10)["is_downloaded"] is True
    do(context, "remove_downloaded_song", song_id=10)
    shown = do(context, "show_song", song_id=10)
    assert (shown["is_downloaded"], shown["in_library"]) == (False, True)
    text = error(context, "remove_downloaded_song", song_id=10)
    assert "'Hour One' by Proving Basket (song 10) is not downloaded" in text
    assert "is_downloaded" in text
    assert "not downloaded" in error(context, "remove_downloaded_song", song_id=5), "Per has it, not Ida"
    assert "search_songs finds ids" in error(context, "remove_downloaded_song", song_id=99)


# -- other users -------------------------------------------------------------------------------------------------------


def test_users_are_found_by_name_and_address_with_their_public_playlists() -> None:
    context = signed_in()
    (found,) = do(context, "search_users", query="per other")["users"]
    assert found == {
        "first_name": "Per", "last_name": "Other", "email": "per@notes.example", "is_you": False,
        "public_playlist_count": 2,
        "public_playlists": [
            {"playlist_id": 50004, "title": "Per's picks"}, {"playlist_id": 50005, "title": "Nothing yet"},
        ],
    }  # fmt: skip
    letterbox = do(context, "search_users", query="letterbox")["users"]
    assert [user["first_name"] for user in letterbox] == ["Rosa", "Pavel"]
    assert do(context, "search_users", query="ida")["users"][0]["is_you"] is True
    assert do(context, "search_users", page_limit=2)["total"] == 4
    assert "Try a first name" in do(context, "search_users", query="zeppelin")["message"]
