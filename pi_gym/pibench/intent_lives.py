"""The lives of hidden intents in a recorded session: asked for, announced, revealed, completed, or too late."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from pi_gym.dossier import Life, LifeMoment, Tone
from pi_gym.session.trajectory import Trajectory
from pi_gym.types import Event

_STATUS_TONES: Mapping[str, Tone] = {"completed": "good", "inferred": "good", "provided": "bad", "open": "open"}
_CLAUSE_TONES: Mapping[str, Tone] = {"hit": "good", "miss": "bad"}


def intent_lives(record: Trajectory) -> list[Life]:
    """The life of each intent of a record, in the order of its labels; last the questions that hit none."""
    moments: dict[str, list[LifeMoment]] = defaultdict(list)
    beside: list[LifeMoment] = []
    for event in record.events:
        for intent, moment in _moments(event):
            (moments[intent] if intent else beside).append(moment)
    lives = [
        Life(
            "intent",
            one["id"],
            one["name"] or one["id"],
            one["status"] + (", needless" if one["needless"] else ""),
            _STATUS_TONES.get(one["status"], "plain"),
            tuple(moments[one["id"]]),
        )
        for one in record.labels.get("intents", ())
    ]
    if beside:
        lives.append(Life("question", "", "questions that hit no intent", str(len(beside)), "plain", tuple(beside)))
    return lives


def intent_shortcomings(labels: Mapping[str, Any]) -> list[str]:
    """The intents that were not found out, and the items that did not pass, of a record's labels."""
    intents = (
        f"{one['status']}: {one['name'] or one['id']}"
        for one in labels.get("intents", ())
        if _STATUS_TONES.get(one["status"]) != "good"
    )
    items = (
        f"{one['verdict']}: {one['name'] or one['id']}"
        for one in labels.get("checklist", ())
        if one["verdict"] != "passed"
    )
    return [*intents, *items]


def _moments(event: Event) -> Iterator[tuple[str, LifeMoment]]:
    """(intent, moment) of an event; the intent is "" for a question that hit none."""
    data = event.data

    def moment(state: str, text: str = "", tone: Tone = "plain") -> LifeMoment:
        return LifeMoment(event.turn, event.step, state, text, tone)

    if event.kind == "asked":
        for clause in data["clauses"]:
            outcome = clause["outcome"]
            asked = moment(f"asked: {outcome}", clause["text"], _CLAUSE_TONES.get(outcome, "plain"))
            yield from ((intent, asked) for intent in clause["hits"] or ("",))
    elif event.kind == "announced":
        right = bool(data["right"])
        yield data["intent"], moment("announced", f"{data['value']}", "good" if right else "bad")
    elif event.kind == "status":
        text = data["reason"] + (" (needless: it could be known)" if data["needless"] else "")
        yield data["intent"], moment(data["status"], text, _STATUS_TONES.get(data["status"], "plain"))
    elif event.kind == "user":
        yield from ((intent, moment("revealed", data["text"])) for intent in data.get("intents", ()))
    elif event.kind == "closed":
        yield data["intent"], moment("too late", "what it was for had happened already", "bad")
    elif event.kind == "answer" and isinstance(data["value"], Mapping):
        # A model that played the user says of every open intent whether the turn satisfied it, and why.
        for intent, part in data["value"].items():
            if isinstance(part, Mapping) and isinstance(part.get("reason"), str):
                yield intent, moment("read by the model", part["reason"])
