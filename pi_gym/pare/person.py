"""The person by rules: what they do next with their phone, and what they say to a proposal."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from pi_gym.pare.happenings import Happened
from pi_gym.pare.proposals import recognise
from pi_gym.pare.routes import next_action
from pi_gym.pare.scenario import PlanStep, Scenario
from pi_gym.phone.navigation import Navigation
from pi_gym.predicates import Evidence
from pi_gym.types import ToolCall

ACCEPT, REJECT = "AgentUI__accept_proposal", "AgentUI__reject_proposal"
#: What is said to a proposal that is not what was wanted; it gives nothing away.
WHY_NOT = ("No, thanks.", "Not now, thank you.", "No, leave it, please.", "Thanks, but no.")
TOO_EARLY = "Not now, thank you."
DONE = "That has been taken care of."


@dataclass(frozen=True, slots=True)
class PersonView:
    """The person's knowledge when it is their turn.

    Args:
        scenario: their world.
        navigation: where the phone is.
        happened: what has happened from outside; `proposed_after` what had when the proposal was made.
        done: the numbers of the plan's steps that are done; those of `help.look` come after them.
        turn: the turn, from 1.
        proposal: the agent's words that wait for an answer; "" where there are none.
        helped: the help was accepted before.
        met: the goal holds, where a proposal waits for an answer.
        today: the day of the virtual clock.
        evidence: the phone as predicates see it.
        rejected: how many proposals were rejected.
    """

    scenario: Scenario
    navigation: Navigation
    happened: Happened
    proposed_after: Happened
    done: frozenset[int]
    turn: int
    proposal: str
    helped: bool
    met: bool
    today: date
    evidence: Evidence
    rejected: int


@dataclass(frozen=True, slots=True)
class PersonMove:
    """The person's move in their turn.

    Args:
        call: the action; None: they let it pass.
        step: the number of the step that it is, or leads to; -1: it answers a proposal.
        note: why, for the record.
    """

    call: ToolCall | None
    step: int = -1
    note: str = ""


PASS = PersonMove(None)


def move_by_rules(view: PersonView) -> PersonMove:
    """Decide what the person does: a proposal is answered first, unless they look at something before."""
    if view.proposal:
        return _answer(view)
    return _next_step(view, view.scenario.plan, 0) or PASS


def steps_of(scenario: Scenario) -> tuple[PlanStep, ...]:
    """All steps that a person may do: those of the plan, then those of looking before they decide."""
    return (*scenario.plan, *(scenario.help.look if scenario.help is not None else ()))


def plan_is_done(scenario: Scenario, done: frozenset[int], happened: Happened) -> bool:
    """Whether nothing of the plan is left."""
    return all(number in done or _is_moot(step, happened) for number, step in enumerate(scenario.plan))


def _is_moot(step: PlanStep, happened: Happened) -> bool:
    """Whether a step waits for an event that was called off."""
    return not happened.called_off.isdisjoint(step.after)


def _answer(view: PersonView) -> PersonMove:
    help_ = view.scenario.help
    if help_ is None:
        return _reject(view, _why_not(view), "no help is wanted")
    found = recognise(view.proposal, help_, view.today)
    if not found.right:
        return _reject(view, _why_not(view), f"{found.fault}: {found.detail}".rstrip(": "))
    if not view.proposed_after.knows(help_.after):
        return _reject(view, TOO_EARLY, "too early")
    if view.met:
        return _reject(view, DONE, "the goal holds already")
    look = _next_step(view, help_.look, len(view.scenario.plan))
    if look is not None and not view.helped:
        return look
    return PersonMove(ToolCall(ACCEPT, {"content": "Yes, please."}), note="right")


def _reject(view: PersonView, text: str, note: str) -> PersonMove:
    return PersonMove(ToolCall(REJECT, {"content": text}), note=note)


def _why_not(view: PersonView) -> str:
    help_ = view.scenario.help
    words = help_.why_not if help_ is not None and help_.why_not else WHY_NOT
    return words[view.rejected % len(words)]


def is_ready(step: PlanStep, view: PersonView) -> bool:
    """Whether what a step waits for is so."""
    known = view.turn >= step.turn and view.happened.knows(step.after)
    return known and (step.when is None or bool(step.when.test(view.evidence)))


def _next_step(view: PersonView, steps: tuple[PlanStep, ...], first: int) -> PersonMove | None:
    """The next action towards the first step that is not done and can be."""
    for number, step in enumerate(steps, first):
        if number in view.done or _is_moot(step, view.happened):
            continue
        if not is_ready(step, view):
            return None  # steps are done in their order
        call = next_action(view.navigation, step)
        if call is None:
            return None
        return PersonMove(call, number)
    return None
