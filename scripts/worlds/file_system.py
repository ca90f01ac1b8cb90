"""The seed world of File System: its accounts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.seeding import Stream


def tables(
    seeds: Mapping[str, Any], people: Mapping[str, Mapping[str, Any]], life: Mapping[str, Any], stream: Stream
) -> dict[str, list[dict[str, Any]]]:
    """The tables of the app; see simple_note."""
    names = ("first_name", "last_name", "email", "phone_number")
    return {
        "accounts": [
            {"id": number, **{name: people[key][name] for name in names}, "password": password}
            for number, (key, password) in enumerate(seeds["accounts"].items(), start=1)
        ]
    }
