"""The parts of every session, whatever its family: actions, asks and answers, its record."""

from pi_gym.session.actions import ParsedAction, parse_action
from pi_gym.session.subagents import SubagentTask
from pi_gym.session.trajectory import Trajectory, read_trajectories

__all__ = ["ParsedAction", "SubagentTask", "Trajectory", "parse_action", "read_trajectories"]
