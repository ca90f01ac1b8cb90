"""A broken pack fails loudly, names file and field, and breaks no other."""

from __future__ import annotations

import gc
import pickle
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.apps import NOTES
from support.packs import PROTOCOL, TINY, copy_pack, edit_yaml, read_whole

from pi_gym.errors import PackError, UnknownName
from pi_gym.packs import Pack, load_pack
from pi_gym.schema import check_model
from pi_gym.schema.task_sheet import TaskSpec

ONE = "tasks/01-three/task.yaml"
ASKED = "tasks/01-three/questions.yaml"
LAST = "tasks/04-last/task.yaml"
LIST = "tasks/01-list/task.yaml"
MEMO = "tasks/02-memo/task.yaml"
PING = "tasks/03-ping/task.yaml"


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


def declined_reply(raw: Any) -> None:
    """An edit that has a wish of what is said declined."""
    raw["results"]["said"] = {"reply": True, "as": "reply"}
    raw["wishes"][3] |= {"holds": {"said": {"names": "spare"}}, "undrawn": "No.", "declines": True}


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


WISH = ("wishes", 0)
OUT = ("results", "out")
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
    (ONE, setting(*WISH, "holds", to={"out": 3}), "wishes[0].holds.out", "a mapping of names"),
    (ONE, setting(*WISH, "holds", to={"out": ["columns", {"cells": 1}]}), "wishes[0].holds.out", "a list of names"),
    (ONE, setting("draw", to={"min": 4, "max": 3}), "draw", "above max"),
    (ONE, setting("draw", to={"min": 3, "max": 4}), "", "at least two larger"),
    (ONE, setting("draw", to={"min": 2, "max": 3}), "", "always drawn"),
    (ONE, setting("draw", to={"min": 0, "max": 3}), "draw.min", "greater"),
    (ONE, setting(*WISH, "name", to="size"), "", "'size' stands twice"),
    (ONE, setting(*WISH, "name", to="Colour"), "wishes[0].name", "pattern"),
    (ONE, without(*WISH, "name"), "wishes[0]", "expected name, or use: a lasting wish"),
    (ONE, without(*WISH, "wish"), "wishes[0]", "expected wish (a sentence) and says"),
    (ONE, without(*WISH, "says"), "wishes[0]", "expected wish (a sentence) and says"),
    (ONE, without(*WISH, "holds"), "wishes[0].holds", "required"),
    (ONE, setting(*WISH, "holds", to={}), "wishes[0]", "holds: expected a result, check or predicate"),
    (ONE, setting(*WISH, "use", to="tone"), "wishes[0].use", "Unknown lasting wish 'tone'"),
    (ONE, setting(*WISH, "tags", to=["hard"]), "wishes[0].tags[0]", "'far'"),
    (ONE, setting(*WISH, "told", to={"file": "shape.txt"}), "wishes[0].told[0].sentence", "required"),
    (ONE, setting(*WISH, "told", to={"sentence": "x"}), "wishes[0].told[0]", "expected either file or app"),
    (ONE, setting(*WISH, "told_in", to="01-three"), "wishes[0]", "told_in needs use"),
    (ONE, setting(*WISH, "values", to=["blue"]), "wishes[0].values", "dictionary"),
    (ONE, setting(*WISH, "holds", to={"uot": "names"}), "", "colour: holds: Unknown result 'uot'. Did you mean 'out'"),
    (ONE, setting(*WISH, "holds", to={"out": "nmaes"}), "wishes[0].holds.out.nmaes", "Did you mean 'names'"),
    (ONE, setting(*WISH, "holds", to={"out": {"number": "many"}}), "wishes[0].holds.out.number", "number"),
    (ONE, setting(*WISH, "holds", to={"out": "names"}), "wishes[0].holds.out.names", "names needs an argument here"),
    (ONE, setting(*WISH, "holds", to={"out": {"numbers": {"off": 1}}}), "wishes[0].holds.out.numbers", "'off'"),
    (ONE, setting(*WISH, "holds", to={"out": {"numbers": ["Price"]}}), "wishes[0].holds.out.numbers", "takes no names"),
    (ONE, setting(*WISH, "holds", to={"out": {"names": "{{ p.x }}"}}), "wishes[0].holds.out.names", "x"),
    (ONE, setting(*WISH, "holds", to={"check": "it"}), "wishes[0].holds.check", "check_it"),
    (ONE, setting(*WISH, "holds", to={"predicate": {"fiel": "x"}}), "wishes[0].holds.predicate", "fiel"),
    (ONE, setting(*WISH, "asked", to=["Which colour?"]), "wishes[0].asked", "not permitted"),
    (ONE, setting("results", to={"Out": {"reply": True, "as": "reply"}}), "results.Out", "pattern"),
    (ONE, setting(*OUT, "as", to="prose"), "results.out.as", "'table'"),
    (ONE, setting(*OUT, "as", to="reply"), "results.out", "new_file cannot be read as reply"),
    (ONE, setting(*OUT, "file", to="shape.txt"), "results.out", "expected exactly one of file, new_file"),
    (ONE, without(*OUT, "new_file"), "results.out", "got none"),
    (ONE, setting(*OUT, "sound", to={"nmaes": "x"}), "results.out.sound.nmaes", "Did you mean 'names'"),
    (ONE, setting(*OUT, "template", to="right/none.j2"), "", "none.j2"),
    (
        ONE,
        setting("results", "more", to={"new_file": "{{ 'out.txt' }}", "as": "text"}),
        "results.more",
        "out.txt is the place of out too",
    ),
    (
        ONE,
        setting("results", "check", to={"reply": True, "as": "reply"}),
        "",
        "'check' is what else can stand in holds",
    ),
    (ONE, setting("answers", to=[{"topic": "pen", "says": "Yes."}]), "pen", "cannot be asked for"),
    (ONE, setting("questions", to={"budget": 0, "told": "a.md"}), "questions.budget", "greater"),
    (ONE, setting("may_change", to=[{"file": "shape.txt"}]), "may_change[0]", "keeps"),
    (ONE, setting("may_change", to=[{"simple_note": 7}]), "may_change", "expected a mapping"),
    (ASKED, setting("colour", to={"groups": []}), "colour.any[0].groups", "list of lists"),
    (ASKED, setting("colour", to={"group": [["a"]]}), "colour.group", "not permitted"),
    (ASKED, setting("colour", to=[["a"]]), "colour", "dictionary"),
    (ASKED, setting("colour", to={"asked": ["Which colour?"]}), "colour", "expected `groups`, `any` or `like`"),
    (ASKED, setting("colour", to={"like": "hues"}), "colour.like", "entry to be like 'hues'"),
    (ASKED, setting("colour", to={"groups": [["a"]], "any": []}), "colour", "exclude each other"),
    (ASKED, setting("colour", to={"groups": [["{{ p.x }}"]]}), "colour.any[0].groups[0][0]", "x"),
    (ASKED, setting("hue", to={"groups": [["a"]]}), "hue", "wish 'hue'"),
    (ASKED, without("colour"), "colour", "wish 'colour' cannot be asked for"),
    (ONE, setting(*WISH, "after", to={"fiel": "x"}), "wishes[0].after", "fiel"),
    (ONE, setting(*WISH, "before", to={"fiel": "x"}), "wishes[0].before", "fiel"),
    (ONE, setting(*WISH, "says", to="{{ colour }}"), "wishes[0].says", "colour"),
    (ONE, setting(*WISH, "wish", to="{{ colour }}"), "wishes[0].wish", "colour"),
    (ONE, setting(*WISH, "corrects", to="{{ colour }}"), "wishes[0].corrects", "colour"),
    (ONE, setting("wishes", 3, "undrawn", to="{{ colour }}"), "wishes[3].undrawn", "colour"),
    (ONE, setting(*WISH, "declines", to=True), "wishes[0]", "declines needs undrawn"),
    (ONE, setting("wishes", 3, "declines", to=True), "wishes[3]", "declines needs undrawn"),
    (ONE, declined_reply, "", "spare: declines: what was said to the user before cannot be unsaid"),
    (ONE, setting("wishes", to=[]), "wishes", "at least 1"),
    (ONE, without("wishes"), "wishes", "required"),
    (ONE, setting("checklist", 0, "name", to="colour"), "", "the item 'colour' stands twice"),
    (ONE, setting("checklist", 0, "name", to="out-sound"), "", "the item 'out-sound' stands twice"),
    (ONE, setting("checklist", 0, "name", to="nothing-else"), "", "the item 'nothing-else' stands twice"),
    (ONE, setting("checklist", 0, "requires", to="finished"), "", "requires: Unknown item 'finished'"),
    (ONE, setting("checklist", 0, "requires", to="spare"), "checklist.sent.requires", "no item 'spare' in this draw"),
    (ONE, setting("checklist", 0, "for", to=["hue"]), "", "for: Unknown wish 'hue'"),
    (ONE, setting("checklist", 0, "holds", to={}), "checklist[0].holds", "at least 1"),
    (ONE, setting("checklist", 0, "holds", to={"uot": "names"}), "", "sent: holds: Unknown result 'uot'"),
    (ONE, setting("checklist", 0, "holds", to={"check": "it"}), "checklist[0].holds.check", "check_it"),
    (ONE, setting("checklist", 0, "holds", to={"predicate": {"test": 1}}), "checklist[0].holds.predicate", "test"),
    (ONE, setting("checklist", 0, "criterion", to="{{ p.x }}"), "checklist[0].criterion", "x"),
    (ONE, setting("trigger", to={"type": "event"}), "trigger", "source and event"),
    (ONE, setting("trigger", to={"type": "heartbeat", "source": "x"}), "trigger", "belong to"),
    (ONE, setting("trigger", to={"type": "alarm"}), "trigger.type", "heartbeat"),
    (ONE, setting("needs", to=["network"]), "needs[0]", "exec"),
    (ONE, setting("params", to={"n": {"choices": [1]}}), "params.n.choices", "at least 2"),
    (ONE, setting("solution", 0, to={"when": True}), "solution[0]", "expected exactly one of read, write, ask"),
    (ONE, setting("solution", 0, to={"calls": [], "reply": "x"}), "solution[0]", "got calls, reply"),
    (ONE, setting("solution", 0, to={"calls": [{"path": "x"}]}), "solution[0]", "every call needs a tool"),
    (ONE, setting("solution", 0, to={"calls": [{"tool": "grep", "each": 7}]}), "solution[0]", "each: expected"),
    (
        ONE,
        setting("solution", 0, to={"calls": [{"tool": "grep", "each": "{{ 'abc' }}"}]}),
        "solution[0].calls.each",
        "expected arguments by name",
    ),
    (ONE, setting("solution", 0, to={"log_in": ["gmale"]}), "solution[0].log_in", "Unknown account 'gmale'"),
    (ONE, setting("solution", 1, to={"write": ["uot"]}), "", "solution[1].write: Unknown result 'uot'"),
    (ONE, setting("solution", 2, to={"reply": "{{ right.x }}"}), "solution[2].reply", "x"),
    (ONE, setting("solution", 2, to={"reply": "{{ drawn('hue') }}"}), "solution[2].reply", "hue"),
    (ONE, setting("solution", 2, to={"reply": "x", "when": "yes"}), "solution[2].when", "true or false"),
    (ONE, setting("skills", to=["none"]), "", "no such skill"),
]


