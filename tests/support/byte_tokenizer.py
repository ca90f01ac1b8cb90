"""A tokenizer of the transformers library that needs no download: one token a byte, and the marks of Qwen's models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
#: Those that Qwen 3 writes as one token as well.
_TAGS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>")


def byte_tokenizer(chat_template: str | None = None) -> Any:
    """The tokenizer.

    Args:
        chat_template: None: TRL's copy of Qwen 2.5's, so that TRL knows how calls are written.
    """
    if chat_template is None:
        from trl.chat_template_utils import qwen2_5_chat_template

        chat_template = qwen2_5_chat_template
    made = _tokenizer(_SPECIAL)
    made.chat_template = chat_template
    return made


def qwen3_tokenizer() -> Any:
    """With the marks of Qwen 3, and no template: what writes the tokens of chats has that of its own."""
    return _tokenizer((*_SPECIAL, *_TAGS))


def _tokenizer(special: Sequence[str]) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE(vocab={sign: place for place, sign in enumerate(alphabet)}, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    core.decoder = decoders.ByteLevel()
    core.add_special_tokens(list(special))
    return PreTrainedTokenizerFast(
        tokenizer_object=core, eos_token="<|im_end|>", pad_token="<|endoftext|>", padding_side="left"
    )
