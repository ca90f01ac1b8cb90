"""The quarter's bill of the Researcher: which questions ask for which of its intents, and for no other."""

from __future__ import annotations

from functools import lru_cache

import pytest

from pi_gym.packs import load_pack
from pi_gym.questions import AskedWhen, asking_clauses

ASKING = {
    "worth": [
        "At what point does a debt become big enough for you to chase it?",
        "Is a balance of 30 kroner something you'd want me to bring up?",
        "Do I chase every last krone or is there a floor?",
        "From what amount on is a reminder worth it?",
        "What is the smallest debt you want people reminded of?",
        "Is there a minimum below which I should not nudge anyone?",
        "Should I remind everyone who owes you, or only those with larger sums?",
        "Tell me the threshold for a reminder.",
        "How much does somebody have to owe before I remind them?",
        "What counts as worth mentioning?",
        "Do you want small balances chased too?",
        "One of them owes you only 31 kroner: remind, or let it go?",
        "Which amount is too petty to mention?",
        "Shall I skip debts under 100 kroner?",
        "What would you call an amount worth a reminder?",
        "I'd leave out anything under 50 kroner, unless you'd rather I remind all of them?",
        "Please give me a lower limit for the reminders.",
    ],
    "remind-how": [
        "Text message or e-mail?",
        "Do these go out as SMS or do you prefer mail?",
        "In what form do you want the reminders sent?",
        "Can I just text everybody?",
        "What is the best way to contact the debtors?",
        "Should the reminders go out by text or by mail?",
        "Do you want me to text people or email them?",
        "Which channel should I use for the reminders?",
        "How should I remind them?",
        "Tell me whether to send the nudges as texts or as mails.",
        "SMS or email for the reminders?",
        "How do you want me to reach the people who owe you?",
        "By what means shall I contact them?",
        "I can text everyone or write a mail; your pick for the reminders?",
        "Do you prefer texting or mailing your friends about money?",
        "Through which medium do the reminders go?",
        "I'd send them texts, unless you'd rather have mails?",
        "Should everybody get a text message, or is mail better?",
    ],
    "same-day": [
        "What payment date did you announce to the cabin group?",
        "By what date do you expect the transfers?",
        "By when should the winter people pay?",
        "Which day did the cabin people get?",
        "What date did you give the cabin crowd to pay by?",
        "What deadline goes into the reminders?",
        "Tell me the day by which they should pay.",
        "Until when do they have to pay?",
        "What is the due date for the reminders?",
        "What day was the Bjornbu money due?",
        "How long do they have to pay?",
        "When is the money due?",
        "By which day do you want the winter settled?",
    ],
    "away-rule": [
        "Did you agree that she pays less for January?",
        "Is her part reduced for the weeks off?",
        "What did you and Maren agree on for the days she was away?",
        "How do we split the electricity of the days when Maren was gone?",
        "Does Maren pay anything for the time she was in Tromsdal?",
        "Tell me how her absence is handled in the electricity.",
        "Who bears the kilowatt-hours of the days Maren was away?",
        "Does she still pay half of the standing charge while away?",
        "What is the rule for the days Maren was not home?",
        "Is the bill shared in halves although Maren was away?",
        "Should Maren be charged for the days she was absent?",
        "How do you and Maren split the electricity bill?",
    ],
    "travel-days": [
        "On the day she set off, does she count as here?",
        "Is the day of her return already a normal day?",
        "Do the days on which Maren travelled count as away?",
        "Does the day she left count as away or as home?",
        "Is the return day counted as present?",
        "Tell me how to treat her travel days.",
        "Is the first and last day of the trip included?",
        "Which days exactly was Maren away?",
        "Do I count nights or days for her absence: by nights or both ends?",
        "Does the departure day count?",
        "Should the day Maren came back count as a day away?",
        "How many days was she gone?",
    ],
    "support": [
        "How is the state's support shared?",
        "Does the support go half and half?",
        "Who gets the refund from the state?",
        "Tell me how to split the subsidy.",
        "Is the support divided by usage or in halves?",
        "Should the state support be shared in proportion to the kilowatt-hours?",
        "Whose is the support?",
        "Do you and Maren get equal parts of the rebate?",
        "How do I distribute the support between you two?",
        "The credit from the state: half each?",
    ],
    "internet": [
        "Do you share the 549 equally?",
        "Is the broadband still fifty-fifty?",
        "How is the internet split since February?",
        "Does Maren pay half of the fast line?",
        "Who pays the 100 on top for the faster line?",
        "Tell me how you share the Fjordnett bill.",
        "Is the internet half and half?",
        "What percentage of the broadband is Maren's?",
        "Do you cover the upgrade of the internet alone?",
        "Should the Fjordnett bill be divided equally?",
        "What is Maren's part of the internet, half or 40 percent? Does she pay half the internet?",
        "Who bears the extra cost of the internet?",
    ],
    "net-entries": [
        "Should I log each internet month on its own?",
        "Should February and March be separate entries?",
        "Do you want one entry for both months of internet?",
        "One expense per month, or February and March together?",
        "Tell me whether to enter the internet month by month.",
        "Is the internet one entry or two entries in Splitwise?",
        "Shall I combine the two months into one expense?",
        "Do I record Fjordnett separately for each month?",
        "Should the internet months be lumped together?",
    ],
    "date-style": [
        "How should I write the date in the reminders?",
        "Which date format do you want?",
        "Should the day be written as 2026-04-09 or 9 April?",
        "Tell me the date style for the messages.",
        "Day first or month first in the date?",
        "Do you want the deadline in ISO format?",
        "What should the date look like?",
        "In which format shall I write the deadline?",
        "Shall I spell out the date?",
    ],
    "sheet-name": [
        "What should the sheet be called?",
        "How do you want the CSV file named?",
        "Which file name shall I use for the sheet?",
        "Tell me what to name the sheet.",
        "Under what name should I save the sheet?",
        "Should the file be named like the last quarter's?",
        "Do the sheets follow a naming pattern?",
        "What title should the sheet have?",
    ],
}
BESIDE = [
    "Is there anything else I should know?",
    "Which group do I use?",
    "What did the meter say?",
    "Is 49 160 the right reading?",
    "When did the new price start?",
    "Does the standing charge change in February?",
    "Shall I answer Henrik tonight?",
    "Should I ask Henrik for a new bill?",
    "Who pays Henrik this time?",
    "Did the cash arrive?",
    "Do you want Maren in copy?",
    "How much was January's internet?",
    "Shall I send the reminders now?",
    "Which number of Silje's is current?",
    "Do you want a summary of the sheet?",
    "Is the film package ordered?",
    "How much is the support?",
    "Has the support arrived yet?",
    "When does Maren come home tonight?",
    "What columns should the sheet have?",
    "Should I use Henrik's estimate?",
]


@lru_cache(maxsize=1)
def pool() -> dict[str, AskedWhen]:
    """The whole pool; a variant draws some of it."""
    pack, found = load_pack("researcher"), {}
    for variant in range(30):
        found |= {intent.name: intent.asked for intent in pack.instantiate("18-quarter-bill", variant).intents}
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
