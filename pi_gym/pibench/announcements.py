"""The plans of a reply that the user hears: of which open wishes, and when."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from pi_gym.users.base import TurnView
from pi_gym.users.own_words import own_words

if TYPE_CHECKING:
    from pi_gym.questions.choices import Choice


def heard_plans(view: TurnView, announced: Collection[str]) -> dict[str, Choice]:
    """The plans that a reply announces for open intents, by id; none by the paper's letter.

    Args:
        view: of the turn, after the questions of the reply were answered.
        announced: ids of the intents that a plan has held back before: it does so once.
    """
    choices = {one.id: one.choices for one in view.open if one.choices and one.id not in announced}
    if not choices or view.intents_only:
        return {}
    from pi_gym.questions.choices import announced_plans

    texts = {one.id: one for one in view.open}
    return announced_plans(own_words(view), choices, lambda number: f"{texts[number].text} {texts[number].reveal}")
