"""The seed world of Spotify: a catalogue with its listeners' reviews and playlists, and the music of Nora's circle.

Artists, albums, titles, playlists and the circle's reviews are written by hand; lengths, counts and dates are drawn,
and so are the strangers' reviews, from sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from pi_gym.seeding import Stream

Seeds = Mapping[str, Any]
Row = dict[str, Any]
FIRST_STRANGER, FIRST_OF_PERSONA = 1_001, 50_001
LAST_DAY = "2026-02-27"
# Seconds, by genre; the others are songs of ordinary length.
LENGTHS = {"punk": (71, 178), "post-rock": (296, 742), "ambient": (238, 861), "classical": (118, 494),
           "jazz": (176, 428), "electronic": (214, 437), "fado": (149, 287)}  # fmt: skip


@dataclass
class Catalogue:
    """What all personas share."""

    artists: list[Row] = field(default_factory=list)
    albums: list[Row] = field(default_factory=list)
    songs: list[Row] = field(default_factory=list)

    def song(self, name: str) -> int:
        """The id of a song by its title, or by `Title / Artist` where two share it."""
        title, _, artist = name.partition(" / ")
        (found,) = [row["id"] for row in self.songs if row["title"] == title and artist in ("", row["artist_name"])]
        return int(found)


def shared(seeds: Seeds, stream: Stream) -> dict[str, list[Row]]:
    """The catalogue, and the strangers with their playlists and reviews."""
    catalogue = _catalogue(seeds, stream)
    strangers = _strangers(seeds["strangers"], stream)
    return {
        "accounts": strangers,
        "genres": [{"id": number, **genre} for number, genre in enumerate(seeds["genres"], start=1)],
        "artists": catalogue.artists,
        "albums": catalogue.albums,
        "songs": catalogue.songs,
        "playlists": _public_playlists(seeds, catalogue, strangers, stream),
        "reviews": _reviews(seeds, catalogue, strangers, stream),
    }


def tables(
    seeds: Seeds, people: Mapping[str, Mapping[str, Any]], life: Mapping[str, Any], stream: Stream
) -> dict[str, list[Row]]:
    """The tables of the app's persona; see simple_note. The seeds agree with the events of life by hand."""
    catalogue = _catalogue(seeds, stream)
    numbers = {key: number for number, key in enumerate(seeds["accounts"], start=1)}
    names = ("first_name", "last_name", "email", "phone_number")
    accounts = [
        {"id": numbers[key], **{name: people[key][name] for name in names}, "password": password}
        for key, password in seeds["accounts"].items()
    ]
    playlists = [
        _known_playlist(one, number, numbers, catalogue, stream)
        for number, one in enumerate(seeds["playlists"], start=FIRST_OF_PERSONA)
    ]
    public = _public_playlists(seeds, catalogue, _strangers(seeds["strangers"], stream), stream)
    made = {
        "accounts": accounts,
        "playlists": playlists,
        "reviews": _known_reviews(seeds, numbers, catalogue, stream),
        "queues": _queues(seeds, numbers, catalogue),
    }
    return made | _kept(seeds, numbers, catalogue, playlists, public, stream)


# -- the catalogue -----------------------------------------------------------------------------------------------------


def _catalogue(seeds: Seeds, stream: Stream) -> Catalogue:
    found = Catalogue()
    for artist in seeds["artists"]:
        name, genre, followers = artist["name"], artist["genre"], artist["followers"]
        number = len(found.artists) + 1
        about = {"id": number, "name": name, "genre": genre, "about": artist["about"], "follower_count": followers}
        found.artists.append(about)
        for album in artist["albums"]:
            own, key = stream.child("album", name, album["title"]), len(found.albums) + 1
            common = {"artist": number, "artist_name": name}
            dated = {"genre": genre, "release_date": album["date"]}
            likes = int(followers * own.uniform(0.03, 0.35))
            found.albums.append({"id": key, "title": album["title"], **common, **dated, "like_count": likes})
            for track, title in enumerate(album["songs"].split("; "), start=1):
                drawn = own.child(title)
                plays = int(followers * (1 + 55 * drawn.random() ** 3) * (1.9 if title == album["title"] else 1.0))
                found.songs.append(
                    {
                        "id": len(found.songs) + 1,
                        "title": title,
                        **common,
                        "album": key,
                        "album_title": album["title"],
                        "track": track,
                        **dated,
                        "duration": drawn.integer(*LENGTHS.get(genre, (148, 312))),
                        "play_count": plays,
                        "like_count": int(plays * drawn.uniform(0.004, 0.031)),
                    }
                )
    return found


# -- strangers ---------------------------------------------------------------------------------------------------------


