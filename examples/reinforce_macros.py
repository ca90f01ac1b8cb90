"""Learn an environment with REINFORCE and no language model: a linear softmax over macro-actions, in numpy.

    python examples/reinforce_macros.py                                          # PiBench-Mini-v0
    python examples/reinforce_macros.py --env PiBench-Researcher-v0 --tasks 01-baseline-table 13-related-work
    python examples/reinforce_macros.py --env Pare-v0 --batches 100 --size 49 --out runs/reinforce.json

A macro-action is what an assistant may do next: read a file, ask for what is open, write down what it knows so far,
propose its help, say that it is done (examples/shared/macros.py makes them for each task). The policy weighs facts
about each of them: its role with whether it was done, whether what was written is out of date, whether everything was
looked at, whether the user has just said something. Weights are by role and not by task, so one policy plays tasks
that have other macro-actions, and held-out ones. It learns from the environment's rewards alone, through the Gymnasium
interface, what a good order is. Needless questions earn nothing here, so that it learns to look things up, too.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from shared.macros import Assistant, Floats, assistant_of

import pi_gym
from pi_gym.loggers import Logger, make_logger
from pi_gym.runs.intervals import Interval, mean

#: Actions of a session, beyond which it is cut short.
STEPS = 40
#: How much less a reward counts, at first, for each step before it: it is learnt soon what brings rewards soon. In the
#: course of training this rises to 1, which is the environment's own return.
DISCOUNT = 0.95
#: What a batch's baseline keeps of the batches before it.
MEMORY = 0.9
ENTROPY = 0.02


@dataclass(frozen=True)
class Played:
    """One session.

    Args:
        moves: of each step the features of the macro-actions, (macro-actions, width), and the place of the chosen one.
        rewards: of its steps.
        macros: the macro-actions that were done, in words.
        info: the last info.
    """

    moves: list[tuple[Floats, int]]
    rewards: list[float]
    macros: list[str]
    info: Mapping[str, Any]

    @property
    def total(self) -> float:
        """The return."""
        return float(sum(self.rewards))


def softmax(logits: Floats) -> Floats:
    """Probabilities of logits."""
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


def score_gradient(weights: Floats, features: Floats, chosen: int) -> Floats:
    """The gradient of log softmax(features @ weights)[chosen] with respect to the weights."""
    return features[chosen] - softmax(features @ weights) @ features


def entropy_gradient(weights: Floats, features: Floats) -> Floats:
    """The gradient of the entropy of softmax(features @ weights) with respect to the weights."""
    chances = softmax(features @ weights)
    surprise = np.log(chances + 1e-12)
    return -(chances * (surprise - chances @ surprise)) @ (features - chances @ features)


def play(
    env: gym.Env[Any, Any],
    weights: Floats | None,
    random: np.random.Generator,
    seed: int | None = None,
    options: dict[str, Any] | None = None,
) -> Played:
    """One session.

    Args:
        env: the bare environment.
        weights: of the policy; None: one that has learnt nothing.
        random: draws the macro-actions.
        seed: of the reset.
        options: of the reset.
    """
    _, info = env.reset(seed=seed, options=options)
    assistant = assistant_of(env.session, info["new_messages"])  # type: ignore[attr-defined]
    played = Played([], [], [], {})
    over = False
    while not over:
        features = assistant.state()
        logits = features @ (np.zeros(features.shape[1]) if weights is None else weights)
        place = int(random.choice(len(logits), p=softmax(logits)))
        _, reward, terminated, truncated, info = env.step(assistant.act(place))
        assistant.hear(info["new_messages"])
        played.moves.append((features, place))
        played.rewards.append(float(reward))
        played.macros.append(str(assistant.macros[place]))
        over = terminated or truncated
    return Played(played.moves, played.rewards, played.macros, info)


class Baseline:
    """The expected return to go, linear in the mean of the macro-actions' features (least squares).

    Args:
        width: of the features.
    """

    def __init__(self, width: int) -> None:
        self._squares, self._products = np.eye(width), np.zeros(width)
        self._weights = np.zeros(width)

    def of(self, sessions: Sequence[Played]) -> Floats:
        """The expected returns to go of all steps of some sessions."""
        return self._rows(sessions) @ self._weights

    def _rows(self, sessions: Sequence[Played]) -> Floats:
        return np.array([features.mean(axis=0) for one in sessions for features, _ in one.moves])

    def fit(self, sessions: Sequence[Played], values: Floats) -> None:
        """Learn from what sessions came to."""
        rows = self._rows(sessions)
        self._squares = MEMORY * self._squares + rows.T @ rows
        self._products = MEMORY * self._products + rows.T @ values
        self._weights = np.linalg.solve(self._squares + 1e-3 * np.eye(len(rows.T)), self._products)


def learn(
    env: gym.Env[Any, Any],
    batches: int,
    size: int,
    rate: float,
    seed: int,
    logger: Logger | None = None,
    tasks: Sequence[str] = (),
) -> tuple[Floats, list[dict[str, Any]], list[list[float]]]:
    """REINFORCE with the discounted return to go, a linear baseline, and a bonus for entropy that fades.

    Args:
        env: the bare environment, of the train split.
        batches: how many there are.
        size: how many sessions a batch has.
        rate: of learning; the gradient is taken in units of the advantages' spread.
        seed: of all that is drawn.
        logger: gets the means of every batch.
        tasks: drawn from, each as often as the others; none: the split's.

    Returns:
        The weights; for each batch the means of return and scores with their intervals; and each batch's returns.
    """
    random = np.random.default_rng(seed)
    env.reset(seed=seed)
    weights = np.zeros(_width(env))
    baseline = Baseline(len(weights))
    curve, returns = [], []
    for number in range(batches):
        chosen = [{"task": tasks[one % len(tasks)]} if tasks else None for one in range(size)]
        sessions = [play(env, weights, random, options=options) for options in chosen]
        left = 1 - number / batches
        discount = 1 - (1 - DISCOUNT) * left**2
        to_go = np.concatenate([returns_to_go(one.rewards, discount) for one in sessions])
        advantages = to_go - baseline.of(sessions)
        baseline.fit(sessions, to_go)
        spread = max(float(advantages.std()), 0.05)
        bonus = ENTROPY * left
        step = np.zeros_like(weights)
        moves = (move for one in sessions for move in one.moves)
        for (features, place), advantage in zip(moves, advantages / spread, strict=True):
            step += advantage * score_gradient(weights, features, place) + bonus * entropy_gradient(weights, features)
        weights += rate * step / size
        returns.append([one.total for one in sessions])
        curve.append(figures(sessions))
        if logger is not None:
            logger.log(number + 1, {f"train/{name}": one["value"] for name, one in curve[-1].items()})
    return weights, curve, returns


def returns_to_go(rewards: Sequence[float], discount: float) -> Floats:
    """The discounted sum of the rewards from each step on.

    >>> returns_to_go([0.0, 1.0], 0.5).tolist()
    [0.5, 1.0]
    """
    found, after = np.zeros(len(rewards)), 0.0
    for place in range(len(rewards) - 1, -1, -1):
        found[place] = after = rewards[place] + discount * after
    return found


def _width(env: gym.Env[Any, Any]) -> int:
    return assistant_of(env.session).width()  # type: ignore[attr-defined]


def figures(sessions: Sequence[Played]) -> dict[str, Any]:
    """The means of the return and of the scores of some sessions, with 95 % intervals over them."""
    names = [name for name in sessions[0].info["scores"] if name != "return"]
    found: dict[str, Interval] = {"return": mean(one.total for one in sessions)}
    found |= {name: mean(one.info["scores"][name] for one in sessions) for name in names}
    return {name: interval.to_json() for name, interval in found.items()}


def make(env_id: str, split: str, tasks: Sequence[str] = ()) -> gym.Env[Any, Any]:
    """The environment, without credit for needless questions, and without tasks that need a sandbox."""
    settings: dict[str, Any] = {}
    if env_id.startswith("PiBench"):
        reward = pi_gym.RewardConfig(credit_needless=0.0)
        settings = {"reward": reward, "max_steps": STEPS, "exclude_needs": ("exec",)}
    return gym.make(env_id, split=split, disable_env_checker=True, **settings).unwrapped


def evaluate(
    env_id: str, split: str, weights: Floats | None, sessions: int, tasks: Sequence[str], seed: int
) -> tuple[dict[str, Any], list[Played]]:
    """Play worlds of a split, always the same ones."""
    env, random = make(env_id, split), np.random.default_rng(seed)
    options = [{"task": tasks[one % len(tasks)]} if tasks else None for one in range(sessions)]
    played = [play(env, weights, random, one, options[one]) for one in range(sessions)]
    return figures(played), played


def shown(found: Mapping[str, Any]) -> str:
    """Figures with their intervals, for a reader."""
    return ", ".join(
        f"{name} {one['value']:.3f} ({one['low']:.3f} to {one['high']:.3f})" for name, one in found.items()
    )


def in_words(macros: Sequence[str]) -> str:
    """Macro-actions in a row; looks at several things are counted."""
    words: list[tuple[str, int]] = []
    for macro in macros:
        word = "look" if macro.startswith("look ") else macro
        words = [*words[:-1], (word, words[-1][1] + 1)] if words and words[-1][0] == word else [*words, (word, 1)]
    return " > ".join(word if count == 1 else f"{word} ({count} times)" for word, count in words)


def main() -> None:
    """Learn on the train split, and look at validation and held-out tasks before and after."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", default="PiBench-Mini-v0", help="the id of the environment")
    parser.add_argument("--tasks", nargs="*", default=[], help="tasks to play; by default those of the split")
    parser.add_argument("--batches", type=int, default=120)
    parser.add_argument("--size", type=int, default=16, help="sessions in a batch")
    parser.add_argument("--rate", type=float, default=0.8, help="learning rate")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sessions", type=int, default=200, help="validation sessions")
    parser.add_argument("--holdout", type=int, default=0, help="sessions of held-out tasks")
    parser.add_argument("--out", type=Path, help="where the curve goes, as JSON")
    parser.add_argument(
        "--log", metavar="TARGET", help="where it is logged as it comes: tensorboard:DIR or wandb:PROJECT"
    )
    options = parser.parse_args()
    logger = make_logger(options.log) if options.log else None
    env, splits = make(options.env, "train"), [("validation", options.sessions, options.tasks)]
    splits += [("holdout", options.holdout, [])] if options.holdout else []
    weights, curve, returns = learn(
        env, options.batches, options.size, options.rate, options.seed, logger, options.tasks
    )
    if logger is not None:
        logger.close()
    tenth = max(1, options.batches // 10)
    found: dict[str, Any] = {}
    for name, part in (("first tenth", returns[:tenth]), ("last tenth", returns[-tenth:])):
        found[name] = mean(one for batch in part for one in batch).to_json()
        print(f"{name} of training:", shown({"return": found[name]}))
    for split, sessions, tasks in splits:
        for name, policy in (("before", None), ("after", weights)):
            key = name if split == "validation" else f"{split} {name}"
            found[key], played = evaluate(options.env, split, policy, sessions, tasks, options.seed)
            print(f"{split} {name}:", shown(found[key]))
        for task in dict.fromkeys(one.info["task_id"] for one in played[:8]):
            first = next(one for one in played if one.info["task_id"] == task)
            print(f"{task}: {in_words(first.macros)}")
    if options.out is not None:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        kept = {"curve": curve, **found, "weights": by_role(env, weights)}
        options.out.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def by_role(env: gym.Env[Any, Any], weights: Floats) -> dict[str, dict[str, float]]:
    """The weights with their names: by role of macro-action and fact."""
    kind: type[Assistant] = type(assistant_of(env.session))  # type: ignore[attr-defined]
    table = weights.reshape(len(kind.roles), len(kind.facts)).round(3).tolist()
    return {role: dict(zip(kind.facts, row, strict=True)) for role, row in zip(kind.roles, table, strict=True)}


if __name__ == "__main__":
    main()
