"""Short ways to what records hold."""

from __future__ import annotations

from pi_gym.session import Trajectory


def proc_comp(record: Trajectory) -> tuple[float | None, float | None]:
    """Proc and Comp of a record; None where it has none."""
    return record.scores.get("proc"), record.scores.get("comp")
