"""Words that stand for other words: the same one wherever it stands, and nothing but words."""

from __future__ import annotations

from types import ModuleType

import pytest
from support.scripts import loaded

from pi_gym.adapters.trl import TokenSample

WORDS = ["Rent", "drill", "417", "Ann", "Bob", "Cid", "saw", "89"]
VOCABULARY = {token: place for place, token in enumerate([":", "a", "7", *WORDS, "write me "])}


class Tokenizer:
    """A vocabulary of single characters, words, and a phrase that was added."""

    def __init__(self) -> None:
        self.added_tokens_decoder = {VOCABULARY["write me "]: "write me "}

    def get_vocab(self) -> dict[str, int]:
        return VOCABULARY


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return loaded("shared.exchanged_words")


def samples(count: int) -> list[TokenSample]:
    place = VOCABULARY.__getitem__
    prompt = tuple(map(place, ["write me ", "Rent", ":", "417"]))
    return [TokenSample(prompt, tuple(map(place, ["Rent", "a", "417", "drill"])), (1, 0, 1, 1))] * count


def test_each_word_is_another_one_everywhere_and_nothing_else_changes(script: ModuleType) -> None:
    words = set(range(3, 3 + len(WORDS)))
    seen = set()
    for before, after in zip(samples(50), script.exchange_words(samples(50), Tokenizer(), 1.0, seed=0), strict=True):
        assert after.env_mask == before.env_mask
        pairs = list(
            zip((*before.prompt_ids, *before.completion_ids), (*after.prompt_ids, *after.completion_ids), strict=True)
        )
        assert all(old == new for old, new in pairs if old not in words)
        assert all(new in words for old, new in pairs if old in words)
        assert len({old for old, _ in pairs}) == len({new for _, new in pairs}) == len(set(pairs))
        seen.add(after.completion_ids)
    assert len(seen) > 25


def test_the_share_is_that_of_the_samples_and_the_seed_decides(script: ModuleType) -> None:
    before = samples(400)
    after = script.exchange_words(before, Tokenizer(), 0.3, seed=1)
    changed = sum(one != other for one, other in zip(before, after, strict=True))
    assert 80 < changed < 160
    assert after == script.exchange_words(before, Tokenizer(), 0.3, seed=1)
    assert script.exchange_words(before, Tokenizer(), 0.0, seed=1) == before
