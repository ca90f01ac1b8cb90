"""Spotify's catalogue: searching songs, albums and artists, and showing one."""

from __future__ import annotations

from typing import Any

import pytest
from support.spotify import do, error, signed_in, song_ids

from pi_gym.tools import ToolContext

CONTEXT = signed_in()


def names(result: dict[str, Any], of: str) -> list[str]:
    return [row.get("title") or row["name"] for row in result[of]]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"query": "rain"}, [1, 7, 2, 3]),
        ({"query": "rye rain"}, [1, 2, 3, 7]),
        ({"query": "oven"}, [6, 7, 8, 9]),
        ({"query": "hour"}, [10, 11, 12]),
        ({"artist_id": 1}, [1, 2, 4, 3, 5]),
        ({"query": "rye", "album_id": 1, "artist_id": 1}, [1, 2, 3]),
        ({"album_id": 3}, [6, 7, 8, 9]),
        ({"genre": "AMBIENT "}, [10, 11, 12]),
        ({"genre": "jazz", "query": "rain"}, [7]),
        ({"min_release_date": "2021-09-03"}, [4, 5, 10, 11, 12]),
        ({"max_release_date": "1994-11-04"}, [6, 7, 8, 9]),
        ({"min_release_date": "2015-03-20", "max_release_date": "2015-03-20"}, [1, 2, 3]),
        ({"min_duration": 600}, [10, 11, 12]),
        ({"max_duration": 180}, [2, 5]),
        ({"min_duration": 180, "max_duration": 200}, [1, 2]),
        ({"min_rating": 3.5}, [6, 1]),
        ({"max_rating": 3.5}, [2]),
        ({"min_rating": 1.5, "max_rating": 4.4}, [1, 2]),
        ({"min_like_count": 300, "max_like_count": 640}, [7, 8, 9]),
        ({"min_play_count": 15000, "max_play_count": 20000}, [7, 8]),
        ({"sort_by": "-rating", "artist_id": 1}, [1, 2, 3, 4, 5]),
        ({"sort_by": "+duration", "genre": "jazz"}, [8, 7, 6, 9]),
        ({"sort_by": "title", "album_id": 1}, [2, 3, 1]),
        ({"sort_by": "+release_date", "query": "rain", "genre": "folk"}, [1, 2, 3]),
        ({"sort_by": "-like_count", "genre": "jazz"}, [6, 7, 9, 8]),
        ({"query": "!?", "genre": "ambient"}, [10, 11, 12]),
    ],
)
def test_songs_are_found(arguments: dict[str, Any], expected: list[int]) -> None:
    found = song_ids(do(CONTEXT, "search_songs", page_limit=20, **arguments))
    assert found == expected


def test_a_song_in_a_list_has_what_other_operations_take() -> None:
    (found,) = do(CONTEXT, "search_songs", query="awning")["songs"]
    assert found == {
        "song_id": 7, "title": "Rain on the Awning", "artist": "Oven Door Trio", "duration": 280, "artist_id": 2,
        "album_id": 3, "album": "After Closing", "genre": "jazz", "release_date": "1994-11-04", "play_count": 20000,
        "like_count": 640, "rating": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"artist_id": 9}, "no artist with the id 9. spotify__search_artists finds ids"),
        ({"album_id": 9}, "no album with the id 9. spotify__search_albums finds ids"),
        ({"genre": "polka"}, "no genre 'polka'. The genres are: ambient, folk, jazz."),
        ({"min_rating": 4.0, "max_rating": 3.0}, "min_rating (4.0) lies above max_rating (3.0)"),
        ({"min_duration": 300, "max_duration": 200}, "min_duration (300) lies above max_duration (200)"),
        ({"min_play_count": 3, "max_play_count": 2}, "min_play_count (3) lies above"),
        ({"min_like_count": 3, "max_like_count": 2}, "min_like_count (3) lies above"),
        ({"min_release_date": "2020-01-01", "max_release_date": "2019-01-01"}, "lies behind max_release_date"),
        ({"min_release_date": "last year"}, "min_release_date must be a date like 2026-03-09"),
        ({"sort_by": "-plays"}, "one of: play_count, like_count, rating, release_date, duration, title"),
        ({"sort_by": "-ratings"}, "Did you mean 'rating'?"),
        ({"page_limit": 21}, "between 1 and 20"),
        ({"page_index": -1}, "counts pages from 0"),
    ],
)
def test_wrong_filters_of_a_song_search_are_explained(arguments: dict[str, Any], says: str) -> None:
    assert says in error(CONTEXT, "search_songs", **arguments)


def test_pages_and_empty_results_say_what_to_do() -> None:
    first = do(CONTEXT, "search_songs")
    assert (song_ids(first), first["total"]) == ([6, 7, 8, 9, 1], 12)
    assert "page_index 1" in first["message"]
    empty = do(CONTEXT, "search_songs", query="zeppelin")
    assert empty["songs"] == []
    assert "fewer or other words" in empty["message"]


