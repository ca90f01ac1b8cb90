"""From a task in the official layout to a task of ours: no predicates, no reference, one world."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pi_gym.packs.app_rows import StagedApps
from pi_gym.packs.official.names import own_name
from pi_gym.packs.official.source import OfficialSource
from pi_gym.packs.official.specs import ENVIRONMENT
from pi_gym.packs.task import Home, Intent, Item, Persona, Task
from pi_gym.packs.unjudged import UnjudgedQuestions, unjudged
from pi_gym.schema import PersonaSpec
from pi_gym.templates import render_prompt

#: The layout names no dates, so sessions are a day apart from here on.
FIRST_OPENING = datetime(2026, 3, 2, 9, 0)
#: Runs a task's rule script, and leaves the other items to the session's grader.
SCRIPT_GRADER = "pi_gym.graders.script:ScriptGrader"
_EVENT_KEYS = ("source", "event")


@dataclass(frozen=True, slots=True)
class Setting:
    """The setting that all tasks of a pack have in common.

    Args:
        home: the pack.
        persona: who the user is.
        general_tools: what every task offers.
        skills: what every task offers, as (name, description).
    """

    home: Home
    persona: PersonaSpec
    general_tools: tuple[str, ...]
    skills: tuple[Mapping[str, str], ...]


def convert(
    setting: Setting, source: OfficialSource, *, index: int, group: str, variant: int, apps: StagedApps, canary: str
) -> Task:
    """The task.

    Args:
        setting: what its pack's tasks have in common.
        source: the task's folder.
        index: its place in the episode, from 0.
        group: its dependency group.
        variant: for the record.
        apps: the rows that it brings.
        canary: a word that every hidden text then carries.
    """
    spec, card = source.spec, setting.persona
    trigger, opening = _opening(source)
    return Task(
        home=setting.home,
        id=spec.task_id,
        index=index,
        variant=variant,
        title=spec.title,
        category="",
        group=group,
        holdout=False,
        persona=Persona(card.name, card.role, card.user, card.voice),
        trigger=trigger,
        request=source.request,
        opening=opening,
        time=(FIRST_OPENING + timedelta(days=index)).isoformat(timespec="minutes"),
        needs=needs_of(source),
        general_tools=setting.general_tools,
        tools=(),
        skills=setting.skills,
        files=source.files,
        intents=_intents(source, canary),
        checklist=_checklist(source, canary),
        values={},
        apps=apps,
        canary=canary,
        grader=SCRIPT_GRADER if source.script is not None else "",
        _questions=lambda: UnjudgedQuestions(spec.task_id),
    )


def needs_of(source: OfficialSource) -> tuple[str, ...]:
    """The needs of a session beyond the engine: a rule script runs in the sandbox for commands."""
    return ("exec",) if source.script is not None and source.script.source is not None else ()


def trigger_of(source: OfficialSource) -> str:
    """Our word for what opens the session."""
    return "event" if source.spec.trigger.type in ENVIRONMENT else "user"


def _opening(source: OfficialSource) -> tuple[str, str]:
    """The trigger, and the opening message."""
    request, trigger = source.request, trigger_of(source)
    if trigger == "user":
        return trigger, request
    event = _event(request)
    if event is None:
        return trigger, render_prompt(
            "opening_event.md", source="environment", event="signal", payload="", request=request
        ).strip()
    rest = {key: value for key, value in event.items() if key not in _EVENT_KEYS}
    payload = json.dumps(rest, ensure_ascii=False, indent=2) if rest else ""
    named = {key: event[key] for key in _EVENT_KEYS}
    return trigger, render_prompt("opening_event.md", **named, payload=payload, request="").strip()


def _event(request: str) -> dict[str, Any] | None:
    """The event that a request holds as JSON; None where it is text."""
    try:
        value = json.loads(request)
    except (ValueError, RecursionError):
        return None
    named = isinstance(value, dict) and all(isinstance(value.get(key), str) and value[key] for key in _EVENT_KEYS)
    return value if named else None


def _intents(source: OfficialSource, canary: str) -> tuple[Intent, ...]:
    hidden = [one for one in source.spec.intent.hidden_intent if one.status == "not_provided"]
    intents = []
    for number, one in enumerate(hidden, start=1):
        subject = f"intent i{number} of {source.spec.task_id}"
        text = one.content.strip() + (f" {canary}-i{number}" if canary else "")
        intents.append(
            Intent(
                id=f"i{number}",
                name=f"intent-{number}",
                text=text,
                scope="session",
                satisfied=unjudged(subject),
                reveal=text,
                after=None,
                values=(),
                recover=(),
                by_rule=False,
            )
        )
    return tuple(intents)


def _checklist(source: OfficialSource, canary: str) -> tuple[Item, ...]:
    objectives = source.spec.objectives
    evidence = {
        "files": objectives.files_read,
        "tools": tuple(dict.fromkeys(own_name(name) for name in objectives.tool_names)),
    }
    shown = {key: names for key, names in evidence.items() if names}
    items: list[Item] = []
    for number, one in enumerate(objectives.checklist, start=1):
        text = one.criterion.strip() + (f" {canary}-c{number}" if canary else "")
        check = unjudged(f"item c{number} of {source.spec.task_id}")
        items.append(Item(f"c{number}", f"item-{number}", text, "rubric", check, "", shown, one.weight, by_rule=False))
    if source.script is not None:
        number = len(items) + 1
        check = unjudged(f"item c{number} of {source.spec.task_id}")
        text = f"[tools] {source.script.path}"
        items.append(Item(f"c{number}", "script", text, "rule", check, "", {}, 1.0, source.script))
    return tuple(items)
