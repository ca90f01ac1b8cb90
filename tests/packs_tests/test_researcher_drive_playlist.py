"""The playlist for the drive: made from what an agent can see, in ways right and wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from support.play import opened, play
from support.researcher import NOTHING, Lost, again, result, shortfall, sign_in, task_of

TASK = "09-drive-playlist"
QUESTION = "Which song should it begin with? What shall I call the playlist?"
Song = dict[str, Any]


@dataclass
class Plan:
    """What one agent puts into the playlist; a test changes what it likes."""

    seconds: int
    opener: Song
    record: list[Song]
    place: str
    must: list[Song]
    more: list[Song]
    title: str
    public: bool
    songs: list[Song] = field(default_factory=list)
    final: str = ""

    def list(self) -> list[Song]:
        """Opener, what must be in it and as much of the rest as the drive takes, the record where it belongs."""
        left = self.seconds - sum(one["duration"] for one in [self.opener, *self.record, *self.must])
        rest = [*self.must, *(filled(self.more, left, left + 170) or [])]
        return [self.opener, *(self.record + rest if self.place == "second" else rest + self.record)]


def filled(songs: Sequence[Song], low: int, high: int) -> list[Song] | None:
    if low <= 0:
        return [] if high >= 0 else None
    for at, one in enumerate(songs):
        rest = filled(songs[at + 1 :], low - one["duration"], high - one["duration"])
        if one["duration"] <= high and rest is not None:
            return [one, *rest]
    return None


class Drive:
    """A variant opened, read and asked, with a plan of its own for it."""

    def __init__(self, variant: int) -> None:
        self.task = task_of(TASK, variant)
        self.session = opened(self.task)
        sign_in(self.session, "phone", "gmail", "spotify")
        texts: list[dict[str, Any]] = []
        for page in range(3):
            found = result(self.session, "phone__search_text_messages", page_limit=20, page_index=page)
            texts += found["text_messages"]
        self.texts = "\n".join(one["message"] for one in texts if one["sent_at"] > "2026-03")
        self.mails = "\n".join(self.mail(thread) for thread in (9001, 9004))
        said = str(play(self.session, QUESTION)[-1].messages[-1].content)
        first = re.findall(r"begin with (.+?) by", said)
        title = re.findall(r"call it (.+?)\.", said)
        drive, coffee = re.findall(r"it is 1:(\d\d) from torvet.*then (\d+) minutes for my coffee", self.texts)[0]
        record = re.findall(r"it's (.+?) by .* now, whole", self.texts)[0]
        unborne = re.findall(r"but not with (\S+) on", self.texts)[0]
        liked = re.findall(r"if there are two (\S+) songs", self.texts)[0]
        old = [self.playlist(key) for key in ("Driving to Bjornbu", "Bjornbu, wood stove")]
        source, self.spared = old if "Exactly three songs from Oda" in self.mails else old[::-1]
        wish = re.findall(r"I mean the one by (.+?);", self.mails)[0]
        found = [*self.songs("rain oosterveld"), *self.songs("rain clementine")]
        rains = [one for one in found if one["title"] == "Rain"]
        rains = list({one["song_id"]: one for one in rains}.values())
        must = [one for one in rains if one["artist"] == wish]
        self.rain = [one for one in rains if one not in must]
        album = next(iter(self.songs(record)))["album_id"]
        record_songs = [self.song(one["song_id"]) for one in self.album(album)]
        opener = self.songs(first[0])[0] if first else next(s for s in self.songs("personal best"))
        for pool, count in ((source, 3), (self.songs(genre=liked), 2)):
            names = {one["artist"] for one in [opener, *record_songs, *must]}
            must += distinct([one for one in pool if one["duration"] < 300], names)[:count]
        names = {one["artist"] for one in [opener, *record_songs, *must]}
        genres = [one for one in ("hip hop", "folk", "electronic", "chamber pop", "classical") if one != unborne]
        kept_out = {one["song_id"] for one in [*old[0], *old[1]]}
        more = [one for genre in genres for one in self.songs(genre=genre) if one["song_id"] not in kept_out]
        self.unborne, self.liked, self.old = unborne, liked, old
        self.work = Plan(
            60 * (60 + int(drive) + int(coffee)),
            opener,
            record_songs,
            "last" if "at the very end" in self.texts else "second",
            must,
            distinct(more, names),
            title[0] if title else "To the snow",
            "I make it public" in self.texts,
        )

    def mail(self, thread: int) -> str:
        return "\n".join(
            one["body"] for one in result(self.session, "gmail__show_thread", email_thread_id=thread)["emails"]
        )

    def songs(self, query: str = "", **filters: Any) -> list[Song]:
        found = result(self.session, "spotify__search_songs", query=query, page_limit=20, **filters)["songs"]
        return list(found)

    def song(self, key: int) -> Song:
        return dict(result(self.session, "spotify__show_song", song_id=key))

    def album(self, key: int) -> list[Song]:
        return list(result(self.session, "spotify__show_album", album_id=key)["songs"])

    def playlist(self, title: str) -> list[Song]:
        found = result(self.session, "spotify__search_playlists", query=title)["playlists"]
        key = next(one["playlist_id"] for one in found if one["title"] == title)
        return [
            self.song(one["song_id"])
            for one in result(self.session, "spotify__show_playlist", playlist_id=key)["songs"]
        ]

    def make(self, plan: Plan) -> int:
        made = result(self.session, "spotify__create_playlist", title=plan.title, is_public=plan.public)["playlist_id"]
        for one in plan.songs or plan.list():
            result(self.session, "spotify__add_song_to_playlist", playlist_id=made, song_id=one["song_id"])
        return int(made)

    def finish(self, plan: Plan) -> Lost:
        final = plan.final or f"{len(plan.songs or plan.list())} songs, and not one of them shouts."
        play(self.session, final)
        return shortfall(self.session, final)


def distinct(songs: Sequence[Song], names: set[str]) -> list[Song]:
    """One song an artist, of those who are not heard yet."""
    found: dict[str, Song] = {}
    for one in songs:
        if one["artist"] not in names:
            found.setdefault(one["artist"], one)
    return [*found.values()]


@pytest.mark.parametrize("variant", range(4))
def test_a_list_of_other_songs_is_as_right(variant: int) -> None:
    one = again(Drive, variant)
    one.make(one.work)
    assert one.finish(one.work) == NOTHING
    assert (one.session.proc, one.session.comp) == (1.0, 1.0)


@pytest.mark.parametrize("variant", range(3))
def test_the_reference_lasts_as_long_as_the_catalogue_says(variant: int) -> None:
    one = again(Drive, variant)
    keys = [int(key) for step in one.task.reference for key in re.findall(r'"song_id": (\d+)', step)]
    minutes = sum(one.song(key)["duration"] for key in keys) // 60
    assert re.search(rf"{len(keys)} songs, {minutes} minutes", one.task.reference[-1])


def mended(c: Drive) -> None:
    """A wrong song is added and taken out again."""
    made = c.make(c.work)
    result(c.session, "spotify__add_song_to_playlist", playlist_id=made, song_id=831)
    result(c.session, "spotify__remove_song_from_playlist", playlist_id=made, song_id=831)


def shuffled_middle(c: Drive) -> None:
    songs = c.work.list()
    at = 1 + len(c.work.record) if c.work.place == "second" else 1
    end = len(songs) if c.work.place == "second" else len(songs) - len(c.work.record)
    c.work.songs = songs[:at] + songs[at:end][::-1] + songs[end:]
    c.make(c.work)


def made_anew(c: Drive) -> None:
    """A playlist of another name is emptied, since it can be neither renamed nor deleted."""
    first = result(c.session, "spotify__create_playlist", title="New playlist", is_public=not c.work.public)
    result(c.session, "spotify__add_song_to_playlist", playlist_id=first["playlist_id"], song_id=94)
    result(c.session, "spotify__remove_song_from_playlist", playlist_id=first["playlist_id"], song_id=94)
    c.make(c.work)


@pytest.mark.parametrize("change", [mended, shuffled_middle, made_anew])
def test_another_way_there_is_paid_in_full(change: Callable[[Drive], None]) -> None:
    one = again(Drive, 1)
    change(one)
    assert one.finish(one.work) == NOTHING


def made_with(change: Callable[[Drive], object]) -> Callable[[Drive], None]:
    def one(c: Drive) -> None:
        change(c)
        c.make(c.work)

    return one


@made_with
def as_in_august(c: Drive) -> None:
    c.work.seconds -= 12 * 60


@made_with
def half_a_record(c: Drive) -> None:
    c.work.record = c.work.record[:-2]


@made_with
def record_in_the_middle(c: Drive) -> None:
    songs = [one for one in c.work.list() if one not in c.work.record]
    c.work.songs = [*songs[:4], *c.work.record, *songs[4:]]


@made_with
def one_of_the_unborne(c: Drive) -> None:
    known = {one["artist"] for one in c.work.list()}
    c.work.must += distinct(c.songs(genre=c.unborne, max_duration=280), known)[:1]


@made_with
def both_rains(c: Drive) -> None:
    c.work.must += c.rain


@made_with
def one_from_each_list(c: Drive) -> None:
    known = {one["artist"] for one in c.work.list()}
    c.work.must += distinct([one for one in c.spared if one["duration"] < 300], known)[:1]


@made_with
def the_same_voice(c: Drive) -> None:
    name = c.work.must[-1]["artist_id"]
    spared = {one["song_id"] for one in [*c.work.list(), *c.old[0], *c.old[1]]}
    c.work.must += [one for one in c.songs(artist_id=name) if one["song_id"] not in spared][:1]


@made_with
def own_title(c: Drive) -> None:
    c.work.title = "Roadtrip 2026"


@made_with
def the_other_way_round(c: Drive) -> None:
    c.work.public = not c.work.public


@made_with
def another_opener(c: Drive) -> None:
    songs = c.work.list()
    at = -1 if c.work.place == "second" else 1
    songs[0], songs[at] = songs[at], songs[0]
    c.work.songs = songs


def two_lists(c: Drive) -> None:
    c.make(c.work)
    c.make(c.work)


def also_queued(c: Drive) -> None:
    result(c.session, "spotify__add_to_queue", playlist_id=c.make(c.work))


def told_everybody(c: Drive) -> None:
    c.make(c.work)
    result(c.session, "phone__send_text_message", phone_number="5550142039", message="the list is ready")


def long_story(c: Drive) -> None:
    c.make(c.work)
    c.work.final = "It is done, and here is what I thought about every single song of it. " * 20


WRONG: dict[str, tuple[Callable[[Drive], None], set[str], set[str]]] = {
    "as in August": (as_in_august, {"length"}, {"lasts-the-drive", "nothing-else"}),
    "half a record": (
        half_a_record,
        {"record", "record-place", "once"},
        {"record-whole", "record-placed", "nobody-twice"},
    ),
    "record in the middle": (record_in_the_middle, {"record-place"}, {"record-placed"}),
    "one of the unborne": (one_of_the_unborne, {"unborne"}, {"nothing-unborne"}),
    "both Rains": (both_rains, {"wish"}, {"the-right-rain"}),
    "one from each list": (one_from_each_list, {"old-lists"}, {"three-old-ones"}),
    "the same voice": (the_same_voice, {"once"}, {"nobody-twice"}),
    "her own title": (own_title, set(), {"titled"}),
    "the other way round": (the_other_way_round, {"public"}, {"seen-by"}),
    "another opener": (another_opener, set(), {"opens"}),
    "also queued": (also_queued, set(), {"nothing-else"}),
    "told everybody": (told_everybody, set(), {"nothing-else"}),
    "a long story": (long_story, set(), {"told"}),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_play_loses_what_it_got_wrong_and_no_more(name: str) -> None:
    change, intents, items = WRONG[name]
    items_first = next(iter(sorted(items)))
    fits = [
        v
        for v in range(12)
        if {*sorted(intents)[:1]} <= {intent.name for intent in task_of(TASK, v).intents}
        and items_first in {item.name for item in task_of(TASK, v).checklist}
    ]
    one = again(Drive, fits[0])
    change(one)
    drawn = {intent.name for intent in one.task.intents}
    assert one.finish(one.work) == (intents & drawn, items & {item.name for item in one.task.checklist})


def test_two_playlists_are_none() -> None:
    one = again(Drive, 0)
    two_lists(one)
    _, failed = one.finish(one.work)
    assert failed == {item.name for item in one.task.checklist}
