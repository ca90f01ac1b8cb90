"""A broken pack fails loudly, names file and field, and breaks no other."""

from __future__ import annotations

import gc
import pickle
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from support.packs import PROTOCOL, TINY, copy_pack, edit_yaml, read_whole

from pi_gym.errors import PackError, UnknownName
from pi_gym.packs import Pack, load_pack

ONE = "tasks/01-three/task.yaml"
ASKED = "tasks/01-three/questions.yaml"
LAST = "tasks/04-last/task.yaml"
LIST = "tasks/01-list/task.yaml"
MEMO = "tasks/02-memo/task.yaml"


def setting(*path: str | int, to: Any) -> Callable[[Any], None]:
    """An edit that sets one value."""

    def change(raw: Any) -> None:
        for part in path[:-1]:
            raw = raw[part]
        raw[path[-1]] = to

    return change


def without(*path: str | int) -> Callable[[Any], None]:
    """An edit that removes one value."""

    def change(raw: Any) -> None:
        for part in path[:-1]:
            raw = raw[part]
        del raw[path[-1]]

    return change


def refuse(folder: Path, file: str, field: str, says: str) -> PackError:
    """Read all of the pack; some of it has to fail as said."""
    with pytest.raises(PackError) as caught:
        read_whole(folder)
    error = caught.value
    assert error.file == file
    assert field in error.field
    assert says in error.reason
    assert str(error).startswith(file)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    return error


