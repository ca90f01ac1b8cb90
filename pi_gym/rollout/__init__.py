"""The rollout: sessions collected with a policy, and what plays them."""

from pi_gym.rollout.agents import make_agent
from pi_gym.rollout.collection import collect, collect_async
from pi_gym.rollout.policy import PolicyOutput
from pi_gym.runs.agent import Agent
from pi_gym.runs.lines import RunError
from pi_gym.runs.progress import Progress
from pi_gym.runs.summary import RunSummary

__all__ = [
    "Agent",
    "PolicyOutput",
    "Progress",
    "RunError",
    "RunSummary",
    "collect",
    "collect_async",
    "make_agent",
]
