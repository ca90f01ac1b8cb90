"""The check that every writing step of a reference is needed: it is played without each of them, one at a time.

A step is a call that changes something, known by its place in the reference's template, so that it can be followed
across variants. What it serves are the intents and items that are lost without it in some variant; wherever one of
these is drawn, its removal must lower a score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from pi_gym.apps.declare import SEPARATOR
from pi_gym.packs.task import ReferenceAction
from pi_gym.pibench.session import PiSession
from pi_gym.proof.case import Case
from pi_gym.proof.stage import StagedPlay, step_once
from pi_gym.proof.variety import MIN_VARIANTS
from pi_gym.session import parse_action
from pi_gym.tools import Registry
from pi_gym.tools.shell_result import ShellResult
from pi_gym.types import ToolCall
from pi_gym.validation.report import Sheet

CHECK = "step removal"
_SIGNING = ("login", "logout")
#: The result of a command whose file was never written.
_NO_FILE = ShellResult(exit=1, output="No such file\n").to_json()


@dataclass(frozen=True, slots=True)
class Removal:
    """A session of the reference without one of its writing calls.

    Args:
        variant: the variant's number.
        step: the step's place in the reference's template; `call` the call's place in the step.
        shown: the call, for a finding.
        lost: what the reference earns and this session does not: "intent x", "item y".
        held: what there is to lose in this variant.
        lowered: whether Proc or Comp is lower.
    """

    variant: int
    step: int
    call: int
    shown: str
    lost: frozenset[str]
    held: frozenset[str]
    lowered: bool


def removals(case: Case) -> list[Removal]:
    """The reference without each of its writing calls."""
    if not case.reference.session.ended or case.reference.session.error:
        return []
    full, held = _earned(case.reference), _held(case)
    found = []
    actions = [action for action in case.task.reference if isinstance(action, ReferenceAction)]
    for index, action in enumerate(actions):
        session = case.stage.play(actions[:index], None).session
        if session.ended:
            break
        for number, call in enumerate(parse_action(action).calls):
            if not is_writing(call, action.results[number], case.opening.registry):
                continue
            run = _without(session.fork(), action, number, call, actions[index + 1 :])
            lost = full - _earned(run)
            lowered = any(now < before for now, before in zip(_scores(run), _scores(case.reference), strict=True))
            own = _not_only_behind(case, lost)
            found.append(Removal(case.task.variant, action.step, number, _shown(call), own, held, lowered))
    return found


def is_writing(call: ToolCall, result: Any, registry: Registry) -> bool:
    """Whether a call of a reference changes something that counts: files, rows of apps, jobs, what is sent along.

    Args:
        call: the call; notes in memory/ and signing in or out do not count.
        result: what it declares, for a command.
        registry: the session's tools.
    """
    if call.name == "exec":
        return result is not None and bool(result.get("files") or result.get("deleted"))
    if call.name == "message":
        return bool(call.arguments.get("media"))
    if call.name not in registry or registry.get(call.name).effect != "write":
        return False
    if call.name.rpartition(SEPARATOR)[2] in _SIGNING:
        return False
    if call.name == "cron":
        return call.arguments.get("action") != "list"
    return not str(call.arguments.get("path", "")).startswith("memory/")


def _without(
    session: PiSession, action: ReferenceAction, number: int, call: ToolCall, rest: Sequence[ReferenceAction]
) -> StagedPlay:
    """Go on with the reference, one call of the present action left out."""
    calls = list(parse_action(action).calls)
    results = list(action.results)
    del calls[number], results[number]
    shortened = ReferenceAction.of("\n".join(one.to_text() for one in calls), results, action.step)
    name = PurePosixPath(str(call.arguments.get("path", ""))).name
    for one in [shortened, *rest] if calls else rest:
        if session.ended:
            break
        step_once(session, _disappointed(one, name) if name else one)
    # Where something is open still, it says once more what it said in the end.
    last = rest[-1] if rest and not parse_action(rest[-1]).calls else ""
    while not session.ended:
        step_once(session, last)
    return StagedPlay(session, (), 0)


def _disappointed(action: ReferenceAction, name: str) -> ReferenceAction:
    """The action where a command that names a file finds none: it fails, whatever the reference declares."""
    if not any(result is not None for result in action.results):
        return action
    calls = parse_action(action).calls
    results = [
        dict(_NO_FILE) if result is not None and name in str(call.arguments.get("command")) else result
        for call, result in zip(calls, action.results, strict=True)
    ]
    return ReferenceAction.of(action, results, action.step)


def _scores(run: StagedPlay) -> tuple[float, float]:
    return run.session.proc or 0.0, run.session.comp or 0.0


def _earned(run: StagedPlay) -> frozenset[str]:
    """The intents and items that a session is paid for."""
    intents = {f"intent {name}" for name, status in run.statuses.items() if status in ("completed", "inferred")}
    names = {item.id: item.name for item in run.session.task.checklist}
    return frozenset(intents | {f"item {names[v.id]}" for v in run.session.verdicts if v.verdict == "passed"})


def _held(case: Case) -> frozenset[str]:
    intents = {f"intent {intent.name}" for intent in case.task.intents}
    return frozenset(intents | {f"item {item.name}" for item in case.task.checklist})


def _not_only_behind(case: Case, lost: frozenset[str]) -> frozenset[str]:
    """The lost ones without guards that fall because the item falls which they require."""
    names = {item.id: item.name for item in case.task.checklist}
    behind = {
        f"item {item.name}" for item in case.task.checklist if item.requires and f"item {names[item.requires]}" in lost
    }
    return lost - behind


def _shown(call: ToolCall) -> str:
    given = call.arguments.get("path") or call.arguments.get("media") or ""
    return f"{call.name} {given}".strip()


def check_removal(found: Sequence[Removal], played: int) -> list[Sheet]:
    """The proof that the removals of all variants give, a sheet for each variant and one for all of them.

    Args:
        found: the removals.
        played: of how many variants. Among few, what a step serves may never be drawn: then it is only noted.
    """
    sheets = {variant: Sheet(CHECK, variant) for variant in sorted({one.variant for one in found})}
    general = Sheet(CHECK, -1)
    for place in sorted({(one.step, one.call) for one in found}):
        group = [one for one in found if (one.step, one.call) == place]
        serves = frozenset[str]().union(*(one.lost for one in group if one.lowered))
        subject = f"step {place[0] + 1}.{place[1] + 1}, {group[0].shown}"
        if not serves:
            told = general.fail if played >= MIN_VARIANTS else general.note
            told(subject, f"removing it lowers nothing in any of the {len(group)} variants that have it")
            continue
        for one in group:
            drawn = sorted(serves & one.held)
            if drawn and not one.lowered:
                sheets[one.variant].fail(
                    subject, f"removing it lowers nothing here, though elsewhere it serves {', '.join(drawn)}"
                )
    for variant, sheet in sheets.items():
        sheet.numbers["writing steps"] = sum(one.variant == variant for one in found)
    return [*sheets.values(), *([general] if general.findings else [])]
