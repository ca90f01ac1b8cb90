"""What the tasks of a pack share: facts of shared.py and files of files/, read when a task uses them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.packs import TINY, copy_pack, edit_yaml

from pi_gym.errors import PackError, StateMismatch
from pi_gym.packs import Pack, load_pack
from pi_gym.packs.task_world import TaskWorld
from pi_gym.packs.variants import make_variant

ONE, PING = "01-list", "03-ping"
CODE = """
def shared(stream, preferences):
    sizes = {name: stream.integer(1, 1000) for name in preferences.data["plants.txt"].split()}
    return {"sizes": sizes, "sign": preferences.persona.case, "rows": [[3], [1], [2]]}
"""
WORLD = """
def world(stream, preferences):
    preferences.shared.rows.sort()
    return {"sizes": preferences.shared.sizes, "rows": preferences.shared.rows}, {}
"""


def pack_with(tmp_path: Path, code: str | None = CODE, files: dict[str, str] | None = None, *named: str) -> Path:
    """A pack with shared facts and files, of which its last task takes some."""
    folder = copy_pack(TINY, tmp_path / "tiny")
    for name, text in {"data/plants.txt": "oak ash elm", f"tasks/{PING}/right.py": WORLD, **(files or {})}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    if code is not None:
        (folder / "shared.py").write_text(code)
    edit_yaml(folder / f"tasks/{PING}/task.yaml", lambda raw: raw.update(files=list(named)))
    return folder


def world_of(pack: Pack, variant: int, belief: dict[str, Any] | None = None) -> Any:
    return make_variant(pack, pack.source_of(PING), variant, belief).world


def test_all_tasks_of_a_variant_have_the_same_facts_and_variants_have_others(tmp_path: Path) -> None:
    pack = load_pack(pack_with(tmp_path))
    shared = [make_variant(pack, pack.source_of(name), 3).values.shared for name in (ONE, PING)]
    assert shared[0].sizes == shared[1].sizes == world_of(pack, 3).sizes
    assert world_of(pack, 3).sizes != world_of(pack, 4).sizes
    assert set(world_of(pack, 3).sizes) == {"oak", "ash", "elm"}


def test_they_are_made_once_a_variant_and_what_a_world_does_with_them_no_other_sees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = load_pack(pack_with(tmp_path))
    calls, make = [], pack.shared._made
    monkeypatch.setattr(pack.shared, "_made", lambda *given: (calls.append(given[0]), make(*given))[1])
    assert [world_of(pack, variant).rows for variant in (0, 0, 1)] == [[[1], [2], [3]]] * 3
    assert make_variant(pack, pack.source_of(ONE), 0).values.shared.rows == [[3], [1], [2]]
    assert calls == [0, 1]


def test_another_belief_about_the_person_has_other_facts(tmp_path: Path) -> None:
    pack = load_pack(pack_with(tmp_path))
    source = pack.source_of(PING)
    for case in ("upper", "lower"):
        assert make_variant(pack, source, 0, {"persona.case": case}).values.shared.sign == case


def test_templates_see_them_in_files_and_in_the_task(tmp_path: Path) -> None:
    told = {"files/rules.md.j2": "An oak has {{ shared.sizes.oak }}, in {{ p.bed }} {{ world.rows[0][0] }}.\n"}
    folder = pack_with(tmp_path, CODE, told, "rules.md")
    edit_yaml(folder / f"tasks/{PING}/task.yaml", lambda raw: raw.update(request="Water {{ shared.sizes.oak }}."))
    pack = load_pack(folder)
    task, variant = pack.instantiate(PING, 2), make_variant(pack, pack.source_of(PING), 2)
    size = variant.world.sizes["oak"]
    assert task.request == f"Water {size}."
    assert (
        task.files["rules.md"].decode()
        == f"An oak has {size}, in {make_variant(pack, pack.source_of(PING), 2).values.p.bed} 1.\n"
    )


def test_what_is_right_sees_them_with_its_world(tmp_path: Path) -> None:
    right = "\ndef right(world, wishes):\n    return {'size': world.shared.sizes['oak']}\n"
    pack = load_pack(pack_with(tmp_path, CODE, {f"tasks/{PING}/right.py": WORLD + right}))
    source, variant = pack.source_of(PING), make_variant(pack, pack.source_of(PING), 2)
    world = TaskWorld(source, variant, variant.values)
    assert world.right(world.true).size == variant.world.sizes["oak"]


def test_nothing_is_read_before_it_is_used(tmp_path: Path) -> None:
    broken = {"files/bad.md.j2": "{% if %}", "data/bad.txt": "x", "files/good.md": "good"}
    pack = load_pack(pack_with(tmp_path, "import os\n", broken, "good.md"))
    assert pack.instantiate(ONE, 0).request  # it uses nothing that is shared, so what is wrong there is not its matter
    with pytest.raises(PackError, match=r"^shared\.py"):
        pack.instantiate(PING, 0)


def test_what_has_changed_since_the_pack_was_loaded_is_noticed(tmp_path: Path) -> None:
    folder = pack_with(tmp_path, CODE, {"files/rules.md": "x"}, "rules.md")
    (pack := load_pack(folder)).card(PING)
    (folder / "files/rules.md").write_text("another")
    with pytest.raises(StateMismatch, match=r"files/rules\.md of pack 'tiny' has changed"):
        pack.instantiate(PING, 0)


def test_a_pack_without_shared_facts_has_none(tmp_path: Path) -> None:
    pack = load_pack(pack_with(tmp_path, None, {f"tasks/{PING}/right.py": ""}))
    assert dict(make_variant(pack, pack.source_of(PING), 0).values.shared) == {}
    edit_yaml(tmp_path / "tiny" / f"tasks/{PING}/task.yaml", lambda raw: raw.update(request="{{ shared.oak }}"))
    with pytest.raises(PackError, match=r"shared\.oak is not defined; shared has: nothing"):
        load_pack(copy_pack(tmp_path / "tiny", tmp_path / "again")).instantiate(PING, 0)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import os\n", r"shared\.py: line 1: import of 'os' is not allowed"),
        (
            "def shared(stream, preferences):\n    return open('x')\n",
            r"shared\.py: line 2: 'open' .* shared\.py must be",
        ),
        ("def shared(stream):\n    return {}\n", r"shared\.py: shared: shared\(\) raised TypeError.*\(variant 2\)"),
        (
            "def shared(stream, preferences):\n    return [1]\n",
            r"shared\.py: shared: .*expected facts by name, got list",
        ),
        ("def facts(stream, preferences):\n    return {}\n", r"shared\.py: shared: expected a function shared\("),
        ("def shared(stream, preferences):\n    return {'x': preferences.p}\n", r"shared\.py: .*preferences\.p is not"),
    ],
)
def test_a_fault_names_the_file(tmp_path: Path, code: str, said: str) -> None:
    with pytest.raises(PackError, match=f"^{said}"):
        load_pack(pack_with(tmp_path, code)).instantiate(PING, 2)


@pytest.mark.parametrize(
    ("files", "named", "said"),
    [
        ({"files/a/rules.md": "x"}, ["a/rule.md"], rf"tasks/{PING}/task\.yaml: files: .*'a/rule\.md'.*a/rules\.md"),
        ({"files/rules.md": "x"}, ["rules.md"] * 2, rf"tasks/{PING}/task\.yaml: files: 'rules\.md' .* twice"),
        ({"files/rules.md": "x", f"tasks/{PING}/files/rules.md": "y"}, ["rules.md"], r"own files/ too"),
        ({"files/x.md.j2": "{% if %}"}, ["x.md"], r"^files/x\.md\.j2: "),
        ({"files/x.md.j2": "{{ world.no }}"}, ["x.md"], r"^files/x\.md\.j2: .*world\.no is not defined"),
    ],
)
def test_a_shared_file_that_is_wrong_is_named(
    tmp_path: Path, files: dict[str, str], named: list[str], said: str
) -> None:
    with pytest.raises(PackError, match=said):
        dict(load_pack(pack_with(tmp_path, CODE, files, *named)).instantiate(PING, 2).files)


def test_a_task_brings_those_that_it_names_as_they_are_and_no_others(tmp_path: Path) -> None:
    files = {"files/orders/RULES.md": "{{ as it stands }}", "files/orders/other.md": "x"}
    task = load_pack(pack_with(tmp_path, CODE, files, "orders/RULES.md")).instantiate(PING, 0)
    assert task.files["orders/RULES.md"] == b"{{ as it stands }}"
    assert "orders/other.md" not in task.files
