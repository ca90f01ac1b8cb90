"""Importing pi_gym is quick and brings nothing heavy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
HEAVY = (
    "torch",
    "vllm",
    "trl",
    "openai",
    "aiohttp",
    "jsonschema",
    "yaml",
    "jinja2",
    "pydantic",
    "transformers",
    "datasets",
    "pyarrow",
    "ray",
    "re2",
    "typer",
)

# Processor time: what other processes do meanwhile is no cost of ours.
CODE = """
import json, sys, time
start = time.process_time()
import gymnasium
opened = []
sys.addaudithook(lambda name, args: opened.append(str(args[0])) if name == "open" else None)
import pi_gym
end = time.process_time()
print(json.dumps({
    "whole": end - start, "modules": sorted(sys.modules),
    "ids": [n for n in gymnasium.registry if n.startswith("PiBench")],
    "opened": [path for path in opened if not path.endswith((".py", ".pyc")) and "/envs/" in path],
}))
"""


@cache
def fresh() -> tuple[dict[str, Any], ...]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("COV")}
    runs = []
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, cwd=ROOT, env=environment)
        assert done.returncode == 0, done.stderr
        runs.append(json.loads(done.stdout))
    return tuple(runs)


def test_import_takes_at_most_half_a_second() -> None:
    fresh()  # the first runs may compile
    assert median(run["whole"] for run in fresh()) <= 0.5


@pytest.mark.parametrize("name", HEAVY)
def test_nothing_heavy_is_imported(name: str) -> None:
    assert not [module for module in fresh()[0]["modules"] if module.split(".")[0] == name]


def test_packs_are_registered_without_being_opened() -> None:
    assert "PiBench-Researcher-v0" in fresh()[0]["ids"]
    assert fresh()[0]["opened"] == []


def test_a_session_with_rules_needs_no_event_loop_and_no_client_of_models() -> None:
    code = (
        "import gymnasium, pi_gym, sys; env = gymnasium.make('PiBench-Mini-v0'); env.reset(seed=0)"
        "; env.step('Hello.'); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert not {"asyncio", "ssl", "http.client", "sqlite3", "pi_gym.driving.driver"} & set(done.stdout.split())


def test_every_public_name_can_be_imported() -> None:
    import pi_gym

    for name in pi_gym.__all__:
        assert getattr(pi_gym, name) is not None
    assert set(dir(pi_gym)) >= set(pi_gym.__all__)
    with pytest.raises(AttributeError, match="it has"):
        _ = pi_gym.nothing