INTENT = ("intents", 0)
BROKEN: list[tuple[str, Callable[[Any], None], str, str]] = [
    # file, edit, field of the error, part of the reason
    ("pack.yaml", without("title"), "title", "required"),
    ("pack.yaml", setting("benchmark", to="perhaps"), "benchmark", "bool"),
    ("pack.yaml", setting("titel", to="x"), "titel", "not permitted"),
    ("persona.yaml", setting("preferences", "tone", to={"choices": ["one"]}), "preferences.tone.choices", "at least 2"),
    ("persona.yaml", setting("preferences", "tone", to={"range": [3, 1]}), "preferences.tone", "empty"),
    (
        "persona.yaml",
        setting("preferences", "tone", to={"range": [1, 2], "value": 1}),
        "preferences.tone",
        "exactly one",
    ),
    ("persona.yaml", setting("preferences", "tone", to={}), "preferences.tone", "exactly one"),
    ("persona.yaml", setting("preferences", "Tone", to={"value": 1}), "preferences.Tone", "pattern"),
    ("persona.yaml", setting("facts", to={"tone": 1}), "", "persona.tone is defined twice"),
    ("persona.yaml", setting("facts", to={"name": 1}), "", "persona.name is defined twice"),
    ("persona.yaml", setting("user", to="Ada Proto"), "user", "pattern"),
    ("persona.yaml", without("accounts", 0, "password"), "accounts[0].password", "required"),
    ("persona.yaml", setting("derived", to={"sign": "{{ persona.nobody }}"}), "derived.sign", "nobody"),
    ("persona.yaml", setting("derived", to={"sign": "{{ persona.name"}), "derived.sign", "template"),
    ("persona.yaml", setting("preferences", "tone", to={"date": ["soon", "later"]}), "tone", "ISO date"),
    ("persona.yaml", setting("preferences", "tone", to={"date": ["2026-03-02", "2026-03-01"]}), "tone", "empty"),
    ("episode.yaml", setting("sessions", to=[]), "sessions", "at least 1"),
    ("episode.yaml", setting("sessions", to=["01-three", "01-three"]), "sessions", "twice"),
    ("episode.yaml", setting("sessions", 3, to="05-none"), "sessions", "05-none"),
    ("episode.yaml", without("sessions", 3), "sessions", "04-last"),
    ("episode.yaml", setting("sessions", 0, to="three"), "sessions[0]", "pattern"),
    (ONE, without("request"), "request", "required"),
    (ONE, setting("requset", to="x"), "requset", "not permitted"),
    (ONE, setting("category", to="Z"), "category", "pattern"),
    (ONE, setting("time", to="noon"), "time", "ISO date and time"),
    (ONE, setting("time", to="{{ p.when }}"), "time", "when"),
    (ONE, setting("request", to="{{ world.nothing }}"), "request", "nothing"),
    (ONE, setting("request", to="{% if %}"), "request", "template"),
    (ONE, setting("draw", to={"min": 4, "max": 3}), "draw", "above max"),
    (ONE, setting("draw", to={"min": 3, "max": 4}), "", "at least two larger"),
    (ONE, setting("draw", to={"min": 2, "max": 3}), "", "always drawn"),
    (ONE, setting("draw", to={"min": 0, "max": 3}), "draw.min", "greater"),
    (ONE, setting(*INTENT, "name", to="size"), "", "'size' stands twice"),
    (ONE, setting(*INTENT, "name", to="Colour"), "intents[0].name", "pattern"),
    (ONE, setting(*INTENT, "scope", to="always"), "intents[0].scope", "session"),
    (ONE, setting(*INTENT, "values", to=["hue"]), "", "no parameter 'hue'"),
    (ONE, setting(*INTENT, "values", to=["persona.hue"]), "intents[0].values", "persona.hue"),
    (ONE, setting(*INTENT, "recover", to="file"), "intents[0].recover", "ask"),
    (ONE, setting(*INTENT, "recover", to={"file": "shape.txt"}), "intents[0].recover", "extract or shows"),
    (ONE, setting(*INTENT, "recover", to={"shows": "x"}), "intents[0].recover", "expected a file"),
    (ONE, setting(*INTENT, "recover", to={"session": "01-three", "shows": "x"}), "intents[0].recover", "go together"),
    (ONE, setting(*INTENT, "recover", to={"file": "shape.txt", "shows": "("}), "intents[0].recover[0].shows", "RE2"),
    (ONE, setting(*INTENT, "recover", to={"file": "a", "shows": "(?=x)"}), "intents[0].recover[0].shows", "RE2"),
    (ONE, setting(*INTENT, "satisfied_when", to={"fiel": "x"}), "intents[0].satisfied_when", "fiel"),
    (
        ONE,
        setting(*INTENT, "satisfied_when", to={"file": "{{ p.x }}", "exists": True}),
        "intents[0].satisfied_when",
        "x",
    ),
    (ONE, setting(*INTENT, "satisfied_when", to=None), "intents[0].satisfied_when", ""),
    (ONE, setting(*INTENT, "asked_when", to={"groups": [["a"]]}), "intents[0].asked_when", "not permitted"),
    (ASKED, setting("colour", to={"groups": []}), "colour.any[0].groups", "list of lists"),
    (ASKED, setting("colour", to={"group": [["a"]]}), "colour.group", "not permitted"),
    (ASKED, setting("colour", to=[["a"]]), "colour", "dictionary"),
    (ASKED, setting("colour", to={"asked": ["Which colour?"]}), "colour", "expected `groups`, `any` or `like`"),
    (ASKED, setting("colour", to={"like": "hues"}), "colour.like", "entry to be like 'hues'"),
    (ASKED, setting("colour", to={"groups": [["a"]], "any": []}), "colour", "exclude each other"),
    (ASKED, setting("colour", to={"groups": [["{{ p.x }}"]]}), "colour.any[0].groups[0][0]", "x"),
    (ASKED, setting("hue", to={"groups": [["a"]]}), "hue", "intent 'hue'"),
    (ASKED, without("colour"), "colour", "intent 'colour' cannot be asked for"),
    (ONE, setting(*INTENT, "after", to={"fiel": "x"}), "intents[0].after", "fiel"),
    (ONE, setting(*INTENT, "reveal", to="{{ colour }}"), "intents[0].reveal", "colour"),
    (ONE, without(*INTENT, "reveal"), "intents[0].reveal", "required"),
    (ONE, setting("intents", to=[]), "intents", "at least 1"),
    (ONE, setting("checklist", 0, "name", to="sent"), "", "'sent' stands twice"),
    (ONE, setting("checklist", 2, "requires", to="finished"), "", "no checklist item 'finished'"),
    (ONE, setting("checklist", 0, "for", to=["hue"]), "", "intent 'hue'"),
    (ONE, setting("checklist", 0, "for", to=["spare"]), "checklist[2].requires", "falls away"),
    (ONE, setting("checklist", 0, "check", to={"file": "x", "test": 1}), "checklist[0].check", "test"),
    (ONE, setting("checklist", 0, "check", to={"function": "check_it"}), "checklist[0].check", "check_it"),
    (ONE, setting("checklist", 0, "grader", to="human"), "checklist[0].grader", "rule"),
    (ONE, setting("checklist", 0, "evidence", to={"mail": ["x"]}), "checklist[0].evidence", "mail"),
    (ONE, setting("checklist", 0, "criterion", to="{{ p.x }}"), "checklist[0].criterion", "x"),
    (ONE, setting("trigger", to={"type": "event"}), "trigger", "source and event"),
    (ONE, setting("trigger", to={"type": "heartbeat", "source": "x"}), "trigger", "belong to"),
    (ONE, setting("trigger", to={"type": "alarm"}), "trigger.type", "heartbeat"),
    (ONE, setting("needs", to=["network"]), "needs[0]", "exec"),
    (ONE, setting("params", to={"n": {"choices": [1]}}), "params.n.choices", "at least 2"),
    (ONE, setting("reference", 0, to={"when": True}), "reference[0]", "calls or reply"),
    (ONE, setting("reference", 0, to={"calls": [{"path": "x"}]}), "reference[0]", "tool"),
    (ONE, setting("reference", 0, to={"calls": [], "reply": "x"}), "reference[0]", "calls or reply"),
    (ONE, setting("reference", 2, to={"reply": "{{ work.x }}"}), "reference[2].reply", "x"),
    (ONE, setting("reference", 2, to={"reply": "{{ drawn('hue') }}"}), "reference[2].reply", "hue"),
    (ONE, setting("reference", 2, to={"reply": "x", "when": "yes"}), "reference[2].when", "true or false"),
    (ONE, setting("skills", to=["none"]), "", "no such skill"),
    (LAST, setting(*INTENT, "recover", "session", to="04-last"), "intents[0].recover.session", "not a session before"),
    (LAST, setting(*INTENT, "recover", "session", to="03-event"), "intents[0].recover.intent", "always drawn"),
    (LAST, setting(*INTENT, "recover", "intent", to="spare"), "intents[0].recover.intent", "always drawn"),
    (
        LAST,
        setting(*INTENT, "recover", to={"session": "03-event", "intent": "letter", "shows": "x"}),
        "intents[0].recover.session",
        "holdout",
    ),
]


