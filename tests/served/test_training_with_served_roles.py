"""GRPO with user and grader played by a real model behind a real vLLM, the policy by TRL: `make train-served`.

The model judges badly, and the policy knows next to nothing: what is tested is that nothing stops, what is learnt from,
and where the time goes, which is printed.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from support.scripts import EXAMPLES
from support.small_vllm import NAME, serving

import pi_gym

pytestmark = [pytest.mark.model, pytest.mark.timeout(3600)]
TRAIN = Path(os.environ.get("PI_GYM_TRAIN", ".train")).absolute()
STEPS, STARTS, GROUP = 10, 2, 4
#: So small a model says the same again until it is cut off, unless it is held back; and it is slow on a CPU.
ROLE_OPTIONS = {"max_tokens": 256, "timeout_s": 600, "cache": None, "extra_body": {"frequency_penalty": 1.0}}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of ten steps."""
    python = TRAIN / "env" / "bin" / "python"
    if not python.exists():
        pytest.skip(f"needs TRL in {TRAIN}: make train-served brings it")
    folder = tmp_path_factory.mktemp("served")
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    made = [python, EXAMPLES / "tiny_model.py", "--out", folder / "tiny", "--sessions", "60"]
    subprocess.run(list(map(str, made)), check=True, env=environment)
    with serving() as server:
        command = [
            python, EXAMPLES / "trl_grpo.py", "--model", folder / "tiny", "--out", folder / "run", "--steps", STEPS,
            "--starts", STARTS, "--group", GROUP, "--micro", STARTS * GROUP, "--play", "conversation",
            "--user", f"{NAME}@{server.url}", "--grader", f"{NAME}@{server.url}", "--all-items",
            "--keep-every", 1,
            "--role-options", json.dumps(ROLE_OPTIONS),
            "--new-tokens", 24, "--room", 200, "--validation", 0, "--holdout", 0, "--freeze-embeddings",
        ]  # fmt: skip
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    print(done.stdout)
    return folder / "run"


def test_no_step_is_missing_and_where_the_time_went(run: Path) -> None:
    logged = json.loads((run / "curve.json").read_text(encoding="utf-8"))["logged"]
    assert [one["step"] for one in logged if "step_s" in one] == list(range(1, STEPS + 1))
    for one in logged:
        assert one["user_requests"] > 0
        assert one["grader_requests"] > 0
        assert one["generate_s"] + one["sessions_s"] <= one["step_s"] + 0.1
    print("| step | all, s | the policy generates | sessions and roles | learning | user's requests | grader's |")
    print("| --- " * 7 + "|")
    for one in logged:
        learning = one["step_s"] - one["generate_s"] - one["sessions_s"]
        print(
            f"| {one['step']} | {one['step_s']:.1f} | {one['generate_s']:.1f} | {one['sessions_s']:.1f} |"
            f" {learning:.1f} | {one['user_requests']:.0f} in {one['user_request_s']:.0f} s |"
            f" {one['grader_requests']:.0f} in {one['grader_request_s']:.0f} s |"
        )


def test_sessions_are_played_by_the_model_and_unscored_ones_are_no_zeros(run: Path) -> None:
    logged = json.loads((run / "curve.json").read_text(encoding="utf-8"))["logged"]
    for step in range(1, STEPS + 1):
        folder = run / "sessions" / f"step-{step:05d}"
        records = list(pi_gym.read_trajectories(folder))
        assert len(records) == STARTS * GROUP
        scored = [one.return_ for one in records if one.scored and not one.engine_faults]
        (line,) = [one for one in logged if one["step"] == step]
        assert line["unscored"] == pytest.approx(1 - len(scored) / len(records))
        if scored:
            assert line["reward"] == pytest.approx(sum(scored) / len(scored), abs=1e-4)
