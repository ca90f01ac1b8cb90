"""The application of the summer: which questions ask for which of its intents, and for no other."""

from __future__ import annotations

from functools import lru_cache

import pytest

from pi_gym.packs import load_pack
from pi_gym.questions import AskedWhen, asking_clauses

TASK = "19-summer-application"
ASKING = {
    "place": [
        "Which place is it?",
        "Which of the six did you settle on?",
        "Who is the application addressed to, Orrin or Kestrel?",
        "Tell me the name of the place you apply to.",
        "Is it still Tanager that you apply to?",
        "To which firm do I send the packet?",
        "Am I right that Halcyon is the place?",
        "What is the host called?",
    ],
    "stay": [
        "When does the stay start?",
        "On which Monday do you begin?",
        "What start date do I put on the form?",
        "Tell me which week you start in.",
        "Which dates should I give for the stay?",
        "Do you begin on 22 June or 29 June?",
        "What is your first working day there?",
        "Is it 29 June or 6 July?",
    ],
    "pitch": [
        "Which paragraph should open the letter?",
        "What does the letter lead with: delay, rooms or listeners?",
        "Which of the three paragraphs about your work stays?",
        "Should I keep the paragraph on the delay or the one on real rooms?",
        "Which side of your work does the letter focus on?",
        "Tell me which story the letter should open with.",
        "What is the one thing that the letter should be about?",
        "Do you want the letter to start with the hearing aid study or the room recordings?",
    ],
    "referee": [
        "Who's vouching for you?",
        "Who has agreed to be contacted for a reference?",
        "Which name goes under referee: Amara, Tomasz or Ines?",
        "Ines offered hers; do you want her as the referee?",
        "I need a referee for the form, who should it be?",
        "Who should I list as your reference?",
        "May I list Prof. Okafor as referee?",
        "Who is the referee?",
        "Which referee should I name on the form?",
        "Should Amara or Tomasz be your referee?",
        "Tell me whom to put as a reference.",
        "Who will recommend you, Amara, Tomasz or Ines?",
        "Do you want Ines as the referee?",
        "Whose name goes into the referee field?",
        "I'd put Amara as the referee, unless you want Tomasz?",
        "For the reference, which person do you prefer?",
        "Can I name Tomasz Wieczorek as the one who vouches for you?",
        "Please say who should answer for you on the form.",
        "The form wants one referee. Amara, Tomasz or Ines?",
        "Is Ines Duarte fine as a reference from industry?",
        "Which person has agreed to act as your referee?",
        "Referee: your pick, Amara or Tomasz?",
    ],
    "housing": [
        "Have you got somewhere to sleep there?",
        "Host room, own room or friends?",
        "Do you want to use their guest room?",
        "How will you be accommodated: host, own, friends?",
        "Do you want the room that the host offers?",
        "Where are you going to live?",
        "Which of the three housing values applies?",
        "Are you staying with friends or taking the host's room?",
        "What do I put for housing?",
        "Do you take the host's room or look for one yourself?",
        "Should housing be host, own or friends?",
        "Where will you live during the stay?",
        "Tell me which housing option you want.",
        "Do you need accommodation from the host?",
        "Is your accommodation arranged, or do you want their room?",
        "Will you stay with friends?",
        "Which accommodation should the form name?",
        "Do you want to rent a room of your own or use theirs for lodging?",
        "For housing I can enter host, own or friends; which one?",
        "How do you want to be housed, and should I tick housing by the host?",
        "Shall I tick the host's accommodation?",
        "Please let me know what to enter under housing.",
        "Would you rather have their room or find a flat?",
    ],
    "spelling": [
        "British or American spelling in the letter?",
        "Which spelling should I use?",
        "Should I write analyse or analyze?",
        "Tell me which variety of English you want.",
        "Is the letter supposed to be in British English?",
        "What spelling convention do you follow?",
    ],
    "date-style": [
        "How should dates be written in the letter?",
        "Which date format do you want?",
        "Day first or month first in the dates?",
        "Should dates look like 2026-06-22?",
        "Tell me the date style you prefer.",
        "Do you want ISO dates in the letter?",
    ],
    "cv-keep": [
        "Which section of the CV should stay?",
        "What may I cut from the CV?",
        "Should I drop the talks or the prizes?",
        "Which of teaching, talks, prizes and service do I keep?",
        "Tell me which part of the CV can go.",
        "Do you want teaching or service to remain in the CV?",
    ],
    "copy": [
        "Who gets a copy of the mail?",
        "Should Lotte be in copy?",
        "Whom do I put in cc?",
        "Does anyone else receive the mail, Gunnar for instance?",
        "Tell me who else should get the draft.",
        "Should I add Gunnar to the draft's recipients?",
    ],
    "timed": [
        "When should the draft be scheduled for?",
        "What time do I set on the draft?",
        "Should I schedule the draft, and for what hour?",
        "When is the mail supposed to go out?",
        "Tell me at what time the mail should be sent.",
        "Do you want a time on it, and which?",
    ],
}
BESIDE = [
    "Is there a second letter?",
    "Should the mail mention the deadline?",
    "Do you want me to attach last year's letter too?",
    "What is your year of study?",
    "Who is your advisor?",
    "Did Ines offer her name only to be polite?",
    "Should I name the thesis topic?",
    "Is the committee still in September?",
    "How many lines may the mail have?",
    "Shall I archive Lotte's old mail?",
    "Is there anything else I should know?",
    "Shall I send it now?",
    "Do you want to read the letter first?",
    "Is Mrs Hargreaves strict?",
    "How was Easter?",
    "Should the files be PDFs?",
    "Do you want the title of your thesis in the letter?",
    "How long may the letter be?",
    "Does the board read slowly?",
    "Is form 7b the right form?",
    "What did Dr. Marsh answer last year?",
    "Shall I tell Priya about the letter?",
    "May I delete last year's letter?",
    "Would you like a summary of the packet?",
    "Is the phone number needed?",
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
