"""The items of rule scripts: one item of the task stands for as many as its script turns out to have.

The items are the keys of `score([])`; those with a value above 0 over the session's calls pass. A script that is not
there, or does not do what scripts are asked for, leaves them unknown, and so does a value that is no whole number; one
that raises over the calls fails them, as its contract says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pi_gym.packs.task import Item
from pi_gym.types import Verdict


def script_items(checklist: Iterable[Item], results: Sequence[Mapping[str, Any]]) -> list[tuple[Item, Verdict | None]]:
    """The checklist with each script's own items in place of the one that stands for them.

    Args:
        checklist: of the task.
        results: what its scripts said, in their order; empty as long as they have not been asked.

    Returns:
        Items with the verdicts of scripts; None for items that a grader judges.
    """
    left = list(results)
    items: list[tuple[Item, Verdict | None]] = []
    for item in checklist:
        if item.script is None:
            items.append((item, None))
        elif item.script.source is None:
            reason = f"{item.script.path} is not in this copy of the pack"
            items.append((item, Verdict(item.id, "unknown", "rule", reason)))
        elif left:
            items += _judged(item, left.pop(0))
        else:
            items.append((item, None))
    return items


def _judged(item: Item, result: Mapping[str, Any]) -> list[tuple[Item, Verdict | None]]:
    if "broken" in result:
        return [(item, Verdict(item.id, "unknown", "rule", f"the script cannot be used: {result['broken']}"))]
    judged: list[tuple[Item, Verdict | None]] = []
    for number, name in enumerate(result["items"], start=1):
        one = replace(item, id=f"{item.id}.{number}", name=name, text=f"[tools] {name}")
        if "raised" in result:
            verdict = Verdict(one.id, "failed", "rule", f"the script raised {result['raised']}")
        elif name in result.get("odd", ()):
            verdict = Verdict(one.id, "unknown", "rule", f"the script's value: {result['odd'][name]}")
        else:
            verdict = Verdict(one.id, "passed" if name in result["passed"] else "failed", "rule", "as the script says")
        judged.append((one, verdict))
    return judged