@pytest.mark.parametrize(
    ("file", "change", "field", "says"), BROKEN, ids=[f"{b[0].split('/')[-1]}-{b[2]}-{b[3]}" for b in BROKEN]
)
def test_a_wrong_value_is_refused_with_file_and_field(
    tmp_path: Path, file: str, change: Callable[[Any], None], field: str, says: str
) -> None:
    folder = copy_pack(PROTOCOL, tmp_path / "broken")
    edit_yaml(folder / file, change)
    expected = {"no such skill": "skills/none/SKILL.md", "cannot be asked for": ASKED}.get(says, file)
    refuse(folder, expected, field, says)


@pytest.mark.parametrize("name", ["right", "wishes"])
def test_a_file_of_the_world_sees_nothing_of_what_is_right(tmp_path: Path, name: str) -> None:
    folder = copy_pack(PROTOCOL, tmp_path / "broken")
    leak = folder / "tasks" / "01-three" / "files" / "leak.txt.j2"
    leak.parent.mkdir(exist_ok=True)
    leak.write_text(f"{{{{ {name} }}}}")
    refuse(folder, "tasks/01-three/files/leak.txt.j2", "", f"'{name}' is undefined")


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


CASE = "wishes/case.yaml"
TINY_BROKEN: list[tuple[str, Callable[[Any], None], str, str]] = [
    (CASE, without("first"), "first", "required"),
    (CASE, setting("choices", to={"upper": "upper"}), "choices", "at least 2"),
    (CASE, setting("says", to="x"), "says", "not permitted"),
    (MEMO, setting(*WISH, "told_in", to="02-memo"), "wishes[0].told_in", "not a session before '02-memo'"),
    (
        MEMO,
        setting("wishes", 2, "told_in", to="01-list"),
        "wishes[2].told_in",
        "a wish of 01-list that is always drawn",
    ),
    (LIST, setting(*WISH, "told_in", to="03-ping"), "wishes[0].told_in", "not a session before"),
    (LIST, setting("holdout", to=True), "wishes[0].told_in", "01-list is holdout and 02-memo is not"),
    (MEMO, setting(*WISH, "values", to={"upper": "x"}), "wishes[0]", "the values stand in wishes/case.yaml"),
    (MEMO, setting("solution", 0, "calls", 0, "pattern", to={"template": "no.j2"}), "", "no.j2"),
    (LIST, setting("params", to={"top": {"range": [2, "many"]}}), "params.top.range", "integer"),
    (LIST, setting("params", to={"top": {"value": 2}}), "params.top", "a wish of that name has values"),
    (
        LIST,
        setting("results", "seeds", "things", to=["kale"]),
        "results.seeds.things",
        "expected a mapping of keys to names",
    ),
    (LIST, setting("results", "seeds", "things", to={"kale": []}), "results.seeds.things.kale", "expected names"),
    (LIST, setting("results", "seeds", "sound", to={"holds": {"lest": 1}}), "results.seeds.sound.holds", "'lest'"),
    (PING, setting("solution", 1, to={"do": "order"}), "order", "no such function"),
    (PING, setting("wishes", 0, "told", to={"file": "{{ p.x }}", "sentence": "x"}), "wishes[0].told[0].file", "x"),
]


