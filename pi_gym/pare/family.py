"""The Pare family: how its sessions are opened, scored and shown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, cast

from pi_gym.catalogue import TaskSet
from pi_gym.dossier import Dossier, JudgedPart, Life
from pi_gym.family import ColumnKind, Family, Judgement, Measure, SessionHost
from pi_gym.pare.agent_tools import WAIT, all_agent_tools
from pi_gym.pare.model_solution import solution_actions
from pi_gym.pare.pare_grading import grade_session
from pi_gym.pare.pare_settings import PARE_COMPONENTS, PareConfig
from pi_gym.pare.pare_standing import NO_PARE_SCORES
from pi_gym.pare.pare_state import FAMILY
from pi_gym.pare.person import Person
from pi_gym.pare.scenario import Scenario
from pi_gym.pare.scenario_set import ScenarioSet
from pi_gym.pare.session import PareSession
from pi_gym.sampling import Start
from pi_gym.session.protocol import Session
from pi_gym.session.trajectory import Trajectory
from pi_gym.tools import Registry
from pi_gym.types import ToolCall


class PareHost(SessionHost, Protocol):
    """The environment as this family sees it: with its role and its settings."""

    user: Person
    session_config: PareConfig


class Pare(Family):
    """Sessions on a phone, scored by whether the right thing was offered and done."""

    name = FAMILY
    scores = tuple(NO_PARE_SCORES)
    measures = (
        Measure("success", "success", "the goal was met with consent and nothing else changed; or no help was wanted"),
        Measure("score", "score", "the return over the best one of the world, -1 at least"),
        Measure("return", "return"),
        Measure("success_wanted", "help", "success where help is wanted", part="success", where=("wanted", True)),
        Measure(
            "false_proposals",
            "false",
            "sessions with a proposal, of those in which no help is wanted",
            part="proposed",
            where=("wanted", False),
        ),
        Measure("proposed", "", "sessions with a proposal"),
        Measure("proposal_rate", "proposal", "proposals a turn", part="proposals", whole=("turns",)),
        Measure("acceptance_rate", "acceptance", "accepted proposals of all", part="accepted", whole=("proposals",)),
        Measure(
            "gathered_rate",
            "",
            "answers before which the person looked something up, of all answers",
            part="gathered",
            whole=("accepted", "rejected"),
        ),
        Measure("turns", "turns", decimals=1),
        Measure("reads", "reads", "calls that only look", decimals=1),
        Measure("writes", "writes", "calls that change something, refused ones too", decimals=1),
        Measure("proposals", "", decimals=2),
        Measure("accepted", "", decimals=2),
        Measure("rejected", "", decimals=2),
        Measure("gathered", "", decimals=2),
    )
    protocols: Mapping[str, str] = dict.fromkeys(("mean", "paper"), "pi_gym.runs.averages:mean_values")
    tried = "success"
    tries: Mapping[str, str] = {
        "mean": "pi_gym.runs.tries:tries_at_worlds",
        "paper": "pi_gym.runs.tries:tries_at_tasks",
    }
    components = PARE_COMPONENTS
    roles = ("user",)
    columns: Mapping[str, ColumnKind] = {
        "proposals": "int64",
        "accepted": "int64",
        "rejected": "int64",
        "replaced": "int64",
        "looked": "int64",
        "gathered": "int64",
        "gathered_accepted": "int64",
        "reads": "int64",
        "writes": "int64",
        "proposed": "bool",
        "wanted": "bool",
        "reasons": ["string"],
    }
    judged = (
        JudgedPart(
            kind="proposal",
            key="proposals",
            title="Proposals of the agent: would this person accept them?",
            values=("accepted", "rejected"),
            credited=("accepted",),
        ),
        JudgedPart(
            "goal",
            "goal",
            "The end of the session",
            ("success", "no success"),
            ("success",),
            "success",
            is_criterion=True,
        ),
    )
    report = "pi_gym.pare.pare_paper_tables:pare_paper_parts"
    prover = "pi_gym.pare_proof.scenario_prover:validate_scenarios"
    question_check = "pi_gym.pare_proof.proposal_report:read_proposals"
    trial_maker = "pi_gym.pare_proof.person_trials:person_trials"
    listed_trial_maker = "pi_gym.pare_proof.person_trials:listed_trials"
    describer = "pi_gym.pare_proof.set_page:describe_scenarios"
    idle = ToolCall(WAIT).to_text()
    info_keys: Mapping[str, tuple[type, str]] = {
        "success": (float, "1.0 where the session succeeded, 0.0 where not; -1.0 until the end"),
        "proposals": (int, "proposals so far"),
        "accepted": (int, "those that were accepted"),
        "rejected": (int, "those that were rejected"),
        "mode": (str, "what the agent may do: observe, waiting (a proposal is out) or execute"),
    }

    def prepare(self, env: SessionHost, start: Start) -> Scenario:
        """The scenario in its world."""
        return cast(ScenarioSet, start.pack).instantiate(start.task_id, start.variant)

    def open(
        self, env: SessionHost, start: Start, prepared: Any, before: Session | None, *, env_id: str, seed: int
    ) -> PareSession:
        """A session over a scenario."""
        host = cast(PareHost, env)
        return PareSession(prepared, config=replace(host.session_config, env_id=env_id, seed=seed), person=host.user)

    def preview(self, env: SessionHost, pack: TaskSet, task_id: str, variant: int) -> PareSession:
        """A session with the person by rules, so that looking at it asks no model."""
        scenario = cast(ScenarioSet, pack).instantiate(task_id, variant)
        return PareSession(scenario, config=cast(PareHost, env).session_config)

    def info(self, session: Session) -> dict[str, Any]:
        """Success, the proposals so far, and the mode."""
        session = cast(PareSession, session)
        success, standing = session.scores["success"], session.standing
        return {
            "success": -1.0 if success is None else success,
            "proposals": standing.proposals,
            "accepted": standing.accepted,
            "rejected": standing.rejected,
            "mode": standing.mode,
        }

    def debug_info(self, session: Session) -> dict[str, Any]:
        """Whether help is wanted, the reference, what was drawn, and what stands against success as things are."""
        session = cast(PareSession, session)
        scenario = session.scenario
        return {
            "wanted": scenario.help is not None,
            "reference": self.reference(session),
            "values": json.loads(json.dumps(scenario.values, default=_plain)),
            "reasons": list(grade_session(session).reasons),
            "happened": dict(session.happened.at),
            "screen": session.navigation.active,
        }

    def reference(self, session: Session) -> Sequence[str]:
        """The actions of the scenario's model assistant."""
        session = cast(PareSession, session)
        return solution_actions(session.scenario, session.config)

    def hidden_text(self, session: Session) -> str:
        """Whether help is wanted, of which kind, the events and the plan."""
        scenario = cast(PareSession, session).scenario
        parts = ["=== help ==="]
        help_ = scenario.help
        if help_ is None:
            parts.append("none is wanted in this world")
        else:
            acts = ", ".join(" or ".join(sorted(ways)) for ways in help_.acts)
            parts.append(f"acts: {acts}" + (f" (may: {', '.join(sorted(help_.may))})" * bool(help_.may)))
            parts += [f"names {name}: {' or '.join(ways)}" for name, ways in help_.names.items()]
            parts.append(f"after: {', '.join(help_.after) or 'at once'}")
        parts.append("\n=== events ===")
        for event in scenario.events:
            when = f"{event.at:g} s" + (f" after {', '.join(event.after)}" if event.after else "")
            parts.append(f"{event.name} ({when}): {event.call.name} {dict(event.call.arguments)}")
        parts.append("\n=== plan ===")
        parts += [f"{step.call.name} {dict(step.call.arguments)} on {dict(step.shows)}" for step in scenario.plan]
        parts.append("\n=== reference ===")
        parts += [f"[{number}] {action}" for number, action in enumerate(self.reference(cast(PareSession, session)), 1)]
        return "\n".join(parts)

    def result_text(self, session: Session) -> str:
        """Success, and what speaks against it."""
        session = cast(PareSession, session)
        grading = session.ending.grading
        if grading is None:
            return "not scored"
        lines = [f"=== {'success' if grading.success else 'no success'}, return {grading.scores['return']:.2f}"]
        return "\n".join([*lines, *grading.reasons])

    def registry(self, names: Iterable[str]) -> Registry:
        """The tools of these names; UnknownName where one does not exist."""
        return all_agent_tools().subset(names)

    def offered(self, env: SessionHost, pack: TaskSet, task_id: str) -> Registry:
        """Everything on the phone that an agent may call: the same in every scenario."""
        return all_agent_tools()

    def judgements(self, record: Trajectory) -> list[Judgement]:
        """The answers to proposals, and whether the session succeeded."""
        found = []
        settled = [event for event in record.events if event.kind == "settled"]
        for number, event in enumerate(settled, start=1):
            value = "accepted" if event.data["accepted"] else "rejected"
            found.append(Judgement("proposal", str(number), f"proposal {number}", value, event.data["note"]))
        if record.scored:
            success = "success" if record.scores["success"] else "no success"
            found.append(Judgement("goal", "goal", "goal", success, " ".join(record.labels["reasons"])))
        return found

    def lives(self, record: Trajectory) -> list[Life]:
        """The lives of the proposals, and of the goal."""
        from pi_gym.pare.help_lives import help_lives

        return help_lives(record)

    def shortcomings(self, labels: Mapping[str, Any]) -> list[str]:
        """The reasons against success."""
        return list(labels.get("reasons", ()))

    def dossiers(
        self, records: Iterable[Trajectory], packs: Mapping[str, TaskSet]
    ) -> Iterator[tuple[Trajectory, Dossier | Exception]]:
        """The proposals, what the scenario's author meant, and what changed; each record is played again."""
        from pi_gym.pare.pare_dossiers import pare_dossiers

        return pare_dossiers(records)


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else str(value)


PARE = Pare()
