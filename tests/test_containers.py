"""The container files: what they copy is there, and what they start is a command."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.main import get_command

from pi_gym.cli.main import app

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "containers").glob("*.Containerfile"))


def steps(path: Path) -> list[tuple[str, str]]:
    """The instructions of a file with what they say."""
    text = re.sub(r"^#.*\n", "", path.read_text(), flags=re.M).replace("\\\n", " ")
    return [(line.split()[0], line.partition(" ")[2].strip()) for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_is_copied_is_there_and_all_of_the_package_is(path: Path) -> None:
    copied = {name for kind, said in steps(path) if kind == "COPY" for name in said.split()[:-1]}
    assert not [name for name in copied if not (ROOT / name).exists()]
    assert copied >= {"pi_gym", "envs", "wrappers", "baselines", "setup.py", "setup.cfg", "pyproject.toml"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_is_started_is_a_command_of_ours(path: Path) -> None:
    found = {kind: json.loads(said) for kind, said in steps(path) if kind in ("ENTRYPOINT", "CMD")}
    program, name, *arguments = [*found["ENTRYPOINT"], *found["CMD"]]
    assert program == "pi-gym"
    group = get_command(app)
    with group.make_context("pi-gym", [name, *arguments], resilient_parsing=True) as context:
        _, command, rest = group.resolve_command(context, [name, *arguments])  # type: ignore[attr-defined]
        assert command.make_context(name, list(rest)).params["env_id"] in pi_gym_ids()


def pi_gym_ids() -> list[str]:
    from pi_gym.registration import registered_ids

    return registered_ids()
