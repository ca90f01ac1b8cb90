"""The material of a prompt for a model that plays the person: what they know and see, as blocks of quoted text."""

from __future__ import annotations

import json
from collections.abc import Iterable

from pi_gym.apps.declare import SEPARATOR
from pi_gym.pare.pare_opening import spoken
from pi_gym.pare.person import PersonView, ready_steps
from pi_gym.pare.scenario import Help, PlanStep
from pi_gym.phone.handset import apps_with_screens, spoken_action
from pi_gym.templates import Markup, block, mark, quoted
from pi_gym.tools import Registry
from pi_gym.types import Event, ToolCall

#: Of what was done lately: how many entries, and the most letters of what the phone showed, the last time and before.
MAX_ENTRIES = 16
LAST_RESULT_LETTERS, RESULT_LETTERS = 8_000, 600
MAX_PROPOSAL_LETTERS, MAX_SHORT_LETTERS, MAX_SCREEN_LETTERS = 4_000, 400, 2_000


def person_material(view: PersonView, registry: Registry) -> dict[str, Markup]:
    """The blocks of the prompt by name.

    Args:
        view: the session as the person sees it.
        registry: what they may do.
    """
    past, new = _entries(view)
    owner = view.scenario.owner
    return {
        "scene": mark("you", name=owner.name, email=owner.email, time=spoken(view.now), turn=view.turn),
        "mind": block("in_mind", _plan(view)),
        "lately": block("lately", _shown(past, last=True)),
        "news": block("came_in_since", _shown(new, last=False)),
        "screen": _screen(view),
        "actions": block("actions", quoted(registry.signatures())),
        "proposal": _proposal(view) if view.proposal else Markup(""),
    }


def _screen(view: PersonView) -> Markup:
    navigation, place = view.navigation, view.navigation.place
    if place is None:
        shown, name = f"The apps: {', '.join(apps_with_screens(view.evidence.apps))}", "home screen"
    else:
        shown, name = json.dumps(dict(place.holds), ensure_ascii=False, default=str), place.screen
    open_apps = ", ".join(sorted(navigation.stacks)) or "none"
    return block("screen", quoted(shown, MAX_SCREEN_LETTERS), app=navigation.active, name=name, open_apps=open_apps)


def _plan(view: PersonView) -> Markup:
    steps = [step for _, step in ready_steps(view, view.scenario.plan, 0)]
    return _steps(steps) if steps else quoted("Nothing in particular.")


def _steps(steps: Iterable[PlanStep]) -> Markup:
    return Markup("".join(quoted(_spoken_step(step)) for step in steps))


def _spoken_step(step: PlanStep) -> str:
    """A step in words: the action, and what the screen has to show for it."""
    beside = {name: value for name, value in step.shows.items() if step.call.arguments.get(name) != value}
    shown = ", ".join(f"{name}={value!r}" for name, value in beside.items())
    app = step.call.name.partition(SEPARATOR)[0]
    return f"{spoken_action(step.call)} in {app}" + (f", where the screen shows {shown}" if shown else "")


def _entries(view: PersonView) -> tuple[list[Event], list[Event]]:
    """The events that they have lived through of late, and those that are new since the agent had the word last."""
    kinds = ("person", "notification", "settled", "reply")
    old = [event for event in view.log.since(0) if event.kind in kinds]
    new = [event for event in view.log.since(view.known) if event.kind in kinds]
    return old[: len(old) - len(new)][-MAX_ENTRIES:], new[-MAX_ENTRIES:]


def _shown(events: list[Event], *, last: bool) -> Markup:
    """Entries, oldest first; `last` shows more of what the last action brought."""
    acted = [number for number, event in enumerate(events) if event.kind == "person"]
    parts = []
    for number, event in enumerate(events):
        data = event.data
        if event.kind == "notification":
            parts.append(block("notification", quoted(data["short"], MAX_SHORT_LETTERS), app=data["app"]))
        elif event.kind == "person":
            most = LAST_RESULT_LETTERS if last and number == acted[-1] else RESULT_LETTERS
            done = spoken_action(ToolCall(data["call"], data["arguments"]))
            outcome = "done" if data["ok"] else "failed"
            parts.append(block("you_did", quoted(data["result"], most), action=done, outcome=outcome))
        elif event.kind == "settled":
            said = "accepted" if data["accepted"] else "rejected"
            parts.append(block("you_answered", quoted(data["proposal"], RESULT_LETTERS), proposal=said))
        elif data["how"] == "report":
            parts.append(block("assistants_report", quoted(data["text"], RESULT_LETTERS)))
    return Markup("".join(parts)) if parts else quoted("Nothing.")


def _proposal(view: PersonView) -> Markup:
    said = block("proposal", quoted(view.proposal, MAX_PROPOSAL_LETTERS))
    return Markup(said + block("what_you_want", Markup("".join(map(quoted, _wish(view))))))


def _wish(view: PersonView) -> list[str]:
    """The person's mind about help, a line each; it is shown only while they decide on a proposal."""
    help_, solution = view.scenario.help, view.scenario.solution
    if help_ is None or solution is None:
        return ["No help is wanted: whatever is proposed now is of no use to you."]
    lines = [f"You would welcome this help: {' and '.join(map(_spoken_ways, help_.acts))}."]
    if help_.may:
        lines.append(f"It may also offer: {', '.join(map(_spoken_act, sorted(help_.may)))}.")
    lines += [f"It has to name ({name}): {' or '.join(ways)}" for name, ways in help_.names.items()]
    if help_.wrong:
        lines.append(f"It must not be about: {', '.join(help_.wrong)}")
    lines.append(f"Said rightly, in other words: {solution.propose}")
    if view.too_early:
        lines.append("But when this was proposed, what speaks for it had not reached you: it is too early.")
    elif view.met:
        lines.append("But that has been taken care of already.")
    else:
        lines += _unseen(view, help_)
    return lines


def _unseen(view: PersonView, help_: Help) -> list[str]:
    steps = [step for _, step in ready_steps(view, help_.look, len(view.scenario.plan))]
    if not steps or view.helped:
        return []
    return ["You have not looked at this yet, and do before you decide:", *map(_spoken_step, steps)]


def _spoken_ways(ways: frozenset[str]) -> str:
    return " or ".join(map(_spoken_act, sorted(ways)))


def _spoken_act(act: str) -> str:
    """An act in words.

    >>> _spoken_act("ride.book")
    'book (ride)'
    """
    thing, _, verb = act.partition(".")
    return f"{verb} ({thing})"
