"""What authors need not write: messages are sent by `write`, helpers are checks by name, nothing stands for nothing."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from support.packs import PROTOCOL, copy_pack, edit_yaml

from pi_gym.authoring import send_calls
from pi_gym.errors import PackError
from pi_gym.packs import Pack, load_pack
from pi_gym.packs.task_world import TaskWorld
from pi_gym.packs.variants import make_variant
from pi_gym.results.content import Letter, Letters, ResultText
from pi_gym.results.place import RowsPlace, SentPlace, is_sent

PACKS = ("pharmacist", "researcher")
NOTES = Path(PROTOCOL).parent / "notes"


@cache
def pack(name: str) -> Pack:
    return load_pack(name)


TASKS = [(name, task) for name in PACKS for task in pack(name).task_ids]


def world_of(home: Pack, task: str, variant: int = 0) -> TaskWorld:
    source = home.source_of(task)
    made = make_variant(home, source, variant)
    return TaskWorld(source, made, made.values)


# -- messages ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [("pharmacist", "18-board-sheet"), ("researcher", "14-cabin-settling")])
@pytest.mark.parametrize("variant", range(4))
def test_what_is_right_to_be_sent_is_sent(place: tuple[str, str], variant: int) -> None:
    home = pack(place[0])
    world = world_of(home, place[1], variant)
    task = home.instantiate(place[1], variant)
    done = [call for _, step in task.solution for call in step.get("calls", ())]
    written = [name for step in world.sheet.solution for name in step.write or () if is_sent(world.places[name])]
    assert written
    for name in written:
        given = world.given(name, world.true) or ()
        for call in send_calls(*([given] if isinstance(given, dict) else given)):
            assert call in done


def test_rows_that_are_no_message_cannot_be_written(tmp_path: Path) -> None:
    folder = copy_pack(NOTES, tmp_path / "notes")
    edit_yaml(folder / "tasks/01-pin/task.yaml", lambda raw: raw.update(solution=[{"write": ["note"]}, {"reply": "."}]))
    with pytest.raises(PackError, match="note is no file and no message"):
        _ = load_pack(folder).instantiate("01-pin", 0).solution


class _Sent:
    """A session that sent mails to these people, each to some of them."""

    def __init__(self, *people: list[str]) -> None:
        self.apps = {"gmail": None}
        letters = tuple(Letter(tuple(to), ResultText("", "hello")) for to in people)
        self.found = _Always(Letters(letters))


class _Always(dict[Any, Any]):
    def __init__(self, found: Letters) -> None:
        super().__init__()
        self._found = found

    def get(self, key: Any, default: Any = None) -> Any:
        return self._found


@pytest.mark.parametrize(
    ("place", "people"),
    [
        (SentPlace(), [["ann@a.example"], ["ben@b.example", "Cleo@c.example"]]),
        (SentPlace(to=("ann@", "cleo")), [["ann@a.example"], ["ben@b.example", "Cleo@c.example"]]),
        (SentPlace(to=("cleo",)), [["ben@b.example", "Cleo@c.example"]]),
        (SentPlace(to=("cleo",), but=frozenset(["ben@b.example"])), []),
        (SentPlace(but=frozenset(["ann@a.example"])), [["ben@b.example", "Cleo@c.example"]]),
    ],
)
def test_messages_are_chosen_by_whom_they_go_to(place: SentPlace, people: list[list[str]]) -> None:
    evidence: Any = _Sent(["ann@a.example"], ["ben@b.example", "Cleo@c.example"])
    found = place.find(evidence)
    assert ([list(one.to) for one in found.each] if isinstance(found, Letters) else []) == people


@pytest.mark.parametrize(
    ("place", "sends"),
    [
        (RowsPlace("gmail", "emails", (), "created", letters=True), True),
        (RowsPlace("gmail", "drafts", (), "created", letters=True), False),
        (RowsPlace("phone", "messages", (), "deleted", letters=True), False),
        (RowsPlace("phone", "messages", (), "created"), False),
    ],
)
def test_new_mails_and_texts_are_what_a_session_sends(place: RowsPlace, sends: bool) -> None:
    assert is_sent(place) is sends


# -- checks ------------------------------------------------------------------------------------------------------------


def with_check(folder: Path, check: Any) -> Pack:
    copy_pack(PROTOCOL, folder / "protocol")
    task = folder / "protocol" / "tasks" / "01-three"
    edit_yaml(task / "task.yaml", lambda raw: raw["checklist"][0].update(holds={"check": check}))
    return load_pack(folder / "protocol")


@pytest.mark.parametrize(("reply", "holds"), [("The tips stop.", True), ("Nothing stops.", False)])
def test_a_helper_is_a_check_by_its_name(tmp_path: Path, reply: str, holds: bool) -> None:
    item = with_check(tmp_path, {"messages.told": {"words": "tip"}}).instantiate("01-three", 0).checklist[-2]
    evidence: Any = SimpleNamespace(replies=[reply], rules={})
    assert item.check is not None
    assert item.check.root.test(evidence).holds is holds


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ("messages.tolld", "tolld"),
        ("messages._parts", "_parts"),
        ("messages.amounts_in", "amounts_in"),
        ("fixed.told", "fixed"),
        ("telling.belief", "belief"),
        ({"logs.note_call": {"text": "x"}}, "note_call"),
        ("messages.sent_messages", "sent_messages"),
        ({"messages.told": {"word": "tip"}}, "cannot be called with these arguments"),
    ],
)
def test_what_is_no_helper_is_no_check(tmp_path: Path, check: Any, said: str) -> None:
    with pytest.raises(PackError, match=said):
        _ = [item.check for item in with_check(tmp_path, check).instantiate("01-three", 0).checklist]


# -- what stands for nothing -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "task"), TASKS)
def test_no_way_is_one_that_is_proved_without_it(name: str, task: str) -> None:
    file = pack(name).source_of(task).folder / "ways.yaml"
    for what, way in (yaml.safe_load(file.read_text(encoding="utf-8")) or {}).items():
        taken = list(way.get("believing", ()))
        proved = set(way) <= {"when", "believing", "misses"} and len(taken) == 1 and way["misses"] == taken
        # In part of the worlds only: what another value does there may be worth a look.
        assert not proved or isinstance(way.get("when"), dict), f"{what}: who takes one wish for another misses it"


@pytest.mark.parametrize(("name", "task"), TASKS)
def test_each_fact_of_a_world_is_read(name: str, task: str) -> None:
    source = pack(name).source_of(task)
    taken = [source.folder.parent.parent / "files" / path for path in source.spec.files]
    files = [path for path in source.folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    files += [path for one in taken for path in (one, one.with_name(f"{one.name}.j2")) if path.is_file()]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    for fact in {*world_of(pack(name), task).variant.world} - {"first_id", "shared"}:
        read = re.search(rf"\.{fact}\b|\[[\"']{fact}[\"']\]|[\"']{fact}[\"'][^:\n]*\)", text)
        assert read, f"world() gives {fact!r}, which nothing reads"
