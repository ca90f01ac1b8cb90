"""Judging a record anew: the conversation stays, the judgements are new."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from support.judging import clause, decided, judge_of
from support.packs import PROTOCOL, TINY, outspoken, protocol, tiny
from support.play import FINISHING, ask, opened, play, write

from pi_gym.errors import AnswerError, SessionError
from pi_gym.graders.model import ModelGrader
from pi_gym.graders.rule import RuleGrader
from pi_gym.models.role_requests import Answers
from pi_gym.models.scripted import ScriptedModel
from pi_gym.packs import load_pack
from pi_gym.pibench.playback import Playback, play_back
from pi_gym.pibench.rejudging import rejudge
from pi_gym.pibench.replay import replay
from pi_gym.pibench.session import PiSession
from pi_gym.pibench.settings import Limits
from pi_gym.predicates import compile_predicate
from pi_gym.questions import Asked
from pi_gym.session import Trajectory
from pi_gym.types import Answer
from pi_gym.users.base import Decision, Satisfied, TurnView
from pi_gym.users.model import ModelUser
from pi_gym.users.rule import RuleUser
from tests.support.records import proc_comp


def played(record: Trajectory) -> Playback:
    return play_back(record, pack=load_pack(TINY if record.pack == "tiny" else PROTOCOL))


def judged(record: Trajectory, user: Any = None, grader: Any = None, answers: Any = ()) -> Trajectory:
    """The record judged anew; `answers` are the model's in order, or a function of the ask."""
    model = ScriptedModel(answers)
    judgement = rejudge(record, played(record), user or RuleUser(), grader or RuleGrader())
    try:
        asks = next(judgement)
        while True:
            asks = judgement.send(tuple(model(asks)))
    except StopIteration as end:
        done: Trajectory = end.value
        return done


def record_of(session: PiSession, *actions: object, model: Any = None) -> Trajectory:
    play(session, *actions, model=model)
    if not session.ended:
        session.truncate("enough")
    return session.trajectory(agent="me")


def statuses(record: Trajectory) -> list[str]:
    return [row["status"] for row in record.labels["intents"]]


PLAYS: list[list[object]] = [
    FINISHING,
    ["Hm.", "Which shape, and which size?", write("out.txt", "done: blue"), "finished", "end"],
    [ask("Which font?"), "What size? What size? And what size?", *FINISHING, "So.", "End."],
    ["a", write("draft.txt", "draft"), "b", "c", "d"],
]


@pytest.mark.parametrize("actions", PLAYS, ids=range(len(PLAYS)))
@pytest.mark.parametrize("limits", [Limits(), Limits(max_turns=2), Limits(max_steps=2)], ids=["free", "turns", "steps"])
def test_the_rules_judge_their_own_session_the_same(actions: list[object], limits: Limits) -> None:
    record = record_of(opened(limits=limits), *actions)
    again = judged(record)
    assert again.config["rejudged"] == {"user": "rule", "grader": "rule", "models": {}}
    ours, theirs = again.to_json(), record.to_json()
    del ours["config"], theirs["config"]
    assert ours == theirs


@pytest.mark.parametrize("variant", [0, 3])
def test_references_with_histories_come_out_the_same(variant: int) -> None:
    for pack in (tiny(), protocol()):
        for task_id in pack.task_ids:
            task = pack.instantiate(task_id, variant)
            record = record_of(opened(task, history="reference"), *task.reference)
            again = judged(record)
            assert (again.events, *proc_comp(again)) == (
                record.events,
                *proc_comp(record),
            )


LAWS: list[list[object]] = [
    ["I'll make it blue. What size?", write("out.txt", "blue round"), "it is large"],
    ["I'll make it red.", "As you settled it: blue.", *"bcd"],
    ["As you settled it: blue.", "I'll make it red.", *"bcd"],
    ["Shall the colour be red?", "Shall the colour be red? Which shape?", *"bcd"],
    [
        "Do you need a spare? May I use your pen? What is the date of it?",
        "Which font? Which size? Which colour?",
        *"bcd",
    ],
    [ask("I'll make it red. Which shape and which size?"), write("draft.txt", "draft"), *"bcd"],
    ["Which font? Which margin? Which hat?", "Which pencil?", "Which paper?", "Which colour?", *"bcd"],
    [*"abcde"],
]


