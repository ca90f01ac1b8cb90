"""Sessions in which words stand for other words: what is learnt from them is where a word goes, and no word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from pi_gym.adapters.trl import TokenSample

#: The share of the words that two others stand for: who copies learns to go on until the end, too.
_TWO = 0.3


def exchange_words(samples: Iterable[TokenSample], tokenizer: Any, share: float, seed: int) -> list[TokenSample]:
    """The samples, some of them with each word exchanged for another one, the same wherever it stands in the session.

    For three words in ten two others stand, with a space or a full stop between them.

    Args:
        samples: of a tokenizer with a token for each word, and for single characters.
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
    between = [place for sign in (" ", ".") for place in tokenizer.encode(sign)]
    known = frozenset(words)
    return [_exchanged(one, words, known, between, draw) if draw.random() < share else one for one in samples]


def _exchanged(
    sample: TokenSample, words: Sequence[int], known: frozenset[int], between: Sequence[int], draw: Random
) -> TokenSample:
    used = sorted(known.intersection([*sample.prompt_ids, *sample.completion_ids]))
    others: dict[int, tuple[int, ...]] = {}
    for one, other in zip(used, draw.sample(words, len(used)), strict=True):
        others[one] = (other, draw.choice(between), draw.choice(words)) if draw.random() < _TWO else (other,)
    return replace(
        sample,
        prompt_ids=_spelt(sample.prompt_ids, others),
        completion_ids=_spelt(sample.completion_ids, others),
        env_mask=tuple(
            made
            for one, made in zip(sample.completion_ids, sample.env_mask, strict=True)
            for _ in others.get(one, (one,))
        ),
    )


def _spelt(ids: Sequence[int], others: Mapping[int, tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(new for one in ids for new in others.get(one, (one,)))
