"""The parts of validation: adversaries, beliefs, questions, the report's arithmetic."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.apps import NOTES, notes_pack
from support.packs import copy_pack, edit_yaml

from pi_gym import load_pack
from pi_gym.predicates import compile_predicate
from pi_gym.proof import adversaries
from pi_gym.proof.beliefs import MAX_BELIEFS, combinations, secret_names
from pi_gym.proof.case import Case, make_case, without_questions
from pi_gym.proof.memorised import own_questions
from pi_gym.proof.report_form import pack_task_report
from pi_gym.proof.variety import Facts, check_variety, facts
from pi_gym.proof.work import check_reference
from pi_gym.questions import Matcher, asking_clauses, compile_topic
from pi_gym.session import parse_action
from pi_gym.types import ToolCall
from pi_gym.validation.report import Sheet

LINES = st.lists(st.text(max_size=30).map(lambda text: " ".join(text.split())), max_size=5)


def case(variant: int = 1, task_id: str = "01-scale") -> Case:
    return make_case(load_pack(Path(__file__).parent / "sound"), task_id, variant)


@given(LINES)
def test_shaped_texts_are_what_their_suffix_says(lines: list[str]) -> None:
    assert json.loads(adversaries.shaped("a/b.json", lines))["text"] == "\n".join(lines)
    rows = list(csv.reader(io.StringIO(adversaries.shaped("b.csv", lines))))
    assert all(len(row) == 2 for row in rows)
    assert all(line in adversaries.shaped("c.md", lines) for line in lines)


def test_stuffing_carries_every_hidden_text() -> None:
    scene = case().scene
    plans = {plan.name: plan for plan in adversaries.stuffers(scene)}
    written = "\n".join(plans["stuff-deliverables"].actions)
    call = parse_action(plans["stuff-deliverables"].actions[0]).calls[0]
    assert call.arguments["path"] == "scaled.csv"
    for intent in scene.task.intents:
        assert intent.reveal in plans["stuff-reply"].actions[0]
        assert intent.reveal in written
    for item in scene.task.checklist:
        assert item.text in call.arguments["content"]


def test_what_only_takes_text_away_is_not_stuffed() -> None:
    line = "A line of the file that is long enough to be stuffed."
    edits = [
        ToolCall("edit_file", {"path": "notes.md", "old_text": "an older line\n", "new_text": new}).to_text()
        for new in ("", line)
    ]
    scene = case().scene
    scene = replace(scene, task=replace(scene.task, _actions=lambda steps: ["\n".join(edits)]))
    plan = next(one for one in adversaries.stuffers(scene) if one.name == "stuff-calls")
    calls = [call for action in plan.actions for call in parse_action(action).calls]
    assert [call.name for call in calls] == ["edit_file"]
    assert calls[0].arguments["new_text"] not in ("", line)


def test_named_paths_come_from_request_and_criteria() -> None:
    assert adversaries.named_paths(case().task) == ["scaled.csv"]


def test_writes_stay_within_a_turn() -> None:
    actions = adversaries.writes({f"{number}.txt": "x" for number in range(300)})
    calls = [call for action in actions for call in parse_action(action).calls]
    assert len(calls) == adversaries.MAX_WRITES
    assert len({call.arguments["path"] for call in calls}) == len(calls)


def test_shotgun_writes_each_guess_to_a_file_of_its_own() -> None:
    one = case()
    beliefs = combinations(one, secret_names(one))
    plan = adversaries.shotgunners(one.scene, beliefs)[0]
    files = {c.arguments["path"]: c.arguments["content"] for a in plan.actions for c in parse_action(a).calls}
    assert len(set(files.values())) == len(files) == len(beliefs)
    truth = next(
        c.arguments["content"] for a in one.task.reference for c in parse_action(a).calls if "content" in c.arguments
    )
    assert truth in files.values()
    assert files["scaled.csv"] != truth


def test_shotgun_in_one_file_holds_every_guess() -> None:
    one = case()
    apart, joined, _ = adversaries.shotgunners(one.scene, combinations(one, secret_names(one)))
    (call,) = parse_action(joined.actions[0]).calls
    for written in (c for action in apart.actions for c in parse_action(action).calls):
        assert written.arguments["content"] in call.arguments["content"]


def test_shotgun_calls_do_the_work_in_apps_for_every_guess_and_the_first_again(tmp_path: Path) -> None:
    folder = copy_pack(NOTES, tmp_path / "notes")
    some = {"app": "simple_note", "table": "notes", "where": {"tags": {"has": ["{{ it }}"]}}, "state": "created"}
    edit_yaml(folder / "tasks/01-pin/task.yaml", lambda raw: raw["wishes"][0].update(holds={"predicate": some}))
    one = make_case(load_pack(folder), "01-pin", 1)
    beliefs = combinations(one, secret_names(one))
    plan = next(plan for plan in adversaries.shotgunners(one.scene, beliefs) if plan.name == "shotgun-calls")
    calls = [call for action in plan.actions for call in parse_action(action).calls]
    tags = [call.arguments["tags"] for call in calls if call.name == "simple_note__create_note"]
    assert tags == [[belief["tag"]] for belief in [*beliefs, beliefs[0]]]
    # Where some note with the tag is enough, guesses side by side complete the wish, and the proof sees that; the pack
    # itself asks for one note.
    assert one.run(plan).statuses == {"tag": "completed"}
    assert make_case(notes_pack(), "01-pin", 1).run(plan).statuses == {"tag": "provided"}


def test_files_of_actions_follow_edits() -> None:
    edit = ToolCall("edit_file", {"path": "note.txt", "old_text": "W", "new_text": "w"}).to_text()
    files = adversaries.files_of([edit, edit], case().scene.workspace)
    assert files == {"note.txt": "whole numbers only.\nRows in alphabetical order.\n"}


@pytest.mark.parametrize("variant", range(6))
def test_beliefs_hold_the_truth_once_and_never_first(variant: int) -> None:
    one = case(variant)
    truth = {name: one.task.values[name] for name in secret_names(one)}
    beliefs = combinations(one, secret_names(one))
    assert beliefs.count(truth) == 1
    assert len(beliefs) <= MAX_BELIEFS
    assert all(beliefs[0][name] != value for name, value in truth.items())
    assert all(beliefs.count(belief) == 1 for belief in beliefs)


def test_recoverable_values_are_no_secret() -> None:
    assert "persona.unit" in secret_names(case())
    assert all("persona.unit" not in secret_names(case(variant, "02-label")) for variant in range(4))


def test_without_questions_the_work_stays() -> None:
    question = '<tool_call>{"name": "ask_user", "arguments": {"question": "Which one?"}}</tool_call>'
    work = '<tool_call>{"name": "write_file", "arguments": {"path": "a", "content": "b"}}</tool_call>'
    kept = without_questions([work, question, f"{work}\n{question}", "Which metric decides?", "Done."])
    assert kept == [work, work, "Done."]


def test_play_goes_on_with_the_closing_until_the_end() -> None:
    one = case()
    done = one.stage.play([], "Done.")
    assert done.session.terminated
    assert set(done.statuses.values()) == {"provided"}
    assert not one.stage.play([], None).session.ended


def test_own_questions_are_questions_and_hit() -> None:
    entry = {"any": [{"groups": [["metric", "score"], ["decid", "head line"]]}], "asked": ["Which score decides?"]}
    topic = compile_topic("metric", "wish", entry)
    questions = own_questions(topic)
    assert questions[0] == "Which score decides?"
    for question in questions:
        assert [Matcher([topic]).aims(clause) for clause in asking_clauses(question)] == [("metric",)]


def test_alike_variants_fail_and_few_are_not_judged() -> None:
    alike = [Facts(number, ("a",), "{}", "same") for number in range(6)]
    failed = {finding.subject for finding in check_variety("t", alike, False).findings if finding.level == "failure"}
    assert failed == {"different draws", "different values"}
    assert check_variety("t", alike[:3], False).findings == []


def test_rows_that_a_task_puts_into_apps_make_worlds_differ(tmp_path: Path) -> None:
    account = {"id": 1, "first_name": "Ida", "last_name": "Lund", "email": "ida@notes.example", "password": "oven"}
    note = {"id": 7, "title": "Lent"}

    def world_of(content: str) -> str:
        folder = copy_pack(Path(__file__).parent / "sound", tmp_path / content)
        rows = {"accounts": [account], "notes": [note | {"content": content}]}
        place = folder / "tasks" / "01-scale" / "apps" / "simple_note.yaml"
        place.parent.mkdir()
        place.write_text(json.dumps(rows))
        return facts(make_case(load_pack(folder), "01-scale", 0)).world

    assert world_of("one") != world_of("two")


def test_state_is_told_from_words() -> None:
    def reads_state(spec: Any) -> bool:
        return compile_predicate(spec, "check").footprint().reads_state

    assert reads_state([{"reply": "x"}, {"file": "a.md"}])
    assert not reads_state([{"reply": {"contains": "file"}}, {"reply": {"not_matches": "y"}}])


def test_numbers_spread_and_notes_do_not_fail() -> None:
    sheets = [Sheet("dump", variant, {"Comp": variant / 2}) for variant in (2, 0, 1)]
    sheets[0].note("a", "only a note")
    report = pack_task_report("t", sheets)
    (row,) = report.rows
    assert report.ok
    assert (row.variants, row.failed) == (3, 0)
    assert str(row.numbers["Comp"]) == "0.5 (0 to 1)"
    sheets[1].fail("b", "no")
    assert not pack_task_report("t", sheets).ok


def test_a_past_that_is_not_what_the_reference_leaves_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = Sheet("reference", 1)
    check_reference(case(), sheet)
    assert sheet.findings == []
    monkeypatch.setattr("pi_gym.proof.work.world_left", lambda task, start: start)
    check_reference(case(), sheet)
    assert {"file memory/HISTORY.md", "file scaled.csv"} <= {finding.subject for finding in sheet.findings}
