"""Every task of every installed pack is proved, on a few variants here and on many under the mark `slow`."""

from __future__ import annotations

import pytest

from pi_gym import load_pack
from pi_gym.baselines.validate import validate_pack
from pi_gym.installed import envs_folder, installed_packs

# By folder, without opening a pack: a broken one fails its own tests and leaves the others' alone.
TASKS = [
    (pack, folder.parent.name)
    for pack in installed_packs()
    for folder in sorted((envs_folder() / pack / "tasks").glob("*/task.yaml"))
]


@pytest.mark.parametrize(("pack", "task_id"), TASKS)
def test_task_is_proved_on_two_variants(pack: str, task_id: str) -> None:
    report = validate_pack(load_pack(pack), [task_id], variants=1)
    assert report.ok, report.markdown()


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("pack", installed_packs())
def test_pack_is_proved_on_many_variants(pack: str) -> None:
    report = validate_pack(load_pack(pack), variants=20, jobs=2)
    assert report.ok, report.markdown()