def test_a_song_is_shown_with_what_it_is_to_the_account() -> None:
    shown = do(CONTEXT, "show_song", song_id=6)
    assert (shown["track"], shown["rating"], shown["review_count"]) == (1, 4.5, 2)
    assert (shown["is_liked"], shown["in_library"], shown["is_downloaded"]) == (True, True, False)
    assert "search_songs finds ids" in error(CONTEXT, "show_song", song_id=0)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, ["After Closing", "Rye and Rain", "Second Rise", "Twelve Hours Cold"]),
        ({"query": "rise"}, ["Second Rise"]),
        ({"query": "crumb"}, ["Rye and Rain", "Second Rise"]),
        ({"genre": "folk", "sort_by": "-release_date"}, ["Second Rise", "Rye and Rain"]),
        ({"min_like_count": 100, "max_like_count": 300}, ["Rye and Rain", "Second Rise"]),
        ({"min_rating": 4.0}, ["After Closing"]),
        ({"max_rating": 3.6}, ["Rye and Rain"]),
        ({"min_release_date": "2020-01-01", "max_release_date": "2022-12-31"}, ["Second Rise"]),
        ({"sort_by": "-rating"}, ["After Closing", "Rye and Rain", "Second Rise", "Twelve Hours Cold"]),
        ({"sort_by": "+title"}, ["After Closing", "Rye and Rain", "Second Rise", "Twelve Hours Cold"]),
    ],
)
def test_albums_are_found(arguments: dict[str, Any], expected: list[str]) -> None:
    assert names(do(CONTEXT, "search_albums", **arguments), "albums") == expected


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"genre": "polka"}, "The genres are"),
        ({"min_rating": 5.0, "max_rating": 1.0}, "lies above max_rating"),
        ({"min_like_count": 5, "max_like_count": 1}, "lies above max_like_count"),
        ({"max_release_date": "2020-13-01"}, "max_release_date must be a date"),
        ({"sort_by": "-duration"}, "one of: like_count, rating, release_date, title"),
    ],
)
def test_wrong_filters_of_an_album_search_are_explained(arguments: dict[str, Any], says: str) -> None:
    assert says in error(CONTEXT, "search_albums", **arguments)


def test_an_album_is_shown_with_its_songs_in_order() -> None:
    shown = do(CONTEXT, "show_album", album_id=1)
    assert shown["songs"] == [
        {"song_id": 1, "title": "Rye and Rain", "duration": 200},
        {"song_id": 2, "title": "Flour on the Fiddle", "duration": 180},
        {"song_id": 3, "title": "Millstone Waltz", "duration": 240},
    ]
    # Its four reviews give 5, 2, 4 and 3 stars.
    assert (shown["rating"], shown["duration"], shown["song_count"]) == (3.5, 620, 3)
    assert (shown["artist_id"], shown["artist"]) == (1, "The Crumb Collectors")
    assert (shown["is_liked"], shown["in_library"]) == (False, False)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, ["Oven Door Trio", "The Crumb Collectors", "Proving Basket"]),
        ({"query": "banjo"}, ["The Crumb Collectors"]),
        ({"query": "prov"}, ["Proving Basket"]),
        ({"genre": "Jazz"}, ["Oven Door Trio"]),
        ({"min_follower_count": 500, "max_follower_count": 1000}, ["The Crumb Collectors"]),
        ({"sort_by": "+name"}, ["Oven Door Trio", "Proving Basket", "The Crumb Collectors"]),
        ({"query": "zeppelin"}, []),
    ],
)
def test_artists_are_found(arguments: dict[str, Any], expected: list[str]) -> None:
    found = do(CONTEXT, "search_artists", **arguments)
    assert names(found, "artists") == expected
    assert expected or "fewer or other words" in found["message"]


def test_wrong_filters_of_an_artist_search_are_explained() -> None:
    assert "The genres are" in error(CONTEXT, "search_artists", genre="")
    assert "lies above" in error(CONTEXT, "search_artists", min_follower_count=2, max_follower_count=1)
    assert "one of: follower_count, name" in error(CONTEXT, "search_artists", sort_by="-plays")


def test_an_artist_is_shown_with_albums_and_top_songs() -> None:
    shown = do(CONTEXT, "show_artist", artist_id=1)
    assert [album["album_id"] for album in shown["albums"]] == [2, 1]
    assert [song["song_id"] for song in shown["top_songs"]] == [1, 2, 4, 3, 5]
    assert (shown["album_count"], shown["song_count"], shown["is_following"]) == (2, 5, False)
    assert "search_artists finds ids" in error(CONTEXT, "show_artist", artist_id=9)


def test_genres_are_listed_with_how_many_artists_they_have() -> None:
    assert do(CONTEXT, "show_genres")["genres"] == [
        {"genre": "ambient", "about": "Slow.", "artists": 1},
        {"genre": "folk", "about": "Told.", "artists": 1},
        {"genre": "jazz", "about": "Late.", "artists": 1},
    ]


def test_counts_that_moved_are_searched_as_they_are() -> None:
    context: ToolContext = signed_in()
    do(context, "like_song", song_id=8)
    assert song_ids(do(context, "search_songs", min_like_count=301, max_like_count=301)) == [8]
    do(context, "like_album", album_id=1)
    assert do(context, "search_albums", min_like_count=301, max_like_count=301)["albums"][0]["album_id"] == 1
    do(context, "follow_artist", artist_id=3)
    assert do(context, "search_artists", min_follower_count=151, max_follower_count=151)["total"] == 1
