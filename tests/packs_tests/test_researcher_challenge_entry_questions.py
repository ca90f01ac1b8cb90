"""The Researcher's challenge: which questions ask for which of its intents, and for no other."""

from __future__ import annotations

from functools import lru_cache

import pytest

from pi_gym.packs import load_pack
from pi_gym.questions import AskedWhen, asking_clauses

ASKING = {
    "what-decides": [
        "What decides among the possible ones?",
        "Which criterion should I use to choose between the challenges?",
        "Do you prefer the one with the latest deadline or the one that serves the plan best?",
        "If several are possible, which do we pick?",
        "Tell me what matters most: days of the plan, or the deadline.",
        "How should I rank the feasible challenges?",
        "Should the earliest or the latest deadline decide?",
        "Is overlap with the plan what counts, or time?",
        "What is the priority when more than one challenge is possible?",
        "days, late or early: which one goes into decided_by?",
        "By what do we choose among those that are possible?",
        "I'd let the overlap with the plan decide, unless you'd rather go by the deadline?",
        "Which of the remaining entries do you favour?",
        "What should be the tie-break between the challenges?",
    ],
    "trainings": [
        "How many full trainings do we want to afford?",
        "What number of trainings should I budget for?",
        "Do we plan for two or three trainings?",
        "Tell me how many trainings to count with.",
        "How many times do we train the model?",
        "Are three full trainings enough?",
        "How many training runs must fit?",
        "Should I count with 3 trainings like last year?",
        "Which number of trainings goes into the form?",
        "Trainings: two, three or four?",
        "How many full runs should be affordable?",
        "I'd plan for three trainings, unless you want more?",
    ],
    "licence-rule": [
        "Must the weights be free to go to Veltra?",
        "Does a research-only licence rule a challenge out?",
        "Do we need to pass on the weights afterwards?",
        "Should I exclude challenges whose terms forbid giving models to companies?",
        "Tell me whether the licence matters.",
        "Is it a problem if models may not go to a partner?",
    ],
    "quota": [
        "How much of the quota is left?",
        "Which jobs count against the quota?",
        "Do lost jobs count?",
        "Should I subtract what is set aside?",
        "How many card hours are still available?",
        "Which number for the reserved hours is right, the old or the new one?",
    ],
    "our-time": [
        "Which time zone should I use for the deadlines?",
        "Should the deadlines be in our local time?",
        "Do I convert AoE to Oslo time?",
        "In which time zone do you want the dates in the form?",
        "Does Murmur's extension apply to the final deadline?",
        "Should I write times in UTC or in ours?",
    ],
    "days-served": [
        "Which packages are running?",
        "Does WP2 still count?",
        "How do I count the planned days of a parked package?",
        "Which packages does each challenge serve?",
        "Should parked packages be included?",
        "Is WP4 still active?",
    ],
    "milestones": [
        "When should the freeze be?",
        "How many working days before the deadline do first results come?",
        "What due dates do you want in Todoist?",
        "Which milestones, and on which days?",
        "When do we register?",
        "Should I plan the schedule back from the final day?",
    ],
    "buffer": [
        "How long before the deadline do we submit?",
        "How many days of buffer do you want before the final deadline?",
        "When do we hand in?",
        "What safety margin should the submission have?",
        "Should we upload a day early or on the day?",
        "How early should the submission be?",
    ],
    "writer": [
        "Who writes the description?",
        "To whom should I assign the description?",
        "Does Tomasz or Priya write it up?",
        "Who is responsible for the system description?",
        "Tell me who does the description this year.",
        "Should the description be assigned to Priya?",
    ],
    "date-style": [
        "How should dates be written in the memo?",
        "Which date format do you want?",
        "ISO dates or day and month written out?",
        "Day first or month first?",
        "What style should the dates have?",
        "Do you want the date spelled out?",
    ],
    "memo-name": [
        "What should the memo be called?",
        "How do you want the memo's file named?",
        "Which file name shall I use?",
        "Is there a naming pattern for memos?",
        "Under what name do I save the memo?",
        "What title should the memo's file have?",
    ],
}
BESIDE = [
    "Is there anything else I should know?",
    "Shall I forward the memo to Amara?",
    "Do you want to read it first?",
    "Has Amara seen the pages?",
    "Where is the form of 2025?",
    "Should the memo be in British English?",
    "Would you like a summary of the rules?",
    "Is Yuki one of the organisers?",
    "What was our rank in 2025?",
    "Is there a prize?",
    "When does Wei-Lin leave?",
    "Should I tidy the folder?",
    "Do you want links to the pages?",
    "What did the fire burn?",
    "Can I open the web?",
    "Is the README still valid?",
    "Where does Amara read it?",
    "Was the rack repaired?",
    "Should I mail Anders?",
    "Do you like tea?",
]


@lru_cache(maxsize=1)
def pool() -> dict[str, AskedWhen]:
    """The whole pool; a variant draws some of it."""
    pack, found = load_pack("researcher"), {}
    for variant in range(40):
        found |= {intent.name: intent.asked for intent in pack.instantiate("16-challenge-entry", variant).intents}
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
