"""Many sessions in one environment, stepped together without a thread or a process each."""

from pi_gym.vector.env import SessionVectorEnv, VectorScoringFailed

__all__ = ["SessionVectorEnv", "VectorScoringFailed"]
