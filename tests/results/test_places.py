"""Where results lie, what else may change, and the calls that bring a file from one text to another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.apps import NOTES
from support.packs import PROTOCOL, copy_pack, edit_yaml
from support.play import call, opened, play, write

from pi_gym.packs import load_pack
from pi_gym.packs.edits_of import file_calls
from pi_gym.pibench.session import PiSession
from pi_gym.predicates import Evidence
from pi_gym.results.content import as_text
from pi_gym.results.place import ReplyPlace, RowsPlace

LINES = st.lists(st.sampled_from(["a\n", "b\n", "\n", "c"]), max_size=6).map("".join)


@given(st.none() | LINES, LINES)
def test_the_calls_bring_a_file_from_one_text_to_the_other(old: str | None, new: str) -> None:
    text = old
    for one in file_calls("a.txt", old, new):
        if one["tool"] == "write_file":
            assert text is None or not text
            text = one["content"]
        else:
            assert text is not None
            assert text.count(one["old_text"]) == 1
            text = text.replace(one["old_text"], one["new_text"])
    assert text == new


def test_an_edit_touches_the_lines_that_change_and_no_more() -> None:
    (edit,) = file_calls("a.txt", "one\ntwo\nthree\nfour\n", "one\ntwo\n3\nfour\n")
    assert edit["new_text"].count("\n") <= 2
    assert "four" not in edit["old_text"]


def session_of(folder: Path, result: dict[str, Any], **rest: Any) -> PiSession:
    """The task of three wishes where its result lies elsewhere."""
    pack = copy_pack(PROTOCOL, folder / "protocol")
    task = pack / "tasks" / "01-three"

    def change(raw: Any) -> None:
        raw["results"]["out"] = {"as": "text", "sound": {"names": "done"}, **result}
        raw["solution"] = [{"reply": "Done."}]
        raw.update(rest)

    edit_yaml(task / "task.yaml", change)
    given = "('out.txt', 'done')" if "one_new_file" in result else "'done'"
    (task / "right.py").write_text(f"def right(world, wishes):\n    return {{'out': {given}}}\n")
    (task / "files").mkdir()
    (task / "files" / "old.txt").write_text("first\nsecond\nthird\nfourth\n")
    return opened(load_pack(pack).instantiate("01-three"))


def verdicts(session: PiSession, *actions: object) -> dict[str, bool]:
    play(session, *actions, "One.", "Two.", "Three.", "Four.", "Five.")
    assert session.ended
    names = {item.id: item.name for item in session.task.checklist}
    return {names[one.id]: one.verdict == "passed" for one in session.verdicts}


def test_what_is_sent_after_a_reply_leaves_it_standing_and_a_changed_list_does_not() -> None:
    emails, spans = ("gmail", "emails"), {("gmail", "emails"): (1, 1), ("splitwise", "expenses"): (0, 1)}
    said = Evidence(replies=("It comes to 12.", "It is sent."), change_spans=spans)
    mails = RowsPlace(*emails, (), "created", letters=True)
    entries = RowsPlace("splitwise", "expenses", (), "created")
    assert as_text(ReplyPlace((mails,)).find(said)).text == "It comes to 12.\n\nIt is sent."
    assert as_text(ReplyPlace((mails, entries)).find(said)).text == "It is sent."


NEW = {"new_file": "out.txt"}
ONE = {"one_new_file": {"in": "drafts", "but": "plan.md", "named": "*.md"}}
OLD = {"file": "old.txt"}
TEXT = "It is done.\nAll of it, 3 times 4 and 12 more of these.\n"


@pytest.mark.parametrize(
    ("result", "actions", "found", "clean"),
    [
        (NEW, [write("out.txt", "done")], True, True),
        (NEW, [write("out.md", "done")], False, False),
        (NEW, [write("out.txt", "done"), write("more.txt", "x")], True, False),
        (NEW, [write("out.txt", "done"), write("old.txt", "x")], True, False),
        (NEW, [write("out.txt", "done"), write("memory/MEMORY.md", "x")], True, True),
        (ONE, [write("drafts/a.md", TEXT)], True, True),
        (ONE, [write("drafts/a.md", TEXT), write("drafts/plan.md", TEXT)], True, False),
        (ONE, [write("drafts/a.md", TEXT), write("drafts/b.md", TEXT)], False, False),
        (ONE, [write("drafts/a.md", "given up"), write("drafts/b.md", TEXT)], True, True),
        (ONE, [write("drafts/a.md", "All of it is done.")], True, True),
        (ONE, [write("drafts/a.txt", TEXT)], False, False),
        (ONE, [write("drafts/deep/a.md", TEXT)], False, False),
        (OLD, [write("old.txt", "all done")], True, True),
        (OLD, [write("new.txt", "all done")], False, False),
        (OLD, [], False, False),
    ],
)
def test_a_result_is_found_at_its_place_and_all_else_is_left_alone(
    tmp_path: Path, result: dict[str, Any], actions: list[str], found: bool, clean: bool
) -> None:
    judged = verdicts(session_of(tmp_path, result), *actions)
    assert (judged["out-sound"], judged["nothing-else"]) == (found, found and clean)


KEPT, ALL_KEPT = {"file": "old.txt", "keeps": 0.75}, {"file": "*.txt", "keeps": 0.75}


@pytest.mark.parametrize(
    ("free", "action", "clean"),
    [
        (["*.log"], write("a.log", "x"), True),
        (["*.log"], write("deep/a.log", "x"), False),
        (["notes/"], write("notes/deep/a.txt", "x"), True),
        (["*.log"], write("a.txt", "x"), False),
        ([KEPT], write("old.txt", "first\nsecond\nthird\n4th\n"), True),
        ([KEPT], write("old.txt", "first\nfourth\n"), False),
        ([KEPT], call("edit_file", path="old.txt", old_text="first", new_text="1st"), True),
        ([ALL_KEPT], write("old.txt", "first\nsecond\nthird\n4th\n"), True),
        ([ALL_KEPT], write("old.txt", "first\nfourth\n"), False),
        ([ALL_KEPT], write("new.txt", "x"), True),
        ([ALL_KEPT], write("deep/new.txt", "x"), False),
    ],
)
def test_what_may_change_beside_the_results_is_told_by_the_task(
    tmp_path: Path, free: list[Any], action: str, clean: bool
) -> None:
    judged = verdicts(session_of(tmp_path, NEW, may_change=free), write("out.txt", "done"), action)
    assert judged["nothing-else"] == clean


LOGIN = call("simple_note__login", username="ida@notes.example", password="crumbs")
MAKE = call("simple_note__create_note", title="The hours", tags=["hours", "times"], pinned=True)
DELETE = call("simple_note__delete_note", note_id=4)
UPDATE = call("simple_note__update_note", note_id=1, pinned=True)


@pytest.mark.parametrize(
    ("state", "free", "actions", "clean"),
    [
        ("created", [], [MAKE], True),
        ("created", [], [MAKE, DELETE], False),
        ("created", [], [MAKE, UPDATE], False),
        ("created", [{"simple_note": {"notes": ["deleted"]}}], [MAKE, DELETE], True),
        ("changed", [], [MAKE, DELETE], False),
    ],
)
def test_rows_are_guarded_by_the_kind_of_change_that_the_result_is(
    tmp_path: Path, state: str, free: list[Any], actions: list[str], clean: bool
) -> None:
    pack = copy_pack(NOTES, tmp_path / "notes")

    def change(raw: Any) -> None:
        raw["results"]["note"]["rows"]["state"] = state
        raw["may_change"] = free

    edit_yaml(pack / "tasks/01-pin/task.yaml", change)
    judged = verdicts(opened(load_pack(pack).instantiate("01-pin")), LOGIN, *actions)
    assert judged == {"note-sound": True, "tag": True, "nothing-else": clean}
