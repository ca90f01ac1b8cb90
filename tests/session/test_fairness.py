"""The fairness of the rule-based user, in whole sessions: what she says, what she does not, and what it earns."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from support.packs import outspoken, protocol, three
from support.play import ask, call, opened, play, statuses, step, write

from pi_gym.packs.task import Task
from pi_gym.pibench.session import PiSession
from pi_gym.predicates import compile_predicate

HISTORIES = pytest.mark.parametrize("history", ["none", "reference"])
WORDS = ("Make it blue.", "A LARGE one, mind.", "It should be round.")


def said(session: PiSession) -> list[str]:
    return [event.data["text"] for event in session.log if event.kind == "user"]


def outcomes(session: PiSession) -> list[str]:
    return [one["outcome"] for event in session.log if event.kind == "asked" for one in event.data["clauses"]]


# -- what is done, and what was mentioned ----------------------------------------------------------------------------


@HISTORIES
@pytest.mark.parametrize("seed", range(20))
def test_the_user_never_asks_for_what_is_done(seed: int, history: str) -> None:
    moves = [
        write("out.txt", "blue"),
        write("out.txt", "blue round"),
        write("draft.txt", "a draft"),
        call("message", content="it is large"),
        "Here it is.",
        "Which font?",
        "As you settled it: blue.",
        "",
    ]
    rng = random.Random(seed)
    session = opened(outspoken(), history=history)
    while not session.ended:
        before = session.standing
        step(session, rng.choice(moves))
        for number, status in session.statuses.items():
            if status == "provided" and before.statuses[number] == "open":
                turn = session.standing.turns[number]
                events = [event for event in session.log if event.turn == turn and event.kind != "user"]
                intent = next(one for one in session.task.intents if one.id == number)
                assert not intent.satisfied.test(session.evidence(events))
    words = "\n".join(said(session))
    assert all(words.count(one) <= 1 for one in WORDS)


@HISTORIES
@pytest.mark.parametrize(
    "reply",
    [
        "The colour and the shape stand in your notes, and the size follows from them.",
        "- Colour: as in the draft\n- Size: as in the draft\n- Shape: see the file",
        "I looked up what colour you like, how large it should be and which shape is usual.",
        "> Which colour? Which size?\n\nThat was your list of last week.",
        "## Which colour, which size\n\nBoth are settled.",
    ],
)
def test_a_statement_is_no_question_and_what_it_mentions_is_not_repeated(reply: str, history: str) -> None:
    session = opened(history=history)
    step(session, reply)
    assert (said(session), outcomes(session)) == (["Make it blue."], [])
    assert statuses(session) == ["provided", "open", "open"]


# -- announced plans -------------------------------------------------------------------------------------------------


@HISTORIES
def test_a_right_plan_that_is_carried_out_is_completed_and_never_brought_up(history: str) -> None:
    session = opened(outspoken(), history=history)
    play(session, "I'll make it navy. What size?", write("out.txt", "blue round"), "it is large")
    assert said(session) == ["A LARGE one, mind."]
    assert statuses(session) == ["completed", "inferred", "completed"]
    assert session.proc == 1.0


def test_a_right_plan_that_is_not_carried_out_earns_nothing() -> None:
    session = opened(outspoken())
    play(session, "I'll make it blue.", "Done.", "Done.", "Done.", "Done.")
    assert said(session) == ["It should be round.", "Make it blue.", "Go ahead.", "A LARGE one, mind."]
    assert (session.ended, session.proc) == (True, 0.0)


def test_a_wrong_plan_is_corrected_beside_the_answer_to_a_question_and_not_paid() -> None:
    session = opened(outspoken())
    play(session, "I'll make it red. What size?", write("out.txt", "blue round"), "it is large")
    assert said(session) == ["A LARGE one, mind.\nNot that: blue."]
    assert statuses(session) == ["provided", "inferred", "completed"]
    assert session.proc == 2 / 3


@pytest.mark.parametrize("first", ["Which colour?", "I'll make it red.", ""])
def test_a_plan_for_what_is_settled_says_nothing_new(first: str) -> None:
    session = opened(outspoken())
    play(session, first, "I'll make it red.")
    assert said(session)[1] == "It should be round."


def test_a_plan_in_a_message_and_one_in_ask_user_are_heard() -> None:
    session = opened(outspoken())
    play(session, call("message", content="I'll make it red."), "On it.")
    assert said(session) == ["Not that: blue."]
    session = opened(outspoken())
    step(session, ask("I'll make it red. And what size?"))
    assert said(session) == ["A LARGE one, mind.\nNot that: blue."]


# -- assumptions -----------------------------------------------------------------------------------------------------


@HISTORIES
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Shall the colour be red?", "Not that: blue."),
        ("Shall the colour be navy?", "Yes. Make it blue."),
        ("The colour navy, or something else?", "Make it blue."),
    ],
)
def test_an_assumption_is_answered_before_the_agent_acts_and_inferred_once(
    question: str, answer: str, history: str
) -> None:
    session = opened(outspoken(), history=history)
    play(session, question, question, write("out.txt", "blue round"), "it is large")
    assert said(session)[0] == answer
    assert "blue" not in "".join(said(session)[1:])
    assert outcomes(session) == ["hit", "neutral"]
    assert (statuses(session), session.questions) == (["inferred", "completed", "provided"], 1)


# -- what is no intent of the session --------------------------------------------------------------------------------


@HISTORIES
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Do you need a spare?", "No spare, thank you."),
        ("Do you need a reserve?", "The reserve: as you like."),
        ("May I use your pen?", "No, leave my pen alone."),
        ("What is the date of it?", "It is for Friday."),
    ],
)
def test_other_topics_have_their_answer_and_are_no_miss(question: str, answer: str, history: str) -> None:
    session = opened(outspoken(), history=history, patience=1)
    play(session, question, f"{question} Which colour?")
    assert said(session) == [f"{answer}\nMake it blue.", f"{answer}\nIt should be round."]
    assert outcomes(session) == ["answered", "answered", "neutral"]
    assert (session.misses, statuses(session)) == (0, ["provided", "open", "provided"])


# -- the budget and patience -----------------------------------------------------------------------------------------


@HISTORIES
def test_one_question_more_on_what_a_reply_asks_takes_no_room(history: str) -> None:
    session = opened(replace(outspoken(), question_budget=2), history=history)
    play(session, "Do you need a spare? Is a spare wanted? Would a spare help? Which size?")
    assert outcomes(session) == ["answered", "neutral", "answered", "ignored"]


@HISTORIES
def test_a_budget_that_is_used_up_is_told_and_earns_nothing(history: str) -> None:
    session = opened(replace(outspoken(), question_budget=2), history=history)
    play(session, "Do you need a spare?", ask("What is the date of it? Which size?"), "Which size?", "Bye.", "Bye.")
    assert said(session) == [
        "No spare, thank you.\nMake it blue.",
        "It is for Friday.\nIt should be round.\nThe rest as you think best.",
        "Go ahead.\nThat I leave to you.",
        "A LARGE one, mind.",
    ]
    assert outcomes(session) == ["answered", "answered", "ignored", "ignored"]
    assert session.questions == 2
    assert "inferred" not in statuses(session)


@HISTORIES
@pytest.mark.parametrize("patience", [1, 2, 3])
def test_patience_is_spent_by_replies_and_never_inside_one(patience: int, history: str) -> None:
    task = replace(three(), question_budget=20)
    session = opened(task, history=history, patience=patience)
    misses = "Which font? Which margin? "
    play(session, *[misses] * (patience - 1), f"{misses}What size?")
    assert statuses(session)[1] == "inferred"
    assert session.misses == patience
    other = opened(task, history=history, patience=patience)
    play(other, *[misses] * patience, "What size?")
    assert "inferred" not in statuses(other)


# -- waiting ---------------------------------------------------------------------------------------------------------


def waiting() -> Task:
    """The task of `three` without the shape, where either wish comes up only after a draft."""
    task = three()
    draft = compile_predicate({"file": "draft.txt"}, "after")
    return replace(task, intents=tuple(replace(one, after=draft) for one in task.intents[:2]))


def test_what_comes_after_a_result_is_not_brought_up_before_it() -> None:
    session = opened(waiting())
    play(session, "I begin.", write("draft.txt", "draft"), "Here is a draft.")
    assert said(session) == ["Go ahead.", "Make it blue."]


def test_the_user_waits_once_and_not_for_ever() -> None:
    session = opened(waiting())
    play(session, *["Done."] * 4)
    assert said(session) == ["Go ahead.", "Make it blue.", "A LARGE one, mind."]
    assert session.terminated


def test_a_question_on_what_comes_later_is_answered_at_once() -> None:
    session = opened(waiting())
    play(session, "Which colour?", "Which font?")
    assert said(session) == ["Make it blue.", "The font: as you like.\nGo ahead."]


# -- what nobody has told her of ---------------------------------------------------------------------------------------


def left_behind() -> Task:
    """The task of `three`, whose shape is what a draft leaves behind."""
    task = three()
    draft = compile_predicate({"file": "draft.txt"}, "after")
    shape = replace(task.intents[2], after=draft, tags=("beyond",))
    return replace(task, intents=(*task.intents[:2], shape))


DONE = (write("draft.txt", "draft"), write("out.txt", "blue"))


def test_what_the_work_leaves_behind_is_not_brought_up() -> None:
    session = opened(left_behind())
    play(session, *DONE, "It is large.")
    assert (session.terminated, said(session)) == (True, [])
    assert statuses(session) == ["completed", "completed", "open"]


def test_other_wishes_are_brought_up_before_and_it_may_be_seen_to_until_the_end() -> None:
    session = opened(left_behind())
    play(session, *DONE, "Here it is.")
    assert said(session) == ["A LARGE one, mind."]
    play(session, write("out.txt", "blue round"), "Done.")
    assert (session.terminated, statuses(session)) == (True, ["completed", "provided", "completed"])


def test_the_user_waits_once_for_the_work_that_leaves_it_behind() -> None:
    session = opened(left_behind())
    play(session, "Which colour, and what size?", "I begin.")
    assert (session.ended, said(session)[-1]) == (False, "Go ahead.")
    play(session, *DONE, "Here it is.")
    assert (session.terminated, statuses(session)) == (True, ["inferred", "inferred", "open"])


@pytest.mark.parametrize(
    ("question", "answer", "status"),
    [
        ("What shape?", "It should be round.", "inferred"),
        ("Which font?", "The font: as you like.\nGo ahead.", "open"),
        ("What colour?", "Go ahead.", "open"),
    ],
)
def test_a_question_with_the_work_is_answered(question: str, answer: str, status: str) -> None:
    session = opened(left_behind())
    play(session, *DONE, f"It is large. {question}")
    assert (session.ended, said(session), statuses(session)[2]) == (False, [answer], status)


def test_an_answer_is_no_wait_for_the_work() -> None:
    session = opened(left_behind())
    play(session, "Which colour, and what size?", "Which font?", "I begin.")
    assert (session.ended, said(session)[-2:]) == (False, ["The font: as you like.\nGo ahead.", "Go ahead."])
    play(session, *DONE, "Here it is.")
    assert session.terminated


def test_where_nothing_says_when_the_work_is_there_the_user_waits_once() -> None:
    task = left_behind()
    session = opened(replace(task, intents=(*task.intents[:2], replace(task.intents[2], after=None))))
    play(session, "Which colour, and what size?", "I begin.")
    assert (session.ended, said(session)[-1]) == (False, "Go ahead.")
    step(session, "Done.")
    assert session.terminated


@pytest.mark.parametrize("how", [str, ask])
def test_past_the_questions_that_are_answered_the_session_ends_unless_it_waits(how: object) -> None:
    session = opened(replace(left_behind(), question_budget=1))
    play(session, "Which font?", *DONE)
    step(session, how("It is large. What shape?"))  # type: ignore[operator]
    assert (session.ended, statuses(session)[2]) == (how is str, "open")


def test_by_the_papers_letter_it_is_brought_up() -> None:
    session = opened(left_behind(), paper_letter=True)
    play(session, *DONE, "It is large.")
    assert said(session) == ["It should be round."]


# -- what is looked up -------------------------------------------------------------------------------------------------


def test_what_the_world_tells_is_looked_up_once_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    from pi_gym.packs.task import Recovery

    looked: list[str] = []
    holds = Recovery.holds
    monkeypatch.setattr(Recovery, "holds", lambda way, world: looked.append(str(way.place)) or holds(way, world))
    session = opened(protocol().instantiate("01-three"))
    play(session, "Which colour? Which font?", "What size? Which shape?")
    assert looked == ["shape.txt"]


# -- questions when nothing is open ----------------------------------------------------------------------------------


def test_who_asks_with_ask_user_gets_an_answer_though_nothing_is_open() -> None:
    session = opened()
    play(session, ask("Which colour, what shape and what size?"))
    assert statuses(session) == ["inferred"] * 3
    answer = step(session, ask("Shall I begin?")).messages[-1].content
    assert (session.ended, answer.partition("\n")[0]) == (False, "Go ahead.")
    play(session, write("out.txt", "blue round"), "It is large.")
    assert session.ended


def test_who_has_done_all_and_asks_says_what_was_done_afterwards() -> None:
    session = opened()
    step(session, write("out.txt", "blue round large") + ask("It is large. Anything else?"))
    assert not session.ended
    step(session, "It is done.")
    assert session.ended


def test_by_the_papers_letter_a_question_when_nothing_is_open_is_the_last_reply() -> None:
    session = opened(paper_letter=True)
    play(session, ask("Which colour? What shape? What size?"), ask("Shall I begin?"))
    assert session.ended
