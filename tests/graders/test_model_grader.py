"""The model grader: rubric items by a model, rule items by their rules, one checklist."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support.blocks import Node, tree
from support.judging import decided, ids_of, prompt_of
from support.packs import three
from support.play import call, opened, play, write

from pi_gym.graders.base import FinalView
from pi_gym.graders.model import ModelGrader
from pi_gym.graders.rule import RuleGrader
from pi_gym.models.scripted import ScriptedModel
from pi_gym.packs import Item, Task
from pi_gym.pibench.session import PiSession
from pi_gym.types import Answer

NAMES = {"out-sound": "done", "sent": "sent", "nothing-else": "untouched"}


def task_with(rubric: str = "", **evidence: list[str]) -> Task:
    """The task of `three` without the items of wishes; the named items are rubric items, all with this evidence."""
    task = three()
    kept = [item for item in task.checklist if item.name in NAMES]
    items = [
        replace(
            item,
            id=f"c{number}",
            grader="rubric" if NAMES[item.name] in rubric.split() else "rule",
            evidence=evidence,
        )
        for number, item in enumerate(kept, start=1)
    ]
    return replace(task, checklist=tuple(items))


def graded(task: Task, *answers: Any, grader: ModelGrader | None = None) -> tuple[PiSession, ScriptedModel]:
    session = opened(task, grader=grader or ModelGrader())
    play(session, "Which colour?", write("out.txt", "done: blue\n"), write("notes/a.md", "memo\n"))
    model = ScriptedModel(answers)
    session.truncate("now")
    if session.pending:
        for one, answer in zip(session.pending, model(session.pending), strict=True):
            session.answer(one.id, answer)
    return session, model


def test_without_rubric_items_no_model_is_asked() -> None:
    session, model = graded(task_with(""))
    assert (model.asks, session.scored, session.comp) == ([], True, 1 / 3)
    assert {verdict.grader for verdict in session.verdicts} == {"rule"}


def test_rubric_and_rule_items_merge_into_one_checklist_in_order() -> None:
    session, model = graded(task_with("done untouched"), decided({"c1": True, "c3": True}))
    assert ids_of(model.asks[0]) == ["c1", "c3"]
    assert [(v.id, v.verdict, v.grader) for v in session.verdicts] == [
        ("c1", "passed", "rubric"),
        ("c2", "failed", "rule"),
        ("c3", "passed", "rubric"),
    ]
    events = [event.data for event in session.log if event.kind == "verdict"]
    assert events[0] == {"item": "c1", "verdict": "passed", "grader": "rubric", "reason": "so for c1"}


def test_a_guard_falls_with_the_item_that_it_requires() -> None:
    session, _ = graded(task_with("done untouched"), decided({"c1": False, "c3": True}))
    assert [verdict.verdict for verdict in session.verdicts] == ["failed", "failed", "failed"]
    assert "counts only together with c1" in session.verdicts[2].reason


def test_all_items_can_go_to_the_model() -> None:
    session, model = graded(
        task_with("done"), decided({"c1": True, "c2": True, "c3": True}), grader=ModelGrader(all_items=True)
    )
    assert ids_of(model.asks[0]) == ["c1", "c2", "c3"]
    assert (session.comp, session.grader.name) == (1.0, "model-all")


def test_many_items_go_out_in_batches_all_at_once() -> None:
    task = task_with()
    items = tuple(
        Item(f"c{n}", f"n{n}", f"Criterion {n}.", "rubric", task.checklist[0].check, "", {}) for n in range(1, 8)
    )
    answers = [decided({f"c{n}": n % 2 == 0 for n in part}) for part in ((1, 2, 3), (4, 5, 6), (7,))]
    session, model = graded(replace(task, checklist=items), *answers, grader=ModelGrader(batch=3))
    assert [ids_of(one) for one in model.asks] == [["c1", "c2", "c3"], ["c4", "c5", "c6"], ["c7"]]
    assert [v.verdict for v in session.verdicts] == ["failed", "passed"] * 3 + ["failed"]


# -- evidence --------------------------------------------------------------------------------------------------------


def prompt(**evidence: list[str]) -> Node:
    session = opened(task_with("done", **evidence), grader=ModelGrader())
    play(session, "Which colour?", write("out.txt", "done: blue\n"), write("notes/a.md", "memo\n"),
         call("read_file", path="shape.txt"), "Reply two.")  # fmt: skip
    session.truncate("now")
    return tree(prompt_of(session.pending[0]))


def named(root: Node, kind: str) -> list[str]:
    return [node.find("content")[0].text[0] if kind == "file" else node.text[0] for node in root.find(kind)]


def test_an_item_without_a_selection_is_shown_everything() -> None:
    root = prompt()
    assert named(root, "reply") == ["Which colour?", "Reply two."]
    assert len(root.find("call")) == 3
    assert named(root, "file") == ["memo", "done: blue"]


def test_files_are_selected_by_globs_changed_or_not() -> None:
    root = prompt(files=["notes/*", "shape.txt", "missing.txt"])
    assert len(root.find("file")) == 2
    assert root.find("call") == []
    assert root.find("no_match")[0].text == ["no file missing.txt"]
    assert root.find("changes")[0].text == ["created: notes/a.md", "created: out.txt"]


def test_calls_are_selected_by_the_tools_names() -> None:
    root = prompt(tools=["read_file", "send_*"])
    assert [node.find("arguments")[0].text for node in root.find("call")] == [['{"path": "shape.txt"}']]
    assert root.find("no_match")[0].text == ["no call of send_*"]
    assert root.find("file") == []


@pytest.mark.parametrize(("which", "shown"), [("all", 2), ("last", 1), ("none", 0)])
def test_replies_are_shown_as_the_item_says(which: str, shown: int) -> None:
    assert len(prompt(replies=[which]).find("reply")) == shown


def test_each_criterion_names_its_own_exhibits() -> None:
    task = task_with()
    first, second, third = task.checklist
    items = (
        replace(first, grader="rubric", evidence={"files": ["out.txt"], "replies": ["none"]}),
        replace(second, grader="rubric", evidence={"replies": ["last"], "files": ["draft.txt"]}),
        third,
    )
    session = opened(replace(task, checklist=items), grader=ModelGrader())
    play(session, write("out.txt", "done\n"), "One.", "Two.")
    session.truncate("now")
    text = prompt_of(session.pending[0])
    assert '<criterion id="c1" exhibits="e2">' in text
    assert '<criterion id="c2" exhibits="e1">' in text
    assert text.index('<reply id="e1">') < text.index('<file id="e2" path="out.txt"')


def test_the_users_later_words_and_the_hidden_intents_are_not_shown() -> None:
    session = opened(task_with("done"), grader=ModelGrader())
    play(session, "One.", "Two.", "Three.", "Four.")
    session.apply("Five.")
    text = str(session.pending[0].request)
    assert not [intent.id for intent in session.task.intents if intent.reveal in text or intent.text in text]


# -- failures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer", [None, {}, decided({"c1": True}), decided({"c1": True, "c3": True, "c9": True}), Answer(error="down")]
)
def test_an_answer_of_no_use_is_never_a_verdict(answer: Any) -> None:
    session, _ = graded(task_with("done untouched"), answer)
    assert (session.scored, session.comp, session.error_kind) == (False, None, "model")
    assert session.verdicts == ()


def test_rule_items_are_judged_as_the_rule_grader_judges_them() -> None:
    session = opened(task_with("done"))
    play(session, write("out.txt", "done\n"), "finished")
    view = FinalView(session.task, session.task.checklist, session.evidence(session.log))
    by_rule = RuleGrader().grade(view)
    by_model = ModelGrader().grade(view, (Answer(decided({"c1": False})),))
    assert by_model[1:] == by_rule[1:]
    assert by_model[0] != by_rule[0]
