"""A run: a plan, played by an agent in one process or several, into a folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import gymnasium as gym

from pi_gym.env import PiEnv
from pi_gym.errors import UnknownName, unknown
from pi_gym.models.usage import Usage
from pi_gym.packs import Pack
from pi_gym.rollout.agents import Agent, agent_source, make_agent
from pi_gym.rollout.asked import asked_json
from pi_gym.rollout.assignments import Assignment, assignments
from pi_gym.rollout.averages import PROTOCOLS, Protocol
from pi_gym.rollout.driving import SessionDriver, Slot, make_slots
from pi_gym.rollout.lines import RunError
from pi_gym.rollout.outcome import Outcome, Score
from pi_gym.rollout.plan import (
    BadArgument,
    Key,
    Plan,
    PlannedSession,
    choose_tasks,
    plan_sessions,
    require_episode,
    split_of,
)
from pi_gym.rollout.play import base_env, make_env, play_assignment
from pi_gym.rollout.progress import Meter, Progress
from pi_gym.rollout.store import RunFolder
from pi_gym.rollout.summary import RunSummary, summarise
from pi_gym.rollout.workers import WorkerPool, WorkerSetup
from pi_gym.sampling import Split
from pi_gym.session import Trajectory
from pi_gym.shell import ShellRunner

#: Sessions that a process plays at a time where they wait for models.
DEFAULT_CONCURRENCY = 16


@dataclass(frozen=True)
class _Run:
    """What is played, and with what."""

    env_id: str
    env_kwargs: Mapping[str, Any]
    env: gym.Env[Any, Any]
    agent: str | Agent
    player: Agent
    plan: Plan
    concurrency: int
    protocol: Protocol

    @property
    def packs(self) -> tuple[Pack, ...]:
        return base_env(self.env).packs


def rollout(
    env_id: str,
    agent: str | Agent,
    *,
    sessions: int | None = None,
    num_envs: int = 1,
    concurrency: int | None = None,
    group_size: int = 1,
    seed: int = 0,
    split: Split = "test",
    out: str | Path | None = None,
    resume: bool = False,
    env_kwargs: Mapping[str, Any] | None = None,
    tasks: Sequence[str] | None = None,
    variants: Sequence[int] | None = None,
    progress: Callable[[Progress], None] | None = None,
    protocol: Protocol = "paper",
) -> RunSummary:
    """Play sessions with an agent and keep their trajectories.

    The plan is made first, and is the same for the same arguments: round after round over the split's tasks in episode
    order, one variant a round. What comes out is the same too, whatever the number of processes.

    Args:
        env_id: a registered environment.
        agent: a name ("reference", "silent", "asking", "random"), "module:Class", "MODEL@URL", or an agent.
        sessions: how many, at most a million; None: each task once, for each of `variants` where they are given.
        num_envs: number of processes; 1 plays in this one. With more, agent and arguments must be picklable, and a
            script needs the usual `if __name__ == "__main__":`.
        concurrency: how many sessions each process plays at a time, so that they wait for models together; each has an
            environment and an agent of its own. None: 16 where models play a role or the agent (unless that is an
            object), else 1.
        group_size: how many times each start (task, variant, seed) is played; `sessions` is a multiple of it. Under
            history="own" so many episodes are played from each start.
        seed: draws the variants, and seeds every reset.
        split: "test" (variant 0; repeats are counted as samples), "train", "validation" or "holdout". Where tasks or
            variants are given that are not of it, the run is recorded as of the split "explicit".
        out: the run's folder; None: trajectories are kept in memory, in the summary.
        resume: go on with the run in `out`: what is scored stays, the rest is played. Without a run there, begin it.
        env_kwargs: arguments of the environment beside its id's; not `split`. Under history="own" the sessions of a
            round are an episode: one environment plays them in order, up to one that is left without a score.
        tasks: these instead of the split's; each once.
        variants: these, each once, instead of drawn ones, a round each, from the first again after the last.
        progress: called at the start and after every session.
        protocol: how the summary averages Proc and Comp: "paper", or "official" as the published code does it. What is
            played and recorded is the same.

    Returns:
        Means and counts. Sessions that failed for our reasons or the agent's are unscored, and in no mean.

    Raises:
        UnknownName: no such environment, agent, split, task or protocol; the message lists the known ones.
        RolesNeeded: (a ValueError) the tasks have no predicates, and user or grader is rule-based.
        BadArgument: (a ValueError) an argument is out of range, or no task is left.
        NotAnAgent: (a TypeError) what was given as the agent is none, for example a class.
        BrokenAgent: (a ValueError) the agent's own code fails before it plays.
        RunError: the folder cannot be used as asked; the message says what to do.
        KeyboardInterrupt: after the folder was left in order; it can be resumed.
    """
    for name, value in (("num_envs", num_envs), ("concurrency", 1 if concurrency is None else concurrency)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise BadArgument(f"{name}: expected an integer of 1 or more, got {value!r}")
    kwargs = dict(env_kwargs or {})
    if "split" in kwargs:
        raise BadArgument("env_kwargs: 'split' is an argument of its own here")
    if out == "":
        raise BadArgument("out: expected a folder, got an empty text; '.' is the one where you stand")
    if resume and out is None:
        raise BadArgument("resume: needs the run's folder in 'out'")
    if protocol not in PROTOCOLS:
        raise UnknownName(unknown("protocol", str(protocol), PROTOCOLS))
    player = make_agent(agent)
    env = make_env(env_id, kwargs)
    try:
        settings = dict(env.spec.kwargs) if env.spec is not None else kwargs
        plan = _plan(
            env,
            settings,
            player,
            split,
            tasks,
            sessions=sessions,
            seed=seed,
            variants=variants,
            group_size=group_size,
        )
        if concurrency is None:
            many = isinstance(agent, str) and (base_env(env).models is not None or "@" in agent)
            concurrency = DEFAULT_CONCURRENCY if many else 1
        run = _Run(env_id, kwargs, env, agent, player, plan, concurrency, protocol)
        if out is None:
            return _play(run, None, num_envs, progress)
        source, recorded = agent_source(agent), getattr(player, "recorded", {})
        asked = asked_json(plan, source, recorded, run.packs, settings, seed=seed, variants=variants)
        with RunFolder(out, asked, resume=resume) as folder:
            return _play(run, folder, num_envs, progress)
    finally:
        env.close()


def _plan(
    env: gym.Env[Any, Any],
    settings: Mapping[str, Any],
    player: Agent,
    split: Split,
    tasks: Sequence[str] | None,
    *,
    sessions: int | None,
    seed: int,
    variants: Sequence[int] | None,
    group_size: int,
) -> Plan:
    packs = base_env(env).packs
    mode = settings.get("history")
    if mode is None:
        mode = "reference" if all(pack.has_references for pack in packs) else "none"
    cards = {name: pack.card(name) for pack in packs for name in pack.task_ids}
    chosen = choose_tasks(packs, split, tasks)
    if mode == "own":
        require_episode(packs, split, chosen)
    base_env(env).require_roles(chosen)
    needing = [name for name in chosen if "exec" in cards[name].needs]
    why = _no_shell(base_env(env)) if needing else ""
    kept = [name for name in chosen if not why or name not in needing]
    if not kept:
        raise BadArgument(f"all tasks run shell commands, and nothing runs those here ({why}): {', '.join(chosen)}")
    planned = plan_sessions(kept, split, sessions=sessions, seed=seed, variants=variants, group_size=group_size)
    return Plan(
        agent=player.name,
        env_id=env.spec.id if env.spec is not None else "",
        split=split_of(packs, split, planned),
        history_mode=mode,
        sessions=planned,
        groups={name: cards[name].group for name in kept},
        skipped=tuple(name for name in chosen if name not in kept),
        depends_on={name: cards[name].depends_on for name in kept},
        ungraded=frozenset(name for name in kept if not cards[name].items),
        group_size=group_size,
    )


def _no_shell(env: PiEnv) -> str:
    """Why the environment runs no shell commands; empty where it does."""
    if not isinstance(env.shell, ShellRunner):
        return ""
    found = env.shell.available()
    return "" if found else found.text


def _play(
    run: _Run, folder: RunFolder | None, num_envs: int, progress: Callable[[Progress], None] | None
) -> RunSummary:
    plan = run.plan
    scores: dict[Key, Score] = folder.scores if folder is not None else {}
    there = {key for key, score in scores.items() if score.scored}
    todo = assignments(plan, there)
    meter = Meter(len(plan.sessions), [score for score in scores.values() if score.scored], progress)
    lines: dict[int, str] = {}

    def line_of(session: PlannedSession) -> str:
        return lines[session.index] if folder is None else folder.line(plan.key(session))

    models: dict[str, Usage] = folder.models if folder is not None else {}
    try:
        with closing(_outcomes(run, todo, num_envs, line_of)) as outcomes:
            for outcome in outcomes:
                if folder is not None:
                    folder.add(outcome)
                else:
                    scores[outcome.key] = outcome.score
                    lines[outcome.session.index] = outcome.line
                    for role, usage in outcome.models.items():
                        models[role] = models.get(role, Usage()) + usage
                meter.count(outcome.score)
    except BaseException:
        # The folder is left as whole as it can be; what went wrong is worth more than a summary that fails too.
        if folder is not None:
            with suppress(RunError):
                folder.write_summary(summarise(plan, scores, models=models, protocol=run.protocol).to_json())
        raise
    trajectories = [Trajectory.from_json(json.loads(lines[index])) for index in sorted(lines)]
    out = folder.path if folder else None
    summary = summarise(plan, scores, out=out, trajectories=trajectories, models=models, protocol=run.protocol)
    if folder is not None:
        folder.write_summary(summary.to_json())
    return summary


def _outcomes(
    run: _Run, todo: Sequence[Assignment], num_envs: int, line_of: Callable[[PlannedSession], str]
) -> Generator[Outcome]:
    count = min(num_envs, len(todo))
    many = min(run.concurrency, len(todo))
    if count > 1:
        setup = WorkerSetup(run.env_id, run.env_kwargs, run.agent, replace(run.plan, sessions=()), run.concurrency)
        with closing(WorkerPool(setup, run.packs, todo, count, line_of).outcomes()) as outcomes:
            yield from outcomes
    elif many > 1:
        slots = make_slots(run.env_id, run.env_kwargs, run.agent, many, Slot(run.env, run.player))
        try:
            driver = SessionDriver(slots, run.plan, line_of)
            driver.add(todo)
            driver.end()
            with closing(driver.outcomes()) as outcomes:
                yield from outcomes
        finally:
            for slot in slots[1:]:
                slot.env.close()
    else:
        for assignment in todo:
            yield from play_assignment(run.env, run.player, run.plan, assignment.with_records(line_of))
