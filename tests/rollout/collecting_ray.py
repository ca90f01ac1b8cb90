"""A run on Ray in a process of its own, for tests that kill or interrupt it: `python collecting_ray.py JSON`."""

from __future__ import annotations

import json
import sys

from rollout_cases import run
from support.packs import TINY

if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    kwargs = {"pack": str(TINY), "history": asked.pop("history")}
    run("rollout_agents:Traced", engine="ray", workers=2, env_kwargs=kwargs, resume=True, **asked)
