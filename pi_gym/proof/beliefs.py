"""The beliefs that an agent may have about the user: other values of the hidden parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from pi_gym.baselines.memory import parameter
from pi_gym.packs.pool import PoolIntent
from pi_gym.proof.case import Case
from pi_gym.schema.params import alternatives
from pi_gym.seeding import Stream

MAX_CHOICES = 6
MAX_BELIEFS = 24


def pool(case: Case) -> dict[str, PoolIntent]:
    """The task's intents by name, drawn or not."""
    return {one.name: one for one in case.source.pool}


def drawn(case: Case) -> list[PoolIntent]:
    """The drawn intents, in file order."""
    names = {intent.name for intent in case.task.intents}
    return [one for one in case.source.pool if one.name in names]


def others(case: Case, name: str, most: int) -> list[Any]:
    """Up to `most` different values that the parameter could have had; empty where it has only one."""
    spec, true = parameter(case.pack, case.task, name), case.task.values[name]
    stream = Stream("validate", case.task.id, case.task.variant, name)
    if spec.choices is not None:
        return stream.shuffled([choice for choice in spec.choices if choice != true])[:most]
    found: list[Any] = []
    for _ in range(4 * most):
        value = alternatives(spec, true, stream)
        if value != true and value not in found:
            found.append(value)
        if len(found) == most:
            break
    return found


def flips(case: Case, names: Sequence[str], most: int) -> list[dict[str, Any]]:
    """Wrong beliefs about some parameters: each alone with each of its other values."""
    return [{name: value} for name in names for value in others(case, name, most)]


def secret_names(case: Case) -> list[str]:
    """The hidden parameters that only the user can tell: of drawn `ask` intents, and of no recoverable one."""
    told = {name for one in drawn(case) if not one.asked_only for name in one.values}
    names = (name for one in drawn(case) if one.asked_only for name in one.values)
    return [name for name in dict.fromkeys(names) if name not in told]


def hidden_names(case: Case) -> list[str]:
    """The hidden parameters that the drawn intents stand for, whoever can tell them."""
    return list(dict.fromkeys(name for spec in drawn(case) for name in spec.values))


def combinations(case: Case, names: Sequence[str], most: int = MAX_BELIEFS) -> list[dict[str, Any]]:
    """Beliefs about some parameters, the true one among them but never first.

    All combinations where there are few, else a sample. The first is wrong in every value.

    Args:
        case: the case.
        names: the parameters; those that have only one value are left as they are.
        most: of so many beliefs.
    """
    names = [name for name in names if others(case, name, 1)]
    truth = {name: case.task.values[name] for name in names}
    ranges = [others(case, name, MAX_CHOICES - 1) for name in names]
    if not names:
        return []
    first = {name: values[0] for name, values in zip(names, ranges, strict=True)}
    stream = Stream("validate", case.task.id, case.task.variant, "combinations")
    count = 1
    for values in ranges:
        count *= len(values) + 1
    if count <= 4 * most:
        every = product(*([truth[name], *values] for name, values in zip(names, ranges, strict=True)))
        found = stream.shuffled([dict(zip(names, chosen, strict=True)) for chosen in every])
    else:
        found = [
            {name: stream.choice([truth[name], *values]) for name, values in zip(names, ranges, strict=True)}
            for _ in range(most)
        ]
    rest = [belief for belief in found if belief not in (truth, first)][: most - 2]
    middle = len(rest) // 2
    return [first, *rest[:middle], truth, *rest[middle:]]


def shown(belief: Mapping[str, Any]) -> str:
    """A belief for a finding."""
    return ", ".join(f"{name}={value!r}" for name, value in belief.items())
