"""Recall and precision of the matcher over two imaginary tasks: an e-mail to a client, and a purchase."""

from __future__ import annotations

import pytest

from pi_gym.questions import Matcher, aim, asking_clauses, compile_topic, credit
from pi_gym.questions.claims import TopicIndex

MAIL = {
    "tone": {
        "groups": [
            ["tone", "formal", "informal", "casual", "wording", "register", "style", "address", "first name", "polite"],
            ["mail", "message", "letter", "note", "reply", "draft", "her", "him", "client", "write", "sound", "text"],
        ],
        "without": ["subject", "font"],
    },
    "copied": {
        "groups": [
            ["copy", "copied", "=cc", "bcc", "loop in", "looped in", "include", "other recipient", "also receive"],
            [
                "who",
                "anyone",
                "anybody",
                "someone",
                "manager",
                "team",
                "boss",
                "people",
                "colleague",
                "recipient",
                "mail",
            ],
        ],
    },
    "new_date": {
        "groups": [
            ["date", "day", "deadline", "when", "how long", "week", "delay"],
            [
                "promise",
                "new",
                "commit",
                "announce",
                "offer",
                "name",
                "give",
                "realistic",
                "tell the client",
                "propose",
            ],
        ],
        "without": ["send", "old", "original"],
    },
}
PURCHASE = {
    "budget": {
        "groups": [
            ["budget", "cap", "limit", "maximum", "max", "ceiling", "how much", "price", "spend", "cost", "expensive"],
            ["chair", "order", "total", "per", "spend", "each", "purchase", "budget", "most", "go up", "top", "allow"],
        ],
        "without": ["shipping", "delivery", "return"],
    },
    "delivery": {
        "groups": [
            ["deliver", "ship", "arrive", "drop off", "dropped off", "bring", "brought"],
            ["where", "address", "which office", "location", "place", "floor", "building", "site", "reception", "home"],
        ],
    },
    "supplier": {
        "groups": [
            ["supplier", "vendor", "shop", "store", "seller", "dealer", "retailer", "from whom", "brand", "company"],
            [
                "which",
                "prefer",
                "buy",
                "order",
                "use",
                "rather",
                "favour",
                "favor",
                "go with",
                "what",
                "usual",
                "choose",
            ],
        ],
        "without": ["rating", "return"],
    },
}

TARGETED = {
    "tone": [
        "Should the mail to her be formal or casual?",
        "What tone do you want for the reply?",
        "Tell me which tone suits this client.",
        "Please confirm how formal the letter should sound.",
        "I have read the thread and the contract; the delay is clear.\n\nBefore I draft: how should I address her?",
        "You want the message in which style, formal?",
        "I can write it A) formally or B) casually: your call.",
        "Do we write to the client by first name or by surname?",
        "I need to know whether you'd rather have a polite, distant text or a friendly one.",
        "- Which register should the draft have?",
        "Here is what I have so far.\n\n1. The facts are in.\n2. Is a casual wording okay for this client?",
        "How warm may it be?",
    ],
    "copied": [
        "Who should be in copy?",
        "Should I cc anyone?",
        "Let me know whether your manager is to be copied.",
        "Do you want anybody else to be looped in?",
        "I'd like to know who goes in cc.",
        "The draft is ready in drafts/reply.md. One thing before it goes out: is there anyone I should include on it?",
        "Please specify the people to copy.",
        "Cc to the team, or only to her? I mean who gets a copy.",
        "I must put which colleague in copy?",
        "Either I copy the whole team or just your boss: which do you prefer?",
        "Should someone on our side also receive this?",
        "Does Mara need to see this too?",
    ],
    "new_date": [
        "What new date should I promise?",
        "Which day can we commit to?",
        "Tell me what deadline I may announce to her.",
        "I'd offer a new week rather than a day. Which would that be?",
        "When is delivery realistic again?",
        "Please tell me the new deadline.",
        "For the client, what date do we give, and should I apologise?",
        "Should I propose 12 May or 19 May as the new date?",
        "We can name the 12th or the 19th as the new day. Your call.",
        "New date is which, please?",
        "I'm not sure how long a delay I should announce.",
        "By when will we be done, in your view?",
    ],
    "budget": [
        "What is the budget for the chairs?",
        "How much may each chair cost?",
        "Is there a cap on the total?",
        "Please tell me the maximum price per chair.",
        "Let me know how much I can spend on this order.",
        "I found nine models, 120 to 640 EUR, all in stock. How expensive may the most expensive one be?",
        "You allow what price per piece?",
        "Should I stay below 200 per chair, or is 300 the limit?",
        "Options for the budget per chair:\nA) up to 200\nB) up to 300\nWhich one?",
        "I need to know what you'd like to spend at most.",
        "- what the ceiling is for the whole order?",
        "Where do I have to stop?",
    ],
    "delivery": [
        "Where should the chairs be delivered?",
        "Which address do they ship to?",
        "Tell me the delivery address, please.",
        "Should they arrive at reception or on the third floor?",
        "I've compared the shops, and two of them can be here by Friday. To which office should they deliver?",
        "Please confirm the delivery location.",
        "They must to be brought in which building?",
        "Do you want them shipped to your home or to the office address?",
        "Questions:\n- delivery address\n- anything else",
        "I can have them dropped off at the Kiel site or in Bonn - which one?",
        "I'd like to know at what place the delivery should be dropped.",
        "Where do they go?",
    ],
    "supplier": [
        "Which supplier do you prefer?",
        "Is there a shop you'd rather buy from?",
        "Tell me which vendor to use.",
        "Should I order from the usual dealer or from the cheapest one?",
        "There are three stores with stock: Ako, Bero and Cadi. Which one do you want?",
        "Please choose the vendor we should go with.",
        "From what company I should buy?",
        "Before ordering I want to ask you which retailer you favour.",
        "Pick a supplier:\nA) Ako\nB) Bero",
        "Does a particular brand matter to you, and which?",
        "I'm unsure which seller you'd use.",
        "Ako or Bero?",
    ],
}