@pytest.mark.parametrize(("file", "change", "field", "says"), TINY_BROKEN, ids=[b[2] + b[3] for b in TINY_BROKEN])
def test_what_does_not_fit_the_persona_or_another_session_is_refused(
    tmp_path: Path, file: str, change: Callable[[Any], None], field: str, says: str
) -> None:
    folder = copy_pack(TINY, tmp_path / "broken")
    edit_yaml(folder / file, change)
    in_memo = {"is holdout and": MEMO, "no such function": "tasks/03-ping/right.py"}
    refuse(folder, next((other for part, other in in_memo.items() if part in says), file), field, says)


RIGHT = "tasks/01-list/right.py"


@pytest.mark.parametrize(
    ("made", "says"),
    [
        ("{'seeds': 7}", "seeds: expected a text, got int"),
        ("{'seeds': Change(append='x')}", "seeds: a Change needs a file that the task brings"),
        ("{'seeds': 1 / 0}", "right() raised ZeroDivisionError"),
        ("{'seeds': wishes.sise}", "sise"),
        ("None", "expected a mapping, got NoneType"),
    ],
)
def test_what_right_gives_is_refused_where_it_is_no_content(tmp_path: Path, made: str, says: str) -> None:
    folder = copy_pack(TINY, tmp_path / "broken")
    code = (folder / RIGHT).read_text().split("def right")[0].replace("import Stream", "import Change, Stream")
    (folder / RIGHT).write_text(f"{code}def right(world, wishes):\n    return {made}\n")
    edit_yaml(folder / LIST, lambda raw: raw.update(checklist=[]))
    error = refuse(folder, RIGHT, "right", says)
    assert "variant 0" in error.reason


