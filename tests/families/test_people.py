"""`PiBench-v0` draws over two people, evenly, and reads nothing of one whom it has not drawn."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from pi_gym.errors import UnknownName
from pi_gym.installed import installed_packs
from pi_gym.packs import load_pack
from pi_gym.pibench.env import packs_of
from pi_gym.runs.plan import choose_tasks, plan_sessions
from pi_gym.sampling import SPLITS, Split, StartSampler, split_tasks

ROOT = Path(__file__).parents[2]
PEOPLE = ["pharmacist", "researcher"]
EXCLUDED: list[tuple[str, ...]] = [(), ("exec",)]
OPENED = """
import json, sys
import gymnasium
import pi_gym
opened = []
sys.addaudithook(lambda name, args: opened.append(str(args[0])) if name == "open" else None)
parts = []
env = gymnasium.make("PiBench-v0", history="none")
for step in (None, "researcher", "pharmacist"):
    if step:
        env.reset(seed=0, options={"pack": step})
    parts.append([path.split("/envs/")[1] for path in opened if "/envs/" in path])
    opened.clear()
print(json.dumps(parts))
"""


def test_it_draws_over_the_packs_that_count() -> None:
    assert [pack.name for pack in packs_of(None)] == PEOPLE
    assert [name for name in installed_packs() if load_pack(name).spec.benchmark] == PEOPLE
    assert [pack.name for pack in packs_of("mini")] == ["mini"]


@pytest.mark.parametrize("without", EXCLUDED)
@pytest.mark.parametrize("split", SPLITS)
def test_every_split_draws_one_person_as_often_as_the_other(split: Split, without: tuple[str, ...]) -> None:
    sampler = StartSampler(packs_of(None), split, own=False, exclude_needs=without)
    random = np.random.default_rng(0)
    drawn: Counter[tuple[str, str]] = Counter()
    for _ in range(2000):
        start = sampler.start(random, None, new=True)
        drawn[start.pack.name, start.task_id] += 1
    having = {pack.name: tasks for pack in packs_of(None) if (tasks := split_tasks(pack, split, without))}
    for name, tasks in having.items():
        assert {task for of, task in drawn if of == name} == set(tasks)
        assert abs(sum(drawn[name, task] for task in tasks) - 2000 / len(having)) <= 100


def test_an_episode_is_one_persons_and_both_begin_some() -> None:
    sampler = StartSampler(packs_of(None), "test", own=True)
    random = np.random.default_rng(1)
    begun = set()
    for _ in range(20):
        start = sampler.start(random, None, new=True)
        sampler.opened(start)
        after = sampler.start(random, None, new=False)
        assert (start.first, after.first, after.pack) == (True, False, start.pack)
        begun.add(start.pack.name)
    assert begun == set(PEOPLE)


@pytest.mark.parametrize("without", EXCLUDED)
@pytest.mark.parametrize("split", SPLITS)
def test_a_run_takes_their_tasks_by_turns(split: Split, without: tuple[str, ...]) -> None:
    packs = packs_of(None)
    chosen = choose_tasks(packs, split, None, without)
    for pack in packs:
        assert [task for name, task in chosen if name == pack.name] == list(split_tasks(pack, split, without))
    whole = Counter(name for name, _ in chosen)
    for sessions in range(1, len(chosen) + 1):
        part = Counter(one.pack for one in plan_sessions(chosen, split, sessions=sessions, seed=0))
        assert all(abs(part[name] - sessions * count / len(chosen)) <= 1 for name, count in whole.items())


def test_one_pack_keeps_the_order_of_its_episode() -> None:
    (pack,) = packs_of("mini")
    assert choose_tasks([pack], "test", None) == [("mini", task) for task in pack.task_ids]


def test_a_pack_that_is_none_of_them_is_refused_by_name() -> None:
    sampler = StartSampler(packs_of(None), "test", own=False)
    with pytest.raises(UnknownName, match=r"'mini'.*pharmacist, researcher"):
        sampler.checked({"pack": "mini"})


def test_nothing_of_a_person_is_read_who_is_not_drawn() -> None:
    done = subprocess.run([sys.executable, "-c", OPENED], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    made, first, second = json.loads(done.stdout)
    declared = {"pack.yaml", "persona.yaml", "episode.yaml", "wishes"}
    assert {path.split("/")[0] for path in made} == {"_shared", "mini", *PEOPLE}
    assert {path.split("/")[1] for path in made if not path.startswith("_shared/")} <= declared
    assert [path for path in made if path.startswith("mini/")] == ["mini/pack.yaml"]
    assert {path.split("/")[0] for path in first} == {"_shared", "researcher"}
    assert {path.split("/")[0] for path in second} <= {"_shared", "pharmacist"}
    assert any(path.startswith("pharmacist/tasks/") for path in second)
