"""The role of a Pare session: who plays the person."""

from __future__ import annotations

from typing import Any

from pi_gym.models.roles import model_of
from pi_gym.pare.person import Person, RulePerson


def person_role(value: Any) -> Person:
    """The person that is meant by "rule" or None, a `ModelConfig`, "MODEL@URL", or a person.

    Raises:
        BadModel: the text is none of a model.
        TypeError: it is none of these.
    """
    if value is None or value == "rule":
        return RulePerson()
    if model_of("user", value) is not None:
        from pi_gym.pare.model_person import ModelPerson

        return ModelPerson()
    if isinstance(value, type) or not callable(getattr(value, "move", None)):
        raise TypeError(
            f"user: expected 'rule', a ModelConfig, 'MODEL@URL' or an object with a method 'move', got {value!r}"
        )
    person: Person = value
    return person
