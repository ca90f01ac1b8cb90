"""Collecting under history="own": episodes, alone and in groups, here and in workers, interrupted and taken up."""

from __future__ import annotations

import json
from typing import Any

import gymnasium as gym
import pytest
from rollout_agents import MARKS, Keeper
from rollout_cases import ENV_ID, content, keys, lines, run
from support.packs import PROTOCOL, TINY, copy_pack

from pi_gym.errors import BadArgument, PackError
from pi_gym.packs import load_pack
from pi_gym.rollout import RunError
from pi_gym.runs.plan import require_episode
from pi_gym.seeding import Stream
from pi_gym.session import read_trajectories

TASKS = ["01-list", "02-memo", "03-ping"]
OWN = {"pack": str(TINY), "history": "own"}


def own(agent: Any = "rollout_agents:Keeper", **arguments: Any) -> Any:
    return run(agent, **{"env_kwargs": OWN, "variants": [0, 1, 2, 3], **arguments})


def by_hand(variant: int, seed: int = 0) -> list[str]:
    """The lines of an episode that somebody plays with the environment itself."""
    env, agent, found = gym.make(ENV_ID, disable_env_checker=True, **OWN), Keeper(), []
    for number, task in enumerate(TASKS):
        key = (agent.name, ENV_ID, "pibench", "tiny", task, variant, seed, "own", 0)
        env.action_space.seed(Stream("rollout", "actions", *key).integer(0, 2**31 - 1))
        observation, info = env.reset() if number else env.reset(seed=seed, options={"variant": variant})
        agent.reset(observation, info, env)
        ended = False
        while not ended:
            observation, _, terminated, truncated, info = env.step(agent.act(observation, info))
            ended = terminated or truncated
        found.append(env.unwrapped.session.trajectory(agent=agent.name).to_line())
    env.close()
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run of four episodes, one after the other, in one go."""
    out = tmp_path_factory.mktemp("own") / "whole"
    summary = own(out=out)
    assert (summary.scored, summary.missing) == (12, 0)
    return out


def test_an_episode_is_what_the_environment_plays_from_a_seed_and_a_variant(tmp_path):
    own(variants=[5], seed=4, out=tmp_path / "run")
    assert (tmp_path / "run" / "trajectories.jsonl").read_text().splitlines() == by_hand(5, seed=4)


def test_each_session_has_the_agents_own_past_and_the_episodes_seed(whole):
    for record in read_trajectories(whole):
        assert (record.history_mode, record.seed, record.group_id) == ("own", 0, "")
        read = next(event.data["result"] for event in record.events if event.kind == "call")
        assert read.count("## Conversation ") == TASKS.index(record.task_id)
        earlier = {"01-list": "(nothing noted yet)", "02-memo": "01-list ", "03-ping": "02-memo "}[record.task_id]
        assert earlier in record.opening[0]


@pytest.mark.parametrize("options", [{"concurrency": 3}, {"workers": 2, "concurrency": 2}, {"variants": [3, 1, 0, 2]}])
def test_the_same_seeds_give_the_same_episodes_however_they_are_played(tmp_path, whole, options):
    own(out=tmp_path / "run", **options)
    assert content(tmp_path / "run") == content(whole)
    if "variants" not in options:
        for name in ("summary.json", "run.json"):
            assert (tmp_path / "run" / name).read_bytes() == (whole / name).read_bytes()


def test_the_lines_of_an_episode_are_in_its_order(tmp_path):
    own(out=tmp_path / "run", concurrency=4)
    for variant in range(4):
        assert [key.task_id for key in keys(tmp_path / "run") if key.variant == variant] == TASKS


@pytest.mark.parametrize("history", ["own", "reference"])
def test_a_group_holds_the_start_that_a_run_without_groups_has_and_others_like_it(tmp_path, history):
    options = {"split": "train", "variants": None, "env_kwargs": {**OWN, "history": history}}
    single = own(sessions=4, **options).trajectories
    summary = own(sessions=12, group_size=3, concurrency=2, out=tmp_path / "run", **options)
    assert (summary.scored, summary.sampling.whole, summary.sampling.partial) == (12, 2 if history == "own" else 4, 0)
    found = lines(tmp_path / "run")
    first = {line["task_id"] + str(line["variant"]): line for line in found if line["sample"] == 0}
    for record in single:
        assert {**first[record.task_id + str(record.variant)], "group_id": ""} == record.to_json()
    groups: dict[str, list[dict[str, Any]]] = {}
    for line in found:
        groups.setdefault(line["group_id"], []).append(line)
    for members in groups.values():
        assert len({(line["variant"], line["seed"]) for line in members}) == 1
        assert sorted({line["sample"] for line in members}) == [0, 1, 2]
        task = members[0]["task_id"]
        assert len({json.dumps(line["events"]) for line in members if line["task_id"] == task}) == 3
    asked = json.loads((tmp_path / "run" / "run.json").read_text())
    assert asked["group_size"] == 3
    with pytest.raises(RunError, match="group_size was 3, now 4"):
        own(sessions=12, group_size=4, out=tmp_path / "run", resume=True, **options)


def test_a_part_of_an_episode_is_its_beginning(tmp_path, whole):
    own(sessions=8, out=tmp_path / "run")
    assert set(content(tmp_path / "run")) < set(content(whole))
    assert [key.task_id for key in sorted(keys(tmp_path / "run"), key=lambda key: key.variant)] == TASKS * 2 + TASKS[:2]


def test_an_unscored_session_stops_its_episode_and_a_resume_goes_on_from_there(tmp_path, monkeypatch, whole):
    monkeypatch.setenv(MARKS, str(tmp_path))
    out, options = tmp_path / "run", {"concurrency": 2}
    for _ in range(2):  # a resume tries again, and stops again
        summary = own("rollout_agents:FailingKeeper", out=out, resume=True, **options)
        assert (summary.scored, summary.unscored, summary.missing) == (10, 1, 1)
        assert dict(summary.error_kinds) == {"policy": 1}
        assert json.loads((out / "summary.json").read_text())["episodes"] == {"planned": 4, "whole": 3, "stopped": 1}
        assert summary.tasks["03-ping"]["proc"].sessions == 3
        assert ("03-ping", 2) not in {(key.task_id, key.variant) for key in keys(out)}
    assert [line["task_id"] for line in lines(out, "unscored.jsonl")] == ["02-memo"] * 2
    (tmp_path / "mended").touch()
    summary = own("rollout_agents:FailingKeeper", out=out, resume=True, **options)
    assert (summary.scored, summary.unscored, summary.missing) == (12, 0, 0)
    assert content(out) == content(whole)


@pytest.mark.parametrize("concurrency", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_an_episode_whose_worker_dies_is_taken_up_by_another(tmp_path, monkeypatch, whole, concurrency):
    monkeypatch.setenv(MARKS, str(tmp_path))
    out = tmp_path / "run" if concurrency > 1 else None
    summary = own("rollout_agents:DyingKeeper", workers=2, concurrency=concurrency, out=out)
    assert (tmp_path / "died").exists()
    assert (summary.scored, summary.unscored) == (12, 0)
    found = content(out) if out is not None else sorted(record.to_line() for record in summary.trajectories)
    assert found == content(whole)


def test_sessions_may_be_left_out_of_an_episode_and_it_is_taken_up_all_the_same(tmp_path):
    options = {"tasks": ["02-memo", "03-ping"], "variants": [0, 1]}
    assert own(out=tmp_path / "run", **options).scored == 4
    for record in read_trajectories(tmp_path / "run"):
        read = next(event.data["result"] for event in record.events if event.kind == "call")
        assert read.count("## Conversation ") == options["tasks"].index(record.task_id)
    own(out=tmp_path / "cut", **options)
    file = tmp_path / "cut" / "trajectories.jsonl"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:3]))
    own(out=tmp_path / "cut", resume=True, **options)
    assert content(tmp_path / "cut") == content(tmp_path / "run")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"tasks": ["02-memo", "01-list"]}, "give them in it"),
        ({"tasks": ["03-ping"], "split": "train"}, "none of the split 'train'"),
        ({"sessions": 7, "group_size": 2}, "ask for 6 or 8"),
    ],
)
def test_what_is_no_episode_is_refused(arguments, told):
    with pytest.raises(ValueError, match=told):
        own(**arguments)


def test_a_record_of_other_content_is_not_gone_on_with(tmp_path):
    own(variants=[0], out=tmp_path)
    file = tmp_path / "trajectories.jsonl"
    first, second, _ = file.read_text().splitlines(keepends=True)
    was = json.loads(first)["pack_hash"]
    file.write_text(first.replace(was, "0" * len(was)) + second)
    with pytest.raises(RunError, match=r"pack 'tiny' with the content 000000000000, and the run's has"):
        own(variants=[0], out=tmp_path, resume=True)
    file.write_text(second)
    with pytest.raises(RunError, match="not 01-list, on which it rests"):
        own(variants=[0], out=tmp_path, resume=True)


def test_a_record_that_does_not_come_out_leaves_the_next_session_unscored_and_says_why(tmp_path):
    own(variants=[0], out=tmp_path)
    file = tmp_path / "trajectories.jsonl"
    first, *_ = file.read_text().splitlines(keepends=True)
    file.write_text(first.replace('"result":"', '"result":"Not ', 1))
    summary = own(variants=[0], out=tmp_path, resume=True)
    assert (summary.scored, summary.unscored, summary.missing) == (1, 1, 1)
    assert dict(summary.error_kinds) == {"engine": 1}


def test_the_past_of_two_personas_is_no_episode():
    packs = [load_pack(TINY), load_pack(PROTOCOL)]
    with pytest.raises(BadArgument, match="of one persona, and here are tiny, protocol"):
        require_episode(packs, "test", [("tiny", "01-list"), ("protocol", "01-list")])


def test_a_refused_reset_leaves_out_no_session_of_the_episode(tmp_path):
    folder = copy_pack(TINY, tmp_path / "tiny")
    text = (folder / "tasks/02-memo/task.yaml").read_text()
    (folder / "tasks/02-memo/task.yaml").write_text("odd: 1\n" + text)
    env = gym.make("PiBench-v0", pack=str(folder), history="own").unwrapped
    env.reset(seed=0)
    assert env.session.identity.task_id == TASKS[0]
    for _ in range(2):  # the task is broken for good, and is never passed over
        with pytest.raises(PackError, match="02-memo"):
            env.reset()
