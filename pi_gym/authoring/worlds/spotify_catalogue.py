"""Spotify's catalogue: artists, albums and songs, and strangers with their playlists and reviews.

Artists, albums and titles are written by hand; lengths, counts and dates are drawn, and so are the reviews, from
sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from pi_gym.authoring.worlds.circle import stream_of
from pi_gym.authoring.worlds.seed_rows import FIRST_STRANGER, Day, Known, Row, Tables, draw_day, moment, number_rows
from pi_gym.schema import load_model
from pi_gym.schema.specs import Spec
from pi_gym.seeding import Stream

# Seconds, by genre; the others are songs of ordinary length.
LENGTHS = {"punk": (71, 178), "post-rock": (296, 742), "ambient": (238, 861), "classical": (118, 494),
           "jazz": (176, 428), "electronic": (214, 437), "fado": (149, 287)}  # fmt: skip
USUAL_LENGTH = (148, 312)


class GenreSeed(Spec):
    """A genre."""

    name: str
    about: str


class AlbumSeed(Spec):
    """An album; its songs are separated by semicolons."""

    title: str
    date: Day
    songs: str


class ArtistSeed(Spec):
    """An artist."""

    name: str
    genre: str
    followers: int
    about: str
    albums: list[AlbumSeed]


class PublicPlaylistSeed(Spec):
    """A stranger's playlist: so many songs, drawn from genres (`from`)."""

    title: str
    genres: list[str] = Field(alias="from")
    songs: int
    likes: int
    rating: float


class StrangersSeed(Spec):
    """The strangers: how many, and of what their names and addresses are drawn."""

    first: list[str]
    last: list[str]
    hosts: list[str]
    count: int


class SongPhrasesSeed(Spec):
    """The phrases of song reviews: titles and openings by stars, `of` a genre, `faults`, endings, and seldom ones."""

    titles: dict[int, list[str]]
    openers: dict[int, list[str]]
    of: dict[str, list[str]]
    faults: list[str]
    closers: list[str]
    seldom: list[str]


class SpotifyCatalogueSeeds(Spec):
    """_shared/world/spotify.yaml.

    Args:
        end: the last day of the catalogue (`to`).
        genres: what there is.
        artists: with their albums and songs.
        playlists_made: between which days strangers made their playlists.
        public_playlists: the strangers' playlists.
        strangers: who makes them and reviews.
        review_count: how many reviews there are.
        reviewed_from: the first day of which there are any.
        reviews: what they say.
    """

    end: Day = Field(alias="to")
    genres: list[GenreSeed]
    artists: list[ArtistSeed]
    playlists_made: tuple[Day, Day]
    public_playlists: list[PublicPlaylistSeed]
    strangers: StrangersSeed
    review_count: int
    reviewed_from: Day
    reviews: SongPhrasesSeed


def shared_tables(world: Path) -> Tables:
    """The tables that all persons share.

    Args:
        world: the folder of the shared seeds.
    """
    seeds = load_model(SpotifyCatalogueSeeds, world / "spotify.yaml", "world/spotify.yaml")
    stream = stream_of("spotify")
    artists, albums, songs = _music(seeds, stream)
    strangers = _strangers(seeds.strangers, stream)
    return {
        "accounts": strangers,
        "genres": number_rows([genre.model_dump() for genre in seeds.genres]),
        "artists": artists,
        "albums": albums,
        "songs": songs,
        "playlists": _public_playlists(seeds, songs, strangers, stream),
        "reviews": _reviews(seeds, songs, strangers, stream),
    }


def _music(seeds: SpotifyCatalogueSeeds, stream: Stream) -> tuple[list[Row], list[Row], list[Row]]:
    """The tables of artists, albums and songs."""
    artists: list[Row] = []
    albums: list[Row] = []
    songs: list[Row] = []
    for number, artist in enumerate(seeds.artists, start=1):
        name, genre, followers = artist.name, artist.genre, artist.followers
        artists.append({"id": number, "name": name, "genre": genre, "about": artist.about, "follower_count": followers})
        for album in artist.albums:
            own, key = stream.child("album", name, album.title), len(albums) + 1
            common = {"artist": number, "artist_name": name}
            dated = {"genre": genre, "release_date": album.date}
            likes = int(followers * own.uniform(0.03, 0.35))
            albums.append({"id": key, "title": album.title, **common, **dated, "like_count": likes})
            for track, title in enumerate(album.songs.split("; "), start=1):
                drawn = own.child(title)
                plays = int(followers * (1 + 55 * drawn.random() ** 3) * (1.9 if title == album.title else 1.0))
                songs.append(
                    {
                        "id": len(songs) + 1,
                        "title": title,
                        **common,
                        "album": key,
                        "album_title": album.title,
                        "track": track,
                        **dated,
                        "duration": drawn.integer(*LENGTHS.get(genre, USUAL_LENGTH)),
                        "play_count": plays,
                        "like_count": int(plays * drawn.uniform(0.004, 0.031)),
                    }
                )
    return artists, albums, songs


