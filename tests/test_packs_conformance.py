"""Every task of every installed pack: played right and not at all; `make validate` proves the rest."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from pi_gym import load_pack
from pi_gym.installed import envs_folder, installed_packs
from pi_gym.proof.case import make_case
from pi_gym.proof.work import check_reference, check_untouched
from pi_gym.sampling import FIRST_VALIDATION
from pi_gym.validation.report import Sheet

# By folder, without opening a pack: a broken one fails its own tests and leaves the others' alone.
TASKS = [
    (pack, folder.parent.name)
    for pack in installed_packs()
    for folder in sorted((envs_folder() / pack / "tasks").glob("*/task.yaml"))
]


@pytest.mark.parametrize(("pack", "task_id"), TASKS)
def test_right_work_is_paid_in_full_and_none_not_at_all(pack: str, task_id: str) -> None:
    for variant in (0, FIRST_VALIDATION):
        case = make_case(load_pack(pack), task_id, variant)
        for check in (check_reference, check_untouched):
            sheet = Sheet(check.__name__, variant)
            check(case, sheet)
            assert not sheet.findings


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("pack", "task_id"), TASKS)
def test_worlds_can_be_drawn_of_many_variants(pack: str, task_id: str) -> None:
    """Of some the wishes leave little room; one that is drawn in vain would be an error in the middle of a run."""
    opened = load_pack(pack)
    for variant in range(FIRST_VALIDATION, FIRST_VALIDATION + 200):
        opened.instantiate(task_id, variant)


@pytest.mark.parametrize("path", sorted(envs_folder().rglob("*.py")), ids=lambda path: "/".join(path.parts[-3:]))
def test_nothing_of_a_pack_is_drawn_without_an_end(path: Path) -> None:
    """`attempts` ends with an error where a world cannot be."""
    loops = [node.lineno for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if endless(node)]
    assert not loops, f"{path}: use `for _ in attempts():` in line {', '.join(map(str, loops))}"


def endless(node: ast.AST) -> bool:
    """Whether it is a loop whose condition always holds."""
    return isinstance(node, ast.While) and isinstance(node.test, ast.Constant)
