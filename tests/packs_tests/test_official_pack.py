"""Packs in the official layout: what is read, what is put up with, what is refused."""

from __future__ import annotations

import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.official import GARDENER, gardener, official_copy
from support.packs import edit_yaml

from pi_gym.errors import PackError, RolesNeeded, UnknownName
from pi_gym.packs import load_pack, pack_world
from pi_gym.packs.official.sign_ins import SignIn, sign_ins
from pi_gym.predicates import Evidence
from pi_gym.questions import asking_clauses
from pi_gym.tools import EVERY

Change = Callable[[Any], object]


def changed(folder: Path, file: str, change: Change) -> Path:
    copy = Path(shutil.copytree(GARDENER, folder / "gardener"))
    edit_yaml(copy / file, change)
    return copy


def one(task: str) -> str:
    return f"tasks/gardener_task_{task}/task.yaml"


# -- what is read ----------------------------------------------------------------------------------------------------


def test_tasks_come_in_the_order_of_the_episode_with_their_groups() -> None:
    cards = [gardener().card(name) for name in gardener().task_ids]
    assert [card.id[-3:] for card in cards] == ["001", "002", "003", "004"]
    assert [card.group[-3:] for card in cards] == ["002", "002", "", ""]
    assert cards[1].depends_on == ("gardener_task_001",)
    assert [card.details["items"] for card in cards] == ["0", "3", "1", "2"]
    assert [card.graded for card in cards] == [False, True, True, True]
    assert [card.needs for card in cards] == [(), (), ("exec",), ()]


def test_a_task_has_its_intents_in_their_own_words_and_its_items_with_evidence() -> None:
    task = gardener().instantiate("gardener_task_002")
    assert [intent.id for intent in task.intents] == ["i1", "i2", "i3"]
    assert task.intents[1].text == task.intents[1].reveal == "Sort them by bed."
    assert [item.weight for item in task.checklist] == [3, 1, 1]
    assert task.checklist[0].evidence == {"files": ("labels.md",)}
    assert not any(part.by_rule for part in (*task.intents, *task.checklist))
    item = gardener().instantiate("gardener_task_004").checklist[0]
    assert item.evidence == {"tools": ("gmail__send_email", "gmail__show_outbox_threads")}


def test_assets_are_staged_where_they_lie_in_the_task_folder_and_task_yaml_is_not() -> None:
    assert list(gardener().instantiate("gardener_task_001").files) == ["plans/beds.csv"]


def test_every_task_offers_the_personas_app_tools_and_its_skills() -> None:
    task = gardener().instantiate("gardener_task_001")
    assert task.general_tools is not None
    assert set(task.general_tools) == {
        *EVERY.names,
        *(f"todoist__{n}" for n in ("login", "create_task", "show_tasks")),
    } | {
        "gmail__login",
        "gmail__send_email",
    }
    assert [(skill["name"], skill["description"]) for skill in task.skills] == [
        ("plain", "A skill without front matter."),
        ("seed-saving-1.2.0", "How seeds are dried and kept."),
    ]
    files = [path for path, _ in pack_world(gardener()).workspace.walk()]
    assert files == [
        "memory/HISTORY.md",
        "memory/MEMORY.md",
        "skills/plain/SKILL.md",
        "skills/seed-saving-1.2.0/SKILL.md",
        "skills/seed-saving-1.2.0/_meta.json",
    ]


def test_an_environment_trigger_opens_with_its_event() -> None:
    task = gardener().instantiate("gardener_task_004")
    assert task.trigger == "event"
    assert task.opening.startswith("[environment event] source: weather_desk · event: frost_warning")
    assert '"low": -3' in task.opening


def test_an_environment_trigger_that_is_text_keeps_its_text(tmp_path: Path) -> None:
    folder = changed(tmp_path, one("004"), lambda raw: raw["intent"].update(initial_input="A frost [3] is coming."))
    task = load_pack(folder).instantiate("gardener_task_004")
    assert task.opening.startswith("[environment event]")
    assert task.opening.endswith("A frost [3] is coming.")


def test_the_profile_is_for_the_user_model_and_not_for_the_agent() -> None:
    task = gardener().instantiate("gardener_task_001")
    assert "tram depot" in task.persona.voice
    assert "Keep the orchard alive: old trees first" in task.persona.voice
    assert "tram depot" not in task.persona.role


