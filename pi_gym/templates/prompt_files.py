"""The engine's prompts: files beside this module, rendered strictly."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from pi_gym.templates.template_tree import Tree, compile_tree

FOLDER = Path(__file__).parent / "prompts"


@cache
def _source(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


@cache
def _template(name: str) -> Tree:
    return compile_tree(_source(name), f"prompts/{name}")


def render_prompt(name: str, **values: Any) -> str:
    """A prompt file with its values filled in; an undefined name is an error."""
    return str(_template(name)(values))


@cache
def prompt_hash() -> str:
    """SHA-256 over all prompt files, kept in trajectories: two runs with equal hashes used the same prompts."""
    digest = hashlib.sha256()
    for entry in sorted(FOLDER.iterdir(), key=lambda item: item.name):
        if entry.name.endswith(".md"):
            digest.update(entry.name.encode() + b"\0" + entry.read_bytes())
    return digest.hexdigest()
