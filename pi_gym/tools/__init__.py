"""Tools: operations that an agent calls by name, declared once and run in one place."""

from pi_gym.tools.declare import Operation, ToolContext, ToolError, operation
from pi_gym.tools.dialogue import ask_user, message
from pi_gym.tools.files import edit_file, list_dir, read_file, write_file
from pi_gym.tools.registry import Registry, ToolResult
from pi_gym.tools.search import glob, grep

GENERAL = Registry((read_file, write_file, edit_file, list_dir, glob, grep, message, ask_user))

__all__ = ["GENERAL", "Operation", "Registry", "ToolContext", "ToolError", "ToolResult", "operation"]
