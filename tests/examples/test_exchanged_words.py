"""Words that stand for other words: the same one wherever it stands, and nothing but words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import ModuleType

import pytest
from support.scripts import loaded

from pi_gym.adapters.trl import TokenSample

WORDS = ["Rent", "drill", "417", "Ann", "Bob", "Cid", "saw", "89"]
VOCABULARY = {token: place for place, token in enumerate([":", "a", "7", *WORDS, "write me ", " ", "."])}


class Tokenizer:
    """A vocabulary of single characters, words, and a phrase that was added."""

    def __init__(self) -> None:
        self.added_tokens_decoder = {VOCABULARY["write me "]: "write me "}

    def get_vocab(self) -> dict[str, int]:
        return VOCABULARY

    def encode(self, text: str) -> list[int]:
        return [VOCABULARY[text]]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return loaded("shared.exchanged_words")


def samples(count: int) -> list[TokenSample]:
    place = VOCABULARY.__getitem__
    prompt = tuple(map(place, ["write me ", "Rent", ":", "417"]))
    return [TokenSample(prompt, tuple(map(place, ["Rent", "a", "417", "drill"])), (1, 0, 1, 1))] * count


def spelt(ids: Sequence[int]) -> str:
    names = list(VOCABULARY)
    return "".join(f"<{names[one]}>" for one in ids)


def test_each_word_is_another_one_or_two_everywhere_and_nothing_else_changes(script: ModuleType) -> None:
    other = r"((?:<\w{2,}>)(?:<[ .]><\w{2,}>)?)"
    seen, twos = set(), 0
    for sample in script.exchange_words(samples(200), Tokenizer(), 1.0, seed=0):
        prompt = re.fullmatch(f"<write me >{other}<:>{other}", spelt(sample.prompt_ids))
        completion = re.fullmatch(f"{other}<a>{other}{other}", spelt(sample.completion_ids))
        assert prompt is not None
        assert completion is not None
        assert prompt.groups() == completion.groups()[:2]
        assert len({*completion.groups()}) == 3
        lengths = [one.count("<") for one in completion.groups()]
        assert sample.env_mask == (*[1] * lengths[0], 0, *[1] * (lengths[1] + lengths[2]))
        seen.add(sample.completion_ids)
        twos += sum(length == 3 for length in lengths)
    assert len(seen) > 100
    assert 120 < twos < 240  # of 600


def test_the_share_is_that_of_the_samples_and_the_seed_decides(script: ModuleType) -> None:
    before = samples(400)
    after = script.exchange_words(before, Tokenizer(), 0.3, seed=1)
    changed = sum(one != other for one, other in zip(before, after, strict=True))
    assert 80 < changed < 160
    assert after == script.exchange_words(before, Tokenizer(), 0.3, seed=1)
    assert script.exchange_words(before, Tokenizer(), 0.0, seed=1) == before
