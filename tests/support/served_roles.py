"""A user and a grader that ask a served model whether they may do what the rules say.

So a session's scores are those of the rules, and every stage goes over the wire.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_gym.errors import AnswerError
from pi_gym.graders.base import FinalView
from pi_gym.graders.rule import RuleGrader
from pi_gym.models.answerer import ModelAnswerer
from pi_gym.models.config import ModelConfig
from pi_gym.models.role_requests import Answers, Requests
from pi_gym.questions import Asked
from pi_gym.types import ModelRequest, Verdict
from pi_gym.users.base import Decision, Satisfied, TurnView
from pi_gym.users.rule import RuleUser
from support.faulty_server import LONG_S, Behaviour, Say

RULE, RULE_GRADER = RuleUser(), RuleGrader()
SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "agree": {"type": "boolean"}},
    "required": ["reason", "agree"],
    "additionalProperties": False,
}
AGREES = {"reason": "so it is", "agree": True}


def request(stage: str, view: TurnView | FinalView, *, free: bool = False) -> Requests:
    """A request that names stage, task and variant, and differs from turn to turn."""
    said = f"{view.task.id} {view.task.variant} {len(list(view.log))}"
    messages = ({"role": "system", "content": stage}, {"role": "user", "content": said})
    return (ModelRequest(messages, None if free else SCHEMA, stage),)


def require_agreement(answers: Answers) -> None:
    if not all(answer.value["agree"] for answer in answers):
        raise AnswerError("the model does not agree")


@dataclass
class ServedUser:
    name: str = "served"

    def satisfied(self, view: TurnView, answers: Answers | None = None) -> Satisfied | Requests:
        if answers is None:
            return request("satisfied", view)
        require_agreement(answers)
        return RULE.satisfied(view)  # type: ignore[return-value]

    def asked(self, view: TurnView, answers: Answers | None = None) -> Asked | Requests:
        if answers is None:
            return request("asked", view)
        require_agreement(answers)
        return RULE.asked(view)

    def message(self, view: TurnView, decision: Decision, answers: Answers | None = None) -> str | Requests:
        if answers is None:
            return request("message", view, free=True)
        return RULE.message(view, decision)


@dataclass
class ServedGrader:
    name: str = "served"

    def grade(self, view: FinalView, answers: Answers | None = None) -> tuple[Verdict, ...] | Requests:
        if answers is None:
            return request("grade", view)
        require_agreement(answers)
        return RULE_GRADER.grade(view)  # type: ignore[return-value]


def agree(body: Mapping[str, Any], wait_s: float = 0.0) -> Say:
    """The answer of a sound server to such a request."""
    return Say(AGREES if "response_format" in body else "All right.", wait_s=wait_s)


def fitting(schema: Mapping[str, Any]) -> Any:
    """The plainest value that fits a schema: nothing optional, the first of what is listed, the last way, no items."""
    if "anyOf" in schema:
        return fitting(schema["anyOf"][-1])
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {name: fitting(schema["properties"][name]) for name in schema.get("required", ())}
    return {"string": "so", "array": [], "boolean": False, "integer": 0, "number": 0, "null": None}[schema["type"]]


def anyhow(body: Mapping[str, Any]) -> Say:
    """The answer of a server that keeps to the schema, whoever asks."""
    form = body.get("response_format")
    return Say("Well then." if form is None else fitting(form["json_schema"]["schema"]))


def stage_of(body: Mapping[str, Any]) -> str:
    return str(body["messages"][0]["content"])


def task_of(body: Mapping[str, Any]) -> str:
    return str(body["messages"][1]["content"]).split()[0]


def failing(task: str, behaviour: Behaviour, stage: str = "") -> Any:
    """A script that behaves so in one task (in one stage), and is sound in all others."""

    def script(body: Mapping[str, Any]) -> Behaviour:
        hit = task_of(body) == task and stage in ("", stage_of(body))
        return behaviour if hit else agree(body)

    return script


def config(url: str, cache: Path | None = None, **options: Any) -> ModelConfig:
    """A configuration that loses no time."""
    quick = {"retries": 2, "timeout_s": LONG_S, "backoff_s": 0.005, "api_key": "sk-very-secret"}
    return ModelConfig(url, "small", cache=cache, **{**quick, **options})


def served(
    url: str, pack: object, cache: Path | None = None, impatient: Mapping[str, float] | None = None, **options: Any
) -> dict[str, Any]:
    """Arguments of an environment whose roles ask the server; `impatient` are roles with a timeout of their own."""
    model = config(url, cache, **options)
    waits = {role: (impatient or {}).get(role, model.timeout_s) for role in ("user", "grader")}
    answerer = ModelAnswerer({role: model.with_options(timeout_s=wait_s) for role, wait_s in waits.items()})
    return {"pack": str(pack), "user": ServedUser(), "grader": ServedGrader(), "responder": answerer}
