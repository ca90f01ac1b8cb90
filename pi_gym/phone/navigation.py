"""The place where one is on a phone: the home screen or an app, and in each open app its screens, one over another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

#: A lead to the screen before, and one to the app's first screen.
BACK, ROOT = "back", "root"


@dataclass(frozen=True, slots=True)
class ShownScreen:
    """A screen as it is shown.

    Args:
        screen: its name.
        holds: what it remembers, by name: the mail that is open, the draft that is being written.
    """

    screen: str
    holds: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Navigation:
    """The screens of a phone; immutable.

    Args:
        active: the app that is shown; "" on the home screen.
        stacks: of each app that was opened, its screens from the first to the one that is shown.
    """

    active: str = ""
    stacks: Mapping[str, tuple[ShownScreen, ...]] = field(default_factory=dict)

    @property
    def place(self) -> ShownScreen | None:
        """The screen that is shown; None on the home screen."""
        return self.stacks[self.active][-1] if self.active else None

    @property
    def can_go_back(self) -> bool:
        """Whether there is a screen below the one that is shown."""
        return bool(self.active) and len(self.stacks[self.active]) > 1

    def home(self) -> Navigation:
        """The home screen; the apps stay open as they are."""
        return replace(self, active="")

    def opened(self, app: str, first: ShownScreen) -> Navigation:
        """An app, opened anew at its first screen."""
        return Navigation(app, {**self.stacks, app: (first,)})

    def switched(self, app: str) -> Navigation:
        """An app that is open, as it was left; KeyError where it is not open."""
        _ = self.stacks[app]
        return replace(self, active=app)

    def with_stack(self, stack: tuple[ShownScreen, ...]) -> Navigation:
        """The app that is shown with other screens."""
        return Navigation(self.active, {**self.stacks, self.active: stack})


class Display:
    """The display of a phone during one action: it leads on from where the phone was.

    Args:
        navigation: where that is; afterwards, where the action led.
    """

    __slots__ = ("navigation",)

    def __init__(self, navigation: Navigation = Navigation()) -> None:
        self.navigation = navigation

    @property
    def holds(self) -> Mapping[str, Any]:
        """The memory of the screen that is shown; nothing on the home screen."""
        place = self.navigation.place
        return {} if place is None else place.holds

    @property
    def _stack(self) -> tuple[ShownScreen, ...]:
        return self.navigation.stacks[self.navigation.active]

    def show(self, screen: str, holds: Mapping[str, Any]) -> None:
        """Put a screen over the present one."""
        self.navigation = self.navigation.with_stack((*self._stack, ShownScreen(screen, holds)))

    def revise(self, holds: Mapping[str, Any]) -> None:
        """Let the present screen remember other things beside what it does."""
        *below, top = self._stack
        self.navigation = self.navigation.with_stack((*below, ShownScreen(top.screen, {**top.holds, **holds})))

    def go_back(self) -> None:
        """Take the present screen away; the first one of an app stays."""
        if self.navigation.can_go_back:
            self.navigation = self.navigation.with_stack(self._stack[:-1])

    def close(self) -> None:
        """Take all screens of the app away but the first."""
        self.navigation = self.navigation.with_stack(self._stack[:1])
