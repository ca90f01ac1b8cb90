"""The pack to watch learning on: what an agent cannot know is to be asked for, and whoever imitates learns to do so."""

from __future__ import annotations

import re

import gymnasium as gym
import pytest

import pi_gym

PACK = pi_gym.load_pack("mini")
VARIANTS = range(4)


def notes(task: str, variant: int) -> dict[str, str]:
    """The lines of the notes by their labels."""
    found = PACK.instantiate(task, variant).files["notes.txt"].decode()
    return dict(re.findall(r"^(\w+): (.+)$", found, re.MULTILINE))


@pytest.mark.parametrize("task", PACK.task_ids)
def test_who_asks_for_an_open_line_is_told_it_where_it_is_wanted(task: str) -> None:
    env = gym.make("PiBench-Mini-v0", disable_env_checker=True)
    wanted = 0
    for variant in VARIANTS:
        lines = notes(task, variant)
        unknown = [label for label, value in lines.items() if value == "?"]
        assert 0 < len(unknown) < len(lines)
        drawn = {intent.name for intent in PACK.instantiate(task, variant).intents}
        for label in unknown:
            env.reset(options={"task": task, "variant": variant})
            *_, info = env.step(f"What is the {label.lower()}?")
            told = f"'{label}: " in info["new_messages"][-1]["content"]
            assert told == (label.lower() in drawn)
            assert info["question_misses"] == 0
            wanted += told
    assert wanted


@pytest.mark.parametrize("task", PACK.task_ids)
def test_the_reference_writes_all_that_the_notes_tell_and_asks_for_all_that_they_leave_open(task: str) -> None:
    asked = 0
    for variant in VARIANTS:
        lines = notes(task, variant)
        done = "\n".join(PACK.instantiate(task, variant).reference)
        for label, value in lines.items():
            if value != "?":
                assert f"{label}: {value}" in done
        questions = {label for label in lines if f"What is the {label.lower()}?" in done}
        assert questions in (set(), {label for label, value in lines.items() if value == "?"})
        asked += bool(questions)
    assert asked


@pytest.mark.parametrize("task", PACK.task_ids)
def test_the_file_is_another_one_in_other_worlds(task: str) -> None:
    requests = [PACK.instantiate(task, variant).request for variant in range(30)]
    assert len({name for request in requests for name in re.findall(r"(\w+)\.txt", request)} - {"notes"}) > 3
