"""Collecting sessions: agents, the plan of a run, its folder, and the loop that plays it."""

from pi_gym.rollout.agents import Agent, make_agent
from pi_gym.rollout.lines import RunError
from pi_gym.rollout.progress import Progress
from pi_gym.rollout.run import rollout
from pi_gym.rollout.summary import RunSummary

__all__ = ["Agent", "Progress", "RunError", "RunSummary", "make_agent", "rollout"]
