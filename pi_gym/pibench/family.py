"""The PiBench family: how its sessions are opened, scored and shown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, cast

from pi_gym.catalogue import TaskName, TaskSet
from pi_gym.dossier import Dossier, JudgedPart, Life, PutQuestion
from pi_gym.family import ColumnKind, Family, Judgement, Measure, SessionHost
from pi_gym.graders.base import Grader
from pi_gym.info import UNKNOWN, known
from pi_gym.packs import Pack, Task
from pi_gym.pibench.history import opening_for, require_references, world_after
from pi_gym.pibench.opening import choose_tools
from pi_gym.pibench.role_check import require_roles
from pi_gym.pibench.session import PiSession
from pi_gym.pibench.session_state import FAMILY
from pi_gym.pibench.settings import SessionConfig
from pi_gym.pibench.standing import CREDITED, NO_SCORES
from pi_gym.pibench.views import app_changes
from pi_gym.rewards import COMPONENTS
from pi_gym.sampling import Start
from pi_gym.session.protocol import Session
from pi_gym.session.trajectory import Trajectory
from pi_gym.tools import Registry
from pi_gym.users.base import User

_INTENT: Mapping[str, ColumnKind] = {
    "id": "string",
    "name": "string",
    "status": "string",
    "turn": "int64",
    "needless": "bool",
}
_SHARE: Mapping[str, ColumnKind] = {"name": "string", "met": "int64", "of": "int64"}
_ITEM: Mapping[str, ColumnKind] = {
    "id": "string",
    "name": "string",
    "verdict": "string",
    "grader": "string",
    "reason": "string",
}


class PiHost(SessionHost, Protocol):
    """The environment as this family sees it: with its roles and its settings."""

    user: User
    grader: Grader
    session_config: SessionConfig


class PiBench(Family):
    """Sessions with hidden intents and a final checklist, scored by Proc and Comp."""

    name = FAMILY
    scores = tuple(NO_SCORES)
    measures = (
        Measure("proc", "Proc", "share of hidden intents resolved without being told", weight="intent_count"),
        Measure(
            "strict_proc", "strict Proc", "Proc without intents that were asked for needlessly", weight="intent_count"
        ),
        Measure("comp", "Comp", "share of checklist items passed"),
        Measure("return", "return"),
        Measure("turns", "turns", decimals=1),
        Measure("questions", "questions", decimals=1),
        Measure("needless", "", decimals=1),
        Measure("question_misses", "", "replies in which an asking clause hit nothing", decimals=1),
    )
    protocols: Mapping[str, str] = {
        "paper": "pi_gym.runs.averages:mean_values",
        "official": "pi_gym.pibench.official_averages:official_values",
    }
    components = COMPONENTS
    columns: Mapping[str, ColumnKind] = {
        "questions": "int64",
        "question_misses": "int64",
        "words_by_user": "int64",
        "needless": "int64",
        "intent_count": "int64",
        "intents": [_INTENT],
        "intents_held": ["string"],
        "checklist": [_ITEM],
        "shares": [_SHARE],
    }
    info_keys: Mapping[str, tuple[type, str]] = {
        "proc": (float, "share of intents completed or asked for; -1.0 until the end and where there is none"),
        "comp": (float, "share of checklist items passed; -1.0 until the end and where there is none"),
        "questions": (int, "asking clauses that the user took notice of so far"),
        "question_misses": (int, "replies in which one of these hit nothing"),
    }
    roles = ("user", "grader")
    judged = (
        JudgedPart(
            kind="intent",
            key="intents",
            title="Hidden intents: what the user wants and had not said",
            values=("completed", "inferred", "provided"),
            credited=CREDITED,
            measure="proc",
            same={"open": "provided"},
        ),
        JudgedPart("item", "checklist", "Checklist", ("passed", "failed"), ("passed",), "comp", is_criterion=True),
    )
    tallied: Mapping[str, str] = {"intents": "status"}
    report = "pi_gym.pibench.pi_paper_tables:paper_parts"
    judges = "pi_gym.pibench.judging:PiJudges"
    prover = "pi_gym.proof:validate_pack"
    describer = "pi_gym.proof.description:describe"
    world_maker = "pi_gym.authoring.worlds:made_world"
    question_check = "pi_gym.proof.question_report:question_report"
    task_check = "pi_gym.proof.one_task:check_task"
    task_maker = "pi_gym.authoring.task_folder:begin_task"
    trial_maker = "pi_gym.proof.role_trials:role_trials"
    listed_trial_maker = "pi_gym.proof.role_trials:listed_trials"
    question_draft = "pi_gym.proof.question_report:question_draft"

    def prepare(self, env: SessionHost, start: Start) -> Task:
        """The task, which the environment's roles can judge."""
        env = cast(PiHost, env)
        task = cast(Pack, start.pack).instantiate(start.task_id, start.variant)
        require_roles(task, env.user, env.grader, env.session_config.reward)
        task.complete()  # what an author got wrong is told by the reset, not in the middle of a session
        return task

    def open(
        self, env: SessionHost, start: Start, prepared: Any, before: Session | None, *, env_id: str, seed: int
    ) -> PiSession:
        """A session over a prepared task, in the world that the history mode means."""
        env = cast(PiHost, env)
        task: Task = prepared
        config = replace(env.session_config, env_id=env_id, seed=seed)
        if config.history == "own":
            world = None if before is None else world_after(cast(PiSession, before))
            return PiSession(task, world, config=config, user=env.user, grader=env.grader)
        opening = opening_for(
            cast(Pack, start.pack),
            task,
            config.history,
            config.tools,
            config.subagent,
            config.limits,
            config.paper_letter,
        )
        return PiSession(task, config=config, user=env.user, grader=env.grader, opening=opening)

    def preview(self, env: SessionHost, pack: TaskSet, task_id: str, variant: int) -> Session:
        """A session whose roles nobody asks, so that tasks without predicates can be looked at too."""
        from pi_gym.graders.model import ModelGrader
        from pi_gym.users.model import ModelUser

        env, pack = cast(PiHost, env), cast(Pack, pack)
        task = pack.instantiate(task_id, variant)
        mode = "reference" if pack.has_references else "none"
        config = env.session_config
        opening = opening_for(
            pack, task, cast(Any, mode), config.tools, limits=config.limits, paper_letter=config.paper_letter
        )
        return PiSession(task, config=config, user=ModelUser(), grader=ModelGrader(), opening=opening)

    def require(self, env: SessionHost, tasks: Iterable[TaskName]) -> None:
        """Raise RolesNeeded where a task cannot be judged by the roles, or its past cannot be played."""
        env = cast(PiHost, env)
        packs = {pack.name: cast(Pack, pack) for pack in env.packs}
        if env.history_mode == "reference":
            for pack in packs.values():
                require_references(pack)
        for name, task_id in tasks:
            if not packs[name].has_rules:
                task = packs[name].instantiate(task_id)
                require_roles(task, env.user, env.grader, env.session_config.reward)

    def notes(self, env: SessionHost, tasks: Iterable[TaskName]) -> list[str]:
        """That the grader's model is not asked, where no task has an item for it."""
        from pi_gym.graders.model import ModelGrader

        grader, packs = cast(PiHost, env).grader, {pack.name: cast(Pack, pack) for pack in env.packs}
        asks = not isinstance(grader, ModelGrader) or grader.all_items
        if asks or any(packs[name].has_rubric_items(task_id) for name, task_id in tasks):
            return []
        return ["the grader's model is not asked: rules judge all checklist items of these tasks"]

    def replay_episode(self, env: SessionHost, pack: TaskSet, records: Sequence[Trajectory]) -> Session | None:
        """The last of the recorded sessions, in the world that all of them made."""
        from pi_gym.pibench.episode import last_session

        return last_session(cast(Pack, pack), records)

    def info(self, session: Session) -> dict[str, Any]:
        """Proc and Comp, and the questions so far."""
        session = cast(PiSession, session)
        standing = session.standing
        return {
            "proc": known(session.proc) if session.ended else UNKNOWN,
            "comp": known(session.comp) if session.ended else UNKNOWN,
            "questions": standing.questions,
            "question_misses": standing.misses,
        }

    def debug_info(self, session: Session) -> dict[str, Any]:
        """Intents with texts and statuses, checklist with verdicts, the reference, the true values.

        Beside it, what the session changed in the apps, a line a row.
        """
        session = cast(PiSession, session)
        verdicts = {verdict.id: verdict for verdict in session.verdicts}
        return {
            "intents": [
                {
                    "id": intent.id,
                    "name": intent.name,
                    "text": intent.text,
                    "reveal": intent.reveal,
                    "status": session.statuses[intent.id],
                    "needless": intent.id in session.needless,
                }
                for intent in session.task.intents
            ],
            "checklist": [
                {
                    "id": item.id,
                    "name": item.name,
                    "text": item.text,
                    "verdict": verdicts[item.id].verdict if item.id in verdicts else "",
                    "reason": verdicts[item.id].reason if item.id in verdicts else "",
                }
                for item in session.checklist
            ],
            "reference": list(session.task.reference),
            "values": dict(session.task.values),
            "app_changes": app_changes(session.evidence(())),
        }

    def reference(self, session: Session) -> Sequence[str]:
        """The actions of the task's model assistant."""
        return cast(PiSession, session).task.reference

    def hidden_text(self, session: Session) -> str:
        """Intents, checklist, values and reference."""
        task = cast(PiSession, session).task
        parts = ["=== hidden intents ==="]
        for intent in task.intents:
            known_from = ", ".join(str(way.place) for way in intent.recover)
            parts.append(f"{intent.id} {intent.name} ({intent.scope}): {intent.text}")
            parts.append(f"   revealed as: {intent.reveal}")
            if intent.by_rule:
                parts.append(f"   can be known from: {known_from or 'only by asking'}")
        parts.append(f"   not drawn here: {', '.join(task.undrawn) or 'none'}")
        parts.append("\n=== checklist ===")
        for item in task.checklist:
            together = f", only with {item.requires}" if item.requires else ""
            parts.append(f"{item.id} {item.name} ({item.grader}{together}): {item.text}")
        parts.append("\n=== values ===")
        parts += [
            f"{name}: {json.dumps(value, ensure_ascii=False, default=str)}" for name, value in task.values.items()
        ]
        parts.append("\n=== reference ===")
        parts += [f"[{number}] {action}" for number, action in enumerate(task.reference, start=1)]
        return "\n".join(parts)

    def result_text(self, session: Session) -> str:
        """Each intent with its status, each item with its verdict, and the scores."""
        session = cast(PiSession, session)
        texts = {intent.id: intent.text for intent in session.task.intents}
        lines = ["=== the user's hidden intents"]
        lines += [f"{status:>9}  {texts[number]}" for number, status in session.statuses.items()]
        criteria = {item.id: item.text for item in session.checklist}
        lines.append("=== the checklist")
        lines += [f"{verdict.verdict:>9}  {criteria[verdict.id]}" for verdict in session.verdicts]
        named = zip(("Proc", "strict Proc", "Comp", "return"), session.scores.values(), strict=True)
        lines.append("=== " + ", ".join(f"{name} {value:.3f}" for name, value in named if value is not None))
        return "\n".join(lines)

    def offered(self, env: SessionHost, pack: TaskSet, task_id: str) -> Registry:
        """The task's tools and the pack's general ones, or everything, as the environment is set."""
        config = cast(PiHost, env).session_config
        return choose_tools(cast(Pack, pack).instantiate(task_id), config.tools, config.subagent)

    def judgements(self, record: Trajectory) -> list[Judgement]:
        """The statuses of intents and the verdicts of items, each with why."""
        why = _reasons(record)
        found = []
        for one in record.labels.get("intents", ()):
            credited = "credited" if one["status"] in CREDITED else "not credited"
            tags = {"intents: status": one["status"], "intents: credited": credited}
            found.append(Judgement("intent", one["id"], one["name"], one["status"], why.get(one["id"], ""), tags))
        for one in record.labels.get("checklist", ()):
            tags = {"checklist items": one["verdict"]}
            if one["grader"] == "rubric":
                tags["rubric items"] = one["verdict"]
            found.append(Judgement("item", one["id"], one["name"], one["verdict"], one["reason"], tags))
        return found

    def questions(self, record: Trajectory) -> list[PutQuestion]:
        """The clauses that were taken as questions, and the sentences that end with a question mark."""
        from pi_gym.pibench.dossiers import put_questions

        return put_questions(record)

    def lives(self, record: Trajectory) -> list[Life]:
        """The lives of the hidden intents, and the questions that hit none."""
        from pi_gym.pibench.intent_lives import intent_lives

        return intent_lives(record)

    def shortcomings(self, labels: Mapping[str, Any]) -> list[str]:
        """The intents that had to be told, and the items that did not pass."""
        from pi_gym.pibench.intent_lives import intent_shortcomings

        return intent_shortcomings(labels)

    def dossiers(
        self, records: Iterable[Trajectory], packs: Mapping[str, TaskSet]
    ) -> Iterator[tuple[Trajectory, Dossier | Exception]]:
        """Intents and items in words, what changed in files and apps; each record is played back."""
        from pi_gym.pibench.dossiers import dossiers

        return dossiers(records, packs)


def _reasons(record: Trajectory) -> dict[str, str]:
    """The reasons for intents' statuses, by id: of an open one what the model said last, where one was asked."""
    found: dict[str, str] = {}
    for event in record.events:
        value = event.data.get("value")
        if event.kind == "answer" and isinstance(value, Mapping):
            found |= {
                number: part["reason"]
                for number, part in value.items()
                if isinstance(part, Mapping) and isinstance(part.get("reason"), str)
            }
    for event in record.events:
        if event.kind == "status":
            before = found.get(event.data["intent"], "")
            reason = event.data["reason"]
            completed = event.data["status"] == "completed" or not before
            found[event.data["intent"]] = reason if completed else f"{reason}; not satisfied: {before}"
    return found


PIBENCH = PiBench()
