"""The listings of apartments."""
