"""What trained policies played is paid as somebody who read their sessions would pay it.

The sessions are of small models after training on Mini, one for each habit that was found in reading hundreds of them.
They are clumsy in ways that nobody would think of, and what earned nothing must go on earning nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from support.play import opened, play

from pi_gym.packs import load_pack

#: `read` says what somebody saw in a session, `intents` and `passed` what it was paid for.
READ: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("trained_policies.yaml").read_text("utf-8"))


@pytest.mark.parametrize("one", READ, ids=[f"{one['task']}-{one['variant']}" for one in READ])
def test_a_trained_policy_is_paid_for_what_its_session_shows(one: dict[str, Any]) -> None:
    session = opened(load_pack("mini").instantiate(one["task"], variant=one["variant"]), history="reference")
    assert len(play(session, *one["actions"])) == len(one["actions"])
    assert session.ended
    labels = session.trajectory().labels
    intents = {row["name"]: row["status"] + ", needless" * row["needless"] for row in labels["intents"]}
    assert intents == one["intents"], one["read"]
    assert [row["name"] for row in labels["checklist"] if row["verdict"] == "passed"] == one["passed"], one["read"]
