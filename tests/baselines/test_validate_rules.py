"""The rules of validation that look at steps, questions, means and sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.apps import notes_pack
from support.packs import copy_pack, edit_yaml

from pi_gym import load_pack
from pi_gym.packs.declared import declared_result
from pi_gym.packs.task import ReferenceAction
from pi_gym.proof.case import Case, make_case
from pi_gym.proof.episode_form import check_task_means, check_whole
from pi_gym.proof.memorised import PoolWish, memorisers
from pi_gym.proof.report_form import pack_task_report
from pi_gym.proof.resistance import check_memorised
from pi_gym.proof.step_removal import Removal, check_removal, is_writing, removals
from pi_gym.proof.token_estimate import estimated_tokens
from pi_gym.questions import asking_clauses
from pi_gym.types import ToolCall
from pi_gym.validation.report import Sheet, TaskReport

SOUND = Path(__file__).parent / "sound"


def case(variant: int = 1, task_id: str = "01-scale") -> Case:
    return make_case(load_pack(SOUND), task_id, variant)


def test_plays_that_share_a_beginning_end_as_they_would_alone() -> None:
    one = case()
    half = one.task.reference[:1]
    shared = [one.stage.play([*half, "Which oven?"]), one.stage.play(one.task.reference), one.stage.play(half)]
    alone = [case().stage.play([*half, "Which oven?"]), case().stage.play(one.task.reference), case().stage.play(half)]
    assert [play.session.trajectory().to_line() for play in shared] == [
        play.session.trajectory().to_line() for play in alone
    ]
    assert [play.rewards for play in shared] == [play.rewards for play in alone]
    assert one.stage.play(half).session is shared[2].session


def test_a_command_that_declares_another_result_is_another_play() -> None:
    one = make_case(load_pack("researcher"), "08-checkpoint-choice", 0)
    call = ToolCall("exec", {"command": "echo 1 > new.txt"}).to_text()
    results = [declared_result(raw, "result") for raw in ({"files": {"new.txt": "1"}}, {"exit": 1})]
    made, other = (one.stage.play([ReferenceAction.of(call, [result])], None) for result in results)
    assert made.session.world.workspace.text("new.txt") == "1"
    assert other.session.world.workspace.text("new.txt") is None


def test_beliefs_that_are_true_are_the_reference_itself() -> None:
    one = case()
    assert one.work_for(dict(one.task.values)) is one.task.reference
    loaves = one.task.values["loaves"]
    assert one.work_for({"loaves": loaves + 1}) is one.work_for({"loaves": loaves + 1})


def test_writing_steps_are_those_that_leave_something() -> None:
    registry = make_case(notes_pack(), "01-pin", 1).opening.registry

    def writing(name: str, arguments: dict[str, object], result: object = None) -> bool:
        return is_writing(ToolCall(name, arguments), result, registry)

    assert writing("write_file", {"path": "a.md", "content": ""})
    assert not writing("write_file", {"path": "memory/MEMORY.md", "content": ""})
    assert writing("simple_note__create_note", {"title": "a"})
    assert not writing("simple_note__login", {"username": "a"})
    assert not writing("simple_note__search_notes", {})
    assert not writing("message", {"content": "done"})
    assert writing("message", {"content": "done", "media": ["a.md"]})
    assert not writing("exec", {"command": "ls"}, {"exit": 0, "output": "a"})
    assert writing("exec", {"command": "rm a"}, {"exit": 0, "deleted": ["a"]})
    assert not writing("ask_user", {"question": "Which?"})
    assert not writing("no_such_tool", {})


def test_a_command_fails_without_the_file_that_it_reads(tmp_path: Path) -> None:
    folder = copy_pack(SOUND, tmp_path / "sound")

    def by_command(raw: dict[str, Any]) -> None:
        raw["tools"] = ["exec"]
        content = "{{ right.table }}"
        result = {"files": {"scaled.csv": content, "draft.csv": None}}
        raw["solution"][2] = {
            "calls": [
                {"tool": "write_file", "path": "draft.csv", "content": content},
                {"tool": "exec", "command": "mv draft.csv scaled.csv", "result": result},
            ]
        }

    edit_yaml(folder / "tasks" / "01-scale" / "task.yaml", by_command)
    found = removals(make_case(load_pack(folder), "01-scale", 1))
    assert [(one.shown.split()[0], one.lowered) for one in found] == [("write_file", True), ("exec", True)]


def test_what_a_step_serves_is_found_in_any_variant_and_held_against_it_in_all() -> None:
    def one(variant: int, lost: set[str], held: set[str]) -> Removal:
        return Removal(variant, 2, 0, "write_file a.md", frozenset(lost), frozenset(held), bool(lost))

    drawn, undrawn = {"intent tag", "item tag"}, {"item table"}
    needed = check_removal([one(0, {"intent tag"}, drawn), one(1, set(), undrawn)], 5)
    assert not [finding for sheet in needed for finding in sheet.findings]
    idle = check_removal([one(0, {"intent tag"}, drawn), one(1, set(), drawn)], 5)
    (finding,) = [finding for sheet in idle for finding in sheet.findings]
    assert (finding.variant, finding.subject) == (1, "step 3.1, write_file a.md")
    assert "intent tag" in finding.reason
    for played, level in ((5, "failure"), (4, "note")):
        (never,) = [finding for sheet in check_removal([one(0, set(), drawn)], played) for finding in sheet.findings]
        assert (never.variant, never.level) == (-1, level)


def test_memorised_questions_hit_every_intent_of_the_pool() -> None:
    one = case()
    pool = [PoolWish(spec.name, spec.asked_only, spec.always) for spec in one.source.pool]
    matcher = one.task.questions
    at_once, single, _ = memorisers(pool, matcher, one.task.reference)
    aims = [matcher.aims(clause) for clause in asking_clauses(at_once.actions[0])]
    assert {name for found in aims for name in found} == {wish.name for wish in pool}
    assert pool[0].name in aims[0]  # what is always drawn and only the user knows comes first
    assert len(single.actions) <= len(pool)


def test_needless_questions_do_not_count_strictly() -> None:
    sheet = Sheet("memorised questions", 1)
    check_memorised(case(1, "02-label"), sheet)
    assert 0 < sheet.numbers["strict Proc"] < sheet.numbers["Proc"] == 1.0


def memorised(task_id: str) -> TaskReport:
    sheet = Sheet("memorised questions", 1)
    check_memorised(case(1, task_id), sheet)
    return pack_task_report(task_id, [sheet])


def test_a_pack_whose_questions_can_be_learnt_by_heart_fails_where_it_is_a_benchmark() -> None:
    pack, label = load_pack(SOUND), memorised("02-label")
    assert {note.subject for note in label.findings} == {"Proc", "strict Proc"}
    found = [one for one in check_whole(pack, [label], True).failures if one.subject == "memorised questions"]
    assert [one.reason.split(" is ")[0] for one in found] == ["Proc", "strict Proc"]
    noted = check_whole(pack, [label], False)
    assert not noted.failures
    assert [one.level for one in noted.findings if one.subject == "memorised questions"] == ["note", "note"]


def measured(check: str, name: str, *values: float) -> TaskReport:
    return pack_task_report("t", [Sheet(check, variant, {name: value}) for variant, value in enumerate(values)])


def test_generic_questions_are_judged_by_the_mean_over_variants() -> None:
    assert not check_task_means(measured("generic questions", "Proc, most", 0.4, 0.6))
    (sheet,) = check_task_means(measured("generic questions", "Proc, most", 0.4, 0.7))
    assert "0.55 in the mean, expected at most 0.5" in sheet.findings[0].reason


@pytest.mark.parametrize(
    ("check", "name", "good", "bad", "subject"),
    [
        ("generic questions", "Proc, most", 0.3, 0.31, "generic questions"),
        ("memorised questions", "Proc", 0.55, 0.56, "memorised questions"),
        ("memorised questions", "strict Proc", 0.4, 0.41, "memorised questions"),
        ("memory", "gap", 0.3, 0.29, "visible request"),
    ],
)
def test_means_over_the_pack_have_bars(check: str, name: str, good: float, bad: float, subject: str) -> None:
    pack = load_pack(SOUND)

    def failed(value: float, judged: bool = True) -> set[str]:
        report = check_whole(pack, [measured(check, name, value), measured(check, name, value)], judged)
        return {finding.subject for finding in report.failures}

    assert subject not in failed(good)
    assert subject in failed(bad)
    assert not failed(bad, judged=False)


def test_sessions_come_in_the_order_of_their_times(tmp_path: Path) -> None:
    pack = copy_pack(SOUND, tmp_path / "sound")
    assert "order" not in {finding.subject for finding in check_whole(load_pack(pack), [], True).failures}
    late = copy_pack(SOUND, tmp_path / "late")
    edit_yaml(late / "tasks/01-scale/task.yaml", lambda spec: spec.update(time="2031-01-01T09:00"))
    (found,) = (one for one in check_whole(load_pack(late), [], True).failures if one.subject == "order")
    assert "02-label is at" in found.reason


def test_quantiles_are_values_that_occur() -> None:
    (row,) = measured("tokens", "reference session", *range(1, 21)).rows
    spread = row.numbers["reference session"]
    assert (spread.low, spread.p50, spread.p95, spread.high) == (1, 10, 19, 20)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("word", 1),
        ("internationalisation", 3),
        ("2026", 4),
        ("a b", 2),
        ("a    b", 3),
        ("a\n\n\nb", 3),
        ('"},{"', 2),
        ("snake_case", 3),
    ],
)
def test_tokens_are_counted_by_the_stated_rule(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens
