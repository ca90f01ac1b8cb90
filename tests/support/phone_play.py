"""The phone of the tests, played by its owner, an agent, and what comes from outside."""

from __future__ import annotations

import json
from typing import Any

from pi_gym.phone.handset import act, offered
from pi_gym.phone.installed_apps import load_phone_app
from pi_gym.phone.navigation import Display, Navigation
from pi_gym.phone.phone_desk import Notice, Owner, PhoneContext
from pi_gym.tools import Registry, ToolResult
from pi_gym.tools.declare import Audience
from pi_gym.types import ToolCall
from support.phone_world import phone_world

NOW = "2026-05-04T09:00:00"
OWNER = Owner("Mara Lind", "mara.lind@fastpost.example", "0151 200 10", 1)


class PlayedPhone:
    """One app of the phone. Results are JSON; a call that is refused where it should not be fails the test.

    Args:
        app: the app's name; it is open at its first screen.
    """

    def __init__(self, app: str) -> None:
        self.app, self.world, self.ids = load_phone_app(app), phone_world(), 500_000
        self.navigation = Navigation().opened(app, self.app.root.place())
        self.notices: list[Notice] = []

    def agent(self, name: str, /, **given: Any) -> Any:
        """What an agent's call gives."""
        return self._told(self._run("assistant", name, given))

    def event(self, name: str, /, **given: Any) -> Notice:
        """What an event shows; it must show something."""
        self._told(self._run("event", name, given))
        return self.notices[-1]

    def user(self, name: str, /, **given: Any) -> Any:
        """What an action of the owner gives, on the screen that is shown."""
        return self._told(self._act(f"{self.app.name}__{name}", given))

    def refused(self, audience: Audience, name: str, /, **given: Any) -> str:
        """The reason of a call that is refused; nothing changes."""
        before, shown = self.world.state_hash(), self.navigation
        if audience == "user":
            result = self._act(f"{self.app.name}__{name}", given)
        else:
            result = self._run(audience, name, given)
        assert not result.ok, result.text
        assert (self.world.state_hash(), self.navigation) == (before, shown)
        return result.text

    def back(self) -> None:
        """Go back to the screen before."""
        self._told(self._act("System__go_back", {}), text=True)

    @property
    def screen(self) -> str:
        """The screen that is shown."""
        assert self.navigation.place is not None
        return self.navigation.place.screen

    def rows(self, table: str) -> dict[int, dict[str, Any]]:
        """The rows of a table, by id."""
        return {key: dict(row) for key, row in self.world.apps[self.app.name].table(table).rows()}

    @property
    def state(self) -> str:
        """The hash of the app's tables."""
        return self.world.apps[self.app.name].state_hash()

    def _context(self) -> PhoneContext:
        return PhoneContext(
            self.world, clock=NOW, ids=self.ids, owner=OWNER, display=Display(self.navigation), notices=self.notices
        )

    def _run(self, audience: Audience, name: str, given: dict[str, Any]) -> ToolResult:
        call = ToolCall(f"{self.app.name}__{name}", given)
        return Registry(self.app.offered(audience)).run(call, self._context())

    def _act(self, name: str, given: dict[str, Any]) -> ToolResult:
        context = self._context()
        result = act(ToolCall(name, given), context, offered(self.navigation))
        self.navigation = context.display.navigation
        return result

    @staticmethod
    def _told(result: ToolResult, text: bool = False) -> Any:
        assert result.ok, result.text
        return result.text if text else json.loads(result.text)
