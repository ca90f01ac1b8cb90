"""The seed world of Spotify: the music of a person and the people around them, over the catalogue that all share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from pydantic import Field

from pi_gym.authoring.worlds.circle import Circle, stream_of
from pi_gym.authoring.worlds.seed_rows import FIRST_OWN, Day, Known, Row, Tables, draw_day, moment, number_rows
from pi_gym.authoring.worlds.spotify_catalogue import shared_tables
from pi_gym.errors import SpecError
from pi_gym.schema.specs import Spec

__all__ = ["person_tables", "shared_tables"]


class KnownPlaylistSeed(Spec):
    """A playlist of somebody; songs by title, or by `title / artist` where two share it."""

    owner: str
    title: str
    created: Day
    updated: Day
    songs: list[str]
    public: bool = False
    likes: int = 0
    rating: float | None = None
    liked_by: list[str] = Field(default_factory=list)


class QueueSeed(Spec):
    """The songs that somebody plays, and where they are in them."""

    songs: list[str]
    position: int = 0
    playing: bool = False


class HeldSeed(Spec):
    """The music that the person keeps; songs of playlists and albums are liked and kept by draw besides."""

    kept_albums: list[str] = Field(default_factory=list)
    liked_albums: list[str] = Field(default_factory=list)
    liked_playlists: list[str] = Field(default_factory=list)
    followed_artists: list[str] = Field(default_factory=list)
    liked_songs: list[str] = Field(default_factory=list)
    downloads: list[str] = Field(default_factory=list)
    queue: QueueSeed | None = None


class SongReviewSeed(Spec):
    """The review of a song by one of the people."""

    by: str
    song: str
    rating: int
    date: Day
    title: str
    text: str


class SpotifySeeds(Spec):
    """spotify.yaml.

    Args:
        accounts: passwords by person; nobody else has an account.
        playlists: everybody's.
        own: what the person holds on to.
        queues: what others play.
        known_reviews: what they wrote.
    """

    accounts: dict[str, str]
    playlists: list[KnownPlaylistSeed] = Field(default_factory=list)
    own: HeldSeed = HeldSeed()
    queues: dict[str, QueueSeed] = Field(default_factory=dict)
    known_reviews: list[SongReviewSeed] = Field(default_factory=list)


def person_tables(circle: Circle) -> Tables:
    """The tables of a person's world."""
    return _Collection(circle).tables()


