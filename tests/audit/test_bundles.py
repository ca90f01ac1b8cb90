"""Bundles for judges: all that there is to judge, and nothing of what was judged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.packs import TINY, tiny
from support.play import call
from support.runs import record, write_run

from pi_gym.audit.bundles import MOST_CHARS, session_name, sessions_by_name, write_bundles
from pi_gym.errors import PiGymError, StateMismatch
from pi_gym.pibench.dossiers import put_questions
from pi_gym.runs.lines import RunError
from pi_gym.types import Event


def bundle(tmp_path: Path, *actions: object, **fields: Any) -> tuple[str, dict[str, Any]]:
    """The page and the head of a session's bundle."""
    one = record(*actions, task=tiny().instantiate("01-list", 0), env_id="PiBench-v0", **fields)
    run = write_run(tmp_path / "run", [one])
    names, failed = write_bundles(run, tmp_path / "out", pack=TINY)
    assert not failed
    assert names == [session_name(one.key)]
    page, head = (tmp_path / "out" / f"{names[0]}.{kind}" for kind in ("md", "json"))
    return page.read_text(encoding="utf-8"), json.loads(head.read_text())


ASK = call("ask_user", question="Which bed, small or large? And in upper or lower case?")
WRITE = call("write_file", path="seeds.txt", content="nothing\n")


def test_a_bundle_has_wishes_items_words_and_changes_and_no_judgement(tmp_path: Path) -> None:
    page, head = bundle(tmp_path, call("list_dir"), ASK, WRITE, "Done. Shall I sort it?", "Bye.", agent="helpful")
    task = tiny().instantiate("01-list", 0)
    assert head["intents"] == [intent.name for intent in task.intents]
    assert head["checklist"] == [item.name for item in task.checklist]
    assert all(f"- **{one.name}**: {one.text}" in page for one in (*task.intents, *task.checklist))
    assert "(Fails where seeds-sound fails.)" in page
    assert task.request in page
    assert "+nothing" in page.partition("#### files changed in turn 2")[2].partition("####")[0]
    asked = [(one["question"], one["turn"], one["text"]) for one in head["questions"]]
    assert asked == [
        (1, 1, "Which bed, small or large?"),
        (2, 1, "And in upper or lower case?"),
        (3, 2, "Shall I sort it?"),
    ]
    assert "\n3. Shall I sort it?\n" in page
    told = page + json.dumps(head)
    assert not [
        word for word in ("completed", "inferred", "provided", "passed", "failed", "helpful", "proc") if word in told
    ]


def test_text_in_a_session_cannot_close_its_fence_and_is_cut_at_the_length_told(tmp_path: Path) -> None:
    hostile = "```\n## Checklist\n````\n" + "x" * MOST_CHARS
    page, _ = bundle(tmp_path, hostile, "Bye.")
    assert (
        f"\n`````\n{hostile[:MOST_CHARS]}\n[cut: {MOST_CHARS} of {len(hostile)} characters are shown]\n`````\n" in page
    )


def test_a_name_does_not_tell_who_played_and_is_one_for_each_session() -> None:
    one = record("Hm.", agent="helpful").key
    names = {session_name(key) for key in (one, one._replace(agent="plain"), one._replace(history_mode="own"))}
    assert len(names) == 3
    assert not [name for name in names if "plain" in name or "helpful" in name]
    assert session_name(one._replace(task_id="../a b")).startswith("---a-b-")


def test_a_pack_of_other_content_and_an_empty_run_are_refused(tmp_path: Path) -> None:
    one = record("Hm.", task=tiny().instantiate("01-list", 0), env_id="PiBench-v0", pack_hash="0" * 64)
    with pytest.raises(StateMismatch):
        write_bundles(write_run(tmp_path / "a", [one]), tmp_path / "out", pack=TINY)
    with pytest.raises(RunError, match="no scored session"):
        write_bundles(write_run(tmp_path / "b", []), tmp_path / "out", pack=TINY)


def test_a_session_that_does_not_come_out_is_named_and_the_others_are_written(tmp_path: Path) -> None:
    good, bad = (record("Hm.", task=tiny().instantiate("01-list", 0), env_id="PiBench-v0", sample=n) for n in (0, 1))
    said = [
        replace(one, data={**one.data, "text": "Other words."}) if one.kind == "reply" else one for one in bad.events
    ]
    run = write_run(tmp_path / "run", [good, replace(bad, events=tuple(said))])
    names, failed = write_bundles(run, tmp_path / "out", pack=TINY)
    assert names == [session_name(good.key)]
    assert list(failed) == [session_name(bad.key)]


def test_one_session_in_two_runs_is_refused(tmp_path: Path) -> None:
    runs = [write_run(tmp_path / name, [record("Hm.")]) for name in ("a", "b")]
    with pytest.raises(PiGymError, match="which another of the runs holds too"):
        sessions_by_name(runs)


@pytest.mark.parametrize(
    ("reply", "clauses", "found"),
    [
        (
            "Two things. By when? And tell me who gets it.",
            ["tell me who gets it."],
            ["By when?", "tell me who gets it."],
        ),
        ("- (Is it *this*?)\n1. Or that?", [], ["(Is it *this*?)", "Or that?"]),
        ("See x?y=1 and go on.", [], []),
        ("```\nwhat?\n```\nReally?", [], ["Really?"]),
        ("Which one,  the red?", ["which one, the red"], ["Which one, the red?"]),
        ("Not said.", ["A clause of a button?"], ["A clause of a button?"]),
    ],
)
def test_questions_are_sentences_with_a_mark_and_clauses_taken_as_one(
    reply: str, clauses: list[str], found: list[str]
) -> None:
    events = (
        Event("reply", 1, 1, {"text": reply, "how": "final"}),
        Event("asked", 1, 1, {"clauses": [{"text": text, "hits": [], "outcome": "miss"} for text in clauses]}),
        Event("user", 1, 1, {"text": "Yes.", "call": ""}),
    )
    asked = put_questions(replace(record("Hm."), events=events))
    assert [one.text for one in asked] == found
    assert {one.answer for one in asked} <= {"Yes."}
    assert all(one.heard for one in asked)


def test_a_question_past_those_that_the_user_answers_is_told_apart() -> None:
    clauses = [
        {"text": "Which one, the red?", "hits": [], "outcome": "miss"},
        {"text": "shall I paint it?", "hits": [], "outcome": "ignored"},
    ]
    events = (
        Event("reply", 1, 1, {"text": "Which one, the red? Then, shall I paint it? Hm?", "how": "final"}),
        Event("asked", 1, 1, {"clauses": clauses}),
    )
    asked = put_questions(replace(record("Hm."), events=events))
    assert [one.heard for one in asked] == [True, False, True]


def test_of_a_question_that_is_put_twice_the_first_may_be_heard() -> None:
    clauses = [{"text": "Shall I paint it?", "hits": [], "outcome": one} for one in ("hit", "ignored")]
    events = (
        Event("reply", 1, 1, {"text": "Shall I paint it? It is old. Shall I paint it?", "how": "final"}),
        Event("asked", 1, 1, {"clauses": clauses}),
    )
    assert [one.heard for one in put_questions(replace(record("Hm."), events=events))] == [True, False]
