"""The check that the engine shows the agent nothing hidden: canaries, searched for in all that the environment gives.

A task is built twice. In one build every hidden text carries a canary, a word that nobody else uses. It is driven with
the actions of the plain build, so that what the agent wrote itself carries none, and every canary that the agent gets
to see tells which text leaked. The plain build runs in the environment itself: what it shows must be what the build
with canaries shows, the canaries taken out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import re2

from pi_gym.info import step_info
from pi_gym.packs import Task
from pi_gym.pibench.declared_shell import DeclaredShell
from pi_gym.pibench.env import PiEnv
from pi_gym.pibench.family import PIBENCH
from pi_gym.pibench.history import opening_for
from pi_gym.pibench.remarks import topic_answer
from pi_gym.pibench.session import PiSession
from pi_gym.pibench.settings import SessionConfig
from pi_gym.proof.adversaries import GENERIC_QUESTIONS, hidden_lines, writes
from pi_gym.proof.case import Case
from pi_gym.proof.stage import step_once
from pi_gym.state.diff import unified_diff
from pi_gym.users.base import User
from pi_gym.validation.report import Sheet

CANARY = "qzcanary"
MIN_REASON_CHARS = 20
_MARK = re2.compile(CANARY + r"-([a-z]+[0-9]*)")
_MARKED = re2.compile(" " + CANARY + r"-[a-z]+[0-9]*")


@dataclass(frozen=True, slots=True)
class Seen:
    """The text that the agent gets by one step; step 0 is the reset.

    Args:
        step: its number.
        text: observation and info, tool schemas and messages included, as one text; of the history what is new.
    """

    step: int
    text: str


def check_leaks(case: Case, sheet: Sheet, user: User | Literal["rule"] = "rule") -> None:
    """Drive the canary build with the plain build's actions and search all that the agent gets, at every step."""
    env = PiEnv(case.pack.source, history="reference", user=user)
    marked = case.pack.instantiate(case.task.id, case.task.variant, canary=CANARY)
    texts = [text for intent in marked.intents for text in (intent.text, intent.reveal, intent.corrects)]
    texts += [*(item.text for item in marked.checklist), *marked.reference]
    texts += [*marked.undrawn.values(), *(answer.says for answer in marked.answers)]
    if not all(CANARY in text for text in texts if text):
        sheet.fail("canaries", "not every hidden text carries its canary, so that this check shows nothing")
    words = "\n".join(hidden_lines(case.task))
    plans: dict[str, tuple[Sequence[str], str]] = {"reference": (case.task.reference, "")}
    if case.early:
        plans |= {
            "silent": ((), ""),
            "stuffing": (writes({"stuffed.md": words}), words),
            "asking": ((), "\n".join(GENERIC_QUESTIONS[:10])),
        }
    for name, (actions, closing) in plans.items():
        opening = opening_for(case.pack, marked, "reference", "task")
        session = PiSession(marked, config=SessionConfig(history="reference"), user=env.user, opening=opening)
        found: set[str] = set()
        shown: list[str] = []
        for seen in _watched(session, actions, closing):
            for mark in marks(seen.text) - found - stated(session) - answered(session):
                found.add(mark)
                reason = f"its hidden text reaches the agent at step {seen.step} of {name}"
                sheet.fail(mark_name(marked, mark), reason)
            shown.append(_MARKED.sub("", seen.text))
            sheet.peak("steps, most", seen.step)
        plain = [seen.text for seen in _in_environment(env, case.task, actions, closing)]
        differing = next((n for n, (a, b) in enumerate(zip(shown, plain, strict=False)) if a != b), None)
        if differing is not None or len(shown) != len(plain):
            where = "in its length" if differing is None else f"at step {differing}"
            sheet.fail(name, f"what the build with canaries shows differs {where} from what the environment shows")
        assert env.session is not None
        if _outcome(session) != _outcome(env.session):
            sheet.fail(name, f"the build with canaries ends in {_outcome(session)}, not in {_outcome(env.session)}")
        for reason in _reasons(env.session):
            if reason in plain[-1]:
                sheet.fail(name, f"a predicate's verdict reaches the agent: {reason}")
    env.close()


