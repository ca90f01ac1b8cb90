"""The trials of the person of Pare: proposals, right ones and near ones, that wait for an answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cache, partial
from pathlib import Path

from pi_gym.baselines.propose_everything import OFFER
from pi_gym.calibration.trials import DecisionPair, Trial
from pi_gym.errors import AnswerError, PackError
from pi_gym.models.role_requests import Answers, Requests
from pi_gym.pare.agent_tools import WAIT
from pi_gym.pare.model_person import ModelPerson
from pi_gym.pare.model_solution import Solver
from pi_gym.pare.pare_settings import PareConfig
from pi_gym.pare.person import Person, PersonMove, PersonView, RulePerson
from pi_gym.pare.scenario_set import ScenarioSet
from pi_gym.pare.session import PareSession
from pi_gym.pare_proof.plays import ScenarioCase, settlements
from pi_gym.rejudging.courses import Course
from pi_gym.schema import ProposalListSpec, load_model
from pi_gym.seeding import Stream
from pi_gym.types import ToolCall

ROLE, KIND = "user", "proposals"
ACCEPTED, REJECTED = "accepted", "rejected"
#: The turns in which an answer may come; who puts it off for longer has not answered.
ANSWER_TURNS = 3
#: The turn in which one who does not look proposes.
BLIND_TURN = 5
_WAIT = ToolCall(WAIT).to_text()


class JudgingPerson:
    """A person whom a model plays while a proposal waits, and the rules else.

    Attributes:
        name: "model".
    """

    name = "model"

    def move(self, view: PersonView, answers: Answers | None = None) -> PersonMove | Requests:
        """See `Person`."""
        return ModelPerson().move(view, answers) if view.proposal else RulePerson().move(view)


def person_trials(
    pack: ScenarioSet, task_id: str, variant: int, *, roles: Collection[str], most: int, seed: int
) -> Iterator[Trial]:
    """The trials of one world; see `pi_gym.calibration.trials.TrialMaker`.

    They are the solution's proposal, the same too early, other worlds' in its place, all of them in one, one that
    offers everything, and one of another world that comes whatever has happened. Where no help is wanted there are the
    last two alone.
    """
    case = ScenarioCase(pack, pack.instantiate(task_id, variant))
    place = f"{pack.name}/{task_id}, variant {variant}"
    others = list(case.other_proposals(most))

    def trial(origin: str, text: str, is_time: Callable[[PareSession], bool], number: int = 0) -> Trial:
        told = f"{origin} {number}" if number else origin
        return Trial(f"{place}: {told}", origin, partial(_answered, case, origin, text, is_time))

    if case.solution is not None and case.scenario.help is not None:
        right = case.solution.propose
        solved = partial(_is_proposing, case)
        yield trial("reference", right, solved)
        if case.scenario.help.after:
            yield trial("too early", right, lambda session: True)
        for number, text in enumerate(others, start=1):
            yield trial("another world", text, solved, number)
        if others:
            yield trial("stuffed", " ".join([right, *others]), solved)
    yield trial("everything", OFFER, _is_late)
    if others:
        yield trial("fixed", others[0], _is_late)


def listed_trials(
    pack: ScenarioSet, task_id: str, file: Path, *, roles: Collection[str], most: int, seed: int
) -> Iterator[Trial]:
    """The trials of a list of proposals; see `pi_gym.calibration.trials.ListedTrialMaker`.

    Each comes at the solution's time, in the world that its writer saw.
    """
    worlds = load_model(ProposalListSpec, file, str(file)).worlds
    made = cache(lambda variant: ScenarioCase(pack, pack.instantiate(task_id, variant)))
    for number, world in enumerate(worlds):
        if made(world.variant).solution is None:
            told = f"variant {world.variant} is one in which no help is wanted"
            raise PackError(str(file), f"worlds[{number}].variant", told)
    right = [(world.variant, text) for world in worlds for text in world.right]
    near = [(world.variant, text) for world in worlds for texts in world.near.values() for text in texts]
    draw = Stream("calibrate", pack.name, task_id, "listed", seed)
    for origin, label, listed in (("listed", ACCEPTED, right), ("listed near", REJECTED, near)):
        for number, (variant, text) in enumerate(draw.child(origin).shuffled(listed)[:most], start=1):
            case = made(variant)
            place = f"{pack.name}/{task_id}, variant {variant}: {origin} {number}"
            is_time = partial(_is_proposing, case)
            yield Trial(place, origin, partial(_answered, case, origin, text, is_time, label))


def _is_proposing(case: ScenarioCase, session: PareSession) -> bool:
    """Whether the solution would propose now: what it waits for is there."""
    help_ = case.scenario.help
    return help_ is not None and session.happened.knows(help_.after)


def _is_late(session: PareSession) -> bool:
    return session.turn >= BLIND_TURN


def _answered(
    case: ScenarioCase, origin: str, text: str, is_time: Callable[[PareSession], bool], label: str = ""
) -> Course[tuple[DecisionPair, ...]]:
    """A proposal, answered by the rules and by a model at the same moment."""
    found = []
    for person in (RulePerson(), JudgingPerson()):
        found.append((yield from _answer(case, text, is_time, person)))
    (rules, why_rules), (model, why_model) = found
    return (DecisionPair(KIND, ROLE, origin, rules, model, text, why_rules, why_model, label),)


def _answer(
    case: ScenarioCase, text: str, is_time: Callable[[PareSession], bool], person: Person
) -> Course[tuple[str, str]]:
    session = PareSession(case.scenario, config=PareConfig(strict=True), person=person)
    solver, proposed = Solver(case.scenario), 0
    while not session.ended:
        if not proposed and is_time(session):
            action = solver.next_action(session)
            # The solution looks before it proposes; so does whoever proposes something else in its place.
            looks = case.solution is not None and action in [call.to_text() for call in case.solution.look]
            if not looks:
                action, proposed = text, session.turn
        else:
            action = _WAIT
        session.apply(action)
        while session.pending:
            asks = tuple(session.pending)
            answers = yield asks
            for ask, answer in zip(asks, answers, strict=True):
                session.answer(ask.id, answer)
        if session.error:
            raise AnswerError(session.error)
        if answered := settlements(session):
            return (ACCEPTED if answered[0]["accepted"] else REJECTED), str(answered[0]["note"])
        if proposed and session.turn > proposed + ANSWER_TURNS:
            break
    return "no answer", ""
