"""Tools: operations that an agent calls by name, declared once and run in one place."""

from pi_gym.tools.declare import Operation, ToolContext, ToolError, operation
from pi_gym.tools.dialogue import ask_user, message
from pi_gym.tools.files import edit_file, list_dir, read_file, write_file
from pi_gym.tools.registry import Registry, ToolResult
from pi_gym.tools.search import glob, grep
from pi_gym.tools.shell import run_command

GENERAL = Registry((read_file, write_file, edit_file, list_dir, glob, grep, message, ask_user))
#: Offered only to tasks that name them, and with tools="all".
OPTIONAL = Registry((run_command,))
EVERY = GENERAL.merged(OPTIONAL)

__all__ = [
    "EVERY",
    "GENERAL",
    "OPTIONAL",
    "Operation",
    "Registry",
    "ToolContext",
    "ToolError",
    "ToolResult",
    "operation",
]
