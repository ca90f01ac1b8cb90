"""The check of what the user declines: whoever heeds her passes, and whoever does it all the same fails the guard."""

from __future__ import annotations

from pi_gym.packs.making import GUARD
from pi_gym.proof.case import Case
from pi_gym.proof.memorised import own_questions
from pi_gym.proof.other_ways import solved, world_of
from pi_gym.results.guarding import DONE_ALL_THE_SAME
from pi_gym.seeding import Stream
from pi_gym.validation.report import Sheet


def check_declined(case: Case, sheet: Sheet) -> None:
    """Check of each wish that is declined here that to ask and comply fails nothing, and to do it then fails the guard.

    Of a wish with values one is tried; which one differs between variants.
    """
    world, played = world_of(case), 0
    for wish in world.wishes:
        if wish.name not in case.task.declines:
            continue
        subject = f"declined wish {wish.name}"
        question = declining(case, wish.name)
        if question is None:
            sheet.fail(subject, "no question made of its words in questions.yaml gets the answer that declines it")
            continue
        played += 2
        heeded = case.stage.play([question, *case.task.reference])
        for failed in heeded.failed:
            sheet.fail(subject, f"asked for, and not done, fails: {failed}")
        value = Stream("validate", case.task.id, case.task.variant, wish.name).choice([*wish.words] or [True])
        done = case.stage.play([question, *solved(world, {wish.name: value})])
        if not any(failed.startswith(f"{GUARD} ({DONE_ALL_THE_SAME}") for failed in done.failed):
            found = next(one for one in (*done.failed, *done.passed) if one.startswith(f"{GUARD} "))
            sheet.fail(subject, f"done as {value!r} after she declined it, the guard does not say so: {found}")
    sheet.numbers["played"] = played


def declining(case: Case, name: str) -> str | None:
    """A question to which the user declines a wish; None where no words of its own get that answer."""
    for question in own_questions(case.task.questions.by_name[name]):
        if name in case.stage.play([question], None).session.declined:
            return question
    return None
