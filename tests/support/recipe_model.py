"""A model of the architecture of the recipes for GPUs, with two layers of random weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.scripts import loaded

#: `config.json` of Qwen/Qwen3-4B-Instruct-2507: what the recipes' arithmetic counts with.
SHAPE = {
    "hidden_size": 2560,
    "intermediate_size": 9728,
    "num_hidden_layers": 36,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 151_936,
    "max_position_embeddings": 262_144,
    "tie_word_embeddings": True,
}


def recipe_tokenizer() -> Any:
    """One token a byte, with the chat template of the recipes' model."""
    from trl.chat_template_utils import qwen3_instruct_2507_chat_template

    from support.byte_tokenizer import byte_tokenizer

    tokenizer = byte_tokenizer()
    tokenizer.chat_template = qwen3_instruct_2507_chat_template
    return tokenizer


def save_recipe_model(folder: Path, **shape: Any) -> Path:
    """A small one, as a folder that trainers load.

    Args:
        folder: where.
        shape: what is other than in a small one.
    """
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    tokenizer = recipe_tokenizer()
    torch.manual_seed(0)
    small = {**loaded("shared.dry_run").SMALL, "vocab_size": 320}
    config = Qwen3Config(
        **{**SHAPE, **small, **shape}, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id
    )
    Qwen3ForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
