"""A policy of a batch that generates tokens: those of the references."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pi_gym
from support.toy_tokenizer import END, ToyTokenizer


class ToyPolicy:
    """Plays the references of a batch, as a model that generates tokens."""

    def __init__(
        self, tokenizer: ToyTokenizer, rows: Sequence[dict[str, Any]], *, logprobs: bool = True, pack: str = "mini"
    ) -> None:
        loaded = pi_gym.load_pack(pack)
        self.tokenizer, self.logprobs = tokenizer, logprobs
        self.left = [list(loaded.instantiate(row["task"], row["variant"]).reference) for row in rows]
        self.batches: list[int] = []
        self.going = list(range(len(rows)))

    def __call__(self, prompts: list[list[int]], trainer: Any) -> tuple[list[list[int]], list[list[float]] | None]:
        self.going = [place for place in self.going if self.left[place]]
        assert len(prompts) == len(self.going)
        self.batches.append(len(prompts))
        made = [
            self.tokenizer(self.left[place].pop(0) + END, add_special_tokens=False)["input_ids"] for place in self.going
        ]
        return made, [[-0.5] * len(ids) for ids in made] if self.logprobs else None
