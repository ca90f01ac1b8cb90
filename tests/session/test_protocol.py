"""The protocol of a turn, line by line: completed, inferred, provided, and when it ends."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from support.packs import protocol, three
from support.play import FINISHING, ask, call, opened, play, statuses, step, write

from pi_gym.errors import SessionError
from pi_gym.packs.task import KnownAnswer, Task
from pi_gym.pibench.session import PiSession
from pi_gym.pibench.views import evidence
from pi_gym.predicates import compile_predicate
from pi_gym.questions import Matcher, compile_topic
from pi_gym.questions.choices import Choice


def said_by_user(session: PiSession) -> list[str]:
    return [event.data["text"] for event in session.log if event.kind == "user"]


# -- the three stages ------------------------------------------------------------------------------------------------


def test_a_silent_turn_makes_the_user_state_the_first_open_intent_and_pays_nothing() -> None:
    session = opened()
    record = step(session, "")
    assert statuses(session) == ["provided", "open", "open"]
    assert [m.to_openai() for m in record.messages] == [
        {"role": "assistant", "content": ""},
        {"role": "user", "content": "Make it blue."},
    ]
    assert record.reward == 0.0


def test_what_is_satisfied_unasked_is_completed() -> None:
    session = opened()
    records = play(session, write("out.txt", "blue"), "Here you are.")
    assert statuses(session)[0] == "completed"
    assert [record.reward for record in records] == [0.0, pytest.approx(0.5 / 3)]


def test_what_is_satisfied_and_asked_for_in_one_reply_is_completed_rather_than_inferred() -> None:
    session = opened()
    play(session, write("out.txt", "blue"), "Is that the colour you had in mind?")
    assert statuses(session)[0] == "completed"


def test_a_targeted_question_is_answered_with_exactly_what_it_asks_for() -> None:
    session = opened()
    record = step(session, "Which colour should it have, and what size?")
    assert statuses(session) == ["inferred", "inferred", "open"]
    assert record.messages[-1].content == "Make it blue.\nA LARGE one, mind."
    assert record.reward == pytest.approx(2 * 0.5 / 3)


def test_the_answer_keeps_the_order_of_the_questions() -> None:
    session = opened()
    record = step(session, "What size? And which colour?")
    assert record.messages[-1].content == "A LARGE one, mind.\nMake it blue."


def test_an_imperative_that_wants_to_know_counts_as_a_question() -> None:
    session = opened()
    step(session, "Tell me which colour you want.")
    assert statuses(session)[0] == "inferred"


def test_a_generic_question_is_a_miss_and_the_user_reveals_instead() -> None:
    session = opened()
    record = step(session, "Anything else?")
    assert statuses(session) == ["provided", "open", "open"]
    assert session.misses == 1
    assert record.messages[-1].content == "Make it blue.\nThe rest as you think best."


def test_a_miss_beside_a_hit_is_answered_by_what_it_was_about() -> None:
    session = opened()
    record = step(session, "Which colour? Which font should I take?")
    assert record.messages[-1].content == "Make it blue.\nThe font: as you like."
    assert (session.questions, session.misses) == (2, 1)


def test_what_is_left_to_the_agent_has_no_name_where_a_thing_of_that_name_is_spoken_of() -> None:
    session = opened()
    record = step(session, "Which blue hat, please?")  # about nothing that the task knows, and yet
    assert record.messages[-1].content == "Make it blue.\nThe rest as you think best."
    assert session.misses == 1


def test_a_wish_that_this_world_does_not_hold_has_an_answer_and_is_no_miss() -> None:
    session = opened()
    record = step(session, "Which colour? Do you need a spare?")
    assert record.messages[-1].content == "Make it blue.\nThe spare: as you like."
    assert (session.questions, session.misses) == (2, 0)
    told = replace(three(), undrawn={"spare": "No spare, thank you."})
    assert step(opened(told), "Do you need a spare?").messages[-1].content == "No spare, thank you.\nMake it blue."


def test_a_fact_or_permission_has_its_answer_and_is_no_miss() -> None:
    pen = compile_topic("pen", "answer", {"any": [{"groups": [["pen"]]}]})
    matcher = Matcher((*three().questions.topics, pen))
    task = replace(three(), answers=(KnownAnswer("pen", "Yes, take my pen.", True),), _questions=lambda: matcher)
    session = opened(task)
    record = step(session, "May I use your pen?")
    assert record.messages[-1].content == "Yes, take my pen.\nMake it blue."
    assert session.misses == 0


# -- patience and the budget -----------------------------------------------------------------------------------------

MISSES = "Which font? Which margin? Which pencil? "


def test_the_misses_of_one_reply_are_one() -> None:
    session = opened(patience=2)
    step(session, MISSES + "Which colour?")
    assert statuses(session) == ["inferred", "open", "open"]
    assert (session.misses, session.questions) == (1, 4)


def test_patience_is_spent_over_the_whole_session() -> None:
    session = opened(patience=2)
    record = play(session, "Which font?", "Which margin?", write("draft.txt", "draft"), "What size?")[-1]
    assert "inferred" not in statuses(session)
    assert record.messages[-1].content == "A LARGE one, mind.\nThe rest as you think best."


def test_a_patience_of_zero_answers_no_question_after_all() -> None:
    session = opened(patience=0)
    step(session, "Which colour?")
    assert statuses(session) == ["provided", "open", "open"]


def test_clauses_beyond_the_budget_earn_nothing_and_are_left_to_the_agent() -> None:
    session = opened(patience=None)  # two of the wishes are told nowhere, and three more
    record = step(session, "Which size? " + MISSES + "Which hat? Which colour?")
    assert statuses(session) == ["open", "inferred", "open"]
    assert (session.questions, session.misses) == (5, 1)
    assert record.messages[-1].content.endswith("\nThe rest as you think best.")
    outcomes = next(event.data["clauses"] for event in session.log if event.kind == "asked")
    assert [clause["outcome"] for clause in outcomes] == ["hit", "miss", "miss", "miss", "miss", "ignored"]
    step(session, "Which shape?")
    assert "inferred" not in statuses(session)[2:]


def test_four_questions_are_always_heard() -> None:
    task = three()
    known = tuple(replace(intent, recover=task.intents[2].recover) for intent in task.intents)
    session = opened(replace(task, intents=known))
    step(session, "Do you need a spare? Do you need a reserve? Which hat? Which size? Which colour?")
    outcomes = next(event.data["clauses"] for event in session.log if event.kind == "asked")
    assert [clause["outcome"] for clause in outcomes] == ["answered", "answered", "miss", "hit", "ignored"]


def test_a_task_can_have_a_budget_of_its_own() -> None:
    session = opened(replace(three(), question_budget=1))
    step(session, "Which size? Which colour?")
    assert statuses(session) == ["open", "inferred", "open"]


@pytest.mark.parametrize(("budget", "second"), [(4, "inferred"), (None, "provided")])
def test_all_offers_are_credited_where_questions_are_counted(budget: int | None, second: str) -> None:
    task = three()
    known = tuple(replace(one, recover=task.intents[2].recover, tags=("beyond",)) for one in task.intents)
    session = opened(replace(task, intents=known, question_budget=budget))
    step(session, "Which size? Which colour?")
    assert sorted(statuses(session)) == sorted(["inferred", second, "open"])
    assert len(session.needless) == 2


def test_the_system_message_says_that_questions_are_few() -> None:
    assert "Ada answers a few questions, not a questionnaire." in opened().messages[0].content
    assert "questionnaire" not in opened(paper_letter=True).messages[0].content


def test_by_the_papers_letter_any_number_of_questions_is_answered_by_the_intents_alone() -> None:
    session = opened(paper_letter=True)
    record = step(session, 4 * MISSES + "Do you need a spare? Which colour?")
    assert statuses(session) == ["inferred", "open", "open"]
    assert record.messages[-1].content == "Make it blue.\nThe rest as you think best."
    assert session.questions == 14


# -- assumptions and announced plans ---------------------------------------------------------------------------------

COLOURS = (Choice("blue", ("blue", "navy"), True), Choice("red", ("red",)))


def choosing() -> Task:
    """The task whose first wish has values that can be listed."""
    task = three()
    colour = replace(task.intents[0], choices=COLOURS, corrects="Not that: blue.")
    return replace(task, intents=(colour, *task.intents[1:]))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Shall I take red as the colour?", "Not that: blue."),
        ("Is navy right for the colour?", "Yes. Make it blue."),
        ("Red or blue, which colour?", "Make it blue."),
        ("Which colour, say navy?", "Make it blue."),
        ("Which colour, say red?", "Make it blue."),
    ],
)
def test_an_assumption_in_a_question_is_confirmed_or_corrected_at_once(question: str, answer: str) -> None:
    session = opened(choosing())
    assert step(session, question).messages[-1].content == answer
    assert statuses(session) == ["inferred", "open", "open"]


def test_a_right_plan_holds_its_wish_back_for_one_turn() -> None:
    session = opened(choosing())
    step(session, "As you settled it: blue.")
    assert statuses(session) == ["open", "open", "provided"]  # the size comes only after a draft
    step(session, "As you settled it: blue.")
    assert statuses(session)[0] == "provided"


def test_where_only_held_wishes_are_open_the_user_says_go_ahead() -> None:
    task = choosing()
    session = opened(replace(task, intents=task.intents[:1]))
    assert step(session, "I'll make it blue.").messages[-1].content == "Go ahead."
    play(session, write("out.txt", "blue"), "There it is.")
    assert (statuses(session), session.ended) == (["completed"], True)


def test_a_wrong_plan_is_corrected_and_the_wish_provided() -> None:
    session = opened(choosing())
    assert step(session, "I'll make it red.").messages[-1].content == "Not that: blue."
    assert statuses(session) == ["provided", "open", "open"]


@pytest.mark.parametrize("reply", ["I'll make it red, or blue.", "Red came up in a file.", "I will not make it red."])
def test_two_values_a_mention_and_a_denial_announce_nothing(reply: str) -> None:
    session = opened(choosing())
    assert step(session, reply).messages[-1].content == "Make it blue."


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ("I'd send Maren the list.", "open"),
        ("I'd leave the beer off for Maren.", "provided"),
        ("As you settled it: Maren.", "provided"),
    ],
)
def test_a_name_announces_something_only_where_the_clause_is_about_the_wish(reply: str, status: str) -> None:
    people = (Choice("oda", ("Oda",), True), Choice("maren", ("Maren",)))
    task = three()
    first = replace(
        task.intents[0], choices=people, reveal="Oda doesn't drink, so no beer for her.", corrects="No: Oda."
    )
    late = compile_predicate({"file": "never.txt"}, "after")
    session = opened(replace(task, intents=(replace(first, after=late), *task.intents[1:])))
    step(session, reply)
    assert statuses(session)[0] == status


def test_a_wish_for_which_it_is_too_late_is_not_brought_up_and_counts_as_missed() -> None:
    task = three()
    late = compile_predicate({"file": "sent.txt"}, "before")
    session = opened(replace(task, intents=(replace(task.intents[0], before=late), *task.intents[1:])))
    play(session, write("sent.txt", "x"), "Sent.", "Which colour?", "Hm.", "Bye.")
    assert session.ended
    assert statuses(session)[0] == "open"
    assert "blue" not in session.history


# -- reveals ---------------------------------------------------------------------------------------------------------


def test_the_reveal_skips_intents_whose_after_does_not_hold_yet() -> None:
    session = opened()
    play(session, "One.", "Two.")
    # size waits for a draft, so shape comes before it
    assert statuses(session) == ["provided", "open", "provided"]


def test_the_reveal_takes_an_intent_once_its_after_holds() -> None:
    session = opened()
    play(session, "One.", write("draft.txt", "a draft"), "Two.")
    assert statuses(session) == ["provided", "provided", "open"]


def test_when_no_after_holds_the_user_waits_once_and_then_states_the_first_open_intent() -> None:
    session = opened()
    record = play(session, "One.", "Two.", "Three.")[-1]
    assert record.messages[-1].content == "Go ahead."
    assert statuses(session) == ["provided", "open", "provided"]
    step(session, "Four.")
    assert statuses(session) == ["provided", "provided", "provided"]


def test_what_was_waited_for_is_stated_once_its_after_holds() -> None:
    session = opened()
    play(session, "One.", "Two.", "Three.", write("draft.txt", "draft"), "Four.")
    assert said_by_user(session) == ["Make it blue.", "It should be round.", "Go ahead.", "A LARGE one, mind."]


def test_by_the_papers_letter_the_user_does_not_wait() -> None:
    session = opened(paper_letter=True)
    play(session, "One.", "Two.", "Three.")
    assert statuses(session) == ["provided", "provided", "provided"]


# -- the end ---------------------------------------------------------------------------------------------------------

STATED = ("One.", "Two.", "Three.", "Four.")
"""Replies after which the user has stated all three intents; it waits once."""


def test_when_nothing_is_open_after_stage_one_the_session_ends_with_that_reply() -> None:
    session = opened()
    play(session, write("out.txt", "done: blue, round"), "finished: it is large. Anything else? Which colour?")
    assert session.ended
    assert session.terminated
    assert statuses(session) == ["completed"] * 3
    assert said_by_user(session) == []
    assert session.questions == 0
    assert (session.proc, session.comp) == (1.0, 1.0)


def test_after_the_last_intent_is_stated_the_next_reply_is_final_and_not_judged() -> None:
    session = opened()
    play(session, *STATED)
    assert not session.ended
    record = step(session, "Which colour? it is large")
    assert (record.terminated, record.truncated) == (True, False)
    assert statuses(session) == ["provided"] * 3
    assert record.messages[-1].role == "assistant"
    # What stands in the end counts for the checklist, whoever brought it up.
    assert (session.proc, session.comp) == (0.0, pytest.approx(1 / 6))
    names = {item.id: item.name for item in session.task.checklist}
    assert [names[v.id] for v in session.verdicts if v.verdict == "passed"] == ["size"]


def test_the_work_before_the_final_reply_counts_for_the_checklist() -> None:
    session = opened()
    play(session, *STATED, write("out.txt", "done, round and blue"), "finished: it is large")
    assert (session.proc, session.comp) == (0.0, 1.0)


def test_an_agent_that_does_nothing_gets_nothing_for_breaking_nothing() -> None:
    session = opened()
    play(session, *[""] * 5)
    assert [v.verdict for v in session.verdicts] == ["failed"] * 6
    assert session.verdicts[5].reason.startswith("counts only together with c1")


def test_an_intent_that_held_only_for_a_while_is_not_among_those_held_at_the_end() -> None:
    session = opened()
    play(session, write("out.txt", "blue"), "One.", write("out.txt", "red"), *["Two."] * 3)
    assert session.ended
    assert statuses(session)[0] == "completed"
    assert "i1" not in session.held


# -- ask_user and message --------------------------------------------------------------------------------------------


def test_ask_user_gets_the_answer_as_the_result_of_its_call() -> None:
    session = opened()
    record = step(session, ask("Which colour?"))
    assert record.messages[-1].to_openai() == {"role": "tool", "content": "Make it blue.", "tool_call_id": "call_1"}
    assert [m.role for m in record.messages] == ["assistant", "tool"]
    assert (session.turn, statuses(session)[0]) == (2, "inferred")


def test_the_options_of_ask_user_are_part_of_the_question() -> None:
    session = opened()
    step(session, ask("Pick one:", "the colour blue?", "the colour red?"))
    replies = [event.data["text"] for event in session.log if event.kind == "reply"]
    assert replies == ["Pick one:\n(a) the colour blue?\n(b) the colour red?"]


def test_options_make_a_question_of_what_has_no_question_mark() -> None:
    session = opened()
    step(session, ask("One of two things is the colour of the file, and you say which:", "blue", "red"))
    assert statuses(session)[0] == "inferred"


def test_ask_user_that_is_not_last_rejects_the_whole_action_before_anything_runs() -> None:
    session = opened()
    before = session.world.state_hash()
    record = step(session, write("a.txt", "a") + ask("Which colour?") + write("b.txt", "b"))
    assert session.world.state_hash() == before
    assert record.invalid
    assert record.messages[-1].role == "user"
    assert record.messages[-1].content.startswith("[environment]")
    assert record.messages[0].tool_calls == ()
    assert (session.turn, session.tool_calls, session.steps) == (1, 0, 1)
    assert statuses(session) == ["open"] * 3


def test_calls_before_a_final_ask_user_run() -> None:
    session = opened()
    step(session, write("out.txt", "round") + ask("Which colour?"))
    assert statuses(session) == ["inferred", "open", "completed"]


def test_an_empty_question_is_an_error_of_its_call_and_ends_no_turn() -> None:
    session = opened()
    record = step(session, ask("  "))
    assert session.turn == 1
    assert record.invalid
    assert "empty" in record.messages[-1].content


def test_message_goes_to_the_user_without_ending_the_turn() -> None:
    session = opened()
    record = step(session, call("message", content="it is large"))
    assert (session.turn, statuses(session)) == (1, ["open"] * 3)
    assert record.messages[-1].content == "Sent."


def test_what_message_sent_counts_as_part_of_the_reply() -> None:
    session = opened()
    play(session, call("message", content="it is large"), "Working on it.")
    assert statuses(session)[1] == "completed"


def test_a_question_in_message_is_heard_at_the_end_of_the_turn() -> None:
    session = opened()
    play(session, call("message", content="Which colour?"), "I go on meanwhile.")
    assert statuses(session)[0] == "inferred"


def test_a_message_of_an_earlier_turn_is_no_part_of_this_turn() -> None:
    session = opened()
    play(session, "One.")
    session2 = opened()
    play(session2, call("message", content="What size?"), "One.", "Two.")
    assert session2.questions == 1
    assert session.questions == 0


def test_text_beside_calls_is_not_shown_to_the_user() -> None:
    session = opened()
    play(session, "it is large " + call("list_dir", path="."), "Nothing.")
    assert statuses(session)[1] == "open"


def test_thoughts_are_neither_reply_nor_question() -> None:
    session = opened()
    step(session, "<think>Which colour? it is large</think>Hm.")
    assert statuses(session) == ["provided", "open", "open"]
    assert session.questions == 0
    assert "Which colour" not in session.history


# -- evidence --------------------------------------------------------------------------------------------------------


def test_evidence_never_contains_what_the_user_said() -> None:
    session = opened()
    play(session, ask("Which colour?"), "Hm.", "Hm.", "Hm.")
    assert said_by_user(session)
    seen = evidence(session.log, session.opening.world, session.world, session.opening.mark, {})
    shown = json.dumps([seen.replies, [[c.name, dict(c.arguments), c.result] for c in seen.calls]])
    for text in [session.task.request, *said_by_user(session)]:
        assert text not in shown


def test_seed_files_are_no_changes_of_the_session() -> None:
    session = opened(protocol().instantiate("03-event"))
    assert "desk/letters.txt" in dict(session.world.workspace.walk())
    assert not session.evidence(session.log).changes


def test_changes_of_an_earlier_turn_count_as_long_as_they_stand() -> None:
    session = opened()
    play(session, "One.", write("out.txt", "round"), "Two.")
    assert statuses(session)[2] == "completed"


# -- triggers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task_id", "starts"),
    [
        ("01-three", "Write out.txt, please."),
        ("02-beat", "[heartbeat]\n"),
        ("03-event", "[environment event] source: mailbox · event: letter.arrived\n"),
    ],
)
def test_each_trigger_opens_the_session_as_a_user_message_with_its_header(task_id: str, starts: str) -> None:
    task = protocol().instantiate(task_id)
    session = opened(task)
    system, opening = session.messages
    assert (system.role, opening.role) == ("system", "user")
    assert opening.content.startswith(starts)
    assert opening.content.endswith(task.request)


def test_an_event_carries_its_payload_as_json() -> None:
    text = opened(protocol().instantiate("03-event")).messages[1].content
    assert json.loads(text[text.index("{") : text.rindex("}") + 1]) == {"from": "Ada Proto", "pages": 2}


def test_after_its_opening_a_triggered_session_runs_as_any_other() -> None:
    session = opened(protocol().instantiate("02-beat"))
    play(session, "Nothing due.", "Fine.")
    assert session.terminated
    assert statuses(session) == ["provided"]


def test_a_session_without_a_checklist_has_no_comp_and_pays_none() -> None:
    session = opened(replace(protocol().instantiate("02-beat"), checklist=()))
    records = play(session, write("beat.txt", "beat"), "Written.")
    assert (session.proc, session.comp) == (1.0, None)
    assert records[-1].reward == 0.5
    assert session.trajectory().return_ == 0.5


# -- clock -----------------------------------------------------------------------------------------------------------


def test_the_clock_moves_five_seconds_a_call_and_two_minutes_a_turn() -> None:
    session = opened()
    assert session.clock.isoformat() == "2026-05-04T09:00:00"
    step(session, call("list_dir", path=".") * 2)
    assert session.clock.isoformat() == "2026-05-04T09:00:10"
    step(session, call("no_such_tool"))
    assert session.clock.isoformat() == "2026-05-04T09:00:15"
    step(session, "<tool_call>broken")
    assert session.clock.isoformat() == "2026-05-04T09:00:15"
    step(session, "Reply.")
    assert session.clock.isoformat() == "2026-05-04T09:02:15"
    step(session, ask("Which colour?"))
    assert session.clock.isoformat() == "2026-05-04T09:04:20"


# -- needless --------------------------------------------------------------------------------------------------------


def well_known() -> Task:
    """The task of which two wishes, colour and shape, stand in a file."""
    task = three()
    colour = replace(task.intents[0], recover=task.intents[2].recover)
    return replace(task, intents=(colour, *task.intents[1:]))


def test_of_what_files_tell_one_question_is_credited_and_the_others_are_answered() -> None:
    session = opened(well_known())
    record = step(session, "Which shape? Which colour? And what size?")
    assert record.messages[-1].content == "It should be round.\nMake it blue.\nA LARGE one, mind."
    assert statuses(session) == ["provided", "inferred", "inferred"]
    assert session.needless == {"i1", "i3"}
    assert record.reward == pytest.approx(2 * 0.5 / 3)


def test_it_is_one_in_the_whole_session_and_strict_proc_does_not_count_it() -> None:
    session = opened(well_known())
    play(session, "Which shape?", "Which colour?", "What size?", "Bye.")
    assert statuses(session) == ["provided", "inferred", "inferred"]
    assert (session.scores["proc"], session.scores["strict_proc"]) == (2 / 3, 1 / 3)


def test_by_the_papers_letter_every_question_is_credited() -> None:
    session = opened(well_known(), paper_letter=True)
    play(session, "Which shape? Which colour? And what size?", "Bye.")
    assert (session.scores["proc"], session.scores["strict_proc"]) == (1.0, 1 / 3)


def test_asking_for_what_a_file_shows_is_needless() -> None:
    session = opened()
    step(session, "What shape should it have?")
    assert session.needless == {"i3"}
    assert session.trajectory().labels["intents"][2]["needless"] is True


def test_asking_for_what_only_the_user_knows_is_not_needless() -> None:
    session = opened()
    step(session, "Which colour?")
    assert session.needless == frozenset()


def test_what_the_user_had_to_state_is_never_needless() -> None:
    session = opened()
    play(session, "One.", "Two.")
    assert statuses(session)[2] == "provided"
    assert session.needless == frozenset()


@pytest.mark.parametrize(("history", "needless"), [("none", False), ("reference", True)])
def test_needless_depends_on_the_past_that_is_in_force(history: str, needless: bool) -> None:
    session = opened(protocol().instantiate("04-last"), history=history)
    step(session, "What is the last thing to write?")
    assert statuses(session) == ["inferred"]
    assert bool(session.needless) is needless


# -- use out of order ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("use", [lambda s: s.apply("more"), lambda s: s.truncate("late")])
def test_nothing_can_be_done_after_the_end(use: Any) -> None:
    session = opened()
    play(session, *FINISHING)
    before = session.trajectory().to_line()
    with pytest.raises(SessionError, match="over"):
        use(session)
    assert session.trajectory().to_line() == before


def test_fail_after_the_end_changes_nothing() -> None:
    session = opened()
    play(session, *FINISHING)
    before = session.trajectory().to_line()
    session.fail("too late")
    assert session.scored
    assert session.trajectory().to_line() == before


def test_truncate_grades_as_things_stand() -> None:
    session = opened()
    play(session, "Which colour?", write("out.txt", "done"))
    session.truncate("operator")
    assert session.step is not None
    assert (session.step.terminated, session.step.truncated) == (False, True)
    assert statuses(session) == ["inferred", "open", "open"]
    assert (session.proc, session.comp) == (1 / 3, 2 / 6)
    assert session.end_reason == "operator"
    assert session.step.reward == pytest.approx(0.5 * 2 / 6)


def test_fail_leaves_the_session_unscored() -> None:
    session = opened()
    step(session, "Which colour?")
    session.fail("the policy died", "policy")
    assert session.step is not None
    assert (session.scored, session.proc, session.comp) == (False, None, None)
    assert session.step.reward != session.step.reward
    assert (session.error, session.error_kind) == ("the policy died", "policy")
    record = session.trajectory()
    assert (record.return_, record.reward_components, record.scored) == (None, {}, False)


def test_every_run_time_error_concerns_its_own_call_only() -> None:
    session = opened()
    record = step(session, call("no_such") + write("out.txt", "blue") + call("read_file", path="absent.txt"))
    assert [m.role for m in record.messages] == ["assistant", "tool", "tool", "tool"]
    assert session.world.workspace.text("out.txt") == "blue"
    assert record.invalid
    assert session.invalid_actions == 1


def test_an_unknown_tool_lists_the_closest_names() -> None:
    record = step(opened(), call("read_flie", path="x"))
    assert "read_file" in record.messages[-1].content


def test_ids_of_calls_are_counters() -> None:
    session = opened()
    ids = [
        c.id
        for action in (call("list_dir"), "<tool_call>x", 2 * call("glob", pattern="*"))
        for m in step(session, action).messages
        for c in m.tool_calls
    ]
    assert ids == ["call_1", "call_2", "call_3"]


def test_the_task_of_the_fixtures_is_the_same_in_every_variant() -> None:
    assert [intent.name for intent in three(7).intents] == ["colour", "size", "shape"]
