"""The learner without a language model: its gradients are those of what they are said to be, and it learns."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from support.scripts import EXAMPLES, loaded


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return loaded("reinforce_macros")


@pytest.fixture(scope="module")
def macros(script: ModuleType) -> ModuleType:
    return loaded("shared.macros")


def drawn(shape: tuple[int, ...], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def slopes(of: Any, weights: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """The derivatives of a function of weights, by differences."""
    return np.array(
        [(of(weights + step * row) - of(weights - step * row)) / (2 * step) for row in np.eye(len(weights))]
    )


@pytest.mark.parametrize("chosen", range(5))
def test_the_score_is_the_derivative_of_the_log_probability(script: ModuleType, chosen: int) -> None:
    weights, features = drawn((3,), 0), drawn((5, 3), 1)
    found = script.score_gradient(weights, features, chosen)
    assert np.allclose(found, slopes(lambda one: np.log(script.softmax(features @ one)[chosen]), weights), atol=1e-6)


def test_the_bonus_is_the_derivative_of_the_entropy(script: ModuleType) -> None:
    weights, features = drawn((3,), 2), drawn((5, 3), 3)

    def entropy(one: np.ndarray) -> float:
        chances = script.softmax(features @ one)
        return float(-(chances * np.log(chances)).sum())

    assert np.allclose(script.entropy_gradient(weights, features), slopes(entropy, weights), atol=1e-6)


def follow(
    script: ModuleType, env: gym.Env[Any, Any], order: tuple[int, ...], **options: Any
) -> tuple[list[tuple[np.ndarray, int]], float]:
    """The first steps of a session with these macro-actions: its moves and the return."""
    _, info = env.reset(options=options)
    assistant = script.assistant_of(env.session, info["new_messages"])
    moves, total, over = [], 0.0, False
    for place in order:
        if over:
            break
        moves.append((assistant.state(), place))
        _, reward, terminated, truncated, info = env.step(assistant.act(place))
        assistant.hear(info["new_messages"])
        total, over = total + float(reward), terminated or truncated
    return moves, total


def test_rewards_times_scores_are_the_gradient_of_the_expected_return(script: ModuleType) -> None:
    """Over all ways to play two steps of one session, so that nothing is left to chance."""
    env = gym.make("PiBench-Mini-v0", max_steps=2, disable_env_checker=True).unwrapped
    env.reset(options={"task": "01-sign", "variant": 4})
    assistant = script.assistant_of(env.session)
    count, width = len(assistant.macros), assistant.width()
    orders = itertools.product(range(count), repeat=2)
    paths = {  # a session that ends early has one way to go on
        tuple(place for _, place in moves): (moves, total)
        for moves, total in (follow(script, env, order, task="01-sign", variant=4) for order in orders)
    }
    assert len({total for _, total in paths.values()}) > 3

    def chance(weights: np.ndarray, moves: list[tuple[np.ndarray, int]]) -> float:
        return float(np.prod([script.softmax(features @ weights)[place] for features, place in moves]))

    def expected(weights: np.ndarray) -> float:
        return sum(chance(weights, moves) * total for moves, total in paths.values())

    weights = drawn((width,), 4)
    gradient = np.zeros(width)
    for moves, total in paths.values():
        for features, place in moves:
            gradient += chance(weights, moves) * total * script.score_gradient(weights, features, place)
    assert np.abs(gradient).max() > 1e-3
    assert np.allclose(gradient, slopes(expected, weights), atol=1e-6)


def played(script: ModuleType, env: gym.Env[Any, Any], roles: list[str], seed: int) -> tuple[float, float]:
    """Proc and Comp of a validation session in which all macro-actions of these roles are done, in their order."""
    _, info = env.reset(seed=seed)
    assistant, over = script.assistant_of(env.session, info["new_messages"]), False
    for place in (place for role in roles for place in assistant.places(role)):
        if not over:
            _, _, terminated, truncated, info = env.step(assistant.act(place))
            assistant.hear(info["new_messages"])
            over = terminated or truncated
    assert over
    return info["proc"], info["comp"]


@pytest.mark.slow
def test_to_write_before_asking_is_best(script: ModuleType) -> None:
    """Whoever asks first, as the references do, and in vain, is told what the log would have told."""
    env = script.make("PiBench-Mini-v0", "validation")
    first = [played(script, env, ["look", "write", "ask open", "write", "reply"], seed) for seed in range(60)]
    assert set(first) == {(1.0, 1.0)}
    later = [played(script, env, ["look", "ask open", "write", "reply", "reply"], seed) for seed in range(60)]
    assert 0.94 < np.mean([proc for proc, _ in later]) < 0.99
    assert {comp for _, comp in later} == {1.0}


@pytest.mark.parametrize("task_id", ["01-baseline-table", "10-foyer-order"])
@pytest.mark.parametrize("variant", [1, 2])
def test_a_wish_is_known_once_it_was_read_or_said(macros: ModuleType, task_id: str, variant: int) -> None:
    env = gym.make("PiBench-Researcher-v0", split="train", disable_env_checker=True).unwrapped
    _, info = env.reset(options={"task": task_id, "variant": variant})
    assistant = macros.assistant_of(env.session, info["new_messages"])
    wishes = assistant.world.wishes
    told = [
        wish.name for wish in wishes if wish.drawn and wish.told and wish.name not in ("shirt-colour", "substitute")
    ]
    only_she = [wish.name for wish in wishes if wish.drawn and not wish.told]
    assert told
    assert only_she
    assert set(assistant.belief) == {None}
    for place in assistant.places("look"):
        assistant.hear(env.step(assistant.act(place))[-1]["new_messages"])
    assert all(map(assistant.knows, told))
    assert not any(map(assistant.knows, only_she))
    (place,) = assistant.places("ask open")
    assistant.hear(env.step(assistant.act(place))[-1]["new_messages"])
    assert all(map(assistant.knows, only_she))
    believed = dict(zip([wish.name for wish in wishes], assistant.belief, strict=True))
    assert {name: believed[name] for name in only_she} == {w.name: w.value for w in wishes if w.name in only_she}


@pytest.mark.parametrize("env_id", ["PiBench-Mini-v0", "PiBench-Researcher-v0", "Pare-v0"])
def test_every_task_has_macro_actions_of_the_same_roles(script: ModuleType, env_id: str) -> None:
    env = script.make(env_id, "train")
    width = set()
    for task_id in (one for one in env.packs[0].task_ids if "exec" not in env.packs[0].card(one).needs):
        _, info = env.reset(options={"task": task_id, "variant": 1})
        assistant = script.assistant_of(env.session, info["new_messages"])
        assert 8 <= len(assistant.macros) <= 40
        assert len(set(assistant.macros)) == len(assistant.macros)
        features = assistant.state()
        assert features.shape == (len(assistant.macros), assistant.width())
        width.add(features.shape[1])
    assert len(width) == 1


def test_another_kind_of_session_is_refused(macros: ModuleType) -> None:
    with pytest.raises(TypeError, match="expected a session of PiBench or of Pare"):
        macros.assistant_of(object())


def test_where_no_help_is_wanted_the_macro_actions_are_those_of_another_world(macros: ModuleType) -> None:
    found = macros.planned("stranded-friend", 0)
    scenarios = macros.installed_scenarios()
    silent = next(number for number in range(100) if scenarios.instantiate("stranded-friend", number).solution is None)
    assert found.solution is not None
    assert macros.planned("stranded-friend", silent).variant > silent


@pytest.mark.parametrize("env_id", ["PiBench-Mini-v0", "Pare-v0"])
def test_the_curve_is_logged_as_it_comes(script: ModuleType, env_id: str) -> None:
    logged: list[tuple[int, dict[str, float]]] = []

    class Notes:
        def log(self, step: int, values: dict[str, float]) -> None:
            logged.append((step, values))

        def close(self) -> None: ...

    _, curve, returns = script.learn(script.make(env_id, "train"), 3, 2, 1.0, 0, Notes())
    assert [step for step, _ in logged] == [1, 2, 3]
    assert [values["train/return"] for _, values in logged] == [point["return"]["value"] for point in curve]
    assert [np.mean(batch) for batch in returns] == pytest.approx([point["return"]["value"] for point in curve])


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_the_return_rises(script: ModuleType, seed: int) -> None:
    _, _, returns = script.learn(script.make("PiBench-Mini-v0", "train"), batches=40, size=16, rate=0.4, seed=seed)
    assert np.mean(returns[-5:]) > np.mean(returns[:5]) + 0.1


@pytest.mark.slow
def test_it_learns_the_optimum(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "curve.json"
    monkeypatch.setattr(sys, "argv", [str(EXAMPLES / "reinforce_macros.py"), "--out", str(out)])
    script.main()
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["after"]["return"]["value"] > 0.99
    assert found["before"]["return"]["value"] < 0.7
    assert "write" in capsys.readouterr().out
