"""Apps over the fixture pack `notes`, and short words for calling their operations."""

from __future__ import annotations

import json
from typing import Any

from pi_gym.apps import all_tools
from pi_gym.packs import Pack, load_pack
from pi_gym.packs.app_rows import id_base
from pi_gym.state import World
from pi_gym.tools import ToolContext, ToolResult
from pi_gym.types import ToolCall

from .packs import FOLDER

NOTES = FOLDER / "notes"
IDA = {"username": "ida@notes.example", "password": "crumbs"}


def notes_pack() -> Pack:
    return load_pack(NOTES)


def app_context(*apps: str, pack: Pack | None = None, **options: Any) -> ToolContext:
    """A context over a world with these apps as the pack has them, before any session."""
    seeds = (pack or notes_pack()).app_seeds
    world = World(apps={name: seeds.database(name) for name in apps or ("simple_note",)})
    return ToolContext(world, root="/home/ida/workspace", ids=id_base(0), protected=("memory/HISTORY.md",), **options)


def call_tool(context: ToolContext, tool: str, **arguments: Any) -> ToolResult:
    return all_tools().run(ToolCall(tool, arguments), context)


def done(context: ToolContext, tool: str, **arguments: Any) -> Any:
    """The JSON result of a call that has to succeed."""
    result = call_tool(context, tool, **arguments)
    assert result.ok, result.text
    return json.loads(result.text)


def refused(context: ToolContext, tool: str, **arguments: Any) -> str:
    """The error of a call that has to fail; the world must be as before."""
    before = context.world.state_hash()
    result = call_tool(context, tool, **arguments)
    assert not result.ok, result.text
    assert context.world.state_hash() == before
    return result.text


def signed_in(context: ToolContext | None = None) -> ToolContext:
    """A context in which Ida has signed in to Simple Note."""
    context = context or app_context()
    done(context, "simple_note__login", **IDA)
    return context
