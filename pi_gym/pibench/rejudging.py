"""Judging a recorded session anew: the same conversation, other roles.

The agent's actions and the user's words stay as they were; only the judgements are new, turn by turn. At the end of
each turn with open intents the new user judges stages 1 and 2 as in a session. What the recorded user then said counts
as said: an intent that it stated and that is still open is `provided`, whatever made the user say it. An intent that
the new user never finds satisfied or asked for, and that the recorded user had no reason to state, stays open.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeVar

from pi_gym.errors import AnswerError, SessionError
from pi_gym.graders.base import Grader
from pi_gym.graders.rule import settle_guards
from pi_gym.packs import Intent, Task
from pi_gym.pibench.playback import Playback, PlayedTurn
from pi_gym.pibench.record import session_labels
from pi_gym.questions import Asked
from pi_gym.rewards import RewardConfig, Tally, completeness, return_components, total
from pi_gym.runs.recorded import REJUDGED
from pi_gym.session.trajectory import Trajectory
from pi_gym.templates import prompt_hash
from pi_gym.types import Answer, Ask, Event, IntentStatus, ModelRequest, Verdict
from pi_gym.users.base import Satisfied, TurnView, User

T = TypeVar("T")
Asks: TypeAlias = tuple[Ask, ...]
Answers: TypeAlias = tuple[Answer, ...]
#: Gives asks, takes their answers in order, returns the judged record.
Rejudgement: TypeAlias = Generator[Asks, Answers, Trajectory]

_MODELS = "models"
_JUDGED = ("status", "asked", "verdict")


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
    weights = {item.id: item.weight for item in played.session.checklist}
    judgement = _Judgement(played.session.task, record.config.get("keep_prompts", False), weights)
    events = list(played.session.log)
    done = 0
    for turn in played.turns:
        judgement.log += _unjudged(events[done : turn.position])
        done = turn.position
        judgement.at = (turn.number, events[turn.position - 1].step)
        yield from judgement.judge(turn, played, user)
    judgement.log += _unjudged(events[done:])
    judgement.at = (events[-1].turn, events[-1].step)
    ask = judgement.consult("grader", "grade", lambda given: grader.grade(played.final, given))
    verdicts = tuple((yield from ask))
    items = played.final.items
    if [getattr(one, "id", "") for one in verdicts] != [item.id for item in items]:
        raise SessionError("grader.grade gave verdicts that are not those of the view's items, in their order")
    unscored = next((one for one in verdicts if one.verdict not in ("passed", "failed")), None)
    if unscored is not None:
        raise AnswerError(f"item {unscored.id} is {unscored.verdict}: {unscored.reason}")
    settled = settle_guards(items, [one for one in verdicts if isinstance(one, Verdict)])
    for verdict in settled:
        judgement.record(
            "verdict", item=verdict.id, verdict=verdict.verdict, grader=verdict.grader, reason=verdict.reason
        )
    # What no grader is asked (a task's own program judged it) stays as it was.
    judged = {verdict.id: verdict for verdict in settled}
    rows = tuple(
        _row(judged[one["id"]], one["name"]) if one["id"] in judged else one for one in record.labels["checklist"]
    )
    return replace(_record(record, judgement, rows), **judges_of(record, user, grader, models))


@dataclass
class _Judgement:
    """The new statuses, and the log with them."""

    task: Task
    keep_prompts: bool
    weights: Mapping[str, float]
    log: list[Event] = field(default_factory=list)
    at: tuple[int, int] = (1, 0)
    statuses: dict[str, IntentStatus] = field(default_factory=dict)
    turns: dict[str, int] = field(default_factory=dict)
    needless: set[str] = field(default_factory=set)
    misses: int = 0
    questions: int = 0
    spared: tuple[str, ...] = ()
    asks: int = 0

    def __post_init__(self) -> None:
        self.statuses = {intent.id: "open" for intent in self.task.intents}

    def record(self, kind: str, **data: Any) -> None:
        self.log.append(Event(kind, *self.at, data))

    def open(self) -> tuple[Intent, ...]:
        return tuple(intent for intent in self.task.intents if self.statuses[intent.id] == "open")

    def judge(self, turn: PlayedTurn, played: Playback, user: User) -> Generator[Asks, Answers, None]:
        """The stages of one turn, over what is open by the new judgements."""
        if not self.open():
            return
        satisfied: Satisfied = yield from self.consult(
            "user", "satisfied", lambda given: user.satisfied(self._view(turn), given), Satisfied
        )
        for intent in self.open():
            if intent.id in satisfied.reasons:
                self._settle(intent, "completed", satisfied.reasons[intent.id], played)
        if self.open():
            asked: Asked = yield from self.consult(
                "user", "asked", lambda given: user.asked(self._view(turn), given), Asked
            )
            self._credit(asked, played)
        for intent in self.open():
            if intent.id in turn.said:
                self._settle(intent, "provided", "nobody asked", played)

    def consult(
        self, role: str, stage: str, function: Callable[[Answers | None], Any], result: type[T] | None = None
    ) -> Generator[Asks, Answers, Any]:
        """A role's result, by way of as many rounds of asks as it wants."""
        found = function(None)
        while not (result and isinstance(found, result)):
            requests = tuple(part for part in found if isinstance(part, ModelRequest))
            if not requests and result is None:
                return found
            if not requests or len(requests) < len(found):
                raise SessionError(f"{role}.{stage} gave neither a result nor model requests, but {found!r:.200}")
            answers = yield tuple(self._ask(role, stage, one) for one in requests)
            for number, answer in zip(self._last(len(requests)), answers, strict=True):
                self.record("answer", id=number, **answer.to_json())
            failed = next((answer.error for answer in answers if answer.error), "")
            if failed:
                raise AnswerError(f"{role} ({stage}): {failed}")
            found = function(answers)
        return found

    def _ask(self, role: str, stage: str, one: ModelRequest) -> Ask:
        self.asks += 1
        kept = {"request": one.to_json()} if self.keep_prompts else {}
        self.record("ask", id=f"j{self.asks}", ask="model", role=role, stage=stage, sha256=one.sha256, **kept)
        return Ask(f"j{self.asks}", "model", role, stage, one)

    def _last(self, count: int) -> list[str]:
        return [f"j{number}" for number in range(self.asks - count + 1, self.asks + 1)]

    def _view(self, turn: PlayedTurn) -> TurnView:
        names = {intent.name: self.statuses[intent.id] for intent in self.task.intents}
        evidence = replace(turn.view.evidence, statuses=names)
        return replace(turn.view, open=self.open(), evidence=evidence, misses=self.misses, spared=self.spared)

    def _credit(self, asked: Asked, played: Playback) -> None:
        self.misses, self.spared = asked.misses, asked.spared
        self.questions += sum(clause.outcome != "ignored" for clause in asked.clauses)
        if asked.clauses:
            self.record("asked", clauses=[clause.to_json() for clause in asked.clauses])
        by_id = {intent.id: intent for intent in self.open()}
        for number in dict.fromkeys(asked.hits):
            if number in by_id:
                self._settle(by_id[number], "inferred", "asked for", played)

    def _settle(self, intent: Intent, status: IntentStatus, reason: str, played: Playback) -> None:
        needless = status == "inferred" and any(way.holds(played.session.opening.world) for way in intent.recover)
        self.statuses[intent.id], self.turns[intent.id] = status, self.at[0]
        if needless:
            self.needless.add(intent.id)
        self.record("status", intent=intent.id, status=status, needless=needless, reason=reason)


