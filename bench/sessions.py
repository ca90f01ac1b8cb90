"""Digests of what sessions show and pay, by which two versions are compared.

    python bench/sessions.py --out before.json                      # in one version's environment
    python bench/sessions.py --out after.json --against before.json # in the other's: exit status 1 where they differ

Plays the reference of every task, and sessions of random actions (calls of the offered tools with random arguments,
questions, statements, broken text), all seeded. `--without TEXT` leaves lines that hold a text out of the digests, for
a difference that is meant.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym

import pi_gym

WORDS = ("report", "table", "draft", "mail", "the file", "notes", "budget", "Friday", "decimals", "names", "results")
SAYINGS = (
    "Which format should the {} have?",
    "How many decimals do you want in the {}?",
    "Who should get the {}?",
    "Where shall I put the {}, and by when?",
    "Anything else about the {}?",
    "I have finished the {}.",
    "On it. I will look at the {} first.",
    "",
)


def main() -> None:
    """Play, write the digests, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="where the digests go (JSON)")
    parser.add_argument("--against", type=Path, help="digests of another version")
    parser.add_argument("--random", type=int, default=300, help="sessions of random actions")
    parser.add_argument("--env", default="PiBench-Researcher-v0", help="the environment")
    parser.add_argument("--without", nargs="*", default=[], help="texts of lines that are left out")
    options = parser.parse_args()
    digests = dict(play(options.env, options.random, tuple(options.without)))
    options.out.write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")
    print(f"{len(digests)} sessions, written to {options.out}")
    if options.against is not None:
        before = json.loads(options.against.read_text(encoding="utf-8"))
        differ = sorted(name for name in {*before, *digests} if before.get(name) != digests.get(name))
        print(f"{len(differ)} of them differ from {options.against}")
        for name in differ[:10]:
            print(f"  {name}: {before.get(name)} | {digests.get(name)}")
        raise SystemExit(bool(differ))


def play(env_id: str, count: int, without: tuple[str, ...]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The digest of each session by its name."""
    env = gym.make(env_id, disable_env_checker=True)
    answer_declared(env, None)  # before a reset asks for a sandbox
    tasks = list(pi_gym.load_pack(env.spec.kwargs["pack"]).task_ids)  # type: ignore[union-attr]
    for task in tasks:
        for variant in (0, 7):
            env.reset(seed=0, options={"task": task, "variant": variant})
            actions: Any = iter(env.unwrapped.session.task.reference)  # type: ignore[attr-defined]
            # A sandbox's results may differ from one run to the next, so commands are answered as they are declared.
            yield f"reference {task} {variant}", digest(env, 0, task, variant, lambda _, a=actions: next(a), without)
    for number in range(count):
        draw = random.Random(number)
        task, variant = tasks[number % len(tasks)], draw.choice([0, 1, 2, 3, 100_000])
        yield f"random {number} {task} {variant}", digest(env, number, task, variant, RandomActions(draw), without)


def digest(env: Any, seed: int, task: str, variant: int, act: Any, without: tuple[str, ...]) -> dict[str, Any]:
    """One session from its opening to its end."""
    observation, info = env.reset(seed=seed, options={"task": task, "variant": variant})
    seen, rewards, steps = hashlib.sha256(), [], 0
    while True:
        for name in ("history", "workspace_diff"):
            lines = observation[name].splitlines()
            kept = [line for line in lines if not any(text in line for text in without)]
            seen.update("\n".join(kept).encode())
        rewards.append(None)
        try:
            action = act(info)
        except StopIteration:
            action = "That is all from my side."
        answer_declared(env, action)
        observation, reward, terminated, truncated, info = env.step(action)
        rewards[-1] = repr(float(reward))
        steps += 1
        if terminated or truncated:
            break
    seen.update(observation["history"].encode() if not without else b"")
    paid = hashlib.sha256(" ".join(map(str, rewards)).encode()).hexdigest()[:16]
    return {
        "observations": seen.hexdigest()[:16],
        "rewards": paid,
        "steps": steps,
        "proc": info["proc"],
        "comp": info["comp"],
        "end": info["end_reason"],
        "terminated": terminated,
    }


def answer_declared(env: Any, action: Any) -> None:
    """Have commands answered as the reference declares them, or as where there is no sandbox."""
    results = list(getattr(action, "results", ()))

    def shell(asks: Any) -> list[pi_gym.Answer]:
        left = len(env.unwrapped.session.queue)
        found = results[len(results) - left] if 0 < left <= len(results) else None
        return [pi_gym.Answer(dict(found) if found else {"unavailable": "none here"}) for _ in asks]

    env.unwrapped.shell = shell


class RandomActions:
    """Actions that no reference has: what an agent may do by accident."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self._tools: list[Any] = []
        self._left = draw.randint(4, 25)

    def __call__(self, info: Any) -> str:
        """The next action."""
        self._tools = info["tools"] or self._tools
        draw = self._draw
        self._left -= 1
        kind = draw.random()
        if kind < 0.35 or self._left <= 0:
            return " ".join(draw.choice(SAYINGS).format(draw.choice(WORDS)) for _ in range(draw.randint(1, 3)))
        if kind < 0.4:
            return draw.choice(['<tool_call>{"name": "read_file"', "<tool_call></tool_call>", "<think>hm</think>"])
        return "\n".join(self._call() for _ in range(draw.randint(1, 3)))

    def _call(self) -> str:
        function = self._draw.choice(self._tools)["function"]
        given = function["parameters"].get("properties", {})
        needed = set(function["parameters"].get("required", ()))
        arguments = {
            name: self._value(kind) for name, kind in given.items() if name in needed or self._draw.random() < 0.3
        }
        return f"<tool_call>{json.dumps({'name': function['name'], 'arguments': arguments})}</tool_call>"

    def _value(self, kind: Any) -> Any:
        draw = self._draw
        if "enum" in kind:
            return draw.choice(kind["enum"])
        named = kind.get("type", "string")
        if named == "integer":
            return draw.choice([0, 1, 2, 5, -1])
        if named == "number":
            return draw.choice([0.5, 1, 20])
        if named == "boolean":
            return draw.random() < 0.5
        if named == "array":
            return [self._value(kind.get("items", {}))]
        if named == "object":
            return {}
        return draw.choice(["notes.md", ".", "memory/MEMORY.md", "a", "partner", "*.md", "2026-03-10", *WORDS])


if __name__ == "__main__":
    main()
