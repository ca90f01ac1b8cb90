"""The way to an action over the screens of a phone: which one to do next."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from pi_gym.apps.declare import SEPARATOR
from pi_gym.pare.scenario import PlanStep
from pi_gym.phone.declare import PhoneApp
from pi_gym.phone.handset import SYSTEM
from pi_gym.phone.installed_apps import load_phone_app
from pi_gym.phone.navigation import BACK, ROOT, Navigation
from pi_gym.tools.parameters import REQUIRED
from pi_gym.types import ToolCall

MAX_DEPTH = 6
_ANY = object()
"""Stands for what a screen will remember and only doing it tells."""
_Screens: TypeAlias = tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]


def next_action(navigation: Navigation, step: PlanStep) -> ToolCall | None:
    """The action that comes next on the shortest way to a step's, or that itself.

    Args:
        navigation: where the phone is.
        step: what is to be done, and on which screen.

    Returns:
        None where no way leads there.
    """
    app = step.call.name.partition(SEPARATOR)[0]
    if navigation.active != app:
        if navigation.active and app not in navigation.stacks:
            return ToolCall(f"{SYSTEM}{SEPARATOR}go_home")
        verb = "switch_app" if app in navigation.stacks else "open_app"
        return ToolCall(f"{SYSTEM}{SEPARATOR}{verb}", {"app_name": app})
    # A screen of which only doing it tells what it shows is the way where no other one is.
    found = load_phone_app(app)
    return _within(found, navigation, step, hoping=False) or _within(found, navigation, step, hoping=True)


def _within(app: PhoneApp, navigation: Navigation, step: PlanStep, *, hoping: bool) -> ToolCall | None:
    start: _Screens = tuple((place.screen, tuple(place.holds.items())) for place in navigation.stacks[app.name])
    todo: deque[tuple[_Screens, ToolCall | None]] = deque([(start, None)])
    seen = {_key(start)}
    while todo:
        screens, first = todo.popleft()
        if _offers(app, screens[-1], step, hoping):
            return first or step.call
        if len(screens) > MAX_DEPTH:
            continue
        for call, reached in _moves(app, screens, step.shows):
            if (key := _key(reached)) not in seen:
                seen.add(key)
                todo.append((reached, first or call))
    return None


def _key(screens: _Screens) -> tuple[Any, ...]:
    return tuple(
        (name, repr([(key, "?" if value is _ANY else value) for key, value in held])) for name, held in screens
    )


def _offers(app: PhoneApp, screen: tuple[str, tuple[tuple[str, Any], ...]], step: PlanStep, hoping: bool) -> bool:
    """Whether a screen offers a step's action, and shows, or may show, what it is to be done with."""
    name, held = screen
    if not any(one.name == step.call.name for one in app.offered("user", name)):
        return False
    holds = dict(held)
    return all(
        key not in holds or holds[key] == value or (hoping and holds[key] is _ANY) for key, value in step.shows.items()
    )


def _moves(app: PhoneApp, screens: _Screens, shown: Mapping[str, Any]) -> Iterator[tuple[ToolCall, _Screens]]:
    """The actions that lead on from a screen towards one that shows these things, each with where it leads."""
    if len(screens) > 1:
        yield ToolCall(f"{SYSTEM}{SEPARATOR}go_back"), screens[:-1]
    name, held = screens[-1]
    for one in app.offered("user", name):
        leads = [screen for screen in one.goto if screen not in (BACK, ROOT)]
        required = [parameter.name for parameter in one.parameters if parameter.default is REQUIRED]
        if not leads or not all(parameter in shown for parameter in required):
            continue
        given = {parameter.name: shown[parameter.name] for parameter in one.parameters if parameter.name in shown}
        present = dict(held)
        for lead in leads:
            holds = app.screens[lead].holds
            reached = {
                key: given.get(key, present.get(key, _ANY if default is None else default))
                for key, default in holds.items()
            }
            yield ToolCall(one.name, given), (*screens, (lead, tuple(reached.items())))