class _Collection:
    """A person's tables, from the seeds and the catalogue.

    Args:
        circle: the people.
    """

    def __init__(self, circle: Circle) -> None:
        self.circle, self.stream = circle, stream_of("spotify")
        self.seeds = circle.seeds(SpotifySeeds, "spotify")
        self.catalogue = circle.shared("spotify")
        self.numbers = circle.numbers(self.seeds.accounts)
        self.songs: dict[str, list[Row]] = {}
        for row in self.catalogue["songs"]:
            self.songs.setdefault(row["title"], []).append(row)

    def tables(self) -> Tables:
        """All of them."""
        playlists = [self._playlist(one, number) for number, one in enumerate(self.seeds.playlists, start=FIRST_OWN)]
        made = {
            "accounts": self.circle.accounts(self.seeds.accounts),
            "playlists": playlists,
            "reviews": number_rows([self._review(one) for one in self.seeds.known_reviews], FIRST_OWN),
            "queues": self._queues(),
        }
        return made | self._kept_tables(playlists)

    def _song(self, name: str) -> int:
        """The id of a song by its title, or by `title / artist` where two share it."""
        title, _, artist = name.partition(" / ")
        found = [row for row in self.songs.get(title, ()) if artist in ("", row["artist_name"])]
        if len(found) != 1:
            several = f"say which: {' or '.join(title + ' / ' + row['artist_name'] for row in found)}"
            raise SpecError("", f"{name!r}: {several if found else 'the catalogue has no such song'}")
        return int(found[0]["id"])

    def _playlist(self, plan: KnownPlaylistSeed, number: int) -> Row:
        own = self.stream.child("known playlist", plan.title)
        return {
            "id": number,
            "account": self.numbers[plan.owner],
            "title": plan.title,
            "is_public": plan.public,
            "songs": [self._song(name) for name in plan.songs],
            "like_count": plan.likes,
            "rating": plan.rating,
            "created_at": moment(plan.created, own, 7, 15),
            "updated_at": moment(plan.updated, own, 17, 22),
        }

    def _review(self, one: SongReviewSeed) -> Row:
        when = moment(one.date, self.stream.child("known review", one.by, one.song))
        about = {"account": self.numbers[one.by], "song": self._song(one.song)}
        words = {"rating": one.rating, "title": one.title, "text": one.text}
        return {**about, **words, "created_at": when, "updated_at": when}

    def _queues(self) -> list[Row]:
        own = {self.circle.owner: self.seeds.own.queue} if self.seeds.own.queue else {}
        return [
            {
                "id": self.numbers[key],
                "account": self.numbers[key],
                "songs": [self._song(name) for name in plan.songs],
                "position": plan.position,
                "playing": plan.playing,
            }
            for key, plan in (own | self.seeds.queues).items()
        ]

    def _kept_tables(self, playlists: Sequence[Row]) -> Tables:
        """Libraries, likes, follows and downloads: what the seeds name, and songs of playlists by draw."""
        me, plan, own = self.numbers[self.circle.owner], self.seeds.own, self.stream.child("kept")
        songs = {row["id"]: row for row in self.catalogue["songs"]}
        artists = Known("artist", {one["name"]: one["id"] for one in self.catalogue["artists"]})
        titled = Known("album", {one["title"]: one["id"] for one in self.catalogue["albums"]})
        liked, library = {(me, self._song(name)) for name in plan.liked_songs}, set[tuple[int, int]]()
        follows = {(me, artists[name]) for name in plan.followed_artists}
        for playlist in playlists:
            for song in playlist["songs"]:
                drawn = own.child(playlist["title"], song)
                if drawn.integer(1, 5) <= 3:
                    liked.add((playlist["account"], song))
                if drawn.integer(1, 5) <= 4:
                    library.add((playlist["account"], song))
                if playlist["account"] != me and drawn.integer(1, 4) == 1:
                    follows.add((playlist["account"], songs[song]["artist"]))
        for title in plan.kept_albums:
            album = [key for key, row in songs.items() if row["album_title"] == title]
            library.update((me, song) for song in own.child("of album", title).sample(album, len(album) // 3))
        downloads = {(me, self._song(name)) for name in plan.downloads}
        known = Known("playlist", {one["title"]: one for one in (*self.catalogue["playlists"], *playlists)})
        likes = {(me, known[title]["id"]) for title in plan.liked_playlists}
        for one in self.seeds.playlists:
            likes.update((self.numbers[key], known[one.title]["id"]) for key in one.liked_by)
        song_days = {key: row["release_date"] for key, row in songs.items()}
        album_days = {row["id"]: row["release_date"] for row in self.catalogue["albums"]}
        playlist_days = {one["id"]: one["created_at"][:10] for one in known.values() if "created_at" in one}
        liked_albums = {(me, titled[title]) for title in plan.liked_albums}
        library_albums = {(me, titled[title]) for title in plan.kept_albums}
        return {
            "liked_songs": self._dated_rows(liked, "song", "liked_at", song_days),
            "liked_albums": self._dated_rows(liked_albums, "album", "liked_at", album_days),
            "liked_playlists": self._dated_rows(likes, "playlist", "liked_at", playlist_days),
            "followed_artists": self._dated_rows(follows, "artist", "followed_at", {}),
            "library_songs": self._dated_rows(library | downloads, "song", "added_at", song_days),
            "library_albums": self._dated_rows(library_albums, "album", "added_at", album_days),
            "downloads": self._dated_rows(downloads, "song", "downloaded_at", song_days),
        }

    def _dated_rows(
        self, pairs: Iterable[tuple[int, int]], record: str, column: str, first: Mapping[int, Any]
    ) -> list[Row]:
        """Rows of (account, record), each with a time when the record was there already, numbered by time."""
        rows: list[Row] = []
        life = self.circle.life
        for account, key in sorted(pairs):
            own = self.stream.child("kept", column, record, account, key)
            there = date.fromisoformat(first.get(key, life.begin)) + timedelta(days=1)
            since = max(life.begin, there.isoformat())
            rows.append({"account": account, record: key, column: moment(draw_day(since, life.end, own), own)})
        rows.sort(key=lambda row: (row[column], row["account"], row[record]))
        return number_rows(rows)
