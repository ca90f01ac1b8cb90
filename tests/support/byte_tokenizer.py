"""A tokenizer of the transformers library that needs no download: one token a byte, and Qwen 2.5's marks."""

from __future__ import annotations

from typing import Any

_SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")


def byte_tokenizer(chat_template: str | None = None) -> Any:
    """The tokenizer.

    Args:
        chat_template: None: TRL's copy of Qwen 2.5's, so that TRL knows how calls are written.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    if chat_template is None:
        from trl.chat_template_utils import qwen2_5_chat_template

        chat_template = qwen2_5_chat_template

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE(vocab={sign: place for place, sign in enumerate(alphabet)}, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    core.decoder = decoders.ByteLevel()
    core.add_special_tokens(list(_SPECIAL))
    made = PreTrainedTokenizerFast(
        tokenizer_object=core, eos_token="<|im_end|>", pad_token="<|endoftext|>", padding_side="left"
    )
    made.chat_template = chat_template
    return made
