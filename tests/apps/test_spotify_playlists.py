"""Spotify's playlists: order, who sees and who changes them."""

from __future__ import annotations

from typing import Any

import pytest
from support.spotify import PER, do, error, signed_in, song_ids

from pi_gym.apps.spotify.playlists import MAX_SONGS
from pi_gym.tools import ToolContext


def titles(context: ToolContext, operation: str, **arguments: Any) -> list[str]:
    return [row["title"] for row in do(context, operation, **arguments)["playlists"]]


def test_a_new_playlist_is_empty_private_and_ones_own() -> None:
    context = signed_in()
    made = do(context, "create_playlist", title="  Crumble ")
    assert made["playlist_id"] == 100_001
    assert do(context, "show_playlist", playlist_id=100_001) == {
        "playlist_id": 100_001, "title": "Crumble", "owner": "Ida Note", "is_own": True, "is_public": False,
        "song_count": 0, "like_count": 0, "rating": None, "created_at": "2026-04-01T09:00:00",
        "updated_at": "2026-04-01T09:00:00", "duration": 0, "songs": [],
    }  # fmt: skip
    assert "title is empty" in error(context, "create_playlist", title=" ", is_public=True)
    long = error(context, "create_playlist", title="x" * 101)
    assert "at most 100" in long


def test_songs_are_added_at_the_end_once() -> None:
    context = signed_in()
    added = do(context, "add_song_to_playlist", playlist_id=50001, song_id=1)
    assert (added["song_count"], added["playlist_id"]) == (4, 50001)
    shown = do(context, "show_playlist", playlist_id=50001)
    assert song_ids(shown) == [10, 4, 7, 1]
    assert shown["songs"][0] == {"song_id": 10, "title": "Hour One", "artist": "Proving Basket", "duration": 600}
    assert (shown["duration"], shown["updated_at"]) == (1290, "2026-04-01T09:00:00")
    text = error(context, "add_song_to_playlist", playlist_id=50001, song_id=4)
    assert "'Second Rise' by The Crumb Collectors (song 4) is in the playlist 'Dough rising' already" in text
    assert "search_songs finds ids" in error(context, "add_song_to_playlist", playlist_id=50001, song_id=99)


def test_removing_keeps_the_order_of_the_others() -> None:
    context = signed_in()
    do(context, "remove_song_from_playlist", playlist_id=50001, song_id=4)
    assert song_ids(do(context, "show_playlist", playlist_id=50001)) == [10, 7]
    text = error(context, "remove_song_from_playlist", playlist_id=50001, song_id=4)
    assert "is not in the playlist 'Dough rising'; spotify__show_playlist lists its songs" in text
    assert "search_songs" in error(context, "remove_song_from_playlist", playlist_id=50001, song_id=99)


@pytest.mark.parametrize("operation", ["add_song_to_playlist", "remove_song_from_playlist"])
def test_only_owners_change_a_playlist(operation: str) -> None:
    text = error(signed_in(), operation, playlist_id=50004, song_id=5)
    assert "'Per's picks'" in text or '"Per\'s picks"' in text
    assert "belongs to Per Other; only your own can be changed" in text


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [("show_playlist", {}), ("add_song_to_playlist", {"song_id": 1}), ("remove_song_from_playlist", {"song_id": 5}),
     ("like_playlist", {}), ("add_to_queue", {}), ("play_music", {})],
)  # fmt: skip
def test_private_playlists_of_others_are_as_if_they_did_not_exist(operation: str, arguments: dict[str, Any]) -> None:
    private = error(signed_in(), operation, playlist_id=50003, **arguments)
    absent = error(signed_in(), operation, playlist_id=77, **arguments)
    assert private == absent.replace("77", "50003")
    assert "There is no playlist with the id 50003 that you can see" in private
    assert "spotify__show_playlist_library" in private


def test_a_full_playlist_takes_no_more() -> None:
    context = signed_in()
    key = do(context, "create_playlist", title="Everything")["playlist_id"]
    table = context.world.apps["spotify"].table("playlists").update(key, songs=list(range(200, 200 + MAX_SONGS)))
    context.world.put_app("spotify", context.world.apps["spotify"].put("playlists", table))
    text = error(context, "add_song_to_playlist", playlist_id=key, song_id=1)
    assert f"is full: it has {MAX_SONGS} songs" in text


def test_the_library_has_ones_own_playlists_then_liked_ones() -> None:
    context = signed_in()
    assert titles(context, "show_playlist_library") == ["Dough rising", "Shop radio", "Per's picks"]
    do(context, "like_playlist", playlist_id=2)
    do(context, "like_playlist", playlist_id=50001)
    assert titles(context, "show_playlist_library") == ["Dough rising", "Shop radio", "Per's picks", "Rain songs"]
    assert titles(context, "show_playlist_library", is_public=False) == ["Dough rising"]
    assert titles(context, "show_playlist_library", is_public=True, page_limit=2) == ["Shop radio", "Per's picks"]
    do(context, "login", username="rosa.thorne@letterbox.example", password="thimble")
    assert titles(context, "show_playlist_library", is_public=False) == []
    assert "create_playlist makes one" in do(context, "show_playlist_library", is_public=False)["message"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, ["Slow Sunday", "Rain songs", "Shop radio", "Per's picks", "Dough rising", "Nothing yet"]),
        ({"query": "rain"}, ["Rain songs"]),
        ({"query": "dough"}, ["Dough rising"]),
        ({"query": "secret"}, []),
        ({"query": "pavel"}, []),
        ({"min_like_count": 2, "max_like_count": 12}, ["Rain songs"]),
        ({"min_rating": 4.0}, ["Slow Sunday", "Shop radio", "Per's picks"]),
        ({"max_rating": 3.5}, ["Rain songs"]),
        ({"sort_by": "-rating", "page_limit": 3}, ["Shop radio", "Slow Sunday", "Per's picks"]),
        ({"sort_by": "+title", "page_limit": 2}, ["Dough rising", "Nothing yet"]),
    ],
)
def test_public_playlists_and_ones_own_are_found(arguments: dict[str, Any], expected: list[str]) -> None:
    found = do(signed_in(), "search_playlists", **{"page_limit": 20, **arguments})
    assert [row["title"] for row in found["playlists"]] == expected
    assert expected or "show_playlist_library lists your own" in found["message"]


def test_whose_playlist_is_found_depends_on_who_looks() -> None:
    context = signed_in()
    do(context, "login", **PER)
    assert titles(context, "search_playlists", query="secret") == ["Per's secret rye"]
    assert titles(context, "search_playlists", query="dough") == []


def test_wrong_filters_of_a_playlist_search_are_explained() -> None:
    context = signed_in()
    assert "lies above max_rating" in error(context, "search_playlists", min_rating=5.0, max_rating=2.0)
    assert "lies above max_like_count" in error(context, "search_playlists", min_like_count=5, max_like_count=2)
    assert "one of: like_count, rating, created_at" in error(context, "search_playlists", sort_by="-owner")
