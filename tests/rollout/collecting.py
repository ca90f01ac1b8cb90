"""A run in a process of its own, for tests that kill it: `python collecting.py JSON`."""

from __future__ import annotations

import json
import sys

from rollout_cases import run
from support.packs import TINY
from support.served_roles import served

if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    kwargs = served(asked.pop("url"), TINY, timeout_s=60.0) | {"history": asked.pop("history")}
    run("rollout_agents:SlowKeeper", env_kwargs=kwargs, resume=True, **asked)
