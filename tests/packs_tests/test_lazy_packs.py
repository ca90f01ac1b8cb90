"""A pack is read as it is used: a broken task breaks no other, and what has changed meanwhile is noticed."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.packs import PROTOCOL, TINY, copy_pack, edit_yaml, protocol, tiny

from pi_gym.errors import PackError, StateMismatch
from pi_gym.packs import load_pack, pack_world
from pi_gym.packs.deferred import Deferred
from pi_gym.packs.formats import PACK_FORMATS, pack_format
from pi_gym.proof import validate_pack

OPENED = """
import json, sys
import pi_gym
opened = []
sys.addaudithook(lambda name, args: opened.append(str(args[0])) if name == "open" else None)
pack = pi_gym.load_pack("researcher")
loaded = list(opened)
task = pack.instantiate(pack.task_ids[4])
print(json.dumps({
    "loaded": [path for path in loaded if "/tasks/" in path],
    "made": sorted({path.split("/tasks/")[1].split("/")[0] for path in opened if "/tasks/" in path}),
    "modules": sorted(name for name in sys.modules if name.startswith("pi_gym.")),
}))
"""


@pytest.fixture(scope="module")
def fresh() -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-c", OPENED], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_loading_reads_no_task_and_making_one_reads_that_task_alone(fresh: dict[str, Any]) -> None:
    assert fresh["loaded"] == []
    assert fresh["made"] == ["05-reading-notes"]


def test_our_own_packs_need_neither_the_official_layout_nor_a_matcher_to_open(fresh: dict[str, Any]) -> None:
    assert not [name for name in fresh["modules"] if name.startswith(("pi_gym.packs.official", "pi_gym.questions."))]
    assert "pi_gym.predicates.compile" not in fresh["modules"]


def test_formats_are_tried_in_turn(tmp_path: Path) -> None:
    assert PACK_FORMATS[0] == "pi_gym.packs.pack:Pack"
    assert pack_format(TINY).__name__ == "Pack"  # type: ignore[union-attr]
    assert pack_format(tmp_path) is None
    for name in ("episode.yaml", "profile.yaml"):
        (tmp_path / name).write_text("")
    assert pack_format(tmp_path).__name__ == "OfficialPack"  # type: ignore[union-attr]


def broken(tmp_path: Path, change: Callable[[Any], object], file: str = "tasks/02-beat/task.yaml") -> Path:
    folder = copy_pack(PROTOCOL, tmp_path / "broken")
    edit_yaml(folder / file, change)
    return folder


def test_a_task_that_cannot_be_read_fails_alone_and_each_time(tmp_path: Path) -> None:
    pack = load_pack(broken(tmp_path, lambda raw: raw.pop("request")))
    assert pack.instantiate("01-three").request
    assert pack.card("01-three").id == "01-three"
    for look in (pack.instantiate, pack.card, pack.instantiate):
        with pytest.raises(PackError, match=r"tasks/02-beat/task\.yaml: request"):
            look("02-beat")


def test_a_hidden_part_fails_at_its_first_look_and_names_the_variant(tmp_path: Path) -> None:
    pack = load_pack(broken(tmp_path, lambda raw: raw["wishes"][0].update(says="{{ nothing }}")))
    intent = pack.instantiate("02-beat", 3).intents[0]
    assert intent.text
    for _ in range(2):
        with pytest.raises(PackError, match=r"task\.yaml: wishes\[0\]\.says: .*nothing.* \(variant 3\)"):
            _ = intent.reveal


def test_validation_reads_everything_before_it_plays(tmp_path: Path) -> None:
    spare = broken(tmp_path, lambda raw: raw["wishes"][-1].update(wish="{% if %}"))
    with pytest.raises(PackError, match=r"tasks/02-beat/task\.yaml: wishes\[\d\]\.wish: template"):
        validate_pack(load_pack(spare), ["01-three"], variants=1)


def test_every_task_has_a_reference_unless_the_pack_says_otherwise(tmp_path: Path) -> None:
    folder = broken(tmp_path, lambda raw: raw.pop("solution"))
    assert load_pack(folder).has_references
    with pytest.raises(PackError, match=r"solution: expected at least one step; .*references: false"):
        load_pack(folder).card("02-beat")
    other = copy_pack(folder, tmp_path / "other")
    edit_yaml(other / "pack.yaml", lambda raw: raw.update(references=False))
    assert not load_pack(other).has_references
    assert load_pack(other).instantiate("02-beat").reference == []


def test_files_that_change_between_loading_and_reading_are_noticed(tmp_path: Path) -> None:
    pack = load_pack(copy_pack(PROTOCOL, tmp_path / "changed"))
    before = pack.instantiate("01-three")
    (pack.folder / "tasks/02-beat/task.yaml").write_text("title: another\n")
    with pytest.raises(StateMismatch, match=r"tasks/02-beat/task\.yaml of pack 'changed' has changed"):
        pack.instantiate("02-beat")
    with pytest.raises(StateMismatch, match="has changed since the pack was loaded"):
        _ = pack.content_hash
    assert pack.instantiate("01-three") is before


def test_a_skill_that_the_pack_does_not_name_is_no_skill_of_its_tasks(tmp_path: Path) -> None:
    folder = copy_pack(TINY, tmp_path / "skilled")
    skill = folder / "skills" / "mine" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: mine\ndescription: A guide.\n---\nText.\n")
    assert "skills/mine/SKILL.md" not in [path for path, _ in pack_world(load_pack(folder)).workspace.walk()]
    with pytest.raises(PackError, match=r"no such skill: .* pack\.yaml name it"):
        load_pack(folder).skill("mine")
    named = copy_pack(folder, tmp_path / "named")
    edit_yaml(named / "pack.yaml", lambda raw: raw.update(skills=["mine"]))
    assert load_pack(named).skill("mine") == {"name": "mine", "description": "A guide."}
    assert "skills/mine/SKILL.md" in [path for path, _ in pack_world(load_pack(named)).workspace.walk()]


def test_what_reads_alike_in_two_variants_is_compiled_once() -> None:
    first, second = (protocol().instantiate("01-three", variant) for variant in (0, 1))
    assert first is not second
    for topic, same in zip(first.questions.topics, second.questions.topics, strict=True):
        assert topic is same
    source = tiny().source_of("01-list")
    made = [source.compiled("field", {"a": [1, value]}, lambda raw: object()) for value in (1, True, 1.0, "1", 1)]
    assert len({id(one) for one in made}) == 4, "1, true, 1.0 and '1' read differently"
    assert made[0] is made[-1]


def test_a_pickle_of_an_intent_has_all_its_fields() -> None:
    task = protocol().instantiate("02-beat", 1)
    again = pickle.loads(pickle.dumps(task.intents[0]))
    assert isinstance(again, Deferred)
    assert again == task.intents[0]


def test_judged_by_rules_is_known_without_a_predicate() -> None:
    task = protocol().instantiate("03-event", 77)
    assert task.intents_by_rule
    assert task.items_by_rule
    assert not any("satisfied" in vars(intent) for intent in task.intents)


@pytest.mark.parametrize("keys", [("wishes",), ("wishes", "intents"), ()])
def test_the_form_of_a_task_is_seen_by_its_keys(tmp_path: Path, keys: tuple[str, ...]) -> None:
    def change(raw: Any) -> None:
        wishes = raw.pop("wishes")
        raw.update(dict.fromkeys(keys, wishes))

    source = load_pack(broken(tmp_path, change)).source_of("02-beat")
    if keys == ("wishes",):
        assert [one.name for one in source.pool] == ["beat", "beat-two", "beat-three"]
        return
    with pytest.raises(PackError, match=r"02-beat/task\.yaml: .*(intents: Extra inputs|wishes: Field required)"):
        _ = source.spec


def test_a_task_needs_no_code_where_nothing_of_it_is_computed() -> None:
    source = protocol().source_of("01-three")
    assert not (source.folder / "right.py").exists()
    assert protocol().instantiate("01-three").reference[1].endswith('"content": "done: blue, round\\n"}}</tool_call>')
