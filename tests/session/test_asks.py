"""Asks and answers: sessions that wait for models and tools, inside a turn and inside an action."""

from __future__ import annotations

import pickle
from itertools import permutations

import pytest
from support.asking import AskingGrader, AskingUser
from support.packs import three, tiny
from support.play import FINISHING, agreeing, ask, call, opened, play, settle, statuses, step, write
from support.tools import REGISTRY

from pi_gym.errors import SessionError
from pi_gym.models.role_requests import Requests
from pi_gym.models.scripted import ScriptedModel
from pi_gym.pibench.session import PiSession
from pi_gym.pibench.settings import Limits
from pi_gym.types import Answer, Verdict
from tests.support.records import proc_comp

ITEMS = [item.id for item in three().checklist]


def asking(count: int = 1, **options: object) -> PiSession:
    return opened(user=AskingUser(count), grader=AskingGrader(count), **options)  # type: ignore[arg-type]


class Returning:
    """A user or grader that returns a value as it is."""

    name = "returning"

    def __init__(self, value: object) -> None:
        self.value = value

    def satisfied(self, view: object, answers: object = None) -> Requests:
        return self.value  # type: ignore[return-value]

    def grade(self, view: object, answers: object = None) -> tuple[Verdict, ...]:
        return self.value  # type: ignore[return-value]


# -- the stages ------------------------------------------------------------------------------------------------------


def test_each_stage_asks_once_and_in_order() -> None:
    session, model = asking(), agreeing()
    play(session, *FINISHING, model=model)
    assert session.terminated
    assert model.stages == ["satisfied", "asked", "message", "satisfied", "grade"]
    assert [one.role for one in model.asks] == ["user"] * 4 + ["grader"]
    assert [one.id for one in model.asks] == ["a1", "a2", "a3", "a4", "a5"]


def test_a_model_that_leaves_it_to_the_rules_gives_the_session_of_the_rules() -> None:
    asked, plain = asking(), opened()
    for action in ("What size? Which font?", *FINISHING):
        if not plain.ended:
            assert step(asked, action, agreeing()).messages == step(plain, action).messages
    assert asked.history == plain.history
    assert (asked.proc, asked.comp, asked.statuses) == (plain.proc, plain.comp, plain.statuses)


def test_the_models_answers_decide() -> None:
    model = ScriptedModel([["i2"], ["i3"], "As you like it."])
    session = asking()
    record = step(session, "Hm.", model)
    assert statuses(session) == ["open", "completed", "inferred"]
    assert record.messages[-1].content == "As you like it."


def test_ids_that_do_not_exist_or_are_settled_are_not_settled_by_a_model() -> None:
    session = asking()
    step(session, "Hm.", ScriptedModel([["i1", "i99"], ["i1", "nothing"], None]))
    assert statuses(session) == ["completed", "open", "provided"]


def test_an_intent_that_a_model_names_twice_is_paid_once() -> None:
    session = asking()
    record = step(session, "Hm.", ScriptedModel([None, ["i1", "i1"], None]))
    assert record.reward == pytest.approx(0.5 / 3)
    assert record.messages[-1].content == "Make it blue."


def test_all_completed_by_a_model_ends_the_session_without_further_questions_to_the_user() -> None:
    session, model = asking(), ScriptedModel([["i1", "i2", "i3"], {"c1": "passed"}])
    step(session, "Which colour?", model)
    assert model.stages == ["satisfied", "grade"]
    assert session.terminated


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_several_asks_of_a_stage_are_answered_in_any_order(order: tuple[int, ...]) -> None:
    session = asking(3)
    session.apply("Hm.")
    values = [["i1"], None, ["i2"]]
    asks = session.pending
    assert [one.stage for one in asks] == ["satisfied"] * 3
    for place in order:
        assert session.step is None
        session.answer(asks[place].id, Answer(values[place]))
    assert statuses(session)[:2] == ["completed", "completed"]
    assert [one.stage for one in session.pending] == ["asked"] * 3


def test_apply_while_asks_are_pending_raises_and_changes_nothing() -> None:
    session = asking()
    session.apply("Hm.")
    before = session.trajectory().to_line()
    with pytest.raises(SessionError, match=r"a1 \(user, satisfied\)"):
        session.apply("more")
    with pytest.raises(SessionError, match="pending"):
        session.truncate("now")
    assert session.trajectory().to_line() == before


def test_an_answer_to_nothing_raises() -> None:
    session = asking(2)
    with pytest.raises(SessionError, match="pending: none"):
        session.answer("a1", Answer(1))
    session.apply("Hm.")
    session.answer("a1", Answer())
    with pytest.raises(SessionError, match="pending: a2"):
        session.answer("a1", Answer())
    with pytest.raises(SessionError, match="'a7'"):
        session.answer("a7", Answer())


