"""The playlist for the drive: which questions ask for which of its intents, and for no other."""

from __future__ import annotations

from functools import lru_cache

import pytest

from pi_gym.packs import load_pack
from pi_gym.questions import AskedWhen, asking_clauses

TASK = "09-drive-playlist"
ASKING = {
    "length": [
        "How long should the playlist be?",
        "How long is the drive in winter?",
        "How many minutes of music do you need?",
        "Should the list cover Oda's coffee as well?",
        "Tell me how long it takes to get there.",
        "What is the duration of the way up?",
        "Do I plan an hour and a half of music?",
        "Is the length of the drive still what it was in August?",
    ],
    "record": [
        "Which record does Oda want?",
        "Should the album be in it whole?",
        "Is Oda's record still Inland?",
        "Which album must be complete?",
        "Tell me which album Oda has chosen.",
        "Do I put the entire record in, in order?",
        "Elevator Hymns or Rust Belt Buckle for Oda?",
        "What is the name of the album that she wants?",
    ],
    "record-place": [
        "Where does the record go?",
        "Should the album come at the end or in the middle?",
        "Does Oda's record follow the first song?",
        "At which position do you want the album?",
        "Tell me where to place the album, at the beginning or at the end.",
        "When should the record come?",
        "Do you want the album at the end?",
        "Is the record supposed to close the list?",
    ],
    "unborne": [
        "Is there a genre that somebody cannot stand?",
        "What should I avoid because of Maren?",
        "Which music do they hate?",
        "Tell me what nobody can stand.",
        "Is any genre taboo in the car?",
        "Should I leave out punk?",
        "Does anybody dislike fado?",
        "Which kind of music makes Maren sick?",
    ],
    "liked": [
        "What does Mats like?",
        "Which genre did you promise Mats?",
        "How many jazz songs does he want?",
        "Do you want soul or jazz for Mats?",
        "Tell me what Mats wants to hear.",
        "Should there be two synth-pop songs for him?",
        "What music would Mats love?",
    ],
    "old-lists": [
        "May I take songs from your old playlists?",
        "Should I avoid what is on earlier playlists?",
        "How many songs should come from Driving to Bjornbu?",
        "Can I reuse songs from the wood stove list?",
        "Tell me which of the existing lists I may take songs from.",
        "Do songs from last year's list count as a repeat?",
        "Which of the two old lists should the songs be taken from?",
    ],
    "wish": [
        "Which Rain does Kasper mean?",
        "What was Kasper's wish?",
        "Is it Rain by Bram Oosterveld or by Clementine Raft?",
        "Which song does Kasper want?",
        "Tell me which version of Rain you want.",
        "Did Kasper mean the Rain by Clementine Raft?",
    ],
    "once": [
        "May an artist appear twice?",
        "How many songs per artist are allowed?",
        "Can the same band come more than once?",
        "Should I limit it to one song per artist?",
        "Tell me whether I may repeat an artist.",
        "Is more than one song by the same singer fine?",
    ],
    "public": [
        "Should the playlist be public or private?",
        "Do you want the list to be visible to others?",
        "Shall I make it public?",
        "Do I keep the playlist private?",
        "Tell me whether the list should be shared with others.",
        "Public or private list?",
        "Is it meant to be a secret list?",
    ],
    "opener": [
        "What's the opening track?",
        "Which tune goes first?",
        "First track, which one?",
        "Which song do we leave Torvet with?",
        "Any song that must open it?",
        "What should play first?",
        "With what song should the list start?",
        "Is there a traditional first song?",
        "Do you have a favourite song for the start?",
        "Which song is number one on the list?",
        "Which song should it begin with?",
        "What is the first song?",
        "Which song opens the list?",
        "What should the playlist start with?",
        "Do you have a song in mind for the opener?",
        "Tell me which track comes first.",
        "How should the list open, with which song?",
        "Is there a particular song to start with?",
        "Which track do you want as the opening song?",
        "What do we kick off with?",
        "Please tell me the first song.",
        "I need to know which song to start the playlist with.",
        "Should any particular song come first?",
        "What song do you want at the very beginning to start the drive?",
        "Which opener do you prefer?",
    ],
    "title": [
        "Any name for it?",
        "What's it called?",
        "What title?",
        "How shall it be titled?",
        "What name do you want for the playlist?",
        "Do you already have a name for the list?",
        "What should I title the new playlist?",
        "Is there a title you would like?",
        "What shall I call the playlist?",
        "What should the list be called?",
        "Which title do you want?",
        "How do you want the playlist named?",
        "Tell me what name the playlist should have.",
        "Do you have a title in mind?",
        "Should I name it Bjornbu 2026?",
        "What is the playlist's name going to be?",
        "Is 'Way up' fine as a title?",
        "Under which name do I save the list?",
        "Please give me a title for the playlist.",
        "Which name should it get?",
        "I would call it Bjornbu, unless you want another name?",
        "How should I title it?",
        "I need to know what to call the list.",
    ],
}
BESIDE = [
    "Which seat do you take?",
    "Is Oda's coffee long?",
    "Who sings on Rain?",
    "Do you want the list sorted by genre?",
    "Should every one of the six get a song?",
    "May I use songs from this year?",
    "Did Kasper like the song?",
    "Is the record on Spotify?",
    "Does the list start playing by itself?",
    "Is there anything else I should know?",
    "Who drives?",
    "When do you leave Torvet?",
    "Shall I tell Sofie that it is done?",
    "Is Ingrid coming after all?",
    "Do you want the songs downloaded?",
    "Does the car have a working radio?",
    "How many people fit into the car?",
    "Should I add it to your queue?",
    "Who carries the water?",
    "Is the cheese for Friday?",
    "Shall I follow the artists for you?",
    "Did Elias ask for guitars?",
    "Would you like to hear it tonight?",
    "Is Maren still your flatmate?",
]


@lru_cache(maxsize=1)
def pool() -> dict[str, AskedWhen]:
    """The whole pool; a variant draws some of it."""
    pack, found = load_pack("researcher"), {}
    for variant in range(30):
        found |= {intent.name: intent.asked for intent in pack.instantiate(TASK, variant).intents}
        if len(found) == len(ASKING):
            break
    return found


def asked(question: str) -> set[str]:
    return {name for name, one in pool().items() for clause in asking_clauses(question) if one.matches(clause)}


def test_the_table_covers_the_pool() -> None:
    assert set(pool()) == set(ASKING)


@pytest.mark.parametrize(("intent", "question"), [(name, one) for name, many in ASKING.items() for one in many])
def test_a_question_asks_for_its_intent_alone(intent: str, question: str) -> None:
    assert asked(question) == {intent}


@pytest.mark.parametrize("question", BESIDE)
def test_what_is_beside_the_point_asks_for_nothing(question: str) -> None:
    assert asked(question) == set()
