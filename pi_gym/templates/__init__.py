"""Templates: strict Jinja over a variant's values, and the engine's own prompts as files."""

from pi_gym.templates.prompt_files import prompt_hash, render_prompt
from pi_gym.templates.tree import Namespace, Tree, compile_tree, render_text

__all__ = ["Namespace", "Tree", "compile_tree", "prompt_hash", "render_prompt", "render_text"]