ROWS = "tasks/01-pin/right.py"


@pytest.mark.parametrize(
    ("made", "says"),
    [
        ("[{'title': 'x'}]", "note: row 1 has no 'account', by which its rows are told apart"),
        ("'x'", "note: expected rows, each a mapping, got str"),
        ("['x']", "note: expected rows, each a mapping, got str"),
    ],
)
def test_what_right_gives_is_refused_where_it_is_no_rows(tmp_path: Path, made: str, says: str) -> None:
    folder = copy_pack(NOTES, tmp_path / "broken")
    (folder / ROWS).write_text(f"def right(world, wishes):\n    return {{'note': {made}}}\n")
    refuse(folder, ROWS, "right", says)


@given(st.dictionaries(st.text("abc-_ ", min_size=1, max_size=4), st.none() | st.integers() | st.text(max_size=3)))
def test_any_mapping_is_a_task_or_a_named_fault(raw: dict[str, Any]) -> None:
    whole = yaml.safe_load((PROTOCOL / ONE).read_text())
    for part in (whole, whole["wishes"][0], whole["results"]["out"]):
        kept = dict(part)
        part.update(raw)
        with pytest.raises(PackError) if raw else nullcontext() as caught:
            check_model(TaskSpec, whole, ONE)
        if caught is not None:
            assert caught.value.file == ONE
            assert caught.value.reason
        part.clear()
        part.update(kept)


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
