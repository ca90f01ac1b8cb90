"""Checks of what the right work earns, and of what an untouched session does: reference, rest, questions."""

from __future__ import annotations

from collections.abc import Iterator

from pi_gym.packs.task import Intent
from pi_gym.pibench.history import start_world, world_after, world_left
from pi_gym.pibench.session import PiSession
from pi_gym.pibench.standing import CREDITED
from pi_gym.pibench.views import evidence
from pi_gym.predicates import Evidence
from pi_gym.proof.adversaries import silent
from pi_gym.proof.case import Case
from pi_gym.proof.memorised import own_questions
from pi_gym.state import World
from pi_gym.validation.report import Sheet

TOLERANCE = 1e-12


def check_reference(case: Case, sheet: Sheet) -> None:
    """The reference scores Proc = Comp = 1, terminates within the limits, without a failing call."""
    run, session = case.reference, case.reference.session
    calls = [event.data for event in session.log if event.kind == "call"]
    sheet.numbers |= {
        "steps": session.steps,
        "calls": len(calls),
        "turns": session.turn,
        "questions": session.questions,
    }
    for call in calls:
        if not call["ok"]:
            sheet.fail(f"call of {call['name']}", call["result"])
    if session.error:
        sheet.fail("session", f"unscored: {session.error}")
        return
    if not session.terminated:
        waiting = ", ".join(intent.name for intent in session.open_intents()) or "none"
        reason = session.end_reason or "the reference ends before the session does"
        sheet.fail("end", f"expected termination, got: {reason}; intents still open: {waiting}")
        return
    if run.unplayed:
        sheet.note("end", f"the session ended with {run.unplayed} actions of the reference still to come")
    proc, comp = session.proc or 0.0, session.comp or 0.0
    sheet.numbers |= {"Proc": proc, "Comp": comp}
    for intent in case.task.intents:
        if session.statuses[intent.id] not in CREDITED:
            why = intent.satisfied.test(_all(case, session)).why
            sheet.fail(f"intent {intent.name}", f"it is missed by the reference; its predicate in the end: {why}")
    for failed in run.failed:
        sheet.fail(f"item {failed.split(' ')[0]}", f"failed: {failed}")
    paid, due = sum(run.rewards), 0.5 * proc + 0.5 * comp
    if abs(paid - due) > TOLERANCE:
        sheet.fail("return", f"the steps paid {paid!r}, 0.5 Proc + 0.5 Comp is {due!r}")
    start = start_world(case.pack, case.task, "reference")
    for place in _differing(world_after(session), world_left(case.task, start)):
        sheet.fail(place, "what later sessions find there is not what this session leaves")


def _differing(one: World, other: World) -> Iterator[str]:
    """The files and tables in which two worlds differ."""
    files, others = ({path: blob.data for path, blob in world.workspace.walk()} for world in (one, other))
    yield from (f"file {path}" for path in sorted({*files, *others}) if files.get(path) != others.get(path))
    for app, database in one.apps.items():
        for table in database.names:
            if dict(database.table(table).rows()) != dict(other.apps[app].table(table).rows()):
                yield f"table {app}.{table}"


def _all(case: Case, session: PiSession) -> Evidence:
    """The evidence of the whole session as it stands."""
    statuses = {intent.name: session.statuses[intent.id] for intent in case.task.intents}
    return evidence(session.log, case.opening.world, session.world, case.opening.mark, statuses)


def check_untouched(case: Case, sheet: Sheet) -> None:
    """Check that at reset only guards hold, and that silence earns nothing."""
    seen = _all(case, case.stage.play((), None).session)
    for intent in case.task.intents:
        outcome = intent.satisfied.test(seen)
        if outcome:
            sheet.fail(f"intent {intent.name}", f"its predicate holds on the untouched session: {outcome.why}")
    guards = 0
    for item in case.task.checklist:
        outcome = item.check.test(seen)
        guards += bool(item.requires)
        if outcome and not item.requires:
            sheet.fail(f"item {item.name}", f"holds on the untouched session; a guard needs requires: {outcome.why}")
        elif item.requires and not outcome:
            sheet.fail(f"item {item.name}", f"has requires but is no guard, it fails when untouched: {outcome.why}")
    run = case.run(silent(case.scene))
    sheet.numbers |= {"guards": guards, "silent Proc": run.session.proc or 0.0, "silent Comp": run.session.comp or 0.0}
    for name, status in run.statuses.items():
        if status in CREDITED:
            sheet.fail(f"intent {name}", f"is {status} for an agent that says and does nothing: {run.reasons[name]}")
    for passed in run.passed:
        sheet.fail(f"item {passed.split(' ')[0]}", f"passes for an agent that does nothing: {passed}")


def check_questions(case: Case, sheet: Sheet) -> None:
    """Asking earns `inferred`; asking for what could be known is marked; the work then satisfies the predicate."""
    run = case.reference
    found = {"asked": 0, "known": 0}
    for intent in case.task.intents:
        status = run.session.statuses[intent.id]
        if not intent.recover and status != "inferred":
            why = run.reasons.get(intent.name, "")
            sheet.fail(f"intent {intent.name}", f"only the user knows it, but the reference gets {status}: {why}")
        if intent.recover and status == "inferred":
            sheet.note(f"intent {intent.name}", "the reference asks for what it could know")
        if run.session.ended and not run.session.error and intent.name not in run.held:
            why = intent.satisfied.test(_all(case, run.session)).why
            sheet.fail(f"intent {intent.name}", f"its predicate does not hold after the reference's work: {why}")
        knowable = any(way.holds(case.opening.world) for way in intent.recover)
        found["known" if intent.recover else "asked"] += 1
        _ask(case, intent, knowable, sheet)
    sheet.numbers |= {"ask intents": found["asked"], "recoverable intents": found["known"]}


def _ask(case: Case, intent: Intent, knowable: bool, sheet: Sheet) -> None:
    """Ask with the examples and the words of questions.yaml itself."""
    subject = f"intent {intent.name}"
    for question in own_questions(case.task.questions.by_name[intent.name]):
        session = case.stage.play([question], None).session
        if session.statuses[intent.id] != "inferred":
            continue
        needless = intent.id in session.needless
        if needless != knowable:
            sheet.fail(subject, f"asked although {'known' if knowable else 'not known'}, and needless is {needless}")
        return
    sheet.fail(subject, f"no question made of its words in questions.yaml earns inferred: {question!r}")
