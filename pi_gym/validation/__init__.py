"""Validation of tasks: what checks find over tasks and variants, and the report of it, for any family."""
