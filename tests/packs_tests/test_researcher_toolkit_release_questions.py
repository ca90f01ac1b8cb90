"""The toolkit's release of the Researcher: which questions ask for which of its intents, and for no other."""

from __future__ import annotations

from functools import lru_cache

import pytest

from pi_gym.packs import load_pack
from pi_gym.questions import AskedWhen, asking_clauses

ASKING = {
    "tolerance": [
        "Within how many percent does a claim count as reproduced?",
        "How close must our mean be to the claim?",
        "What tolerance does the group use for claims?",
        "Tell me what gap is still acceptable.",
        "Is a 4 % gap still reproduced for you?",
        "What margin do you allow before a claim is not reproduced?",
        "Is the usual tolerance 3 % or 5 %?",
        "Which threshold decides whether a claim is reproduced?",
        "Does a gap of six percent still count as reproduced?",
        "What is near enough for a claim?",
        "How strict is the group's tolerance?",
        "I'd use 5 % as the tolerance, unless you'd rather have another limit?",
    ],
    "pin-term": [
        "How long does a pin hold?",
        "Until when is the current version pinned?",
        "When does the pin of the decoder run out?",
        "Is the term of the pin over?",
        "What date should I enter for the next look?",
        "Tell me how many weeks a pin is valid.",
        "When is the next look due?",
        "Which day do you want as the review date?",
        "Does the pin of 6 March still hold?",
        "For how long is a version locked?",
        "What is the duration of a pin?",
        "Has the pin expired, or is it still in force?",
    ],
    "contact": [
        "Who gets the mail?",
        "Whom do I inform?",
        "To whom should the email go, Tomasz or Priya?",
        "Who hears about a release?",
        "Tell me who needs to know.",
        "Which colleague should be notified?",
        "Who is the recipient of the mail?",
        "Should I write the mail to Wei-Lin?",
        "Is Priya the one who is told?",
        "Does the mail go to Jonas, or to the whole group?",
        "Who is the one to tell about such things?",
        "Please say whom I should send the mail to.",
    ],
    "deciding-list": [
        "Which list decides?",
        "Which of the three lists matters for us?",
        "Is it quay-noisy, tramline or canteen that has to hold?",
        "Which claim must hold for us?",
        "Tell me which list counts.",
        "Does tramline decide, or canteen?",
        "Which test set do you go by?",
        "What list do you care about most?",
        "Which figure is the important one: quay-noisy, tramline, canteen?",
        "I'd let quay-noisy decide, unless you'd rather choose another list?",
        "For which list does the claim have to hold?",
        "Should the canteen list be the one that decides?",
    ],
    "reminder-day": [
        "When should I remind you?",
        "How many days ahead do you want the reminder?",
        "Should the reminder come on the day itself or the day before?",
        "What time should the reminder fire?",
        "Tell me when the reminder should come.",
        "Do you want to be reminded in the morning, or the evening before?",
        "On which day shall I set the reminder?",
        "How early do you want the alert?",
        "Reminder on the same day or a few days in advance?",
        "What lead time should the reminder have?",
        "Which date and hour for the reminder?",
        "Is a reminder at nine on the day fine, or earlier?",
    ],
    "blockers": [
        "Which board is in the box now?",
        "Which regressions count as blockers?",
        "Does an open issue on x86 affect us?",
        "Is the box still an arm64 board?",
        "Tell me which platform our box has.",
        "Which of the open bugs hit our hardware?",
    ],
    "migration": [
        "Which keys should the migrate line list?",
        "Do you want all renamed keys in the note or just ours?",
        "Should I name the breaking changes that affect our config?",
        "Tell me which configuration keys to list.",
        "Should I adapt decoder.yaml to the renamed keys?",
    ],
    "checksum": [
        "Which checksum goes into lock.toml?",
        "Which wheel do we install?",
        "Should I take the sha256 of the sef wheel?",
        "Tell me which file's hash to record.",
        "What build should the checksum be of?",
    ],
    "way-back": [
        "What should I write about the way back?",
        "Does the fallback need a name or a date?",
        "Who puts the old wheel back?",
        "Until when is a rollback possible?",
        "Tell me what the back line should say.",
        "Should I name an owner for the rollback?",
    ],
    "decimals": [
        "How many decimals should the table have?",
        "With what precision do you want the error rates?",
        "Should I round the WER to one digit?",
        "Tell me how many digits to show.",
        "Two decimals or three?",
    ],
}
BESIDE = [
    "Is there anything else?",
    "Shall I send it now?",
    "Do you want a summary?",
    "Who is on duty tomorrow?",
    "Should I read the old notes?",
    "Is the smoke test reliable?",
    "Which node was busy in the night?",
    "What is the weather like?",
    "Has the project changed its licence?",
    "Shall I tidy the inbox?",
    "Should the note be in British English?",
    "Do I attach the log?",
    "Where is the inbox?",
    "Should I look at the other components too?",
    "Is 640 ms of interest?",
    "May I install it?",
    "Would you like to see the draft?",
    "Does Amara read these notes?",
    "What happened to audiolane?",
    "Should old rows stay?",
]


@lru_cache(maxsize=1)
def pool() -> dict[str, AskedWhen]:
    """The whole pool; a variant draws some of it."""
    pack, found = load_pack("researcher"), {}
    for variant in range(30):
        found |= {intent.name: intent.asked for intent in pack.instantiate("12-toolkit-release", variant).intents}
        if len(found) == len(ASKING):
            break
    return found


def hits(question: str) -> set[str]:
    return {name for name, one in pool().items() for clause in asking_clauses(question) if one.matches(clause)}


def test_the_table_covers_the_pool() -> None:
    assert set(pool()) == set(ASKING)


@pytest.mark.parametrize("name", ASKING)
def test_a_targeted_question_is_heard(name: str) -> None:
    heard = [question for question in ASKING[name] if name in hits(question)]
    assert len(heard) >= 0.8 * len(ASKING[name]), sorted({*ASKING[name]} - {*heard})


@pytest.mark.parametrize("name", ASKING)
def test_a_question_for_something_else_is_not_taken_for_it(name: str) -> None:
    others = [question for other, found in ASKING.items() if other != name for question in found] + BESIDE
    wrong = [question for question in others if name in hits(question)]
    right = [question for question in ASKING[name] if name in hits(question)]
    assert len(right) >= 0.9 * (len(right) + len(wrong)), wrong