def _strangers(plan: StrangersSeed, stream: Stream) -> list[Row]:
    own, rows, seen = stream.child("strangers"), list[Row](), set[tuple[str, str]]()
    while len(rows) < plan.count:
        first, last = own.choice(plan.first), own.choice(plan.last)
        if (first, last) in seen:
            continue
        seen.add((first, last))
        rows.append(
            {
                "id": FIRST_STRANGER + len(rows),
                "first_name": first,
                "last_name": last,
                "email": f"{first}.{last}@{own.choice(plan.hosts)}".lower(),
                "password": f"{own.integer(16**9, 16**10 - 1):x}",
            }
        )
    return rows


def _public_playlists(
    seeds: SpotifyCatalogueSeeds, songs: Sequence[Row], strangers: Sequence[Row], stream: Stream
) -> list[Row]:
    rows = []
    for number, plan in enumerate(seeds.public_playlists, start=1):
        own = stream.child("playlist", plan.title)
        created = draw_day(*seeds.playlists_made, own)
        fitting = [song["id"] for song in songs if song["genre"] in plan.genres and song["release_date"] < created]
        updated = draw_day(created, seeds.end, own)
        rows.append(
            {
                "id": number,
                "account": own.choice(strangers)["id"],
                "title": plan.title,
                "is_public": True,
                "songs": own.sample(fitting, plan.songs),
                "like_count": plan.likes,
                "rating": plan.rating,
                "created_at": moment(created, own),
                "updated_at": f"{updated}T23:{own.integer(10, 59)}:{own.integer(10, 59)}",
            }
        )
    return rows


def _reviews(seeds: SpotifyCatalogueSeeds, songs: Sequence[Row], strangers: Sequence[Row], stream: Stream) -> list[Row]:
    """Strangers' reviews, by time; the more a song is played, the more it has."""
    own, plan = stream.child("reviews"), seeds.reviews
    ranked = sorted(songs, key=lambda song: (-song["play_count"], song["id"]))
    rows: list[Row] = []
    taken: set[tuple[int, int]] = set()
    while len(rows) < seeds.review_count:
        song, writer = ranked[int(len(ranked) * own.random() ** 1.5)], own.choice(strangers)["id"]
        if (writer, song["id"]) in taken:
            continue
        taken.add((writer, song["id"]))
        usual = stream.child("quality", song["id"]).choice((2, 3, 4, 4, 4, 5, 5))
        stars = max(1, min(5, usual + own.choice((-2, -1, 0, 0, 0, 0, 1, 1))))
        when = moment(draw_day(max(song["release_date"], seeds.reviewed_from), seeds.end, own), own)
        title = own.choice(plan.titles[stars])
        text = _review_text(plan, song["genre"], stars, own)
        about = {"account": writer, "song": song["id"], "rating": stars, "title": title, "text": text}
        rows.append({**about, "created_at": when, "updated_at": when})
    rows.sort(key=lambda row: (row["created_at"], row["account"]))
    return number_rows(rows)


def _review_text(plan: SongPhrasesSeed, genre: str, stars: int, own: Stream) -> str:
    parts = [own.choice(plan.openers[stars])] if own.integer(1, 5) > 1 else []
    if stars > 3 or (stars == 3 and own.integer(0, 1)):
        parts += own.sample(Known("genre of reviews.of", plan.of)[genre], 1 if own.integer(0, 2) else 2)
    if stars <= 3:
        parts += own.sample(plan.faults, 1 if own.integer(0, 2) else 2)
    if own.integer(1, 14) == 1:
        parts.append(own.choice(plan.seldom))
    if stars > 3:
        parts.append(own.choice(plan.closers))
    return " ".join(part for part in parts if part)
