"""The infos of many sessions as one: column by column what Gymnasium's vector environments build value by value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Gymnasium keeps the observation that a reset replaces as it is.
FINAL_OBS = "final_obs"
#: The types of values that have arrays of their own type.
_NUMBERS = (int, float, bool)


def batch_infos(
    places: Sequence[int] | NDArray[np.intp], infos: Sequence[Mapping[str, Any]], count: int
) -> dict[str, Any]:
    """The infos of some sessions in one dict, as `gymnasium.vector.VectorEnv` has it.

    Each key holds an array of one value for each session, or for a dict such a dict in turn; beside it `_key` says
    which sessions have one. Numbers and bools are arrays of their type, everything else is an array of objects. Where
    sessions give values of different types the array is one of objects, so that none is changed.

    Args:
        places: the sessions' numbers, ascending; length K.
        infos: the info of each of them; length K.
        count: the number of sessions in all.
    """
    index = np.array(places, dtype=np.intp)
    mask = _mask(index, count)
    names = infos[0].keys() if infos else ()
    alike = all(info.keys() == names for info in infos)
    batch: dict[str, Any] = {}
    for name in names if alike else dict.fromkeys(name for info in infos for name in info):
        if alike:
            values, own, having = [info[name] for info in infos], index, mask.copy()
        else:
            numbers = [number for number, info in enumerate(infos) if name in info]
            values, own = [infos[number][name] for number in numbers], index[numbers]
            having = _mask(own, count)
        if isinstance(values[0], dict) and name != FINAL_OBS:
            batch[name] = batch_infos(own, values, count)
        else:
            batch[name] = _column(own, values, count, object if name == FINAL_OBS else type(values[0]))
        batch[f"_{name}"] = having
    return batch


def _mask(index: NDArray[np.intp], count: int) -> NDArray[np.bool_]:
    mask = np.zeros(count, dtype=np.bool_)
    mask[index] = True
    return mask


def _column(index: NDArray[np.intp], values: Sequence[Any], count: int, kind: type) -> NDArray[Any]:
    if kind not in _NUMBERS or set(map(type, values)) != {kind}:
        kind = object
    found: NDArray[Any] = np.fromiter(values, kind, len(values))
    if len(values) == count:
        return found
    column = np.full(count, None, dtype=object) if kind is object else np.zeros(count, dtype=kind)
    column[index] = found
    return column
