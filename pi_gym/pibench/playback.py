"""A recorded conversation played again, without judging anything: what there was to judge at each turn's end.

The actions, the answers that tools got from outside, and the user's words are the record's. So the world comes out as
it was, whoever judged it then, and other roles can look at each moment of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pi_gym.errors import SessionError
from pi_gym.graders.base import FinalView
from pi_gym.models.role_requests import Answers
from pi_gym.packs import Item, Pack, load_pack, referred_pack
from pi_gym.pibench.replay import recorded_config, recorded_start, require_original
from pi_gym.pibench.session import PiSession
from pi_gym.pibench.turns import turn_view
from pi_gym.predicates import Evidence
from pi_gym.questions import Asked, AskedClause
from pi_gym.session.playing_again import recorded_action
from pi_gym.session.trajectory import Trajectory
from pi_gym.state import World
from pi_gym.types import Answer, Event, Verdict
from pi_gym.users.base import Decision, Satisfied, TurnView

_SAME = ("agent", "call", "refused", "reply", "user", "environment", "reminder", "end")
_REPLIES = ("final", "ask_user")


@dataclass(frozen=True)
class PlayedTurn:
    """One turn of a recorded session, at its end.

    Args:
        number: from 1.
        view: what the user simulator could see then; its judgements are the record's.
        position: how many events of the session came before.
        said: ids of the intents that the user's next message stated.
        spoke: there was such a message.
    """

    number: int
    view: TurnView
    position: int
    said: tuple[str, ...]
    spoke: bool


@dataclass(frozen=True)
class Playback:
    """A recorded session, played again.

    Args:
        session: as it ended.
        turns: every turn that ended, the last one too.
        final: what the grader could see.
        rewards: by step, its reward by component.
    """

    session: PiSession
    turns: tuple[PlayedTurn, ...]
    final: FinalView
    rewards: Mapping[int, Mapping[str, float]]


def play_back(record: Trajectory, *, pack: Pack | None = None, start: World | None = None) -> Playback:
    """Play a scored record again, with its own judgements.

    Args:
        record: of a session that was scored.
        pack: where its pack lies, if it is not an installed one.
        start: the world that it began in; needed only for history mode "own".

    Raises:
        StateMismatch: the pack's content is not the recorded one.
        ValueError: something is needed that was not given, or the record is itself of a re-scoring.
        SessionError: what comes out is not what was recorded: another engine made it.
    """
    require_original(record)
    if not record.scored:
        raise ValueError("the record has no score: its conversation may lack its end")
    pack = pack if pack is not None else load_pack(record.pack)
    task = referred_pack(pack.source, record.pack_hash).instantiate(record.task_id, record.variant)
    start = start if start is not None else recorded_start(pack, task, record)
    roles = _Recorded(record)
    session = roles.session = PiSession(task, start, config=recorded_config(record), user=roles, grader=roles)
    rewards: dict[int, Mapping[str, float]] = {}
    outside = {event.data["id"] for event in record.events if event.kind == "ask" and event.data["ask"] != "model"}
    for event in record.events:
        if event.kind == "agent":
            session.apply(recorded_action(event.data))
        elif event.kind == "answer" and event.data["id"] in outside:
            # The roles ask nothing here, so the asks of others have other ids; their order is the same.
            waiting = next(ask.id for ask in session.pending if ask.id not in session.action.answers)
            session.answer(waiting, Answer.from_json(event.data))
        elif event.kind == "end" and not (session.ended or session.pending):  # pending: it waits for its grading
            session.truncate(event.data["reason"])
        if session.step is not None:
            rewards[session.steps] = session.step.components
    if not session.ended or [*_told(session.log)] != [*_told(record.events)]:
        raise SessionError("the session does not come out as it was recorded: another engine made the record")
    broken = next((one for one in session.engine_faults if one.where.startswith(("user ", "grader "))), None)
    if broken is not None:  # the roles only read the record
        raise SessionError(f"the record's judgements cannot be read: {broken.error}")
    roles.keep_last()
    final = FinalView(task, roles.items, _still(session.evidence(session.log)), tuple(session.log))
    return Playback(session, tuple(roles.turns), final, rewards)


def _told(events: Any) -> Iterator[tuple[Any, ...]]:
    """The events that an agent saw or made, without who judged it how."""
    for event in events:
        if event.kind in _SAME:
            data = {name: value for name, value in event.data.items() if name != "intents"}
            yield event.kind, event.turn, event.step, data


class _Recorded:
    """A user and grader that say what the record says, and keep what they are shown."""

    name = "recorded"

    def __init__(self, record: Trajectory) -> None:
        self.session: PiSession | None = None
        self.turns: list[PlayedTurn] = []
        self.items: tuple[Item, ...] = ()
        self._verdicts = {one["id"]: one for one in record.labels["checklist"]}
        self._events: dict[tuple[str, int], list[Event]] = {}
        for event in record.events:
            self._events.setdefault((event.kind, event.turn), []).append(event)

    def satisfied(self, view: TurnView, answers: Answers | None = None) -> Satisfied:
        self._keep(view)
        return Satisfied({event.data["intent"]: event.data["reason"] for event in self._settled("completed")})

    def asked(self, view: TurnView, answers: Answers | None = None) -> Asked:
        clauses = tuple(AskedClause.from_json(one) for event in self._now("asked") for one in event.data["clauses"])
        settled = self._now("status")
        hits = tuple(one.data["intent"] for one in settled if one.data["status"] == "inferred" or one.data["needless"])
        misses = view.misses + any(clause.outcome == "miss" for clause in clauses)
        return Asked(clauses, hits, misses, len(clauses), view.spared)

    def message(self, view: TurnView, decision: Decision, answers: Answers | None = None) -> str:
        found = self._now("user")
        return str(found[0].data["text"]) if found else ""

    def grade(self, view: FinalView, answers: Answers | None = None) -> tuple[Verdict, ...]:
        self.items = view.items
        found = (self._verdicts[item.id] for item in view.items)
        return tuple(Verdict(one["id"], one["verdict"], one["grader"], one["reason"]) for one in found)

    def keep_last(self) -> None:
        """Keep the turn of the reply to the last message: nobody judged it for intents, but others may want to."""
        session = self.session
        assert session is not None
        replies = (event for event in session.log.since(session.in_turn.start) if event.kind == "reply")
        if any(event.data["how"] in _REPLIES for event in replies):
            self._keep(turn_view(session))

    def _keep(self, view: TurnView) -> None:
        session = self.session
        assert session is not None
        if self.turns and self.turns[-1].number == session.turn:
            return
        # At the end of the session, the turn's events stand before those of the end.
        events = list(session.log)
        position = next((n for n, event in enumerate(events) if event.kind == "end"), len(events))
        spoken = self._now("user")
        said = tuple(number for event in spoken for number in event.data["intents"])
        still = replace(view, evidence=_still(view.evidence), log=tuple(events[:position]))
        self.turns.append(PlayedTurn(session.turn, still, position, said, bool(spoken)))

    def _now(self, kind: str) -> list[Event]:
        assert self.session is not None
        return self._events.get((kind, self.session.turn), [])

    def _settled(self, status: str) -> list[Event]:
        return [event for event in self._now("status") if event.data["status"] == status]


def _still(evidence: Evidence) -> Evidence:
    """The evidence of a moment, which the session's going on does not change."""
    return replace(evidence, now=evidence.now.fork())
