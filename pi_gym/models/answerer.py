"""Answering asks of kind "model" with served models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pi_gym.errors import PiGymError
from pi_gym.models.config import ModelConfig
from pi_gym.models.usage import Usage
from pi_gym.session.answerers import Responder
from pi_gym.session.faults import describe_error
from pi_gym.types import Answer, Ask, ModelRequest

# The client, its event loop and its cache are imported once a model is there to be asked.
if TYPE_CHECKING:
    from concurrent.futures import Future

    from pi_gym.models.loop import ModelLoop


class ModelsClosed(PiGymError):
    """The models, or the environment, were closed while somebody waited for an answer."""


class ModelAnswerer:
    """A function of asks that gives their answers, in order, all asked at one time.

    It can be pickled and forked: what it holds is how the models are reached; connections belong to the process.

    Args:
        roles: the model of each role, by the role that asks have ("user", "grader").
        other: answers asks of other roles and kinds; without one their answers are errors.

    Attributes:
        usage: by role, what was asked so far through this object in this process.

    Raises:
        ModelsMissing: a package of the extra `models` is not installed.
        TypeError: a role's model is no `ModelConfig`.
    """

    def __init__(self, roles: Mapping[str, ModelConfig], other: Responder | None = None) -> None:
        from pi_gym.models.http_client import require_client

        for role, config in roles.items():
            if not isinstance(config, ModelConfig):
                raise TypeError(f"{role}: expected a ModelConfig, got {config!r}")
        require_client()
        self.roles, self.other = dict(roles), other
        self._begin()

    def _begin(self) -> None:
        self.usage: dict[str, Usage] = {role: Usage() for role in self.roles}
        self._out: set[Future[list[Answer]]] = set()
        self._closings = 0

    def __call__(self, asks: Sequence[Ask]) -> list[Answer]:
        """Answer a batch, and wait for it; any thread may, also one with a running event loop.

        Raises:
            ModelsClosed: another thread closed the models meanwhile.
        """
        from concurrent.futures import CancelledError

        future = self.submit(asks)
        try:
            return future.result()
        except CancelledError:
            raise ModelsClosed("closed while the answers of models were awaited") from None
        finally:
            future.cancel()  # where it is not done: somebody pressed Ctrl-C

    async def answer(self, asks: Sequence[Ask]) -> list[Answer]:
        """The same for callers with an event loop of their own, which goes on meanwhile."""
        import asyncio

        from pi_gym.models.loop import model_loop

        loop = model_loop()
        if not loop.is_here:
            return await asyncio.wrap_future(self.submit(asks))
        return await self._answers(loop, asks, self._answers_of_others(asks))

    def submit(self, asks: Sequence[Ask]) -> Future[list[Answer]]:
        """Begin with a batch. The answers never raise; the future is cancelled where they are not wanted any more.

        Asks of other roles and kinds are answered before this returns.
        """
        from pi_gym.models.loop import model_loop

        loop, others, closings = model_loop(), self._answers_of_others(asks), self._closings
        future = loop.submit(self._answers(loop, asks, others))
        self._out.add(future)
        future.add_done_callback(self._out.discard)
        if self._closings != closings:  # another thread closed it before the future was among those that it dropped
            future.cancel()
        return future

    def takes(self, ask: Ask) -> bool:
        """Whether a model of this answers the ask."""
        return ask.role in self.roles and isinstance(ask.request, ModelRequest)

    def forget(self, asks: Sequence[Ask]) -> None:
        """Drop the kept answers of asks that nothing could be made of, so that a retry asks again."""
        from pi_gym.models.loop import model_loop

        loop = model_loop()
        for ask in filter(self.takes, asks):
            if loop.is_here:
                self._forget(loop, ask)
            else:
                loop.submit(self._forget_later(loop, ask)).result()

    def snapshot(self) -> dict[str, Usage]:
        """A copy of `usage` as it stands."""
        return {role: replace(usage) for role, usage in self.usage.items()}

    def close(self) -> None:
        """Drop what is awaited, and close the connections that nobody else in this process needs.

        A later use opens them again.
        """
        from pi_gym.models.loop import release

        self._closings += 1
        for future in list(self._out):
            future.cancel()
        release(self)

    def _answers_of_others(self, asks: Sequence[Ask]) -> dict[int, Answer]:
        elsewhere = [place for place, ask in enumerate(asks) if not self.takes(ask)]
        return dict(zip(elsewhere, self._others([asks[place] for place in elsewhere]), strict=True))

    def _others(self, asks: Sequence[Ask]) -> Sequence[Answer]:
        if self.other is not None and asks:
            return self.other(asks)
        return [Answer(error=f"no model answers asks of role {ask.role!r} and kind {ask.kind!r}") for ask in asks]

    async def _answers(self, loop: ModelLoop, asks: Sequence[Ask], others: Mapping[int, Answer]) -> list[Answer]:
        import asyncio

        mine = [place for place in range(len(asks)) if place not in others]
        if len(mine) == 1:  # as most are: a session asks for one thing at a time, and needs no task for it
            found = [await self._answer(loop, asks[mine[0]])]
        else:
            found = await asyncio.gather(*(self._answer(loop, asks[place]) for place in mine))
        answers = {**others, **dict(zip(mine, found, strict=True))}
        return [answers[place] for place in range(len(asks))]

    async def _answer(self, loop: ModelLoop, ask: Ask) -> Answer:
        assert isinstance(ask.request, ModelRequest)
        try:
            client = loop.client(ask.role, self.roles[ask.role], self)
            return await client.answer(ask.request, self.usage[ask.role])
        except Exception as error:  # whatever it is, it is ours: the session ends unscored, and the others go on
            return Answer(error=self.roles[ask.role].hidden(describe_error(error)))

    async def _forget_later(self, loop: ModelLoop, ask: Ask) -> None:
        self._forget(loop, ask)

    def _forget(self, loop: ModelLoop, ask: Ask) -> None:
        assert isinstance(ask.request, ModelRequest)
        loop.client(ask.role, self.roles[ask.role], self).forget(ask.request)

    def __getstate__(self) -> dict[str, Any]:
        return {"roles": self.roles, "other": self.other}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.roles, self.other = state["roles"], state["other"]
        self._begin()
