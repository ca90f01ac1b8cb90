"""The play of a session in threads, from an event loop that has others to serve."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from pi_gym.adapters.result_summary import summary_of
from pi_gym.adapters.session_play import SessionPlay, finish, single_session_env
from pi_gym.adapters.session_row import SessionRow
from pi_gym.adapters.threaded_steps import ResultT, ThreadedSteps
from pi_gym.env import SessionEnv

_MAKING = threading.Lock()


class ThreadedPlay:
    """The play of one session by `ThreadedSteps`; after a step that raised, those that follow raise the same.

    Args:
        env_id: a registered environment.
        env_kwargs: its arguments beside its id's.
    """

    def __init__(self, env_id: str, env_kwargs: Mapping[str, Any]) -> None:
        self._env_id, self._env_kwargs = env_id, env_kwargs
        self._play: SessionPlay | None = None
        self._steps = ThreadedSteps()

    @property
    def over(self) -> bool:
        """Whether the session is over."""
        return self._opened.over

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The function schemas of the tools that it offers."""
        return self._opened.tools

    @property
    def _opened(self) -> SessionPlay:
        if self._play is None:
            raise RuntimeError("the session was not opened")
        return self._play

    async def open(self, row: SessionRow, agent: str) -> list[dict[str, Any]]:
        """Open the session.

        Args:
            row: names it.
            agent: who plays, for the record.

        Returns:
            The opening messages in OpenAI's format.
        """

        def opened() -> list[dict[str, Any]]:
            play = SessionPlay(base_of(self._env_id, self._env_kwargs).twin())
            messages = play.open(row, agent=agent)
            self._play = play
            return messages

        return await self._in_thread(opened)

    async def act(self, message: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Take the model's message as an action; gives the messages that follow it."""
        return await self._in_thread(self._opened.act, message)

    async def finish(self) -> dict[str, Any]:
        """End the session, cut short and graded as things stand where it is open; gives the summary of its result.

        Raises:
            what a step raised that nobody waited for: then there is no result.
        """

        def finished() -> dict[str, Any]:
            (result,) = finish([self._opened])
            return summary_of(result, base_of(self._env_id, self._env_kwargs).family)

        return await self._in_thread(finished)

    async def _in_thread(self, function: Callable[..., ResultT], *given: Any) -> ResultT:
        before = self._steps.last

        def stepped() -> ResultT:
            if before is not None:
                before.result()
            return function(*given)

        return await self._steps.run(stepped)


def base_of(env_id: str, env_kwargs: Mapping[str, Any]) -> SessionEnv:
    """The environment of these arguments, one in the process: sessions are played in its twins.

    Args:
        env_id: a registered environment.
        env_kwargs: its arguments beside its id's, values of JSON.

    Raises:
        UnknownName: no such environment.
        BadArgument: (a ValueError) an argument that it does not take.
    """
    with _MAKING:
        return _base(env_id, json.dumps(env_kwargs, sort_keys=True))


@lru_cache(maxsize=8)
def _base(env_id: str, env_kwargs: str) -> SessionEnv:
    return single_session_env(env_id, json.loads(env_kwargs))