def test_sign_ins_of_the_texts_open_our_apps_in_every_task() -> None:
    for name in gardener().task_ids:
        (row,) = gardener().instantiate(name).apps["todoist"]["accounts"].values()
        assert (row.whole["email"], row.whole["password"]) == ("tram-depot@gmail.com", "Tu(r,n3[")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Amazon login: Email: a@b.example Password: x[y. Thanks.", {"amazon": SignIn("a@b.example", "x[y")}),
        ("My phone number is 5550100200, and the phone password is q@r", {"phone": SignIn("5550100200", "q@r")}),
        ("Email: me@gmail.com Password: secret", {}),
        ("Gmail asks for a password and a name", {}),
        (
            "Gmail a@b.example password: one; for Spotify a@b.example, password = two",
            {"gmail": SignIn("a@b.example", "one"), "spotify": SignIn("a@b.example", "two")},
        ),
    ],
)
def test_sign_ins_belong_to_the_app_named_before_them(text: str, found: dict[str, SignIn]) -> None:
    assert sign_ins(text, ["amazon", "gmail", "phone", "spotify"]) == found


def test_packs_and_tasks_survive_a_pickle() -> None:
    task = gardener().instantiate("gardener_task_003")
    assert pickle.loads(pickle.dumps(task)) is task
    assert pickle.loads(pickle.dumps(gardener())) is gardener()


def test_there_is_one_world() -> None:
    with pytest.raises(ValueError, match="one world, 0"):
        gardener().instantiate("gardener_task_001", 1)


# -- slips -----------------------------------------------------------------------------------------------------------


def warned(text: str, pack_folder: Path = GARDENER) -> list[str]:
    return [warning for warning in load_pack(pack_folder).warnings if text in warning]


@pytest.mark.parametrize(
    ("task", "text"),
    [
        ("002", "begins with a stray '|'"),
        ("002", "objectives.checklist[2]: says the same as [1]"),
        ("002", "names 'helpers.txt', which this copy lacks: no agent can read it"),
        ("003", "'todoist__show_tasks' lacks 'mcp_appworld_'"),
        ("003", "counts on the official app data of todoist"),
        ("004", "this copy lacks data/gardener/scripts/gardener_task_004_gmail.py"),
        ("004", "mcp_appworld_gmail__show_outbox_threads is not offered"),
    ],
)
def test_a_slip_is_a_warning_that_names_its_file(task: str, text: str) -> None:
    (warning,) = warned(text)
    assert warning.startswith(one(task))


def test_a_file_that_an_earlier_task_brings_or_that_is_to_be_made_is_not_missed() -> None:
    assert warned("beds.csv") == []
    assert warned("labels.md") == []


@pytest.mark.parametrize(
    ("change", "missed"),
    [
        ({}, True),
        ({"files_read": ["out/plan.py"]}, False),
        ({"checklist": [{"criterion": "`plan.py` runs without an error.", "weight": 1}]}, False),
        ({"checklist": [{"criterion": "The plan is in floorplan.py.", "weight": 1}]}, True),
    ],
)
def test_a_file_that_the_grading_looks_at_is_the_agents_to_write(
    tmp_path: Path, change: dict[str, Any], missed: bool
) -> None:
    def named(raw: Any) -> None:
        raw["intent"]["initial_input"] = "I want the beds planned by a program, plan.py, by noon."
        raw["objectives"].update(change)

    found = warned(
        "'plan.py', which this copy lacks: no agent can read it, unless", changed(tmp_path, one("004"), named)
    )
    assert len(found) == missed


@pytest.mark.parametrize("verb", ["Write", "Generate", "Export the beds as"])
def test_a_file_that_the_request_has_made_is_not_missed(tmp_path: Path, verb: str) -> None:
    folder = changed(tmp_path, one("004"), lambda raw: raw["intent"].update(initial_input=f"{verb} plan.py today."))
    assert warned("plan.py", folder) == []


SCRIPT = "scripts/gardener_task_003_todoist.py"
LOST = "; where that fails, the items of gardener_task_003's script are unknown and its Comp is null"


