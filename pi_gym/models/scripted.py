"""A model that answers from a script: for tests, and for playing recorded answers again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pi_gym.types import Answer, Ask


class ScriptedModel:
    """Answers asks in the order in which they come, and keeps them.

    Args:
        script: the answers in order, or a function of the ask. Anything but an `Answer` is taken as an answer's value.

    Attributes:
        asks: every ask so far, oldest first.

    >>> model = ScriptedModel(["hello"])
    >>> from pi_gym.types import ModelRequest
    >>> model([Ask("a1", "model", "user", "message", ModelRequest(()))])
    [Answer(value='hello', error='')]
    """

    def __init__(self, script: Iterable[object] | Callable[[Ask], object]) -> None:
        self.asks: list[Ask] = []
        self._function = script if callable(script) else None
        self._left = [] if callable(script) else list(script)

    def __call__(self, asks: Sequence[Ask]) -> list[Answer]:
        """One answer for each ask, in order.

        Raises:
            LookupError: the script is at its end.
        """
        return [self._answer(ask) for ask in asks]

    def _answer(self, ask: Ask) -> Answer:
        self.asks.append(ask)
        if self._function is not None:
            value = self._function(ask)
        elif self._left:
            value = self._left.pop(0)
        else:
            raise LookupError(f"the script has no answer {len(self.asks)}, for ask {ask.id} ({ask.role}, {ask.stage})")
        return value if isinstance(value, Answer) else Answer(value)

    @property
    def stages(self) -> list[str]:
        """The stage of every ask so far."""
        return [ask.stage for ask in self.asks]
