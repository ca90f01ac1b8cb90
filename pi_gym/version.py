"""The version of pi_gym."""

__version__ = "0.1.0"