@pytest.mark.parametrize(
    ("code", "slips"),
    [
        ("import json, re\nfrom collections.abc import Mapping\nimport os.path", []),
        ("import json\n\nimport yaml", ["line 3: imports 'yaml', and the sandbox has the standard library alone"]),
        ("def score(h):\n    from numpy.linalg import det\n", ["line 2: imports 'numpy', and the sandbox has the st"]),
        ("import helper", ["line 1: imports 'helper', and the sandbox has the script alone"]),
        ("from . import helper", ["line 1: imports what lies beside it, and the sandbox has the script alone"]),
        ("try:\n    import yaml\nexcept ImportError:\n    yaml = None", []),
        (
            "try:\n    import yaml\nexcept ValueError:\n    import toml",
            ["line 2: imports 'yaml'", "line 4: imports 'toml'"],
        ),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import yaml", []),
        ("x = (\n", ["line 1: cannot be read as Python"]),
    ],
)
def test_what_a_script_imports_and_the_sandbox_lacks_is_told_at_load(
    tmp_path: Path, code: str, slips: list[str]
) -> None:
    copy = written(tmp_path, "scripts/helper.py", b"import yaml\n")
    (copy / SCRIPT).write_text(f"{code}\n")
    found = [warning for warning in load_pack(copy).warnings if warning.startswith(SCRIPT)]
    assert len(found) == len(slips)
    for warning, slip in zip(found, slips, strict=True):
        assert warning.startswith(f"{SCRIPT}: {slip}")
        assert warning.endswith(LOST)


def test_a_script_that_no_task_names_is_told_at_load(tmp_path: Path) -> None:
    copy = written(tmp_path, "scripts/gardener_task_002_files.py", b"def score(tools_history):\n    return {}\n")
    (copy / "scripts" / "helper.py").write_text("def scored(x):\n    return x\n")
    (copy / "tasks" / "gardener_task_001" / "model.py").write_text("def score(model, data):\n    return 1\n")
    (copy / "tasks" / "gardener_task_001" / "check.py").write_text("def score(tools_history):\n    return {}\n")
    (copy / "tasks" / "gardener_task_001" / "broken.py").write_bytes(b"def score(\xff")
    assert warned("and no task names it", copy) == [
        f"{path}: defines score(), and no task names it in objectives.tools_evaluation_path: it is never run"
        for path in ("scripts/gardener_task_002_files.py", "tasks/gardener_task_001/check.py")
    ]
    assert warned("it is never run") == []


def test_a_stray_mark_is_not_part_of_the_request() -> None:
    assert gardener().instantiate("gardener_task_002").request.startswith("Two more beds")


def test_a_whole_file_behind_a_stray_mark_is_read(tmp_path: Path) -> None:
    copy = Path(shutil.copytree(GARDENER, tmp_path / "gardener"))
    file = copy / one("001")
    file.write_text("|\n" + file.read_text())
    assert load_pack(copy).instantiate("gardener_task_001").title == "Labels for the beds"
    assert warned("stray '|'", copy)


def test_a_tool_that_we_lack_is_not_offered(tmp_path: Path) -> None:
    folder = changed(tmp_path, "tools.yaml", lambda raw: raw["tool_names"].append("todoist__levitate"))
    assert warned("todoist__levitate", folder)
    assert "todoist__levitate" not in (load_pack(folder).instantiate("gardener_task_001").general_tools or ())


def test_an_intent_that_is_provided_from_the_start_is_not_hidden(tmp_path: Path) -> None:
    def provide(raw: Any) -> None:
        raw["intent"]["hidden_intent"][0]["status"] = "provided"

    folder = changed(tmp_path, one("001"), provide)
    assert [intent.text[:6] for intent in load_pack(folder).instantiate("gardener_task_001").intents] == ["Labels"]
    assert warned("is provided from the start", folder)


def test_assets_that_no_agent_could_name_or_that_are_the_engines_are_left_out(tmp_path: Path) -> None:
    copy = Path(shutil.copytree(GARDENER, tmp_path / "gardener"))
    (copy / "tasks" / "gardener_task_001" / "memory").mkdir()
    for name in ("~$beds.csv", "memory/HISTORY.md", ".DS_Store", "notes.txt"):
        (copy / "tasks" / "gardener_task_001" / name).write_text("x")
    assert list(load_pack(copy).instantiate("gardener_task_001").files) == ["notes.txt", "plans/beds.csv"]
    assert len(warned("the asset ", copy)) == 2


def test_an_event_without_quotes_is_read_as_one(tmp_path: Path) -> None:
    event = {"source": "desk", "event": "frost", "payload": {"low": -3}}
    folder = changed(tmp_path, one("004"), lambda raw: raw["intent"].update(initial_input=event))
    opening = load_pack(folder).instantiate("gardener_task_004").opening
    assert opening.startswith("[environment event] source: desk · event: frost")


