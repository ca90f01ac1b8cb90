"""Calibration: how far a model in a role decides as the rules do, before one trusts it."""
