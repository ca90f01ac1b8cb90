"""The waits of a session while it is played."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from pi_gym.errors import PiGymError
from pi_gym.session.answerers import Waiting

POLICY = "policy"
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Move:
    """The policy's next move; the session rests meanwhile.

    Args:
        call: makes it.
        is_async: a call begins nothing, and gives what is to be awaited.
    """

    call: Callable[[], Any]
    is_async: bool = False


@dataclass(frozen=True, slots=True)
class Work:
    """A piece of the session that blocks: a wrapper's reset or step."""

    call: Callable[[], Any]


Wait: TypeAlias = Move | Work | Waiting
#: Sessions as they are played: it yields what it waits for, and is sent the result, or what was raised; and it yields
#: the result of each session as it ends, for which it is sent None.
Play: TypeAlias = Generator[Wait | R, Any, object]


@dataclass(frozen=True, slots=True)
class SessionEnd(Generic[R]):
    """The end of one session.

    Args:
        result: of the session.
        waits: how long it waited each time, in seconds by the wall clock, by what for.
    """

    result: R
    waits: Mapping[str, Sequence[float]]


class SessionTimeout(PiGymError):
    """A session took longer than it may.

    Args:
        timeout_s: how long it may take.
        wait: what it was waiting for.
    """

    def __init__(self, timeout_s: float, wait: Wait) -> None:
        super().__init__(f"the session took longer than {timeout_s:g} s; it was waiting for the {name_of(wait)}")


def name_of(wait: Wait) -> str:
    """The name of what is waited for: "policy", a role, a kind of ask, or "environment" for a wrapper's step."""
    if isinstance(wait, Move):
        return POLICY
    if isinstance(wait, Work):
        return "environment"
    ask = wait.asks[0]
    return ask.role if ask.kind == "model" else {"policy": "spawn"}.get(ask.kind, ask.kind)
