"""The example of TRL's trainer with tools that ask a server trains a small model on a CPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import fmean

import pytest
from support.outsiders import need

import pi_gym

EXAMPLE = Path(__file__).parents[2] / "examples" / "openenv_grpo.py"


@pytest.mark.timeout(900)
@pytest.mark.filterwarnings("ignore")  # of torch, trl, …
def test_trl_s_trainer_plays_on_a_server_and_learns_from_its_returns(tmp_path: Path) -> None:
    for name in ("openenv", "trl"):
        need(name, "openenv")
    from support.openenv_server import serving
    from support.tiny_model import save_tiny_model

    model = save_tiny_model(tmp_path / "model")
    with serving("PiBench-Mini-v0", {"split": "train"}, tmp_path / "run") as url:
        command = [sys.executable, EXAMPLE, "--model", model, "--server", url, "--out", tmp_path / "out", "--cpu"]
        command += ["--steps", 2, "--group", 2, "--variants", 4, "--room", 40]
        silent = {**os.environ, "HF_HUB_OFFLINE": "1", "TRL_EXPERIMENTAL_SILENCE": "1"}
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, env=silent)
    assert done.returncode == 0, done.stderr[-3000:]
    history = json.loads(done.stdout.splitlines()[-1])
    rewards = [one["reward"] for one in history if "reward" in one]
    kept = list(pi_gym.read_trajectories(tmp_path / "run"))
    assert (len(rewards), len(kept)) == (2, 4)
    assert {(one.task_id, one.sample) for one in kept} == {(one.task_id, n) for one in kept for n in range(2)}
    assert fmean(rewards) == pytest.approx(fmean(one.return_ for one in kept), abs=1e-6)
