"""The variants that a validation plays, and how far it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from pi_gym.sampling import FIRST_VALIDATION

#: A listener to progress: called with what is done, what there is in all, and what was done last.
Teller: TypeAlias = Callable[[int, int, str], None]

VALIDATION_VARIANTS = 5


def chosen_variants(count: int, first: int = 0) -> tuple[int, ...]:
    """`count` variants from `first`, and where that is 0 some of the validation split.

    >>> chosen_variants(2), chosen_variants(2, 30)
    ((0, 1, 100000, 100001), (30, 31))

    Raises:
        ValueError: `count` is below 1.
    """
    if count < 1:
        raise ValueError(f"variants: expected 1 or more, got {count}")
    more = 0 if first else min(count, VALIDATION_VARIANTS)
    return (*range(first, first + count), *(FIRST_VALIDATION + n for n in range(more)))


class ProgressCount:
    """A count of what is done, for a caller that wants to know.

    Args:
        teller: whom it tells; None: nobody.
        total: what there is to do.
    """

    def __init__(self, teller: Teller | None, total: int) -> None:
        self._teller, self._total, self._done = teller, total, 0

    def __call__(self, label: str) -> None:
        """One more is done."""
        self._done += 1
        if self._teller is not None:
            self._teller(self._done, self._total, label)