def _unjudged(events: Iterable[Event]) -> list[Event]:
    return [event for event in events if event.kind not in _JUDGED]


def judges_of(
    record: Trajectory, user: User, grader: Grader, models: Mapping[str, Mapping[str, Any]] | None
) -> dict[str, Any]:
    """What a new judgement changes of a record, whatever comes out of it: who judged, and who did before."""
    config = {name: value for name, value in record.config.items() if name != _MODELS}
    before = {**record.config.get("roles", {}), _MODELS: record.config.get(_MODELS, {})}
    config |= {REJUDGED: before, "roles": {"user": user.name, "grader": grader.name}}
    return {"config": {**config, **({_MODELS: dict(models)} if models else {})}}


def _row(verdict: Verdict, name: str) -> Mapping[str, Any]:
    return {
        "id": verdict.id,
        "name": name,
        "verdict": verdict.verdict,
        "grader": verdict.grader,
        "reason": verdict.reason,
    }


def _record(record: Trajectory, judgement: _Judgement, checklist: Sequence[Mapping[str, Any]]) -> Trajectory:
    statuses, held = judgement.statuses, record.labels["intents_held"]
    proc = strict = None
    if statuses:
        credited = sum(status in ("completed", "inferred") for status in statuses.values())
        proc, strict = credited / len(statuses), (credited - len(judgement.needless)) / len(statuses)
    comp = completeness([(one["verdict"], judgement.weights.get(one["id"], 1.0)) for one in checklist])
    tally = Tally(
        [(status, number in judgement.needless, number in held) for number, status in statuses.items()],
        comp,
        record.turns,
        judgement.questions,
        record.invalid_actions,
    )
    components = return_components(RewardConfig(**record.config["reward"]), tally)
    intents = [
        {
            "id": intent.id,
            "name": intent.name,
            "status": statuses[intent.id],
            "turn": judgement.turns.get(intent.id, 0),
            "needless": intent.id in judgement.needless,
        }
        for intent in judgement.task.intents
    ]
    return replace(
        record,
        prompt_hash=prompt_hash(),
        events=tuple(judgement.log),
        scores={"proc": proc, "strict_proc": strict, "comp": comp, "return": total(components)},
        labels=session_labels(
            intents,
            checklist,
            held,
            questions=judgement.questions,
            misses=judgement.misses,
            words=record.labels["words_by_user"],
        ),
        reward_components=components,
    )
