"""Task 10-foyer-order: which questions its intents hear."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

from pi_gym import load_pack
from pi_gym.questions import asking_clauses

ASKS: dict[str, str] = {
    "give-way": """
        Which of the three nice-to-haves should I leave out?
        With all three extras we are above the limit. Which one shall I drop?
        Tell me which wish gives way: the stand, the lamp or the sign stand.
        Should the lamp, the microphone stand or the sign stand wait until summer?
        The total is 400 kroner over Lotte's ceiling. Which of the wishes do you want me to cut?
        Please pick the one to skip: lamp, mic stand, sign stand.
        Not everything fits the budget of 6270. Do you prefer to do without the lamp, the second stand or the sign?
        What should I sacrifice to stay within the limit?
        Which two of the three nice things do you want to keep?
        Of the optional items, which one matters least to you?
        Which item on the nice-to-have list can I leave off the order?
        The budget allows two of the three extras. Which two should I buy?
        Which of the optional items should go in, and which one stays out?
        Only two of the three nice-to-have items fit under the ceiling. Which one should be left out?
    """,
    "shirt-colour": """
        Which colour should the shirts be: teal, orange or grey?
        What colour do you want for the T-shirts?
        Priya says the shirt colour is your decision. Which one?
        Teal, orange or grey?
        Please tell me the colour of the shirts.
        Should I take the shirts in teal, orange or grey?
        Let me know which color you prefer for the helper shirts.
        The shirts come in teal, orange and grey. Which do you want?
        Shirt colour: teal, orange or grey?
        Have you decided on a colour for the shirts?
        In which colour shall I order the Fjordtrøye shirts?
        Do you want orange shirts, grey ones or teal ones?
    """,
    "substitute": """
        The HX-6 is sold out. Which replacement do you want: the cheapest, the best rated or the HX-8?
        Should I take the cheapest distributor that fits, the best rated one, or the bigger one of the same make?
        What should I buy instead of the HX-6 distributor, which is out of stock?
        The distributor is unavailable. Do you prefer the cheapest alternative or the one with the best stars?
        Tell me which substitute to take for the sold-out box.
        For the sold-out splitter: cheapest, best rated, or same brand?
        Which headphone distributor shall I order, now that the HX-6 is out of stock?
        Is the Corvane HX-8 fine as a substitute, or would you rather have the cheapest one?
        By what rule shall I choose the stand-in for the sold-out HX-6: price, rating or make?
        Please choose: HX-8 by the same make, the cheapest 8-way box, or the best rated listening station.
        Which one should replace the HX-6?
        Since the HX-6 is not in stock, which 8-output box would you like?
    """,
    "headphones": """
        Which headphones do you want?
        What must the headphones be able to do?
        Which feature matters for the headphones: pads, weight or cable?
        How many pairs of headphones do we need?
        Do the headphones have to have replaceable pads?
        Should the headphones be light or have a detachable cable?
        What are the requirements for the headphones?
        Is the weight of the headphones what counts?
        Which model of headphones should I take?
        Must the headphones weigh less than 200 g?
    """,
    "shirt-sizes": """
        Which shirt sizes do you need?
        What size of shirt does Wei-Lin need?
        Does Camille still get a shirt?
        Which sizes should I order for the helpers?
        How many shirts do we need, and in which sizes?
        Is Wei-Lin's shirt still a medium?
        Tell me the sizes for the shirts.
        What size do you want your own shirt in?
        Which of us needs a shirt?
        Should Wei-Lin's shirt be small or large?
    """,
    "cells": """
        How many AA cells are left in the cupboard?
        How many sets of cells do you need?
        How many batteries should I order?
        Are there still AA cells in the cupboard?
        Do we have enough rechargeable cells already?
        What is the number of AA cells that we need?
        Is Jonas' count of the batteries in stock still right?
        How many sets of four rechargeable AA should I buy?
        Could you tell me how many batteries are left?
        How many batteries do the microphones need?
    """,
    "card": """
        Which card should I charge?
        Shall I pay with your own card or the institute's?
        Which payment card do I use?
        Do you want me to pay with the card ending in 8812?
        Should I use the outreach card or the running-costs card?
        What card does Lotte want charged?
        Is the TideASR card the right one to charge?
        Tell me which card to use.
        How shall I pay: with the institute card or your private one?
        Which of the three institute cards pays for this?
    """,
    "address": """
        Where should the order be delivered?
        Which delivery address should I use?
        Shall I send it to C104 or to the porter's lodge?
        Which address do I use: home, lab or goods-in?
        Where do you want the parcel to go?
        Should it be shipped to the library desk?
        Is C104 still the right delivery address?
        To which address shall I ship the order?
        Do you want the parcel at the office or at home?
        Should I have it delivered to your home address?
    """,
    "entry": """
        How should the date be written in demo/orders.md?
        Which date format do you use in orders.md?
        Should I write the date as 2026-03-17 in the order list?
        What should the row in orders.md look like?
        In which format shall I enter the order in the list of orders?
        How do you want the entry written?
        What date style should the row have?
        Where should I note down the order: as a row in orders.md?
        Is the date in the row written day first or month first?
        Which columns does the entry in orders.md need?
    """,
    "mail-to-lotte": """
        Which cost centre should I use?
        Should I mail Lotte when it is done?
        Does Lotte need to be told?
        What shall I write to Lotte?
        Do you want me to inform Lotte about the order?
        Is 21640 the right cost centre?
        What cost center goes into the mail?
        Who should I tell about the order, Lotte?
        Shall I send Lotte the order number?
        Which cost centre is the demo on?
        Lotte names three centres for the demo, 21640, 21611 and 23075. Which one did you settle on?
        On what cost centre should I book the order?
        Tell me the cost centre for the equipment.
        Which centre did you agree on with Amara?
        Should the demo go on 21640, 21611 or 23075?
    """,
    "shirts-centre": """
        Which cost centre do the shirts go on?
        Shall I book the shirts on 30110, 30240 or 30375?
        And which centre pays for the clothing?
        Tell me which cost center to use for the T-shirts.
        Who pays for the shirts: staff, outreach or students?
        30110, 30240 or 30375 for the clothing?
        What cost centre should I give Lotte for the shirts?
        Should the shirts be put on the outreach cost centre?
        Please let me know on which account the shirts are to be booked.
        Are the shirts charged to 30240?
        To which of Lotte's three clothing centres do the shirts belong?
        Which cost centre of their own do the shirts need?
        Where should the cost of the shirts be booked?
    """,
}

# Questions that are near an intent and ask for something else.
OTHER_QUESTIONS: dict[str, str] = {
    "give-way": """
        Should I leave out the paper covers?
        Shall I leave your own two things in the cart?
        Which colour should the shirts be?
        Should I skip the tape that is crossed out?
        Which card should I charge, and what can I leave?
        Is there anything else I should know?
        Shall I order now?
        Which headphones should I drop?
        Which size does Wei-Lin want?
        Which distributor do you want?
        What should happen with the flask in the cart?
        Is anything missing from the list?
        What is the limit for this order?
    """,
    "shirt-colour": """
        Which size should the shirts be?
        Should the lamp be black or white?
        Should the cable be grey?
        How many shirts do we need?
        Which colour should the tape have?
        Shall I order the shirts now?
    """,
    "substitute": """
        Which wish should give way, the lamp or the stand?
        Which headphones are best?
        Should I take the cheapest headphones?
        Which colour should the shirts be?
        Which card should I take?
        Should I buy the lamp instead of the stand?
        Is anything out of the question?
        How many outputs must the distributor have?
    """,
    "headphones": """
        Which distributor for the headphones do you want?
        Do you want covers for the headphones?
        Which colour should the shirts be?
        Which lamp do you want?
    """,
    "shirt-sizes": """
        Which colour should the shirts be?
        What size should the lamp have?
        Shall I order the shirts now?
    """,
    "cells": """
        Which card should I charge?
        Do you need a charger for the batteries?
        How many pairs of headphones?
    """,
    "card": """
        Which cost centre should I use?
        Do you need a memory card as well?
        Which limit applies?
    """,
    "address": """
        Which mail address does Lotte have?
        When should the order arrive?
        Which card should I use for the order?
    """,
    "entry": """
        When is the demo?
        Should it arrive on the day before the demo?
        Shall I write a mail?
        By which date must it be delivered?
    """,
    "mail-to-lotte": """
        Which card did Lotte mean?
        Should it go to Lotte's address?
        Which limit did Lotte set?
        On which cost centre do the shirts go?
        Which colour should the shirts be?
        Does Lotte want 30110 for the clothing?
    """,
    "shirts-centre": """
        Which cost centre takes the demo?
        Which colour should the shirts be?
        How many shirts do we need?
        Which size does Wei-Lin want?
        Which card should I charge?
        Shall I order the shirts in small or large?
        Does Camille still get a shirt?
        Should I mail Lotte when it is done?
    """,
}


def lines_of(texts: str) -> list[str]:
    return [line.strip() for line in texts.splitlines() if line.strip()]


@lru_cache(maxsize=1)
def pool() -> dict[str, Any]:
    """Every intent of the task, from the first variant that has it."""
    tasks = [load_pack("researcher").instantiate("10-foyer-order", variant) for variant in range(25)]
    return {intent.name: intent for variant in range(24, -1, -1) for intent in tasks[variant].intents}


@pytest.mark.parametrize("name", ASKS)
def test_questions_that_people_would_ask_are_heard_by_their_intent_alone(name: str) -> None:
    assert set(pool()) == set(ASKS)
    for text in lines_of(ASKS[name]):
        clauses = asking_clauses(text)
        heard = {other for other, intent in pool().items() if any(map(intent.asked.matches, clauses))}
        assert heard == {name}, text


@pytest.mark.parametrize("name", OTHER_QUESTIONS)
def test_questions_nearby_are_not_heard(name: str) -> None:
    for text in lines_of(OTHER_QUESTIONS[name]):
        assert not any(map(pool()[name].asked.matches, asking_clauses(text))), text
