"""A model that answers the asks of the model roles by the task's own rules, as if it judged perfectly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.models.scripted import ScriptedModel
from pi_gym.pibench.session import PiSession
from pi_gym.pibench.turns import turn_view
from pi_gym.questions import asking_clauses
from pi_gym.types import Ask, ModelRequest
from pi_gym.users.numbered_reply import number_sentences


def prompt_of(ask: Ask) -> str:
    """The text of the ask's user message."""
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


def clause(sentence: int, *intents: str, asks: str = "") -> dict[str, Any]:
    """A clause of an answer, by the number of its sentence."""
    told = asks or f"asks for {', '.join(intents) or 'nothing'}"
    return {"sentence": f"s{sentence}", "asks": told, "intents": [*intents]}


def _place(text: str, reply: str) -> int:
    """The number of the sentence in which a clause begins, or whose words it has."""
    sentences = list(number_sentences(reply, 12_000).sentences.values())
    near = [place for place, one in enumerate(sentences, start=1) if text[:20].strip() in one or one in text]
    return near[0] if near else 1


def judge_of(session: PiSession) -> ScriptedModel:
    """Answers each ask of a session as its rules would; the messages are the reveals."""

    def answer(ask: Ask) -> Any:
        view = turn_view(session)
        intents = {intent.id: intent for intent in session.task.intents}
        if ask.stage == "satisfied":
            return decided({number: bool(intents[number].satisfied.test(view.evidence)) for number in ids_of(ask)})
        if ask.stage == "asked":
            found = []
            for one in asking_clauses(view.reply):
                ids = {intent.name: number for number, intent in intents.items()}
                hits = [ids[name] for name in session.task.questions.aims(one) if name in ids]
                found.append(clause(_place(one.text, view.reply), *hits[:2], asks=one.text))
            return {"clauses": found}
        if ask.stage == "message":
            assert session.action.decision is not None
            return "\n".join(intent.reveal for intent in session.action.decision.intents)
        items = {item.id: item for item in session.task.checklist}
        final = session.evidence(session.log)
        return decided({number: bool(items[number].check.test(final)) for number in ids_of(ask)})

    return ScriptedModel(answer)