def _watched(session: PiSession, actions: Sequence[str], closing: str) -> Iterator[Seen]:
    """A session driven as the environment drives it."""
    history = session.history
    yield _seen(0, history, "", step_info(PIBENCH, session, None))
    workspace = session.world.workspace
    mark, step = workspace.mark(), 0
    while not session.ended:
        step_once(session, actions[step] if step < len(actions) else closing)
        after, step = session.world.workspace, step + 1
        changes = after.changes(mark)
        diff = unified_diff(workspace.at(mark), after, changes) if changes else ""
        workspace, mark = after, after.mark()
        before, history = history, session.history
        yield _seen(step, _news(before, history), diff, step_info(PIBENCH, session, session.step))


def _in_environment(env: PiEnv, task: Task, actions: Sequence[str], closing: str) -> Iterator[Seen]:
    observation, info = env.reset(options={"task": task.id, "variant": task.variant})
    history = observation["history"]
    yield _seen(0, history, observation["workspace_diff"], info)
    done, step = False, 0
    while not done:
        action = actions[step] if step < len(actions) else closing
        if env.session is not None:
            env.shell = DeclaredShell(env.session, action)
        observation, _, terminated, truncated, info = env.step(action)
        done, step = terminated or truncated, step + 1
        before, history = history, observation["history"]
        yield _seen(step, _news(before, history), observation["workspace_diff"], info)


def _news(before: str, now: str) -> str:
    """The new part of a history since the step before; all of it where it does not begin with the old one."""
    return now[len(before) :] if now.startswith(before) else now


def _seen(step: int, history: str, diff: str, info: Mapping[str, Any]) -> Seen:
    return Seen(step, "\n".join([history, diff, json.dumps(info, ensure_ascii=False, default=str)]))


def _outcome(session: PiSession) -> dict[str, Any]:
    return {
        "intents": [
            (number, status, session.standing.turns.get(number)) for number, status in session.statuses.items()
        ],
        "checklist": [(verdict.id, verdict.verdict) for verdict in session.verdicts],
        "scores": (session.proc, session.comp),
    }


def _reasons(session: PiSession) -> list[str]:
    """The reasons of predicates in a session, where they are long enough to be theirs alone."""
    events = (event.data for event in session.log if event.kind in ("status", "verdict"))
    return [data["reason"] for data in events if len(data["reason"]) >= MIN_REASON_CHARS]


def marks(text: str) -> set[str]:
    """The marks of the canaries in a text: "i1", "c2", "reference"."""
    return set(_MARK.findall(text)) if CANARY in text else set()


def stated(session: PiSession) -> set[str]:
    """The intents that the user has stated, whose text is hidden no more."""
    return {number for number, status in session.statuses.items() if status in ("inferred", "provided")}


def answered(session: PiSession) -> set[str]:
    """The marks of what the user has said to questions on what is no intent of the session."""
    clauses = (clause for event in session.log if event.kind == "asked" for clause in event.data["clauses"])
    topics = {name for clause in clauses for name in clause.get("topics", ())}
    return {mark for name in topics for mark in marks(topic_answer(session.task, name))}


def mark_name(task: Task, mark: str) -> str:
    """The author's name for what a canary of a task stands for."""
    names = {intent.id: f"intent {intent.name}" for intent in task.intents}
    names |= {item.id: f"item {item.name}" for item in task.checklist}
    names |= {one: f"undrawn {name}" for name, text in task.undrawn.items() for one in marks(text)}
    names |= {one: f"answer {answer.name}" for answer in task.answers for one in marks(answer.says)}
    return names.get(mark, mark)
