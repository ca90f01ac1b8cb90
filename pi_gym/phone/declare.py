"""Declaring an app of the phone: its tables, its screens, and one decorator for whoever may do something in it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pi_gym.apps.columns import TableSpec
from pi_gym.apps.declare import SEPARATOR
from pi_gym.apps.operation_results import fitted
from pi_gym.phone.navigation import BACK, ROOT, ShownScreen
from pi_gym.phone.phone_desk import PhoneContext, PhoneDesk
from pi_gym.state.tables import Database, Row, Table
from pi_gym.tools.declare import Audience, Effect, Operation

PhoneWork: TypeAlias = Callable[..., Any]
AGENT: tuple[Audience, ...] = ("assistant",)
USER: tuple[Audience, ...] = ("user",)
EVENT: tuple[Audience, ...] = ("event",)


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen of an app.

    Args:
        name: unique in the app.
        holds: what it remembers, by name, with the value where nothing was said of it; None: whoever leads to it says.
    """

    name: str
    holds: Mapping[str, Any] = field(default_factory=dict)

    def place(self) -> ShownScreen:
        """The screen as it is shown where nothing was said of it."""
        return ShownScreen(self.name, dict(self.holds))


class PhoneOperation(Operation):
    """An operation of an app of the phone.

    Args:
        app: the name of the app.
        function, name, effect, audience, screens, goto: as in `Operation`.
    """

    __slots__ = ("app",)

    def __init__(
        self,
        app: str,
        function: Callable[..., str],
        name: str,
        effect: Effect,
        audience: tuple[Audience, ...],
        screens: tuple[str, ...],
        goto: tuple[str, ...],
    ) -> None:
        super().__init__(function, name, effect, audience, screens, goto)
        self.app = app

    def __reduce__(self) -> tuple[Any, ...]:
        # One function may be several operations, so where it stands does not say which one it is.
        return _find, (self.app, self.audience[0], self.screens[0] if self.screens else "", self.name)


def _find(app: str, audience: Audience, screen: str, name: str) -> PhoneOperation:
    from pi_gym.phone.installed_apps import load_phone_app

    return next(one for one in load_phone_app(app).offered(audience, screen) if one.name == name)


class PhoneApp:
    """An app of the phone: tables, screens, and the operations of its owner, of an agent, and from outside.

    Args:
        name: as it stands in the names of operations ("Emails").
        title: its name in sentences.
        about: a paragraph on what it does, for the documentation.
        tables: its tables by name.
        screens: its screens; the first is the one that opens with the app. Without any, its owner cannot open it.
    """

    def __init__(
        self, name: str, title: str, about: str, tables: Mapping[str, TableSpec], screens: Sequence[Screen] = ()
    ) -> None:
        self.name, self.title, self.about, self.tables = name, title, about, tables
        self.screens: Mapping[str, Screen] = {screen.name: screen for screen in screens}
        self._declared: dict[tuple[Audience, str, str], PhoneOperation] = {}

    @property
    def root(self) -> Screen:
        """The first screen; StopIteration where the app has none."""
        return next(iter(self.screens.values()))

    def operation(
        self,
        effect: Effect,
        audience: tuple[Audience, ...] = AGENT,
        *,
        on: str | tuple[str, ...] = (),
        goto: str | tuple[str, ...] = (),
        name: str = "",
    ) -> Callable[[PhoneWork | PhoneOperation], PhoneOperation]:
        """Declare a function as an operation named `<App>__<function>`.

        The function's first parameter is the `PhoneDesk`; the others are the caller's, typed, each described under
        `Args:` in the docstring, whose text before that is the description. It returns a JSON value, a str being short
        for `{"message": …}`, or raises `ToolError` with what to do. Over another declaration it declares the same
        function for somebody else, too.

        Args:
            effect: "write" where it changes the world; a "read" that changes something raises.
            audience: who may call it.
            on: of a user's action, the screens that offer it.
            goto: of a user's action, the screens that it may lead to; "back" and "root" are the one before, the first.
            name: where it is not the function's own: on two screens an action of one name may do different things.

        Raises:
            ValueError: two operations of one audience and screen have one name, or a screen does not exist.
        """
        screens = (on,) if isinstance(on, str) else on
        leads = (goto,) if isinstance(goto, str) else goto

        def declare(given: PhoneWork | PhoneOperation) -> PhoneOperation:
            function = given.function.__wrapped__ if isinstance(given, PhoneOperation) else given  # type: ignore[attr-defined]
            called = f"{self.name}{SEPARATOR}{name or function.__name__}"
            unknown = {*screens, *leads} - {*self.screens, BACK, ROOT}
            if unknown:
                raise ValueError(f"{called}: {self.name} has no screen {min(unknown)!r}")
            if bool(screens) != ("user" in audience):
                raise ValueError(f"{called}: actions of the user, and no others, stand on screens")
            run = self._runner(function, effect, leads)
            declared = PhoneOperation(self.name, run, called, effect, audience, screens, leads)
            for party in audience:
                for screen in screens or ("",):
                    key = (party, screen, called)
                    if key in self._declared:
                        raise ValueError(
                            f"two operations for {party!r} on {screen or 'no screen'} are named {called!r}"
                        )
                    self._declared[key] = declared
            return declared

        return declare

    def offered(self, audience: Audience, screen: str = "") -> Iterator[PhoneOperation]:
        """The operations of an audience, those of the user on one screen, by name."""
        for key in sorted(self._declared):
            if key[:2] == (audience, screen):
                yield self._declared[key]

    @property
    def operations(self) -> tuple[PhoneOperation, ...]:
        """All operations, by audience, screen and name; one that stands on several screens once."""
        return tuple(dict.fromkeys(self._declared[key] for key in sorted(self._declared)))

    def _runner(self, function: PhoneWork, effect: Effect, goto: tuple[str, ...]) -> Callable[..., str]:
        writable = effect == "write"

        @functools.wraps(function)  # signature, docstring and place are the function's: the schema comes from them
        def run(context: PhoneContext, **given: Any) -> str:
            result = function(PhoneDesk(self, context, writable, goto), **given)
            return fitted({"message": result} if isinstance(result, str) else result)

        return run

    def database(self, seeds: Mapping[str, Mapping[int, Row]]) -> Database:
        """The app's tables over seed rows.

        Args:
            seeds: rows by table and id; they are shared, so they must never change.
        """
        return Database({name: Table(seeds.get(name, {})) for name in self.tables})

    def __repr__(self) -> str:
        return f"<phone app {self.name}, {len(self.operations)} operations>"
