"""Standards of form: how many intents, items and values a task has, and what holds a group together.

Tasks of a benchmark pack must keep them; of others a departure is noted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pi_gym.baselines.memory import parameter
from pi_gym.packs.task import Intent, Item
from pi_gym.pibench.views import evidence
from pi_gym.predicates import Evidence
from pi_gym.proof.case import Case
from pi_gym.proof.recall import ends_group
from pi_gym.schema import ParamSpec
from pi_gym.state import Changes
from pi_gym.validation.report import Sheet

DRAWN = (3, 8)
SPARE = 2
ITEMS = (5, 15)
MIN_ON_STATE = 0.6
MIN_PARAMS = 3
#: Of what the last session of a group draws: intents that only the group's earlier sessions tell.
MIN_CARRIED, MIN_CARRIED_SHARE = 2, 0.4


def check_form(case: Case, sheet: Sheet) -> None:
    """The task has the size and the make-up that the standards ask for."""
    told = sheet.fail if case.pack.spec.benchmark else sheet.note
    spec = case.source.spec
    pool, drawn, items = len(case.source.pool), len(case.task.intents), case.task.checklist
    sheet.numbers |= {"pool": pool, "drawn": drawn, "items": len(items)}
    if not spec.draw.min <= drawn <= spec.draw.max:
        sheet.fail("draw", f"{drawn} intents are drawn, declared are {spec.draw.min} to {spec.draw.max}")
    if pool < spec.draw.max + SPARE:
        told("pool", f"{pool} intents, draw.max is {spec.draw.max}; expected at least {SPARE} more than that")
    if not DRAWN[0] <= drawn <= DRAWN[1]:
        told("draw", f"{drawn} intents are drawn, expected {DRAWN[0]} to {DRAWN[1]}")
    if not ITEMS[0] <= len(items) <= ITEMS[1]:
        told("checklist", f"{len(items)} items, expected {ITEMS[0]} to {ITEMS[1]}")
    for item in items:
        if not item.text.strip():
            told(f"item {item.name}", "expected a criterion, for a rubric grader")
    sheet.numbers["params with choices"] = count = sum(_varies(one) for one in _parameters(case))
    if count < MIN_PARAMS:
        told("params", f"{count} parameters have choices, expected {MIN_PARAMS} or more")
    for wish in spec.wishes:
        if not (wish.always or wish.undrawn):
            told(f"wish {wish.label}", "expected `undrawn`: her answer on it where a world does not hold it")
    _check_state(case, sheet, told)
    _check_group(case, sheet, told)


def _parameters(case: Case) -> list[ParamSpec]:
    """The task's own parameters, and the persona's that its intents stand for."""
    names = [*case.source.params, *(name for intent in case.source.pool for name in intent.values)]
    return [parameter(case.pack, case.task, name) for name in dict.fromkeys(names)]


def _varies(spec: ParamSpec) -> bool:
    if spec.choices is not None:
        return len(spec.choices) > 1
    bounds = spec.range or spec.date
    return bounds is not None and bounds[0] != bounds[1]


def _check_state(case: Case, sheet: Sheet, told: Callable[[str, str], None]) -> None:
    """Check that most items look at state: they fail where the right words and calls leave everything as it was."""
    session = case.reference.session
    if not session.ended or session.error or not case.task.checklist:
        return
    statuses = {intent.name: session.statuses[intent.id] for intent in case.task.intents}
    seen = evidence(session.log, case.opening.world, session.world, case.opening.mark, statuses, session.cron_start)
    words = replace(seen, now=seen.start, changes=Changes(), apps=seen.apps_start, attachments=())
    on_state = [item for item in case.task.checklist if _reads_state(item, seen, words)]
    sheet.numbers["items on state"] = share = len(on_state) / len(case.task.checklist)
    if share < MIN_ON_STATE:
        others = ", ".join(item.name for item in case.task.checklist if item not in on_state)
        told("checklist", f"{share:.0%} of the items are checked on state, expected {MIN_ON_STATE:.0%}; not: {others}")


def _reads_state(item: Item, seen: Evidence, words: Evidence) -> bool:
    """Whether an item looks at state: of a guard its predicate tells, of others the verdict on words alone."""
    if item.requires:
        return item.check.footprint().reads_state
    return bool(item.check.test(seen)) and not item.check.test(words)


def _check_group(case: Case, sheet: Sheet, told: Callable[[str, str], None]) -> None:
    """The first of a group is used by a later one, every other recovers from an earlier one, the last rests on them."""
    card = case.pack.card(case.task.id)
    if not card.group:
        return
    earlier = set(card.depends_on)
    carried = [intent for intent in case.task.intents if _only_from(intent, earlier)]
    always = {one.name for one in case.source.pool if one.always}
    if earlier:
        sheet.numbers["carried over"] = share = len(carried) / len(case.task.intents)
        if not any(way.session in earlier for intent in case.source.pool for way in intent.ways):
            told(f"group {card.group}", f"no intent is recovered from a session before it: {sorted(earlier)}")
        if ends_group(case):
            fixed = sum(intent.name in always for intent in carried)
            if fixed < MIN_CARRIED or share < MIN_CARRIED_SHARE:
                reason = f"only its earlier sessions tell {fixed} always drawn intents and {share:.0%} of what is drawn"
                expected = f"expected {MIN_CARRIED} or more and {MIN_CARRIED_SHARE:.0%} in the last session so far"
                told(f"group {card.group}", f"{reason}; {expected}")
    later = [name for name in case.pack.task_ids if case.task.id in case.pack.card(name).depends_on]
    if (
        later
        and not earlier
        and not any(
            way.session == case.task.id
            for name in later
            for intent in case.pack.source_of(name).pool
            for way in intent.ways
        )
    ):
        told(f"group {card.group}", f"no later session of the group recovers anything from it: {later}")


def _only_from(intent: Intent, sessions: set[str]) -> bool:
    return bool(intent.recover) and all(way.session in sessions for way in intent.recover)
