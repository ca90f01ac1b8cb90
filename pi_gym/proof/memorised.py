"""An adversary that has learnt a task's questions by heart and asks them all, whichever of its intents are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pi_gym.proof.adversaries import DONE, Tactic
from pi_gym.questions import Matcher, Topic, asking_clauses
from pi_gym.seeding import Stream
from pi_gym.session import parse_action

_TRIES = 6


@dataclass(frozen=True, slots=True)
class PoolWish:
    """An intent of a task's pool, drawn or not, as one who has seen many variants knows it.

    Args:
        name: the intent's name.
        only_user: only the user can tell it.
        always: it is drawn in every variant.
    """

    name: str
    only_user: bool
    always: bool


def memorisers(pool: Sequence[PoolWish], matcher: Matcher, reference: Sequence[str]) -> list[Tactic]:
    """Ask one question for every intent of the pool: all in the first reply, one a turn, and in an order by chance.

    What only the user knows comes first, and of this what is in every variant: so most is earned before the session's
    misses are used up.

    Args:
        pool: the wishes.
        matcher: of the task.
        reference: the actions of the reference, whose wording is taken where it asks.
    """
    said = [text for action in reference for text in _sayings(action)]
    ordered = sorted(pool, key=lambda wish: (not wish.only_user, not wish.always))
    questions = list(dict.fromkeys(question for wish in ordered if (question := _question(wish.name, matcher, said))))
    single = tuple(questions)
    return [
        Tactic("memorised-at-once", ("\n".join(questions),), DONE),
        Tactic("memorised-one-a-turn", single, DONE),
        Tactic("memorised-by-chance", ("\n".join(Stream("memorised", *questions).shuffled(questions)),), DONE),
    ]


def _question(name: str, matcher: Matcher, said: Sequence[str]) -> str:
    """The reference's own question, or one of the wish's words in questions.yaml; "" where none of these hits."""
    candidates = [*said, *own_questions(matcher.by_name[name])]
    return next((text for text in candidates if any(name in matcher.aims(one) for one in asking_clauses(text))), "")


def _sayings(action: str) -> list[str]:
    """The questions in an action, a sentence each."""
    parsed = parse_action(action)
    texts = [str(call.arguments.get("question", "")) for call in parsed.calls if call.name == "ask_user"]
    if not parsed.calls:
        texts.append(parsed.content)
    return [
        f"{clause.text.rstrip('?').strip()}?".replace("\n", " ") for text in texts for clause in asking_clauses(text)
    ]


def own_questions(topic: Topic) -> list[str]:
    """A topic's examples, and plain questions that name one word of each group of its ways."""
    questions = dict.fromkeys(topic.asked)
    for number in range(_TRIES):
        for way in topic.ways:
            phrases = [group[min(number, len(group) - 1)] for group in way.groups]
            words = [word for phrase in phrases for word, _, _ in phrase.words]
            questions[f"Which {' '.join(dict.fromkeys(words))} would you like?"] = None
    return list(questions)
