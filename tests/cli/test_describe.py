"""`pi-gym describe`: the pages of packs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.packs import FOLDER, TINY, copy_pack, edit_yaml
from typer.testing import CliRunner

from pi_gym.cli.main import app

ROOT = Path(__file__).parents[2]


def described(*arguments: object, status: int = 0) -> str:
    result = CliRunner().invoke(app, ["describe", *map(str, arguments)])
    assert result.exit_code == status, result.output
    return result.output


@pytest.mark.parametrize("name", ["pharmacist", "researcher"])
def test_the_page_of_a_person_is_up_to_date(name: str) -> None:
    page = ROOT / "docs" / f"{name}.md"
    assert page.read_text() == described(name), f"run: pi-gym describe {name} --out docs/{name}.md"


def test_the_page_of_the_scenarios_is_up_to_date() -> None:
    page = ROOT / "docs" / "pare_scenarios.md"
    assert page.read_text() == described("pare"), "run: pi-gym describe pare --out docs/pare_scenarios.md"


def test_page_is_written_to_a_file(tmp_path: Path) -> None:
    out = tmp_path / "pages" / "tiny.md"
    assert described(TINY, "--out", out) == ""
    assert out.read_text() == described(TINY)


def test_what_is_told_of_the_person_comes_from_the_pack(tmp_path: Path) -> None:
    folder = copy_pack(TINY, tmp_path / "tiny")
    assert "with both hands" not in described(folder)
    (folder / "about.md").write_text("Bo gardens with both hands.\n")
    assert "\n\nBo gardens with both hands.\n\n" in described(folder)


def test_episode_names_groups_triggers_and_what_is_held_out() -> None:
    page = described(TINY)
    assert "| 01-list | 2026-04-01 09:00 | Q | style 1/2 | A shopping list |" in page
    assert "| 03-ping | 2026-04-05 06:00 | R | held out | A sensor speaks | *event:* " in page
    assert '01_list["01-list"] -- 1 --> 02_memo["02-memo"]' in page
    assert "| 01-list | 02-memo | case | `memory/HISTORY.md` |" in page


def test_statistics_follow_the_pack(tmp_path: Path) -> None:
    assert "| checklist items | 12, 4.0 on average (3 to 6) a task |" in described(TINY)
    folder = copy_pack(TINY, tmp_path / "tiny")

    def one_more(raw: dict) -> None:
        raw["checklist"] = [{"name": "again", "criterion": "Once more.", "holds": {"order": {"names": "hour"}}}]

    edit_yaml(folder / "tasks" / "03-ping" / "task.yaml", one_more)
    page = described(folder)
    assert "| checklist items | 13, 4.3 on average (3 to 6) a task |" in page
    assert "| graders in the model mode | rule 13 |" in page


@pytest.mark.parametrize("missing", ["references", "predicates"])
def test_packs_that_cannot_be_played_are_refused(missing: str, tmp_path: Path) -> None:
    if missing == "predicates":
        folder = Path(shutil.copytree(FOLDER.parent / "packs_official" / "gardener", tmp_path / "gardener"))
    else:
        folder = copy_pack(TINY, tmp_path / "tiny")
        edit_yaml(folder / "pack.yaml", lambda raw: raw.update(references=False))
    assert "without references" in described(folder, status=1)
