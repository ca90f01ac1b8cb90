"""The prices of models' tokens, and what was spent."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from pi_gym.errors import BadArgument
from pi_gym.models.usage import Usage

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a model, in any currency.

    Args:
        prompt: of a million tokens that it is sent; `completion` of a million that it writes.
    """

    prompt: float
    completion: float

    def of(self, usage: Usage) -> float:
        """The cost of what was asked; kept answers have no tokens, and cost nothing."""
        return (usage.prompt_tokens * self.prompt + usage.completion_tokens * self.completion) / _MILLION

    def to_json(self) -> dict[str, float]:
        """The price as a JSON object."""
        return {"in": self.prompt, "out": self.completion}


def read_prices(texts: Sequence[str]) -> dict[str, tuple[float, float]]:
    """The prices that "MODEL=IN,OUT" texts say, by model.

    >>> read_prices(["small=0.5,1.5"])
    {'small': (0.5, 1.5)}

    Raises:
        BadArgument: one has another form, or names a model twice.
    """
    found: dict[str, tuple[float, float]] = {}
    for text in texts:
        model, _, amounts = text.rpartition("=")
        try:
            prompt, completion = map(float, amounts.split(","))
        except ValueError:
            prompt = completion = math.nan
        if not model or not (math.isfinite(prompt) and math.isfinite(completion)):
            raise BadArgument(f"price: expected MODEL=IN,OUT, money for a million tokens in and out, got {text!r}")
        if model in found:
            raise BadArgument(f"price: {model!r} is given twice")
        found[model] = prompt, completion
    return found


def as_prices(given: Mapping[str, Any]) -> dict[str, Price]:
    """Prices by model, given as pairs of numbers or as JSON objects.

    Raises:
        BadArgument: one is no pair of numbers of 0 or more.
    """
    found = {}
    for model, value in given.items():
        pair = (value.get("in"), value.get("out")) if isinstance(value, Mapping) else value
        numbers = pair if isinstance(pair, Sequence) and not isinstance(pair, str) else ()
        if len(numbers) != 2 or not all(
            isinstance(one, int | float) and not isinstance(one, bool) and 0 <= one < math.inf for one in numbers
        ):
            raise BadArgument(f"prices: {model}: expected two numbers of 0 or more, tokens in and out, got {value!r}")
        found[str(model)] = Price(float(numbers[0]), float(numbers[1]))
    return found


def cost(models: Mapping[str, Usage], prices: Mapping[str, Price]) -> float | None:
    """The cost of what models were asked.

    Args:
        models: by role.
        prices: by role.

    Returns:
        None where a role that was sent tokens has no price.
    """
    used = {role: usage for role, usage in models.items() if usage.prompt_tokens or usage.completion_tokens}
    if any(role not in prices for role in used):
        return None
    return fsum(prices[role].of(usage) for role, usage in used.items())
