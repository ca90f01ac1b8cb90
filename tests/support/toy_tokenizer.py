"""A tokenizer of characters with a chat template like those that write <|im_start|>, for tests of token handling."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

_START, END = "<|im_start|>", "<|im_end|>"
_SPECIAL = (_START, END)


class ToyTokenizer:
    """A tokenizer with all that `pi_gym.adapters.trl.chat_tokens` needs of one of transformers.

    Args:
        shows_tools: whether the template tells the model of its tools.
        drops_thoughts: whether the template leaves the thoughts out of all answers but the last.
    """

    chat_template = "toy"
    eos_token, eos_token_id = END, 1

    def __init__(self, *, shows_tools: bool = True, drops_thoughts: bool = False) -> None:
        self.shows_tools, self.drops_thoughts = shows_tools, drops_thoughts

    def __len__(self) -> int:
        return 0x110000 + len(_SPECIAL)

    def apply_chat_template(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tokenize: bool,
        tools: Sequence[Any] | None = None,
        add_generation_prompt: bool = False,
    ) -> str:
        assert not tokenize
        parts = []
        if tools and self.shows_tools:
            parts.append(f"{_START}tools\n{json.dumps(tools)}{END}\n")
        for place, message in enumerate(messages):
            body = message["content"]
            if message.get("tool_calls"):
                body += "".join(
                    f"<tool_call>{json.dumps(call['function'])}</tool_call>" for call in message["tool_calls"]
                )
            if message["role"] == "assistant" and self.drops_thoughts and place == len(messages) - 1:
                body = f"<think>\n\n</think>\n\n{body}"
            parts.append(f"{_START}{message['role']}\n{body}{END}\n")
        return "".join(parts) + (f"{_START}assistant\n" if add_generation_prompt else "")

    def __call__(self, text: str, *, add_special_tokens: bool) -> dict[str, list[int]]:
        assert not add_special_tokens
        ids = []
        while text:
            special = next((number for number, sign in enumerate(_SPECIAL) if text.startswith(sign)), None)
            ids.append(ord(text[0]) + len(_SPECIAL) if special is None else special)
            text = text[1 if special is None else len(_SPECIAL[special]) :]
        return {"input_ids": ids}

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool = False) -> str:
        return "".join(
            ("" if skip_special_tokens else _SPECIAL[one]) if one < len(_SPECIAL) else chr(one - len(_SPECIAL))
            for one in ids
        )