def _strangers(plan: Seeds, stream: Stream) -> list[Row]:
    own, rows, seen = stream.child("strangers"), [], set()
    while len(rows) < plan["count"]:
        first, last = own.choice(plan["first"]), own.choice(plan["last"])
        if (first, last) in seen:
            continue
        seen.add((first, last))
        rows.append(
            {
                "id": FIRST_STRANGER + len(rows),
                "first_name": first,
                "last_name": last,
                "email": f"{first}.{last}@{own.choice(plan['hosts'])}".lower(),
                "password": f"{own.integer(16**9, 16**10 - 1):x}",
            }
        )
    return rows


def _public_playlists(seeds: Seeds, catalogue: Catalogue, strangers: Sequence[Row], stream: Stream) -> list[Row]:
    rows = []
    for number, plan in enumerate(seeds["public_playlists"], start=1):
        own = stream.child("playlist", plan["title"])
        created = _day(own, "2020-06-01", "2025-06-30")
        fitting = [song["id"] for song in catalogue.songs if song["genre"] in plan["from"]
                   and song["release_date"] < created]  # fmt: skip
        updated = _day(own, created, LAST_DAY)
        rows.append(
            {
                "id": number,
                "account": own.choice(strangers)["id"],
                "title": plan["title"],
                "is_public": True,
                "songs": own.sample(fitting, plan["songs"]),
                "like_count": plan["likes"],
                "rating": plan["rating"],
                "created_at": _moment(own, created),
                "updated_at": f"{updated}T23:{own.integer(10, 59)}:{own.integer(10, 59)}",
            }
        )
    return rows


def _reviews(seeds: Seeds, catalogue: Catalogue, strangers: Sequence[Row], stream: Stream) -> list[Row]:
    """Strangers' reviews, by time; the more a song is played, the more it has."""
    own, plan = stream.child("reviews"), seeds["reviews"]
    ranked = sorted(catalogue.songs, key=lambda song: (-song["play_count"], song["id"]))
    rows: list[Row] = []
    taken: set[tuple[int, int]] = set()
    while len(rows) < seeds["review_count"]:
        song, writer = ranked[int(len(ranked) * own.random() ** 1.5)], own.choice(strangers)["id"]
        if (writer, song["id"]) in taken:
            continue
        taken.add((writer, song["id"]))
        usual = stream.child("quality", song["id"]).choice((2, 3, 4, 4, 4, 5, 5))
        stars = max(1, min(5, usual + own.choice((-2, -1, 0, 0, 0, 0, 1, 1))))
        when = _moment(own, _day(own, max(song["release_date"], "2019-01-01"), LAST_DAY))
        title = own.choice(plan["titles"][stars])
        text = _review_text(plan, song["genre"], stars, own)
        rows.append({"account": writer, "song": song["id"], "rating": stars, "title": title, "text": text,
                     "created_at": when, "updated_at": when})  # fmt: skip
    rows.sort(key=lambda row: (row["created_at"], row["account"]))
    return [{"id": number, **row} for number, row in enumerate(rows, start=1)]


def _review_text(plan: Seeds, genre: str, stars: int, own: Stream) -> str:
    parts = [own.choice(plan["openers"][stars])] if own.integer(1, 5) > 1 else []
    if stars > 3 or (stars == 3 and own.integer(0, 1)):
        parts += own.sample(plan["of"][genre], 1 if own.integer(0, 2) else 2)
    if stars <= 3:
        parts += own.sample(plan["faults"], 1 if own.integer(0, 2) else 2)
    if own.integer(1, 14) == 1:
        parts.append(own.choice(plan["seldom"]))
    if stars > 3:
        parts.append(own.choice(plan["closers"]))
    return " ".join(part for part in parts if part)


# -- Nora and the people around her ------------------------------------------------------------------------------------


def _known_playlist(
    plan: Seeds, number: int, numbers: Mapping[str, int], catalogue: Catalogue, stream: Stream
) -> Row:  # fmt: skip
    own = stream.child("known playlist", plan["title"])
    return {
        "id": number,
        "account": numbers[plan["owner"]],
        "title": plan["title"],
        "is_public": plan.get("public", False),
        "songs": [catalogue.song(name) for name in plan["songs"]],
        "like_count": plan.get("likes", 0),
        "rating": plan.get("rating"),
        "created_at": _moment(own, plan["created"], 7, 15),
        "updated_at": _moment(own, plan["updated"], 17, 22),
    }


