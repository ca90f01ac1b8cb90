"""Every screen of every app can be reached from its first one, and left again, by doing it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.phone_world import ARGUMENTS, phone_world

from pi_gym.pare.agent_tools import all_agent_tools
from pi_gym.phone.declare import PhoneApp
from pi_gym.phone.handset import act, offered
from pi_gym.phone.installed_apps import load_phone_app, phone_app_names
from pi_gym.phone.navigation import BACK, ROOT, Display, Navigation
from pi_gym.phone.phone_desk import Owner, PhoneContext
from pi_gym.state import World
from pi_gym.tools import Registry
from pi_gym.types import ToolCall

APPS = tuple(name for name in phone_app_names() if load_phone_app(name).screens)
OWNER = Owner("Mara Lind", "mara.lind@fastpost.example", "0151 200 10", 1)


def context_of(world: World, navigation: Navigation) -> PhoneContext:
    return PhoneContext(world, clock="2026-05-04T09:00:00", ids=500_000, owner=OWNER, display=Display(navigation))


def actions(app: PhoneApp, navigation: Navigation) -> Iterator[ToolCall]:
    """What can be done on a screen, with arguments that fit the seed rows."""
    for one in offered(navigation):
        if one.name.startswith(app.name):
            for given in ARGUMENTS.get(one.name, [{}]):
                yield ToolCall(one.name, given)


def walk(app: PhoneApp) -> tuple[set[str], set[tuple[str, str]], set[tuple[str, str, str]]]:
    """All screens that can be come to, the actions done on them as (screen, name), and the leads taken."""
    start = Navigation().opened(app.name, app.root.place())
    seen, done, leads = {app.root.name}, set[tuple[str, str]](), set[tuple[str, str, str]]()
    todo, taken, seeded = [(phone_world(), start)], set[tuple[str, str, str, bool]](), phone_world().state_hash()
    while todo:
        world, navigation = todo.pop()
        here = navigation.place
        assert here is not None
        for call in actions(app, navigation):
            context = context_of(world.fork(), navigation)
            result = act(call, context, offered(navigation))
            if not result.ok:
                continue
            there = context.display.navigation.place
            assert there is not None
            done.add((here.screen, call.name))
            leads.add((here.screen, call.name, there.screen))
            seen.add(there.screen)
            # Some is possible only after a change, such as ordering a ride once there is none under way.
            step = (here.screen, call.name, there.screen, context.world.state_hash() != seeded)
            moved = context.display.navigation != navigation or context.world.state_hash() != world.state_hash()
            if moved and step not in taken:
                taken.add(step)
                todo.append((context.world, context.display.navigation))
    return seen, done, leads


@pytest.mark.parametrize("name", APPS)
def test_every_screen_is_reached_and_every_action_can_be_done(name: str) -> None:
    app = load_phone_app(name)
    seen, done, _ = walk(app)
    assert seen == set(app.screens)
    assert done == {(screen, one.name) for screen in app.screens for one in app.offered("user", screen)}


def test_there_are_as_many_actions_tools_and_events_as_the_paper_has() -> None:
    apps = [load_phone_app(name) for name in APPS]
    actions = [one for app in apps for screen in app.screens for one in app.offered("user", screen)]
    tools = [one for app in apps for one in app.offered("assistant")]
    events = [one for app in apps for one in app.offered("event")]
    others = {one.name for one in all_agent_tools() if one.name.partition("__")[0] in ("System", "AgentUI", "Files")}
    # Two of the paper's 122 actions are `go_back` of Notes, which is the phone's own here.
    assert (len(actions), len(tools), len(others)) == (122 - 2, 90, 16)
    # A reminder that falls due is an event of the app's own.
    assert {one.name for one in events if one.name == "Reminders__fall_due"}
    assert len(events) == 24 + 1


@pytest.mark.parametrize("name", APPS)
def test_actions_lead_where_they_are_declared_to(name: str) -> None:
    app = load_phone_app(name)
    _, _, leads = walk(app)
    for screen in app.screens:
        for one in app.offered("user", screen):
            taken = {there for here, called, there in leads if (here, called) == (screen, one.name)}
            named = set(one.goto) - {BACK, ROOT}
            assert named <= taken, f"{one.name} on {screen} never leads to {named - taken}"
            if not one.goto:
                assert taken == {screen}


@pytest.mark.parametrize("name", APPS)
def test_go_back_leads_to_the_first_screen_from_everywhere(name: str) -> None:
    app = load_phone_app(name)
    for screen in app.screens:
        navigation = Navigation().opened(app.name, app.root.place())
        display = Display(navigation)
        if screen != app.root.name:
            display.show(screen, app.screens[screen].holds)
        context = context_of(phone_world(), display.navigation)
        while context.display.navigation.can_go_back:
            assert act(ToolCall("System__go_back"), context, offered(context.display.navigation)).ok
        place = context.display.navigation.place
        assert place is not None
        assert place.screen == app.root.name


@pytest.mark.parametrize("name", phone_app_names())
def test_a_read_changes_nothing_and_a_failed_write_neither(name: str) -> None:
    app = load_phone_app(name)
    for one in app.operations:
        for given in ARGUMENTS.get(one.name, [{}]):
            world = phone_world()
            before = world.state_hash()
            context = context_of(world, Navigation())
            if "user" in one.audience:
                continue  # done on its screen, by the walk
            result = Registry([one]).run(ToolCall(one.name, given), context)
            if one.effect == "read" or not result.ok:
                assert world.state_hash() == before, one.name
