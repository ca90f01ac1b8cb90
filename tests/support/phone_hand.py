"""A phone of the tests at hand: its owner, an agent and the outside do things on it, one after the other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pi_gym.phone.handset import act, offered
from pi_gym.phone.installed_apps import load_phone_app
from pi_gym.phone.navigation import Display, Navigation
from pi_gym.phone.phone_desk import Notice, Owner, PhoneContext
from pi_gym.state.tables import Row
from pi_gym.tools import Registry, ToolResult
from pi_gym.tools.declare import Audience
from pi_gym.types import ToolCall
from support.phone_world import phone_world

OWNER = Owner("Mara Lind", "mara.lind@fastpost.example", "0151 200 10", 1)
NOW = "2026-05-04T09:00:00"


class Phone:
    """A phone with one app open. What is done gives the result, as JSON; where it fails, the error's text.

    Args:
        app: the app.
        clock: the time.
    """

    def __init__(self, app: str, clock: str = NOW) -> None:
        self.app, self.clock = load_phone_app(app), clock
        self.world, self.notices = phone_world(), list[Notice]()
        self.navigation = Navigation()
        if self.app.screens:
            self.navigation = self.navigation.opened(app, self.app.root.place())

    def agent(self, name: str, **given: Any) -> Any:
        """Let an agent call one of the app's tools."""
        return self._run("assistant", name, given)

    def event(self, name: str, **given: Any) -> Any:
        """Let something happen from outside."""
        return self._run("event", name, given)

    def user(self, name: str, **given: Any) -> Any:
        """Let the owner do something on the screen that is shown; the phone leads on from there."""
        context = self._context()
        result = act(ToolCall(f"{self.app.name}__{name}", given), context, offered(self.navigation))
        self.navigation = context.display.navigation
        return self._told(result)

    @property
    def screen(self) -> str:
        """The name of the screen that is shown."""
        assert self.navigation.place is not None
        return self.navigation.place.screen

    @property
    def state(self) -> str:
        """A fingerprint of the whole world."""
        return self.world.state_hash()

    def rows(self, table: str) -> Mapping[int, Row]:
        """The rows of a table of the app."""
        return dict(self.world.apps[self.app.name].table(table).rows())

    def text(self, path: str) -> str | None:
        """The text of a workspace file; None where there is none."""
        return self.world.workspace.text(path)

    def _run(self, audience: Audience, name: str, given: Mapping[str, Any]) -> Any:
        registry = Registry(self.app.offered(audience))
        return self._told(registry.run(ToolCall(f"{self.app.name}__{name}", given), self._context()))

    def _context(self) -> PhoneContext:
        return PhoneContext(
            self.world,
            clock=self.clock,
            ids=500_000,
            owner=OWNER,
            display=Display(self.navigation),
            notices=self.notices,
        )

    def _told(self, result: ToolResult) -> Any:
        return json.loads(result.text) if result.ok else result.text
