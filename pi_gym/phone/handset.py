"""The phone in its owner's hand: what can be done on the screen that is shown, and doing it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from pi_gym.apps.declare import SEPARATOR
from pi_gym.phone.declare import USER
from pi_gym.phone.installed_apps import load_phone_app
from pi_gym.phone.navigation import Navigation
from pi_gym.phone.phone_desk import PhoneContext
from pi_gym.tools import Registry, ToolResult
from pi_gym.tools.declare import ToolError, operation
from pi_gym.types import ToolCall

SYSTEM = "System"


@operation("read", name=f"{SYSTEM}{SEPARATOR}open_app", audience=USER)
def open_app(context: PhoneContext, app_name: str) -> str:
    """Open an app at its first screen.

    Args:
        app_name: the app's name, as the home screen has it.
    """
    context.display.navigation = context.display.navigation.opened(
        app_name, load_phone_app(_installed(context, app_name)).root.place()
    )
    return f"Opened {app_name}."


@operation("read", name=f"{SYSTEM}{SEPARATOR}switch_app", audience=USER)
def switch_app(context: PhoneContext, app_name: str) -> str:
    """Switch to an app that is open, as you left it.

    Args:
        app_name: the app's name.
    """
    navigation = context.display.navigation
    if app_name not in navigation.stacks:
        raise ToolError(f"{app_name[:60]!r} is not open; open are: {', '.join(sorted(navigation.stacks)) or 'none'}.")
    context.display.navigation = navigation.switched(app_name)
    return f"Switched to {app_name}."


@operation("read", name=f"{SYSTEM}{SEPARATOR}go_home", audience=USER)
def go_home(context: PhoneContext) -> str:
    """Go to the home screen; the app stays open in the background."""
    context.display.navigation = context.display.navigation.home()
    return "On the home screen."


@operation("read", name=f"{SYSTEM}{SEPARATOR}go_back", audience=USER)
def go_back(context: PhoneContext) -> str:
    """Go back to the screen before this one."""
    context.display.go_back()
    place = context.display.navigation.place
    return "On the home screen." if place is None else f"Back on {place.screen}."


def apps_with_screens(names: Iterable[str]) -> list[str]:
    """Those of the apps that their owner can open; what has no screens, such as the files, is the agent's alone."""
    return [name for name in sorted(names) if load_phone_app(name).screens]


def _installed(context: PhoneContext, name: str) -> str:
    apps = apps_with_screens(context.world.apps)
    if name not in apps:
        raise ToolError(f"There is no app {name[:60]!r}; the phone has: {', '.join(apps)}.")
    return name


def offered(navigation: Navigation, *more: Registry) -> Registry:
    """The actions that the phone offers where it is.

    Args:
        navigation: where it is.
        more: what is offered beside, such as answers to a proposal.
    """
    found = _offered(
        navigation.active,
        navigation.place.screen if navigation.place else "",
        bool(navigation.stacks),
        navigation.can_go_back,
    )
    return found.merged(*more) if more else found


@cache
def _offered(app: str, screen: str, some_open: bool, can_go_back: bool) -> Registry:
    system = [go_home] if app else [open_app]
    if some_open:
        system.append(switch_app)
    if can_go_back:
        system.append(go_back)
    return Registry([*system, *(load_phone_app(app).offered("user", screen) if app else ())])


def act(call: ToolCall, context: PhoneContext, registry: Registry) -> ToolResult:
    """Do what the owner does. Where it fails, the phone stays where it is, and its apps as they are.

    Args:
        call: the action.
        context: the phone as it is; its display leads on.
        registry: what `offered` gave there.
    """
    before, shown = context.display.navigation, len(context.notices)
    try:
        result = registry.run(call, context)
    except BaseException:
        context.display.navigation = before
        raise
    if not result.ok:
        context.display.navigation = before
        del context.notices[shown:]
    return result


def spoken_action(call: ToolCall) -> str:
    """An action as others are told of it: with its arguments, without what came of it.

    >>> spoken_action(ToolCall("Emails__open_email_by_id", {"email_id": 3}))
    'Emails__open_email_by_id(email_id=3)'
    """
    return f"{call.name}({', '.join(f'{name}={value!r}' for name, value in call.arguments.items())})"
