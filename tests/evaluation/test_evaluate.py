"""Evaluations of real agents over small packs: what is played, kept, refused, paid, and taken up again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.chat_server import ChatServer
from support.packs import TINY, copy_pack
from typer.testing import CliRunner

import pi_gym
from pi_gym.cli.main import app
from pi_gym.errors import BadArgument, PiGymError
from pi_gym.evaluation import Evaluation
from pi_gym.evaluation.entrants import entrants
from pi_gym.evaluation.evaluation_progress import EvaluationProgress
from pi_gym.evaluation.prices import Price, read_prices
from pi_gym.evaluation.software import git_commit
from pi_gym.evaluation.spending import read_spendings
from pi_gym.models.usage import Usage
from pi_gym.runs.lines import RunError
from pi_gym.session.trajectory import SessionKey

ENV = "PiBench-v0"
KWARGS = {"pack": str(TINY)}


def play(out: Path, agents: Any = ("reference", "silent"), **options: Any) -> Evaluation:
    return pi_gym.evaluate(ENV, agents, out=out, **{"runs": 2, "env_kwargs": KWARGS, **options})


def keys(run: Path) -> list[tuple[Any, ...]]:
    lines = [json.loads(line) for line in (run / "trajectories.jsonl").read_text().splitlines()]
    return [(line["task_id"], line["sample"]) for line in lines]


def test_every_session_is_played_so_often_for_each_agent(tmp_path: Path) -> None:
    found = play(tmp_path / "e")
    assert list(found.agents) == ["reference", "silent"]
    for label in found.agents:
        played = keys(tmp_path / "e" / label / "history-reference")
        tasks = {task for task, _ in played}
        assert sorted(played) == sorted((task, sample) for task in tasks for sample in (0, 1))
    assert found.is_whole
    assert (found.agents["reference"].summary.mean("proc"), found.agents["silent"].summary.mean("proc")) == (1.0, 0.0)
    assert found.agents["silent"].summary.overall["comp"].std == 0.0
    record = json.loads((tmp_path / "e" / "evaluation.json").read_text())
    assert record["results"] == found.to_json()
    assert (record["runs"], record["split"], record["roles"]) == (2, "test", {"user": "rule", "grader": "rule"})
    assert set(record["software"][0]) == {"pi_gym", "python", "gymnasium", "git_commit"}
    assert (
        record["packs"]["tiny"]
        == json.loads((tmp_path / "e" / "silent" / "history-reference" / "run.json").read_text())["packs"]["tiny"]
    )


def test_the_ablation_plays_the_last_session_of_each_group_without_a_past(tmp_path: Path) -> None:
    found = pi_gym.evaluate("PiBench-Researcher-v0", ["silent"], out=tmp_path, runs=1, ablation=True)
    from pi_gym.packs import load_pack

    pack = load_pack("researcher")
    last = {card.group: card.id for card in map(pack.card, pack.task_ids) if card.group}
    assert {task for task, _ in keys(tmp_path / "silent" / "history-none")} == set(last.values())
    kept, ablated = found.agents["silent"].kept, found.agents["silent"].ablated
    assert kept is not None
    assert ablated is not None
    assert set(kept.plan.tasks) == set(ablated.plan.tasks)
    assert (kept.plan.history_mode, ablated.plan.history_mode) == ("reference", "none")


def test_an_ablation_needs_groups_and_a_past(tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match="no dependency groups"):
        pi_gym.evaluate("Pare-v0", ["silent"], out=tmp_path / "p", ablation=True)
    with pytest.raises(BadArgument, match="'none' already"):
        pi_gym.evaluate(
            "PiBench-Researcher-v0", ["silent"], out=tmp_path / "p", ablation=True, env_kwargs={"history": "none"}
        )
    assert not (tmp_path / "p").exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"runs": 3}, "runs was 2, now 3"),
        ({"seed": 1}, "seed was 0, now 1"),
        ({"env_kwargs": {**KWARGS, "history": "none"}}, "history_mode was"),
        ({"agents": {"reference": "silent"}}, "the agent reference was"),
        ({"protocol": "official"}, "protocol was"),
        ({"resume": False}, "holds an evaluation already"),
    ],
)
def test_another_evaluation_is_refused_in_the_same_folder(tmp_path: Path, options: dict[str, Any], told: str) -> None:
    play(tmp_path, ["reference"])
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.json*")}
    with pytest.raises(RunError, match=told):
        play(tmp_path, **{"agents": ["reference"], "resume": True, **options})
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.json*")} == before


def test_a_folder_with_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    for resume in (False, True):
        with pytest.raises(RunError, match=r"other things.*notes\.txt"):
            play(tmp_path, resume=resume)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_resume_may_bring_further_agents_and_plays_nothing_again(tmp_path: Path) -> None:
    play(tmp_path, ["reference"])
    first = (tmp_path / "reference/history-reference/trajectories.jsonl").read_bytes()
    found = play(tmp_path, ["silent"], resume=True)
    assert list(found.agents) == ["reference", "silent"]
    assert found.is_whole
    assert (tmp_path / "reference/history-reference/trajectories.jsonl").read_bytes() == first


def test_two_evaluations_side_by_side_say_what_sets_them_apart(tmp_path: Path) -> None:
    pack = copy_pack(TINY, tmp_path / "tiny")
    play(tmp_path / "a", ["reference"])
    play(tmp_path / "same", ["silent"])
    for task in pack.rglob("*.yaml"):
        task.write_text(f"{task.read_text()}\n# one more line\n")
    play(tmp_path / "other", ["silent"], env_kwargs={"pack": str(pack)})
    told = {}
    for name in ("same", "other"):
        done = CliRunner().invoke(app, ["report", str(tmp_path / "a"), str(tmp_path / name)])
        assert done.exit_code == 0, done.output
        told[name] = [line for line in done.stdout.splitlines() if line.startswith("not comparable")]
    assert told["same"] == []
    assert any("The content of the pack 'tiny' is" in line for line in told["other"]), told


def test_agents_that_would_share_a_folder_are_told_apart_by_names() -> None:
    with pytest.raises(BadArgument, match="NAME="):
        entrants(["silent", "silent"], {}, {})
    found = entrants(["cold=Qwen/Q-8B@http://h:1/v1", "Qwen/Q-8B@h:1", "a.b:C"], {"x": 1}, {"cold": {"temperature": 0}})
    assert [(one.label, one.folder) for one in found] == [("cold", "cold"), ("Qwen/Q-8B", "Qwen-Q-8B"), ("C", "C")]
    assert found[0].kwargs == {"x": 1, "temperature": 0}
    assert found[1].policy == "Qwen/Q-8B@h:1"


@pytest.mark.parametrize("text", ["m", "m=1", "m=1,2,3", "m=a,b", "=1,2", "m=nan,1", "m=inf,1", "m=-1,2"])
def test_a_price_of_another_form_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadArgument, match="price"):
        play(tmp_path / "e", ["silent"], prices=read_prices([text]))


def test_a_price_of_no_model_that_plays_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PiGymError, match="silent"):
        play(tmp_path / "e", ["silent"], prices={"silnt": (1, 2)})


def test_an_agents_own_tokens_are_counted_and_paid(tmp_path: Path) -> None:
    told: list[EvaluationProgress] = []
    with ChatServer(lambda body: {"content": "I do not know."}) as server:
        agents = {"toy": f"toy@{server.url}", "silent": "silent"}
        found = play(tmp_path, agents, prices={"toy": (2.0, 5.0)}, progress=told.append)
        again = play(tmp_path, agents, prices={"toy": (2.0, 5.0)}, resume=True)
        text = "".join(path.read_text() for path in tmp_path.rglob("*.json*"))
        assert server.url not in text
        requests = len(server.bodies)
        sizes = sum(len(json.dumps(body)) // 4 for body in server.bodies)
    used = found.agents["toy"].models["agent"]
    assert (used.requests, used.answers, used.completion_tokens) == (requests, requests, 7 * requests)
    assert used.prompt_tokens == sizes
    expected = (2.0 * sizes + 5.0 * 7 * requests) / 1_000_000
    assert found.agents["toy"].cost == again.agents["toy"].cost == pytest.approx(expected)
    result = json.loads((tmp_path / "evaluation.json").read_text())["results"]["toy"]
    assert result["models"]["agent"]["cost_per_session"] == pytest.approx(expected / result["attempts"])
    lines = (tmp_path / "toy/history-reference/metrics.jsonl").read_text().splitlines()
    assert sum(json.loads(line)["models"]["agent"]["completion_tokens"] for line in lines) == 7 * requests
    costs = [json.loads(line) for line in (tmp_path / "costs.jsonl").read_text().splitlines()]
    paid = {SessionKey.of(one): one for one in costs if one["label"] == "toy"}
    assert len(costs) == len(set(map(str, costs))) == 2 * len(paid)
    for line in map(json.loads, lines):
        tokens = line["models"]["agent"]
        price = (2.0 * tokens["prompt_tokens"] + 5.0 * tokens["completion_tokens"]) / 1_000_000
        assert paid[SessionKey.of(line)]["cost"] == paid[SessionKey.of(line)]["roles"]["agent"] == pytest.approx(price)
        assert price > 0
    assert sum(one["cost"] for one in costs) == pytest.approx(expected)
    assert "usage" not in (tmp_path / "toy/history-reference/trajectories.jsonl").read_text()
    assert told[-1].done == told[-1].total == found.agents["toy"].summary.scored * 2
    assert told[-1].cost == told[-1].cost_in_all == pytest.approx(expected)
    middle = next(now for now in told if now.label == "toy" and 0 < now.done < now.total // 2)
    assert middle.cost is not None
    assert middle.cost_in_all is not None
    assert middle.cost < middle.cost_in_all


def test_attempts_of_a_session_cost_together_and_what_has_no_price_has_no_cost(tmp_path: Path) -> None:
    def asked(role: str, **tokens: int) -> dict[str, Any]:
        return {**key._asdict(), "models": {role: Usage(**tokens).to_json()}}

    key = SessionKey("a", ENV, "pibench", "tiny", "01-list", 0, 0, "reference", 1)
    lines = [asked("user", prompt_tokens=1_000_000), asked("user", completion_tokens=500_000)]
    (tmp_path / "metrics.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (found,) = read_spendings(tmp_path)
    prices = {"user": Price(3.0, 4.0)}
    assert found.to_json(prices) == {**key._asdict(), "attempts": 2, "cost": 5.0, "roles": {"user": 5.0}}
    more = replace(found, models={**found.models, "grader": Usage(prompt_tokens=1)})
    assert more.to_json(prices)["roles"] == {"grader": None, "user": 5.0}
    assert more.to_json(prices)["cost"] is None


def test_an_agent_whose_server_is_away_loses_no_other(tmp_path: Path) -> None:
    arguments = ["evaluate", ENV, "--pack", str(TINY), "--runs", "1", "--out", str(tmp_path), "--quiet"]
    # Nobody listens there.
    agents = ["--agent", "toy@http://127.0.0.1:9/v1", "--agent", "silent", "--agent-option", "toy:retries=0"]
    done = CliRunner().invoke(app, [*arguments, *agents])
    assert done.exit_code == 1
    assert "toy: 3 sessions are unscored (3 policy)" in done.stderr
    record = json.loads((tmp_path / "evaluation.json").read_text())["results"]
    assert (record["toy"]["scored"], record["toy"]["unscored"], record["silent"]["scored"]) == (0, 3, 3)
    assert record["toy"]["overall"]["proc"]["mean"] is None
    with ChatServer(lambda body: {"content": "ok"}) as server:
        agents[1] = f"toy@{server.url}"
        again = CliRunner().invoke(app, [*arguments, *agents, "--resume"])
    assert again.exit_code == 0, again.output
    assert again.stdout.splitlines()[0].split()[:2] == ["agent", "sessions"]


def size_below(folder: Path) -> int:
    """The bytes of the JSON files of an evaluation that another process writes: some pass while one looks."""
    total = 0
    for path in folder.rglob("*.json*"):
        with suppress(FileNotFoundError):
            total += path.stat().st_size
    return total


@pytest.mark.slow
def test_a_killed_evaluation_goes_on_and_plays_nothing_twice(tmp_path: Path) -> None:
    out = tmp_path / "e"
    command = [sys.executable, "-m", "pi_gym", "evaluate", ENV, "--pack", str(TINY), "--runs", "12", "--quiet"]
    command += ["--agent", "silent", "--agent", "reference", "--out", str(out), "--resume"]
    kills = 0
    for size in (1, 40_000, 90_000):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        while process.poll() is None:
            if size_below(out) >= size:
                os.killpg(process.pid, signal.SIGKILL)
                kills += 1
                break
            time.sleep(0.01)
        process.communicate()
    assert kills >= 2
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for label in ("silent", "reference"):
        played = keys(out / label / "history-reference")
        assert len(played) == len(set(played)) == 36
    whole = play(tmp_path / "whole", ["silent", "reference"], runs=12)
    record = json.loads((out / "evaluation.json").read_text())
    for label, found in whole.to_json().items():
        assert record["results"][label]["overall"] == found["overall"]


def test_the_commit_is_that_of_our_own_checkout_alone(tmp_path: Path) -> None:
    assert git_commit(tmp_path) is None
    assert git_commit(Path("/nowhere/at/all")) is None
