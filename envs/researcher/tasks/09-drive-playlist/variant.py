"""The songs for a drive of known length, and the rules on a playlist that were found in texts and mails."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pi_gym.authoring import Stream, count_words

# Ids and seconds of the catalogue's songs; a rule reads the catalogue itself.
RECORDS = {
    "hymns": (14, ((94, 167), (95, 271), (96, 201), (97, 225), (98, 212), (99, 148))),
    "buckle": (100, ((678, 238), (679, 298), (680, 235), (681, 181), (682, 195), (683, 193))),
    "inland": (92, ((624, 209), (625, 303), (626, 248), (627, 226), (628, 222), (629, 228))),
}
OPENERS = {"march": (108, 232), "anthem": (741, 304), "concierge": (158, 211)}
WISHES = {"oosterveld": (1094, 408), "raft": (1104, 275)}
LISTS = {"driving": (50027, ((127, 219), (81, 227), (1028, 216))), "stove": (50010, ((55, 201), (41, 175), (995, 192)))}
LIKED = {
    "soul": ((876, 254), (909, 168)),
    "synth-pop": ((541, 246), (582, 225)),
    "jazz": ((289, 207), (308, 182)),
}
UNBORNE = {"punk": (831, 170), "fado": (377, 183), "ambient": (432, 249)}
# Songs that nobody minds and nobody asked for, each by somebody else.
SHELF = ((2, 282), (58, 185), (1008, 206), (138, 196), (173, 172), (188, 230), (457, 264), (478, 230), (494, 296))
SHELF += ((514, 271), (529, 273), (631, 296), (644, 245), (658, 272), (692, 235), (713, 290), (727, 237), (761, 244))
SHELF += ((936, 216), (957, 308), (978, 252))
NORA = 1
OVER = 180
LONGEST = 6000


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """How long the drive is, which songs stand nearest on the shelf, and what was said before it was changed."""
    drive, coffee = stream.choice((68, 72, 76, 79)), stream.choice((5, 8, 10, 12))
    return {
        "drive": f"1:{drive - 60:02d}",
        "summer_drive": f"1:0{drive % 60 % 5 + 1}",
        "coffee": coffee,
        "minutes": drive + coffee,
        "shelf": [list(song) for song in stream.shuffled(SHELF)],
        "old_record": stream.choice([name for name in RECORDS if name != preferences.p.record]),
    }, {}


def work(world: Any, values: Any, draw: frozenset[str]) -> dict[str, Any]:
    """The playlist for the values at hand, song by song."""
    p = values.p
    record = RECORDS[p.record][1]
    opener = OPENERS[p.opener if "opener" in draw else "anthem"]
    songs = [WISHES[p.wish], *LISTS[p.source][1], *LIKED[p.liked]]
    songs += [song for genre, song in UNBORNE.items() if genre != p.unborne]
    low = 60 * world.minutes + 5 - sum(seconds for _, seconds in (opener, *record, *songs))
    songs += _filled([tuple(song) for song in world.shelf], low, low + 100) or []
    rest = [opener, *record, *songs] if p.place == "second" else [opener, *songs, *record]
    return {
        "songs": [key for key, _ in rest],
        "seconds": sum(seconds for _, seconds in rest),
        "title": p.title,
        "record": RECORDS[p.record][0],
        "opener": OPENERS[p.opener][0],
        "wish": WISHES[p.wish][0],
        "not_wish": [WISHES[name][0] for name in WISHES if name != p.wish],
        "source": LISTS[p.source][0],
        "spared": [LISTS[name][0] for name in LISTS if name != p.source],
    }


def _filled(shelf: list[tuple[int, int]], low: int, high: int) -> list[tuple[int, int]] | None:
    """The first songs of the shelf that last between low and high seconds together."""
    if low <= 0:
        return [] if high >= 0 else None
    for at, song in enumerate(shelf):
        if song[1] <= high:
            rest = _filled(shelf[at + 1 :], low - song[1], high - song[1])
            if rest is not None:
                return [song, *rest]
    return None


# -- what a session left -----------------------------------------------------------------------------------------------


def _playlist(evidence: Any) -> dict[str, Any]:
    """The one playlist that this session made; nothing where it lasts less than half an hour or far beyond any drive.

    The app can neither rename nor delete one, so those that were given up, and emptied, do not count.
    """
    table, before = (apps["spotify"].table("playlists") for apps in (evidence.apps, evidence.apps_start))
    rows = [row for old, row in table.diff(before).values() if old is None and row]
    made = [row for row in rows if row["songs"]] if len(rows) <= 3 else []
    if len(made) != 1 or not 1800 <= sum(song["duration"] for song in _songs(evidence, made[0])) <= LONGEST:
        return {}
    return dict(made[0])


def _songs(evidence: Any, playlist: Any) -> list[dict[str, Any]]:
    catalogue = evidence.apps["spotify"].table("songs")
    return [{"id": key, **catalogue.get(key)} for key in playlist.get("songs", [])]


def _records(evidence: Any, songs: list[dict[str, Any]]) -> dict[int, int]:
    """Whole albums that stand in one piece and in order: the album's id, and where it begins."""
    found: dict[int, int] = {}
    tracks = Counter(row["album"] for _, row in evidence.apps["spotify"].table("songs").rows())
    for at, song in enumerate(songs):
        piece = songs[at : at + tracks[song["album"]]]
        whole = len(piece) == tracks[song["album"]] > 3
        if whole and [(one["album"], one["track"]) for one in piece] == [
            (song["album"], track) for track in range(1, len(piece) + 1)
        ]:
            found[song["album"]] = at
    return found


