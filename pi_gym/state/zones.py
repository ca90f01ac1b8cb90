"""Time zones by name, from the data of the `tzdata` package: the same on every machine, whatever the system has."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

from pi_gym.errors import UnknownName, closest


@cache
def zone_names() -> tuple[str, ...]:
    """All names, sorted."""
    return tuple(sorted((files("tzdata") / "zones").read_text(encoding="utf-8").split()))


@cache
def _load(name: str) -> ZoneInfo:
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as data:
        return ZoneInfo.from_file(data, key=name)


def load_zone(name: str) -> ZoneInfo:
    """A zone.

    Raises:
        UnknownName: there is none of this name; the message names the closest.
    """
    if name not in zone_names():
        near = " or ".join(repr(one) for one in closest(name[:80], zone_names(), 2)) or "a name such as 'Europe/Berlin'"
        raise UnknownName(f"Unknown time zone {name[:80]!r}; expected {near}.")
    return _load(name)
