"""The mail."""
