"""Task 15-foyer-aftermath: which questions its intents hear."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

from pi_gym import load_pack
from pi_gym.questions import asking_clauses

ASKS: dict[str, str] = {
    "centre": """
        Which cost centre does the demo go on?
        What is the cost centre that you gave Lotte with the order?
        Could you remind me of the cost center for the demo?
        Is 21640 the right centre for the sheet?
        Tell me which cost centre I should put on the lines.
        Should I use 21088 again, as in your old sheets?
        Which cost centre did you name on the 17th?
        On which centre do I book the taxis and the tape?
        What number goes into the centre column?
        Do I use 21611 or 23075?
        I could not find the cost centre for the equipment. Which one is it?
    """,
    "shirts-centre": """
        Which cost centre do the shirts go on?
        Where do I book the print bill?
        Is the washing of the shirts on the same centre as the print?
        Tell me which centre takes the clothing.
        Do print and laundry go on 30110, 30240 or 30375?
        What cost center should I use for the T-shirt printing?
        Should the shirts be put on a centre of their own?
        Who pays for the print on the shirts?
        Are the shirts' costs to be booked separately?
        To which cost centre does the laundry belong?
    """,
    "what-waits": """
        Which of the three nice things was left out of the big order?
        Which nice thing waits until June?
        Did we buy the lamp, the microphone stand or the stand for the sign?
        Was it the lamp that had to wait?
        Tell me which of the three was not bought.
        Which two of the nice things arrived?
        What did you leave out of the order of the 17th?
        Should I move the lamp or the sign stand to 1 June?
        Which wish gave way in the order?
        Of the stand, the lamp and the sign, which did not fit into the order?
    """,
    "who-helped": """
        Who should get a thank you?
        Whom shall I thank?
        Did everybody on the roster turn up at the table?
        Should I include Camille in the thanks?
        Did Anders come?
        Is Hanne to be thanked as well?
        Who stepped in for the person who did not show up, Aisha or Sander?
        Should the thank-you go to everyone on the roster?
        Tell me who was absent at the table.
        Which people helped at the table?
    """,
    "treat": """
        Cake, waffles or soup?
        Which of Tomasz' three offers should I put into the thank you?
        Should I invite them to cake on Thursday or to waffles on Friday?
        What should the thank-you invite to: cake, waffles or soup?
        Do you want the soup on Wednesday or the cake on Thursday?
        Tell me which treat goes into the mail of thanks.
        Which treat shall I mention in the thank you?
        Would you rather have waffles or cake?
        Tomasz offers cake, waffles and soup. Your pick?
        Please choose one of his offers: cake, waffles, soup.
    """,
    "headphones": """
        Who gets the headphones?
        Should the headphones go to Tomasz, Priya or Gunnar?
        To whom shall I assign the headphones?
        Where do the headphones go?
        Have you decided who keeps the headphones?
        Tell me who takes the headphones.
        Do the headphones stay with Tomasz or go to the listening study?
        Which of the three should have the headphones?
        Is it Priya who gets the headphones?
        Whom do you want to give the headphones to?
    """,
    "sheet-name": """
        What should the sheet be called?
        How do you want the CSV file named?
        Which file name shall I use for the sheet?
        Tell me what to name the sheet.
        Should the file be named like the earlier ones?
        Under what name should I save the cost sheet?
        What is the filename for the statement?
        Shall I call the sheet foyer-costs?
        Is there a naming pattern for the sheets in costs/?
        What title does the cost file get?
    """,
    "date-style": """
        How should I write the dates in the sheet?
        Which date format do you want in the sheet?
        Should the day be written as 2026-03-18 or 18 March 2026?
        Day first or month first in the date column?
        Tell me the date style for the lines.
        Do you want ISO dates in the sheet?
        In what format do I give the dates?
        What should the dates look like?
        Shall I spell out the dates?
        Date notation: ISO or written out?
    """,
    "photo": """
        When will the photo be taken again?
        Which day should I move the photo to?
        Is the photo done?
        Should I tick off the photo or leave it open?
        To what date do I postpone the photo?
        Has the photo with the dean been taken?
        Tell me the new day of the photo.
        Do I complete the to-do for the photo?
        Does the picture with the dean move to April, and which day?
        What is the new date for the picture?
    """,
    "ledger": """
        Should I add the foyer to your note on what demos cost?
        Do you want a line in the note "Demos, what they cost"?
        Shall I update your note with the total?
        Does the total go into your note too?
        Should I also enter it in the ledger of demos?
        Do you want me to put the foyer into your note?
        Tell me whether to record the sum in your note about demos.
        Would you like a new line in that note?
        Shall I write the total into the note?
        Is the note to be updated with an entry for the foyer?
    """,
}

OTHER_QUESTIONS: dict[str, str] = {
    "centre": """
        Which cost centre do the shirts go on?
        Should I send Lotte one mail?
        Which card was charged?
        Who gets the headphones?
        What does each centre come to?
        Is there anything else?
    """,
    "shirts-centre": """
        Which cost centre does the demo go on?
        How many shirts were printed?
        Which print bill counts?
        Which size had Wei-Lin?
        Who gets the headphones?
        What colour are the shirts?
    """,
    "what-waits": """
        Is the laptop stand the demo's?
        Was the monitor stand bought?
        Which cost centre does the big order go on?
        Is the chalk bag yours?
        Who gets the headphones?
        When is the budget open?
        Who stood at the table?
    """,
    "who-helped": """
        Who gets the headphones?
        Who paid for the sandwiches?
        Who gets money back?
        Should I thank them with cake or waffles?
        Has Anders got his loudspeakers?
        Which cost centre does the demo go on?
    """,
    "treat": """
        Who gets the headphones, Tomasz or Priya?
        Who should get a thank you?
        Do the sandwiches count?
        Which of Tomasz' to-dos are done?
        Should I pay for the cake?
        When is the caretaker back?
    """,
    "headphones": """
        How many headphones came back?
        Which cost centre do the headphones go on?
        Cake or waffles?
        Who should get a thank you for counting the headphones?
        Who has the key?
    """,
    "sheet-name": """
        Should the mail say by name what each gets back?
        Which columns does the sheet have?
        Where does the sheet go?
        What is the first name of the caretaker?
        Is the note called something?
    """,
    "date-style": """
        Which day is the cake?
        On which date is the photo taken again?
        Is the date of the order or of the delivery meant?
        When did the money come back?
    """,
    "photo": """
        Should I attach a photo of the receipts?
        When is the caretaker back?
        Who gets the headphones?
        When is the cake?
    """,
    "ledger": """
        Should I note that Camille was in Lyon?
        What does the sheet come to?
        Should the thank-you note mention the cake?
        Do you want me to tell Lotte?
    """,
}


def lines_of(texts: str) -> list[str]:
    return [line.strip() for line in texts.splitlines() if line.strip()]


@lru_cache(maxsize=1)
def pool() -> dict[str, Any]:
    """Every intent of the task, from the first variant that has it."""
    pack, found = load_pack("researcher"), {}
    for variant in range(25):
        found |= {
            one.name: one for one in pack.instantiate("15-foyer-aftermath", variant).intents if one.name not in found
        }
        if len(found) == len(ASKS):
            break
    return found


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
