"""The user's words beside the reveals: on what questions take for granted, and on what no intent is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pi_gym.packs import Intent, Task
from pi_gym.questions import AskedClause
from pi_gym.users.base import Decision


def assumption_words(hits: Iterable[Intent], clauses: Sequence[AskedClause]) -> dict[str, str]:
    """The words on intents that were asked for with an assumption: a right one is confirmed, a wrong one corrected.

    An assumption is the one value of the intent that the clause names; a clause that offers several has none, nor has
    one that asks which it is and names one by way of example.

    Args:
        hits: the intents that the reply asked for.
        clauses: its asking clauses.

    Returns:
        By intent id, where there was one.
    """
    from pi_gym.questions.choices import named_choices
    from pi_gym.questions.cues import asks_which, offers

    words: dict[str, str] = {}
    for intent in hits:
        clause = next((one for one in clauses if intent.id in one.hits), None)
        if clause is None or not intent.choices:
            continue
        named = named_choices(clause.text, intent.choices)
        # "The delay, or something else?" names one value and takes none for granted all the same.
        if len(named) == 1 and not (asks_which(clause.text) or offers(clause.text.casefold())):
            words[intent.id] = f"Yes. {intent.reveal}" if named[0].right else intent.corrects or intent.reveal
    return words


def with_topics(decision: Decision, task: Task, clauses: Iterable[AskedClause], letter: bool) -> Decision:
    """A decision with the words on clauses about no intent of the session, in reading order, each once.

    What the user has no wish about is named ("The font: as you like.") only where nothing else that is said is about
    a thing of that name: what seems to be a question of its own may be another way of asking for it.

    Args:
        decision: on what is said otherwise.
        task: the task.
        clauses: of the reply.
        letter: whether what misses is left to the assistant without its name, and what is ignored without a word.
    """
    from pi_gym.questions.subjects import shares_words, subject

    said: dict[str, None] = {}
    open_ends: list[str] = []
    leaves_rest = False
    for clause in clauses:
        for name in clause.topics:
            answer = topic_answer(task, name)
            if answer:
                said[answer] = None
            else:
                open_ends.append(clause.text)
        if clause.outcome == "miss":
            open_ends.append(clause.text)
        leaves_rest |= clause.outcome == "ignored" and not letter
    told = " ".join([*decision.points, *said])
    for text in open_ends:
        about = "" if letter else subject(text)
        if about and not shares_words(about, told):
            said[as_you_like(about)] = None
        else:
            leaves_rest = True
    return replace(decision, remarks=tuple(said), leaves_rest=leaves_rest)


def topic_answer(task: Task, name: str) -> str:
    """The user's words on a topic that is no intent of the session; "" where she has none."""
    return next((answer.says for answer in task.answers if answer.name == name), "") or task.undrawn.get(name, "")


def declined_in(task: Task, clauses: Iterable[AskedClause]) -> tuple[str, ...]:
    """The names of the wishes that the user declines in her answer to some clauses."""
    return tuple([name for clause in clauses for name in clause.topics if name in task.declines])


def as_you_like(about: str) -> str:
    """The words on a thing about which the user has no wish.

    >>> as_you_like("row order")
    'The row order: as you like.'
    """
    return f"The {about}: as you like."
