"""Agents to compare with."""
