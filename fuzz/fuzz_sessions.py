"""The sessions of the fuzz: each follows from a seed, a part and a number."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache
from inspect import signature
from typing import Any, get_args

from gymnasium.envs.registration import load_env_creator
from hostile_actions import HostileAgent, shown
from hostile_sequences import Sequence
from odd_shell import answer_commands
from step_checks import Broken, CheckedEnv

import pi_gym  # noqa: F401 (registers the environments)
from pi_gym.cli.finding import named_ids, open_environment
from pi_gym.env import SessionEnv
from pi_gym.registration import spec_of
from pi_gym.session.faults import error_trace

PARTS = ("actions", "sequences")
#: Sessions of one lot; they share a variant, so that the past of a task is made once.
LOT = 20
VARIANTS = (0, 1, 2, 3, 100_000)
MOST_ACTIONS = 40


@dataclass
class Played:
    """One session that was played.

    Args:
        actions: how many were taken; `slowest_s` the slowest's CPU time.
        where: which task in which environment.
        problem: what is broken; empty where nothing is.
        action: the one that broke it.
    """

    actions: int = 0
    slowest_s: float = 0.0
    where: str = ""
    problem: str = ""
    action: str = ""


def play_session(part: str, number: int, seed: int, env: str | None = None) -> Played:
    """Play one session; everything in it follows from the arguments."""
    if part not in PARTS:
        raise SystemExit(f"expected a part out of {', '.join(PARTS)}, got {part!r}")
    draw = random.Random(f"{seed}/{part}/{number}")
    tools, history = draw.choice(["fewer", "all", "all"]), draw.choice(["none", "reference", "reference"])
    places = environments(env, tools, history)
    base, task = places[draw.randrange(len(places))]
    variant = VARIANTS[number // LOT % len(VARIANTS)]
    checked, found = CheckedEnv(base), Played(where=f"{base.packs[0].name}/{task}, variant {variant}, tools {tools}")
    agent: HostileAgent | None = None
    try:
        checked.reset(seed=number, options={"task": task, "variant": variant})
        agent = Remembering(draw, checked.session)
        if part == "sequences":
            Sequence(checked, agent, draw).play(draw.randint(5, MOST_ACTIONS))
        else:
            play_actions(checked, agent, draw)
    except Broken as broken:
        found.problem = str(broken)
    except Exception as error:
        found.problem = f"the fuzz itself broke\n{error_trace(error)}"
    found.actions, found.slowest_s = checked.actions, checked.slowest_s
    if found.problem and isinstance(agent, Remembering):
        found.action = shown(agent.last)[:20_000]
    return found


class Remembering(HostileAgent):
    """An agent that keeps its last action, for the report.

    Attributes:
        last: the action.
    """

    last: Any = None

    def action(self) -> Any:
        """The next action."""
        self.last = super().action()
        return self.last


def play_actions(env: CheckedEnv, agent: HostileAgent, draw: random.Random) -> None:
    """Hostile actions one after the other; most sessions sign in first."""
    if draw.random() < 0.8:
        for call in agent.sign_ins():
            env.step(call)
    for _ in range(draw.randint(10, MOST_ACTIONS)):
        if env.session.ended:
            return
        env.step(agent.action())
        agent.look()


@cache
def environments(name: str | None, tools: str, history: str) -> tuple[tuple[SessionEnv, str], ...]:
    """Every task of the registered environments, with an environment that can open it."""
    found = []
    for env_id, kwargs in named_ids(name):
        creator = load_env_creator(str(spec_of(env_id).entry_point))
        known = signature(creator, eval_str=True).parameters
        settings: dict[str, Any] = {
            # Each family has its own word for fewer than all.
            "tools": next(one for one in get_args(known["tools"].annotation) if (one == "all") == (tools == "all")),
            "history": history,
            "exec_backend": "off",
            "responder": answer_commands,
        }
        base = open_environment(env_id, {**kwargs, **{key: settings[key] for key in settings if key in known}})
        found += [(base, task) for pack in base.packs for task in pack.task_ids]
    return tuple(found)
