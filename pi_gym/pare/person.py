"""The person of a session: their interface, and the one by rules, who follows the plan and reads proposals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol

from pi_gym.models.role_requests import Answers, Requests
from pi_gym.pare.happenings import Happened
from pi_gym.pare.person_actions import ACCEPT, REJECT
from pi_gym.pare.proposals import offers_habit, recognise
from pi_gym.pare.routes import next_action
from pi_gym.pare.scenario import PlanStep, Scenario
from pi_gym.phone.navigation import Navigation
from pi_gym.predicates import Evidence
from pi_gym.state.log import Log
from pi_gym.types import Event, ToolCall

#: What is said to a proposal that is not what was wanted; it gives nothing away.
WHY_NOT = ("No, thanks.", "Not now, thank you.", "No, leave it, please.", "Thanks, but no.")
TOO_EARLY = "Not now, thank you."
#: The reason that the record gives for it.
TOO_EARLY_NOTE = "too early"
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
        met: the goal holds, where a proposal waits for an answer; `short_of_habit`: all of it but what a habit adds.
        now: the virtual clock.
        evidence: the phone as predicates see it.
        rejected: how many proposals were rejected.
        log: everything so far; `known` how much of it they knew when the agent had the word last.
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
    short_of_habit: bool
    now: datetime
    evidence: Evidence
    rejected: int
    log: Log[Event] = field(default_factory=Log)
    known: int = 0

    @property
    def today(self) -> date:
        """The day of the virtual clock."""
        return self.now.date()

    def shown(self) -> str:
        """All that the agent was shown: messages and what its calls gave."""
        return "\n".join(str(event.data) for event in self.log if event.kind in ("user", "call"))

    @property
    def too_early(self) -> bool:
        """Whether the proposal was made before what speaks for it had come in."""
        help_ = self.scenario.help
        return help_ is not None and not self.proposed_after.knows(help_.after)


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


class Person(Protocol):
    """A player of the person. `name` goes into the trajectory."""

    name: str

    def move(self, view: PersonView, answers: Answers | None = None) -> PersonMove | Requests:
        """Their next move, or the model requests that it needs; then it is called again with the answers.

        Raises:
            AnswerError: nothing can be made of the answers.
        """
        ...


class RulePerson:
    """The person by rules: they follow the plan, and accept what names the help with its facts.

    Attributes:
        name: "rule".
    """

    name = "rule"

    def move(self, view: PersonView, answers: Answers | None = None) -> PersonMove:
        """A proposal is answered first, unless they look at something before."""
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
        return _reject(view, why_not(view), "no help is wanted")
    if view.short_of_habit:
        # What was done is not wanted once more; what was forgotten is.
        if offers_habit(view.proposal, help_):
            return _accept("what the habit wants")
        return _reject(view, DONE, "the goal holds already, but for the habit")
    found = recognise(view.proposal, help_, view.today, view.shown)
    if not found.right:
        return _reject(view, why_not(view), f"{found.fault}: {found.detail}".rstrip(": "))
    if view.too_early:
        return _reject(view, TOO_EARLY, TOO_EARLY_NOTE)
    if view.met:
        return _reject(view, DONE, "the goal holds already")
    look = _next_step(view, help_.look, len(view.scenario.plan))
    if look is not None and not view.helped:
        return look
    return _accept("right")


def _accept(note: str) -> PersonMove:
    return PersonMove(ToolCall(ACCEPT, {"content": "Yes, please."}), note=note)


def _reject(view: PersonView, text: str, note: str) -> PersonMove:
    return PersonMove(ToolCall(REJECT, {"content": text}), note=note)


def why_not(view: PersonView) -> str:
    """The words for a proposal that is not what was wanted; they give nothing away."""
    help_ = view.scenario.help
    words = help_.why_not if help_ is not None and help_.why_not else WHY_NOT
    return words[view.rejected % len(words)]


def is_ready(step: PlanStep, view: PersonView) -> bool:
    """Whether what a step waits for is so."""
    known = view.turn >= step.turn and view.happened.knows(step.after)
    return known and (step.when is None or bool(step.when.test(view.evidence)))


def ready_steps(view: PersonView, steps: tuple[PlanStep, ...], first: int) -> Iterator[tuple[int, PlanStep]]:
    """The steps that are not done and can be, with their numbers; they are done in their order.

    Args:
        view: the session as the person sees it.
        steps: those of the plan, or of looking.
        first: the number of the first.
    """
    for number, step in enumerate(steps, first):
        if number in view.done or _is_moot(step, view.happened):
            continue
        if not is_ready(step, view):
            return
        yield number, step


def _next_step(view: PersonView, steps: tuple[PlanStep, ...], first: int) -> PersonMove | None:
    """The next action towards the first step that is not done and can be."""
    for number, step in ready_steps(view, steps, first):
        call = next_action(view.navigation, step)
        return None if call is None else PersonMove(call, number)
    return None
