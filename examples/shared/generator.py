"""Generating the next actions of many sessions with a small model, in the trainer's process."""

from __future__ import annotations

import time
from itertools import takewhile
from typing import Any

import torch
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.cache_utils import DynamicCache, DynamicLayer
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

#: The name of `grouped_attention` for transformers' `attn_implementation`.
GROUPED = "grouped"


def grouped_attention(module: Any, query: Any, key: Any, value: Any, mask: Any, **options: Any) -> tuple[Any, Any]:
    """Attention in which the heads that share keys and values are read as so many queries, where one token is made.

    The library copies keys and values for each head, which on a CPU takes five times as long as all the rest.
    """
    batch, heads, length, width = query.shape
    if length > 1:
        return sdpa_attention_forward(module, query, key, value, mask, **options)  # type: ignore[no-any-return]
    shared = key.shape[1]
    folded = query.reshape(batch, shared, heads // shared, width)
    found = torch.nn.functional.scaled_dot_product_attention(
        folded, key, value, attn_mask=mask, scale=options.get("scaling")
    )
    return found.reshape(batch, heads, 1, width).transpose(1, 2).contiguous(), None


AttentionInterface.register(GROUPED, grouped_attention)
AttentionMaskInterface.register(GROUPED, sdpa_mask)


class RoomyLayer(DynamicLayer):
    """A layer's keys and values, in memory with room for more: to join them anew for each token copies all of them."""

    #: Tokens for which there is room beside those that are there.
    room = 256
    _buffers: tuple[torch.Tensor, torch.Tensor]

    def update(self, key_states: torch.Tensor, value_states: torch.Tensor, *_: Any, **__: Any) -> Any:
        """Add the keys and values of some tokens, N x heads x T x width; gives all."""
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        # In half precision positions are turned in single precision, which attention would take back each time.
        news = key_states.to(value_states.dtype), value_states
        begun = self.get_seq_length()
        end = begun + value_states.shape[-2]
        # What was chosen of a batch, or repeated, lies in memory of its own.
        if not begun or self._buffers[0].data_ptr() != self.keys.data_ptr() or end > self._buffers[0].shape[2]:
            shape = (*value_states.shape[:2], end + self.room, value_states.shape[-1])
            self._buffers = news[0].new_empty(shape), news[1].new_empty(shape)
            if begun:
                for buffer, old in zip(self._buffers, (self.keys, self.values), strict=True):
                    buffer[:, :, :begun] = old
        for buffer, new in zip(self._buffers, news, strict=True):
            buffer[:, :, begun:end] = new
        self.keys, self.values = (buffer[:, :, :end] for buffer in self._buffers)
        return self.keys, self.values


def roomy_cache(config: Any) -> DynamicCache:
    """A cache for a model of this configuration."""
    cache = DynamicCache(config=config)
    cache.layers = [RoomyLayer() if type(layer) is DynamicLayer else layer for layer in cache.layers]
    return cache


class Generator:
    """Generates the next actions of a batch of sessions, and reads no token of theirs twice.

    The sessions are those of the call before, or a part of them, with what was said since; else they are read from the
    beginning. What all of them begin with is read once. Keys and values stay in one cache of equal lengths, in which
    the places between a session's parts are masked.

    Args:
        model: a causal language model; it is put into evaluation mode while it generates.
        tokenizer: its tokenizer.
        new_tokens: tokens of one action, at most.
        temperature: 0: the likeliest token.
        bf16: matrix products in half precision.
    """

    def __init__(
        self, model: Any, tokenizer: Any, *, new_tokens: int, temperature: float = 0.0, bf16: bool = False
    ) -> None:
        self.model, self.tokenizer, self.new_tokens, self.temperature = model, tokenizer, new_tokens, temperature
        self.bf16 = bf16
        self._rows: list[list[int]] = []
        #: Seconds that all calls took.
        self.seconds = 0.0

    @torch.inference_mode()
    def __call__(self, prompts: list[list[int]], trainer: Any = None) -> tuple[list[list[int]], None]:
        """The tokens of each next action; their log-probabilities are not looked at."""
        with torch.autocast(self.model.device.type, dtype=torch.bfloat16, enabled=self.bf16):
            return self._generate(prompts), None

    def _generate(self, prompts: list[list[int]]) -> list[list[int]]:
        begun, training = time.monotonic(), self.model.training
        self.model.eval()
        ids, mask = self._laid_out(prompts)
        how: dict[str, Any] = {"do_sample": False}
        if self.temperature > 0:
            how = {"do_sample": True, "temperature": self.temperature, "top_k": 0, "top_p": 1.0}
        self._ids = self.model.generate(
            input_ids=ids,
            attention_mask=mask,
            past_key_values=self._cache,
            max_new_tokens=self.new_tokens,
            eos_token_id=self.tokenizer.eos_token_id,
            pad_token_id=self.tokenizer.pad_token_id,
            **how,
        )
        made = [self._until_the_end(row) for row in self._ids[:, ids.shape[1] :].tolist()]
        lengths = torch.tensor([len(one) for one in made], device=ids.device)
        written = torch.arange(self._ids.shape[1] - ids.shape[1], device=ids.device) < lengths[:, None]
        self._mask = torch.cat([mask, written.to(mask.dtype)], dim=1)
        self._rows = [[*prompt, *one] for prompt, one in zip(prompts, made, strict=True)]
        self.model.train(training)
        self.seconds += time.monotonic() - begun
        return made

    def _until_the_end(self, row: list[int]) -> list[int]:
        end = self.tokenizer.eos_token_id
        return row[: row.index(end) + 1] if end in row else row

    def _laid_out(self, prompts: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
        """Token ids and mask of all that was and will be read, N x T."""
        places = self._places(prompts)
        if places is None:
            # The last tokens are left out: there must be something to go on from.
            alike = takewhile(lambda ids: len(set(ids)) == 1, zip(*(prompt[:-1] for prompt in prompts), strict=False))
            shared = [ids[0] for ids in alike]
            self._cache = roomy_cache(self.model.config)
            self._ids = torch.tensor([shared], device=self.model.device).repeat(len(prompts), 1)
            if shared:
                self.model(self._ids[:1], past_key_values=self._cache, use_cache=True, logits_to_keep=1)
                self._cache.batch_repeat_interleave(len(prompts))
            self._mask = torch.ones_like(self._ids)
            news = [prompt[len(shared) :] for prompt in prompts]
        else:
            kept = torch.tensor(places, device=self.model.device)
            if len(places) < len(self._rows):
                self._cache.batch_select_indices(kept)
            self._ids, self._mask = self._ids[kept], self._mask[kept]
            news = [prompt[len(self._rows[place]) :] for place, prompt in zip(places, prompts, strict=True)]
        width = max(map(len, news))
        pad = self.tokenizer.pad_token_id
        added = torch.tensor([[pad] * (width - len(one)) + one for one in news], device=self.model.device)
        seen = torch.tensor([[0] * (width - len(one)) + [1] * len(one) for one in news], device=self.model.device)
        return torch.cat([self._ids, added], dim=1), torch.cat([self._mask, seen], dim=1)

    def _places(self, prompts: list[list[int]]) -> list[int] | None:
        """The row that each prompt goes on from; None where they do not all, in their order."""
        places: list[int] = []
        for prompt in prompts:
            first = places[-1] + 1 if places else 0
            rows = range(first, len(self._rows))
            found = next((place for place in rows if _continues(prompt, self._rows[place])), None)
            if found is None:
                return None
            places.append(found)
        return places


def _continues(prompt: list[int], row: list[int]) -> bool:
    return len(prompt) > len(row) and prompt[: len(row)] == row
