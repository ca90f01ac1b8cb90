"""The text space of observations and actions.

Gymnasium's `Text` enumerates a character set: Unicode does not fit into it, and shared-memory vector environments
corrupt its subclasses silently. A direct `Space[str]` subclass has neither problem.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from gymnasium.spaces import Space

_LETTERS = "abcdefghijklmnopqrstuvwxyz      "


class Unicode(Space[str]):
    """All Unicode strings without lone surrogates, of any length.

    `sample()` gives short texts over a small alphabet; as an action that is a plain reply, and is always valid.

    Args:
        seed: seed of the sampler.
    """

    def __init__(self, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(shape=None, dtype=None, seed=seed)

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> str:
        """A random text of up to 32 characters; masks have no meaning here and are refused."""
        if mask is not None or probability is not None:
            raise ValueError("Unicode.sample takes neither a mask nor probabilities")
        length = int(self.np_random.integers(1, 33))
        return "".join(_LETTERS[i] for i in self.np_random.integers(0, len(_LETTERS), size=length))

    def contains(self, x: Any) -> bool:
        """Whether x is a string that can be encoded as UTF-8."""
        if not isinstance(x, str):
            return False
        try:
            x.encode()
        except UnicodeEncodeError:
            return False
        return True

    def to_jsonable(self, sample_n: Iterable[str]) -> list[str]:
        """The samples as they are: JSON holds strings."""
        return list(sample_n)

    def from_jsonable(self, sample_n: Iterable[str]) -> list[str]:
        """The samples as they are."""
        return list(sample_n)

    @property
    def is_np_flattenable(self) -> bool:
        """Whether values have an array form: a text of any length has none."""
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unicode)

    def __hash__(self) -> int:
        # A constant is right: every instance equals every other.
        return 7

    def __repr__(self) -> str:
        return "Unicode()"
