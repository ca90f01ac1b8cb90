"""The songs for a drive of known length, and the rules on a playlist that were found in texts and mails."""

from __future__ import annotations

from typing import Any

from pi_gym.authoring import Stream, keyed_rows, keyed_texts, messages, playlists

# Ids and seconds of the catalogue's songs; a rule reads the catalogue itself.
RECORDS = {
    "hymns": (14, ((94, 167), (95, 271), (96, 201), (97, 225), (98, 212), (99, 148))),
    "buckle": (100, ((678, 238), (679, 298), (680, 235), (681, 181), (682, 195), (683, 193))),
    "inland": (92, ((624, 209), (625, 303), (626, 248), (627, 226), (628, 222), (629, 228))),
}
OPENER = (741, 304)
WISHES = {"oosterveld": (1094, 408), "raft": (1104, 275)}
LISTS = {"driving": (50027, ((127, 219), (81, 227), (1028, 216))), "stove": (50010, ((55, 201), (41, 175), (995, 192)))}
UNBORNE = {"punk": (831, 170), "fado": (377, 183), "ambient": (432, 249)}
SAME_VOICE = ((2, 282), (3, 160))
#: Address and number of those who are told.
PEOPLE = {
    "oda": ("oda.lien@postbox.example", "5550142039"),
    "kasper": ("kasper.nygaard@postbox.example", "5550142038"),
}
#: Minutes: the bounds of anything that is a list for a drive.
SHORTEST, LONGEST = 30, 5800 / 60


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """How long the drive is, which songs stand nearest on the shelf, and what was said before it was changed."""
    p, shelf = preferences.p, keyed_rows(preferences.data["shelf.csv"])  # songs that nobody minds and nobody asked for
    drive, coffee = stream.choice((68, 72, 76, 79)), stream.choice((5, 8, 10, 12))
    minutes, source = drive + coffee, LISTS[p.old_lists][0]
    return {
        "drive": f"1:{drive - 60:02d}",
        "summer_drive": f"1:0{drive % 60 % 5 + 1}",
        "coffee": coffee,
        "minutes": minutes,
        "shelf": stream.shuffled([[int(song), row["seconds"]] for song, row in shelf.items()]),
        "old_record": stream.choice([name for name in RECORDS if name != p.record]),
        "old_unborne": stream.choice([name for name in UNBORNE if name != p.unborne]),
        "rain": WISHES[p.wish][0],
        "other_rain": next(song for name, (song, _) in WISHES.items() if name != p.wish),
        "album": RECORDS[p.record][0],
        "lists": {"source": source, "spared": [key for key, _ in LISTS.values() if key != source]},
        "said": keyed_texts(preferences.data["said.csv"]),
    }, {}


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The playlist, and one choice of songs for it. Who knows nothing of a wish goes by what was said first."""
    songs = _songs(world, wishes)
    row = {"account": 1, "title": wishes.title or "Bjornbu", "is_public": bool(wishes.public)}
    return {"playlist": [row], "songs": [key for key, _ in songs], "minutes": sum(time for _, time in songs) // 60}


def _songs(world: Any, wishes: Any) -> list[tuple[int, int]]:
    record = RECORDS[wishes.record or world.old_record][1]
    songs = [song for genre, song in UNBORNE.items() if genre != (wishes.unborne or world.old_unborne)]
    songs += () if wishes.once else SAME_VOICE
    songs += [WISHES[wishes.wish]] if wishes.wish else []
    songs += LISTS[wishes.old_lists][1] if wishes.old_lists else ()
    minutes = world.minutes if wishes.length else 60 + int(world.summer_drive[2:])
    low = 60 * minutes + 5 - sum(seconds for _, seconds in (OPENER, *record, *songs))
    songs += _filled([tuple(song) for song in world.shelf], low, low + 100) or []
    return [OPENER, *songs, *record] if wishes.record_place == "last" else [OPENER, *record, *songs]


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


def make_list(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Make the playlist and fill it."""
    made = right(world, wishes)
    row, key = made["playlist"][0], world.first_id
    title = {"title": row["title"], "is_public": row["is_public"]}
    adds = [{"tool": "spotify__add_song_to_playlist", "playlist_id": key, "song_id": song} for song in made["songs"]]
    create = {"tool": "spotify__create_playlist", **title}
    return [create, *adds, {"tool": "spotify__show_playlist", "playlist_id": key}]


def tell_friends(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Text Oda, answer Kasper."""
    title = right(world, wishes)["playlist"][0]["title"]
    said = {
        "oda": wishes.oda_told and f"The list for Friday is there: {title}, as long as the drive and the coffee.",
        "kasper": wishes.kasper_told and "Dear Kasper, your Rain is in it, the one that you mean. Nora",
    }
    ways = {"oda": "text", "kasper": "mail"}
    sent = [messages.message(ways[who], *PEOPLE[who], "Re: One wish", text) for who, text in said.items() if text]
    return messages.send_calls(*sent)


# -- rules on what a session left --------------------------------------------------------------------------------------


def check_drive(evidence: Any) -> bool:
    """It lasts as long as some drive, and is not the whole catalogue."""
    return playlists.lasts(evidence, SHORTEST, LONGEST - SHORTEST + 10)  # and a song or two too many


def check_heard(evidence: Any, who: str, word: str) -> bool:
    """Somebody has a text or a mail with this word, which is not as long as a heap of everything."""
    return messages.heard(evidence, PEOPLE, who, word)