def check_length(evidence: Any, minutes: int) -> bool:
    """It lasts as long as the drive, and at most three minutes longer."""
    seconds = sum(song["duration"] for song in _songs(evidence, _playlist(evidence)))
    return 0 <= seconds - 60 * minutes <= OVER


def check_record(evidence: Any, album: int) -> bool:
    return [*_records(evidence, _songs(evidence, _playlist(evidence)))] == [album]


def check_place(evidence: Any, place: str) -> bool:
    """A whole record follows the first song ("second") or ends the list ("last"), and no other one does."""
    songs = _songs(evidence, _playlist(evidence))
    starts = _records(evidence, songs)
    tracks = Counter(song["album"] for song in songs)
    wanted = {album: 1 if place == "second" else len(songs) - tracks[album] for album in starts}
    return len(starts) == 1 and starts == wanted


def check_genre(evidence: Any, genre: str, minutes: int, low: int = 0, high: int = 100) -> bool:
    """So many songs of a genre are in it, and it is not blown up to hold everybody's genre."""
    songs = _songs(evidence, _playlist(evidence))
    fits = bool(songs) and sum(song["duration"] for song in songs) <= 60 * minutes + 300
    return fits and low <= sum(song["genre"] == genre for song in songs) <= high


def check_from(evidence: Any, source: int, spared: list[int]) -> bool:
    """Three songs or more come from one older playlist, none from the other."""
    lists = evidence.apps_start["spotify"].table("playlists")
    songs = set(_playlist(evidence).get("songs", []))
    return len(songs & {*lists.get(source)["songs"]}) == 3 and not any(songs & {*lists.get(k)["songs"]} for k in spared)


def check_wish(evidence: Any, song: int, others: list[int]) -> bool:
    songs = _playlist(evidence).get("songs", [])
    return song in songs and not {*others} & {*songs}


def check_once(evidence: Any) -> bool:
    """Outside a whole record nobody is heard twice."""
    songs = _songs(evidence, _playlist(evidence))
    starts = _records(evidence, songs)
    artists = [song["artist"] for song in songs if song["album"] not in starts]
    return bool(songs) and len(artists) == len({*artists})


def check_titled(evidence: Any, title: str) -> bool:
    return str(_playlist(evidence).get("title", "")).strip().lower() == title.lower()


def check_first(evidence: Any, song: int) -> bool:
    return _playlist(evidence).get("songs", [None])[0] == song


def check_public(evidence: Any, public: bool) -> bool:
    playlist = _playlist(evidence)
    return bool(playlist) and playlist["is_public"] is public and playlist["account"] == NORA


def check_told(evidence: Any) -> bool:
    """A reply says how many songs there are."""
    count = len(_playlist(evidence).get("songs", []))
    figures = [
        {"".join(c for c in word if c.isdigit()) for word in text.split()}
        for text in evidence.replies
        if count_words(text) <= 500
    ]
    return count > 0 and any(str(count) in found for found in figures)
