"""Playing many lists of actions on one opening: what they begin with alike is played once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pi_gym.packs.task import ReferenceAction
from pi_gym.pibench.declared_shell import declared_answer
from pi_gym.pibench.opening import Opening
from pi_gym.pibench.session import PiSession
from pi_gym.pibench.settings import SessionConfig


@dataclass(frozen=True)
class StagedPlay:
    """A session after its actions; other plays may share it, so it is never driven on (fork it).

    Args:
        session: the session.
        rewards: the reward of each step.
        unplayed: actions that were left when it ended.
    """

    session: PiSession
    rewards: tuple[float, ...]
    unplayed: int

    @cached_property
    def statuses(self) -> Mapping[str, str]:
        """Intent name to status."""
        return {intent.name: self.session.statuses[intent.id] for intent in self.session.task.intents}

    @cached_property
    def reasons(self) -> Mapping[str, str]:
        """Intent name to the reason for its status, for those that are not open."""
        names = {intent.id: intent.name for intent in self.session.task.intents}
        events = (event.data for event in self.session.log if event.kind == "status")
        return {names[data["intent"]]: data["reason"] for data in events}

    @property
    def held(self) -> frozenset[str]:
        """The names of the intents whose predicate holds in the end."""
        return frozenset(intent.name for intent in self.session.task.intents if intent.id in self.session.held)

    @property
    def passed(self) -> list[str]:
        """The passed items: name and reason."""
        return self._items("passed")

    @property
    def failed(self) -> list[str]:
        """The failed items: name and reason."""
        return self._items("failed")

    def _items(self, verdict: str) -> list[str]:
        names = {item.id: item.name for item in self.session.task.checklist}
        return [f"{names[v.id]} ({v.reason})" for v in self.session.verdicts if v.verdict == verdict]


@dataclass(slots=True)
class _Moment:
    """A session at one moment, and what came of it by the next action."""

    session: PiSession
    rewards: tuple[float, ...] = ()
    after: dict[tuple[str, str], _Moment] = field(default_factory=dict)


class Stage:
    """A stage for fresh sessions of one opening.

    Args:
        opening: the opening.
    """

    def __init__(self, opening: Opening) -> None:
        self.opening = opening
        self._start = _Moment(
            PiSession(opening.task, opening=opening, config=SessionConfig(history="reference", strict=True))
        )

    def play(self, actions: Sequence[str], closing: str | None = "") -> StagedPlay:
        """Play actions, then the closing reply until the session ends.

        Args:
            actions: action texts.
            closing: the reply to everything afterwards; None leaves the session open.
        """
        moment, unplayed = self._start, len(actions)
        for action in actions:
            moment = _next(moment, action)
            unplayed -= 1
            if moment.session.ended:
                break
        while closing is not None and not moment.session.ended:
            moment = _next(moment, closing)
        return StagedPlay(moment.session, moment.rewards, unplayed)


def _next(moment: _Moment, action: str) -> _Moment:
    # The same text may come with another declared result.
    results = action.results if isinstance(action, ReferenceAction) else ()
    key = (str(action), repr(results) if any(result is not None for result in results) else "")
    found = moment.after.get(key)
    if found is None:
        session = moment.session.fork()
        reward = step_once(session, action)
        found = moment.after[key] = _Moment(session, (*moment.rewards, reward))
    return found


def step_once(session: PiSession, action: str) -> float:
    """One action; a command does what the reference declares, other asks get an error. Gives the step's reward."""
    session.apply(action)
    while session.pending:
        for ask in session.pending:
            session.answer(ask.id, declared_answer(session, ask, action))
    return session.step.reward if session.step is not None else 0.0
