"""Collecting sessions: agents, the plan of a run, its folder, and the loop that plays it."""

from pi_gym.rollout.agents import Agent, make_agent
from pi_gym.rollout.run import Progress, rollout
from pi_gym.rollout.store import RunError
from pi_gym.rollout.summary import RunSummary

__all__ = ["Agent", "Progress", "RunError", "RunSummary", "make_agent", "rollout"]
