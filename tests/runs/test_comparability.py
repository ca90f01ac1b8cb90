"""Which runs may stand side by side."""

from __future__ import annotations

from typing import Any

import pytest

from pi_gym.runs.comparability import differences

RUN: dict[str, Any] = {
    "format": 1,
    "pi_gym": "0.1.0",
    "env_id": "PiBench-v0",
    "family": "pibench",
    "agent": "a",
    "agent_source": "m:A",
    "agent_settings": {"temperature": 0.0},
    "split": "test",
    "sessions": 6,
    "group_size": 1,
    "seed": 0,
    "tasks": [["tiny", "01"], ["tiny", "02"]],
    "variants": None,
    "history_mode": "reference",
    "env_kwargs": {"user": {"model": "u", "temperature": 0.0}, "pack": "tiny"},
    "packs": {"tiny": "0123456789abcdef", "other": "1"},
    "prompts": "p",
    "servers": {"user": "http://one/v1"},
}


@pytest.mark.parametrize(
    "changed",
    [
        {"agent": "b", "agent_source": "m:B", "agent_settings": {"temperature": 1.0}},
        {"servers": {"user": "http://two/v1"}},
        {"sessions": 2},
        {"seed": 7},
        {"tasks": [["tiny", "02"], ["tiny", "01"]]},
        {"packs": {"tiny": "0123456789abcdef", "other": "2"}},
        {"env_kwargs": {**RUN["env_kwargs"], "grader": "rule", "pack": "/elsewhere/tiny", "keep_prompts": True}},
    ],
)
def test_what_changes_no_figure_is_no_difference(changed: dict[str, Any]) -> None:
    assert differences(RUN, RUN | changed) == differences(RUN | changed, RUN) == []


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"split": "train"}, "split is 'test' in one and 'train'"),
        ({"history_mode": "none"}, "history is"),
        ({"prompts": "q"}, "prompts is"),
        ({"pi_gym": "0.2.0"}, "version of pi_gym"),
        ({"packs": {"tiny": "fedcba"}}, "content of the pack 'tiny'"),
        ({"tasks": [["tiny", "01"]], "sessions": 3}, "1 tasks only in one (02)"),
        ({"sessions": 5}, "no whole number of rounds"),
        ({"variants": [1, 2]}, "list of variants"),
        ({"env_kwargs": {"user": {"model": "u", "temperature": 0.5}}}, "user: the temperature is 0.0 in one and 0.5"),
        ({"env_kwargs": {}}, "user: it is"),
        ({"env_kwargs": {**RUN["env_kwargs"], "tools": "mode"}}, "tools: it is not given in one and 'mode'"),
        ({"protocol": "official"}, "protocol is not given"),
        ({"rescored_from": "../a"}, "rescored_from"),
    ],
)
def test_what_changes_figures_is_told_in_a_sentence(changed: dict[str, Any], told: str) -> None:
    (sentence,) = differences(RUN, RUN | changed)
    assert told in sentence
    assert sentence.endswith(".")
    assert len(differences(RUN | changed, RUN)) == 1


@pytest.mark.parametrize("changed", [{"seed": 1}, {"sessions": 4}])
def test_worlds_that_were_drawn_have_to_be_the_same(changed: dict[str, Any]) -> None:
    train = RUN | {"split": "train"}
    assert len(differences(train, train | changed)) == 1
