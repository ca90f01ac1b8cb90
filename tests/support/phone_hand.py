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

    def agent(self, name: str, /, **given: Any) -> Any:
        """Let an agent call one of the app's tools."""
        return self._told(self._run("assistant", name, given))

    def event(self, name: str, /, **given: Any) -> Any:
        """Let something happen from outside."""
        return self._told(self._run("event", name, given))

    def user(self, name: str, /, **given: Any) -> Any:
        """Let the owner do something on the screen that is shown; the phone leads on from there."""
        return self._told(self._run("user", name, given))

    def back(self) -> None:
        """Let the owner go back to the screen before."""
        assert self._act(ToolCall("System__go_back")).ok

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

    def _run(self, audience: Audience, name: str, given: Mapping[str, Any]) -> ToolResult:
        call = ToolCall(f"{self.app.name}__{name}", given)
        return (
            self._act(call) if audience == "user" else Registry(self.app.offered(audience)).run(call, self._context())
        )

    def _act(self, call: ToolCall) -> ToolResult:
        context = self._context()
        result = act(call, context, offered(self.navigation))
        self.navigation = context.display.navigation
        return result

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


class StrictPhone(Phone):
    """A phone on which nothing fails but what is said to be refused."""

    def event(self, name: str, /, **given: Any) -> Notice:
        """Let something happen from outside; gives the last notification that was shown."""
        super().event(name, **given)
        return self.notices[-1]

    def refused(self, audience: Audience, name: str, /, **given: Any) -> str:
        """The reason for which something is refused; it changes nothing and shows nothing."""
        before = self.state, self.navigation, list(self.notices)
        result = self._run(audience, name, given)
        assert not result.ok, result.text
        assert (self.state, self.navigation, self.notices) == before
        return result.text

    def _told(self, result: ToolResult) -> Any:
        assert result.ok, result.text
        return super()._told(result)
