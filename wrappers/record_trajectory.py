"""Writing a session's trajectory when it ends."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, SupportsFloat

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from pi_gym.driving.settling import settle
from pi_gym.environments import base_env


class RecordTrajectory(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Appends the trajectory of every session that ends to a JSONL file.

    Scored sessions go to `path`; unscored ones, which have no score to learn from, to `<stem>.unscored.jsonl` beside
    it. A session that a wrapper within this one ends, as Gymnasium's `TimeLimit` does, is cut short (`end_reason`
    "wrapper"), graded as things stand, and written; the step's reward and info are those that the wrapper gave. A
    session that a reset leaves unfinished is not written. Each line reaches the disk before `step` returns. One process
    may write a file: use one path for each.

    Args:
        env: a pi_gym environment.
        path: the file; its folder is made if it does not exist.
        agent: the agent's name for the record.

    Raises:
        OSError: the file cannot be written.
    """

    def __init__(self, env: gym.Env[Any, Any], path: str | Path, agent: str = "") -> None:
        RecordConstructorArgs.__init__(self, path=str(path), agent=agent)
        gym.Wrapper.__init__(self, env)
        self.path, self.agent = Path(path), agent
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """Take an action; where it ends the session, its trajectory is written."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if terminated or truncated:
            base = base_env(self)
            session = base.session
            assert session is not None
            if not session.ended:
                session.truncate("wrapper")
                settle(base.waits())
            target = self.path if session.scored else self.path.with_name(f"{self.path.stem}.unscored.jsonl")
            line = session.trajectory(agent=self.agent).to_line() + "\n"
            with target.open("a", encoding="utf-8") as lines:
                lines.write(line)
                lines.flush()
                os.fsync(lines.fileno())
        return observation, reward, terminated, truncated, info
