"""The memory agent: what it extracts, what it believes where nothing is found, and what a past is worth to it."""

from __future__ import annotations

from pathlib import Path

import gymnasium as gym
import pytest
from support.packs import copy_pack, edit_yaml

from pi_gym import load_pack
from pi_gym.baselines.memory import MemoryAgent, recollect
from pi_gym.errors import PiGymError
from pi_gym.pibench.env import PiEnv
from pi_gym.pibench.history import opening_for

SOUND = Path(__file__).parent / "sound"
VARIANTS = range(4)


def recollected(folder: Path, task_id: str, variant: int, mode: str):
    pack = load_pack(folder)
    task = pack.instantiate(task_id, variant)
    return task, recollect(pack, task, opening_for(pack, task, mode, "task").world)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_value_of_the_past_is_read_from_the_log(variant: int) -> None:
    task, found = recollected(SOUND, "02-label", variant, "reference")
    assert found.values["persona.unit"] == task.values["persona.unit"]
    assert found.missed == ()


@pytest.mark.parametrize("variant", VARIANTS)
def test_without_a_past_the_value_is_wrong(variant: int) -> None:
    task, found = recollected(SOUND, "02-label", variant, "none")
    assert {found.values["persona.unit"], task.values["persona.unit"]} == {"grams", "ounces"}
    assert found.missed == ("unit",)


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_asked_for_is_known(variant: int) -> None:
    task, found = recollected(SOUND, "01-scale", variant, "none")
    asked = {name for intent in task.intents if not intent.recover for name in intent.values}
    assert {name: found.values[name] for name in asked} == {name: task.values[name] for name in asked}


def test_texts_become_the_values_that_they_stand_for(tmp_path: Path) -> None:
    folder = copy_pack(SOUND, tmp_path / "sound")

    def told(raw: dict) -> None:
        loaves = next(wish for wish in raw["wishes"] if wish.get("name") == "loaves")
        loaves |= {"always": True, "told": {"file": "order.txt", "sentence": "for {{ it }} loaves"}}

    edit_yaml(folder / "tasks" / "01-scale" / "task.yaml", told)
    (folder / "tasks" / "01-scale" / "files").mkdir(exist_ok=True)
    (folder / "tasks" / "01-scale" / "files" / "order.txt.j2").write_text("for {{ p.loaves }} loaves\n")
    task, found = recollected(folder, "01-scale", 1, "none")
    assert found.values["loaves"] == task.values["loaves"]
    assert isinstance(found.values["loaves"], int)


def score(task_id: str, history: str, variant: int) -> float:
    env = gym.make("PiBench-v0", pack=str(SOUND), history=history, disable_env_checker=True)
    agent = MemoryAgent()
    observation, info = env.reset(options={"task": task_id, "variant": variant})
    agent.reset(observation, info, env)
    done = False
    while not done:
        observation, _, terminated, truncated, info = env.step(agent.act(observation, info))
        done = terminated or truncated
    return info["proc"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_past_is_worth_what_only_it_tells(variant: int) -> None:
    assert score("02-label", "reference", variant) == 1.0
    assert score("02-label", "none", variant) < 1.0
    assert score("01-scale", "none", variant) == 1.0


def test_it_wants_an_open_session_of_ours() -> None:
    env = PiEnv(str(SOUND))
    with pytest.raises(TypeError, match="the memory agent plays open sessions"):
        MemoryAgent().reset({}, {}, env)


def test_a_task_without_a_reference_is_refused(tmp_path: Path) -> None:
    folder = copy_pack(SOUND, tmp_path / "sound")
    edit_yaml(folder / "pack.yaml", lambda raw: raw.update(references=False))
    edit_yaml(folder / "tasks" / "01-scale" / "task.yaml", lambda raw: raw.pop("solution"))
    env = PiEnv(str(folder), history="none")
    observation, info = env.reset(options={"task": "01-scale", "variant": 0})
    with pytest.raises(PiGymError, match="'01-scale' has no reference"):
        MemoryAgent().reset(observation, info, env)
