"""Judging a recorded session anew: the same conversation, other roles.

The agent's actions and the user's words stay as they were; only the judgements are new, turn by turn. At the end of
each turn with open intents the new user judges stages 1 and 2 as in a session. Plans are heard as in a session, too; a
wrong one counts where the recorded user corrected it. What that user then said counts as said: an intent that it stated
and that is still open is `provided`, whatever made the user say it. An intent that the new user never finds satisfied
or asked for, and that the recorded user had no reason to state, stays open.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pi_gym.errors import AnswerError
from pi_gym.graders.base import Grader
from pi_gym.models.role_requests import Answers, requests_of
from pi_gym.packs import Intent
from pi_gym.pibench.announcements import heard_plans
from pi_gym.pibench.playback import Playback, PlayedTurn
from pi_gym.pibench.session import PiSession
from pi_gym.pibench.standing import (
    Ruling,
    Standing,
    grade,
    rule_announced,
    rule_asked,
    rule_closed,
    rule_satisfied,
    rule_stated,
    session_labels,
    settle_verdicts,
)
from pi_gym.questions import Asked
from pi_gym.rejudging.rescoring import Rejudgement
from pi_gym.rewards import RewardConfig
from pi_gym.runs.recorded import REJUDGED
from pi_gym.session.trajectory import Trajectory
from pi_gym.templates import prompt_hash
from pi_gym.types import Ask, Event, ModelRequest
from pi_gym.users.base import Satisfied, TurnView, User

T = TypeVar("T")

_MODELS = "models"
_JUDGED = ("status", "asked", "closed", "announced", "verdict")


def rejudge(
    record: Trajectory,
    played: Playback,
    user: User,
    grader: Grader,
    models: Mapping[str, Mapping[str, Any]] | None = None,
) -> Rejudgement:
    """Judge a recorded session by other roles.

    Args:
        record: the record.
        played: the same, played back.
        user: judges the intents; its stage 3 is never asked, since the words are there.
        grader: judges the checklist.
        models: by role, the language model that plays it and its sampling; for the record.

    Returns:
        (of the generator) the record with the new judgements. It holds the recorded conversation and cannot be
        replayed; `config["rejudged"]` names who judged first.

    Raises:
        AnswerError: an answer is an error, or has not the form that was asked for.
    """
    session = played.session
    judgement = _Judgement(session, record.config.get("keep_prompts", False))
    events = list(session.log)
    done = 0
    for turn in played.turns:
        judgement.log += _unjudged(events[done : turn.position])
        done = turn.position
        judgement.at = (turn.number, events[turn.position - 1].step)
        yield from judgement.judge(turn, user)
    judgement.log += _unjudged(events[done:])
    judgement.at = (events[-1].turn, events[-1].step)
    found = yield from judgement.consult("grader", "grade", lambda given: grader.grade(played.final, given))
    verdicts = {verdict.id: verdict for verdict in settle_verdicts(played.final.items, found)}
    for one in verdicts.values():
        judgement.record("verdict", item=one.id, verdict=one.verdict, grader=one.grader, reason=one.reason)
    # What no grader is asked (a task's own program judged it) stays as it was.
    standing = judgement.standing
    grading = grade(
        standing,
        session.checklist,
        [verdicts.get(one.id, one) for one in session.verdicts],
        record.labels["intents_held"],
        RewardConfig(**record.config["reward"]),
        turns=record.turns,
        invalid=record.invalid_actions,
    )
    judged = replace(
        record,
        prompt_hash=prompt_hash(),
        events=tuple(judgement.log),
        scores=grading.scores,
        labels=session_labels(
            session.task.intents, standing, session.checklist, grading, record.labels["words_by_user"]
        ),
        reward_components=grading.components,
        engine_faults=session.engine_faults,
    )
    return replace(judged, **judges_of(record, user, grader, models))


class _Judgement:
    """The new judgements of a session, and its log with them."""

    def __init__(self, session: PiSession, keep_prompts: bool) -> None:
        self._session, self.task, self.keep_prompts = session, session.task, keep_prompts
        self.standing = Standing.at_opening(self.task.intents)
        self.log: list[Event] = []
        self.at = (1, 0)
        self._asks = 0

    def record(self, kind: str, **data: Any) -> None:
        self.log.append(Event(kind, *self.at, data))

    def judge(self, turn: PlayedTurn, user: User) -> Generator[tuple[Ask, ...], Answers, None]:
        """The stages of one turn, over what is open by the new judgements."""
        intents, number = self.task.intents, self.at[0]
        if not self._open():
            return
        satisfied: Satisfied = yield from self.consult(
            "user", "satisfied", lambda given: user.satisfied(self._view(turn), given), Satisfied
        )
        self._follow(rule_satisfied(self.standing, intents, satisfied, number))
        self._follow(rule_closed(self.standing, intents, self._view(turn).evidence))
        if self._open():
            asked: Asked = yield from self.consult(
                "user", "asked", lambda given: user.asked(self._view(turn), given), Asked
            )
            state = self._session
            ruling = rule_asked(
                self.standing, intents, asked, number, state.told, state.needless_credited, state.offered
            )
            self._follow(ruling)
        if turn.spoke:
            plans = heard_plans(self._view(turn), self.standing.announced)
            # A wrong plan counts only where the user corrected it.
            heard = {number: plan for number, plan in plans.items() if plan.right or number in turn.said}
            self._follow(rule_announced(self.standing, intents, heard, self.at[0]))
        stated = [intent for intent in self._open() if intent.id in turn.said]
        self._follow(rule_stated(self.standing, stated, number))

    def _open(self) -> tuple[Intent, ...]:
        return self.standing.open(self.task.intents)

    def _follow(self, ruling: Ruling) -> None:
        self.standing = ruling.standing
        for kind, data in ruling.notes:
            self.record(kind, **data)

    def consult(
        self, role: str, stage: str, function: Callable[[Answers | None], Any], result: type[T] | None = None
    ) -> Generator[tuple[Ask, ...], Answers, Any]:
        """A role's result, by way of as many rounds of asks as it wants."""
        found = function(None)
        while not (result and isinstance(found, result)):
            if result is None and not any(isinstance(part, ModelRequest) for part in found):
                return found
            requests = requests_of(found, f"{role}.{stage}", ModelRequest)
            answers = yield tuple(self._ask(role, stage, one) for one in requests)
            for number, answer in zip(self._last(len(requests)), answers, strict=True):
                self.record("answer", id=number, **answer.to_json())
            failed = next((answer.error for answer in answers if answer.error), "")
            if failed:
                raise AnswerError(f"{role} ({stage}): {failed}")
            found = function(answers)
        return found

    def _ask(self, role: str, stage: str, one: ModelRequest) -> Ask:
        self._asks += 1
        kept = {"request": one.to_json()} if self.keep_prompts else {}
        self.record("ask", id=f"j{self._asks}", ask="model", role=role, stage=stage, sha256=one.sha256, **kept)
        return Ask(f"j{self._asks}", "model", role, stage, one)

    def _last(self, count: int) -> list[str]:
        return [f"j{number}" for number in range(self._asks - count + 1, self._asks + 1)]

    def _view(self, turn: PlayedTurn) -> TurnView:
        standing = self.standing
        evidence = replace(turn.view.evidence, statuses=standing.by_name(self.task.intents))
        return replace(
            turn.view,
            open=self._open(),
            evidence=evidence,
            misses=standing.misses,
            spared=standing.spared,
            room=lambda: self._session.question_room(self.standing),
        )


def _unjudged(events: Iterable[Event]) -> list[Event]:
    return [event for event in events if event.kind not in _JUDGED]


def judges_of(
    record: Trajectory, user: User, grader: Grader, models: Mapping[str, Mapping[str, Any]] | None
) -> dict[str, Any]:
    """The fields of a record that a new judgement changes whatever it says: who judged, and who did before."""
    config = {name: value for name, value in record.config.items() if name != _MODELS}
    before = {**record.config.get("roles", {}), _MODELS: record.config.get(_MODELS, {})}
    config |= {REJUDGED: before, "roles": {"user": user.name, "grader": grader.name}}
    return {"config": {**config, **({_MODELS: dict(models)} if models else {})}}
