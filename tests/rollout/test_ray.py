"""Collecting on a real Ray cluster of two nodes: what comes out is what one process gives."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import time

import pytest
from process_cases import is_running, wait_for
from ray_cluster import NODE_PACK, OnNode, two_nodes
from rollout_agents import MARKS, Saying, Traced, talking
from rollout_cases import ENV_ID, content, keys, lines, run
from support.chat_server import ChatServer
from support.faulty_server import FaultyServer
from support.packs import TINY, copy_pack
from support.served_roles import agree, served

from pi_gym import collect_async
from pi_gym.cluster.ray_engine import AHEAD
from pi_gym.cluster.ray_worker import REPORT
from pi_gym.errors import BadArgument, PiGymError, UnknownName

pytestmark = pytest.mark.ray
KEEPER = "rollout_agents:Keeper"
VARIANTS = [0, 1, 2, 3]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """The folder in which the agents of every node leave their marks, one for each test."""
    return tmp_path_factory.mktemp("ray")


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


def on_ray(agent=KEEPER, **arguments):
    return run(agent, **{"variants": VARIANTS, "engine": "ray", "workers": 2, **arguments})


def same(one, other, name="trajectories.jsonl"):
    return sorted(map(json.dumps, lines(one, name))) == sorted(map(json.dumps, lines(other, name)))


async def awaiting(messages, tools):
    await asyncio.sleep(0.001)
    return talking(messages, tools)


OWN = {"env_kwargs": {"pack": str(TINY), "history": "own"}}


@pytest.mark.parametrize(
    ("agent", "options"),
    [
        (KEEPER, {}),
        (KEEPER, {"group_size": 2, "split": "train", "sessions": 12, "variants": None, "seed": 5, "concurrency": 3}),
        (KEEPER, OWN),
        (KEEPER, {**OWN, "group_size": 2, "concurrency": 2, "session_timeout_s": 60.0}),
        ("random", {"seed": 4}),
        (awaiting, {}),
        (lambda messages, tools: "Which colour?" if len(messages) < 4 else "Done.", {"concurrency": 2}),
    ],
)
def test_two_workers_on_two_nodes_give_the_bytes_of_one_process(tmp_path, nodes, agent, options):
    summary = on_ray(agent, out=tmp_path / "ray", **options)
    assert summary.unscored == 0
    run(agent, **{"variants": VARIANTS, **options, "concurrency": 1, "out": tmp_path / "one"})
    assert content(tmp_path / "ray") == content(tmp_path / "one")
    assert len(keys(tmp_path / "ray")) == len(set(keys(tmp_path / "ray"))) > 0
    for name in ("run.json", "summary.json"):
        assert (tmp_path / "ray" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()


def test_workers_are_processes_of_their_own_on_both_nodes_and_are_gone_at_the_end(nodes, marks):
    told = []
    summary = on_ray("rollout_agents:Traced", variants=list(range(12)), progress=told.append)
    assert summary.scored == len(summary.trajectories) == 36
    assert {path.name for path in marks.glob("node-*")} == {"node-0", "node-1"}
    processes = [int(path.name.partition("-")[2]) for path in marks.glob("process-*")]
    assert len(processes) == 2
    wait_for(lambda: not any(map(is_running, processes)))
    assert (told[0].done, told[-1].done, told[-1].total) == (0, 36, 36)


def test_what_is_handed_out_and_comes_back_is_bounded_while_the_driver_is_slow(nodes, marks):
    behind = []

    def slowly(progress):
        time.sleep(0.02)
        behind.append(len(list(marks.glob("session-*"))) - progress.done)

    on_ray("rollout_agents:Traced", variants=list(range(30)), progress=slowly)
    # Were there no bound, the workers would be done with all 90 while the driver has taken the first few.
    assert max(behind) <= 2 * (1 + AHEAD) + REPORT
    assert max(behind) > 2


def test_served_roles_and_a_served_policy_are_asked_from_the_nodes(tmp_path, nodes):
    told = []
    with FaultyServer(agree) as server:
        options = {"env_kwargs": served(server.url, TINY), "concurrency": 3}
        on_ray(out=tmp_path / "ray", progress=told.append, **options)
        run(KEEPER, variants=VARIANTS, out=tmp_path / "one", **options)
    assert content(tmp_path / "ray") == content(tmp_path / "one")
    assert {"policy", "user"} <= set(told[-1].latency)
    assert any(now.load.requests for now in told)

    with ChatServer(lambda body: {"content": "Which of these matters most to you?"}) as server:
        for name, options in {"ray2": {"engine": "ray", "workers": 2}, "one2": {}}.items():
            run(f"toy@{server.url}", variants=VARIANTS, out=tmp_path / name, **options)
    assert content(tmp_path / "ray2") == content(tmp_path / "one2")


def test_a_policy_that_raises_leaves_its_sessions_unscored_and_the_others_go_on(tmp_path, nodes):
    summary = on_ray("rollout_agents:Raising", out=tmp_path / "ray")
    run("rollout_agents:Raising", variants=VARIANTS, out=tmp_path / "one")
    assert (summary.scored, dict(summary.error_kinds)) == (8, {"policy": 4})
    assert same(tmp_path / "ray", tmp_path / "one")
    assert same(tmp_path / "ray", tmp_path / "one", "unscored.jsonl")
    assert "rollout_agents.py" in (tmp_path / "ray" / "errors.log").read_text()


def test_a_session_that_takes_too_long_is_unscored_and_the_others_go_on(tmp_path, nodes):
    def stuck(messages, tools):
        if "memo.txt" in str(messages[1]):
            threading.Event().wait()
        return talking(messages, tools)

    summary = on_ray(stuck, variants=[0, 1], session_timeout_s=2.0, concurrency=3, out=tmp_path)
    assert (summary.scored, dict(summary.error_kinds)) == (4, {"policy": 2})
    assert {line["task_id"] for line in lines(tmp_path, "unscored.jsonl")} == {"02-memo"}


def test_what_a_run_lacks_is_played_on_ray_and_nothing_twice(tmp_path, nodes, marks):
    run("rollout_agents:FailingKeeper", variants=VARIANTS, out=tmp_path, **OWN)
    assert len(keys(tmp_path)) == 10
    (marks / "mended").touch()
    summary = on_ray("rollout_agents:FailingKeeper", out=tmp_path, resume=True, **OWN)
    assert (summary.scored, summary.missing, summary.unscored) == (12, 0, 0)
    run("rollout_agents:FailingKeeper", variants=VARIANTS, out=tmp_path / "one", **OWN)
    assert content(tmp_path) == content(tmp_path / "one")
    assert on_ray("rollout_agents:FailingKeeper", out=tmp_path, resume=True, **OWN).scored == 12  # nothing is left


def test_it_is_awaited_and_cancelled_in_a_running_loop(tmp_path, nodes, marks):
    async def main():
        kwargs = {"pack": str(TINY)}
        summary = await collect_async(ENV_ID, awaiting, env_kwargs=kwargs, engine="ray", workers=2)
        assert summary.scored == 3
        options = {"env_kwargs": kwargs, "engine": "ray", "workers": 2, "out": tmp_path}
        endless = asyncio.create_task(collect_async(ENV_ID, Traced(), variants=list(range(300)), **options))
        while not (tmp_path / "trajectories.jsonl").exists() or len(content(tmp_path)) < 4:
            await asyncio.sleep(0.02)
        endless.cancel()
        with pytest.raises(asyncio.CancelledError):
            await endless

    asyncio.run(main())
    assert len(keys(tmp_path)) == len(set(keys(tmp_path))) < 900
    processes = [int(path.name.partition("-")[2]) for path in marks.glob("process-*")]
    wait_for(lambda: not any(map(is_running, processes)))


# -- what cannot begin says why --------------------------------------------------------------------------------------


def test_workers_that_do_not_fit_are_refused_with_what_there_is(nodes):
    with pytest.raises(PiGymError, match=r"3 workers need 3 CPU, and the cluster has 2 CPU on 2 nodes, where 2 fit"):
        on_ray(workers=3)
    # In all there would be enough, but not on any one node.
    with pytest.raises(PiGymError, match=r"1 worker needs 2 CPU, .* where 0 fit"):
        on_ray(workers=1, ray_options={"num_cpus": 2})
    with pytest.raises(PiGymError, match=r"2 gold, and the cluster has 2 CPU, 0 gold"):
        on_ray(ray_options={"resources": {"gold": 1}})
    assert on_ray(workers=3, ray_options={"num_cpus": 0.5}).scored == 12


def test_a_cluster_that_does_not_answer_is_said_to(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "pi_gym", "rollout", "PiBench-v0", "--pack", str(TINY), "--engine", "ray"],
        env={**os.environ, "RAY_ADDRESS": "127.0.0.1:1"}, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert done.returncode == 1
    assert "pi-gym: engine='ray': no cluster answers at RAY_ADDRESS=127.0.0.1:1 (" in done.stderr
    assert "Traceback" not in done.stderr


def test_options_that_ray_does_not_take_are_refused(nodes):
    with pytest.raises(UnknownName, match=r"'num_cpu'\. Did you mean 'num_cpus'"):
        on_ray(ray_options={"num_cpu": 2})
    with pytest.raises(BadArgument, match=r"ray_options: .*/nowhere is not a valid path"):
        on_ray(ray_options={"runtime_env": {"working_dir": "/nowhere"}})


def test_options_reach_the_workers(nodes, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    variables = {MARKS: str(folder)}
    on_ray("rollout_agents:Traced", variants=[0], ray_options={"runtime_env": {"env_vars": variables}})
    assert len(list(folder.glob("session-*"))) == 3


@pytest.mark.parametrize(
    ("there", "told"),
    [("other", r"the pack 'tiny' has other content there \(\w{12}, here \w{12}\)"), ("none", "/nowhere")],
)
def test_a_node_with_another_pack_or_none_is_named(tmp_path, nodes, there, told):
    other = copy_pack(TINY, tmp_path / "packs" / "tiny")
    (other / "tasks" / "01-list" / "files").mkdir(exist_ok=True)
    (other / "tasks" / "01-list" / "files" / "more.txt").write_text("more\n")
    node = nodes.add(f"with-{there}", other if there == "other" else "/nowhere", **{there: 1})
    options = {"ray_options": {"resources": {there: 1}}, "env_kwargs": {"pack": OnNode(TINY)}}
    try:
        with pytest.raises(PiGymError, match=rf"a worker on the node [\d.]+ cannot begin: .*{told}"):
            on_ray(workers=1, **options)
    finally:
        nodes.kill(node)


def test_a_node_without_a_sandbox_plays_no_task_that_runs_commands(nodes):
    options = {"variants": [1], "workers": 1, "tasks": ["08-checkpoint-choice"]}
    options["env_kwargs"] = {"pack": "researcher", "history": "none", "exec_backend": OnNode("auto")}
    options["ray_options"] = {"runtime_env": {"env_vars": {NODE_PACK: "off"}}}
    with pytest.raises(PiGymError, match=r"cannot begin: tasks run shell commands, and nothing runs those there \("):
        on_ray("silent", **options)


def test_an_agent_that_cannot_be_made_there_is_told_with_the_node(nodes, marks):
    with pytest.raises(PiGymError, match=r"a worker on the node [\d.]+ cannot begin: agent .*: OSError: no model here"):
        on_ray("rollout_agents:Unstartable")


def test_what_cannot_travel_is_refused_with_the_way_out(nodes):
    agent = Saying("Hm.")
    agent.lock = threading.Lock()
    with pytest.raises(
        PiGymError, match=r"cannot be pickled .* module:Class or module:function, or use engine='local'"
    ):
        on_ray(agent)
