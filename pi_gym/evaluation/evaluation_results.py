"""The results of an evaluation, from the folders of its runs: measures, tokens and costs of each agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pi_gym.evaluation.evaluation_folder import EvaluationFolder
from pi_gym.evaluation.prices import Price, cost
from pi_gym.evaluation.spending import Spending, read_spendings
from pi_gym.family import Family
from pi_gym.models.usage import Usage, add_usages
from pi_gym.runs.comparability import differences
from pi_gym.runs.entries import records
from pi_gym.runs.outcome import Score
from pi_gym.runs.plan import Plan
from pi_gym.runs.recorded import read_run_json
from pi_gym.runs.run_files import TRAJECTORIES, UNSCORED
from pi_gym.runs.summary import RunSummary, summarise
from pi_gym.session.trajectory import SessionKey


@dataclass(frozen=True, slots=True)
class AgentResult:
    """The result of one agent.

    Args:
        label: the agent's.
        summary: of all its sessions.
        kept: with an ablation, of the last sessions of dependency groups, with their past; `ablated` without.
        spendings: what each session spent, of all its runs.
        prices: by role, where the role's model has a price.
        failed: why the agent could not be played at all; empty where it could.
    """

    label: str
    summary: RunSummary
    kept: RunSummary | None
    ablated: RunSummary | None
    spendings: Sequence[Spending]
    prices: Mapping[str, Price]
    failed: str = ""

    @property
    def models(self) -> dict[str, Usage]:
        """By role, what its model was asked, over all runs and attempts."""
        total: dict[str, Usage] = {}
        for one in self.spendings:
            add_usages(total, one.models)
        return total

    @property
    def attempts(self) -> int:
        """The sessions that were played or tried, for means."""
        return sum(one.attempts for one in self.spendings)

    @property
    def summaries(self) -> list[RunSummary]:
        """Of its runs, each session in one."""
        return [self.summary, *([self.ablated] if self.ablated is not None else [])]

    @property
    def is_whole(self) -> bool:
        """Whether every session has a score, and nothing of pi_gym's own broke."""
        return not self.failed and not any(one.unscored or one.missing or one.faulty for one in self.summaries)

    @property
    def cost(self) -> float | None:
        """In all; None where a model that was asked has no price."""
        return cost(self.models, self.prices)

    def to_json(self) -> dict[str, Any]:
        """The result as a JSON object."""
        models = self.models
        spent = cost(models, self.prices)
        return {
            **_counts(self.summary),
            **({"with_past": _counts(self.kept)} if self.kept is not None else {}),
            **({"without_past": _counts(self.ablated)} if self.ablated is not None else {}),
            "attempts": self.attempts,
            "models": {role: self._role(role, used) for role, used in sorted(models.items())},
            "cost": spent,
            "cost_per_session": _per(spent, self.attempts),
            **({"failed": self.failed} if self.failed else {}),
        }

    def _role(self, role: str, used: Usage) -> dict[str, Any]:
        spent = cost({role: used}, self.prices)
        return {
            **used.to_json(),
            "tokens_per_session": _per(used.prompt_tokens + used.completion_tokens, self.attempts),
            "cost": spent,
            "cost_per_session": _per(spent, self.attempts),
        }


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The evaluation of agents.

    Args:
        out: its folder.
        family: of its sessions.
        agents: the results by label.
        not_comparable: why some agent's runs cannot stand beside the others', a sentence each.
    """

    out: Path
    family: Family
    agents: Mapping[str, AgentResult]
    not_comparable: tuple[str, ...] = field(default=())

    @property
    def is_whole(self) -> bool:
        """Whether every session of every agent has a score."""
        return all(one.is_whole for one in self.agents.values())

    @property
    def costs(self) -> Iterator[dict[str, Any]]:
        """The costs of each session, a JSON object each, in the order of the agents and of their runs' files."""
        for label, found in self.agents.items():
            for one in found.spendings:
                yield {"label": label, **one.to_json(found.prices)}

    def to_json(self) -> dict[str, Any]:
        """The results as a JSON object, by label."""
        return {label: found.to_json() for label, found in self.agents.items()}


