"""An evaluation on a real Ray cluster of one node: its runs are those of this process."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.packs import TINY

import pi_gym

pytestmark = pytest.mark.ray


def test_an_evaluation_on_ray_gives_the_bytes_of_one_process_and_is_resumed(tmp_path: Path) -> None:
    import ray

    agents, kwargs = ["reference", "silent"], {"pack": str(TINY)}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        options = {"env_kwargs": kwargs, "engine": "ray", "workers": 2, "out": tmp_path / "ray"}
        pi_gym.evaluate("PiBench-v0", agents[:1], runs=2, **options)
        found = pi_gym.evaluate("PiBench-v0", agents, runs=2, resume=True, **options)
    finally:
        ray.shutdown()
    here = pi_gym.evaluate("PiBench-v0", agents, runs=2, env_kwargs=kwargs, out=tmp_path / "here")
    assert found.is_whole
    assert found.to_json() == here.to_json()
    for label in agents:
        ours, other = (tmp_path / name / label / "history-reference/trajectories.jsonl" for name in ("here", "ray"))
        assert sorted(ours.read_text().splitlines()) == sorted(other.read_text().splitlines()) != []
