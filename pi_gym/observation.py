"""The observation of a session: its transcript, and the changes of its files."""

from __future__ import annotations

from typing import TypeAlias

from pi_gym.session.protocol import Session
from pi_gym.state.diff import diff_files

Observation: TypeAlias = dict[str, str]


class Observer:
    """Observes one session, from its opening on.

    Args:
        session: the session.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._mark = session.world.workspace.mark()

    def observe(self) -> Observation:
        """The whole transcript, and the unified diff of the workspace since the previous observation."""
        workspace, diff = self._session.world.workspace, ""
        if not workspace.is_at(self._mark):
            diff = diff_files(workspace.differing(self._mark))
            self._mark = workspace.mark()
        return {"history": self._session.history, "workspace_diff": diff}

    def __getstate__(self) -> dict[str, Session]:
        # Between two steps the mark is the present, and a mark holds the whole tree.
        return {"session": self._session}

    def __setstate__(self, state: dict[str, Session]) -> None:
        self._session = state["session"]
        self._mark = self._session.world.workspace.mark()