# -- what is refused -------------------------------------------------------------------------------------------------


BROKEN: list[tuple[str, Change, str]] = [
    ("episode.yaml", lambda raw: raw.update(schema_version="v3"), r"episode\.yaml: schema_version: .*'v2'"),
    ("episode.yaml", lambda raw: raw["tasks"][0].update(depends_on=["gardener_task_003"]), "is not a task before it"),
    (
        "episode.yaml",
        lambda raw: raw["tasks"].append({"task_id": "gardener_task_009"}),
        "task_009/task.yaml: the file is",
    ),
    ("profile.yaml", lambda raw: raw.update(user_id="baker"), r"profile\.yaml: user_id: expected 'gardener'"),
    ("profile.yaml", lambda raw: raw.update(mood="sunny"), r"profile\.yaml: mood"),
    (one("001"), lambda raw: raw.update(task_id="x"), r"001/task\.yaml: task_id: expected 'gardener_task_001'"),
    (one("001"), lambda raw: raw["intent"].pop("hidden_intent"), r"001/task\.yaml: intent\.hidden_intent"),
    (one("001"), lambda raw: raw["trigger"].update(type="dream"), r"trigger\.type"),
    (one("001"), lambda raw: raw.update(objectives={"tools_checklist": []}), r"objectives\.tools_checklist"),
    (one("001"), lambda raw: raw.update(objectives={"checklist": [{"criterion": "x"}]}), "its checklist must be empty"),
    (one("002"), lambda raw: raw.pop("objectives"), "needs a checklist or a script"),
    (one("002"), lambda raw: raw["objectives"]["checklist"][0].update(weight=0), r"checklist\[0\]\.weight"),
    (
        one("003"),
        lambda raw: raw["objectives"].update(tools_evaluation_path="../../x.py"),
        "expected the relative path",
    ),
]


def objectives(**change: Any) -> Change:
    return lambda raw: raw["objectives"].update(change)


BROKEN += [
    ("episode.yaml", lambda raw: raw["tasks"].append(raw["tasks"][0]), r"tasks: gardener_task_001 stands twice"),
    ("episode.yaml", lambda raw: raw["tasks"][1]["depends_on"].append("gardener_task_001"), "'gardener_task_001' st"),
    ("episode.yaml", lambda raw: raw["tasks"][0].update(task_id="../x"), r"tasks\[0\]\.task_id: String should .*\$'$"),
    ("profile.yaml", lambda raw: raw.update(long_term_goals=5), r"profile\.yaml: long_term_goals: "),
    ("profile.yaml", lambda raw: raw.update(long_term_goals="grow"), r"profile\.yaml: long_term_goals: "),
    ("profile.yaml", lambda raw: raw["preferences"].update(more=[["x"]]), "preferences: more: expected a text"),
    (one("001"), lambda raw: raw["intent"].update(initial_input=" | "), r"initial_input: expected a request"),
    (one("001"), lambda raw: raw["intent"].update(hidden_intent=["x"]), r"hidden_intent\[0\]: Input should be [^;]*$"),
    (one("002"), objectives(files_read=["../notes.md"]), r"002/task\.yaml: objectives\.files_read: .*cannot leave"),
    (one("002"), objectives(files_read=["/etc/passwd"]), r"objectives\.files_read: .*outside the workspace"),
    (one("002"), objectives(tools=[{"exec": {}}]), r"objectives\.tools\[0\]\.exec: expected at least one path"),
    (one("002"), objectives(tools=[{}]), r"objectives\.tools\[0\]"),
    (one("002"), objectives(checklist=[{"criterion": "x", "weight": "2"}]), r"checklist\[0\]\.weight"),
    (one("002"), objectives(checklist=[{"criterion": "x", "weight": True}]), r"checklist\[0\]\.weight"),
    (one("002"), objectives(checklist=[{"criterion": "x", "weight": 1e308}]), r"checklist\[0\]\.weight"),
    (one("003"), objectives(tools_evaluation_path="/etc/x.py"), r"tools_evaluation_path: expected the relative path"),
    (one("003"), objectives(tools_evaluation_path="a\\..\\x.py"), r"tools_evaluation_path: .*backslash"),
    (one("003"), objectives(tools_evaluation_path="a" * 2000 + ".py"), r"tools_evaluation_path: .*characters"),
    (one("003"), objectives(tools_evaluation_path="x.txt"), r"tools_evaluation_path: .*Python file"),
]


