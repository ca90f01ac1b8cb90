"""The requests of a role that a model plays: made of prompt files, and checked where a role gives them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, TypeVar

from pi_gym.errors import AnswerError, SessionError
from pi_gym.models.answer_parts import AnswerForm
from pi_gym.templates import render_prompt
from pi_gym.types import Answer, ModelRequest

Answers: TypeAlias = tuple[Answer, ...]
Requests: TypeAlias = tuple[ModelRequest, ...]
T = TypeVar("T")


def role_request(prompt: str, form: AnswerForm, *, fallback: str | None = None, **values: object) -> ModelRequest:
    """A request from two prompt files: NAME.md, the instructions, and NAME_input.md, what they are about.

    Args:
        prompt: the files' name, which names the schema too.
        form: of the answer.
        fallback: see `ModelRequest`.
        values: for both files.
    """
    rules = render_prompt("data_rules.md").strip()
    instructions = render_prompt(f"{prompt}.md", data_rules=rules, **values)
    material = render_prompt(f"{prompt}_input.md", **values)
    messages = ({"role": "system", "content": instructions}, {"role": "user", "content": material})
    return ModelRequest(messages, form.schema, prompt, check=form.fault, fallback=fallback)


def single_value(answers: Answers) -> object:
    """The value of the one answer that was asked for.

    Raises:
        AnswerError: there are more, or none.
    """
    if len(answers) != 1:
        raise AnswerError(f"expected one answer, got {len(answers)}")
    return answers[0].value


def requests_of(result: Sequence[object], function: str, *kinds: type[T]) -> tuple[T, ...]:
    """The requests that a role's function gave; anything else would leave the session waiting for ever.

    Args:
        result: what it gave.
        function: its name, for the error.
        kinds: of requests that it may give.

    Raises:
        SessionError: it gave none, or something else too.
    """
    requests = tuple(part for part in result if isinstance(part, kinds))
    if not requests or len(requests) < len(result):
        raise SessionError(f"{function} gave neither a result nor model requests, but {result!r:.200}")
    return requests
