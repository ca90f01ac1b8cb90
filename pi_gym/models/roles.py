"""The two roles of a session: played by rules, by a served model, or by an object of the caller's."""

from __future__ import annotations

from typing import Any

from pi_gym.graders.base import Grader
from pi_gym.graders.rule import RuleGrader
from pi_gym.models.answering import ModelAnswerer
from pi_gym.models.config import BadModel, ModelConfig
from pi_gym.session.answerers import Responder
from pi_gym.users.base import User
from pi_gym.users.rule import RuleUser

ROLES = ("user", "grader")


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


def model_of(role: str, value: Any) -> ModelConfig | None:
    """The model that a role's argument names; None where it names none.

    Raises:
        BadModel: it is a text, and neither "rule" nor one of a model.
    """
    if isinstance(value, ModelConfig):
        return value
    if not isinstance(value, str) or value == "rule":
        return None
    try:
        return ModelConfig.from_text(value)
    except BadModel as error:
        raise BadModel(f"{role}: expected 'rule' or a model; {error}") from None


def role_answerer(user: Any, grader: Any, responder: Responder | None) -> ModelAnswerer | None:
    """What answers for the roles that are models; the responder answers for the rest.

    None where no role is a model. A responder that is a `ModelAnswerer` itself is copied, so that an environment
    counts what its own sessions asked.
    """
    found = {"user": model_of("user", user), "grader": model_of("grader", grader)}
    roles = {role: config for role, config in found.items() if config is not None}
    if isinstance(responder, ModelAnswerer):
        return ModelAnswerer({**responder.roles, **roles}, responder.other)
    return ModelAnswerer(roles, responder) if roles else None


def _checked(name: str, value: Any, method: str) -> Any:
    if isinstance(value, type) or not callable(getattr(value, method, None)):
        expected = f"'rule', a ModelConfig, 'MODEL@URL' or an object with a method {method!r}"
        raise TypeError(f"{name}: expected {expected}, got {value!r}")
    return value
