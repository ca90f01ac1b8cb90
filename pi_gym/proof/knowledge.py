"""Checks of what an agent can know and then does: recovery, wrong beliefs, values that should not matter."""

from __future__ import annotations

from pi_gym.packs.task import AppColumn, Recovery
from pi_gym.proof.beliefs import drawn, flips, pool, shown
from pi_gym.proof.case import Case, without_questions
from pi_gym.state import World
from pi_gym.validation.report import Sheet

#: Wrong values tried for each parameter of an intent; which one it is differs between variants.
MOST_FLIPS = 1


def check_recovery(case: Case, sheet: Sheet) -> None:
    """Check that recoverable intents are told as they declare, by no past without one; the work needs no past."""
    told = case.opening.world
    bare = case.bare.opening.world
    ways = 0
    for intent in case.task.intents:
        if not intent.recover:
            continue
        ways += len(intent.recover)
        if not any(way.holds(told) for way in intent.recover):
            tried = "; ".join(_found(way, told) for way in intent.recover)
            sheet.fail(f"intent {intent.name}", f"nothing in the world tells it: {tried}")
        for way in intent.recover:
            if way.session is not None and way.holds(bare):
                sheet.fail(f"intent {intent.name}", f"{way.place} tells it without session {way.session} before it")
    # What earlier sessions produced is knowledge, not material: the right work is possible without it.
    run = case.bare.play(case.task.reference)
    sheet.numbers |= {"ways": ways, "Comp without a past": run.session.comp or 0.0}
    for failed in run.failed:
        sheet.fail(f"item {failed.split(' ')[0]}", f"fails where no session came before: {failed}")


def _found(way: Recovery, world: World) -> str:
    where = str(way.place) + (f" (session {way.session})" if way.session else "")
    if way.text(world) is None:
        if isinstance(way.place, AppColumn):
            return f"{where} has no row as asked"
        exists = world.workspace.blob(way.place) is not None
        return f"{where} is binary, so that no tool shows it" if exists else f"{where} does not exist"
    values = way.found(world)
    if values is None:
        patterns = [pattern for pattern, _ in way.extract.values()] + ([way.shows] if way.shows else [])
        return f"{where} does not match {' and '.join(repr(pattern) for pattern in patterns)}"
    return f"{where} says {shown(values)}, expected {shown(way.expected)}"


def check_wrong_beliefs(case: Case, sheet: Sheet) -> None:
    """Check that acting on a wrong belief about a drawn intent, without asking, does not complete it."""
    quiet = without_questions(case.task.reference)
    control = case.stage.play(quiet)
    played, comps = 0, []
    for spec in drawn(case):
        if not spec.values:
            continue
        subject = f"intent {spec.name}"
        if control.statuses[spec.name] != "completed":
            why = "the reference's work without its questions does not complete it, so wrong beliefs prove little"
            sheet.note(subject, why)
        wrong = flips(case, spec.values, MOST_FLIPS)
        if not wrong:
            sheet.note(subject, f"its values {', '.join(spec.values)} have no alternative")
        for belief in wrong:
            actions = without_questions(case.work_for(belief))
            if actions == quiet:
                sheet.fail(subject, f"the reference acts the same with {shown(belief)}")
                continue
            run = case.stage.play(actions)
            played += 1
            comps.append(run.session.comp or 0.0)
            if run.statuses[spec.name] == "completed":
                sheet.fail(subject, f"the work for {shown(belief)} completes it: {run.reasons[spec.name]}")
            elif spec.name in run.held:
                sheet.fail(subject, f"its predicate holds in the end of the work for {shown(belief)}")
    sheet.numbers |= {"played": played, "intents without values": sum(not spec.values for spec in drawn(case))}
    if comps:
        sheet.numbers |= {"Comp": sum(comps) / len(comps), "Comp, most": max(comps)}


def check_undrawn(case: Case, sheet: Sheet) -> None:
    """A value that only undrawn intents stand for changes no verdict."""
    matter = {name for spec in drawn(case) for name in spec.values}
    played = 0
    for name, spec in pool(case).items():
        if name not in case.task.undrawn:
            continue
        for belief in flips(case, [value for value in spec.values if value not in matter], MOST_FLIPS):
            actions = case.work_for(belief)
            if actions == case.task.reference:
                continue
            run = case.stage.play(actions, None)
            played += 1
            if run.session.proc != 1.0 or run.session.comp not in (1.0, None) or not run.session.terminated:
                short = [f"intent {n} is {s}" for n, s in run.statuses.items() if s in ("open", "provided")]
                faults = "; ".join([*short, *(f"failed: {item}" for item in run.failed)])
                sheet.fail(f"undrawn intent {name}", f"with {shown(belief)} the verdicts change: {faults}")
    sheet.numbers["played"] = played
