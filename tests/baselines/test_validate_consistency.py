"""The check of a world against itself finds what is planted, and nothing in what agrees."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.packs import PROTOCOL, copy_pack, edit_yaml

from pi_gym import load_pack
from pi_gym.packs.task_world import TaskWorld
from pi_gym.packs.variants import make_variant
from pi_gym.proof.case import Case, make_case
from pi_gym.proof.consistency import check_consistency
from pi_gym.validation.report import Sheet

SOUND = Path(__file__).parent / "sound"
SKILL = "---\nname: baking\ndescription: Bread.\n---\n{text}\n"


def found(case: Case) -> list[str]:
    sheet = Sheet("consistency", case.task.variant)
    check_consistency(case, sheet)
    return [f"{finding.subject}: {finding.reason}" for finding in sheet.findings]


def written(folder: Path, **texts: str) -> Case:
    """The second session of a copy of the pack, with these texts in files of the first and the second one."""
    copy_pack(SOUND, folder)
    for name, text in texts.items():
        place = folder / "tasks" / ("01-scale" if name == "first" else "02-label") / "files" / f"{name}.md"
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return make_case(load_pack(folder), "02-label", 1)


AGREEING = {
    "names and days": "Dr. Ada Berg <ada.berg@mill.example> and ada.berg@mill.example, Wednesday, 1 April 2026",
    "another year in the text": "In 2025 we met on Tuesday 1 April.",
    "no person's address": "shop@mill.example, ada.m.berg@mill.example, release-1.2@mill.example",
    "days in a row": "Wednesday 1 April, Friday 3 April; Wed, April 1; 2026-04-01 (Wednesday)",
    "no day": "Monday 2 of 3 loaves, sunday roast",
}
CONTRARY = {
    "an address by its form": (
        "Ada Berg <ada.berg@mill.example>",
        "write to ada.berg@oven.example",
        "ada berg: one person",
    ),
    "a written name": ("Ada Berg <shop@mill.example>", "Ada Berg <ada@mill.example>", "ada berg: one person"),
    "two people at one address": (
        "Ada Berg <shop@mill.example>",
        "Ola Moe <shop@mill.example>",
        "shop@mill.example: one",
    ),
    "marks and titles": ("Prof. Adá Berg <a@mill.example>", "Ada Berg <b@mill.example>", "ada berg: one person"),
    "a day without a year": ("", "until Friday, 1 April", "2026-04-01 is a Wednesday"),
    "a day with a year": ("", "Fri, 3 Apr 2025", "2025-04-03 is a Thursday"),
    "month first": ("", "Thursday, April 3rd, 2026", "2026-04-03 is a Friday"),
    "the date first": ("", "on 3 April 2026, a Monday", "2026-04-03 is a Friday"),
    "as numbers": ("", "2026-04-03 (Mon)", "2026-04-03 is a Friday"),
    "no such day": ("", "Tuesday 31 April", "there is no such day"),
}


@pytest.mark.parametrize("name", AGREEING)
def test_a_world_that_agrees_passes(name: str, tmp_path: Path) -> None:
    assert found(written(tmp_path / "sound", first="", second=AGREEING[name])) == []


@pytest.mark.parametrize("name", CONTRARY)
def test_a_planted_contradiction_is_found_across_sessions(name: str, tmp_path: Path) -> None:
    first, second, reason = CONTRARY[name]
    (said,) = found(written(tmp_path / "sound", first=first, second=second))
    assert reason in said


def test_what_the_user_may_say_is_looked_at(tmp_path: Path) -> None:
    folder = copy_pack(SOUND, tmp_path / "sound")
    edit_yaml(folder / "tasks/01-scale/task.yaml", lambda raw: raw["wishes"][0].update(says="By Monday, 1 April."))
    (said,) = found(make_case(load_pack(folder), "01-scale", 1))
    assert said.startswith("the reveal of unit: says 'Monday, 1 April'")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Read with `read_file(path)` and `grep(pattern, path)`; print(1) and `round(x)` are no tools.", ""),
        ("Look it up: `web_search(query)`.", "web_search, which this session does not offer"),
        ("`gmail__raed_mail(id)`", "gmail__raed_mail, and there is no such tool"),
    ],
)
def test_a_skill_names_tools_of_its_session(text: str, reason: str, tmp_path: Path) -> None:
    folder = copy_pack(SOUND, tmp_path / "sound")
    (folder / "skills/baking").mkdir(parents=True)
    (folder / "skills/baking/SKILL.md").write_text(SKILL.format(text=text))
    edit_yaml(folder / "pack.yaml", lambda raw: raw.update(skills=["baking"]))
    edit_yaml(folder / "tasks/01-scale/task.yaml", lambda raw: raw.update(skills=["baking"]))
    said = found(make_case(load_pack(folder), "01-scale", 1))
    assert [reason in one for one in said] == [True] * bool(reason)


def test_a_skill_that_no_task_offers_is_left_alone(tmp_path: Path) -> None:
    folder = copy_pack(SOUND, tmp_path / "sound")
    (folder / "skills/baking").mkdir(parents=True)
    (folder / "skills/baking/SKILL.md").write_text(SKILL.format(text="`web_search(query)`"))
    edit_yaml(folder / "pack.yaml", lambda raw: raw.update(skills=["baking"]))
    assert found(make_case(load_pack(folder), "01-scale", 1)) == []


def test_the_packs_of_the_tests_agree() -> None:
    pack = load_pack(PROTOCOL)
    assert [found(make_case(pack, name, 0)) for name in pack.task_ids] == [[] for _ in pack.task_ids]


def test_a_seed_file_can_depend_on_what_is_drawn(tmp_path: Path) -> None:
    folder = copy_pack(SOUND, tmp_path / "sound")
    (folder / "tasks/01-scale/files/ask.md.j2").write_text("{{ 'ask her' if drawn('oven') else 'any oven' }}")
    pack = load_pack(folder)
    source = pack.source_of("01-scale")
    for variant in range(6):
        drawn = TaskWorld(source, made := make_variant(pack, source, variant), made.values).true_context["drawn"](
            "oven"
        )
        text = pack.instantiate("01-scale", variant).files["ask.md"].decode()
        assert text == ("ask her" if drawn else "any oven")
