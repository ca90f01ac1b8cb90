"""The same variant, seed and actions give the same bytes, in whatever process."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from support.packs import FOLDER
from support.shell import need

ROOT = Path(__file__).parents[1]
HASH_SEEDS = ("0", "4242")
PEOPLE = ("researcher", "pharmacist")

# Run in processes of their own: plays tasks in several ways and prints one line for each session. A pack with many
# tasks takes the other ways in turns, one for each task, beside the reference.
CODE = """
import hashlib, pickle, sys
from pi_gym.pibench.env import PiEnv
from pi_gym.packs import load_pack
from pi_gym.types import Answer

source, backwards, step = sys.argv[1], sys.argv[2] == "backwards", int(sys.argv[3])

def call(text): return "<tool_call>" + text + "</tool_call>"

def plans(task):
    everything = "Which format, which name, how many decimals, what order, which one first? " * 2
    listing = call('{"name": "list_dir", "arguments": {"path": ".", "recursive": true}}')
    search = call('{"name": "grep", "arguments": {"pattern": "[a-z]+"}}')
    search += call('{"name": "glob", "arguments": {"pattern": "**/*"}}')
    junk = call('{"name": "write_file", "arguments": {"path": "dump.md", "content": "yes no table csv upper lower"}}')
    return {
        "reference": list(task.reference),
        "silent": [""] * 12,
        "asking": [everything] * 8,
        "reading": [listing, search, *[listing, "Done."] * 6],
        "broken": [call("{"), call('{"name": "nothing"}'), {"role": "user"}, object(), {1, 2, 3}, *[junk, "Done."] * 8],
    }

jobs = []
pack = load_pack(source)
for number, task_id in enumerate(pack.task_ids[::step]):
    ways = list(plans(pack.instantiate(task_id, 3)))
    if len(pack.task_ids) > 5:
        ways = [ways[0], ways[1 + number % (len(ways) - 1)]]
    else:
        jobs.append((task_id, 0, "reference"))
    jobs += [(task_id, 3, way) for way in ways]
for task_id, variant, name in reversed(jobs) if backwards else jobs:
    env = PiEnv(source, max_steps=20, responder=lambda asks: [Answer(error="nobody") for _ in asks])
    env.reset(seed=5, options={"task": task_id, "variant": variant})
    digest = hashlib.sha256()
    for action in plans(env.session.task)[name]:
        observation, reward, terminated, truncated, info = env.step(action)
        digest.update(repr((observation, float(reward), info)).encode())
        if terminated or truncated:
            break
    digest.update(env.session.trajectory().to_line().encode())
    digest.update(env.session.world.state_hash().encode())
    print(task_id, variant, name, digest.hexdigest())
"""


@cache
def lines(source: str, hash_seed: str, order: str, step: int) -> list[str]:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, "-c", CODE, source, order, str(step)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    return sorted(done.stdout.splitlines())


@pytest.mark.parametrize(
    ("source", "step"),
    [
        (str(FOLDER / "tiny"), 1),
        (str(FOLDER / "protocol"), 1),
        # Tasks need the sessions before them, and each process makes those anew.
        *(pytest.param(person, 1, marks=pytest.mark.slow) for person in PEOPLE),
    ],
)
def test_records_do_not_depend_on_process_hash_seed_or_order(source: str, step: int) -> None:
    if source in PEOPLE:
        need()
    first = lines(source, HASH_SEEDS[0], "forwards", step)
    assert len(first) >= 6
    assert len({line.split()[-1] for line in first}) == len(first)
    for seed in HASH_SEEDS[1:]:
        assert lines(source, seed, "backwards", step) == first
