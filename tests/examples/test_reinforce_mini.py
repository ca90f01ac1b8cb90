"""The learner without a language model: its gradient is that of the expected return, and it learns."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from support.scripts import EXAMPLES, loaded


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return loaded("reinforce_mini")


def test_the_score_is_the_derivative_of_the_log_probability(script: ModuleType) -> None:
    logits, step = np.random.default_rng(0).normal(size=5), 1e-6
    for chosen in range(5):
        rise = [np.log(script.softmax(logits + step * np.eye(5)[place])[chosen]) for place in range(5)]
        slope = (np.array(rise) - np.log(script.softmax(logits)[chosen])) / step
        assert np.allclose(script.score_gradient(logits, chosen), slope, atol=1e-4)


def follow(
    script: ModuleType, env: gym.Env[Any, Any], opening: Mapping[str, Any], macros: Iterable[int]
) -> tuple[list[tuple[int, int]], float, bool, Mapping[str, Any]]:
    """One session with these macro-actions, as far as it goes.

    Returns:
        Its states with the macro-actions, the return, whether it is over, and the last info.
    """
    assistant, info = script.Assistant(opening), opening
    moves, total, over = [], 0.0, False
    for macro in macros:
        if over:
            break
        moves.append((assistant.state, macro))
        _, reward, terminated, truncated, info = env.step(assistant.act(macro))
        assistant.hear(info)
        total, over = total + float(reward), terminated or truncated
    return moves, total, over, info


def test_rewards_times_scores_are_the_gradient_of_the_expected_return(script: ModuleType) -> None:
    """Over all ways to play two steps of one session, so that nothing is left to chance."""
    env = gym.make("PiBench-Mini-v0", max_steps=2, disable_env_checker=True).unwrapped
    played = {}  # a session that ends early has one way to go on
    for macros in itertools.product(range(len(script.MACROS)), repeat=2):
        _, opening = env.reset(options={"task": "01-sign", "variant": 4})
        moves, total, _, _ = follow(script, env, opening, macros)
        played[tuple(moves)] = total
    paths = list(played.items())
    assert len({total for _, total in paths}) > 3

    def expected(table: np.ndarray) -> float:
        weights = [np.prod([script.softmax(table[state])[macro] for state, macro in moves]) for moves, _ in paths]
        return float(sum(weight * total for weight, (_, total) in zip(weights, paths, strict=True)))

    table = np.random.default_rng(1).normal(size=(32, 5))
    gradient = np.zeros_like(table)
    for moves, total in paths:
        weight = np.prod([script.softmax(table[state])[macro] for state, macro in moves])
        for state, macro in moves:
            gradient[state] += weight * total * script.score_gradient(table[state], macro)
    step = 1e-6
    for state, macro in {move for moves, _ in paths for move in moves}:
        nudge = np.zeros_like(table)
        nudge[state, macro] = step
        slope = (expected(table + nudge) - expected(table - nudge)) / (2 * step)
        assert gradient[state, macro] == pytest.approx(slope, abs=1e-6)


def play_in_order(script: ModuleType, order: list[int], sessions: int) -> tuple[float, float]:
    """The means of Proc and Comp over validation sessions that are played with the same macro-actions."""
    env, found = script.make("validation"), []
    for seed in range(sessions):
        _, opening = env.reset(seed=seed)
        _, _, over, info = follow(script, env, opening, order)
        assert over
        found.append((info["proc"], info["comp"]))
    proc, comp = np.mean(found, axis=0)
    return float(proc), float(comp)


def test_to_write_before_asking_is_best(script: ModuleType) -> None:
    """Whoever asks first, as the references do, and in vain, is told what the log would have told."""
    notes, log, ask, write, reply = range(5)
    assert play_in_order(script, [notes, log, write, ask, write, reply], 60) == (1.0, 1.0)
    proc, comp = play_in_order(script, [notes, log, ask, write, reply], 60)
    assert 0.94 < proc < 0.99
    assert comp == 1.0


@pytest.mark.slow
def test_the_return_rises(script: ModuleType) -> None:
    _, curve = script.learn(script.make("train"), batches=30, size=8, rate=4.0, seed=0)
    returns = [point["return"] for point in curve]
    assert np.mean(returns[-5:]) > np.mean(returns[:5]) + 0.1


@pytest.mark.slow
def test_it_learns_the_optimum(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "curve.json"
    monkeypatch.setattr(sys, "argv", [str(EXAMPLES / "reinforce_mini.py"), "--out", str(out)])
    script.main()
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["after"]["return"] > 0.99
    assert found["before"]["return"] < 0.7
    assert "write" in capsys.readouterr().out


def test_the_curve_is_logged_as_it_comes(script: ModuleType) -> None:
    logged: list[tuple[int, dict[str, float]]] = []

    class Notes:
        def log(self, step: int, values: dict[str, float]) -> None:
            logged.append((step, values))

        def close(self) -> None: ...

    _, curve = script.learn(script.make("train"), 3, 2, 1.0, 0, Notes())
    assert [step for step, _ in logged] == [1, 2, 3]
    assert [values["train/return"] for _, values in logged] == [point["return"] for point in curve]