def test_the_end_by_a_limit_is_graded_by_the_model_too() -> None:
    session = asking(limits=Limits(max_steps=1))
    session.apply(call("list_dir"))
    assert [one.stage for one in session.pending] == ["grade"]
    assert not session.ended
    session.answer(session.pending[0].id, Answer(dict.fromkeys(ITEMS, "passed")))
    assert (session.truncated, session.comp) == (True, 1.0)


def test_a_script_at_its_end_says_which_answer_is_missing() -> None:
    session = asking()
    with pytest.raises(LookupError, match=r"no answer 2, for ask a2 \(user, asked\)"):
        step(session, "Hm.", ScriptedModel([None]))


# -- failures --------------------------------------------------------------------------------------------------------

STAGES = ("satisfied", "asked", "message", "grade")


def failing_at(stage: str, value: object) -> ScriptedModel:
    return ScriptedModel(lambda one: value if one.stage == stage else None)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("value", [Answer(error="server down"), "bad"])
def test_a_failing_model_leaves_the_session_unscored(stage: str, value: object) -> None:
    session = asking()
    records = play(session, *FINISHING, model=failing_at(stage, value))
    assert session.ended
    last = records[-1]
    assert (last.terminated, last.truncated) == (False, True)
    assert last.reward != last.reward
    assert stage in last.error
    assert (session.scored, session.proc, session.comp, session.verdicts) == (False, None, None, ())
    assert (session.end_reason, session.error_kind) == ("error", "model")
    record = session.trajectory()
    assert (*proc_comp(record), record.return_, record.reward_components) == (
        None,
        None,
        None,
        {},
    )


def test_rewards_paid_before_a_failure_are_void_in_the_record() -> None:
    session = asking()
    step(session, "Which colour?", agreeing())
    assert session.step is not None
    assert session.step.reward > 0
    step(session, "Hm.", ScriptedModel([Answer(error="gone")]))
    assert session.trajectory().return_ is None


def test_the_error_names_the_ask_that_failed_whatever_the_order() -> None:
    session = asking(2)
    session.apply("Hm.")
    first, second = session.pending
    session.answer(second.id, Answer(error="second down"))
    session.answer(first.id, Answer())
    assert session.error == "user (satisfied): second down"


def test_an_unscored_verdict_leaves_the_session_unscored() -> None:
    session = asking()
    play(session, *FINISHING, model=ScriptedModel(lambda one: {"c2": "unscored"} if one.stage == "grade" else None))
    assert (session.scored, session.comp) == (False, None)
    assert "c2" in session.error


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), b"bytes", {1: 2}, object(), 10**5000], ids=lambda value: type(value).__name__
)
def test_an_answer_that_no_record_can_hold_is_an_error(value: object) -> None:
    session = asking()
    step(session, "Hm.", ScriptedModel([[], [], Answer(value)]))
    assert not session.scored
    session.trajectory().to_line()


def test_lone_surrogates_of_a_model_do_not_reach_the_history() -> None:
    session = asking()
    step(session, "Hm.", ScriptedModel([None, None, "well \ud83d then"]))
    session.history.encode()
    session.trajectory().to_line().encode()


@pytest.mark.parametrize("value", [(), (1, 2), []])
def test_a_user_that_returns_neither_result_nor_requests_is_named(value: object) -> None:
    with pytest.raises(SessionError, match=r"user\.satisfied"):
        opened(user=Returning(value)).apply("Hm.")


def test_a_grader_that_leaves_an_item_out_is_named() -> None:
    session = opened(grader=Returning((Verdict("c1", "passed", "rule"),)))
    with pytest.raises(SessionError, match=r"grader\.grade"):
        session.truncate("now")


# -- pickles and forks between ask and answer ------------------------------------------------------------------------


def stops(session: PiSession, actions: list[str]) -> list[PiSession]:
    """A fork at every point where asks are pending, and the finished session."""
    found = []
    for action in actions:
        session.apply(action)
        while session.pending:
            found.append(session.fork())
            for one in session.pending:
                session.answer(one.id, Answer())
    assert session.ended
    return [*found, session]


def finish(session: PiSession, actions: list[str]) -> str:
    settle(session, agreeing())
    play(session, *actions[session.steps :], model=agreeing())
    return session.trajectory().to_line()


@pytest.mark.parametrize("task_id", tiny().task_ids)
@pytest.mark.parametrize("leave", [PiSession.fork, lambda s: pickle.loads(pickle.dumps(s))])
def test_a_session_goes_on_the_same_after_fork_or_pickle_at_every_ask(task_id: str, leave: object) -> None:
    task = tiny().instantiate(task_id, 3)
    session = opened(task, history="reference", user=AskingUser(2), grader=AskingGrader(2))
    *found, done = stops(session, task.reference)
    assert {one.stage for stop in found for one in stop.pending} >= {"satisfied", "grade"}
    lines = {finish(leave(stop), task.reference) for stop in found}  # type: ignore[operator]
    assert lines == {done.trajectory().to_line()}


