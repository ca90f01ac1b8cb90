"""Checks of what adversaries earn: words, copies and guesses must not pass for work."""

from __future__ import annotations

from collections.abc import Iterable

from pi_gym.proof.adversaries import Tactic, dumpers, questioners, repeaters, shotgunners, stuffers
from pi_gym.proof.beliefs import combinations, hidden_names, secret_names
from pi_gym.proof.case import Case
from pi_gym.proof.memorised import PoolWish, memorisers
from pi_gym.proof.stage import StagedPlay
from pi_gym.validation.report import Sheet

MAX_COMP = 0.2
MAX_BLIND = 12
#: The most that a task's own questions, asked blindly, may earn in the mean over a pack, by measure.
MAX_MEMORISED = {"Proc": 0.55, "strict Proc": 0.4}


def check_stuffing(case: Case, sheet: Sheet) -> None:
    """Check that pasting every hidden text into replies and files completes nothing."""
    _resists(case, stuffers(case.scene), sheet)


def check_repetition(case: Case, sheet: Sheet) -> None:
    """Check that repeating the request or claiming success completes nothing."""
    _resists(case, repeaters(case.scene), sheet)


def check_dump(case: Case, sheet: Sheet) -> None:
    """Check that copying the workspace completes nothing."""
    _resists(case, dumpers(case.scene), sheet)


def check_shotgun(case: Case, sheet: Sheet) -> None:
    """Check that work for every possible wish completes no intent that only the user can tell."""
    beliefs = combinations(case, secret_names(case))
    sheet.numbers["beliefs"] = len(beliefs)
    if not beliefs:
        return
    secret = set(secret_names(case))
    asked = {intent.name for intent in case.task.intents if not intent.recover and secret.intersection(intent.values)}
    for plan in shotgunners(case.scene, beliefs):
        run = case.run(plan)
        _measure(run, sheet)
        for name, status in run.statuses.items():
            if status == "completed" and name in asked:
                reason = f"{plan.name} completes it with {len(beliefs)} guesses side by side: {run.reasons[name]}"
                sheet.fail(f"intent {name}", reason)


def check_blind_shotgun(case: Case, sheet: Sheet) -> None:
    """Check that files for all combinations of hidden values complete no intent that stands for a value."""
    beliefs = combinations(case, hidden_names(case), MAX_BLIND)
    sheet.numbers["beliefs"] = len(beliefs)
    plans = shotgunners(case.scene, beliefs) if beliefs else ()
    # Calls are few enough only for the first guesses, of which one may be right.
    for plan in (one for one in plans if "file" in one.name):
        run = case.run(plan)
        _measure(run, sheet)
        for intent in case.task.intents:
            # An intent without values has no other version that could be guessed: every file is right in it.
            if intent.values and run.statuses[intent.name] == "completed":
                reason = f"{plan.name} completes it with {len(beliefs)} guesses: {run.reasons[intent.name]}"
                sheet.fail(f"intent {intent.name}", reason)


def check_generic(case: Case, sheet: Sheet) -> None:
    """Measure what thirty questions that fit every task earn; how much that may be is judged over all variants."""
    for plan in questioners(case.scene):
        run = case.run(plan)
        _measure(run, sheet)
        hit = [name for name, status in run.statuses.items() if status == "inferred"]
        if len(hit) > len(run.statuses) / 2:
            sheet.note(plan.name, f"generic questions earn {len(hit)} of {len(run.statuses)}: {', '.join(hit)}")


def check_memorised(case: Case, sheet: Sheet) -> None:
    """Measure what the task's own questions earn, asked blindly: with needless ones, and strictly without them."""
    pool = [PoolWish(one.name, one.asked_only, one.always) for one in case.source.pool]
    for plan in memorisers(pool, case.task.questions, case.task.reference):
        scores = case.run(plan).session.scores
        sheet.peak("Proc", scores["proc"] or 0.0)
        sheet.peak("strict Proc", scores["strict_proc"] or 0.0)
    for name, most in MAX_MEMORISED.items():
        if sheet.numbers[name] > most:
            sheet.note(name, f"{name} is {sheet.numbers[name]:.3g}; the pack's mean may be at most {most}")


def _resists(case: Case, plans: Iterable[Tactic], sheet: Sheet) -> None:
    for plan in plans:
        run = case.run(plan)
        _measure(run, sheet)
        for name, status in run.statuses.items():
            if status == "completed":
                sheet.fail(f"intent {name}", f"{plan.name} completes it: {run.reasons[name]}")
            elif status == "inferred":
                sheet.note(f"intent {name}", f"{plan.name} is taken to ask for it")
        if (run.session.comp or 0.0) > MAX_COMP:
            passed = "; ".join(run.passed)
            sheet.fail(plan.name, f"Comp is {run.session.comp:.3g}, expected at most {MAX_COMP}: {passed}")


def _measure(run: StagedPlay, sheet: Sheet) -> None:
    completed = sum(status == "completed" for status in run.statuses.values())
    sheet.peak("completed, most", completed)
    sheet.peak("Proc, most", run.session.proc or 0.0)
    sheet.peak("Comp, most", run.session.comp or 0.0)
    if run.session.error:
        sheet.fail("session", f"unscored: {run.session.error}")
