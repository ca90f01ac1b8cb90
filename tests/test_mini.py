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
        wishes = " ".join(intent.text for intent in PACK.instantiate(task, variant).intents)
        for label in unknown:
            env.reset(options={"task": task, "variant": variant})
            *_, info = env.step(f"What do I write for {label}?")
            told = f"'{label}: " in info["new_messages"][-1]["content"]
            assert told == (f"'{label}: " in wishes)
            assert info["question_misses"] == 0
            wanted += told
    assert wanted


@pytest.mark.slow
@pytest.mark.parametrize("task", PACK.task_ids)
def test_no_label_is_taken_for_the_word_of_another_line(task: str) -> None:
    env = gym.make("PiBench-Mini-v0", disable_env_checker=True)
    seen: set[str] = set()
    for variant in range(120):
        for label in notes(task, variant).keys() - seen:
            seen.add(label)
            env.reset(options={"task": task, "variant": variant})
            *_, info = env.step(f"What do I write for {label}?")
            assert info["question_misses"] == 0, label
    assert len(seen) >= 48


@pytest.mark.parametrize("task", PACK.task_ids)
def test_the_reference_writes_all_that_the_notes_tell_and_asks_for_all_that_they_leave_open(task: str) -> None:
    asked = 0
    for variant in VARIANTS:
        lines = notes(task, variant)
        done = "\n".join(PACK.instantiate(task, variant).reference)
        for label, value in lines.items():
            if value != "?":
                assert f"{label}: {value}" in done
        questions = {label for label in lines if f"What do I write for {label}?" in done}
        assert questions in (set(), {label for label, value in lines.items() if value == "?"})
        asked += bool(questions)
    assert asked


@pytest.mark.parametrize("task", PACK.task_ids)
def test_the_file_is_another_one_in_other_worlds(task: str) -> None:
    requests = [PACK.instantiate(task, variant).request for variant in range(30)]
    assert len({name for request in requests for name in re.findall(r"(\w+)\.txt", request)} - {"notes"}) > 3


@pytest.mark.parametrize("task", PACK.task_ids)
def test_what_is_to_be_copied_is_another_in_other_worlds(task: str) -> None:
    """Whoever recalls labels and values that it has seen gets next to nothing in other worlds."""
    worlds = [notes(task, variant) for variant in range(60)]
    labels = [set(lines) for lines in worlds]
    assert len(set().union(*labels)) > 40
    shared = [len(one & other) / 4 for place, one in enumerate(labels) for other in labels[:place]]
    assert sum(shared) / len(shared) < 0.1
    told = [f"{label}: {value}" for lines in worlds for label, value in lines.items() if value != "?"]
    assert len(set(told)) > 0.9 * len(told)


def test_the_held_out_task_has_labels_and_names_of_its_own() -> None:
    *training, held_out = PACK.task_ids
    known = {label for task in training for variant in range(60) for label in notes(task, variant)}
    assert not known & {label for variant in range(60) for label in notes(held_out, variant)}
