"""Sessions for Inspect: its providers play the agent, its logs and viewer show what came of it.

Inspect finds the tasks by the package's entry point; everything here but this needs inspect-ai.
"""
