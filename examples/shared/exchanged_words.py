"""Sessions in which words stand for other words: what is learnt from them is where a word goes, and no word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from pi_gym.adapters.trl import TokenSample


def exchange_words(samples: Iterable[TokenSample], tokenizer: Any, share: float, seed: int) -> list[TokenSample]:
    """The samples, some of them with each word exchanged for another one, the same wherever it stands in the session.

    Args:
        samples: of a tokenizer with a token for each word.
        tokenizer: it; what was added to its vocabulary (phrases, signs) stays, and so do single characters.
        share: of the samples.
        seed: of what is drawn.
    """
    draw = Random(seed)
    kept = tokenizer.added_tokens_decoder
    words = sorted(
        place
        for token, place in tokenizer.get_vocab().items()
        if len(token) > 1 and token.isalnum() and place not in kept
    )
    known = frozenset(words)
    return [_exchanged(one, words, known, draw) if draw.random() < share else one for one in samples]


def _exchanged(sample: TokenSample, words: Sequence[int], known: frozenset[int], draw: Random) -> TokenSample:
    used = sorted(known.intersection([*sample.prompt_ids, *sample.completion_ids]))
    others = dict(zip(used, draw.sample(words, len(used)), strict=True))
    return replace(
        sample,
        prompt_ids=tuple(others.get(one, one) for one in sample.prompt_ids),
        completion_ids=tuple(others.get(one, one) for one in sample.completion_ids),
    )
