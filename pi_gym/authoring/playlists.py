"""Playlists that a session made: how long they last, what is in them, and where it stands. Each takes the evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from pi_gym.authoring.leavings import made_rows
from pi_gym.numbers import count_words

LONGEST_REPLY = 500
#: What is whole of a shorter album says nothing.
SHORTEST_RECORD = 4


def song_ids(evidence: Any) -> list[int]:
    """The ids of the songs of the playlists that this session made, in their order."""
    return [key for row in made_rows(evidence, "spotify", "playlists") for key in row["songs"]]


def songs_of(evidence: Any) -> list[dict[str, Any]]:
    """The rows of these songs in the catalogue."""
    catalogue = evidence.apps["spotify"].table("songs")
    return [song for key in song_ids(evidence) if (song := catalogue.get(key)) is not None]


def whole_records(evidence: Any) -> dict[int, int]:
    """Whole albums that stand in one piece and in order: the album's id, and the place where it begins."""
    songs = songs_of(evidence)
    found: dict[int, int] = {}
    tracks = Counter(row["album"] for _, row in evidence.apps["spotify"].table("songs").rows())
    for at, song in enumerate(songs):
        piece = [(one["album"], one["track"]) for one in songs[at : at + tracks[song["album"]]]]
        whole = [(song["album"], 1 + place) for place in range(tracks[song["album"]])]
        if len(whole) >= SHORTEST_RECORD and piece == whole:
            found[song["album"]] = at
    return found


def lasts(evidence: Any, minutes: float, over: float = 3) -> bool:
    """Whether they last so many minutes, and at most so many more."""
    seconds = sum(song["duration"] for song in songs_of(evidence))
    return bool(60 * minutes <= seconds <= 60 * (minutes + over))


def has_record(evidence: Any, album: int) -> bool:
    """Whether just this album is in it whole, in one piece and in its order."""
    return [*whole_records(evidence)] == [album]


def record_stands(evidence: Any, place: str) -> bool:
    """Whether a whole record follows the first song ("second") or ends the list ("last"), and no other one does."""
    albums, starts = Counter(song["album"] for song in songs_of(evidence)), whole_records(evidence)
    wanted = {album: 1 if place == "second" else sum(albums.values()) - albums[album] for album in starts}
    return len(starts) == 1 and starts == wanted


def lacks_genre(evidence: Any, genre: str) -> bool:
    """Whether no song of a genre is in it."""
    return all(song["genre"] != genre for song in songs_of(evidence))


def takes_from(evidence: Any, source: int, spared: Iterable[int], count: int = 3) -> bool:
    """Whether just so many songs come from one older playlist, and none from the others."""
    lists, songs = evidence.apps_start["spotify"].table("playlists"), {*song_ids(evidence)}
    taken = len(songs & {*lists.get(source)["songs"]})
    return taken == count and not any(songs & {*lists.get(key)["songs"]} for key in spared)


def nobody_twice(evidence: Any) -> bool:
    """Whether outside a whole record nobody is heard twice."""
    starts = whole_records(evidence)
    artists = [song["artist"] for song in songs_of(evidence) if song["album"] not in starts]
    return len(artists) == len({*artists})


def count_told(evidence: Any) -> bool:
    """Whether a reply that is not too long says how many songs there are."""
    count = str(len(song_ids(evidence)))
    replies = [text for text in evidence.replies if count_words(text) <= LONGEST_REPLY]
    return count != "0" and any(count in "".join(c if c.isdigit() else " " for c in text).split() for text in replies)
