"""What the user declined in a session: the guard fails where it is done all the same, and only there."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from functools import cache

import pytest
from support.play import call, opened, play, write

from pi_gym.graders.rule import RuleGrader
from pi_gym.packs import load_pack
from pi_gym.packs.making import GUARD
from pi_gym.pibench.playback import play_back
from pi_gym.pibench.rejudging import rejudge
from pi_gym.pibench.replay import replay
from pi_gym.pibench.session import PiSession
from pi_gym.proof.case import Case, make_case, without_questions
from pi_gym.proof.declining import declining
from pi_gym.proof.other_ways import solved, world_of
from pi_gym.proof.stage import StagedPlay
from pi_gym.results.guarding import DONE_ALL_THE_SAME
from pi_gym.users.rule import RuleUser

PACKS = ("researcher", "mini")
#: By pack, task and wish, all that `declines`.
DECLINED = [
    (pack, task, wish.label)
    for pack in PACKS
    for task in load_pack(pack).task_ids
    for wish in load_pack(pack).source_of(task).spec.wishes
    if wish.declines
]
#: Those that are done by a message to somebody, which nobody can take back.
SENT = {"answer", "oda-told", "kasper-told", "parcel", "left-out", "receipt", "treat"}


@cache
def case_of(pack: str, task: str, wish: str) -> Case:
    """The first world in which the user declines a wish."""
    loaded = load_pack(pack)
    return next(
        make_case(loaded, task, number) for number in range(99) if wish in loaded.instantiate(task, number).declines
    )


def against(case: Case, name: str) -> list[str]:
    """The work of somebody who does what this world does not hold."""
    world = world_of(case)
    wish = next(one for one in world.wishes if one.name == name)
    return solved(world, {name: [*wish.words, True][0]})


def reason(session: PiSession) -> str:
    """Why the guard failed; "" where it passed."""
    number = next(item.id for item in session.task.checklist if item.name == GUARD)
    verdict = next(one for one in session.verdicts if one.id == number)
    return "" if verdict.verdict == "passed" else verdict.reason


@pytest.mark.parametrize(("pack", "task", "wish"), DECLINED)
def test_a_no_is_to_be_heeded_and_nothing_else_costs(pack: str, task: str, wish: str) -> None:
    case = case_of(pack, task, wish)
    work, question = against(case, wish), declining(case, wish)
    assert question is not None
    # Asked for and left alone, and done without a word about it: nothing fails.
    assert case.stage.play([question, *case.task.reference]).failed == []
    unasked = case.stage.play(without_questions(work))
    assert not unasked.session.declined
    assert GUARD not in " ".join(unasked.failed)
    # Done after she declined it: the guard fails, and says why.
    failed = f"{GUARD} ({DONE_ALL_THE_SAME} {case.task.undrawn[wish].rstrip('.')}.)"
    assert case.stage.play([question, *work]).failed == [failed]


@pytest.mark.parametrize(("pack", "task", "wish"), [one for one in DECLINED if one[0] == "researcher"])
def test_the_last_word_counts_but_for_messages_that_were_sent_before(pack: str, task: str, wish: str) -> None:
    case = case_of(pack, task, wish)
    work = without_questions(against(case, wish))
    late = case.stage.play([*work[:-1], call("ask_user", question=declining(case, wish)), work[-1]])
    assert wish in late.session.declined
    assert any(DONE_ALL_THE_SAME in one for one in late.failed) is (wish not in SENT)


# -- one small session in all that may come over it --------------------------------------------------------------------

TASK = "01-sign"
CASE = case_of("mini", TASK, "price")
QUESTION = declining(CASE, "price") or ""
WORK = against(CASE, "price")


def finished(session: PiSession, actions: Sequence[str]) -> PiSession:
    play(session, *actions, *[""] * 9)
    assert session.ended
    return session


def forked(session: PiSession) -> PiSession:
    return session.fork()


def pickled(session: PiSession) -> PiSession:
    found: PiSession = pickle.loads(pickle.dumps(session))
    return found


@pytest.mark.parametrize("copied", [forked, pickled])
def test_copies_of_a_session_remember_it(copied: Callable[[PiSession], PiSession]) -> None:
    session = opened(CASE.task)
    play(session, QUESTION)
    assert reason(finished(copied(session), WORK)).startswith(DONE_ALL_THE_SAME)
    assert reason(finished(session, CASE.task.reference)) == ""


def test_who_did_it_before_the_no_and_takes_it_back_passes() -> None:
    case, page = case_of("researcher", "05-reading-notes", "how-page"), "papers/how.md"
    work, asked = without_questions(against(case, "how-page")), call("ask_user", question=declining(case, "how-page"))
    assert page in case.stage.play(work).session.world.workspace.changes(case.opening.mark).modified
    back = write(page, case.opening.world.workspace.text(page) or "")
    assert reason(case.stage.play([*work[:-1], asked, work[-1]]).session).startswith(DONE_ALL_THE_SAME)
    assert reason(case.stage.play([*work[:-1], asked, back, work[-1]]).session) == ""


def test_a_record_tells_it_and_is_judged_so_again() -> None:
    record = finished(opened(CASE.task), [QUESTION, *WORK]).trajectory()
    assert replay(record).trajectory() == record
    judgement = rejudge(record, play_back(record), RuleUser(), RuleGrader())
    with pytest.raises(StopIteration) as end:
        next(judgement)
    for one in (record, end.value.value):
        found = next(row for row in one.labels["checklist"] if row["name"] == GUARD)
        assert (found["verdict"], found["reason"][: len(DONE_ALL_THE_SAME)]) == ("failed", DONE_ALL_THE_SAME)


# -- messages ----------------------------------------------------------------------------------------------------------


def test_a_message_that_was_sent_before_the_no_is_no_leave_for_another_one() -> None:
    case = case_of("researcher", "20-money-round", "receipt")
    work, asked = against(case, "receipt"), call("ask_user", question=declining(case, "receipt"))
    told = [action for action in work if "send" in action and action not in case.task.reference]
    assert told
    late: StagedPlay = case.stage.play([*work[:-1], asked, work[-1]])
    assert late.failed == []
    again = case.stage.play([*work[:-1], asked, *told, work[-1]])
    assert [one.split(" ")[0] for one in again.failed] == [GUARD]
