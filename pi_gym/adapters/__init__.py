"""Adapters to trainers, evaluations and hosts of agents: others play, and the sessions are ours.

All of them stand on `session_play`: a session that is opened by a row, moved by messages, calls and replies, and scored
at its end.
"""
