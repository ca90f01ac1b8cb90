"""The user's words beside the reveals: on what questions take for granted, and on what no intent is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pi_gym.packs import Intent, Task
from pi_gym.questions import AskedClause

LEFT_TO_YOU = "That I leave to you."


def assumption_words(hits: Iterable[Intent], clauses: Sequence[AskedClause]) -> dict[str, str]:
    """The words on intents that were asked for with an assumption: a right one is confirmed, a wrong one corrected.

    An assumption is the one value of the intent that the clause names; a clause that offers several has none.

    Args:
        hits: the intents that the reply asked for.
        clauses: its asking clauses.

    Returns:
        By intent id, where there was one.
    """
    from pi_gym.questions.choices import named_choices

    words: dict[str, str] = {}
    for intent in hits:
        clause = next((one for one in clauses if intent.id in one.hits), None)
        if clause is None or not intent.choices:
            continue
        named = named_choices(clause.text, intent.choices)
        if len(named) == 1:
            # "The delay, or something else?" names one value and is no yes-or-no question all the same.
            right = intent.reveal if re.search(r"\b(or|which)\b", clause.text.lower()) else f"Yes. {intent.reveal}"
            words[intent.id] = right if named[0].right else intent.corrects or intent.reveal
    return words


def topic_remarks(task: Task, clauses: Iterable[AskedClause], *, brief: bool = False) -> tuple[str, ...]:
    """The words on clauses about no intent of the session, in reading order, each once.

    Args:
        task: the task.
        clauses: of the reply.
        brief: what misses is left to the assistant in one line, without its name.
    """
    from pi_gym.questions.subjects import subject

    said: dict[str, None] = {}
    for clause in clauses:
        for name in clause.topics:
            said[topic_answer(task, name)] = None
        if clause.outcome == "miss":
            about = "" if brief else subject(clause.text)
            said[as_you_like(about) if about else LEFT_TO_YOU] = None
    return tuple(said)


def topic_answer(task: Task, name: str) -> str:
    """The answer to a question about a topic that is no intent of the session."""
    known = next((answer.says for answer in task.answers if answer.name == name), "") or task.undrawn.get(name, "")
    return known or as_you_like(name.replace("-", " ").replace("_", " "))


def as_you_like(about: str) -> str:
    """The words on a thing about which the user has no wish.

    >>> as_you_like("row order")
    'The row order: as you like.'
    """
    return f"The {about}: as you like."
