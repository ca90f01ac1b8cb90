"""The tiny model: its tokenizer gives every text back, and spells nothing that a session needs."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support.scripts import EXAMPLES, loaded

import pi_gym
from pi_gym.adapters.trl import token_sample

pytest.importorskip("trl", reason="needs trl and torch: make test-train")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.filterwarnings("ignore"),  # of torch, transformers and trl
]

MINI = "PiBench-Mini-v0"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return loaded("tiny_model")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "tiny"
    command = [sys.executable, str(EXAMPLES / "tiny_model.py"), "--out", str(out)]
    subprocess.run(command, check=True, env={**os.environ, "HF_HUB_OFFLINE": "1"})
    return out


@pytest.fixture(scope="module")
def tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder)


@pytest.mark.parametrize(
    "text",
    ["", "Ida", "a\nb\\n", "417.txt", "Straße, 3 €", "\x00 \t", "zq" * 50, '{"content": "hand saw\\nRent: 12\\n"}'],
    ids=repr,
)
def test_every_text_comes_back(tokenizer: Any, text: str) -> None:
    assert tokenizer.decode(tokenizer(text, add_special_tokens=False)["input_ids"]) == text


@pytest.mark.parametrize("split", ["train", "holdout"])
def test_a_session_is_a_few_hundred_tokens_and_no_word_of_it_is_spelt(
    tokenizer: Any, tmp_path: Path, split: str
) -> None:
    pi_gym.collect(MINI, "reference", split=split, sessions=9, seed=3, out=tmp_path)
    for record in pi_gym.read_trajectories(tmp_path):
        sample = token_sample(record, tokenizer, tool_format="text")
        ids = [*sample.prompt_ids, *sample.completion_ids]
        assert len(ids) < 400
        pieces = [tokenizer.decode([one]) for one in ids]
        # A letter that stands alone is a word, such as "a", or a label; letters side by side are a word that is spelt.
        runs = groupby(pieces, key=lambda piece: len(piece) == 1 and piece.isalpha())
        spelt = [word for alone, run in runs if alone and len(word := "".join(run)) > 1]
        assert not spelt


def test_phrases_stand_in_many_sessions_hold_no_digit_and_end_where_words_do(script: ModuleType) -> None:
    texts = [[f"Dear {name}, it is 3 pm."] for name in ("Ann", "Bob", "Cid", "Dan")]
    assert script.common_phrases(texts, 0.5) == [" pm.", ", it is "]


def test_phrases_do_not_hang_on_the_order_of_sets() -> None:
    code = """
import sys
sys.path.insert(0, sys.argv[1])
import tiny_model
texts = [[f"{a}: {b}, {c}; {a}. {b}! {c}?"] * 3 for a in "xyz" for b in "uvw" for c in "rst"]
print(tiny_model.common_phrases(texts, 0.1))
"""
    found = {
        subprocess.run(
            [sys.executable, "-c", code, str(EXAMPLES)],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(found) == 1


def test_a_word_that_was_never_seen_is_told_from_others_as_well_as_any(folder: Path) -> None:
    """Embeddings are of one length and nearly at right angles: none is easier to copy than another."""
    import torch
    from transformers import AutoModelForCausalLM

    weights = AutoModelForCausalLM.from_pretrained(folder).get_input_embeddings().weight
    lengths = weights.norm(dim=1)
    assert 0.75 < float(lengths.min()) < float(lengths.max()) < 1.25
    cosines = (
        torch.nn.functional.normalize(weights, dim=1)[:200] @ torch.nn.functional.normalize(weights, dim=1)[:200].T
    )
    assert float((cosines - torch.eye(200)).abs().max()) < 0.4