@pytest.mark.parametrize(
    ("file", "change", "field", "says"), BROKEN, ids=[f"{b[0].split('/')[-1]}-{b[2]}-{b[3]}" for b in BROKEN]
)
def test_a_wrong_value_is_refused_with_file_and_field(
    tmp_path: Path, file: str, change: Callable[[Any], None], field: str, says: str
) -> None:
    folder = copy_pack(PROTOCOL, tmp_path / "broken")
    edit_yaml(folder / file, change)
    expected = "skills/none/SKILL.md" if says == "no such skill" else file
    refuse(folder, expected, field, says)


@pytest.mark.parametrize(
    ("text", "field", "says"),
    [
        ("words", "", "front matter"),
        ("---\nname: mine\n---\nwords", "description", "expected a text"),
        ("---\nname: yours\ndescription: x\n---\nwords", "name", "the folder's, 'mine'"),
        ("---\nname: mine\ndescription: a: b\n---\nwords", "line 3", "mapping"),
    ],
)
def test_a_faulty_skill_is_refused_with_file_and_field(tmp_path: Path, text: str, field: str, says: str) -> None:
    folder = copy_pack(PROTOCOL, tmp_path / "broken")
    edit_yaml(folder / "pack.yaml", setting("skills", to=["mine"]))
    edit_yaml(folder / ONE, setting("skills", to=["mine"]))
    skill = folder / "skills" / "mine" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(text)
    refuse(folder, "skills/mine/SKILL.md", field, says)


TINY_BROKEN: list[tuple[str, Callable[[Any], None], str, str]] = [
    (
        MEMO,
        setting(*INTENT, "recover", "extract", to={"persona.case": "upper"}),
        "recover[0].extract.persona.case",
        "group",
    ),
    (
        MEMO,
        setting(*INTENT, "recover", "extract", to={"persona.case": "(upper"}),
        "recover[0].extract.persona.case",
        "RE2",
    ),
    (MEMO, setting(*INTENT, "recover", "extract", to={"other": "(a)"}), "recover[0].extract", "'other'"),
    (MEMO, setting("reference", 1, "calls", 0, "content", to={"template": "no.j2"}), "", "no.j2"),
    (LIST, setting("params", "top", to={"range": [2, "many"]}), "params.top.range", "integer"),
]


@pytest.mark.parametrize(("file", "change", "field", "says"), TINY_BROKEN, ids=[b[2] + b[3] for b in TINY_BROKEN])
def test_a_wrong_way_to_recover_is_refused(
    tmp_path: Path, file: str, change: Callable[[Any], None], field: str, says: str
) -> None:
    folder = copy_pack(TINY, tmp_path / "broken")
    edit_yaml(folder / file, change)
    refuse(folder, file, field, says)


