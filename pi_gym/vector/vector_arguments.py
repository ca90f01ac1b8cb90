"""The arguments of a vector environment for each of its sessions: seeds, options, the reset mask, actions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Mask: TypeAlias = NDArray[np.bool_]
Seeds: TypeAlias = int | Sequence[int | None] | None

RESET_MASK = "reset_mask"


def seeds_of(seed: Seeds, count: int) -> list[int | None]:
    """The seed of each session: `seed + i` where one number is given.

    Raises:
        ValueError: a list of another length.
    """
    if seed is None:
        return [None] * count
    if isinstance(seed, int | np.integer):
        return [int(seed) + place for place in range(count)]
    seeds = list(seed)
    if len(seeds) != count:
        raise ValueError(f"seed: expected None, a number, or a list of {count}, one for each session; got {len(seeds)}")
    return [None if one is None else int(one) for one in seeds]


def mask_of(options: Mapping[str, Any] | None, count: int) -> Mask | None:
    """The reset mask in the options; None where there is none.

    Raises:
        TypeError, ValueError: it is no array of one bool for each session with a True among them.
    """
    if not isinstance(options, Mapping) or RESET_MASK not in options:
        return None
    mask = options[RESET_MASK]
    name = f"options[{RESET_MASK!r}]"
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        kind = f"an array of {mask.dtype}" if isinstance(mask, np.ndarray) else repr(mask)
        raise TypeError(f"{name}: expected a numpy array of bools, such as `terminated | truncated`; got {kind}")
    if mask.shape != (count,):
        raise ValueError(f"{name}: expected the shape ({count},), one for each session; got {mask.shape}")
    if not mask.any():
        raise ValueError(f"{name}: expected at least one True; leave `reset` out where no session is to be reset")
    return mask


def options_of(options: Mapping[str, Any] | None, count: int) -> list[dict[str, Any] | None]:
    """The options of each session: a list, tuple or array holds one value for each, any other value is for all.

    The reset mask is none of them.

    Raises:
        TypeError: they are no mapping.
        ValueError: a list of another length.
    """
    if options is None:
        return [None] * count
    if not isinstance(options, Mapping):
        raise TypeError(f"options: expected a mapping such as {{'task': …, 'variant': …}}, got {options!r}")
    columns = {name: _column(name, value, count) for name, value in options.items() if name != RESET_MASK}
    return [{name: column[place] for name, column in columns.items()} for place in range(count)]


def _column(name: str, value: Any, count: int) -> list[Any]:
    if isinstance(value, np.ndarray):
        value = value.tolist()  # of an array without dimensions this is the value itself
    if not isinstance(value, list | tuple):
        return [value] * count
    if len(value) != count:
        raise ValueError(
            f"options[{name!r}]: expected one value for all sessions, or a list of {count}, one for each;"
            f" got a list of {len(value)}"
        )
    return list(value)


def actions_of(actions: Iterable[Any], count: int) -> list[Any]:
    """The action of each session.

    Raises:
        TypeError: it is one action, or nothing that has several.
        ValueError: there are not as many as there are sessions.
    """
    if isinstance(actions, str | bytes | Mapping) or not isinstance(actions, Iterable):
        raise TypeError(f"actions: expected a list or tuple of {count}, one for each session; got {actions!r:.200}")
    found = list(actions)
    if len(found) != count:
        raise ValueError(f"actions: expected {count}, one for each session; got {len(found)}")
    return found
