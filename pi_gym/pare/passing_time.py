"""The time that goes by in a session, and what happens meanwhile from outside."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import ceil

from pi_gym.errors import PackError
from pi_gym.pare.happenings import Outside
from pi_gym.pare.pare_state import PareState
from pi_gym.pare.scenario import PlannedEvent
from pi_gym.phone.installed_apps import load_phone_app
from pi_gym.phone.phone_desk import Notice
from pi_gym.tools import Registry

#: The most events that one turn can bring: noise on a phone that waits for a year.
MAX_EVENTS = 200


def let_time_pass(state: PareState, wait_s: int) -> None:
    """Move the clock over the turn, or to the next event, whichever the agent waits for."""
    until = state.clock + timedelta(seconds=state.config.turn_s)
    if wait_s:
        until = max(until, state.clock + timedelta(seconds=wait_s))
        outside = _outside(state)
        following = outside.next_due(state.happened, state.world, None, outside.seconds(state.clock))
        if following is not None:
            # Apps know whole seconds; the event has happened by the next one.
            moment = outside.moment(ceil(following[0]))
            until = min(until, max(moment, state.clock + timedelta(seconds=1)))
    happen_until(state, until)
    state.clock = max(state.clock, until)


def happen_until(state: PareState, until: datetime) -> None:
    """Let happen what is due by then, in its order."""
    outside = _outside(state)
    conditions = any(event.when is not None for event in state.scenario.events)
    for _ in range(MAX_EVENTS):
        evidence = state.evidence() if conditions else None
        following = outside.next_due(state.happened, state.world, evidence, outside.seconds(state.clock))
        if following is None or outside.moment(following[0]) > until:
            return
        at, event = following
        state.clock = max(state.clock, outside.moment(at).replace(microsecond=0))
        _happen(state, event, at)


def _outside(state: PareState) -> Outside:
    return Outside(state.scenario, state.config.noise)


def _happen(state: PareState, event: PlannedEvent, at: float) -> None:
    if event.unless is not None and event.unless.test(state.evidence()):
        state.happened = state.happened.with_event(event, at, called_off=True)
        return
    state.happened = state.happened.with_event(event, at)
    app = load_phone_app(event.call.name.partition("__")[0])
    context = state.context(event.row - 1)
    result = Registry(app.offered("event")).run(event.call, context)
    if not result.ok and event.name and not state.touched:
        # What the agent has done may stand against an event; nothing else does.
        raise PackError(f"scenarios/{state.scenario.id}", f"events.{event.name}", result.text)
    state.record("happening", name=event.name, call=event.call.name, arguments=dict(event.call.arguments), ok=result.ok)
    for notice in context.notices if result.ok else ():
        _notify(state, notice, own=bool(event.name))


def _notify(state: PareState, notice: Notice, *, own: bool) -> None:
    time = state.clock.isoformat()
    state.record("notification", app=notice.app, short=notice.short, whole=notice.whole, time=time)
    if own:
        state.last_event_turn = state.turn + 1