def test_half_answered_stages_survive_a_pickle() -> None:
    session = asking(2)
    session.apply("Hm.")
    session.answer("a2", Answer(["i3"]))
    copy = pickle.loads(pickle.dumps(session))
    copy.answer("a1", Answer(["i1"]))
    assert list(copy.statuses.values()) == ["completed", "open", "completed"]
    assert statuses(session) == ["open"] * 3


def test_forks_between_ask_and_answer_are_isolated() -> None:
    session = asking()
    session.apply("Hm.")
    other = session.fork()
    settle(other, ScriptedModel([["i1"], None, None]))
    assert session.pending
    settle(session, ScriptedModel([["i2"], None, None]))
    assert (statuses(session), statuses(other)) == (
        ["provided", "completed", "open"],
        ["completed", "open", "provided"],
    )


# -- tools that wait -------------------------------------------------------------------------------------------------

REMOTE = call("remote", command="make")


def waiting() -> PiSession:
    return opened(registry=REGISTRY)


def test_a_call_that_leaves_the_process_makes_the_later_calls_wait() -> None:
    session = waiting()
    session.apply(write("a.txt", "a") + REMOTE + write("b.txt", "b"))
    (one,) = session.pending
    assert (one.kind, one.role, one.stage) == ("shell", "remote", "call")
    assert (session.world.workspace.text("a.txt"), session.world.workspace.text("b.txt")) == ("a", None)
    session.answer(one.id, Answer("built"))
    assert session.step is not None
    assert [m.content for m in session.step.messages if m.role == "tool"][1:2] == ["output: built"]
    assert session.world.workspace.text("b.txt") == "b"
    assert session.clock.isoformat() == "2026-05-04T09:00:15"


def test_two_waiting_calls_of_one_action_ask_one_after_the_other() -> None:
    session = waiting()
    session.apply(REMOTE + REMOTE)
    session.answer(session.pending[0].id, Answer("one"))
    assert len(session.pending) == 1
    session.answer(session.pending[0].id, Answer("two"))
    assert session.world.workspace.text("remote.txt") == "two"
    assert session.tool_calls == 2


def test_a_call_may_ask_again() -> None:
    session = waiting()
    session.apply(REMOTE)
    session.answer(session.pending[0].id, Answer("again"))
    (one,) = session.pending
    assert one.request.payload["again"] is True  # type: ignore[union-attr]
    session.answer(one.id, Answer("done"))
    assert session.step is not None
    assert session.step.messages[-1].content == "output: done"


def test_a_refusal_after_the_answer_is_an_error_of_the_call() -> None:
    session = waiting()
    record = step(session, REMOTE + write("b.txt", "b"), ScriptedModel(["refuse"]))
    assert record.invalid
    assert record.messages[1].content == "Error: The command was refused."
    assert session.world.workspace.text("b.txt") == "b"


def test_a_question_after_a_waiting_call_ends_the_turn() -> None:
    session = waiting()
    step(session, REMOTE + ask("Which colour?"), ScriptedModel(["ok"]))
    assert (session.turn, statuses(session)[0]) == (2, "inferred")


def test_a_failed_shell_leaves_the_session_unscored_with_its_kind() -> None:
    session = waiting()
    step(session, REMOTE, ScriptedModel([Answer(error="no sandbox")]))
    assert (session.scored, session.error_kind, session.error) == (False, "shell", "remote (call): no sandbox")


def test_fail_while_a_call_waits_drops_the_rest() -> None:
    session = waiting()
    session.apply(REMOTE + write("b.txt", "b"))
    session.fail("the runner gave up", "policy")
    assert session.pending == ()
    assert session.ended
    assert session.world.workspace.text("b.txt") is None


@pytest.mark.parametrize("leave", [PiSession.fork, lambda s: pickle.loads(pickle.dumps(s))])
def test_a_waiting_call_survives_fork_and_pickle(leave: object) -> None:
    session = waiting()
    session.apply(REMOTE + write("b.txt", "b") + REMOTE)
    copy = leave(session)  # type: ignore[operator]
    for one in (session, copy):
        settle(one, ScriptedModel(["first", "second"]))
    assert copy.trajectory().to_line() == session.trajectory().to_line()
    assert copy.world.state_hash() == session.world.state_hash()


def test_a_tool_with_a_programming_error_raises_and_leaves_the_world_as_it_was() -> None:
    session = waiting()
    before = session.world.state_hash()
    with pytest.raises(ZeroDivisionError):
        session.apply(call("broken"))
    assert session.world.state_hash() == before


def test_the_final_reply_is_not_judged_so_no_user_is_asked() -> None:
    session = asking()
    play(session, "One.", "Two.", "Three.", "Four.", model=agreeing())
    session.apply("The end.")
    assert [one.stage for one in session.pending] == ["grade"]
