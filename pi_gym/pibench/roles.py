"""The two roles of a session: played by rules, by a served model, or by an object of the caller's."""

from __future__ import annotations

from typing import Any

from pi_gym.graders.base import Grader
from pi_gym.graders.rule import RuleGrader
from pi_gym.models.roles import model_of
from pi_gym.users.base import User
from pi_gym.users.rule import RuleUser


def user_role(value: Any) -> User:
    """The user that is meant by "rule", a `ModelConfig`, "MODEL@URL", or a user.

    Raises:
        BadModel: the text is none of a model.
        TypeError: it is none of these.
    """
    if value == "rule":
        return RuleUser()
    if model_of("user", value) is not None:
        from pi_gym.users.model import ModelUser

        user: User = ModelUser()
        return user
    return _checked("user", value, "satisfied")  # type: ignore[no-any-return]


def grader_role(value: Any) -> Grader:
    """The grader that is meant, likewise."""
    if value == "rule":
        return RuleGrader()
    if model_of("grader", value) is not None:
        from pi_gym.graders.model import ModelGrader

        grader: Grader = ModelGrader()
        return grader
    return _checked("grader", value, "grade")  # type: ignore[no-any-return]


def _checked(name: str, value: Any, method: str) -> Any:
    if isinstance(value, type) or not callable(getattr(value, method, None)):
        expected = f"'rule', a ModelConfig, 'MODEL@URL' or an object with a method {method!r}"
        raise TypeError(f"{name}: expected {expected}, got {value!r}")
    return value
