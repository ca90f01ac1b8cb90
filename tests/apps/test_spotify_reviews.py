"""Spotify's reviews: one for a song and an account, and the ratings that come of them."""

from __future__ import annotations

from typing import Any

import pytest
from support.spotify import do, error, signed_in

from pi_gym.apps.spotify.reviews import PREVIEW_CHARS


def ids(result: dict[str, Any]) -> list[int]:
    return [review["review_id"] for review in result["reviews"]]


def test_a_review_is_written_once_and_moves_the_ratings() -> None:
    context = signed_in()
    made = do(context, "review_song", song_id=2, rating=5, title=" Fiddle! ", text="With flour.")
    assert (made["review_id"], made["song_rating"]) == (100_001, 4.0)
    assert do(context, "show_song", song_id=2)["rating"] == 4.0
    # Reviews of the album's songs: 5, 2, 4, 3 and now 5.
    assert do(context, "show_album", album_id=1)["rating"] == 3.8
    assert do(context, "search_songs", min_rating=4.0, query="fiddle")["total"] == 1
    assert do(context, "show_song_review", review_id=100_001) == {
        "review_id": 100_001,
        "user": {"name": "Ida Note", "email": "ida@notes.example"},
        "is_own": True,
        "rating": 5,
        "title": "Fiddle!",
        "text": "With flour.",
        "created_at": "2026-04-01T09:00:00",
        "updated_at": "2026-04-01T09:00:00",
        "song": {"song_id": 2, "title": "Flour on the Fiddle", "artist": "The Crumb Collectors", "duration": 180},
    }
    text = error(context, "review_song", song_id=2, rating=1)
    assert "You have reviewed 'Flour on the Fiddle' by The Crumb Collectors already" in text
    assert "update_song_review with review_id=100001" in text


def test_the_first_review_of_a_song_is_its_rating() -> None:
    context = signed_in()
    assert do(context, "show_song", song_id=11)["rating"] is None
    do(context, "review_song", song_id=11, rating=2)
    assert do(context, "show_song", song_id=11)["rating"] == 2.0
    assert do(context, "show_album", album_id=4)["rating"] == 2.0


def test_songs_that_a_task_adds_or_moves_count_for_their_album() -> None:
    context = signed_in()
    apps = context.world.apps["spotify"]
    songs = apps.table("songs").update(2, album=2, album_title="Second Rise", track=3)
    songs = songs.insert(90, {**(songs.get(10) or {}), "title": "Hour Zero", "track": 4})
    context.world.put_app("spotify", apps.put("songs", songs))
    assert do(context, "show_album", album_id=1)["rating"] == 3.67
    assert do(context, "show_album", album_id=2)["rating"] == 3.0
    do(context, "review_song", song_id=90, rating=4)
    do(context, "review_song", song_id=2, rating=5)
    assert [do(context, "show_album", album_id=album)["rating"] for album in (1, 2, 4)] == [3.67, 4.0, 4.0]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"rating": 0}, "between 1 and 5 stars, not 0"),
        ({"rating": 6}, "between 1 and 5 stars, not 6"),
        ({"rating": 3, "title": "x" * 101}, "at most 100"),
        ({"rating": 3, "text": "x" * 4_001}, "at most 4000"),
    ],
)
def test_a_review_out_of_range_is_refused(arguments: dict[str, Any], says: str) -> None:
    assert says in error(signed_in(), "review_song", song_id=3, **arguments)
    assert says in error(signed_in(), "update_song_review", review_id=50001, **arguments)


def test_only_ones_own_review_is_changed_and_only_what_is_given() -> None:
    context = signed_in()
    changed = do(context, "update_song_review", review_id=50001, rating=2)
    assert changed["song_rating"] == 3.0
    review = do(context, "show_song_review", review_id=50001)
    assert (review["rating"], review["title"], review["text"]) == (2, "Shop favourite", "Customers hum it.")
    assert (review["created_at"], review["updated_at"]) == ("2025-05-02T18:00:00", "2026-04-01T09:00:00")
    do(context, "update_song_review", review_id=50001, title="", text="No more.")
    review = do(context, "show_song_review", review_id=50001)
    assert (review["rating"], review["title"], review["text"]) == (2, "", "No more.")
    assert "Nothing to change; give rating, title or text" in error(context, "update_song_review", review_id=50001)
    for other in (3, 50002):
        assert "only your own can be changed" in error(context, "update_song_review", review_id=other, rating=1)


@pytest.mark.parametrize("operation", ["show_song_review", "update_song_review"])
def test_a_review_that_does_not_exist_is_not_there(operation: str) -> None:
    assert "spotify__show_song_reviews finds ids" in error(signed_in(), operation, review_id=999)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, [50002, 2, 1]),
        ({"query": "rye kneading"}, [50002, 2]),
        ({"query": "lovely"}, []),
        ({"min_rating": 4}, [50002, 1]),
        ({"max_rating": 3}, [2]),
        ({"user_email": "PER@notes.example"}, [50002]),
        ({"user_email": "ida@notes.example"}, []),
        ({"sort_by": "+rating"}, [2, 50002, 1]),
        ({"sort_by": "+created_at", "page_limit": 1}, [1]),
        ({"page_index": 1, "page_limit": 2}, [1]),
    ],
)
def test_reviews_of_a_song_are_found(arguments: dict[str, Any], expected: list[int]) -> None:
    found = do(signed_in(), "show_song_reviews", song_id=1, **arguments)
    assert ids(found) == expected
    assert (found["song"]["title"], found["song_rating"]) == ("Rye and Rain", 3.67)
    assert expected or "it has 3. spotify__review_song writes one" in found["message"]


def test_wrong_filters_of_reviews_are_explained() -> None:
    context = signed_in()
    assert "search_songs finds ids" in error(context, "show_song_reviews", song_id=99)
    assert "no account" in error(context, "show_song_reviews", song_id=1, user_email="x@y.example")
    assert "lies above max_rating" in error(context, "show_song_reviews", song_id=1, min_rating=4, max_rating=2)
    assert "one of: created_at" in error(context, "show_song_reviews", song_id=1, sort_by="-stars")


def test_long_reviews_are_cut_in_lists_and_whole_alone() -> None:
    context, text = signed_in(), "kneading " * 100
    key = do(context, "review_song", song_id=5, rating=3, text=text)["review_id"]
    (listed,) = do(context, "show_song_reviews", song_id=5)["reviews"]
    assert listed["text"] == text[:PREVIEW_CHARS] + "…"
    assert do(context, "show_song_review", review_id=key)["text"] == text
