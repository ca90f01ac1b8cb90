"""Spotify against lists, sets and means: any sequence of operations of two accounts leaves what a simple model says."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule
from support.apps import call_tool
from support.spotify import IDA, PER, do, signed_in, song_ids

from pi_gym.state import World
from pi_gym.tools import ToolContext

SONGS, ALBUMS, ARTISTS = range(1, 13), range(1, 5), range(1, 4)
ALBUM_SONGS = {1: [1, 2, 3], 2: [4, 5], 3: [6, 7, 8, 9], 4: [10, 11, 12]}
song_keys = st.integers(0, 13)
playlist_keys = st.sampled_from([1, 2, 3, 50001, 50002, 50003, 50004, 50005])
RECORDS: dict[str, tuple[str, str, str, Sequence[int]]] = {
    "song": ("like_song", "liked_songs", "like_count", SONGS),
    "album": ("like_album", "liked_albums", "like_count", ALBUMS),
    "playlist": ("like_playlist", "liked_playlists", "like_count", ()),
    "artist": ("follow_artist", "followed_artists", "follower_count", ARTISTS),
}


class SpotifyMachine(RuleBasedStateMachine):
    playlists = Bundle("playlists")

    def __init__(self) -> None:
        super().__init__()
        self.context = signed_in()
        self.me = 1
        rows = self.rows("playlists")
        self.lists = {key: (row["account"], row["is_public"], list(row["songs"])) for key, row in rows.items()}
        self.queues: dict[int, tuple[list[int], int, bool]] = {1: ([], 0, False), 2: ([5], 0, True)}
        self.stars = {(row["account"], row["song"]): row["rating"] for row in self.rows("reviews").values()}
        self.reviews = {key: (row["account"], row["song"]) for key, row in self.rows("reviews").items()}
        self.held = {
            record: {(row["account"], row[record]) for row in self.rows(table).values()}
            for record, (_, table, _, _) in RECORDS.items()
        }
        self.counts = {
            (record, key): row[column]
            for record, (_, _, column, _) in RECORDS.items()
            for key, row in self.rows(f"{record}s").items()
        }
        self.in_library = {(row["account"], row["song"]) for row in self.rows("library_songs").values()}

    def rows(self, table: str) -> dict[int, Any]:
        return dict(self.context.world.apps["spotify"].table(table).rows())

    def tried(self, operation: str, **arguments: Any) -> bool:
        before = self.context.world.state_hash()
        result = call_tool(self.context, f"spotify__{operation}", **arguments)
        assert result.ok or self.context.world.state_hash() == before
        return result.ok

    def visible(self, key: int) -> bool:
        return key in self.lists and (self.lists[key][1] or self.lists[key][0] == self.me)

    # -- playlists -----------------------------------------------------------------------------------------------------

    @rule(target=playlists, public=st.booleans())
    def create(self, public: bool) -> int:
        key: int = do(self.context, "create_playlist", title="New", is_public=public)["playlist_id"]
        assert key not in self.lists, "an id was given twice"
        self.lists[key], self.counts["playlist", key] = (self.me, public, []), 0
        return key

    @rule(key=playlists | playlist_keys, song=song_keys)
    def add(self, key: int, song: int) -> None:
        owner, _, songs = self.lists[key]
        possible = owner == self.me and song in SONGS and song not in songs
        assert self.tried("add_song_to_playlist", playlist_id=key, song_id=song) == possible
        if possible:
            songs.append(song)

    @rule(key=playlists | playlist_keys, song=song_keys)
    def remove(self, key: int, song: int) -> None:
        owner, _, songs = self.lists[key]
        possible = owner == self.me and song in songs
        assert self.tried("remove_song_from_playlist", playlist_id=key, song_id=song) == possible
        if possible:
            songs.remove(song)

    # -- likes, follows, library ---------------------------------------------------------------------------------------

    @rule(record=st.sampled_from(sorted(RECORDS)), key=st.integers(0, 13), playlist=playlists | playlist_keys)
    def like(self, record: str, key: int, playlist: int) -> None:
        operation, _, _, keys = RECORDS[record]
        key = playlist if record == "playlist" else key
        there = self.visible(key) if record == "playlist" else key in keys
        possible = there and (self.me, key) not in self.held[record]
        assert self.tried(operation, **{f"{record}_id": key}) == possible
        if possible:
            self.held[record].add((self.me, key))
            self.counts[record, key] += 1

    @rule(song=song_keys)
    def keep(self, song: int) -> None:
        possible = song in SONGS and (self.me, song) not in self.in_library
        assert self.tried("add_song_to_library", song_id=song) == possible
        if possible:
            self.in_library.add((self.me, song))

    # -- the queue -----------------------------------------------------------------------------------------------------

    def songs_of(self, record: str, key: int) -> list[int]:
        if record == "song":
            return [key] if key in SONGS else []
        if record == "album":
            return ALBUM_SONGS.get(key, [])
        return list(self.lists[key][2]) if self.visible(key) else []

    @rule(record=st.sampled_from(["song", "album", "playlist"]), key=song_keys, playlist=playlists | playlist_keys,
          now=st.booleans())  # fmt: skip
    def queue_or_play(self, record: str, key: int, playlist: int, now: bool) -> None:
        key = playlist if record == "playlist" else key
        added, (songs, position, playing) = self.songs_of(record, key), self.queues[self.me]
        operation = "play_music" if now else "add_to_queue"
        possible = bool(added) and (now or len(songs) + len(added) <= 100)
        assert self.tried(operation, **{f"{record}_id": key}) == possible
        if possible:
            self.queues[self.me] = (added, 0, True) if now else ([*songs, *added], position, playing)

    @rule(position=st.integers(-1, 6))
    def jump(self, position: int) -> None:
        songs, _, _ = self.queues[self.me]
        assert self.tried("play_music", queue_position=position) == (0 <= position < len(songs))
        if 0 <= position < len(songs):
            self.queues[self.me] = (songs, position, True)

    @rule()
    def back(self) -> None:
        songs, position, _ = self.queues[self.me]
        assert self.tried("previous_song") == (position > 0)
        if position > 0:
            self.queues[self.me] = (songs, position - 1, True)

    @rule(position=st.integers(-1, 6))
    def drop(self, position: int) -> None:
        songs, current, playing = self.queues[self.me]
        possible = 0 <= position < len(songs)
        assert self.tried("remove_song_from_queue", position=position) == possible
        if not possible:
            return
        # The queue as two parts: what comes before the current song, and what is left from it on.
        before = [song for place, song in enumerate(songs[:current]) if place != position]
        rest = [song for place, song in enumerate(songs[current:], start=current) if place != position]
        at_end = not rest
        self.queues[self.me] = (
            [*before, *rest], max(len(before) - 1, 0) if at_end else len(before), playing and not at_end
        )  # fmt: skip

    # -- reviews -------------------------------------------------------------------------------------------------------

    @rule(song=song_keys, rating=st.integers(0, 6))
    def review(self, song: int, rating: int) -> None:
        possible = song in SONGS and 1 <= rating <= 5 and (self.me, song) not in self.stars
        result = call_tool(self.context, "spotify__review_song", song_id=song, rating=rating)
        assert result.ok == possible
        if possible:
            key = do(self.context, "show_song_reviews", song_id=song, user_email=[IDA, PER][self.me - 1]["username"])
            self.reviews[key["reviews"][0]["review_id"]] = (self.me, song)
            self.stars[self.me, song] = rating

    @rule(data=st.data(), rating=st.none() | st.integers(0, 6))
    def update_review(self, data: st.DataObject, rating: int | None) -> None:
        key = data.draw(st.sampled_from(sorted(self.reviews)))
        writer, song = self.reviews[key]
        possible = writer == self.me and rating is not None and 1 <= rating <= 5
        assert self.tried("update_song_review", review_id=key, rating=rating) == possible
        if possible and rating is not None:
            self.stars[writer, song] = rating

    # -- who, and where ------------------------------------------------------------------------------------------------

    @rule()
    def change_places(self) -> None:
        self.me = 3 - self.me
        do(self.context, "login", **[IDA, PER][self.me - 1])

    @rule()
    def pickle_and_go_on(self) -> None:
        world: World = pickle.loads(pickle.dumps(self.context.world))
        assert world.state_hash() == self.context.world.state_hash()
        self.context = ToolContext(world, ids=self.context.ids)

    @rule()
    def write_in_a_fork(self) -> None:
        fork = ToolContext(self.context.world.fork(), ids=self.context.ids)
        key = do(fork, "create_playlist", title="Fork")["playlist_id"]
        do(fork, "add_song_to_playlist", playlist_id=key, song_id=1)
        do(fork, "play_music", album_id=3)
        for song in SONGS:
            call_tool(fork, "spotify__review_song", song_id=song, rating=1)

    # -- what always holds ---------------------------------------------------------------------------------------------

    @invariant()
    def playlists_keep_their_order_and_private_ones_are_not_seen(self) -> None:
        for key, (owner, public, songs) in self.lists.items():
            if self.visible(key):
                shown = do(self.context, "show_playlist", playlist_id=key)
                assert song_ids(shown) == songs
                assert (shown["is_own"], shown["is_public"]) == (owner == self.me, public)
            else:
                assert not self.tried("show_playlist", playlist_id=key)
        found = do(self.context, "search_playlists", page_limit=20)
        assert found["total"] == sum(self.visible(key) for key in self.lists)
        assert all(self.visible(row["playlist_id"]) for row in found["playlists"])

    @invariant()
    def the_queue_is_the_models_and_its_position_valid(self) -> None:
        for row in self.rows("queues").values():
            assert 0 <= row["position"] < max(len(row["songs"]), 1)
            assert row["songs"] or not row["playing"]
        songs, position, playing = self.queues[self.me]
        shown = do(self.context, "show_song_queue")
        assert (song_ids(shown), shown["is_playing"]) == (songs, playing)
        assert [song["position"] for song in shown["songs"] if song["is_current"]] == ([position] if songs else [])

    @invariant()
    def counts_move_with_likes_and_follows(self) -> None:
        for record, (_, table, column, _) in RECORDS.items():
            held = [(row["account"], row[record]) for row in self.rows(table).values()]
            assert len(held) == len(set(held))
            assert set(held) == self.held[record]
            for key, row in self.rows(f"{record}s").items():
                assert row[column] == self.counts[record, key]

    @invariant()
    def ratings_are_the_means_of_the_reviews(self) -> None:
        for album, songs in ALBUM_SONGS.items():
            of_album = [stars for (_, song), stars in self.stars.items() if song in songs]
            expected = round(sum(of_album) / len(of_album), 2) if of_album else None
            assert do(self.context, "show_album", album_id=album)["rating"] == expected
        for song in SONGS:
            given = [stars for (_, one), stars in self.stars.items() if one == song]
            shown = do(self.context, "show_song", song_id=song)
            assert shown["rating"] == (round(sum(given) / len(given), 2) if given else None)
            assert shown["review_count"] == len(given)
            assert shown["in_library"] == ((self.me, song) in self.in_library)


TestSpotifyMachine = SpotifyMachine.TestCase
TestSpotifyMachine.settings = settings(max_examples=20, stateful_step_count=25)
