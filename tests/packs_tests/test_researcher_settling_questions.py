"""The cabin weekend of the Researcher: which questions ask for which of its intents, and for no other."""

from __future__ import annotations

from functools import lru_cache

import pytest

from pi_gym.packs import load_pack
from pi_gym.questions import AskedWhen, asking_clauses

ASKING = {
    "own-share": [
        "Do the firewood and the gas on your bill count?",
        "Should I split the birch wood and the gas cartridges among everybody or are they from you?",
        "Is the firewood a present from you?",
        "Tell me whether the wood and the gas are part of the shared costs.",
        "The bill has wood and gas on it: shared, or on you?",
        "Are the gas cartridges and the wood sacks to be included in the food total?",
        "Who covers the firewood and gas you bought?",
        "Shall I leave the wood and the gas out of the split?",
        "Wood and gas: do they count as shared or as your own contribution?",
        "Please say if the firewood and gas cartridge go on the group's bill or stay yours.",
        "Do you want to be reimbursed for the wood and gas, or are you treating everyone?",
        "Does the gas cartridge count too, or only the wood?",
    ],
    "guest": [
        "Is Kasper your guest?",
        "Does Kasper pay his own share or do you cover it?",
        "Should I charge Kasper like everyone else?",
        "Tell me if Kasper is your guest for everything or just part.",
        "Kasper: guest of yours, or does he pay like the rest?",
        "Who bears Kasper's part, he or you?",
        "Do you take over Kasper's share of food, hut and petrol?",
        "Shall Kasper's share go to you?",
        "How should I treat Kasper: as your guest or as a normal payer?",
        "Please let me know whether Kasper pays for himself.",
        "Do I split Kasper's costs to him, or are you inviting him?",
        "Sofie asked if Kasper is your guest or pays like the others. Which is it?",
    ],
    "pay-by": [
        "By when do you want the money?",
        "What deadline should the texts give for paying?",
        "When should they pay you by?",
        "Tell me by what date people should transfer.",
        "Which date shall I put in the texts for the payment?",
        "Until when do they have to settle up?",
        "Is there a date by which you want to be paid back?",
        "How soon do you need the money?",
        "Do you want me to mention a payment deadline in the messages, and which?",
        "When is the money due?",
        "Should the messages name a date for payment?",
        "By which day should everyone have paid?",
    ],
    "drinks": [
        "Who does not share the beer and cider?",
        "Does Oda still not drink?",
        "Which of them drank beer?",
        "Who should be left out of the drinks?",
        "Tell me who had beer and cider so I can split it.",
        "Did Mats have any alcohol?",
        "Is the cider shared by everyone or only those who drink?",
        "Should I exclude anybody from the beer?",
        "Was Maren drinking, or do I leave her out?",
        "Beer and cider: who pays?",
    ],
    "private-lines": [
        "Which lines on the bill are private?",
        "What on the Torvmat bill was for home and comes off?",
        "Are the shampoo and the tights yours alone?",
        "Which articles should I take off the bill?",
        "Tell me which items on the receipt were personal.",
        "Do the coffee beans count as shared?",
        "Does the deposit for the empties come off the shared total?",
        "Is the olive oil for the flat or for the cabin?",
        "Which items of the receipt should not be shared?",
        "What should be excluded from the receipt?",
    ],
    "hut-rule": [
        "How do we split the hut?",
        "Is the cabin fee split by nights or by head?",
        "Should the cleaning be shared per head?",
        "Tell me how the hut fee is divided.",
        "Hut: by nights or per person?",
        "Do you want the rent split equally or by nights stayed?",
        "How is the cost of the cabin divided?",
        "Does the final cleaning go by nights too?",
        "What is the rule for the hut?",
        "Shall I divide the cabin fee equally?",
    ],
    "petrol-rule": [
        "How do we split the petrol?",
        "Is petrol shared per head or by each way?",
        "Does Oda as the driver pay her part of the fuel?",
        "Tell me how the petrol and toll are divided.",
        "Petrol: equally, or only those in the car each way?",
        "Who pays for the petrol?",
        "Does the driver go free?",
        "Should the toll be split by ride?",
        "What is the rule for petrol now?",
        "Shall I split the fuel equally among all six?",
    ],
    "paid-ahead": [
        "Has anybody paid you ahead?",
        "Did someone already send you money that I should deduct?",
        "Should I record Mats's advance in Splitwise?",
        "Tell me who has already paid and how much.",
        "Is there any prepayment to take off?",
        "Has anyone already paid part of it?",
        "Do I enter the advance payment from Maren as a payment?",
        "Shall I deduct what was sent ahead?",
        "How much did Maren pay in advance?",
        "What has already been paid?",
    ],
    "date-style": [
        "How should I write the date in the texts?",
        "Which date format do you want?",
        "Should the day be written as 2026-04-09 or 9 April?",
        "Tell me the date style for the messages.",
        "Day first or month first in the date?",
        "Do you want the deadline in ISO format?",
        "What should the date look like?",
        "In which format shall I write the deadline?",
        "Shall I spell out the date?",
        "Date notation: ISO or written out?",
    ],
    "sheet-name": [
        "What should the sheet be called?",
        "How do you want the CSV file named?",
        "Which file name shall I use for the sheet?",
        "Tell me what to name the sheet.",
        "Under what name should I save the sheet?",
        "Should the file be named like last year's?",
        "What is the filename for the overview?",
        "Do the sheets follow a naming pattern?",
        "Shall I call the sheet bjornbu-2026?",
        "What title should the sheet have?",
    ],
}
BESIDE = [
    "Is there anything else I should know?",
    "Which group do I use?",
    "How many nights did Kasper stay?",
    "When did Kasper arrive?",
    "Shall I text them tonight?",
    "Where is the receipt for the firewood?",
    "How much did the tank cost?",
    "Did Sofie pay the hut?",
    "Which number of Oda's is current?",
    "Do you want a summary of the sheet?",
    "When did you come home?",
    "Is everything fine with Maren?",
    "Should I send the texts now?",
    "Who drove?",
    "Is dinner on Sunday still on?",
]


@lru_cache(maxsize=1)
def pool() -> dict[str, AskedWhen]:
    """The whole pool; a variant draws some of it."""
    pack, found = load_pack("researcher"), {}
    for variant in range(30):
        found |= {intent.name: intent.asked for intent in pack.instantiate("14-cabin-settling", variant).intents}
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
