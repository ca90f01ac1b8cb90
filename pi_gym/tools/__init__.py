"""Tools: operations that an agent calls by name, declared once and run in one place."""

from pi_gym.tools.cron import cron
from pi_gym.tools.declare import Operation, ToolContext, ToolError, operation
from pi_gym.tools.dialogue import ask_user, message
from pi_gym.tools.files import edit_file, list_dir, read_file, write_file
from pi_gym.tools.notebook import notebook_edit
from pi_gym.tools.registry import MadeSchemas, Registry, ToolResult
from pi_gym.tools.search import glob, grep
from pi_gym.tools.shell import run_command
from pi_gym.tools.spawn import spawn
from pi_gym.tools.web import web_fetch, web_search

GENERAL = Registry((read_file, write_file, edit_file, list_dir, glob, grep, message, ask_user))
#: The tools that only tasks which name them get, or all with tools="all"; `spawn` only where somebody answers it.
OPTIONAL = Registry((run_command, cron, spawn, web_search, web_fetch, notebook_edit))
EVERY = GENERAL.merged(OPTIONAL)

__all__ = [
    "EVERY",
    "GENERAL",
    "OPTIONAL",
    "MadeSchemas",
    "Operation",
    "Registry",
    "ToolContext",
    "ToolError",
    "ToolResult",
    "operation",
]
