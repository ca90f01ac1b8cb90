"""The view of a recorded session, as the page shows it: entries in order, lives, judgements; JSON values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from pi_gym.family import Family
from pi_gym.session.trajectory import Trajectory
from pi_gym.session.transcript import with_note
from pi_gym.viewer.session_reading import read_session
from pi_gym.viewer.viewed_runs import FoundSession, family_or_none

#: Events that judgements and lives show already.
_SHOWN_ELSEWHERE = ("verdict", "graded")
_FACTS = (
    "turns", "steps", "tool_calls", "invalid_actions", "terminated", "truncated", "end_reason", "scored", "error",
    "error_kind", "nondeterministic", "starved", "group_id", "pack_hash", "prompt_hash",
)  # fmt: skip


def session_view(found: FoundSession) -> dict[str, Any]:
    """The view of a session.

    Raises:
        UnreadableSession: it cannot be read.
    """
    read = read_session(found)
    raw = read.raw
    view: dict[str, Any] = {
        "row": {**found.session.row, "run": str(found.run)},
        "cut": read.cut,
        "facts": {name: raw.get(name) for name in _FACTS},
        "config": json_text(raw.get("config", {})),
        "components": raw.get("reward_components", {}),
        "faults": raw.get("engine_faults", []),
        "outputs": [json_text(one) for one in raw.get("policy_outputs", ())],
        "entries": [*_entries(raw)],
        "lives": [],
        "judged": [],
        "note": "",
    }
    family = family_or_none(str(raw.get("family")))
    if family is None:
        view["note"] = f"No family {raw.get('family')!r} is installed here: its judgements are not shown."
        return view
    try:
        record = Trajectory.from_json(raw)
        view["lives"] = [asdict(one) for one in family.lives(record)]
        view["judged"] = _judged(family, record)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        view["note"] = f"What the family says of this session cannot be read; is it of another version? ({error!r})"
    return view


def _judged(family: Family, record: Trajectory) -> list[dict[str, Any]]:
    found = family.judgements(record)
    titles = {part.kind: part for part in family.judged}
    kinds = dict.fromkeys(one.kind for one in found)
    return [
        {
            "kind": kind,
            "title": titles[kind].title if kind in titles else kind,
            "parts": [
                {
                    "id": one.id,
                    "name": one.name or one.id,
                    "value": one.value,
                    "reason": one.reason,
                    "good": kind in titles and one.value in titles[kind].credited,
                }
                for one in found
                if one.kind == kind
            ],
        }
        for kind in kinds
    ]


def _entries(raw: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Messages with the results of their calls, and notes on what else happened, in order."""
    for place, text in enumerate(raw.get("opening", ())):
        yield _message("user" if place else "system", 1, 0, text)
    calls: dict[str, dict[str, Any]] = {}
    asks: dict[str, dict[str, Any]] = {}
    said: dict[str, Any] = {}
    made: list[dict[str, Any]] = []
    for event in raw.get("events", ()):
        kind, turn, step = event["kind"], event["turn"], event["step"]
        if kind == "agent":
            calls = {
                one["id"]: {
                    "name": one["name"],
                    "arguments": json_text(one["arguments"]),
                    "result": None,
                    "state": "no result",
                }
                for one in event["calls"]
            }
            said = _message("assistant", turn, step, event["content"])
            said |= {"thought": event.get("thought", ""), "fault": event.get("fault", ""), "calls": [*calls.values()]}
            made.append(said)
        elif kind in ("call", "refused") and event["id"] in calls:
            call = calls[event["id"]]
            if kind == "refused":
                call |= {"result": event["text"], "state": "refused"}
            else:
                state = "ok" if event["ok"] else "failed"
                later = event.get("answered_later")
                call |= {
                    "result": "" if later else with_note(event["result"], event.get("note", "")),
                    "state": "answered by the user" if later else state,
                }
        elif kind == "user" and not step and event["text"] in raw.get("opening", ()):
            pass  # the opening, which stands there already
        elif kind == "user":
            made.append(_message("user", turn, step, event["text"]))
        elif kind == "environment" or (kind == "reminder" and step):
            made.append(_message("environment", turn, step, event.get("shown", event["text"])))
        elif kind == "ask":
            asks[event["id"]] = ask = _ask(event)
            made.append(ask)
        elif kind == "answer" and event["id"] in asks:
            kept = {name: value for name, value in event.items() if name in ("value", "error", "note") and value}
            asks[event["id"]]["answer"] = json_text(kept)
        elif kind == "reply" and event["text"] == said.get("text"):
            said["how"] = event["how"]
        elif kind not in _SHOWN_ELSEWHERE:
            fields = [[name, _plain(value)] for name, value in event.items() if name not in ("kind", "turn", "step")]
            made.append({"type": "note", "kind": kind, "turn": turn, "step": step, "fields": fields})
    yield from made


def _message(role: str, turn: int, step: int, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "turn": turn, "step": step, "text": str(text)}


def _ask(event: Mapping[str, Any]) -> dict[str, Any]:
    request = event.get("request") or {}
    return {
        "type": "ask",
        "kind": event["ask"],
        "role": event["role"],
        "stage": event["stage"],
        "turn": event["turn"],
        "step": event["step"],
        "messages": [[str(one.get("role")), _plain(one.get("content"))] for one in request.get("messages", ())],
        "answer": "",
    }


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json_text(value)


def json_text(value: Any) -> str:
    """A value as indented JSON; on one line where it is nested too deeply for that."""
    try:
        return json.dumps(value, indent=2, ensure_ascii=False)
    except RecursionError:
        return "[nested too deeply to be shown]"
