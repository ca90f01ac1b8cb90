"""The app Spotify: its tables, signing in and out."""

from __future__ import annotations

from pi_gym.apps.columns import ACCOUNTS, Column, TableSpec
from pi_gym.apps.declare import App

_LONG_AGO = "2026-01-01T09:00:00"
_ACCOUNT = Column(int, "the id of the account that it belongs to", 1, ACCOUNTS)


def _kept(record: str, moment: str, noun: str) -> TableSpec:
    """A table of what accounts hold on to: at most one row for an account and a record."""
    columns = {
        "account": _ACCOUNT,
        record: Column(int, f"the {record}'s id", refers=f"{record}s"),
        moment: Column(str, "since when, ISO 8601", _LONG_AGO),
    }
    return TableSpec(columns, noun=noun, owner="account")


APP = App(
    "spotify",
    "Spotify",
    "Music: a catalogue of artists, albums and songs that everybody shares; playlists, public or private; and for every"
    " account a library, likes, followed artists, downloaded songs, reviews and one play queue. A song's rating is the"
    " mean of its reviews, an album's the mean of the reviews of its songs; both are computed, so they are no columns."
    " What is already liked, followed, in the library or in a playlist is refused a second time.\n\n"
    "For `app_changes`: liking and following also change the count in the row of the song, album, playlist or artist.",
    {
        "genres": TableSpec({"name": Column(str, "its name"), "about": Column(str, "what it is", "")}, noun="genre"),
        "artists": TableSpec(
            {
                "name": Column(str, "the name"),
                "genre": Column(str, "the genre they are listed under, one of the table genres", refers="genres.name"),
                "about": Column(str, "a sentence or two about them", ""),
                "follower_count": Column(int, "how many accounts follow them, worldwide", 0),
            },
            noun="artist",
            find="search_artists",
        ),
        "albums": TableSpec(
            {
                "title": Column(str, "its title"),
                "artist": Column(int, "the artist's id", refers="artists"),
                "artist_name": Column(str, "the artist's name, as in the table artists"),
                "genre": Column(str, "its genre", refers="genres.name"),
                "release_date": Column(str, "when it came out, like 2024-05-17"),
                "like_count": Column(int, "how many accounts like it, worldwide", 0),
            },
            noun="album",
            find="search_albums",
        ),
        "songs": TableSpec(
            {
                "title": Column(str, "its title"),
                "artist": Column(int, "the artist's id", refers="artists"),
                "artist_name": Column(str, "the artist's name, as in the table artists"),
                "album": Column(int, "the id of the album it is on", refers="albums"),
                "album_title": Column(str, "the album's title, as in the table albums"),
                "track": Column(int, "its place on the album, from 1", 1),
                "genre": Column(str, "its genre", refers="genres.name"),
                "release_date": Column(str, "when it came out, like 2024-05-17"),
                "duration": Column(int, "its length in seconds"),
                "play_count": Column(
                    int, "how often it was played worldwide, counted until the end of February 2026", 0
                ),
                "like_count": Column(int, "how many accounts like it, worldwide", 0),
            },
            noun="song",
            find="search_songs",
        ),
        "playlists": TableSpec(
            {
                "account": _ACCOUNT,
                "title": Column(str, "its title", max_chars=100),
                "is_public": Column(bool, "whether others see it", False),
                "songs": Column(list[int], "the ids of its songs, in order, each once", [], "songs"),
                "like_count": Column(int, "how many accounts like it", 0),
                "rating": Column(
                    float | None, "the mean of its listeners' stars, 1 to 5; null where nobody gave any", None
                ),
                "created_at": Column(str, "when it was made, ISO 8601", _LONG_AGO),
                "updated_at": Column(str, "when its songs last changed, ISO 8601", _LONG_AGO),
            },
            noun="playlist",
            find="search_playlists",
        ),
        "reviews": TableSpec(
            {
                "account": _ACCOUNT,
                "song": Column(int, "the song's id", refers="songs"),
                "rating": Column(int, "stars, 1 to 5"),
                "title": Column(str, "its title", "", max_chars=100),
                "text": Column(str, "its text", "", max_chars=4_000),
                "created_at": Column(str, "when it was written, ISO 8601", _LONG_AGO),
                "updated_at": Column(str, "when it was last changed, ISO 8601", _LONG_AGO),
            },
            noun="review",
            find="show_song_reviews",
        ),
        "liked_songs": _kept("song", "liked_at", "liked song"),
        "liked_albums": _kept("album", "liked_at", "liked album"),
        "liked_playlists": _kept("playlist", "liked_at", "liked playlist"),
        "followed_artists": _kept("artist", "followed_at", "followed artist"),
        "library_songs": _kept("song", "added_at", "song in the library"),
        "library_albums": _kept("album", "added_at", "album in the library"),
        "downloads": _kept("song", "downloaded_at", "downloaded song"),
        "queues": TableSpec(
            {
                "account": _ACCOUNT,
                "songs": Column(list[int], "the ids of its songs, in order", [], "songs"),
                "position": Column(int, "which of them is the current one, from 0; 0 where there are none", 0),
                "playing": Column(bool, "whether the current one plays", False),
            },
            noun="queue",
            owner="account",
        ),
    },
    logout="The play queue stays as it is for the next time.",
)
