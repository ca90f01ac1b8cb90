"""Making tasks: draws, values, templates, references."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.packs import TINY, copy_pack, edit_yaml, protocol, tiny

from pi_gym.errors import PackError, UnknownName
from pi_gym.packs import load_pack, pack_world
from pi_gym.packs.folder import PLAYED
from pi_gym.packs.variants import make_variant

variants = st.integers(0, 10**6)


@given(variants, st.sampled_from(tiny().task_ids))
def test_a_draw_holds_the_always_ones_and_is_of_the_declared_size(variant: int, task_id: str) -> None:
    task, spec = tiny().instantiate(task_id, variant), tiny().source_of(task_id).spec
    assert spec.draw.min <= len(task.intents) <= spec.draw.max
    names = [intent.name for intent in task.intents]
    assert {wish.label for wish in spec.wishes if wish.always} <= set(names)
    assert names == [wish.label for wish in spec.wishes if wish.label in names]
    assert set(names) | set(task.undrawn) == {wish.label for wish in spec.wishes}
    assert [intent.id for intent in task.intents] == [f"i{n}" for n in range(1, len(names) + 1)]
    assert [item.id for item in task.checklist] == [f"c{n}" for n in range(1, len(task.checklist) + 1)]


@given(variants)
def test_a_preference_of_the_persona_holds_across_the_sessions_of_a_variant(variant: int) -> None:
    found = {tiny().instantiate(name, variant).values.get("persona.case") for name in ("01-list", "02-memo")}
    assert len(found) == 1


def test_variants_differ_in_values_draw_and_files() -> None:
    tasks = [tiny().instantiate("01-list", variant) for variant in range(30)]
    assert len({str(sorted(task.values.items())) for task in tasks}) > 3
    assert len({tuple(task.undrawn) for task in tasks}) > 3
    assert len({task.files["beds/note.txt"] for task in tasks}) > 10


def test_a_task_is_made_once_for_a_variant() -> None:
    assert tiny().instantiate("01-list", 5) is tiny().instantiate("01-list", 5)


def test_items_of_undrawn_intents_do_not_exist(tmp_path: Path) -> None:
    folder = copy_pack(TINY, tmp_path / "tiny")
    edit_yaml(folder / "tasks/01-list/task.yaml", lambda raw: raw["checklist"][0].update({"for": ["top"]}))
    pack = load_pack(folder)
    for variant in range(20):
        task = pack.instantiate("01-list", variant)
        assert ("in-case" in [item.name for item in task.checklist]) is ("top" not in task.undrawn)


@pytest.mark.parametrize("variant", [-1, 1.0, True, "1", None])
def test_a_variant_is_a_number_from_zero(variant: object) -> None:
    with pytest.raises(ValueError, match="variant"):
        tiny().instantiate("01-list", variant)  # type: ignore[arg-type]


def test_an_unknown_task_lists_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="Did you mean '01-list'"):
        tiny().instantiate("01-lsit")


def test_what_a_wish_can_be_its_correction_and_when_it_is_too_late_are_those_of_its_task(tmp_path: Path) -> None:
    folder = copy_pack(TINY, tmp_path / "tiny")
    late = {"corrects": "No, {{ it }}.", "before": {"file": "sent.txt"}}
    edit_yaml(folder / "tasks/01-list/task.yaml", lambda raw: raw["wishes"][0].update(late))
    task = load_pack(folder).instantiate("01-list", 2)
    case = task.intents[0]
    assert [(one.value, one.right) for one in case.choices] == [
        (value, value == task.values["persona.case"]) for value in ("upper", "lower")
    ]
    assert case.corrects == f"No, {task.values['persona.case']}."
    assert case.before is not None


# -- references ------------------------------------------------------------------------------------------------------


def test_a_reference_follows_the_draw() -> None:
    for variant in range(20):
        task = tiny().instantiate("01-list", variant)
        asks = task.reference[1]
        assert ("Which bed" in asks) is ("size" not in task.undrawn)
        assert ("How many plants" in asks) is ("top" not in task.undrawn)


def test_a_reference_for_other_values_changes_only_what_follows_from_them() -> None:
    task = tiny().instantiate("02-memo", 1)
    case = task.values["persona.case"]
    other = "lower" if case == "upper" else "upper"
    assert task.reference_for({}) == task.reference == task.reference_for({"persona.case": case})
    changed = task.reference_for({"persona.case": other})
    assert changed != task.reference
    assert [a.lower() for a in changed] == [a.lower() for a in task.reference]


def test_a_value_that_does_not_exist_is_refused() -> None:
    with pytest.raises(PackError, match=r"no parameter 'persona\.nothing'"):
        tiny().instantiate("02-memo").reference_for({"persona.nothing": 1})


def test_a_reference_that_is_conditional_leaves_steps_out(tmp_path: Path) -> None:
    folder = copy_pack(TINY, tmp_path / "tiny")
    step = {"when": "{{ drawn('size') }}", "calls": [{"tool": "glob", "pattern": "*", "path": "{{ none }}"}]}
    edit_yaml(folder / "tasks/01-list/task.yaml", lambda raw: raw["solution"].insert(0, step))
    pack = load_pack(folder)
    for variant in range(10):
        task = pack.instantiate("01-list", variant)
        assert len(task.reference) == (4 if "size" in task.undrawn else 5)
        if "size" not in task.undrawn:
            assert task.reference[0] == '<tool_call>{"name": "glob", "arguments": {"pattern": "*"}}</tool_call>'


# -- copies and hashes -----------------------------------------------------------------------------------------------


def test_a_task_and_a_pack_travel_as_references() -> None:
    task = tiny().instantiate("01-list", 9)
    data = pickle.dumps(task)
    assert len(data) < 1_000
    assert pickle.loads(data) is task
    assert pickle.loads(pickle.dumps(tiny())) is tiny()


#: Of a pack's folder, files by whether sessions are played from them.
PLAYED_FROM = {
    "pack.yaml": True,
    "persona.yaml": True,
    "episode.yaml": True,
    "tasks/01-list/task.yaml": True,
    "tasks/01-list/right.py": True,
    "tasks/01-list/reply.j2": True,
    "tasks/README.md": False,
    "workspace/shop.txt": True,
    "workspace/new.txt": True,
    "skills/mine/SKILL.md": True,
    "skills/other/SKILL.md": False,
    "apps/simple_note.json": True,
    "questions.yaml": True,
    "wishes/case.yaml": True,
    "shared.py": True,
    "files/rules.md": True,
    "data/prices.csv": True,
    "apps/MADE.md": False,
    "web/page.md": True,
    "world/gmail.yaml": False,
    "about.md": False,
    "README.md": False,
}


def test_the_content_hash_covers_what_is_played_and_nothing_else(tmp_path: Path) -> None:
    assert {path.split("/")[0] for path, played in PLAYED_FROM.items() if played} == set(PLAYED)

    def skilled(name: str) -> Path:
        folder = copy_pack(TINY, tmp_path / name / "tiny")
        edit_yaml(folder / "pack.yaml", lambda raw: raw.update(skills=["mine"]))
        return folder

    before = load_pack(skilled("before")).content_hash
    hashes = {}
    for number, name in enumerate(PLAYED_FROM):
        folder = skilled(str(number))
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with (folder / name).open("a") as file:
            file.write("# more\n")
        hashes[name] = load_pack(folder).content_hash
    assert {name: found != before for name, found in hashes.items()} == PLAYED_FROM
    changed = [found for name, found in hashes.items() if PLAYED_FROM[name]]
    assert len(set(changed)) == len(changed)


def test_the_content_hash_covers_the_skills_that_packs_share(tmp_path: Path) -> None:
    hashes = []
    for text in ("One way.", "Another way."):
        folder = copy_pack(TINY, tmp_path / text / "tiny")
        skill = folder.parent / "_shared" / "skills" / "common" / "SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text(f"---\nname: common\ndescription: A guide.\n---\n{text}\n")
        edit_yaml(folder / "pack.yaml", lambda raw: raw.update(skills=["common"]))
        hashes.append(load_pack(folder).content_hash)
    assert hashes[0] != hashes[1]


def wished(folder: Path, text: str = "choices: {short: short, long: long}", *named: str) -> Path:
    """A copy of a pack beside which a lasting wish lies that packs share, and which names some of these."""
    copy_pack(TINY, folder / "tiny")
    shared = folder / "_shared" / "wishes" / "length.yaml"
    shared.parent.mkdir(parents=True)
    shared.write_text(
        f'{text}\nwish: "It is {{{{ it }}}}."\nfirst: "{{{{ it }}}}, please"\nagain: "{{{{ it }}}}, as ever"\n'
    )
    edit_yaml(folder / "tiny/pack.yaml", lambda raw: raw.update(wishes=list(named)))
    return folder / "tiny"


def test_a_person_has_the_lasting_wishes_of_the_pack_and_those_of_all_packs_that_it_names(tmp_path: Path) -> None:
    own, more = (
        load_pack(wished(tmp_path / str(len(named)), "choices: {1: one, 2: two}", *named))
        for named in ((), ("length",))
    )
    assert [*own.lasting_wishes] == ["case", "ending"]
    assert [*more.lasting_wishes] == ["case", "ending", "length"]
    values = [make_variant(more, more.source_of("01-list"), variant).values.persona for variant in range(9)]
    assert {one.length for one in values} == {1, 2}
    # What is drawn of the others stays.
    assert [make_variant(own, own.source_of("01-list"), number).values.persona.case for number in range(9)] == [
        one.case for one in values
    ]


def test_a_shared_wish_that_is_not_there_or_is_the_packs_own_is_named(tmp_path: Path) -> None:
    with pytest.raises(PackError, match=r"^pack\.yaml: wishes: .*'lenght'.*length"):
        load_pack(wished(tmp_path / "a", "choices: {1: one, 2: two}", "lenght"))
    with pytest.raises(PackError, match=r"^pack\.yaml: wishes: wishes/case\.yaml is the pack's own"):
        load_pack(wished(tmp_path / "b", "choices: {1: one, 2: two}", "case"))
    with pytest.raises(PackError, match=r"^_shared/wishes/length\.yaml: "):
        load_pack(wished(tmp_path / "c", "choice: 1", "length"))


def test_the_content_hash_covers_the_shared_wishes_that_a_person_has(tmp_path: Path) -> None:
    texts = ("choices: {1: one, 2: two}", "choices: {1: one, 3: three}")
    for number, named in enumerate([("length",), ()]):
        found = {
            load_pack(wished(tmp_path / f"{number}{at}", text, *named)).content_hash for at, text in enumerate(texts)
        }
        assert len(found) == 2 - number


def test_a_seed_that_changes_while_a_pack_is_played_is_no_other_content(tmp_path: Path) -> None:
    folder = copy_pack(TINY, tmp_path / "tiny")
    (folder / "world").mkdir()
    pack = load_pack(folder)
    (folder / "world" / "gmail.yaml").write_text("# a seed\n")
    assert pack.content_hash == load_pack(copy_pack(TINY, tmp_path / "same" / "tiny")).content_hash


def test_canaries_mark_every_hidden_text_and_nothing_else() -> None:
    plain, marked = (protocol().instantiate("01-three", 0, canary=canary) for canary in ("", "KANARY"))
    for intent in marked.intents:
        assert f"KANARY-{intent.id}" in intent.text
        assert f"KANARY-{intent.id}" in intent.reveal
    assert all(f"KANARY-{item.id}" in item.text for item in marked.checklist)
    assert all("KANARY-reference" in action for action in marked.reference)
    assert (marked.request, marked.opening, marked.files) == (plain.request, plain.opening, plain.files)


def test_a_recovery_reads_the_true_values_and_no_others() -> None:
    for variant in range(6):
        task = tiny().instantiate("03-ping", variant)
        hour = next((i for i in task.intents if i.name == "hour"), None)
        if hour is None:
            continue
        world = pack_world(tiny())
        workspace = world.workspace
        assert not hour.recover[0].holds(world)
        workspace.write("rules.txt", task.files["rules.txt"])
        assert hour.recover[0].holds(world)
        workspace.write("rules.txt", b"Every bed: water at 99 o'clock.")
        assert not hour.recover[0].holds(world)
