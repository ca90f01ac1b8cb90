"""Conversations of two and of groups."""
