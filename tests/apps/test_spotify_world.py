"""The seed world of Spotify: coherent, agreeing with the people and their lives, and worth searching."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.apps import app_context
from support.spotify import do, song_ids

from pi_gym import load_pack
from pi_gym.state.tables import Row
from pi_gym.tools import ToolContext

SEEDS = Path(__file__).parents[2] / "envs" / "researcher" / "world"
PACK = load_pack("researcher")
TABLES: dict[str, dict[int, Row]] = PACK.app_seeds.rows("spotify")
STRANGERS = range(1_001, 2_000)
NORA = 1


def read(name: str) -> Any:
    return yaml.safe_load((SEEDS / f"{name}.yaml").read_text("utf-8"))


@pytest.fixture(scope="module")
def nora() -> ToolContext:
    context = app_context("spotify", pack=PACK)
    account = next(one for one in PACK.persona.accounts if one.app == "spotify")
    do(context, "login", username=account.username, password=account.password)
    return context


def own(table: str) -> list[Row]:
    return [row for row in TABLES[table].values() if row["account"] == NORA]


def test_the_catalogue_is_large_and_varied() -> None:
    assert len(TABLES["artists"]) >= 60
    assert len(TABLES["albums"]) >= 150
    assert len(TABLES["songs"]) >= 1_100
    assert len(TABLES["genres"]) >= 14
    assert len({row["name"] for row in TABLES["artists"].values()}) == len(TABLES["artists"])
    dates = [row["release_date"] for row in TABLES["albums"].values()]
    assert min(dates) < "1980"
    assert "2026" < max(dates) < "2026-02-28"
    titles = Counter(row["title"] for row in TABLES["songs"].values())
    assert {title for title, count in titles.items() if count > 1} == {"Rain", "Sleep"}
    assert all(60 <= row["duration"] <= 900 for row in TABLES["songs"].values())
    assert all(row["like_count"] < row["play_count"] < 10**9 for row in TABLES["songs"].values())
    assert min(Counter(row["genre"] for row in TABLES["songs"].values()).values()) >= 40


def test_songs_repeat_what_their_albums_and_artists_say() -> None:
    genres = {row["name"] for row in TABLES["genres"].values()}
    tracks: dict[int, list[int]] = {}
    for album in TABLES["albums"].values():
        artist = TABLES["artists"][album["artist"]]
        assert (album["artist_name"], album["genre"]) == (artist["name"], artist["genre"])
        assert artist["genre"] in genres
    for song in TABLES["songs"].values():
        album = TABLES["albums"][song["album"]]
        same = ("artist", "artist_name", "genre", "release_date")
        assert [song[name] for name in same] == [album[name] for name in same]
        assert song["album_title"] == album["title"]
        tracks.setdefault(song["album"], []).append(song["track"])
    assert set(tracks) == set(TABLES["albums"])
    assert all(found == list(range(1, len(found) + 1)) for found in tracks.values())


def test_an_account_holds_on_to_a_record_once() -> None:
    for name, record in [("liked_songs", "song"), ("liked_albums", "album"), ("liked_playlists", "playlist"),
                         ("followed_artists", "artist"), ("library_songs", "song"), ("library_albums", "album"),
                         ("downloads", "song"), ("reviews", "song"), ("queues", "account")]:  # fmt: skip
        pairs = [(row["account"], row[record]) for row in TABLES[name].values()]
        assert len(pairs) == len(set(pairs)), name


def test_strangers_and_people_keep_to_their_ids() -> None:
    people = {one["email"] for one in read("people").values()}
    for key, account in TABLES["accounts"].items():
        assert (account["email"] in people) == (key < 100)
        assert key < 100 or key in STRANGERS
        assert account["email"].endswith(".example")
    for name in ("playlists", "reviews"):
        for key, row in TABLES[name].items():
            assert (row["account"] in STRANGERS) == (key <= 50_000)
    assert all(key < 90_000 for rows in TABLES.values() for key in rows)


def test_reviews_are_many_different_and_in_time() -> None:
    reviews = list(TABLES["reviews"].values())
    assert len(reviews) >= 1_500
    assert len({(row["title"], row["text"]) for row in reviews}) > 0.97 * len(reviews)
    assert min(Counter(row["rating"] for row in reviews).values()) > 50
    for row in reviews:
        assert row["text"]
        assert TABLES["songs"][row["song"]]["release_date"] <= row["created_at"] <= row["updated_at"] < "2026-02-28"


def test_playlists_hold_songs_once_that_were_out_and_likes_are_counted() -> None:
    public = [row for row in TABLES["playlists"].values() if row["account"] in STRANGERS]
    assert len(public) >= 40
    assert all(row["is_public"] and row["rating"] and row["like_count"] for row in public)
    likes = Counter(row["playlist"] for row in TABLES["liked_playlists"].values())
    for key, row in TABLES["playlists"].items():
        assert len(row["songs"]) == len(set(row["songs"])) > 0
        assert max(TABLES["songs"][song]["release_date"] for song in row["songs"]) <= row["updated_at"]
        assert row["created_at"] <= row["updated_at"] < "2026-02-28"
        assert row["like_count"] >= likes[key]
    for row in TABLES["liked_playlists"].values():
        playlist = TABLES["playlists"][row["playlist"]]
        assert playlist["is_public"]
        assert row["liked_at"] >= playlist["created_at"]


def test_noras_music_is_that_of_her_two_years() -> None:
    assert 12 <= len(own("playlists")) <= 16
    assert 80 <= len(own("liked_songs")) <= 160
    assert 100 <= len(own("library_songs")) <= 200
    assert len(own("library_albums")) >= 15
    assert len(own("followed_artists")) >= 12
    assert len(own("downloads")) >= 20
    moments = {"liked_songs": "liked_at", "library_songs": "added_at", "downloads": "downloaded_at",
               "followed_artists": "followed_at", "playlists": "created_at", "reviews": "created_at"}  # fmt: skip
    for table, moment in moments.items():
        assert all("2024-03-04" <= row[moment] < "2026-02-28" for row in own(table)), table
    (queue,) = own("queues")
    assert 0 <= queue["position"] < len(queue["songs"])
    assert {row["song"] for row in own("downloads")} <= {row["song"] for row in own("library_songs")}


def test_playlists_fall_on_the_events_that_they_are_for() -> None:
    events = {one["key"]: one["date"] for one in read("life")["events"]}
    orders = {item["product"]: one["date"] for one in read("life")["orders"] for item in one["items"]}
    made = {row["title"]: row["created_at"][:10] for row in own("playlists")}
    before = {"Porto 2025": "porto", "Maren thirty": "maren-birthday", "Train to Uddeby": "easter-uddeby",
              "Bjornbu, wood stove": "blueberry-weekend", "Midsummer in the yard": "midsummer"}  # fmt: skip
    for title, event in before.items():
        assert made[title] <= events[event], title
    assert made["Portuguese homework"] > events["portuguese"]
    assert made["New headphones test"] > orders["Over-ear headphones, closed"]


def test_private_playlists_of_her_friends_stay_theirs(nora: ToolContext) -> None:
    private = [key for key, row in TABLES["playlists"].items() if row["account"] != NORA and not row["is_public"]]
    assert len(private) >= 4
    listed: list[int] = []
    for index in range(10):
        found = do(nora, "search_playlists", page_limit=20, page_index=index)["playlists"]
        listed += [row["playlist_id"] for row in found]
    assert len(listed) == len(set(listed)) == len(TABLES["playlists"]) - len(private)
    assert not set(private) & set(listed)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("linha 205", "Linha 205"),
        ("chalk hands", "Chalk Hands"),
        ("rain oosterveld", "Rain"),
        ("lady abacus rounding", "Rounding Error"),
        ("platform nine", "Platform Nine"),
        ("grandmas cards", "Grandma Cheats at Cards"),
    ],
)
def test_songs_are_found(nora: ToolContext, query: str, first: str) -> None:
    assert do(nora, "search_songs", query=query)["songs"][0]["title"] == first


@pytest.mark.parametrize(
    ("operation", "arguments", "first"),
    [
        ("search_albums", {"query": "parlour reading room"}, "Reading Room"),
        ("search_artists", {"query": "portuguese guitar"}, "Tomé Salgueira"),
        ("search_artists", {"query": "bicycles"}, "Bram Oosterveld"),
        ("search_playlists", {"query": "porto"}, "Lisbon to Porto by Night"),
        ("search_playlists", {"query": "bus line"}, "Bus line 205"),
        ("search_users", {"query": "tomasz"}, "Tomasz"),
    ],
)
def test_others_are_found(nora: ToolContext, operation: str, arguments: dict[str, Any], first: str) -> None:
    rows = do(nora, operation, **arguments)[operation.removeprefix("search_")]
    assert (rows[0].get("title") or rows[0].get("name") or rows[0]["first_name"]) == first


def test_two_songs_of_one_name_can_be_told_apart(nora: ToolContext) -> None:
    found = [song for song in do(nora, "search_songs", query="rain", page_limit=20)["songs"] if song["title"] == "Rain"]
    assert {song["artist"] for song in found} == {"Clementine Raft", "Bram Oosterveld"}


def test_results_stay_far_below_what_a_result_may_have(nora: ToolContext) -> None:
    longest = max(TABLES["playlists"], key=lambda key: len(TABLES["playlists"][key]["songs"]))
    assert len(str(do(nora, "show_playlist", playlist_id=longest))) < 8_000
    lists = ["search_songs", "search_albums", "search_artists", "search_playlists", "search_users", "show_liked_songs",
             "show_song_library", "show_album_library", "show_playlist_library"]  # fmt: skip
    for operation in lists:
        assert len(str(do(nora, operation, page_limit=20))) < 12_000, operation
    busiest = Counter(row["song"] for row in TABLES["reviews"].values()).most_common(1)[0][0]
    assert len(str(do(nora, "show_song_reviews", song_id=busiest, page_limit=20))) < 12_000


def test_the_queue_goes_on_where_she_left_it(nora: ToolContext) -> None:
    assert do(nora, "show_current_song")["song"]["title"] == "Headwind"
    assert len(song_ids(do(nora, "show_song_queue"))) == 8
