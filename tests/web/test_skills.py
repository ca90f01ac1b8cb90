"""Skills: guides that every agent can follow, since they name only tools and parameters that exist."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import re2
import yaml

from pi_gym.installed import envs_folder
from pi_gym.packs import load_pack
from pi_gym.tools import EVERY

LISTED = yaml.safe_load((Path(__file__).parents[1] / "apps" / "listed.yaml").read_text(encoding="utf-8"))
SHARED = sorted((envs_folder() / "_shared" / "skills").glob("*/SKILL.md"))
OWN = {pack: sorted((envs_folder() / pack / "skills").glob("*/SKILL.md")) for pack in ("researcher", "pharmacist")}
SKILLS = pytest.mark.parametrize(
    "path", [*SHARED, *(path for paths in OWN.values() for path in paths)], ids=lambda path: path.parent.name
)
# `name(argument, argument=value)` between backticks.
CALL = re2.compile(r"`([a-z_]+)\(([^()`]*)\)`")
NAME = re2.compile(r"\b([a-z_]+__[a-z_]+)\b")


def known_tools() -> dict[str, list[str] | None]:
    """Parameters by tool; None where only the name is known."""
    known: dict[str, list[str] | None] = {tool.name: [p.name for p in tool.parameters] for tool in EVERY}
    for app, operations in LISTED.items():
        for name, parameters in operations.items():
            listed = None if parameters is None else [part.split(":")[0].strip() for part in split(parameters)]
            known[f"{app}__{name}"] = listed
    return known


def split(parameters: str) -> list[str]:
    """Parameters of a signature; commas within brackets do not part them."""
    parts, depth = [""], 0
    for c in parameters:
        depth += (c == "[") - (c == "]")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part for part in parts if part.strip()]


def calls(text: str) -> list[tuple[str, list[str]]]:
    return [
        (str(m.group(1)), [part.split("=")[0].strip() for part in split(str(m.group(2)))]) for m in CALL.finditer(text)
    ]


def read(path: Path) -> tuple[Any, str]:
    _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(front), body


def test_there_are_enough_skills() -> None:
    assert len(SHARED) >= 5
    assert all(len(paths) >= 5 for paths in OWN.values())
    names = [path.parent.name for paths in (SHARED, *OWN.values()) for path in paths]
    assert len(set(names)) == len(names)


@SKILLS
def test_front_matter_has_name_and_description(path: Path) -> None:
    front, body = read(path)
    assert set(front) == {"name", "description"}
    assert front["name"] == path.parent.name
    assert 40 <= len(front["description"]) <= 160
    assert 150 <= len(body.split()) <= 600
    pack = load_pack("researcher")
    if front["name"] in pack.spec.skills:
        assert pack.skill(front["name"]) == {"name": front["name"], "description": front["description"]}


@SKILLS
def test_tools_and_parameters_exist(path: Path) -> None:
    known, body = known_tools(), read(path)[1]
    used = calls(body)
    assert used, "a guide that names no tool"
    for name, arguments in used:
        assert name in known
        parameters = known[name]
        if parameters is not None:
            assert set(arguments) <= set(parameters), name
    assert {str(match.group(1)) for match in NAME.finditer(body)} <= set(known)


@SKILLS
def test_nothing_of_the_world_stands_in_a_guide(path: Path) -> None:
    """Method only: no person, house or partner of any pack."""
    text = path.read_text(encoding="utf-8")
    personas = [yaml.safe_load(one.read_text(encoding="utf-8")) for one in envs_folder().glob("*/persona.yaml")]
    facts = [str(value) for persona in personas for value in persona.get("facts", {}).values()]
    names = {word for value in facts for word in value.split() if word[0].isupper() and len(word) > 4}
    assert names
    assert not {name for name in names - {"Prof.", "Institute", "Technology", "Machines"} if name in text}
