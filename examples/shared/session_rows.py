"""The files of rows that trainers read, a session each."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pi_gym.adapters.session_play import single_session_env
from pi_gym.adapters.session_row import SessionRow, plan_rows
from pi_gym.sampling import SPLITS


def write_rows(about: str, columns: Callable[[str, int, SessionRow], dict[str, Any]]) -> None:
    """Write the rows that the program's arguments ask for, as JSON lines.

    Args:
        about: what the program is, for its help.
        columns: gives a row's columns, from the environment's id, the row's number and the session.
    """
    parser = argparse.ArgumentParser(description=about.partition("\n")[0])
    parser.add_argument("--env", default="PiBench-Mini-v0", help="a registered environment")
    parser.add_argument("--split", choices=SPLITS, default="train")
    parser.add_argument("--size", type=int, help="number of rows; default: each task once")
    parser.add_argument("--seed", type=int, default=0, help="draws the variants, and seeds every reset")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.jsonl")
    given = parser.parse_args()
    rows = plan_rows(single_session_env(given.env, {"split": given.split}), given.size, given.seed)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(columns(given.env, place, row)) for place, row in enumerate(rows))
    given.out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"{len(rows)} rows in {given.out}")


def prompt_of(row: SessionRow) -> list[dict[str, str]]:
    """A prompt that stands for a session's: what the model is given is the session's own opening."""
    return [{"role": "user", "content": f"The session {row.task}/{row.variant}, which opens by itself."}]