def _known_reviews(seeds: Seeds, numbers: Mapping[str, int], catalogue: Catalogue, stream: Stream) -> list[Row]:
    rows = []
    for number, one in enumerate(seeds["known_reviews"], start=FIRST_OF_PERSONA):
        when = _moment(stream.child("known review", one["by"], one["song"]), one["date"])
        about = {"account": numbers[one["by"]], "song": catalogue.song(one["song"])}
        words = {name: one[name] for name in ("rating", "title", "text")}
        rows.append({"id": number, **about, **words, "created_at": when, "updated_at": when})
    return rows


def _queues(seeds: Seeds, numbers: Mapping[str, int], catalogue: Catalogue) -> list[Row]:
    plans = {"nora": seeds["nora"]["queue"], **seeds["queues"]}
    return [
        {"id": numbers[key], "account": numbers[key], **plan, "songs": [catalogue.song(t) for t in plan["songs"]]}
        for key, plan in plans.items()
    ]


def _kept(
    seeds: Seeds, numbers: Mapping[str, int], catalogue: Catalogue, playlists: Sequence[Row], public: Sequence[Row],
    stream: Stream,
) -> dict[str, list[Row]]:  # fmt: skip
    """Libraries, likes, follows and downloads: what the seeds name, and songs of playlists by draw."""
    nora, plan, own = numbers["nora"], seeds["nora"], stream.child("kept")
    liked, library = {(nora, catalogue.song(name)) for name in plan["liked_songs"]}, set()
    artists = {one["name"]: one["id"] for one in catalogue.artists}
    titled = {one["title"]: one["id"] for one in catalogue.albums}
    follows = {(nora, artists[name]) for name in plan["followed_artists"]}
    for playlist in playlists:
        for song in playlist["songs"]:
            drawn = own.child(playlist["title"], song)
            if drawn.integer(1, 5) <= 3:
                liked.add((playlist["account"], song))
            if drawn.integer(1, 5) <= 4:
                library.add((playlist["account"], song))
            if playlist["account"] != nora and drawn.integer(1, 4) == 1:
                follows.add((playlist["account"], catalogue.songs[song - 1]["artist"]))
    for title in plan["library_albums"]:
        album = [song["id"] for song in catalogue.songs if song["album_title"] == title]
        library.update((nora, song) for song in own.child("of album", title).sample(album, len(album) // 3))
    downloads = {(nora, catalogue.song(name)) for name in plan["downloads"]}
    albums = {name: {(nora, titled[title]) for title in plan[name]} for name in ("library_albums", "liked_albums")}
    known = {one["title"]: one for one in (*public, *playlists)}
    likes = {(nora, known[title]["id"]) for title in plan["liked_playlists"]}
    for one in seeds["playlists"]:
        likes.update((numbers[key], known[one["title"]]["id"]) for key in one.get("liked_by", ()))
    song_days = {song["id"]: song["release_date"] for song in catalogue.songs}
    album_days = {album["id"]: album["release_date"] for album in catalogue.albums}
    playlist_days = {one["id"]: one["created_at"][:10] for one in known.values()}
    return {
        "liked_songs": _dated(liked, "song", "liked_at", song_days, own),
        "liked_albums": _dated(albums["liked_albums"], "album", "liked_at", album_days, own),
        "liked_playlists": _dated(likes, "playlist", "liked_at", playlist_days, own),
        "followed_artists": _dated(follows, "artist", "followed_at", {}, own),
        "library_songs": _dated(library | downloads, "song", "added_at", song_days, own),
        "library_albums": _dated(albums["library_albums"], "album", "added_at", album_days, own),
        "downloads": _dated(downloads, "song", "downloaded_at", song_days, own),
    }


def _dated(
    pairs: Iterable[tuple[int, int]], record: str, moment: str, first: Mapping[int, str], stream: Stream
) -> list[Row]:  # fmt: skip
    """Rows of (account, record), each with a time when the record was there already, numbered by time."""
    rows = []
    for account, key in sorted(pairs):
        own = stream.child(moment, record, account, key)
        since = max("2024-03-04", (date.fromisoformat(first.get(key, "2024-03-04")) + timedelta(days=1)).isoformat())
        rows.append({"account": account, record: key, moment: _moment(own, _day(own, since, LAST_DAY))})
    rows.sort(key=lambda row: (row[moment], row["account"], row[record]))
    return [{"id": number, **row} for number, row in enumerate(rows, start=1)]


# -- times -------------------------------------------------------------------------------------------------------------


def _day(stream: Stream, first: str, last: str) -> str:
    begin, end = date.fromisoformat(first), date.fromisoformat(last)
    return (begin + timedelta(days=stream.integer(0, (end - begin).days))).isoformat()


def _moment(stream: Stream, day: str, first: int = 7, last: int = 22) -> str:
    return f"{day}T{stream.integer(first, last):02d}:{stream.integer(0, 59):02d}:{stream.integer(0, 59):02d}"
