"""The money round of the Researcher: which questions ask for which of its intents, and for no other."""

from __future__ import annotations

from functools import lru_cache

import pytest

from pi_gym.packs import load_pack
from pi_gym.questions import AskedWhen, asking_clauses

ASKING = {
    "past-day": [
        "By when should they have paid?",
        "Which day did you give people for the March money?",
        "What was the deadline for the cabin money?",
        "Which date goes into the reminders?",
        "Tell me the day by which they should have paid.",
        "When was the July deposit due?",
        "Until when did they have to pay?",
        "What due date should the reminders name?",
        "When is the money due?",
        "What day had you set for Bjornbu?",
    ],
    "guest": [
        "Was Kasper your guest in March?",
        "Do both of Kasper's entries come out?",
        "Does Kasper pay for the food himself?",
        "Which of Kasper's entries should I delete?",
        "Tell me what Kasper still owes you for March.",
        "Is Kasper's part of the hut yours?",
        "How much of Kasper's share do you cover?",
        "Should I remove Kasper's food entry?",
        "Kasper: guest for everything, or does he pay hut and petrol?",
        "Do I keep Kasper's entries as they are?",
    ],
    "worth": [
        "From what amount on is a reminder worth it?",
        "What is the smallest debt you want people reminded of?",
        "Is there a minimum below which I should not nudge anyone?",
        "Should I remind everyone who owes you, or only those with larger sums?",
        "Tell me the threshold for a reminder.",
        "How much does somebody have to owe before I remind them?",
        "Do you want small balances chased too?",
        "Shall I skip debts under 100 kroner?",
        "What would you call an amount worth a reminder?",
        "Please give me a lower limit for the reminders.",
    ],
    "remind-how": [
        "Should the reminders go out by text or by mail?",
        "Do you want me to text people or email them?",
        "Which channel should I use for the reminders?",
        "How should I remind them?",
        "Tell me whether to send the nudges as texts or as mails.",
        "SMS or email for the reminders?",
        "How do you want me to reach the people who owe you?",
        "By what means shall I contact them?",
        "Through which medium do the reminders go?",
        "I'd send them texts, unless you'd rather have mails?",
    ],
    "extended": [
        "Has somebody been given a later deadline?",
        "Anyone I should leave alone for now?",
        "Did you give anybody more time?",
        "Does anyone have an extension?",
        "Who may pay later?",
        "Tell me whether somebody was granted extra time.",
        "Should Elias be left out of the reminders?",
        "Is Silje exempt from the round?",
        "Shall I skip Priya this time?",
        "Is there anyone with whom you agreed to wait until the end of the month?",
    ],
    "reserved": [
        "Should I remind somebody whose transfer is only reserved?",
        "Does a pending transfer count as paid?",
        "How do I treat a payment that is not booked yet?",
        "Tell me whether to wait for transfers on their way: is a reserved one still reminded?",
        "One transfer is reserved, not booked: remind or wait?",
        "Is a reserved transfer to be counted?",
        "What do I do with reserved payments?",
        "Should people with a pending payment be nudged?",
    ],
    "described": [
        "What should the description of a payment be?",
        "How do you want payments described in Splitwise?",
        "What wording should I use for the Splitwise entries?",
        "Tell me the label for the recorded payments.",
        "Which description goes on the entries?",
        "Should the entries carry the transfer's words as their description?",
        "What title do the payments get?",
    ],
    "flat-money": [
        "Should I record what Maren sent for the flat?",
        "Does Maren's transfer for Fyrgata go into Splitwise?",
        "What about the money for the flat?",
        "Tell me whether to enter Maren's flat payment.",
        "Do I leave the flat's money to you?",
        "Is the transfer for the apartment to be booked?",
        "Should the Fyrgata payment be put in the flat's group?",
    ],
    "log-place": [
        "Where in the log does the new line go?",
        "Should the log line stand on top or at the end?",
        "Do I append to the log or put the line first?",
        "Tell me the order of the log.",
        "Is the newest line in the log at the top?",
        "Does the log run newest first?",
    ],
    "stray": [
        "Is the Nygaard payment meant for Kasper? Should I tell him?",
        "How should I deal with the unknown payment?",
        "What should I do about Kristoffer Nygaard's transfer?",
        "There is a stranger's payment: should I write to the bank?",
        "Whom should I tell about the garage money?",
        "Do you know a Kristoffer Nygaard?",
        "Tell me what to do with the money that is not for you.",
        "Should the bank return the transfer from Mr Nygaard?",
        "Shall I ask the bank to send back what came by mistake?",
        "One payment I could not place: leave it, or report it?",
        "Do you want me to write to the bank about the garage transfer, or to ask around?",
    ],
}
BESIDE = [
    "Is there anything else I should know?",
    "Which group do I use?",
    "Is the old Bjornbu group closed?",
    "Should I send the report by mail?",
    "Is Linddalen due in May?",
    "Did Oda and Mats send it together?",
    "Who is Tore Hagen?",
    "Which number of Silje's is current?",
    "Shall I water the plants?",
    "Does Jonas's soup belong here?",
    "Is the salary part of the round?",
    "Do you want the round on Thursdays?",
    "Was Sofie's transfer for the rope?",
    "Should the backup list be checked too?",
    "Is Kasper well?",
    "How is the tram?",
]


@lru_cache(maxsize=1)
def pool() -> dict[str, AskedWhen]:
    """The whole pool; a variant draws some of it."""
    pack, found = load_pack("researcher"), {}
    for variant in range(30):
        found |= {intent.name: intent.asked for intent in pack.instantiate("20-money-round", variant).intents}
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
