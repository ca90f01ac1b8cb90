"""Music for the choir's boat: as long as the way without speech and landing, a record whole, and what stays off."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from pi_gym.authoring import Stream, count_words, made_rows, messages, playlists

# Songs of the catalogue, by id with their seconds.
OLD_LIST, OLD = 50002, {24: 288, 26: 282, 29: 233, 31: 180, 47: 312, 5: 187, 3: 160, 70: 252, 674: 225, 875: 153}
SUNG_OLD = {24: "Haul Her Round", 26: "The Chandler's Daughter", 29: "The Widow's Reel", 31: "Barley and Bone"}
NEW = {22: 155, 32: 154, 36: 188, 37: 174}
SUNG_NEW = {22: "Rope and Tallow", 32: "Thomas Kept the Gate", 36: "Harrowing Day", 37: "Candles for the Pitmen"}
RECORDS = {
    148: {1007: 157, 1008: 206, 1009: 239, 1010: 258, 1011: 227, 1012: 221, 1013: 256},
    134: {908: 201, 909: 168, 910: 275, 911: 297, 912: 276, 913: 223, 914: 302},
    151: {1028: 216, 1029: 301, 1030: 305, 1031: 235, 1032: 162, 1033: 224, 1034: 171},
}
FIRST = {610: 210, 315: 312, 1019: 286, 204: 248}
GENRES = {"fado": (377, 183), "punk": (831, 170), "electronic": (1087, 216)}
SHELF = {
    100: 182, 102: 267, 113: 285, 122: 235, 130: 215, 137: 304, 156: 195, 161: 192, 172: 213, 189: 220, 240: 244,
    255: 248, 287: 217, 299: 233, 310: 270, 324: 253, 630: 288, 654: 267, 659: 286, 723: 237, 751: 211, 895: 277,
    1098: 255,
}  # fmt: skip
SHORT = {99: 148, 128: 157, 139: 159, 160: 149, 194: 161, 250: 137, 643: 153, 705: 150, 904: 150}
#: Minutes: what is a list for some boat, and neither half of one nor everything.
SHORTEST, LONGEST, ROPES_OFF = 45, 110, 17 * 60
RAGNA, ENDRE = "ragna.sundby@fjordpost.example", "5550261040"
GRO = "5550261014"


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw way, landing, speech and the hour of the guns, what was said first, and what the choir sings."""
    p = preferences.p
    way, landing, speech = stream.integer(82, 100), stream.integer(6, 9), stream.integer(6, 12)
    minutes, later = way - landing - speech, stream.integer(9, 13)
    other = stream.choice([one for one in GENRES if one != p.never])
    sung = {**dict(stream.sample([*SUNG_OLD.items()], 3)), **dict(stream.sample([*SUNG_NEW.items()], 2))}
    guns = _clock(ROPES_OFF + way - landing - stream.integer(4, 10))
    return {
        "way": way, "landing": landing, "speech": speech, "old_speech": speech + stream.integer(4, 7),
        "minutes": minutes, "old_way": way + later, "old_minutes": minutes + later, "guns": guns,
        "switched_off": minutes // 10 * 10 - 10,
        "guns_written": [guns, guns.replace(":", "."), guns.replace("18:", "6:"), guns.replace("18:", "6.")],
        "old_record": stream.choice([one for one in RECORDS if one != p.record]),
        "other": other, "vetoes": stream.shuffled([p.never, other]),
        "sung": stream.shuffled([*sung]), "titles": sorted(sung.values()), "shelf": stream.shuffled([*SHELF]),
    }, {}  # fmt: skip


def _clock(minute: int) -> str:
    return f"{minute // 60}:{minute % 60:02d}"


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The list and who hears of it. Who knows nothing goes by last year's way and by what was said first."""
    songs = _songs(world, wishes)
    minutes = sum(songs.values()) // 60
    guns = f"They salute at {world.guns} on 6 June, while the music plays."
    return {
        "playlist": [{"account": 1, "title": "Quay Choir 2026", "is_public": bool(wishes.open_list)}],
        "songs": [*songs],
        "minutes": minutes,
        "end": _clock(ROPES_OFF + world.speech + minutes),
        "quay": wishes.endre_word and messages.message("text", "", ENDRE, "", f"The list lasts {minutes} minutes."),
        "clash": wishes.gro_word and messages.message("text", "", GRO, "", guns),
        "link": wishes.ragna_word and messages.message("mail", RAGNA, "", "Music for the boat", "The list is there."),
    }


def _songs(world: Any, wishes: Any) -> dict[int, int]:
    """The songs in their order, with their seconds: short ones last, so that the end is met within three minutes."""
    first = wishes.first_song or 204
    songs = {first: FIRST[first], **RECORDS[wishes.record or world.old_record]}
    songs.update(song for name, song in GENRES.items() if name != (wishes.never or world.other))
    known = sorted(OLD, key=lambda one: (one in world.sung) == bool(wishes.once))
    songs.update({one: OLD[one] for one in known[: wishes.old_list or 0]})
    songs.update({one: NEW[one] for one in world.sung if one in NEW and not wishes.once})
    least = 60 * (world.minutes if wishes.minutes else world.old_minutes)
    for one in world.shelf:
        if sum(songs.values()) + SHELF[one] <= least:
            songs[one] = SHELF[one]
    for one, seconds in SHORT.items():
        if sum(songs.values()) < least:
            songs[one] = seconds
    return songs


def make_list(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Make the list, and look at how long it has become."""
    made, key = right(world, wishes), world.first_id
    row = {name: made["playlist"][0][name] for name in ("title", "is_public")}
    adds = [{"tool": "spotify__add_song_to_playlist", "playlist_id": key, "song_id": one} for one in made["songs"]]
    return [{"tool": "spotify__create_playlist", **row}, *adds, {"tool": "spotify__show_playlist", "playlist_id": key}]


# -- rules on what a session left --------------------------------------------------------------------------------------


def check_boat(evidence: Any) -> bool:
    """It lasts as long as some boat."""
    return playlists.lasts(evidence, SHORTEST, LONGEST - SHORTEST)


def check_told(evidence: Any) -> bool:
    """A reply says how long the list is."""
    return any(count_words(text) <= 500 and _says(evidence, text, 0) for text in evidence.replies)


def check_hears(evidence: Any, who: list[str], start: int) -> bool:
    """Somebody was left the filled list's length as it is, or the hour of its end, from a start on."""
    sent = messages.sent_messages(evidence).items()
    said = [text for to, texts in sent for text in texts if any(one in to for one in who)]
    said += [one["body"] for one in made_rows(evidence, "gmail", "drafts") if any(w in str(one) for w in who)]
    return any(count_words(one) <= 200 and (_says(evidence, one, 0) or _says(evidence, one, start)) for one in said)


def _says(evidence: Any, text: str, start: int) -> bool:
    """Whether a text has so many minutes from a start on, in minutes or in hours and minutes, rounded either way."""
    seconds = sum(song["duration"] for song in playlists.songs_of(evidence))
    words = text.casefold().replace("one hour", "1 hour").replace("an hour", "1 hour")
    read = [int(one) for one in "".join(c if c in "0123456789" else " " for c in words).split()]
    said = {60 * (hour % 12 if start else hour) + rest for hour, rest in pairwise(read)}
    ends = {start % 720 + seconds // 60, start % 720 - (-seconds // 60)}
    return check_boat(evidence) and bool(ends & ({*said} if start else {*said, *read}))
