"""Templates: strict Jinja over a variant's values, the engine's own prompts as files, and blocks of data in them."""

from pi_gym.templates.blocks import Markup, block, mark, quoted, quoted_letters
from pi_gym.templates.prompt_files import prompt_hash, render_prompt
from pi_gym.templates.template_tree import LateNamespace, Namespace, Tree, check_syntax, compile_tree, render_text

__all__ = [
    "LateNamespace",
    "Markup",
    "Namespace",
    "Tree",
    "block",
    "check_syntax",
    "compile_tree",
    "mark",
    "prompt_hash",
    "quoted",
    "quoted_letters",
    "render_prompt",
    "render_text",
]
