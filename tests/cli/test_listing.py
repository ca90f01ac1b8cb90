"""`list` and `show`."""

from __future__ import annotations

import pytest
from support.packs import TINY, copy_pack, tiny
from typer.testing import CliRunner

from pi_gym.cli.main import app
from pi_gym.pibench.history import world_before
from pi_gym.pibench.registration import env_id


def told(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_list_names_every_environment_and_task():
    from pi_gym.installed import installed_packs
    from pi_gym.packs import load_pack

    text = told("list")
    for name in installed_packs():
        assert env_id(name) in text
        for task_id in load_pack(name).task_ids:
            assert task_id in text


def test_list_gives_the_ids_alone_for_scripts():
    import gymnasium as gym

    ids = told("list", "--ids").split()
    assert "PiBench-v0" in ids
    assert all(name in gym.registry for name in ids)


def test_list_shows_what_a_task_is_made_of():
    text = told("list", TINY)
    row = next(line for line in text.splitlines() if line.startswith("03-ping"))
    assert row.split() == ["03-ping", "-", "holdout", "R", "event", "1", "of", "3", "3"]
    assert "3 tasks, 1 of them holdout" in text


def test_a_broken_pack_is_named_with_file_and_field(tmp_path):
    pack = copy_pack(TINY, tmp_path / "broken")
    (pack / "persona.yaml").write_text("name: 3\n")
    result = CliRunner().invoke(app, ["list", str(pack)])
    assert result.exit_code == 1
    assert "persona.yaml" in result.stderr


@pytest.mark.parametrize("variant", [0, 3])
def test_show_gives_what_the_agent_sees_and_nothing_hidden(variant):
    text = told("show", "02-memo", "--pack", TINY, "--variant", variant)
    task = tiny().instantiate("02-memo", variant)
    assert task.opening in text
    assert "ask_user" in text
    assert all(path in text for path, _ in world_before(tiny(), "02-memo", variant).workspace.walk())
    assert not any(intent.text in text for intent in task.intents)
    assert not any(action in text for action in task.reference)


def test_show_hidden_gives_everything():
    text = told("show", "01-list", "--pack", TINY, "--variant", 2, "--hidden")
    task = tiny().instantiate("01-list", 2)
    for part in (*task.intents, *task.checklist):
        assert part.text in text
    assert all(action in text for action in task.reference)
    assert all(f"{name}: " in text for name in task.values)
