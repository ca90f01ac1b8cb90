"""Collecting on a real Ray cluster of two nodes from which workers, nodes and the driver are taken."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from process_cases import count, is_running, wait_for
from ray_cluster import two_nodes
from rollout_agents import MARKS
from rollout_cases import content, keys, lines, run
from support.packs import TINY

from pi_gym.cluster import ray_engine
from pi_gym.cluster.ray_engine import MAX_DEATHS
from pi_gym.errors import PiGymError

pytestmark = pytest.mark.ray
TESTS = Path(__file__).parents[1]
TRACED = "rollout_agents:Traced"
VARIANTS = list(range(20))
SESSIONS = 60


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return tmp_path_factory.mktemp("kills")


@pytest.fixture(scope="module")
def nodes(base):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MARKS, str(base / "marks"))
        with two_nodes() as found:
            yield found


@pytest.fixture
def marks(base, nodes, monkeypatch):
    folder = base / "marks"
    if folder.exists():
        folder.rename(base / f"marks-{time.monotonic_ns()}")
    folder.mkdir()
    monkeypatch.setenv(MARKS, str(folder))
    return folder


def on_ray(agent: str = TRACED, **arguments: Any) -> Any:
    return run(agent, **{"variants": VARIANTS, "engine": "ray", "workers": 2, **arguments})


def processes(marks: Path) -> list[int]:
    return [int(path.name.partition("-")[2]) for path in marks.glob("process-*")]


class Meanwhile(threading.Thread):
    """Does something once a run has written so many sessions, and tells when it did."""

    def __init__(self, out: Path, sessions: int, do: Callable[[], object]) -> None:
        super().__init__()
        self._out, self._sessions, self._do, self.at = out, sessions, do, -1

    def run(self) -> None:
        wait_for(lambda: count(self._out) >= self._sessions)
        self._do()
        self.at = count(self._out)

    def __enter__(self) -> Meanwhile:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.join()


def as_in_one_process(out: Path, other: Path, sessions: int = SESSIONS, **arguments: Any) -> None:
    run(TRACED, **{"variants": VARIANTS, **arguments, "out": other})
    assert len(keys(out)) == len(set(keys(out))) == sessions
    assert content(out) == content(other)
    assert (out / "summary.json").read_bytes() == (other / "summary.json").read_bytes()


def test_a_killed_worker_is_replaced_and_what_it_had_is_played_again(tmp_path, marks):
    kwargs = {"env_kwargs": {"pack": str(TINY), "history": "own"}}
    out = tmp_path / "ray"
    with Meanwhile(out, 6, lambda: os.kill(processes(marks)[0], signal.SIGKILL)) as killed:
        summary = on_ray(out=out, concurrency=2, **kwargs)
    assert 6 <= killed.at < SESSIONS
    assert (summary.scored, summary.unscored) == (SESSIONS, 0)
    assert len(processes(marks)) >= 2
    as_in_one_process(out, tmp_path / "one", **kwargs)


@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_session_that_kills_its_worker_is_an_unscored_attempt_and_the_others_go_on(tmp_path, nodes, concurrency):
    summary = on_ray("rollout_agents:AlwaysDying", variants=[1, 2, 3, 4], concurrency=concurrency, out=tmp_path)
    assert (summary.scored, summary.missing, summary.error_kinds) == (11, 0, {"engine": 1})
    (line,) = lines(tmp_path, "unscored.jsonl")
    assert (line["task_id"], line["variant"]) == ("02-memo", 2)
    assert f"the worker died {MAX_DEATHS} times in this session" in line["error"]
    assert "worker process has died" in line["error"]


def test_an_interrupt_out_of_a_policy_costs_its_worker_and_no_session(tmp_path, marks):
    summary = on_ray("rollout_agents:Interrupted", variants=[0, 1, 2], out=tmp_path)
    assert (marks / "interrupted").exists()
    assert (summary.scored, summary.unscored) == (9, 0)


def test_a_lost_node_costs_no_session_and_the_others_go_on(tmp_path, nodes, marks):
    def lose():
        wait_for(lambda: len(list(marks.glob("node-*"))) == 2)  # it plays
        nodes.kill(added.pop())

    # So many that the first node is not done before the second one begins.
    variants, sessions = list(range(80)), 240
    added = [nodes.add(name, spot=1) for name in ("a", "b")]
    out = tmp_path / "ray"
    try:
        with Meanwhile(out, 6, lose) as lost:
            options = {"variants": variants, "ray_options": {"resources": {"spot": 1}}}
            summary = on_ray(out=out, concurrency=2, **options)
    finally:
        for node in added:
            nodes.kill(node)
    assert 6 <= lost.at < sessions
    assert {path.name for path in marks.glob("node-*")} == {"node-a", "node-b"}
    assert (summary.scored, summary.unscored) == (sessions, 0)
    as_in_one_process(out, tmp_path / "one", sessions, variants=variants)


def test_a_run_without_a_node_ends_with_the_reason_and_goes_on_later(tmp_path, nodes, monkeypatch):
    monkeypatch.setattr(ray_engine, "NO_NODE_S", 2.0)
    node, out = nodes.add("c", only=1), tmp_path / "ray"
    with (
        Meanwhile(out, 6, lambda: nodes.kill(node)),
        pytest.raises(PiGymError, match=r"no node for 2 s; a worker needs 1 CPU, 1 only, .* 0 only free"),
    ):
        on_ray(out=out, workers=1, ray_options={"resources": {"only": 1}})
    assert 6 <= count(out) < SESSIONS
    assert on_ray(out=out, resume=True).scored == SESSIONS
    as_in_one_process(out, tmp_path / "one")


@pytest.mark.parametrize(("history", "sign"), [("own", signal.SIGKILL), ("reference", signal.SIGINT)])
def test_a_driver_that_is_gone_leaves_no_worker_and_a_run_that_can_be_resumed(tmp_path, nodes, marks, history, sign):
    out = tmp_path / "ray"
    asked = json.dumps({"history": history, "variants": VARIANTS, "out": str(out), "concurrency": 2})
    process = subprocess.Popen(
        [sys.executable, str(TESTS / "rollout" / "collecting_ray.py"), asked],
        env={**os.environ, "PYTHONPATH": str(TESTS), "RAY_ADDRESS": nodes.address},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_for(lambda: count(out) >= 4, process)
    process.send_signal(sign)
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert sign == signal.SIGKILL or "KeyboardInterrupt" in errors
    assert 4 <= count(out) < SESSIONS
    workers = processes(marks)
    assert len(workers) >= 1
    wait_for(lambda: not any(map(is_running, workers)))
    kwargs = {"env_kwargs": {"pack": str(TINY), "history": history}}
    assert on_ray(out=out, resume=True, **kwargs).scored == SESSIONS
    as_in_one_process(out, tmp_path / "one", **kwargs)


def test_the_command_plays_on_ray_and_an_interrupt_leaves_what_can_be_resumed(tmp_path, nodes, marks):
    def command(*more: str) -> subprocess.Popen[str]:
        words = ["PiBench-v0", "--pack", str(TINY), "--agent", TRACED, "--engine", "ray", "--workers", "2"]
        rest = ["--ray-option", "num_cpus=0.5", "--split", "train", "--sessions", "60", "--out", str(out), *more]
        variables = {**os.environ, "PYTHONPATH": f"{TESTS}:{TESTS / 'rollout'}", "RAY_ADDRESS": nodes.address}
        return subprocess.Popen(
            [sys.executable, "-m", "pi_gym", "rollout", *words, *rest],
            env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip

    out = tmp_path / "run"
    process = command()
    wait_for(lambda: count(out) >= 4, process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, f"--resume goes on in {out}" in errors) == (130, True), errors
    wait_for(lambda: not any(map(is_running, processes(marks))))
    process = command("--resume")
    printed, errors = process.communicate(timeout=100)
    assert process.returncode == 0, errors
    assert f"written to {out}" in printed
    assert len(keys(out)) == len(set(keys(out))) == SESSIONS
