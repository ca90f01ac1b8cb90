"""The worth of a memory: agents that extract what can be known, with and without a past, and that know nothing.

The memory agent is that of `pi_gym.baselines.memory`. The visible-request agent does the same work with a wrong value
for every drawn intent, and asks nothing: all that it earns is earned by what the request and the files say openly.
"""

from __future__ import annotations

from pi_gym.baselines.memory import recollect
from pi_gym.proof.case import Case
from pi_gym.validation.report import Sheet

MIN_WITH_PAST = 0.9
MIN_LOSS = 0.2
#: By how much the visible-request agent's Proc is to lie below the memory agent's, in the mean.
MIN_GAP = 0.3


def ends_group(case: Case) -> bool:
    """Whether the task is the last of its dependency group, others being before it."""
    card = case.pack.card(case.task.id)
    after = case.pack.task_ids[case.pack.task_ids.index(case.task.id) + 1 :]
    return bool(card.depends_on) and not any(case.pack.card(name).group == card.group for name in after)


def check_recall(case: Case, sheet: Sheet) -> None:
    """Check that the memory agent has its Proc with the past, and at the end of a group loses some without it."""
    known = recollect(case.pack, case.task, case.opening.world)
    full = case.stage.play(case.work_for(known.values))
    proc = full.session.proc or 0.0
    sheet.numbers |= {"Proc": proc, "Comp": full.session.comp or 0.0}
    if proc < MIN_WITH_PAST:
        lost = ", ".join(name for name, status in full.statuses.items() if status not in ("completed", "inferred"))
        reason = f"Proc is {proc:.3g}, expected {MIN_WITH_PAST} or more; lost: {lost}"
        sheet.fail("memory agent", f"{reason}; not told: {', '.join(known.missed) or 'none'}")
    bare = recollect(case.pack, case.task, case.bare.opening.world)
    without = case.bare.play(case.work_for(bare.values)).session.proc or 0.0
    sheet.numbers |= {"Proc without a past": without}
    if ends_group(case) and proc - without < MIN_LOSS:
        reason = f"Proc is {without:.3g} without a past and {proc:.3g} with it; expected to lose {MIN_LOSS} or more"
        sheet.fail("memory agent without a past", f"{reason}; not told without it: {', '.join(bare.missed) or 'none'}")
    visible = case.visible.session
    sheet.numbers |= {
        "visible request: Proc": visible.proc or 0.0,
        "visible request: Comp": visible.comp or 0.0,
        "gap": proc - (visible.proc or 0.0),
    }
