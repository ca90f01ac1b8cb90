"""The calendar."""
