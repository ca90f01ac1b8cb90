"""Apps in packs: seed files and rows of tasks that are wrong are refused, with file and field."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.apps import NOTES
from support.packs import copy_pack, edit_yaml

from pi_gym.caches import BoundedCache
from pi_gym.errors import PackError, StateMismatch
from pi_gym.packs import Pack, formats, load_pack
from pi_gym.pibench.history import start_world
from pi_gym.pibench.opening import open_task
from pi_gym.proof.coherence import check_coherence

TASK = "tasks/01-pin/task.yaml"
SEEDS = "apps/simple_note.json"


ROWS = "tasks/01-pin/apps/simple_note.yaml"


@pytest.mark.parametrize(
    ("tools", "says"),
    [
        (["simple_note__serach_notes"], "Did you mean 'simple_note__search_notes'"),
        (["simple_notes__*"], "Did you mean 'simple_note'"),
    ],
)
def test_wrong_tools_of_a_task_are_refused(tmp_path: Path, tools: list[str], says: str) -> None:
    folder = copy_pack(NOTES, tmp_path / "notes")
    edit_yaml(folder / TASK, lambda raw: raw.update(tools=tools))
    with pytest.raises(PackError, match=says) as caught:
        load_pack(folder).instantiate("01-pin")
    assert (caught.value.file, caught.value.field) == (TASK, "tools")


def rows(*listed: Any) -> dict[str, Any]:
    return {"notes": list(listed)}


BROKEN: list[tuple[Any, str, str]] = [
    ({"note": []}, "note", "Did you mean 'notes'"),
    ({"signed_in": []}, "signed_in", "Unknown table"),
    ([], "", "expected a mapping at the top"),
    ({"notes": {"id": 2}}, "notes", "expected a list of rows, got dict"),
    (rows("x"), "notes[0]", "expected a mapping"),
    (rows({"title": "x"}), "notes[0].id", "got None"),
    (rows({"id": 100_000, "title": "x"}), "notes[0].id", "from 1 to 99999"),
    (rows({"id": True, "title": "x"}), "notes[0].id", "got True"),
    (rows({"id": 2, "title": "x"}, {"id": 2}), "notes[1].id", "stands twice"),
    (rows({"id": 2, "titel": "x"}), "notes[0]", "Did you mean 'title'"),
    (rows({"id": 2, "pinned": "yes"}), "notes[0]", "expected true or false, got the string 'yes'"),
    (rows({"id": 50, "content": "x"}), "notes[0]", "column 'title' is missing"),
    (rows({"id": 2, "title": "{{ p.nothing }}"}), "notes[0].title", "nothing"),
]


@pytest.mark.parametrize(("content", "field", "says"), BROKEN)
def test_wrong_rows_of_a_task_are_refused_with_the_file_of_the_app(
    tmp_path: Path, content: Any, field: str, says: str
) -> None:
    folder = copy_pack(NOTES, tmp_path / "notes")
    (folder / ROWS).write_text(json.dumps(content))
    with pytest.raises(PackError) as caught:
        load_pack(folder).instantiate("01-pin")
    assert (caught.value.file, caught.value.field) == (ROWS, field)
    assert says in caught.value.reason


@pytest.mark.parametrize("look", [check_coherence, lambda pack: pack.instantiate("01-pin")])
def test_rows_of_no_app_are_refused_with_their_file(tmp_path: Path, look: Callable[[Pack], object]) -> None:
    folder = copy_pack(NOTES, tmp_path / "notes")
    (folder / ROWS).rename((folder / ROWS).with_name("simple_notes.yaml"))
    with pytest.raises(PackError, match="Did you mean 'simple_note'") as caught:
        look(load_pack(folder))
    assert caught.value.file == "tasks/01-pin/apps/simple_notes.yaml"


ATOM: dict[str, Any] = {"app": "simple_note", "table": "notes", "state": "created"}


def own(predicate: Any) -> Callable[[Any], object]:
    """An edit that gives the task an item with a predicate."""
    item = {"name": "own", "criterion": "As asked.", "holds": {"predicate": predicate}}
    return lambda raw: raw.update(checklist=[item])


OWN = "checklist[0].holds.predicate"
ODD_ATOMS: list[tuple[Callable[[Any], object], str, str]] = [
    (own(ATOM | {"app": "simple_notes"}), f"{OWN}.app", "Did you mean 'simple_note'"),
    (own(ATOM | {"table": "nots"}), f"{OWN}.table", "Did you mean 'notes'"),
    (own(ATOM | {"where": {"titel": "x"}}), f"{OWN}.where.titel", "Did you mean 'title'"),
    (own([ATOM, ATOM | {"table": "note"}]), f"{OWN}[1].table", "Did you mean 'notes'"),
    (
        own({"app_changes": {"only": {"gmial": {"emails": ["created"]}}}}),
        f"{OWN}.app_changes.only.gmial",
        "Did you mean 'gmail'",
    ),
    (lambda raw: raw["results"]["note"]["rows"].update(app="simple_notes"), "results.note.rows.app", "'simple_note'"),
    (lambda raw: raw["results"]["note"]["rows"].update(table="nots"), "results.note.rows.table", "'notes'"),
    (
        lambda raw: raw["results"]["note"]["rows"].update(where={"titel": "x"}),
        "results.note.rows.where.titel",
        "'title'",
    ),
    (
        lambda raw: raw["results"]["note"]["sound"].update(each={"pind": True}),
        "results.note.sound.each.pind",
        "'pinned'",
    ),
    (
        lambda raw: raw.update(may_change=[{"simple_note": {"note": ["created"]}}]),
        "may_change.app_changes.only.simple_note.note",
        "'notes'",
    ),
]


@pytest.mark.parametrize(("change", "field", "says"), ODD_ATOMS, ids=[one[1] for one in ODD_ATOMS])
def test_what_names_no_app_table_or_column_is_refused_by_validation(
    tmp_path: Path, change: Callable[[Any], object], field: str, says: str
) -> None:
    folder = copy_pack(NOTES, tmp_path / "notes")
    edit_yaml(folder / TASK, change)
    with pytest.raises(PackError) as caught:
        check_coherence(load_pack(folder))
    assert (caught.value.file, caught.value.field) == (TASK, field)
    assert says in caught.value.reason


def test_general_tools_may_be_of_an_app(tmp_path: Path) -> None:
    folder = copy_pack(NOTES, tmp_path / "notes")
    edit_yaml(folder / "pack.yaml", lambda raw: raw.update(general_tools=["read_file", "file_system__*"]))
    pack = load_pack(folder)
    task = pack.instantiate("02-tidy")
    assert "file_system__copy_file" in open_task(task, start_world(pack, task, "none"), "task").registry.names
    folder = copy_pack(NOTES, tmp_path / "other")
    edit_yaml(folder / "pack.yaml", lambda raw: raw.update(general_tools=["file_system__copy"]))
    with pytest.raises(PackError, match="general_tools"):
        load_pack(folder).instantiate("02-tidy")


Change = Callable[[dict[str, Any]], object]
BAD_SEEDS: list[tuple[Change | str, str, str]] = [
    ("{", "", "not JSON"),
    ("[]", "", "expected an object"),
    (lambda raw: raw.update(note=raw["notes"]), "note", "Did you mean 'notes'"),
    (lambda raw: raw.update(signed_in=raw["notes"]), "signed_in", "Unknown table"),
    (lambda raw: raw.update(notes=[1]), "notes", "expected"),
    (lambda raw: raw["notes"]["columns"].pop(0), "notes", "expected"),
    (lambda raw: raw["notes"]["rows"][1].pop(), "notes.rows[1]", "6 values"),
    (lambda raw: raw["notes"]["rows"][1].__setitem__(0, 1), "notes.rows[1]", "not taken, got 1"),
    (lambda raw: raw["notes"]["rows"][1].__setitem__(0, "2"), "notes.rows[1]", "got '2'"),
    (lambda raw: raw["notes"]["rows"][1].__setitem__(2, 7), "notes.rows[1]", "column 'title'"),
    (lambda raw: raw["notes"]["columns"].__setitem__(2, "titel"), "notes.rows[0]", "Did you mean 'title'"),
]


@pytest.mark.parametrize(("change", "field", "says"), BAD_SEEDS)
def test_a_wrong_seed_file_is_refused_when_it_is_read(
    tmp_path: Path, change: Change | str, field: str, says: str
) -> None:
    folder = copy_pack(NOTES, tmp_path / "notes")
    raw = json.loads((folder / SEEDS).read_text())
    if isinstance(change, str):
        text = change
    else:
        change(raw)
        text = json.dumps(raw)
    (folder / SEEDS).write_text(text)
    pack = load_pack(folder)
    with pytest.raises(PackError) as caught:
        pack.app_seeds.rows("simple_note")
    assert (caught.value.file, caught.value.field) == (SEEDS, field)
    assert says in caught.value.reason


def test_a_seed_file_of_no_app_is_refused_at_load(tmp_path: Path) -> None:
    folder = copy_pack(NOTES, tmp_path / "notes")
    (folder / "apps" / "simple_notes.json").write_text("{}")
    with pytest.raises(PackError, match="Did you mean 'simple_note'"):
        load_pack(folder)


def test_what_all_personas_share_lies_beside_the_packs(tmp_path: Path) -> None:
    folder = copy_pack(NOTES, tmp_path / "notes")
    shared = tmp_path / "_shared" / "apps"
    before = load_pack(copy_pack(NOTES, tmp_path / "apart" / "notes")).content_hash
    (shared / "simple_note.json").write_text('{"notes": {"columns": ["id", "title"], "rows": [[900, "For all"]]}}')
    pack = load_pack(folder)
    notes = pack.app_seeds.rows("simple_note")["notes"]
    assert list(notes) == [1, 2, 3, 4, 5, 900]
    assert pack.content_hash != before, "a shared seed world is part of what a record refers to"
    (shared / "simple_note.json").write_text('{"notes": {"columns": ["id", "title"], "rows": [[5, "Taken"]]}}')
    with pytest.raises(PackError, match="not taken"):
        load_pack(copy_pack(NOTES, tmp_path / "again")).app_seeds.rows("simple_note")


def test_seeds_are_read_at_the_first_look_and_shared(tmp_path: Path) -> None:
    folder = copy_pack(NOTES, tmp_path / "notes")
    file = folder / "apps" / "file_system.json"
    file.write_text("broken: nobody looks at it")
    pack = load_pack(folder)
    task = pack.instantiate("02-tidy")
    database = pack.app_seeds.database("file_system")
    assert database is pack.app_seeds.database("file_system")
    session_world = open_task(task, start_world(pack, task, "none"), "all").world
    assert session_world.apps["file_system"] is database
    with pytest.raises(PackError, match="not JSON"):
        list(database.table("accounts").rows())
    file.write_text("{}")  # what is read must be what the pack was loaded with, and what its hash is of
    with pytest.raises(StateMismatch, match="file_system"):
        list(database.table("accounts").rows())


def test_a_pickle_refuses_seeds_of_another_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = copy_pack(NOTES, tmp_path / "notes")
    base = load_pack(folder).app_seeds.database("simple_note").table("notes").base
    data = pickle.dumps(base)
    assert pickle.loads(data) is base
    assert len(data) < 400
    (folder / SEEDS).write_text((folder / SEEDS).read_text().replace("Forty", "Fifty"))
    monkeypatch.setattr(formats, "_packs", BoundedCache(8))
    with pytest.raises(StateMismatch):
        pickle.loads(data)
