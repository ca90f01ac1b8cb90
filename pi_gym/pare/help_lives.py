"""The lives of an agent's proposals in a recorded Pare session, and of the goal."""

from __future__ import annotations

from collections.abc import Iterator

from pi_gym.dossier import Life, LifeMoment, Tone
from pi_gym.session.trajectory import Trajectory
from pi_gym.types import Event, ToolCall


def help_lives(record: Trajectory) -> list[Life]:
    """The goal's life, and that of each proposal in order."""
    return [_goal(record), *_proposals(record)]


def _moment(event: Event, state: str, text: str = "", tone: Tone = "plain") -> LifeMoment:
    return LifeMoment(event.turn, event.step, state, text, tone)


def _goal(record: Trajectory) -> Life:
    """The goal's life: things that came in, agreements, and the findings of the grading."""
    moments = []
    for event in record.events:
        data = event.data
        if event.kind == "happening":
            moments.append(
                _moment(event, f"came in: {data['name']}", ToolCall(data["call"], data["arguments"]).to_text())
            )
        elif event.kind == "settled" and data["accepted"]:
            moments.append(_moment(event, "agreed", data["proposal"], "good"))
        elif event.kind == "graded":
            if data["success"]:
                moments.append(_moment(event, "met", "what was wanted, and nothing else", "good"))
            moments += [_moment(event, "against it", reason, "bad") for reason in data["reasons"]]
    success = record.scores.get("success")
    value, tone = _result(success)
    wanted = record.labels.get("wanted")
    name = "goal" if wanted is None else "goal: help is wanted" if wanted else "goal: no help is wanted"
    return Life("goal", "goal", name, value, tone, tuple(moments))


def _result(success: float | None) -> tuple[str, Tone]:
    if success is None:
        return "not scored", "open"
    return ("success", "good") if success else ("no success", "bad")


def _proposals(record: Trajectory) -> Iterator[Life]:
    number, settled, moments = 0, 0, list[LifeMoment]()

    def ended(value: str, tone: Tone, judged: int = 0) -> Life:
        # Judgements count the answers, so a proposal that got one has its number.
        return Life("proposal", str(judged or ""), f"proposal {number}", value, tone, tuple(moments))

    for event in record.events:
        data = event.data
        if event.kind == "reply" and data["how"] == "proposal":
            if moments:
                moments.append(_moment(event, "replaced", data["text"], "bad"))
                yield ended("replaced", "bad")
            number, moments = number + 1, [_moment(event, "proposed", data["text"])]
        elif event.kind == "person" and moments:
            looked = f"{ToolCall(data['call'], data['arguments']).to_text()}\n{data['result']}"
            moments.append(_moment(event, "gathered", looked))
        elif event.kind == "settled" and moments:
            state, tone = ("accepted", "good") if data["accepted"] else ("rejected", "bad")
            note = f"\nthe reader found: {data['note']}" if data["note"] else ""
            moments.append(_moment(event, state, f"{data['content']}{note}", tone))  # type: ignore[arg-type]
            settled += 1
            yield ended(state, tone, settled)  # type: ignore[arg-type]
            moments = []
    if moments:
        yield ended("unanswered", "open")
