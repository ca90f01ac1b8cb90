"""Gymnasium wrappers: other forms of the observation, and a recorder."""

from pi_gym.wrappers.chat_messages import ChatMessages
from pi_gym.wrappers.delta_history import DeltaHistory
from pi_gym.wrappers.record_trajectory import RecordTrajectory
from pi_gym.wrappers.truncate_history import TruncateHistory

__all__ = ["ChatMessages", "DeltaHistory", "RecordTrajectory", "TruncateHistory"]