@pytest.mark.parametrize(
    "options", [{}, {"paper_letter": True}, {"patience": 1}, {"limits": Limits(max_turns=2)}], ids=str
)
@pytest.mark.parametrize("actions", LAWS, ids=range(len(LAWS)))
@pytest.mark.parametrize("late", [False, True], ids=["", "late"])
def test_plans_assumptions_topics_and_the_budget_come_out_the_same(
    actions: list[object], options: dict[str, Any], late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = outspoken()
    if late:  # it is too late for the size once the colour is settled, and all but the size is in the files
        size = replace(task.intents[1], before=compile_predicate({"resolved": "colour"}, "before"))
        colour = replace(task.intents[0], recover=task.intents[2].recover)
        task = replace(task, intents=(colour, size, task.intents[2]))
    # No file of the pack says what this task says, so the record's task is handed over in its place.
    pack = SimpleNamespace(instantiate=lambda *_: task)
    monkeypatch.setattr("pi_gym.pibench.playback.referred_pack", lambda *_: pack)
    record = record_of(opened(task, **options), *actions)
    ours, theirs = judged(record).to_json(), record.to_json()
    del ours["config"], theirs["config"]
    assert ours == theirs


def test_a_wrong_plan_that_the_recorded_user_did_not_correct_provides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    task = outspoken()
    pack = SimpleNamespace(instantiate=lambda *_: task)
    monkeypatch.setattr("pi_gym.pibench.playback.referred_pack", lambda *_: pack)
    record = record_of(opened(task), write("out.txt", "blue"), "There it is.", "I'll make it red.", *"bcd")
    assert statuses(record) == ["completed", "provided", "provided"]
    assert statuses(judged(record, Strict({}))) == ["open", "provided", "provided"]


def test_a_session_of_models_can_be_judged_by_the_rules_and_back() -> None:
    session = opened(user=ModelUser(), grader=ModelGrader(all_items=True))
    record = record_of(session, *PLAYS[1], model=judge_of(session))
    by_rule = judged(record)
    assert (by_rule.config["roles"]["user"], *proc_comp(by_rule)) == (
        "rule",
        *proc_comp(record),
    )
    assert [event for event in by_rule.events if event.kind in ("ask", "answer")] == []
    plain = record_of(opened(), *PLAYS[1])
    assert statuses(by_rule) == statuses(plain)


def test_the_world_at_each_turn_is_that_of_the_turn() -> None:
    record = record_of(opened(), write("out.txt", "one"), "First.", write("out.txt", "two blue"), "Second.", "Third.")
    turns = played(record).turns
    assert [turn.view.evidence.now.text("out.txt") for turn in turns] == ["one", "two blue", "two blue"]
    assert [turn.view.reply for turn in turns] == ["First.", "Second.", "Third."]
    assert turns[0].said == ("i1",)


# -- what a new judgement of old words means -------------------------------------------------------------------------


class Strict:
    """A user to whom some intents count as satisfied or asked for at some turns."""

    name = "strict"

    def __init__(self, satisfied: dict[int, list[str]], asked: dict[int, list[str]] | None = None) -> None:
        self.met, self.wanted, self.turn = satisfied, asked or {}, 0
        self.opens: list[list[str]] = []

    def satisfied(self, view: TurnView, answers: Answers | None = None) -> Satisfied:
        self.turn += 1
        self.opens.append([intent.id for intent in view.open])
        return Satisfied(dict.fromkeys(self.met.get(self.turn, ()), "met"))

    def asked(self, view: TurnView, answers: Answers | None = None) -> Any:
        return Asked((), tuple(self.wanted.get(self.turn, ())), view.misses, 0)

    def message(self, view: TurnView, decision: Decision, answers: Answers | None = None) -> str:
        raise AssertionError("the words are there")


def silent_record() -> Trajectory:
    """Three turns in which nothing is done: the user reveals i1, then i3, waits for a draft, and reveals i2."""
    return record_of(opened(), *"abcde")


def test_what_the_recorded_user_said_is_provided() -> None:
    assert [row["turn"] for row in silent_record().labels["intents"]] == [1, 4, 2]
    again = judged(silent_record(), Strict({}))
    assert statuses(again) == ["provided"] * 3
    assert [row["turn"] for row in again.labels["intents"]] == [1, 4, 2]


def test_what_is_found_before_it_was_said_is_credited_and_the_words_stay() -> None:
    again = judged(silent_record(), Strict({1: ["i2"]}, {2: ["i3"]}))
    assert statuses(again) == ["provided", "completed", "inferred"]
    assert again.scores.get("proc") == 2 / 3
    words = [event.data["text"] for event in silent_record().events if event.kind == "user"]
    assert [event.data["text"] for event in again.events if event.kind == "user"] == words


def test_what_was_answered_because_it_was_asked_is_provided_where_nobody_asked() -> None:
    record = record_of(opened(), "Which colour?", "b", "c", "d")
    assert statuses(record)[0] == "inferred"
    assert statuses(judged(record, Strict({})))[0] == "provided"


def test_what_nobody_finds_and_nobody_said_stays_open() -> None:
    record = record_of(opened(), write("out.txt", "blue round"), "it is large")
    assert (statuses(record), record.scores.get("proc")) == (["completed"] * 3, 1.0)
    again = judged(record, Strict({1: ["i1"]}))
    assert (statuses(again), again.scores.get("proc")) == (["completed", "open", "open"], 1 / 3)


def test_the_last_reply_is_judged_where_something_is_still_open() -> None:
    record = record_of(opened(), write("out.txt", "blue"), *"abcd")
    assert (statuses(record), record.turns) == (["completed", "provided", "provided"], 4)
    user = Strict({4: ["i1"]})
    again = judged(record, user)
    assert user.opens == [["i1", "i2", "i3"], ["i1", "i2"], ["i1", "i2"], ["i1"]]
    assert (statuses(again)[0], again.labels["intents"][0]["turn"]) == ("completed", 4)


def test_the_return_follows_the_new_judgement() -> None:
    again = judged(silent_record(), Strict({1: ["i1", "i2", "i3"]}))
    assert again.return_ == pytest.approx(0.5 * 1.0 + 0.5 * (again.scores.get("comp") or 0))


# -- models ----------------------------------------------------------------------------------------------------------


def test_a_models_judgement_stands_in_the_record_with_its_asks() -> None:
    ids = {"i1": True, "i2": True, "i3": True}
    grades = {"c1": True, "c2": True, "c3": False, "c4": True, "c5": True, "c6": False}
    again = judged(silent_record(), ModelUser(), ModelGrader(all_items=True), [decided(ids), decided(grades)])
    assert (
        again.config["roles"]["user"],
        again.config["roles"]["grader"],
        *proc_comp(again),
    ) == ("model", "model-all", 1.0, 4 / 6)
    asks = [event.data for event in again.events if event.kind == "ask"]
    assert [(one["id"], one["stage"], len(one["sha256"])) for one in asks] == [
        ("j1", "satisfied", 64),
        ("j2", "grade", 64),
    ]
    reasons = [event.data["reason"] for event in again.events if event.kind == "status"]
    assert reasons == ["so for i1", "so for i2", "so for i3"]
    assert Trajectory.from_json(again.to_json()).to_line() == again.to_line()


def test_misses_are_counted_by_the_new_user() -> None:
    none = [decided(dict.fromkeys(ids, False)) for ids in (("i1", "i2", "i3"), ("i2", "i3"), ("i2",), ("i2",))]
    listed = [{"clauses": [clause(1), clause(2)]}, {"clauses": [clause(1)]}, *[{"clauses": []}] * 2]
    answers = [part for pair in zip(none, listed, strict=True) for part in pair]
    record = record_of(opened(), "x. x", *"abcd")
    again = judged(record, ModelUser(), None, answers)
    assert (again.labels["questions"], again.labels["question_misses"]) == (3, 2)
    assert (record.labels["questions"], record.labels["question_misses"]) == (0, 0)


@pytest.mark.parametrize("answer", [Answer(error="down"), None, decided({"i1": True})])
def test_an_answer_of_no_use_ends_the_judgement(answer: object) -> None:
    with pytest.raises(AnswerError):
        judged(silent_record(), ModelUser(), None, [answer])


# -- what cannot be judged -------------------------------------------------------------------------------------------


def test_a_record_without_a_score_is_refused() -> None:
    session = opened()
    session.apply("a")
    session.fail("it broke")
    with pytest.raises(ValueError, match="no score"):
        played(session.trajectory())


def test_a_judged_record_is_neither_judged_again_nor_replayed() -> None:
    again = judged(silent_record())
    with pytest.raises(ValueError, match="re-scoring"):
        played(again)
    with pytest.raises(ValueError, match="re-scoring"):
        replay(again, pack=protocol())


def test_a_record_that_does_not_come_out_as_it_was_is_refused() -> None:
    record = record_of(opened(), write("out.txt", "blue"), "a", "b", "c")
    events = [
        replace(event, data={**event.data, "result": "Something else."}) if event.kind == "call" else event
        for event in record.events
    ]
    with pytest.raises(SessionError, match="as it was recorded"):
        played(replace(record, events=tuple(events)))
