"""Every task of every installed pack: played right and not at all here, proved under `slow` and by `make validate`."""

from __future__ import annotations

import pytest

from pi_gym import load_pack
from pi_gym.installed import envs_folder, installed_packs
from pi_gym.proof import validate_pack
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
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("pack", installed_packs())
def test_pack_is_proved_on_many_variants(pack: str) -> None:
    report = validate_pack(load_pack(pack), variants=20, jobs=2)
    assert report.ok, report.markdown()