@dataclass(frozen=True, slots=True)
class Planned:
    """The plans of an evaluation, which are those of any agent but for its name.

    Args:
        history: the mode of the first plan.
        whole: of every session.
        ablated: of the last sessions of dependency groups without a past; None where that is not asked for.
        family: of the sessions.
        protocol: how summaries average; "": the family's usual way.
    """

    history: str
    whole: Plan
    ablated: Plan | None
    family: Family
    protocol: str


def gather(
    folder: EvaluationFolder, planned: Planned, prices: Mapping[str, Price], failed: Mapping[str, str]
) -> Evaluation:
    """The results of what an evaluation's folder holds.

    Args:
        folder: the evaluation's.
        planned: its plans.
        prices: by model, or by agent's label.
        failed: by label, why an agent could not be played.

    Raises:
        RunError: a line of a run's file is no session; the message names it.
    """
    found: dict[str, AgentResult] = {}
    told: list[str] = []
    first: tuple[str, Mapping[str, Any]] | None = None
    for label, agent in folder.record["agents"].items():
        run = folder.run(agent["folder"], planned.history)
        found[label] = _result(folder, planned, label, agent, prices, failed.get(label, ""))
        asked = read_run_json(run) if run.is_dir() else {}
        if asked and first is None:
            first = label, asked
        elif asked and first is not None:
            told += [f"{first[0]} and {label}: {one}" for one in differences(first[1], asked)]
    return Evaluation(folder.path, planned.family, found, tuple(told))


def prices_of_roles(record: Mapping[str, Any], label: str, prices: Mapping[str, Price]) -> dict[str, Price]:
    """The prices by role, of those that play in an agent's sessions; an agent's label comes before its model."""
    models = role_models(record)
    agent = record["agents"][label]
    names = {**{role: (model,) for role, model in models.items()}, "agent": (label, agent_model(agent))}
    return {role: prices[name] for role, tried in names.items() for name in tried[::-1] if name in prices}


def role_models(record: Mapping[str, Any]) -> dict[str, str]:
    """The names of the models that play roles, by role."""
    return {
        role: value["model"]
        for role, value in record["roles"].items()
        if isinstance(value, Mapping) and "model" in value
    }


def agent_model(agent: Mapping[str, Any]) -> str:
    """The name of an agent's model, or its own."""
    return str(agent.get("settings", {}).get("model", agent["agent"]))


def _result(
    folder: EvaluationFolder,
    planned: Planned,
    label: str,
    agent: Mapping[str, Any],
    prices: Mapping[str, Price],
    failed: str,
) -> AgentResult:
    spendings: list[Spending] = []

    def summed(plan: Plan, history: str) -> tuple[RunSummary, Mapping[SessionKey, Score]]:
        run, plan = folder.run(agent["folder"], history), replace(plan, agent=agent["agent"])
        found = read_spendings(run)
        spendings.extend(found)
        used: dict[str, Usage] = {}
        for one in found:
            add_usages(used, one.models)
        scores = _scores(run)
        return summarise(plan, planned.family, scores, out=run, models=used, protocol=planned.protocol), scores

    whole, scores = summed(planned.whole, planned.history)
    kept = ablated = None
    if planned.ablated is not None:
        ablated, _ = summed(planned.ablated, "none")
        tasks = set(planned.ablated.tasks)
        sessions = tuple(one for one in whole.plan.sessions if one.task in tasks)
        part = replace(whole.plan, sessions=sessions)
        kept = summarise(part, planned.family, scores, protocol=planned.protocol)
    return AgentResult(label, whole, kept, ablated, spendings, prices_of_roles(folder.record, label, prices), failed)


def _scores(run: Path) -> dict[SessionKey, Score]:
    """The scores in a run's folder; a scored session hides an earlier attempt."""
    return {
        SessionKey.of(record): Score.of(record)
        for name in (UNSCORED, TRAJECTORIES)
        for _, record in records(run / name)
    }


def _counts(summary: RunSummary) -> dict[str, Any]:
    raw = summary.to_json()
    return {name: raw[name] for name in ("sessions", "scored", "unscored", "missing", "faulty", "overall")}


def _per(amount: float | None, sessions: int) -> float | None:
    return None if amount is None or not sessions else amount / sessions
