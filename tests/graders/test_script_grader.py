"""A rule script beside a session's own grader: both are asked at one time."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.official import GARDENER, ScriptedGrader, gardener

from pi_gym.errors import AnswerError
from pi_gym.graders.base import FinalView
from pi_gym.graders.rule_scripts import FOLDER
from pi_gym.graders.script import ScriptGrader
from pi_gym.packs.task import Item, RuleScript
from pi_gym.predicates import Evidence
from pi_gym.tools.shell_result import ShellResult
from pi_gym.types import Answer, ToolRequest

TASK = gardener().instantiate("gardener_task_002")


def script(number: str, source: str | None = "def score(h): return {'a': 1}") -> Item:
    return replace(TASK.checklist[0], id=number, name="script", script=RuleScript(f"scripts/{number}.py", source))


def view(*items: Item) -> FinalView:
    return FinalView(TASK, items, Evidence())


def said(result: Any) -> Answer:
    return Answer(ShellResult(files={f"{FOLDER}/out.json": json.dumps(result).encode()}).to_json())


RUBRIC = TASK.checklist[0]


def test_scripts_and_the_model_are_asked_together_and_verdicts_come_in_the_items_order() -> None:
    grader = ScriptGrader(ScriptedGrader())
    shown = view(script("c8"), RUBRIC, script("c9"))
    asks = grader.grade(shown)
    assert [isinstance(one, ToolRequest) for one in asks] == [True, True, False]
    answers = (said({"items": ["a", "b"], "passed": ["b"]}), said({"broken": "it is"}), Answer({RUBRIC.id: True}))
    verdicts = grader.grade(shown, answers)
    assert [(one.id, one.verdict) for one in verdicts] == [  # type: ignore[union-attr]
        ("c8.1", "failed"),
        ("c8.2", "passed"),
        (RUBRIC.id, "passed"),
        ("c9", "unknown"),
    ]


def test_the_other_grader_never_sees_a_script() -> None:
    class Watching(ScriptedGrader):
        def grade(self, view: FinalView, answers: Any = None) -> Any:
            assert [item.id for item in view.items] == [RUBRIC.id]
            return super().grade(view, answers)

    assert ScriptGrader(Watching()).grade(view(script("c8"), RUBRIC))


def test_a_missing_script_is_no_ask() -> None:
    (verdict,) = ScriptGrader(ScriptedGrader()).grade(view(script("c8", source=None)))
    assert (verdict.id, verdict.verdict) == ("c8", "unknown")  # type: ignore[union-attr]


def test_a_sandbox_that_fails_is_its_own_kind_of_failure() -> None:
    with pytest.raises(AnswerError, match="needs a sandbox") as caught:
        ScriptGrader(ScriptedGrader()).grade(view(script("c8")), (Answer({"unavailable": "none"}),))
    assert caught.value.kind == "shell"


def test_the_session_knows_nothing_of_the_layout() -> None:
    sources = [path.read_text() for path in (Path(GARDENER).parents[2] / "pi_gym" / "pibench").glob("*.py")]
    assert not [text for text in sources if "packs.official" in text or "rule_script" in text]
