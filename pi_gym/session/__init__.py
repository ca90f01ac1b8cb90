"""The session: the protocol as a plain, synchronous, picklable state machine."""

from pi_gym.session.actions import ParsedAction, parse_action
from pi_gym.session.config import Limits, SessionConfig
from pi_gym.session.session import Session
from pi_gym.session.subagents import SubagentTask
from pi_gym.session.trajectory import Trajectory, read_trajectories

__all__ = [
    "Limits",
    "ParsedAction",
    "Session",
    "SessionConfig",
    "SubagentTask",
    "Trajectory",
    "parse_action",
    "read_trajectories",
]
