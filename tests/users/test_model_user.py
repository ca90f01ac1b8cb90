"""The model user: the protocol's stages by a model, and the protocol's rules beside it."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from support.blocks import tree
from support.judging import clause, decided, ids_of, judge_of, prompt_of
from support.packs import protocol, tiny
from support.play import FINISHING, ask, opened, play, settle, statuses, step, write

from pi_gym.graders.model import ModelGrader
from pi_gym.models.scripted import ScriptedModel
from pi_gym.packs import load_pack
from pi_gym.pibench.session import PiSession
from pi_gym.types import Answer
from pi_gym.users.model import ModelUser

NOTHING = {"clauses": []}


def model_session(*answers: Any, **options: Any) -> tuple[PiSession, ScriptedModel]:
    return opened(user=ModelUser(), **options), ScriptedModel(answers)


def none_met(*ids: str) -> dict[str, Any]:
    return decided(dict.fromkeys(ids, False))


# -- whole sessions --------------------------------------------------------------------------------------------------


def same_by_model(session: PiSession, plain: PiSession, actions: list[str]) -> None:
    model = judge_of(session)
    for action in actions:
        if plain.ended:
            break
        assert step(session, action, model).messages == step(plain, action).messages
    assert session.ended == plain.ended
    assert (session.proc, session.comp, session.statuses) == (plain.proc, plain.comp, plain.statuses)
    assert (session.questions, session.misses, session.error) == (plain.questions, plain.misses, "")


@pytest.mark.parametrize("variant", [0, 5])
@pytest.mark.parametrize("pack", [tiny(), protocol()], ids=lambda pack: pack.name)
def test_a_model_that_judges_as_the_rules_gives_the_session_of_the_rules(pack: Any, variant: int) -> None:
    for task_id in pack.task_ids:
        task = pack.instantiate(task_id, variant)
        roles = {"user": ModelUser(), "grader": ModelGrader(all_items=True)}
        same_by_model(opened(task, history="reference", **roles), opened(task, history="reference"), task.reference)


def test_sessions_of_the_researcher_run_to_their_end_with_model_roles() -> None:
    pack = load_pack("researcher")
    for task_id in pack.task_ids[:3]:
        task = pack.instantiate(task_id, 1)
        session = opened(task, history="reference", user=ModelUser(), grader=ModelGrader(all_items=True))
        plain = opened(task, history="reference")
        if "exec" not in task.needs:
            same_by_model(session, plain, ["How many decimals do you want?", *task.reference])


def test_the_asks_of_a_turn_come_stage_by_stage() -> None:
    session = opened(user=ModelUser(), grader=ModelGrader(all_items=True))
    model = judge_of(session)
    play(session, *FINISHING, model=model)
    assert session.terminated
    assert model.stages == ["satisfied", "asked", "message", "satisfied", "grade"]
    assert [one.request.name for one in model.asks] == [  # type: ignore[union-attr]
        "user_satisfied", "user_asked", "user_message", "user_satisfied", "grader_rubric",
    ]  # fmt: skip


# -- stage 1 ---------------------------------------------------------------------------------------------------------


def test_stage_1_judges_all_open_intents_at_once_and_only_these() -> None:
    session, model = model_session(decided({"i1": True, "i2": False, "i3": False}), NOTHING, "Round.", none_met("i2"),
                                   NOTHING, none_met("i2"), NOTHING, "Large.")  # fmt: skip
    play(session, "One.", "Two.", "Three.", model=model)
    assert statuses(session) == ["completed", "provided", "provided"]
    assert [ids_of(model.asks[number]) for number in (0, 3)] == [["i1", "i2", "i3"], ["i2"]]


def test_the_reason_of_a_completed_intent_is_recorded() -> None:
    session, model = model_session(decided({"i1": True, "i2": True, "i3": True}))
    step(session, "All done.", model)
    reasons = [event.data["reason"] for event in session.log if event.kind == "status"]
    assert reasons == ["so for i1", "so for i2", "so for i3"]
    assert (session.terminated, session.proc) == (True, 1.0)


def test_what_the_user_said_never_stands_in_the_evidence() -> None:
    session, model = model_session(none_met("i1", "i2", "i3"), NOTHING, "My secret words.", none_met("i2", "i3"),
                                   NOTHING, "Again.")  # fmt: skip
    play(session, "One.", "Two.", model=model)
    assert session.turn == 3
    for one in model.asks:
        if one.stage in ("satisfied", "asked"):
            assert "secret words" not in str(one.request)
            assert session.task.request not in str(one.request)


# -- stage 2 ---------------------------------------------------------------------------------------------------------


def asked(*clauses: dict[str, Any], reply: str = "Hm.", **options: Any) -> PiSession:
    session, model = model_session(none_met("i1", "i2", "i3"), {"clauses": list(clauses)}, "Words.", **options)
    step(session, reply, model)
    return session


def test_a_targeted_clause_infers_its_intents_and_the_next_message_answers_them() -> None:
    session = asked(clause(1, "i3", "i1"))
    assert statuses(session) == ["inferred", "open", "inferred"]
    (said,) = [event for event in session.log if event.kind == "user"]
    assert (said.data["how"], said.data["intents"]) == ("answer", ["i3", "i1"])


def test_a_clause_that_hits_nothing_is_a_miss() -> None:
    session = asked(clause(1, asks="generic"), reply="Anything else?")
    assert (session.misses, session.questions) == (1, 1)
    assert statuses(session).count("provided") == 1
    assert session.history.rstrip().endswith("Words.\nThe rest as you think best.")


def test_the_misses_of_one_reply_are_one() -> None:
    misses = [clause(1, asks="a font"), clause(2)]
    session = asked(*misses, clause(3, "i1"), reply="Which font? Anything else? Which colour?", patience=2)
    assert (session.misses, statuses(session)[0]) == (1, "inferred")
    (event,) = [event for event in session.log if event.kind == "asked"]
    assert [one["outcome"] for one in event.data["clauses"]] == ["miss", "miss", "hit"]


def test_a_user_without_patience_left_asks_no_model() -> None:
    session, model = model_session(none_met("i1", "i2", "i3"), "Words.", patience=0)
    step(session, "Which colour?", model)
    assert model.stages == ["satisfied", "message"]


def test_asking_back_about_something_settled_is_spared_once() -> None:
    session, model = model_session(
        none_met("i1", "i2", "i3"), {"clauses": [clause(1, "i1")]}, "Blue.",
        none_met("i2", "i3"), {"clauses": [clause(1, "i1")]}, "Size.",
        none_met("i2"), {"clauses": [clause(1, "i1")]}, "Shape.",
    )  # fmt: skip
    play(session, "a", "b", "c", model=model)
    outcomes = [one["outcome"] for event in session.log if event.kind == "asked" for one in event.data["clauses"]]
    assert outcomes == ["hit", "neutral", "miss"]


def test_an_imperative_without_a_question_mark_is_heard() -> None:
    session = asked(clause(1, "i1"), reply="Tell me the colour.")
    assert statuses(session)[0] == "inferred"


def test_a_clause_that_the_model_lists_twice_is_no_miss_of_the_agents() -> None:
    session = asked(*[clause(1)] * 3, clause(1, asks="Asks for  Nothing"), reply="Which font?")
    assert session.misses == 1


def test_two_clauses_of_one_sentence_are_two() -> None:
    session = asked(clause(1, asks="the font"), clause(1, asks="the margin"), reply="Which font and which margin?")
    assert (session.misses, session.questions) == (1, 2)


def test_clauses_count_in_reading_order_whatever_order_the_model_lists_them_in() -> None:
    session = asked(clause(2, "i1"), clause(1), reply="Anything else? Which colour?", patience=1)
    (event,) = [event for event in session.log if event.kind == "asked"]
    assert [(one["text"], one["outcome"]) for one in event.data["clauses"]] == [
        ("Anything else?", "miss"), ("Which colour?", "hit"),
    ]  # fmt: skip


def test_an_intent_that_two_clauses_ask_for_is_inferred_once_and_the_second_is_no_miss() -> None:
    session = asked(clause(1, "i1"), clause(2, "i1"), clause(3, "i1"), reply="Colour? Blue? Or red?")
    (event,) = [event for event in session.log if event.kind == "asked"]
    assert [one["outcome"] for one in event.data["clauses"]] == ["hit", "neutral", "miss"]
    assert (statuses(session)[0], session.misses) == ("inferred", 1)


def test_the_reason_of_each_clause_is_recorded() -> None:
    session = asked(clause(1, "i1"), reply="Which colour?")
    (event,) = [event for event in session.log if event.kind == "asked"]
    assert event.data["clauses"] == [
        {"text": "Which colour?", "hits": ["i1"], "outcome": "hit", "reason": "asks for i1"}
    ]


def test_an_empty_reply_is_not_asked_about() -> None:
    session, model = model_session(none_met("i1", "i2", "i3"), "Words.")
    step(session, "", model)
    assert model.stages == ["satisfied", "message"]


# -- stage 3 ---------------------------------------------------------------------------------------------------------


def test_the_message_is_asked_for_with_the_persona_and_the_points_alone() -> None:
    session, model = model_session(none_met("i1", "i2", "i3"), {"clauses": [clause(1, "i1")]}, "Blue, I said.")
    step(session, "Colour?", model)
    prompt = "\n".join(message["content"] for message in model.asks[-1].request.messages)  # type: ignore[union-attr]
    assert "Ada Proto, tester" in prompt
    assert "Make it blue." in prompt
    others = [intent for intent in session.task.intents if intent.id != "i1"]
    assert not [intent.id for intent in others if intent.reveal in prompt or intent.text in prompt]
    points = tree(model.asks[-1].request.messages[1]["content"]).find("point")  # type: ignore[union-attr]
    assert [node.text for node in points] == [["Make it blue."]]
    assert session.history.rstrip().endswith("Blue, I said.")


def test_verbatim_messages_are_the_tasks_own_and_need_no_model() -> None:
    session, plain = opened(user=ModelUser(verbatim=True)), opened()
    model = judge_of(session)
    for action in ("Which colour, and which font?", "Hm.", "So."):
        assert step(session, action, model).messages == step(plain, action).messages
    assert "message" not in model.stages
    assert session.user.name == "model-verbatim"


@pytest.mark.parametrize("said", ["", "  \n", None, 3, ["x"], "x" * 4001])
def test_a_message_of_no_use_leaves_the_session_unscored(said: object) -> None:
    session, model = model_session(none_met("i1", "i2", "i3"), NOTHING, said)
    step(session, "Hm.", model)
    assert (session.scored, session.error_kind, session.proc) == (False, "model", None)
    assert "user (message)" in session.error


# -- failures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answers",
    [
        [none_met("i1", "i2")],
        [none_met("i1", "i2", "i3", "i4")],
        [None],
        ["YES"],
        [none_met("i1", "i2", "i3"), {"clauses": [clause(1, "i9")]}],
        [none_met("i1", "i2", "i3"), {"clauses": [clause(2, "i1")]}],
        [none_met("i1", "i2", "i3"), {"clauses": [clause(1, "i1", "i2", "i3")]}],
        [none_met("i1", "i2", "i3"), {}],
        [Answer(error="the server is down")],
    ],
)
def test_answers_of_no_use_leave_the_session_unscored(answers: list[Any]) -> None:
    session, model = model_session(*answers)
    record = step(session, "Hm.", model)
    assert (record.truncated, record.terminated, session.scored) == (True, False, False)
    assert record.reward != record.reward
    assert (session.proc, session.comp, session.error_kind) == (None, None, "model")


# -- the record ------------------------------------------------------------------------------------------------------


def test_the_record_keeps_a_hash_of_what_was_asked_and_what_came_back() -> None:
    session, model = model_session(none_met("i1", "i2", "i3"), NOTHING, "Words.")
    step(session, "Hm.", model)
    asks = [event.data for event in session.log if event.kind == "ask"]
    assert [one["sha256"] for one in asks] == [one.request.sha256 for one in model.asks]  # type: ignore[union-attr]
    assert "request" not in asks[0]
    answers = [event.data["value"] for event in session.log if event.kind == "answer"]
    assert answers == [none_met("i1", "i2", "i3"), NOTHING, "Words."]


def test_whole_prompts_are_kept_where_the_settings_say_so() -> None:
    session, model = model_session(none_met("i1", "i2", "i3"), NOTHING, "Words.", keep_prompts=True)
    step(session, "Hm.", model)
    first = next(event.data for event in session.log if event.kind == "ask")
    assert first["request"] == model.asks[0].request.to_json()  # type: ignore[union-attr]
    assert prompt_of(model.asks[0]) == first["request"]["messages"][1]["content"]


@pytest.mark.parametrize("leave", [PiSession.fork, lambda s: pickle.loads(pickle.dumps(s))])
def test_a_waiting_session_goes_on_the_same_after_fork_and_pickle(leave: Any) -> None:
    session, _ = model_session()
    session.apply(ask("Which colour?"))
    copy = leave(session)
    for one in (session, copy):
        settle(one, judge_of(one))
        play(one, *FINISHING, "so", "end", model=judge_of(one))
    assert copy.trajectory().to_line() == session.trajectory().to_line()
    assert session.scored


def test_a_small_budget_makes_a_small_prompt() -> None:
    session = opened(user=ModelUser(budget_letters=500))
    play(session, write("out.txt", "word " * 5000))
    session.apply("Done. " * 200)
    (one,) = session.pending
    assert len(prompt_of(one)) < 2_500
    tree(prompt_of(one))
