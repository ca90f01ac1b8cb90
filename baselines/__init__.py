"""Agents to compare with, and what evaluates tasks with them."""