NEAR_MISSES = {
    "tone": [
        "Anything else?",
        "Is the draft okay?",
        "I kept a formal tone in the mail.",
        "Who hasn't written a mail in the wrong tone?",
        "What font should the letter have?",
        "Let me know if you'd like any changes to the draft.",
        "Should the subject line of the mail be changed?",
        "Why a formal tone? Because the client is new.",
        "How long should the message be?",
        'The guide says "Which tone do you want for the mail?" on its first page.',
        "Do you have any other preferences for the mail?",
        "When should I send the message?",
    ],
    "copied": [
        "What else should I know?",
        "Did the mail arrive?",
        "I copied the team on the mail.",
        "Who reads cc lines anyway?",
        "How many people are in the team?",
        "Should I attach a copy of the contract?",
        "Let me know if anyone objects.",
        "Who signs the letter?",
        "Any more wishes?",
        "> Who should be in copy?",
        "Nobody else is in copy, as your manager asked.",
        "Which folder holds the mail?",
    ],
    "new_date": [
        "Anything else I should add?",
        "When should I send it?",
        "I announced the new date in the second paragraph.",
        "What was the original deadline?",
        "Who has never missed a deadline?",
        "Is today's date in the header?",
        "What caused the delay? The loader broke.",
        "## Which new date do we promise?",
        "Let me know what you think.",
        "Should I offer a discount?",
        "Have you any preferences?",
        "Which week did the project start in?",
    ],
    "budget": [
        "Does that work for you?",
        "What does the shipping cost?",
        "The budget for the chairs is in the notes.",
        "Who doesn't like a low price?",
        "How many chairs do you need?",
        "Which colour should the chairs have?",
        "Is the price with VAT?",
        "Let me know if you have any questions.",
        "How did I get the total? I added the three prices.",
        "| Price per chair? | Budget? |",
        "Which supplier do you prefer?",
        "Should I pay the order by invoice?",
    ],
    "delivery": [
        "Any further wishes?",
        "When should they be delivered?",
        "They are delivered to the office address.",
        "How much is the delivery?",
        "What could go wrong with a delivery to the wrong address?",
        "Is the office open on Friday?",
        "Should I track the shipment?",
        "Where did I find the prices? In their catalogue.",
        "Tell me if you need anything.",
        "```\nWhere should it be delivered?\n```",
        "Which address is on the invoice?",
        "Who signs for the delivery?",
    ],
    "supplier": [
        "Are there any more requirements?",
        "What rating does the shop have?",
        "I used the usual supplier.",
        "Which chair do you prefer?",
        "How much may it cost?",
        "What is the shop's return policy?",
        "Who would trust a shop without reviews?",
        "Would you like armrests?",
        "Which colour should I order?",
        'The vendor asked us: "Which supplier do you use?"',
        "Happy to switch to another vendor!",
        "Why this vendor? It has stock.",
    ],
}


def _asked(task: dict[str, dict[str, list[object]]], reply: str) -> tuple[str, ...]:
    matcher = Matcher(
        [compile_topic(name, "wish", spec if "any" in spec else {"any": [spec]}) for name, spec in task.items()]
    )
    return credit(aim(asking_clauses(reply), matcher, {name: name for name in task}), set(task), 0, None).hits


def measure() -> tuple[float, float, list[str]]:
    """Recall over the targeted questions, precision among all questions of the set, and what went wrong."""
    hits = wrong = total = 0
    errors = []
    for task in (MAIL, PURCHASE):
        for intent in task:
            for reply in TARGETED[intent]:
                total += 1
                asked = _asked(task, reply)
                hits += intent in asked
                if intent not in asked:
                    errors.append(f"missed {intent}: {reply!r} -> {asked}")
            for reply in NEAR_MISSES[intent]:
                if intent in _asked(task, reply):
                    wrong += 1
                    errors.append(f"took {intent}: {reply!r}")
    return hits / total, hits / (hits + wrong), errors


def test_targeted_questions_are_recognised_and_near_misses_are_not() -> None:
    recall, precision, errors = measure()
    assert recall >= 0.8, errors
    assert precision >= 0.9, errors


@pytest.mark.parametrize("task", [MAIL, PURCHASE], ids=["mail", "purchase"])
def test_the_set_has_twelve_of_each_per_intent(task: dict[str, object]) -> None:
    for intent in task:
        assert len(set(TARGETED[intent])) == len(set(NEAR_MISSES[intent])) == 12


if __name__ == "__main__":
    for value in measure():
        print(value if isinstance(value, float) else "\n".join(value))


def test_claims_that_are_left_out_are_those_that_cannot_reach_the_least_score() -> None:
    index = TopicIndex([(name, compile_topic(name, "wish", {"any": [spec]}).ways) for name, spec in MAIL.items()])
    replies = [
        "Which tone should the mail have, and who gets a copy?",
        "What new date shall I promise the client: next week, or the old deadline?",
        "Should the draft name a day? And who is the recipient?",
    ]
    for clause in (one for reply in replies for one in asking_clauses(reply)):
        claims = index.claims(clause)
        every = index.scores(claims, clause)
        assert every.keys() == claims.keys()
        for least in sorted(every.values()):
            some = index.scores(claims, clause, least)
            assert some.items() <= every.items()
            assert some.keys() >= {place for place, score in every.items() if score >= least}
