"""What several sessions of the pack have alike."""

from __future__ import annotations

import csv
from typing import Any

BOARD_DAYS = ("2024-09-18", "2025-02-12", "2025-09-10", "2025-11-05", "2026-03-11")


def shared(stream: Any, preferences: Any) -> dict[str, Any]:
    """Draw each domain from a stream of its own."""
    return {"pathway": _pathway(stream.child("pathway"), preferences.data["pathway.csv"])}


def _pathway(stream: Any, table: str) -> dict[str, Any]:
    """The drugs of the map with what speaks for each, and which of them are on the house list, before May and after.

    What some wish speaks of passes every bar and stays on the list, so that the wish shows whatever the bar is.
    """
    drugs = {row["drug"]: dict(row) for row in csv.DictReader(table.splitlines(), delimiter=";")}
    listed, other = stream.shuffled(("apalutamide", "darolutamide"))
    gained, put_off = stream.shuffled(("velorutamide", "osteparib"))
    # The board has carboplatin and not pembrolizumab; with two studies it is the other way round, with a trial neither.
    out = ["pembrolizumab", "lutetium-177 PSMA", stream.choice((other, "osteparib"))]
    branch = stream.choice(("before", "after"))
    drugs["radium-223"]["place"] = branch
    for name, drug in drugs.items():
        studies = str(drug["studies"]).split()
        drug["trial"] = any(one[0] == "3" for one in studies)
        drug["two"] = len({one[1] for one in studies if one[0] != "x"}) > 1
        drug["board"] = stream.choice(BOARD_DAYS) if name not in out else ""
    old, waits = stream.sample(out, 2)
    off = {other, "velorutamide", "osteparib", "lutetium-177 PSMA"}
    return {
        "drugs": drugs, "branch": branch, "old": old, "waits": waits, "gained": gained, "lost": listed,
        "put_off": put_off, "off_before": sorted(off), "off": sorted(off - {gained} | {listed}),
    }  # fmt: skip
