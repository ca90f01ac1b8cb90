"""Runs that are killed at any moment, for real, and go on."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from process_cases import children, count, is_running, wait_for
from rollout_cases import ENV_ID, content, keys, lines, run
from support.packs import TINY

from pi_gym.rollout import RunError, collect

VARIANTS = list(range(16))
TASKS = 3
SESSIONS = TASKS * len(VARIANTS)
#: What is played by family: an environment with three tasks, as the command line names it, and in Python.
PARE = {"tasks": ["stranded-friend", "over-the-limit", "code-for-the-cart"], "env_kwargs": {"noise": "low"}}
PLAYED = {
    "pibench": (ENV_ID, ["--pack", str(TINY)], {"env_kwargs": {"pack": str(TINY)}}),
    "pare": (
        "Pare-v0",
        [*(part for task in PARE["tasks"] for part in ("--task", task)), "--env-option", "noise=low"],
        PARE,
    ),
}


def start(out: Path, workers: int, family: str = "pibench") -> subprocess.Popen[str]:
    env_id, options, _ = PLAYED[family]
    command = [sys.executable, "-m", "pi_gym", "rollout", env_id, *options, "--out", str(out), "--resume"]
    command += ["--agent", "rollout_agents:Slow", "--workers", str(workers), "--quiet"]
    command += [part for variant in VARIANTS for part in ("--variant", str(variant))]
    # The agents lie beside this file, and a run finds agents where it is started.
    return subprocess.Popen(
        command,
        cwd=Path(__file__).parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize("family", PLAYED)
def test_a_run_killed_again_and_again_ends_with_every_session_once(tmp_path, family):
    env_id, _, arguments = PLAYED[family]
    whole = tmp_path / "whole"
    collect(env_id, "rollout_agents:Slow", variants=VARIANTS, out=whole, **arguments)
    out, chance = tmp_path / "run", random.Random(5)
    for at, num_envs in ((3, 1), (17, 2), (30, 1)):
        process = start(out, num_envs, family)
        wait_for(lambda at=at: count(out) >= at, process)
        time.sleep(chance.uniform(0, 0.03))
        workers = children(process.pid)
        assert bool(workers) == (num_envs > 1)
        process.kill()
        process.communicate()
        wait_for(lambda workers=workers: not any(map(is_running, workers)))
        assert count(out) < SESSIONS, "killed too late to mean anything"
    with (out / "trajectories.jsonl").open("a") as file:
        file.write('{"agent":"slow","env_id":"PiBe')  # and once in the middle of a line
    process = start(out, 1, family)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert len(keys(out)) == len(set(keys(out))) == SESSIONS
    assert content(out) == content(whole)
    assert (out / "summary.json").read_bytes() == (whole / "summary.json").read_bytes()
    assert set(keys(out, "metrics.jsonl")) <= set(keys(out))
    assert lines(out, "unscored.jsonl") == []


@pytest.mark.slow
def test_two_processes_do_not_write_one_run_and_a_ctrl_c_stops_all_of_it(tmp_path):
    out = tmp_path / "run"
    process = start(out, 2)
    wait_for(lambda: count(out) >= 2, process)
    workers = children(process.pid)
    with pytest.raises(RunError, match=rf"another process \(pid {process.pid}\)"):
        run("rollout_agents:Slow", variants=VARIANTS, out=out, resume=True)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "--resume goes on" in errors
    assert "Traceback" not in errors
    wait_for(lambda: not any(map(is_running, workers)))
    summary = json.loads((out / "summary.json").read_text())
    assert summary["scored"] == len(keys(out)) == count(out)
    assert summary["missing"] == SESSIONS - count(out) > 0
