"""Six places for a summer: which questions ask for which of its intents, and for no other."""

from __future__ import annotations

from functools import lru_cache

import pytest

from pi_gym.packs import load_pack
from pi_gym.questions import AskedWhen, asking_clauses

TASK = "07-summer-places"
ASKING = {
    "rule": [
        "Before I rank them: is pay or publication freedom more important to you?",
        "What's the tie-breaker, what should I optimise for?",
        "How do I order the four? By euros, by hours with the supervisor or by days a paper waits?",
        "Which column should drive the ranking?",
        "Do you care most about the money?",
        "Let me know your main criterion.",
        "What would make you prefer one over the other?",
        "Which of left_eur, supervision_h and paper_wait_days is the sort key?",
        "Is this about the money or about the mentoring for you?",
        "I need your decision rule to fill the rank column.",
        "What should tip the balance between them?",
        "Which weighs more: what you earn, how much you are supervised, or how freely you publish?",
        "On which basis should I recommend one?",
        "What decides among the four that remain?",
        "Which criterion matters most to you: money, supervision or publication freedom?",
        "How should I weigh pay against supervision?",
        "Tell me what counts most when I rank the places.",
        "Should I rank them by the money left, by supervision or by how soon papers may go out?",
        "By what rule do I pick the winner?",
        "Is it the money, the mentoring or the freedom to publish that tips the scale?",
        "What is your priority for the ranking?",
        "I could go by money left or by hours of supervision; which do you prefer?",
        "Do you want the place with the most money or the one with the best supervision?",
        "Please tell me which factor should decide.",
        "What matters more to you, publishing freely or money?",
        "I'd rank them by what is left over, unless you would rather go by supervision?",
        "On what basis do you want the ranking: money, supervision or papers?",
        "What are you optimising for this summer?",
    ],
    "start": [
        "When will you go?",
        "Could you tell me your preferred start (22/29 June or 6 July)?",
        "Which of the possible Mondays works for you?",
        "When should the ten weeks run?",
        "What's your intended arrival date?",
        "Does the stay begin 22, 29 June or 6 July?",
        "I need a start date from you, please tell me which.",
        "From which Monday on would you be there?",
        "Do you leave right after the wedding on 22 June, or on 29 June?",
        "Amara is fine with any Monday from 22 June to 6 July; which one do you choose?",
        "When do you want to start?",
        "On which Monday do you begin?",
        "Which start date shall I use: 22 June, 29 June or 6 July?",
        "Tell me which week you want to start in.",
        "Do you prefer to begin on 22 June or rather on 6 July?",
        "What start date should I put for the flexible places?",
        "From when are you available for the stay?",
        "The windows allow 22 June to 6 July. Which Monday is it?",
        "Should I assume that you start on June 22?",
        "When would you like the ten weeks to begin?",
        "Is 29 June fine as your first day, or 6 July?",
        "I can enter 22 June or 29 June as the start; your pick?",
        "Please let me know the date on which the stay should start.",
        "How early do you want to start, right after the wedding or later?",
        "Which dates should I take for the stay itself?",
    ],
    "pitch": [
        "How should I characterise you in intro.txt?",
        "What do you want them to remember about you?",
        "Which research theme goes into the intro?",
        "For the two sentences: latency, field recordings, or users?",
        "Amara wants an answer that is one thing; what is it?",
        "What identity do you want to present?",
        "Who are you to them: the delay person, the rooms person, the listener person?",
        "Which part of your research do you want to be introduced with?",
        "Should the intro stress streaming delay, or recordings in real rooms?",
        "Which side of your work should the introduction show?",
        "How do you want to be introduced?",
        "What should the two sentences be about: delay, rooms or listeners?",
        "Should intro.txt focus on the delay or on the real-room recordings?",
        "Which strand of your research do I lead with in the introduction?",
        "Tell me how you would like to present yourself.",
        "What is the one thing that you want to be known for there?",
        "Do you want me to introduce you by the captions' latency or by the hearing aid users?",
        "I could pitch you as the latency person or the real rooms person; which?",
        "What angle should the pitch take?",
        "Which topic do I put first in the two sentences?",
        "Amara says one thing, not three. Which is it?",
        "Should I describe you by your listening tests or by your recordings?",
        "What should I emphasise in intro.txt?",
        "Please say which aspect the intro should highlight.",
    ],
    "no-arms": [
        "Is a place whose project is funded by the military ruled out?",
        "Does defence money rule a place out?",
        "Should I exclude the place that the navy's supplier pays for?",
        "Do you mind if the funder supplies the armed forces?",
        "May I keep a place that is paid for by an arms maker?",
        "One project is financed by the defence materiel agency. Is that acceptable?",
        "Shall I strike the place with military funding?",
        "Tell me whether army money is a problem for you.",
    ],
    "committee": [
        "Does a stay that overlaps with the committee meeting fall out?",
        "One place has fixed dates until 18 September. Is it ruled out by the committee?",
        "Could you attend the committee meeting remotely?",
        "Should I rule out the place that clashes with 16 September?",
        "Can you fly back for the committee meeting, or is the place out?",
        "Must you be at the committee meeting in person, or may I keep that place?",
        "Shall I exclude the place that collides with the meeting in September?",
        "Would you accept fixed dates that conflict with the committee?",
    ],
    "milestones": [
        "Which milestones should I list in the table?",
        "Should the milestones column use the plan of December or the one of March?",
        "Which version of the thesis plan is valid?",
        "Do I count the milestones on the last day too?",
        "Tell me which thesis plan I should use.",
        "Shall I put the ids of the milestones into the column?",
    ],
    "sums": [
        "Which exchange rates should I use?",
        "Should pay be gross or after tax?",
        "How do I convert the currencies?",
        "Do I include the travel costs in what is left?",
        "Should I take the rates of November or of March?",
        "How should I count a month's rent for ten weeks?",
        "Tell me which rate file I should use.",
        "Shall I deduct the tax before comparing?",
    ],
    "paper-wait": [
        "For Tanager, which figure for the paper wait is right, the page's or the mail's?",
        "Should I use Annika's mail or the page for how long papers wait?",
        "How many days does a paper wait at Tanager, as on the page or as in the mail?",
        "Which number is current for Tanager's publication wait?",
        "Is the careers page or the mail correct about legal's days for papers?",
    ],
    "date-style": [
        "How should I write dates on the page?",
        "Which date format do you want?",
        "Should dates be written as 2026-06-22 or 22 June 2026?",
        "Tell me the date style for the page.",
        "Day first or month first in the dates?",
        "Do you want ISO dates in the recommendation?",
        "What notation should the dates have?",
        "In what form do you want the dates spelled out?",
    ],
    "bottom-line": [
        "Should the verdict come first or last on the page?",
        "Where do you want the recommendation, at the top or at the end?",
        "Does the conclusion go at the beginning of the page?",
        "Do I put the bottom line up front?",
        "Tell me whether the verdict opens or closes the page.",
        "Should the page open with the recommendation?",
        "Where should the conclusion stand?",
        "Is the decision to be placed at the end of the page?",
    ],
    "fallback": [
        "What should the fallback contain, a date or a person?",
        "Should plan B name a contact or a deadline?",
        "Do you want the second choice mentioned with the day until which it is held?",
        "Who should be named in case it falls through?",
        "Tell me what the plan B should say.",
        "Which place is the fallback, and do I name its contact?",
        "If it falls through, should the page say who sees to it or until when?",
        "How should the backup be pinned down, by a name or by a date?",
    ],
}
BESIDE = [
    "Which of the four has the best supervision?",
    "Should the page mention the money?",
    "What does Amara think?",
    "Is the wedding on 20 June?",
    "Who pays the journey to Basel?",
    "When does Orrin want your answer?",
    "How many sentences may intro.txt have?",
    "Did you decline Quillon last year?",
    "When is the committee meeting?",
    "Is ten weeks right for all of them?",
    "Should I mail the six places?",
    "Does Kestrel allow remote work?",
    "Shall I start with the table?",
    "Is there anything else I should know?",
    "Shall I answer the six places for you?",
    "Do you want the page as a PDF too?",
    "Is Halcyon's bicycle included?",
    "Should I tell Amara when it is done?",
    "Would you like a seventh column for the walls to climb at?",
    "How long may the page be?",
    "Is Mrs Gough's breakfast worth anything?",
    "Do you speak any French?",
    "Should the two sentences be in British English?",
    "Is fifty words the limit for intro.txt?",
    "Did Oda look at the money?",
    "Does Amara read intro.txt before they do?",
    "Which of the six has a window?",
    "How did last year's workshop go?",
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
