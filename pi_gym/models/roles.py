"""Roles that served models play: who is meant by an argument, and what answers for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.models.answerer import ModelAnswerer
from pi_gym.models.config import BadModel, ModelConfig
from pi_gym.session.answerers import Responder


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


def role_answerer(roles: Mapping[str, Any], responder: Responder | None) -> ModelAnswerer | None:
    """The answerer for the roles that are models; the responder answers for the rest.

    None where no role is a model. A responder that is a `ModelAnswerer` itself is copied, so that an environment
    counts what its own sessions asked.
    """
    found = {role: model_of(role, value) for role, value in roles.items()}
    models = {role: config for role, config in found.items() if config is not None}
    if isinstance(responder, ModelAnswerer):
        return ModelAnswerer({**responder.roles, **models}, responder.other)
    return ModelAnswerer(models, responder) if models else None
