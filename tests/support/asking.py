"""A user and a grader that ask a model in every stage.

What the model answers decides: None leaves it to the rules, "bad" is an answer of no use, anything else is the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pi_gym.errors import AnswerError
from pi_gym.graders.base import FinalView
from pi_gym.graders.rule import RuleGrader
from pi_gym.models.role_requests import Answers, Requests
from pi_gym.questions import Asked
from pi_gym.types import ModelRequest, Verdict
from pi_gym.users.base import Decision, Satisfied, TurnView
from pi_gym.users.rule import RuleUser

RULE = RuleUser()


def requests(stage: str, count: int) -> Requests:
    return tuple(
        ModelRequest(({"role": "user", "content": f"{stage} {number}"},), {"type": "object"}, stage)
        for number in range(count)
    )


def said(answers: Answers) -> list[Any]:
    values = [answer.value for answer in answers]
    if "bad" in values:
        raise AnswerError("the answer has no use")
    return [value for value in values if value is not None]


@dataclass
class AskingUser:
    """Asks `count` models per stage; answers of stage 1 are lists of intent ids, of stage 2 too, of stage 3 text."""

    count: int = 1
    name: str = "asking"

    def satisfied(self, view: TurnView, answers: Answers | None = None) -> Satisfied | Requests:
        if answers is None:
            return requests("satisfied", self.count)
        values = said(answers)
        return Satisfied({n: "so said" for ids in values for n in ids}) if values else RULE.satisfied(view)

    def asked(self, view: TurnView, answers: Answers | None = None) -> Asked | Requests:
        if answers is None:
            return requests("asked", self.count)
        values = said(answers)
        return Asked((), tuple(n for ids in values for n in ids), view.misses, 0) if values else RULE.asked(view)

    def message(self, view: TurnView, decision: Decision, answers: Answers | None = None) -> str | Requests:
        if answers is None:
            return requests("message", self.count)
        values = said(answers)
        return " ".join(values) if values else RULE.message(view, decision)


@dataclass
class AskingGrader:
    """Asks `count` models; an answer maps item ids to verdicts."""

    count: int = 1
    name: str = "asking"

    def grade(self, view: FinalView, answers: Answers | None = None) -> tuple[Verdict, ...] | Requests:
        if answers is None:
            return requests("grade", self.count)
        values = said(answers)
        by_rule = RuleGrader().grade(view)
        given = {number: verdict for value in values for number, verdict in value.items()}
        return tuple(Verdict(v.id, given.get(v.id, v.verdict), "rubric", "so said") for v in by_rule)
