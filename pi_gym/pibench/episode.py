"""An episode of the agent's own, built again from its records: the same files, apps and memory."""

from __future__ import annotations

from collections.abc import Iterable

from pi_gym.errors import SessionError
from pi_gym.packs import Pack, pack_world
from pi_gym.pibench.history import world_after
from pi_gym.pibench.playback import play_back
from pi_gym.pibench.session import PiSession
from pi_gym.session.trajectory import Trajectory
from pi_gym.state import World


def last_session(pack: Pack, records: Iterable[Trajectory]) -> PiSession | None:
    """The last recorded session of an episode, in the world that all of them made.

    The agent's actions and what its tools were answered are the records'; no model and no shell is asked.

    Args:
        pack: the episode's.
        records: of its sessions so far, in order, each with its score.

    Returns:
        The session, ended, for the next one to begin where it left off; None where there are no records.

    Raises:
        StateMismatch: a record is of other content of the pack.
        ValueError: a record has no score, or is of a re-scoring.
        SessionError: a session does not come out as it was recorded: another engine made the record.
    """
    session: PiSession | None = None
    for record in records:
        start = pack_world(pack) if session is None else world_after(session)
        session = play_back(record, pack=pack, start=start).session
    return session


class Pasts:
    """The worlds that recorded sessions begin in, where those are the agent's own past.

    Records of many episodes may come mixed, those of one in its order.
    """

    def __init__(self) -> None:
        self._left: dict[tuple[str, str, str, int, int, int], World | None] = {}

    def before(self, record: Trajectory, pack: Pack) -> World | None:
        """The world that a record began in; None where its history mode says that.

        Raises:
            SessionError: the session before it did not come out as it was recorded.
        """
        if record.history_mode != "own":
            return None
        world = self._left.get(_episode_of(record), pack_world(pack))
        if world is None:
            raise SessionError("an earlier session of its episode does not come out as it was recorded")
        return world

    def keep(self, record: Trajectory, session: PiSession | None) -> None:
        """A record was played again, as this session; None: it does not come out as it was recorded."""
        if record.history_mode == "own":
            self._left[_episode_of(record)] = None if session is None else world_after(session)


def _episode_of(record: Trajectory) -> tuple[str, str, str, int, int, int]:
    return record.agent, record.env_id, record.pack, record.variant, record.seed, record.sample
