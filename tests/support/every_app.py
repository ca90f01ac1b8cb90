"""All apps of a pack in one world, and arguments for any of their operations, taken from what the apps themselves show.

What read operations show is gathered as an agent would gather it: a `product_id` in one result is an argument for the
next call. So nothing here knows the seeds, and little the apps.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache
from itertools import islice, product, zip_longest
from typing import Any, Literal, get_args, get_origin

import pytest

from pi_gym import load_pack
from pi_gym.apps import SIGNED_IN, app_names, load_app
from pi_gym.packs import Pack
from pi_gym.tools import Operation, ToolContext
from pi_gym.tools.parameters import REQUIRED, Parameter

from .apps import app_context, call_tool, done, notes_pack

ABSENT_ID = 99_999
ROUNDS = 3
CANDIDATES = 12
TEXTS: dict[str, Any] = {
    "source_file_path": "~/bills/may.csv",
    "destination_file_path": "~/bills/copy.csv",
    "source_directory_path": "~/bills",
    "destination_directory_path": "~/old",
    "file_path": "~/bills/new.csv",
    "directory_path": "~/new",
    "receipt_file_path": "~/bills/may.csv",
    "attachment_file_paths": ["~/bills/may.csv"],
    "time": "07:30",
    "due_date": "2027-03-09",
    "label": "a label",
    "position": 0,
}
"""Arguments that are no word of a result, by parameter."""
SPECIAL: dict[str, dict[str, Any]] = {
    "file_system__create_file": {"overwrite": True},
    "gmail__signup": {"email": "new.person@else.example", "password": "a-long-enough-one"},
    "gmail__send_email": {"subject": "Rye"},
    "gmail__reply_to_email": {"body": "Rye."},
    "phone__add_contact": {"phone_number": "5550190071"},
}
"""Arguments that must not be found in a result, by operation."""
ONE_OF = {"spotify__add_to_queue": "song_id", "spotify__play_music": "song_id"}
"""An argument of which, or of others in its place, one is needed."""
BEFORE: dict[str, dict[str, dict[str, Any]]] = {
    "spotify__previous_song": {"spotify__add_to_queue": {"album_id": 1}, "spotify__play_music": {"queue_position": 1}},
}
"""Calls that must come before an operation, where no single write makes it possible."""
CHANGED = ("title", "name", "content", "description", "subject", "label", "first_name", "text")
"""Columns that an update may change, where it requires none."""
FILES = {"bills/may.csv": b"item,price\nrye,3.50\n"}


def accounts(pack: Pack) -> dict[str, dict[str, str]]:
    """The arguments of `login` by app: the persona's accounts; where one is not listed, the app's first."""
    listed = {one.app: {"username": one.username, "password": one.password} for one in pack.persona.accounts}
    for app in landed(pack):
        if app not in listed:
            row = next(iter(pack.app_seeds.rows(app)["accounts"].values()))
            listed[app] = {"username": row[load_app(app).username], "password": row["password"]}
    return {app: listed[app] for app in landed(pack)}


def landed(pack: Pack) -> list[str]:
    """The apps that a pack has accounts in."""
    return [app for app in app_names() if (pack.folder / "apps" / f"{app}.json").is_file()]


class AllApps:
    """One world with every app of a pack, signed in everywhere, and what reading it shows.

    Args:
        pack: the pack whose seed worlds it has.
    """

    def __init__(self, pack: Pack) -> None:
        self.accounts = accounts(pack)
        self.closed = app_context(*self.accounts, pack=pack)
        """The world in which nobody has signed in yet."""
        for path, data in FILES.items():
            self.closed.workspace.write(path, data)
        self.context = forked(self.closed)
        for app, account in self.accounts.items():
            done(self.context, f"{app}__login", **account)
        self._shown: dict[str, dict[str, list[dict[str, Any]]]] = {app: {} for app in self.accounts}
        self._known: dict[str, list[dict[str, Any]]] = {}
        self._read_all()
        for app in self.accounts:
            self._shown[app][""] = self._unlisted(app)
        self._known.clear()

    def _unlisted(self, app: str) -> list[dict[str, Any]]:
        """Ids that no operation lists, of records that belong to the account."""
        tables, database = load_app(app).tables, self.context.world.apps[app]
        mine = database.table(SIGNED_IN).get(1)
        assert mine is not None
        return [
            {f"{spec.noun}_id": key}
            for name, spec in tables.items()
            for key, row in database.table(name).rows()
            if spec.owner and row[spec.owner] == mine["account"]
        ]

    def _read_all(self) -> None:
        """Read what there is, so often that what one result shows leads to the next."""
        seen: set[str] = set()
        for _ in range(ROUNDS):
            self._known.clear()
            for operation in self.operations("read"):
                for arguments in self.arguments(operation)[:3]:
                    key = json.dumps([operation.name, arguments])
                    if key not in seen:
                        seen.add(key)
                        result = call_tool(self.context, operation.name, **arguments)
                        if result.ok:
                            found = self._shown[app_of(operation)].setdefault(operation.name, [])
                            found += objects(json.loads(result.text), {})

    def operations(self, effect: str = "") -> list[Operation]:
        """The operations of all apps, or those with an effect."""
        found = [one for app in self.accounts for one in load_app(app).operations]
        return [one for one in found if effect in ("", one.effect)]

    def arguments(self, operation: Operation) -> list[dict[str, Any]]:
        """Arguments with which a call may succeed: only the required ones, from what was shown; the likeliest first."""
        if operation.name not in self._known:
            self._known[operation.name] = self._special(operation)
        return [dict(one) for one in self._known[operation.name]]

    def _special(self, operation: Operation) -> list[dict[str, Any]]:
        app, _, name = operation.name.partition("__")
        special = self.accounts[app] if name == "login" else SPECIAL.get(operation.name, {})
        if name.startswith("update_"):
            text = next((one for one in operation.parameters if one.name in CHANGED), None)
            special = {text.name: plain(text), **special} if text else special
        return [{**one, **special} for one in self._required(operation)]

    def _required(self, operation: Operation) -> list[dict[str, Any]]:
        extra = ONE_OF.get(operation.name, "")
        needed = [one for one in operation.parameters if one.default is REQUIRED or one.name == extra]
        if not any(taken(one.name) for one in needed):
            return [{one.name: plain(one) for one in needed}]
        # In turns, so that no long list hides what another operation shows.
        turns = zip_longest(*self._shown[app_of(operation)].values(), fillvalue={})
        objects = [shown for turn in turns for shown in turn]
        together = [{one.name: value_of(one, shown) for one in needed} for shown in objects]
        found = each_once(given for given in together if None not in given.values())[:CANDIDATES]
        # Where it needs things that no single result has, or different ones: each from any.
        pools = {one.name: each_once(given[one.name] for given in together) for one in needed}
        if len(needed) > 1 and all(pools.values()):
            for place in range(CANDIDATES):
                found.append({name: pool[(place + at) % len(pool)] for at, (name, pool) in enumerate(pools.items())})
            found += [dict(zip(pools, one, strict=True)) for one in islice(product(*pools.values()), CANDIDATES)]
        return each_once(found)

    def working(self, operation: Operation, context: ToolContext) -> dict[str, Any] | None:
        """Arguments with which the operation changes something, or for a read shows something; None without any."""
        before = context.world.state_hash()
        for arguments in self.arguments(operation):
            fork = forked(context)
            worked = call_tool(fork, operation.name, **arguments).ok
            if worked and (operation.effect == "read" or fork.world.state_hash() != before):
                return arguments
        return None

    def possible(self, operation: Operation) -> tuple[ToolContext, dict[str, Any]]:
        """A context in which the operation works, and arguments for it.

        Some need what another write makes first: a song in the queue, a product in the cart.
        """
        start = forked(self.context)
        for name, given in BEFORE.get(operation.name, {}).items():
            done(start, name, **given)
        here = self.working(operation, start)
        if here is not None:
            return start, here
        others = [one for one in self.operations("write") if app_of(one) == app_of(operation)]
        for other in [one for one in others if not one.name.endswith(("__login", "__logout"))]:
            arguments = self.working(other, self.context)
            if arguments is not None:
                prepared = forked(self.context)
                done(prepared, other.name, **arguments)
                then = self.working(operation, prepared)
                if then is not None:
                    return prepared, then
        raise AssertionError(f"no arguments let {operation.name} work")


PACKS: dict[str, Callable[[], Pack]] = {"notes": notes_pack, "researcher": lambda: load_pack("researcher")}


@cache
def all_apps(pack: str) -> AllApps:
    """All apps of one of `PACKS`; shared by all tests, so work on forks of it."""
    return AllApps(PACKS[pack]())


def app_in_world(pack: str, app: str) -> AllApps:
    """The same, where the pack has this app; otherwise the test is skipped."""
    found = all_apps(pack)
    if app not in found.accounts:
        pytest.skip(f"{app} has no seed world in the pack {pack}")
    return found


def forked(context: ToolContext) -> ToolContext:
    """A context of its own over the same state."""
    return ToolContext(context.world.fork(), context.root, context.clock, context.protected, context.ids)


def app_of(operation: Operation) -> str:
    """The app that an operation belongs to."""
    return operation.name.partition("__")[0]


def objects(value: Any, around: dict[str, Any]) -> list[dict[str, Any]]:
    """The JSON objects in a result, innermost first, each with the scalars of those around it."""
    if isinstance(value, list):
        return [found for one in value for found in objects(one, around)]
    if not isinstance(value, dict):
        return []
    whole = {**around, **{key: one for key, one in value.items() if isinstance(one, str | int | float)}}
    return [*(found for one in value.values() for found in objects(one, whole)), whole]


def each_once(values: Iterable[Any]) -> list[Any]:
    """The values that are not None, each once, in their order."""
    found: list[Any] = []
    for value in values:
        if value is not None and value not in found:
            found.append(value)
    return found


def taken(name: str) -> bool:
    """Whether a parameter's values have to be taken from what apps show."""
    return name.endswith(("_id", "email", "email_address", "emails", "addresses", "phone_number"))


def value_of(parameter: Parameter, shown: dict[str, Any]) -> Any:
    """A value for a parameter from a shown object; None where it has none."""
    if not taken(parameter.name) or parameter.name in TEXTS:
        return plain(parameter)
    many = get_origin(parameter.type) is list
    words = (parameter.name.replace("addresses", "address").removesuffix("s") if many else parameter.name).split("_")
    keys = ["_".join(words[at:]) for at in range(len(words))]
    if "email" in words and words[-1] != "id":
        keys += ["email", "email_address", "user_email"]
    found = next((shown[key] for key in keys if key in shown), None)
    return [found] if many and found is not None else found


def plain(parameter: Parameter) -> Any:
    """A value of a parameter's type."""
    if parameter.name in TEXTS:
        return TEXTS[parameter.name]
    kind = next((one for one in get_args(parameter.type) if one is not type(None)), None)
    if get_origin(parameter.type) is Literal:
        return get_args(parameter.type)[0]
    if get_origin(parameter.type) is list:
        return []
    kinds: dict[Any, Any] = {str: "rye", int: 1, float: 1.0, bool: True}
    return kinds[kind or parameter.type]