@pytest.mark.parametrize("file", ["pack.yaml", "persona.yaml", "episode.yaml", ONE])
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: [1", "expected"),
        ("a: 1\na: 2\n", "twice"),
        ("- 1\n", "mapping"),
        ("", "mapping"),
        ("a: !!python/object:os.system {}\n", "constructor"),
        ("a: *nothing\n", "undefined alias"),
        ("\tb: 1", "token"),
    ],
)
def test_a_file_that_is_no_yaml_mapping_is_refused(tmp_path: Path, file: str, text: str, says: str) -> None:
    folder = copy_pack(PROTOCOL, tmp_path / "broken")
    (folder / file).write_text(text)
    refuse(folder, file, "line" if says in ("expected", "constructor", "token") else "", says)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    folder = copy_pack(PROTOCOL, tmp_path / "broken")
    (folder / ONE).write_bytes(b"title: \xff\n")
    refuse(folder, ONE, "", "cannot be read")


@pytest.mark.parametrize("file", ["persona.yaml", "episode.yaml"])
def test_a_missing_file_is_named(tmp_path: Path, file: str) -> None:
    folder = copy_pack(PROTOCOL, tmp_path / "broken")
    (folder / file).unlink()
    refuse(folder, file, "", "missing")


def test_a_folder_without_pack_yaml_is_no_pack(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"no pack\.yaml"):
        load_pack(tmp_path)


def test_several_faults_of_a_file_are_all_named(tmp_path: Path) -> None:
    folder = copy_pack(PROTOCOL, tmp_path / "broken")
    edit_yaml(folder / "pack.yaml", lambda raw: raw.update(one=1, two=2))
    refuse(folder, "pack.yaml", "one", "two: Extra inputs are not permitted")


def test_a_merge_key_is_no_duplicate() -> None:
    assert [intent.name for intent in load_pack(PROTOCOL).instantiate("02-beat").intents] == ["beat"]


# -- seed files ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.txt.j2", "{{ p.nothing }}", "nothing"),
        ("a.txt.j2", "{% for %}", "template"),
    ],
)
def test_a_broken_seed_file_is_named(tmp_path: Path, name: str, data: str, says: str) -> None:
    folder = copy_pack(PROTOCOL, tmp_path / "broken")
    path = folder / "tasks/01-three/files" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data)
    refuse(folder, f"tasks/01-three/files/{name}", "", says)


def test_a_symbolic_link_is_refused(tmp_path: Path) -> None:
    folder = copy_pack(PROTOCOL, tmp_path / "broken")
    (folder / "tasks/01-three/files").mkdir()
    (folder / "tasks/01-three/files/link.txt").symlink_to("/etc/hostname")
    refuse(folder, "tasks/01-three/files/link.txt", "", "symbolic link")


def test_one_broken_pack_breaks_no_other(tmp_path: Path) -> None:
    folder = copy_pack(PROTOCOL, tmp_path / "broken")
    (folder / "pack.yaml").write_text("title: 1\n")
    with pytest.raises(PackError):
        load_pack(folder)
    assert load_pack(PROTOCOL).task_ids


def test_an_error_does_not_stick_once_the_pack_is_mended(tmp_path: Path) -> None:
    folder = copy_pack(PROTOCOL, tmp_path / "mended")
    text = (folder / "pack.yaml").read_text()
    (folder / "pack.yaml").write_text("title: 1\n")
    with pytest.raises(PackError):
        load_pack(folder)
    (folder / "pack.yaml").write_text(text)
    assert isinstance(load_pack(folder), Pack)


def test_a_path_that_leads_nowhere_is_named_as_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"nowhere': there is no such folder"):
        load_pack(tmp_path / "nowhere")
    with pytest.raises(UnknownName, match=r"holds no pack\.yaml"):
        load_pack(tmp_path)


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("broken", [True, False])
def test_reading_a_pack_leaves_the_garbage_collector_as_it_was(tmp_path: Path, enabled: bool, broken: bool) -> None:
    folder = copy_pack(TINY, tmp_path / "tiny")
    if broken:
        (folder / "episode.yaml").unlink()
    was = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        with pytest.raises(PackError) if broken else nullcontext():
            load_pack(folder)
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was else gc.disable)()
