"""`told:` that names an app: refused where it is wrong, read from the opening's world, proved by validation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.apps import NOTES
from support.packs import PROTOCOL, copy_pack, edit_yaml
from support.play import ask, opened, play

from pi_gym.errors import PackError
from pi_gym.packs import Pack, Task, load_pack
from pi_gym.pibench.session import PiSession
from pi_gym.proof.case import make_case
from pi_gym.proof.coherence import check_coherence
from pi_gym.proof.knowledge import check_recovery
from pi_gym.validation.report import Sheet

TASK = "tasks/01-pin/task.yaml"
WAY: dict[str, Any] = {
    "app": "simple_note",
    "table": "notes",
    "where": {"title": {"contains": "labels"}, "account": 1},
    "column": "content",
    "sentence": "notes on hours are tagged {{ it }}",
}
NOTE = {"id": 41, "title": "Our labels", "content": "All notes on hours are tagged {{ p.tag }}."}


def noted(folder: Path, way: dict[str, Any] | None = None, note: dict[str, Any] | None = None, **rest: Any) -> Path:
    """The notes pack, where a note of the user's tells the tag."""
    pack = copy_pack(NOTES, folder / "notes")

    def change(raw: Any) -> None:
        raw["wishes"][0]["told"] = WAY if way is None else way
        raw.update(rest)

    edit_yaml(pack / TASK, change)
    rows = pack / "tasks" / "01-pin" / "apps" / "simple_note.yaml"
    edit_yaml(rows, lambda raw: raw["notes"].append(NOTE if note is None else note))
    return pack


def pin(pack: Path, variant: int = 0) -> Task:
    return load_pack(pack).instantiate("01-pin", variant)


@pytest.mark.parametrize(
    ("change", "field", "says"),
    [
        ({"app": "simple_notes"}, "wishes[0].told[0].app", "Did you mean 'simple_note'"),
        ({"table": "note"}, "wishes[0].told[0].table", "Did you mean 'notes'"),
        ({"table": "signed_in"}, "wishes[0].told[0].table", "Unknown table"),
        ({"column": "contents"}, "wishes[0].told[0].column", "Did you mean 'content'"),
        ({"where": {"titel": "x"}}, "wishes[0].told[0].where.titel", "Did you mean 'title'"),
        ({"where": {"title": {"contain": "x"}}}, "wishes[0].told[0].where.title", "contain"),
        ({"column": None}, "wishes[0].told[0]", "table and column"),
        ({"table": None}, "wishes[0].told[0]", "table and column"),
        ({"app": None}, "wishes[0].told[0]", "expected either file or app"),
        ({"app": None, "file": "a.md"}, "wishes[0].told[0]", "belong to an app"),
        ({"file": "a.md"}, "wishes[0].told[0]", "expected either file or app"),
        ({"sentence": None}, "wishes[0].told[0].sentence", "required"),
        ({"app": "file_system", "table": "accounts", "column": "email", "where": {}}, ".app", "offers no tool"),
    ],
)
def test_a_faulty_way_is_refused_by_validation_with_file_and_field(
    tmp_path: Path, change: dict[str, Any], field: str, says: str
) -> None:
    way = {key: value for key, value in {**WAY, **change}.items() if value is not None}
    with pytest.raises(PackError) as caught:
        check_coherence(load_pack(noted(tmp_path, way)))
    assert caught.value.file == TASK
    assert field in caught.value.field
    assert says in caught.value.reason


def test_a_sentence_that_cannot_be_filled_in_is_refused_at_the_first_look(tmp_path: Path) -> None:
    task = pin(noted(tmp_path, WAY | {"sentence": "tagged {{ p.nothing }}"}))
    with pytest.raises(PackError, match=r"wishes\[0\]\.told\[0\]\.sentence: .*nothing.*\(variant 0\)"):
        _ = task.intents[0].recover


@pytest.mark.parametrize("variant", range(4))
def test_the_rows_of_an_app_tell_the_true_values(tmp_path: Path, variant: int) -> None:
    task = pin(noted(tmp_path), variant)
    (way,) = task.intents[0].recover
    world = opened(task).opening.world
    assert way.found(world) == {"tag": task.values["tag"]}
    assert way.holds(world)


@pytest.mark.parametrize(
    "note",
    [
        NOTE | {"content": "All notes on hours are tagged nothing."},
        NOTE | {"content": "No word of it."},
        NOTE | {"title": "Another"},
        NOTE | {"account": 2},
    ],
)
def test_other_rows_do_not(tmp_path: Path, note: dict[str, Any]) -> None:
    task = pin(noted(tmp_path, note=note))
    assert not task.intents[0].recover[0].holds(opened(task).opening.world)


def test_rows_can_be_named_by_id_and_conditions_are_templates(tmp_path: Path) -> None:
    way = WAY | {"where": {"id": 41, "content": {"contains": "{{ p.tag }}"}}}
    task = pin(noted(tmp_path, way))
    assert task.intents[0].recover[0].holds(opened(task).opening.world)


def asked(task: Task) -> PiSession:
    session = opened(task)
    play(session, ask("Which tag shall it have?"))
    assert session.statuses["i1"] == "inferred"
    return session


def test_asking_for_what_an_app_tells_is_needless(tmp_path: Path) -> None:
    assert asked(pin(noted(tmp_path / "a"))).needless == {"i1"}
    silent = noted(tmp_path / "b", note=NOTE | {"content": "No word of it."})
    assert asked(pin(silent)).needless == frozenset()


def test_what_counts_is_the_world_at_the_opening(tmp_path: Path) -> None:
    session = opened(pin(noted(tmp_path)))
    notes = session.world.apps["simple_note"].table("notes").delete(41)
    session.world.put_app("simple_note", session.world.apps["simple_note"].put("notes", notes))
    play(session, ask("Which tag shall it have?"))
    assert session.needless == {"i1"}


def recovery(pack: Pack) -> Sheet:
    sheet = Sheet("recovery", 0)
    check_recovery(make_case(pack, "01-pin", 0), sheet)
    return sheet


def faults(sheet: Sheet) -> str:
    return " | ".join(finding.reason for finding in sheet.findings if finding.level == "failure")


def test_validation_proves_that_the_app_tells_it(tmp_path: Path) -> None:
    assert faults(recovery(load_pack(noted(tmp_path / "a")))) == ""
    wrong = noted(tmp_path / "b", note=NOTE | {"content": "All notes on hours are tagged nothing."})
    assert "simple_note.notes.content does not match" in faults(recovery(load_pack(wrong)))
    absent = noted(tmp_path / "c", note=NOTE | {"title": "Another"})
    assert "simple_note.notes.content has no row as asked" in faults(recovery(load_pack(absent)))


def test_an_unknown_time_zone_of_the_persona_is_refused(tmp_path: Path) -> None:
    folder = copy_pack(PROTOCOL, tmp_path / "protocol")
    edit_yaml(folder / "persona.yaml", lambda raw: raw.update(timezone="Europe/Berln"))
    with pytest.raises(PackError, match=r"persona\.yaml: timezone: .*'Europe/Berlin'"):
        load_pack(folder)
