"""A smoke test of an installed pi_gym that knows nothing of the checkout; a fresh environment's Python runs it with -I.

Plays the reference of every session of the split "test" to its best, those that need a sandbox where there is one.
"""

import sys
from pathlib import Path

import pi_gym
from pi_gym.registration import registered_ids
from pi_gym.shell import ShellRunner

VERSION = sys.argv[1]
assert Path(pi_gym.__file__).is_relative_to(sys.prefix), f"not what is installed here: {pi_gym.__file__}"
assert pi_gym.__version__ == VERSION, (pi_gym.__version__, VERSION)

sandbox = bool(ShellRunner("auto").available())
for name in registered_ids():
    phone = name == "Pare-v0"
    needs = {} if phone or sandbox else {"exclude_needs": ("exec",)}
    best = "success" if phone else "return"
    records = pi_gym.collect(name, "reference", split="test", env_kwargs=needs).trajectories
    short = [one.task_id for one in records if abs((one.scores[best] or 0.0) - 1.0) > 1e-12]
    assert records, name
    assert not short, (name, short)
    print(f"{name}: {len(records)} sessions")
