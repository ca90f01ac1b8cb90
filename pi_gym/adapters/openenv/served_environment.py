"""The environment that OpenEnv's server has for each connection; needs openenv."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import EnvironmentMetadata

from pi_gym.adapters.openenv.connection_guard import DEPARTURE, Departure
from pi_gym.adapters.openenv.served_sessions import ServedSession, ServedSessions
from pi_gym.adapters.openenv.session_messages import ServedState, SessionAction, SessionObservation
from pi_gym.adapters.session_row import SessionRow
from pi_gym.adapters.threaded_steps import ThreadedSteps
from pi_gym.errors import BadArgument, SessionError
from pi_gym.sampling import SPLITS
from pi_gym.version import __version__

DESCRIPTION = "Sessions in which an assistant works for a simulated user, by conversation and tools, and is scored."


class ServedEnvironment(Environment):  # type: ignore[misc]  # openenv is not there where types are checked
    """One session at a time, for one client.

    Args:
        sessions: opens them.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, sessions: ServedSessions) -> None:
        super().__init__()
        self._sessions = sessions
        self._session: ServedSession | None = None
        self._departure: Departure | None = None
        self._episode_id: str | None = None
        self._steps = ThreadedSteps()

    async def reset_async(self, seed: int | None = None, episode_id: str | None = None, **named: Any) -> Any:
        """As `reset`, while other sessions go on."""
        return await self._steps.run(self.reset, seed, episode_id, **named)

    async def step_async(self, action: SessionAction, timeout_s: float | None = None, **named: Any) -> Any:
        """As `step`, while other sessions go on."""
        return await self._steps.run(self.step, action)

    def reset(self, seed: int | None = None, episode_id: str | None = None, **named: Any) -> SessionObservation:
        """Open a session; one that was open is then ended, and graded as it stands.

        Args:
            seed: of the reset.
            episode_id: the client's name for it; it is in the state.
            named: which session; `ServedSessions.open` has the names and the errors.
        """
        before, self._session = self._session, self._sessions.open(seed=seed, **named)
        self._departure, self._episode_id = DEPARTURE.get(), episode_id
        if before is not None:
            before.leave(wanted=True, why="")
        return self._observation(self._session, self._session.play.opening)

    def step(self, action: SessionAction, timeout_s: float | None = None, **named: Any) -> SessionObservation:
        """Take an action; see `SessionAction`. The time that it may take is the models' own (`--model-timeout`).

        Raises:
            SessionError: no session was opened on this connection, or it is over.
            BadArgument: (a ValueError) the action holds nothing.
        """
        session = self._opened()
        if action.message is None and not action.end:
            raise BadArgument("the action holds nothing: expected message, or end=true")
        news = [] if action.message is None else session.act(action.message)
        if action.end:
            session.finish()
        return self._observation(session, news)

    def _opened(self) -> ServedSession:
        if self._session is None:
            raise SessionError(
                "there is no session on this connection: reset opens one. One that was open on another connection is"
                " gone, as all are when the server is started again"
            )
        return self._session

    def _observation(self, session: ServedSession, messages: Sequence[dict[str, Any]]) -> SessionObservation:
        play = session.play
        score = play.result().score if play.over else None
        return SessionObservation(
            messages=list(messages),
            tools=play.tools,
            done=play.over,
            terminated=play.over and play.session.terminated,
            truncated=play.over and not play.session.terminated,
            scored=score is not None,
            reward=score,
        )

    @property
    def state(self) -> ServedState:
        """The state of the session at hand."""
        session = self._opened()
        live, one = session.play.session, session.play.session.identity
        state = ServedState(
            episode_id=self._episode_id,
            step_count=live.steps,
            pack=one.pack,
            task=one.task_id,
            variant=one.variant,
            seed=one.seed,
            sample=session.sample,
        )
        if session.play.over:
            result = session.play.result()
            state.done, state.end_reason, state.error = True, live.end_reason, result.error
            state.measures = dict(result.values)
        return state

    def close(self) -> None:
        """Let go of the session, as its connection ends; a step that is under way comes to its end first."""
        self._steps.wait()
        if self._session is not None:
            departure = self._departure or Departure()
            self._session.leave(wanted=departure.ended_by_client, why=departure.lost)

    # -- what there is to play ---------------------------------------------------------------------------------------

    def get_metadata(self) -> Any:
        """The name, description and version of the environment."""
        return EnvironmentMetadata(name=self._sessions.env_id, description=DESCRIPTION, version=__version__)

    def list_splits(self) -> list[str]:
        """The splits."""
        return list(SPLITS)

    async def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """The sessions of a split, each as the arguments of a reset."""
        return [asdict(row) for row in await self._rows(split)]

    async def num_tasks(self, split: str) -> int:
        """Their number."""
        return len(await self._rows(split))

    async def get_task(self, split: str, index: int) -> dict[str, Any]:
        """One of them."""
        if index < 0:
            raise IndexError(index)
        return asdict((await self._rows(split))[index])

    async def get_task_range(
        self, split: str, start: int | None = None, stop: int | None = None
    ) -> list[dict[str, Any]]:
        """A slice of them."""
        return [asdict(row) for row in (await self._rows(split))[start:stop]]

    async def _rows(self, split: str) -> list[SessionRow]:
        # In a thread, since the first time all tasks are read.
        return await self._steps.run(self._sessions.rows, split)
