"""The desk of a phone's app: its tables, the screen that is shown, and what goes out as a notification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pi_gym.apps.desk import TableApp, TableDesk
from pi_gym.phone.navigation import BACK, ROOT, Display
from pi_gym.tools.declare import ToolContext
from pi_gym.types import frozen_value


@dataclass(frozen=True, slots=True)
class Owner:
    """The person whose phone it is.

    Args:
        name: the full name.
        email: the address of the mail app.
        phone: the number.
        contact_id: the row of the contacts that is the person's own card.
    """

    name: str = ""
    email: str = ""
    phone: str = ""
    contact_id: int = 0


@dataclass(frozen=True, slots=True)
class Notice:
    """The news of an event as the phone shows it.

    Args:
        app: the app that it is from.
        short: the line that the person sees on the screen.
        whole: what the agent is told.
    """

    app: str
    short: str
    whole: str


@frozen_value
class PhoneContext(ToolContext):
    """The context of a call on the phone.

    Args:
        owner: whose phone it is.
        display: what is shown; actions of the user lead on from there.
        notices: what the call brings up on the screen; `PhoneDesk.notify` appends.
    """

    owner: Owner = Owner()
    display: Display = field(default_factory=Display)
    notices: list[Notice] = field(default_factory=list)


class PhoneDesk(TableDesk):
    """The access of one operation of a phone's app: tables, time, owner, screens, notifications.

    Args:
        app: the app.
        context: the call's context.
        writable: whether the operation is declared to change the world.
        goto: the screens that the operation may lead to.
    """

    __slots__ = ("_goto", "phone")

    def __init__(self, app: TableApp, context: PhoneContext, writable: bool, goto: tuple[str, ...]) -> None:
        super().__init__(app, context, writable)
        self.phone, self._goto = context, goto

    @property
    def owner(self) -> Owner:
        """The person whose phone it is."""
        return self.phone.owner

    @property
    def shown(self) -> Mapping[str, Any]:
        """The memory of the screen on which a user's action is made."""
        return self.phone.display.holds

    def show(self, screen: str, **holds: Any) -> None:
        """Lead to a screen; from there `go_back` leads to the present one."""
        self._require(screen)
        self.phone.display.show(screen, holds)

    def revise(self, **holds: Any) -> None:
        """Let the present screen remember something else, such as a draft that changes; it stays the present one."""
        self.phone.display.revise(holds)

    def leave(self) -> None:
        """Lead to the screen before this one."""
        self._require(BACK)
        self.phone.display.go_back()

    def close(self) -> None:
        """Lead to the app's first screen, from which nothing leads back."""
        self._require(ROOT)
        self.phone.display.close()

    def notify(self, short: str, whole: str) -> None:
        """Bring something up on the screen; see `Notice`."""
        self.phone.notices.append(Notice(self.app.name, short, whole))

    def _require(self, lead: str) -> None:
        if lead not in self._goto:
            raise RuntimeError(f"an operation of {self.app.name} leads to {lead!r}, which its goto does not name")
