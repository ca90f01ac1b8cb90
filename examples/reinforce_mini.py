"""Learn PiBench-Mini-v0 with REINFORCE and no language model: a softmax over a few macro-actions, in numpy.

    python examples/reinforce_mini.py
    python examples/reinforce_mini.py --batches 400 --seed 3 --out runs/reinforce.json

A macro-action is what an assistant may do next: read a file, ask for what it found open, write down what it knows so
far, say that it is done. The policy is a table: one logit for each macro-action in each state, and a state is which of
these were done already; what it wrote counts as done until it hears of more. It learns from the environment's rewards
alone, through the Gymnasium interface, what a good order is: a question before the notes were read asks for nothing
that they leave open, and one that is asked before the rest is written down lets the user say what could have been
known. Needless questions earn nothing here, so that it learns to look things up, too.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

import pi_gym
from pi_gym.loggers import Logger, make_logger

MACROS = ("read the notes", "read the log", "ask", "write", "reply")
_LINE = re.compile(r"^([A-Z][a-z]+): (.+)$", re.MULTILINE)
_OPEN = "?"  # what the notes say of a line that they leave open
_TOLD = re.compile(r"It needs the line '([A-Z][a-z]+): ([^']+)'")
_CLOSING = re.compile(r"with '([a-z ]+)' as the last line")

Floats = NDArray[np.float64]


class Assistant:
    """Turns macro-actions into actions, by what it has read and heard in the session.

    Args:
        info: the opening's.
    """

    def __init__(self, info: Mapping[str, Any]) -> None:
        request = info["new_messages"][-1]["content"]
        self.file = re.findall(r"\w+\.txt", request)[0]
        self.item = re.findall(r"the ([a-z ]+?)(?: evening)?(?:,|\.| please)", request)[0]
        self.lines: dict[str, str] = {}  # in the order of the notes
        self.closing = ""
        self.done = [False] * len(MACROS)

    @property
    def state(self) -> int:
        """The macro-actions that were done, as a number below 2 ** 5."""
        return sum(1 << place for place, done in enumerate(self.done) if done)

    def act(self, macro: int) -> str:
        """The action that a macro-action stands for."""
        self.done[macro] = True
        if macro == 0:
            return call("read_file", path="notes.txt")
        if macro == 1:
            return call("read_file", path="memory/HISTORY.md")
        if macro == 2:
            asked = [f"What is the {name.lower()}?" for name, value in self.lines.items() if value == _OPEN]
            return " ".join([*asked, *([] if self.closing else ["What should the last line be?"])]) or "Anything else?"
        if macro == 3:
            known = [f"{name}: {value}" for name, value in self.lines.items() if value != _OPEN]
            text = "\n".join([self.item, *known, *([self.closing] if self.closing else [])])
            return call("write_file", path=self.file, content=text + "\n")
        return "It is done."

    def hear(self, info: Mapping[str, Any]) -> None:
        """Take in what a step brought; where that is more than was known, the file is not up to date any more."""
        known = dict(self.lines), self.closing
        for message in info["new_messages"]:
            if message["role"] == "assistant":
                continue
            text = message["content"]
            if "Log of past" not in text:  # it has the lines of other days' papers
                self.lines |= dict(_LINE.findall(text)) | dict(_TOLD.findall(text))
            if told := _CLOSING.findall(text):
                self.closing = told[-1]
        if (self.lines, self.closing) != known:
            self.done[MACROS.index("write")] = False


def call(name: str, **arguments: str) -> str:
    """A tool call in the action syntax."""
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"


def softmax(logits: Floats) -> Floats:
    """Probabilities of logits."""
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


def score_gradient(logits: Floats, chosen: int) -> Floats:
    """The gradient of log softmax(logits)[chosen] with respect to the logits."""
    gradient = -softmax(logits)
    gradient[chosen] += 1.0
    return gradient


def play(
    env: gym.Env[Any, Any], table: Floats, random: np.random.Generator, seed: int | None = None, *, greedy: bool = False
) -> tuple[list[tuple[int, int]], list[float], Mapping[str, Any]]:
    """One session.

    Returns:
        Its states with the macro-actions chosen there, the rewards of its steps, and the last info.
    """
    _, info = env.reset(seed=seed)
    assistant = Assistant(info)
    moves: list[tuple[int, int]] = []
    rewards: list[float] = []
    over = False
    while not over:
        state = assistant.state
        macro = int(table[state].argmax()) if greedy else int(random.choice(len(MACROS), p=softmax(table[state])))
        _, reward, terminated, truncated, info = env.step(assistant.act(macro))
        assistant.hear(info)
        moves.append((state, macro))
        rewards.append(float(reward))
        over = terminated or truncated
    return moves, rewards, info


def learn(
    env: gym.Env[Any, Any], batches: int, size: int, rate: float, seed: int, logger: Logger | None = None
) -> tuple[Floats, list[dict[str, float]]]:
    """REINFORCE with the return to go and a running baseline for each state.

    Returns:
        The table of logits, and for each batch the means of return, Proc and Comp.
    """
    random = np.random.default_rng(seed)
    table = np.zeros((1 << len(MACROS), len(MACROS)))
    baseline = np.zeros(len(table))
    curve = []
    for number in range(batches):
        step = np.zeros_like(table)
        returns, procs, comps = [], [], []
        for member in range(size):
            first = seed if number == member == 0 else None
            moves, rewards, info = play(env, table, random, first)
            to_go = np.cumsum(rewards[::-1])[::-1]
            for (state, macro), value in zip(moves, to_go, strict=True):
                step[state] += (value - baseline[state]) * score_gradient(table[state], macro)
                baseline[state] += 0.05 * (value - baseline[state])
            returns.append(sum(rewards))
            procs.append(info["proc"])
            comps.append(info["comp"])
        table += rate * step / size
        means = {"return": np.mean(returns), "proc": np.mean(procs), "comp": np.mean(comps)}
        curve.append({name: float(value) for name, value in means.items()})
        if logger is not None:
            logger.log(number + 1, {f"train/{name}": value for name, value in curve[-1].items()})
    return table, curve


def make(split: str) -> gym.Env[Any, Any]:
    """The environment: no credit for needless questions, and a session of at most 12 steps."""
    reward = pi_gym.RewardConfig(credit_needless=0.0)
    return gym.make("PiBench-Mini-v0", split=split, reward=reward, max_steps=12, disable_env_checker=True).unwrapped


def main() -> None:
    """Learn on the train split, and look at the validation split before and after."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batches", type=int, default=120)
    parser.add_argument("--size", type=int, default=16, help="sessions in a batch")
    parser.add_argument("--rate", type=float, default=4.0, help="learning rate")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sessions", type=int, default=200, help="validation sessions")
    parser.add_argument("--out", type=Path, help="where the curve goes, as JSON")
    parser.add_argument(
        "--log", metavar="TARGET", help="where it is logged as it comes: tensorboard:DIR or wandb:PROJECT"
    )
    options = parser.parse_args()
    logger = make_logger(options.log) if options.log else None
    untrained = np.zeros((1 << len(MACROS), len(MACROS)))
    table, curve = learn(make("train"), options.batches, options.size, options.rate, options.seed, logger)
    if logger is not None:
        logger.close()
    found = {}
    for name, policy, greedy in (("before", untrained, False), ("after", table, True)):
        env, random = make("validation"), np.random.default_rng(options.seed)
        played = [play(env, policy, random, seed, greedy=greedy) for seed in range(options.sessions)]
        found[name] = {key: float(np.mean([info[key] for *_, info in played])) for key in ("proc", "comp", "return")}
        print(name, {key: round(value, 3) for key, value in found[name].items()})
    moves, _, info = play(make("validation"), table, np.random.default_rng(0), seed=0, greedy=True)
    print(f"{info['task_id']}:", " > ".join(MACROS[macro] for _, macro in moves))
    if options.out is not None:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps({"curve": curve, **found}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
