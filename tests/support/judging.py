"""A model that answers the asks of the model roles by the task's own rules, as if it judged perfectly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.models.scripted import ScriptedModel
from pi_gym.questions import asking_clauses
from pi_gym.session import Session
from pi_gym.session.turns import turn_view
from pi_gym.types import Ask, ModelRequest


def prompt_of(ask: Ask) -> str:
    """What the ask's user message says."""
    assert isinstance(ask.request, ModelRequest)
    return ask.request.messages[1]["content"]


def ids_of(ask: Ask) -> list[str]:
    """The ids that the answer must have."""
    assert isinstance(ask.request, ModelRequest)
    assert ask.request.schema is not None
    return list(ask.request.schema["properties"])


def decided(ids: Mapping[str, bool]) -> dict[str, Any]:
    """An answer with a decision for each id."""
    return {number: {"reason": f"so for {number}", "decision": "YES" if yes else "NO"} for number, yes in ids.items()}


def clause(quote: str, *intents: str, kind: str = "targeted") -> dict[str, Any]:
    """A clause of an answer."""
    return {
        "quote": quote,
        "reason": f"asks for {', '.join(intents) or 'nothing'}",
        "kind": kind,
        "intents": [*intents],
    }


def judge_of(session: Session) -> ScriptedModel:
    """Answers each ask of a session as its rules would; the messages are the reveals."""

    def answer(ask: Ask) -> Any:
        view = turn_view(session)
        intents = {intent.id: intent for intent in session.task.intents}
        if ask.stage == "satisfied":
            return decided({number: bool(intents[number].satisfied.test(view.evidence)) for number in ids_of(ask)})
        if ask.stage == "asked":
            found = []
            for one in asking_clauses(view.reply):
                hits = [number for number, intent in intents.items() if intent.asked.matches(one)]
                found.append(clause(one.text, *hits[:2], kind="targeted" if hits else "generic"))
            return {"clauses": found}
        if ask.stage == "message":
            assert session.decision is not None
            return "\n".join(intent.reveal for intent in session.decision.intents)
        items = {item.id: item for item in session.task.checklist}
        final = session.evidence(session.log)
        return decided({number: bool(items[number].check.test(final)) for number in ids_of(ask)})

    return ScriptedModel(answer)
