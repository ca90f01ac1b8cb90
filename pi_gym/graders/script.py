"""The grader of tasks that bring a rule script: the script judges its item, a session's own grader all others.

One item of the task stands for as many as its script turns out to have: the keys of `score([])`. Those with a value
above 0 over the session's calls pass. A script that is not there, or does not do what scripts are asked for, leaves
them unknown, and so does a value that is no whole number; one that raises over the calls fails them, as its contract
says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pi_gym.graders.base import FinalView, Grader
from pi_gym.graders.rule_scripts import script_request, script_result
from pi_gym.models.role_requests import Answers
from pi_gym.packs.task import Item
from pi_gym.types import ModelRequest, ToolRequest, Verdict, VerdictName


@dataclass(frozen=True)
class ScriptGrader:
    """A grader with rule scripts around another.

    Args:
        other: judges the items that have no script.
    """

    other: Grader

    @property
    def name(self) -> str:
        """The other grader's name: who judges by script is the task's to say."""
        return self.other.name

    def grade(
        self, view: FinalView, answers: Answers | None = None
    ) -> tuple[Verdict, ...] | tuple[ModelRequest | ToolRequest, ...]:
        """A verdict for each item, or for each part of a script's; scripts and models are asked at one time.

        Raises:
            AnswerError: a script gave no result.
        """
        scripts = {item.id: item.script for item in view.items if item.script and item.script.source is not None}
        rest = replace(view, items=tuple(item for item in view.items if item.script is None))
        given = (answers or ())[len(scripts) :]
        found = self.other.grade(rest, given or None) if rest.items else ()
        asked = tuple(part for part in found if not isinstance(part, Verdict))
        if asked or (scripts and answers is None):
            return (*(script_request(one.source or "", view) for one in scripts.values()), *asked)
        said = zip(scripts.items(), answers or (), strict=False)
        results = {number: script_result(one.path, answer.value) for (number, one), answer in said}
        # In the items' order, each script's parts in its place; one that is missing is for the session to find.
        judged = {one.id: [one] for one in found if isinstance(one, Verdict)}
        return tuple(
            verdict
            for item in view.items
            for verdict in (_by_script(item, results.get(item.id)) if item.script else judged.get(item.id, []))
        )


def _by_script(item: Item, result: Mapping[str, Any] | None) -> list[Verdict]:
    """The verdicts on an item by its script's result; a result of None stands for a script that is not there."""
    if result is None:
        path = item.script.path if item.script else ""
        return [Verdict(item.id, "unknown", "rule", f"{path} is not in this copy of the pack")]
    if "broken" in result:
        return [Verdict(item.id, "unknown", "rule", f"the script cannot be used: {result['broken']}")]
    verdicts = []
    for number, name in enumerate(result["items"], start=1):
        verdict, reason = _judge(name, result)
        verdicts.append(Verdict(f"{item.id}.{number}", verdict, "rule", reason, part_of=item.id, name=name))
    return verdicts


def _judge(name: str, result: Mapping[str, Any]) -> tuple[VerdictName, str]:
    if "raised" in result:
        return "failed", f"the script raised {result['raised']}"
    if name in result.get("odd", ()):
        return "unknown", f"the script's value: {result['odd'][name]}"
    return "passed" if name in result["passed"] else "failed", "as the script says"
