"""Many sessions in one environment, stepped together without a thread or a process each."""

from pi_gym.vector.env import PiVectorEnv, VectorScoringFailed

__all__ = ["PiVectorEnv", "VectorScoringFailed"]
