"""An agent that offers whatever it has heard of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import gymnasium as gym

from pi_gym.pare.family import PARE

OFFER = (
    "Shall I take care of all this for you: answer it, note it down, set a reminder, change your calendar, and book,"
    " order or cancel what it asks for?"
)
#: A line of news in a turn's message begins so, and its text stands behind the app's name.
_NEWS = "Notification, "


class EagerAgent:
    """Proposes, whenever news came in, all that it has seen so far at once; what it may do then it does not do.

    It has no privilege: the news are those that every agent is told.
    """

    name = "propose-everything"
    families = (PARE.name,)

    def reset(self, observation: Mapping[str, str], info: Mapping[str, Any], env: gym.Env[Any, Any]) -> None:
        """Take in the news of the opening."""
        self._seen: list[str] = []
        self._told = 0
        self._seen += _news(info)

    def act(self, observation: Mapping[str, str], info: Mapping[str, Any]) -> str:
        """An offer of everything where something is new and no other one is out."""
        if info["steps"]:
            self._seen += _news(info)
        if info["mode"] != "observe" or len(self._seen) == self._told:
            return PARE.idle
        self._told = len(self._seen)
        return " ".join([OFFER, *self._seen])


def _news(info: Mapping[str, Any]) -> Iterator[str]:
    said = (one["content"] for one in info["new_messages"] if one["role"] == "user")
    lines = (line for text in said for line in text.splitlines())
    return (line.partition(": ")[2] for line in lines if line.startswith(_NEWS))


AGENT = EagerAgent
