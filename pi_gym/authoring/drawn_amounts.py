"""Amounts that a world draws, each between two bounds."""

from __future__ import annotations

from pi_gym.authoring.written_tables import csv_records
from pi_gym.seeding import Stream


def draw_amounts(stream: Stream, table: str) -> dict[str, int]:
    r"""Amounts in cents by name, drawn in the order of a table.

    Args:
        stream: what they are drawn from.
        table: a CSV text with the columns name, low, high (in whole units, each possible) and step (in cents).

    >>> draw_amounts(Stream("example"), "name,low,high,step\ntaxi,268,268,50\n")
    {'taxi': 26800}
    """
    found = {}
    for row in csv_records(table):
        low, high, step = (int(row[name]) for name in ("low", "high", "step"))
        found[row["name"]] = stream.integer(low * 100 // step, high * 100 // step) * step
    return found