@pytest.mark.parametrize(("file", "change", "message"), BROKEN)
def test_what_is_wrong_is_named_with_file_and_field(tmp_path: Path, file: str, change: Change, message: str) -> None:
    with pytest.raises(PackError, match=message):
        load_pack(changed(tmp_path, file, change))


def test_a_folder_of_personas_names_them(tmp_path: Path) -> None:
    shutil.copytree(GARDENER, tmp_path / "gardener")
    with pytest.raises(UnknownName, match="name one of gardener"):
        load_pack(tmp_path)


def test_a_folder_without_a_profile_says_so(tmp_path: Path) -> None:
    copy = Path(shutil.copytree(GARDENER, tmp_path / "gardener"))
    (copy / "profile.yaml").unlink()
    with pytest.raises(PackError, match=r"profile\.yaml: the file is missing"):
        load_pack(copy)


def written(folder: Path, file: str, data: bytes) -> Path:
    copy = Path(shutil.copytree(GARDENER, folder / "gardener"))
    (copy / file).parent.mkdir(parents=True, exist_ok=True)
    (copy / file).write_bytes(data)
    return copy


@pytest.mark.parametrize(
    ("file", "data", "message"),
    [
        (one("001"), b"title: caf\xe9", r"001/task\.yaml: cannot be read: .*utf-8"),
        (one("001"), b"title: 'x", r"001/task\.yaml: line 1"),
        (one("001"), b"title: x\ntitle: y", r"001/task\.yaml: line 2, column 1: the key 'title' stands twice"),
        (one("001"), b"title: !!int x", r"001/task\.yaml: line 1, column 8: cannot be read as int"),
        (one("001"), b"title: !!bool x", r"001/task\.yaml: line 1, column 8: cannot be read as bool"),
        (one("001"), b"title: " + b"9" * 5000, r"001/task\.yaml: line 1, column 8: cannot be read as int"),
        (one("001"), b"title: " + b"[" * 200_000, r"001/task\.yaml: line 1: is nested more than 1000 levels deep"),
        (one("001"), b"", r"001/task\.yaml: expected a mapping at the top"),
        ("tools.yaml", b"- a", r"tools\.yaml: expected a mapping at the top, got list"),
        ("scripts/gardener_task_003_todoist.py", b"\xff", r"scripts/gardener_task_003_todoist\.py: cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, file: str, data: bytes, message: str) -> None:
    with pytest.raises(PackError, match=message):
        load_pack(written(tmp_path, file, data))


@pytest.mark.parametrize("file", [one("001"), "scripts", "skills/plain", "tasks/gardener_task_001/plans", "tools.yaml"])
def test_no_link_is_followed_wherever_it_lies(tmp_path: Path, file: str) -> None:
    copy = Path(shutil.copytree(GARDENER, tmp_path / "gardener"))
    (copy / file).rename(tmp_path / "elsewhere")
    (copy / file).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PackError, match=f"^{file}: is a symbolic link"):
        load_pack(copy)


def test_a_script_outside_the_personas_folder_is_missing(tmp_path: Path) -> None:
    def point(raw: Any) -> None:
        raw["objectives"]["tools_evaluation_path"] = "data/baker/scripts/gardener_task_003_todoist.py"

    folder = changed(tmp_path, one("003"), point)
    (tmp_path / "baker" / "scripts").mkdir(parents=True)
    shutil.copy(GARDENER / "scripts" / "gardener_task_003_todoist.py", tmp_path / "baker" / "scripts")
    assert warned("this copy lacks data/baker/scripts/", folder)


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    copy = written(tmp_path, "tasks/gardener_task_001/film.bin", b"")
    os.truncate(copy / "tasks/gardener_task_001/film.bin", 65_000_000)
    with pytest.raises(PackError, match=r"001/film\.bin: has 65,000,000 bytes; a pack's file may have 64,000,000"):
        load_pack(copy)


@pytest.mark.parametrize("change", [lambda text: text.replace(b"\n", b"\r\n"), lambda text: b"\xef\xbb\xbf" + text])
def test_line_ends_and_marks_of_other_systems_change_nothing(tmp_path: Path, change: Callable[[bytes], bytes]) -> None:
    copy = Path(shutil.copytree(GARDENER, tmp_path / "gardener"))
    for path in (*copy.rglob("*.yaml"), *copy.rglob("*.md"), *copy.rglob("*.py")):
        path.write_bytes(change(path.read_bytes()))
    pack = load_pack(copy)
    assert pack.warnings == gardener().warnings
    assert pack.skills == gardener().skills  # type: ignore[attr-defined]
    for name in pack.task_ids:
        task, other = pack.instantiate(name), gardener().instantiate(name)
        assert (task.request, [one.text for one in task.intents]) == (
            other.request, [one.text for one in other.intents]
        )  # fmt: skip


def test_names_that_are_no_text_and_places_that_are_taken_are_left_out_with_a_warning(tmp_path: Path) -> None:
    copy = Path(shutil.copytree(GARDENER, tmp_path / "gardener"))
    folder = copy / "tasks" / "gardener_task_001"
    names = ("caf\u00e9.txt", "cafe\u0301.txt", "Plans", "Memory", os.fsdecode(b"caf\xe9"))
    for name in names:
        (folder / name).write_text(name.encode(errors="replace").decode())
    pack = load_pack(copy)
    assert sorted(pack.instantiate("gardener_task_001").files) == ["Plans", "caf\u00e9.txt"]
    assert len(pack.content_hash) == 64
    assert len(warned("the asset ", copy)) == 4


def test_the_content_hash_covers_what_a_persona_is_played_from_and_nothing_else(tmp_path: Path) -> None:
    played = {
        "episode.yaml": True,
        "profile.yaml": True,
        "tools.yaml": True,
        "tasks/gardener_task_001/task.yaml": True,
        "tasks/gardener_task_001/plans/beds.csv": True,
        "tasks/gardener_task_001/.history/run.json": False,
        "tasks/gardener_task_001/.eval_result/run.json": False,
        "tasks/other/task.yaml": False,
        "scripts/gardener_task_003_todoist.py": True,
        "scripts/helper.py": False,
        "skills/plain/SKILL.md": True,
        "README.md": False,
    }
    found = {}
    for number, name in enumerate(played):
        copy = Path(shutil.copytree(GARDENER, tmp_path / str(number) / "gardener"))
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        with (copy / name).open("a") as file:
            file.write("\n# more\n")
        found[name] = load_pack(copy).content_hash != gardener().content_hash
    assert found == played


def test_a_skill_whose_front_matter_is_broken_is_offered_with_a_warning(tmp_path: Path) -> None:
    copy = written(tmp_path, "skills/plain/SKILL.md", b"---\na: [\n---\nWhat it is for.\n")
    assert load_pack(copy).instantiate("gardener_task_001").skills[0]["description"] == "What it is for."
    assert warned("skills/plain/SKILL.md: line", copy)


def test_a_tool_that_nobody_has_is_evidence_of_nothing(tmp_path: Path) -> None:
    copy = changed(tmp_path, one("002"), objectives(tools=[{"telepathy": {"call": ["to"]}}, {"exec": {"call": ["c"]}}]))
    (warning,) = warned("objectives.tools", copy)[:1]
    assert warning == f"{one('002')}: objectives.tools: telepathy is not offered (unknown here): no evidence of it"


def test_what_has_no_predicate_cannot_be_judged_by_a_rule() -> None:
    task = gardener().instantiate("gardener_task_002")
    (clause,) = asking_clauses("Should I sort them by bed?")
    with pytest.raises(RolesNeeded, match="intent i2 of gardener_task_002"):
        task.intents[1].satisfied.test(Evidence())
    with pytest.raises(RolesNeeded, match=r"gardener_task_002 has no questions\.yaml"):
        task.questions.aims(clause)
    with pytest.raises(RolesNeeded, match="item c1 of gardener_task_002"):
        task.checklist[0].check.test(Evidence())
    with pytest.raises(RolesNeeded, match="no template"):
        gardener().source_of("gardener_task_002")


# -- a real copy -----------------------------------------------------------------------------------------------------


def test_every_task_of_a_real_copy_loads() -> None:
    pack = load_pack(official_copy())
    tasks = [pack.instantiate(name) for name in pack.task_ids]
    assert len(tasks) == 20
    assert all(task.intents for task in tasks)
    assert sum(pack.card(name).graded for name in pack.task_ids) == 11
