"""Evaluating agents: each plays every session of a split several times, and goes on where it was stopped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from pi_gym.environments import base_env, make_env
from pi_gym.errors import BadArgument, PiGymError, UnknownName, unknown
from pi_gym.evaluation.entrants import Entrant, entrants
from pi_gym.evaluation.evaluation_folder import EvaluationFolder
from pi_gym.evaluation.evaluation_progress import EvaluationMeter, EvaluationProgress
from pi_gym.evaluation.evaluation_results import (
    Evaluation,
    Planned,
    agent_model,
    gather,
    prices_of_roles,
    role_models,
)
from pi_gym.evaluation.prices import as_prices
from pi_gym.evaluation.software import software
from pi_gym.loggers.named import make_logger
from pi_gym.rollout.collection import collect
from pi_gym.rollout.run import Run
from pi_gym.runs.agent import Policy
from pi_gym.runs.lines import RunError
from pi_gym.runs.plan import Plan, choose_tasks
from pi_gym.runs.request import RunRequest

FORMAT = 1
NO_PAST = "none"
#: The arguments of `collect` that an evaluation decides itself.
DECIDED = ("policy", "sessions", "group_size", "tasks", "variants", "progress")


def evaluate(
    env_id: str,
    agents: Sequence[Policy] | Mapping[str, Policy],
    *,
    out: str | Path,
    runs: int = 3,
    ablation: bool = False,
    prices: Mapping[str, Any] | None = None,
    resume: bool = False,
    agent_options: Mapping[str, Mapping[str, Any]] | None = None,
    progress: Callable[[EvaluationProgress], None] | None = None,
    **run: Any,
) -> Evaluation:
    """Have agents play every session of a split several times, by the paper's protocol.

    Each agent's sessions are an ordinary run, in OUT/LABEL/history-reference; the folder's evaluation.json says with
    what they were played, and has the results. Where an agent's server is away its sessions are unscored, and the
    others go on.

    Args:
        env_id: the environment, as `pi-gym list` shows it.
        agents: what `collect` takes as its policy, each; texts perhaps as "LABEL=…". Or policies by label.
        out: the evaluation's folder.
        runs: how often each session is played.
        ablation: play the last session of each dependency group without a past, too, as often.
        prices: by model (of a role or an agent) or agent's label, money for a million tokens in and out.
        resume: go on with the evaluation in the folder: what is scored stays, further agents may come.
        agent_options: by label, further arguments of agents that are named, beside `policy_kwargs`.
        progress: called as `collect` calls its own.
        run: further arguments of `collect`, for all agents: split, env_kwargs, policy_kwargs, concurrency, workers, …

    Returns:
        The results of all agents of the folder.

    Raises:
        BadArgument: an argument is out of range, or the tasks have no dependency groups to ablate.
        UnknownName: a price is of no model that plays, or an argument does not exist; the message lists the known.
        RunError: the folder cannot be used as asked; the message says what to do.
        KeyboardInterrupt: after the folder was left in order; it can be resumed.
    """
    odd = next((name for name in run if name in DECIDED), None)
    if odd is not None:
        raise BadArgument(f"{odd}: an evaluation decides that itself; `collect` takes it")
    if isinstance(runs, bool) or not isinstance(runs, int) or runs < 1:
        raise BadArgument(f"runs: expected an integer of 1 or more, got {runs!r}")
    if str(out) == "":
        raise BadArgument("out: expected a folder, got an empty text; '.' is the one where you stand")
    given = as_prices(prices or {})
    shared = run.pop("policy_kwargs", None) or {}
    players = entrants(agents, shared, agent_options or {})
    template = RunRequest(env_id, "silent", **run)
    if not all(isinstance(one, str) for one in template.log_targets):
        raise BadArgument("log: an evaluation has a logger for each run; name them, tensorboard:DIR or wandb:PROJECT")
    kinds = [_sized(template, runs)]
    if ablation:
        kinds.append(_ablated(kinds[0], runs))
    asked, plans = _asked(players, kinds, runs, ablation)
    asked["prices"] = {model: price.to_json() for model, price in given.items()}
    with EvaluationFolder(Path(out), asked, resume=resume) as folder:
        record = folder.record
        held = as_prices(record["prices"])
        _require_known(given, record)
        if record["ablation"] and not ablation:
            kinds.append(_ablated(kinds[0], runs))
            plans.append(_plan(kinds[1], players[0]))
        with closing(make_env(env_id, template.env_kwargs)) as env:
            family = base_env(env).family
        planned = Planned(
            plans[0].history_mode, plans[0], plans[1] if len(plans) > 1 else None, family, record["protocol"]
        )
        size = sum(len(plan.sessions) for plan in plans)
        roles = {one.label: prices_of_roles(record, one.label, held) for one in players}
        meter = EvaluationMeter({one.label: size for one in players}, roles, progress)
        failed: dict[str, str] = {}
        for one in players:
            try:
                for kind, plan in zip(kinds, plans, strict=True):
                    place = folder.run(one.folder, plan.history_mode)
                    watch = meter.watch(one.label, plan.history_mode)
                    name = f"{one.folder}/history-{plan.history_mode}"
                    logs = [make_logger(target, name) for target in template.log_targets if isinstance(target, str)]
                    request = replace(_of(kind, one), out=place, resume=True, progress=watch, log=logs)
                    collect(**_arguments(request))
            except RunError:
                raise
            except PiGymError as error:  # of this agent: the others go on
                failed[one.label] = str(error)
            found = gather(folder, planned, held, failed)
            folder.write_results(found.to_json(), found.costs)
        return found


def _sized(template: RunRequest, runs: int) -> RunRequest:
    """The run of every session of the split."""
    with closing(make_env(template.env_id, template.env_kwargs)) as env:
        base = base_env(env)
        tasks = choose_tasks(base.packs, template.split, None, base.exclude_needs)
    return replace(template, sessions=runs * len(tasks))


def _ablated(whole: RunRequest, runs: int) -> RunRequest:
    """The run of the last session of each dependency group, without a past."""
    with closing(make_env(whole.env_id, whole.env_kwargs)) as env:
        base = base_env(env)
        packs = {pack.name: pack for pack in base.packs}
        last: dict[tuple[str, str], str] = {}
        for name, task_id in choose_tasks(base.packs, whole.split, None, base.exclude_needs):
            if group := packs[name].card(task_id).group:
                last[name, group] = task_id
        if not last:
            raise BadArgument(
                f"ablation: {whole.env_id} has no dependency groups (family {base.family.name}), so there is no past to"
                " take away; evaluate it without --ablation"
            )
        if base.history_mode == NO_PAST:
            raise BadArgument("ablation: it takes the past away, and history is 'none' already")
    tasks = [f"{name}/{task_id}" for (name, _), task_id in last.items()]
    kwargs = {**whole.env_kwargs, "history": NO_PAST}
    return replace(whole, tasks=tasks, sessions=runs * len(tasks), env_kwargs=kwargs)


def _of(kind: RunRequest, one: Entrant) -> RunRequest:
    return replace(kind, policy=one.policy, policy_kwargs=one.kwargs)


def _plan(kind: RunRequest, one: Entrant) -> Plan:
    with closing(Run.prepare(_of(kind, one))) as run:
        return run.plan


def _arguments(request: RunRequest) -> dict[str, Any]:
    return {name: getattr(request, name) for name in request.__dataclass_fields__ if name != "_"}


def _asked(
    players: Sequence[Entrant], kinds: Sequence[RunRequest], runs: int, ablation: bool
) -> tuple[dict[str, Any], list[Plan]]:
    """The evaluation as its record has it, and the plans; every agent is made for that, so that none fails late."""
    agents: dict[str, Any] = {}
    common: dict[str, Any] = {}
    plans: list[Plan] = []
    for one in players:
        with closing(Run.prepare(_of(kinds[0], one))) as run:
            asked = run.asked()
            plans = plans or [run.plan]
            protocol = kinds[0].protocol or next(iter(run.family.protocols))
            roles = {role: asked["env_kwargs"].get(role, "rule") for role in run.family.roles}
        agents[one.label] = {
            "folder": one.folder,
            "agent": asked["agent"],
            "source": asked["agent_source"],
            **({"settings": asked["agent_settings"]} if "agent_settings" in asked else {}),
        }
        names = ("env_id", "family", "split", "seed", "history_mode", "tasks", "env_kwargs", "packs", "prompts")
        common = {**{name: asked[name] for name in names}, "protocol": protocol, "roles": roles}
    plans += [_plan(kind, players[0]) for kind in kinds[1:]]
    record = {
        "format": FORMAT,
        **common,
        "runs": runs,
        "ablation": ablation,
        "agents": agents,
        "prices": {},
        "software": [software()],
        "results": {},
    }
    return record, plans


def _require_known(prices: Mapping[str, Any], record: Mapping[str, Any]) -> None:
    """Raise UnknownName where a price is of no model that plays."""
    agents = record["agents"]
    known = {*role_models(record).values(), *agents, *map(agent_model, agents.values())}
    odd = next((model for model in prices if model not in known), None)
    if odd is not None:
        raise UnknownName(unknown("model with a price", odd, sorted(known)))
