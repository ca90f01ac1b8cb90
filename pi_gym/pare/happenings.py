"""Happenings from outside: the scenario's events, due in their order, and the noise between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from pi_gym.pare.noise import noise_event
from pi_gym.pare.scenario import PlannedEvent, Scenario
from pi_gym.phone.reminders.due import due_reminders
from pi_gym.predicates import Evidence
from pi_gym.state import World
from pi_gym.types import ToolCall

#: The happening that a due reminder is.
FALL_DUE = "Reminders__fall_due"


@dataclass(frozen=True, slots=True)
class Happened:
    """The part of the outside that is over; immutable.

    Args:
        at: by the name of an event, when it happened, in virtual seconds after the opening; those that were called off
            are in it too.
        called_off: the names of these.
        noise: how many events of noise have happened.
    """

    at: Mapping[str, float] = field(default_factory=dict)
    called_off: frozenset[str] = frozenset()
    noise: int = 0

    def with_event(self, event: PlannedEvent, now: float, *, called_off: bool = False) -> Happened:
        """The same after one more."""
        if not event.name:
            return replace(self, noise=self.noise + 1) if event.call.name != FALL_DUE else self
        off = self.called_off | {event.name} if called_off else self.called_off
        return Happened({**self.at, event.name: now}, off, self.noise)

    def knows(self, names: tuple[str, ...]) -> bool:
        """Whether all these events have happened."""
        return all(name in self.at and name not in self.called_off for name in names)


class Outside:
    """The outside of one session.

    Args:
        scenario: whose events it has.
        noise: events of noise a virtual minute.
    """

    def __init__(self, scenario: Scenario, noise: float) -> None:
        self._scenario, self._noise = scenario, noise
        self._far = (scenario.time + timedelta(days=3_650)).isoformat(timespec="seconds")

    def seconds(self, moment: datetime) -> float:
        """A moment in virtual seconds after the opening."""
        return (moment - self._scenario.time).total_seconds()

    def moment(self, seconds: float) -> datetime:
        """The moment so many virtual seconds after the opening."""
        return self._scenario.time + timedelta(seconds=seconds)

    def next_due(
        self, happened: Happened, world: World, evidence: Evidence | None, now: float
    ) -> tuple[float, PlannedEvent] | None:
        """The event that is due first, with the time at which it is; None where nothing will happen by itself.

        Args:
            happened: what is over.
            world: the phone as it is, for its reminders.
            evidence: the phone as predicates see it; None: events that wait for a state are left out.
            now: virtual seconds after the opening.
        """
        due = [(at, number, event) for number, (at, event) in enumerate(self._due(happened, world, evidence, now))]
        if not due:
            return None
        at, _, event = min(due, key=lambda one: one[:2])
        return at, event

    def _due(
        self, happened: Happened, world: World, evidence: Evidence | None, now: float
    ) -> Iterator[tuple[float, PlannedEvent]]:
        for event in self._scenario.events:
            if event.name in happened.at or not all(name in happened.at for name in event.after):
                continue
            begin = max((happened.at[name] for name in event.after), default=0.0) + event.at
            if event.when is None:
                yield begin, event
            elif evidence is not None and event.when.test(evidence):
                yield max(begin, now), event
        yield from self._reminders(world)
        if self._noise:
            yield noise_event(self._scenario, happened.noise, self._noise)

    def _reminders(self, world: World) -> Iterator[tuple[float, PlannedEvent]]:
        listed = due_reminders(world.apps["Reminders"].table("reminders"), self._far)
        if listed:
            time, key = min(listed)
            at = max(0.0, self.seconds(datetime.fromisoformat(time)))
            yield at, PlannedEvent("", ToolCall(FALL_DUE, {"reminder_id": key}), at)
