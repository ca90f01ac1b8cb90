r"""Make a tiny causal model on the spot, with a tokenizer of its own: something to watch learning on in minutes.

    python examples/tiny_model.py --out runs/tiny/untrained
    python examples/trl_sft.py --model runs/tiny/untrained --out runs/tiny/warm --noise 0.3 --demonstrations 12800 \
      --epochs 1 --batch 32 --micro 32 --rate 3e-3 --freeze-embeddings --rounds 0

What nearly all sessions have in common (the system message, the frame of a tool call) is a token each, and so is each
word, so that a session is some 150 tokens. Embeddings are random and meant to stay so (`--freeze-embeddings`): with
them a model cannot know words by heart, and copies one that it never saw as well as any other. It knows the words of
all tasks, the held-out ones too, as language models do; what it learns, it learns in train worlds. The other weights
are random, too: the second command warms the model up, by references into which mistakes are put. It speaks the tasks
that it was made for, and nothing else.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

import pi_gym
from pi_gym.adapters.trl import token_sample

START, END, PAD = "<|im_start|>", "<|im_end|>", "<|pad|>"
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
#: A line's end within a JSON string, a word, a number, or any other character.
_PIECES = r"\\n|[A-Za-z]+|\d+|\s|."
_PIECE, _WORD = re.compile(_PIECES), re.compile(r"[A-Za-z]{2,}|\d{2,}")
#: All numbers of so many digits are words.
_DIGITS = 3
#: How strongly heads begin to copy, against weights that are random.
_SCALE = 0.6


def own_tokenizer(words: Iterable[str] = (), phrases: Iterable[str] = ()) -> PreTrainedTokenizerFast:
    """A tokenizer with these words and phrases, and a line's end in JSON, as a token each, that spells all else."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {piece: place for place, piece in enumerate(dict.fromkeys([*alphabet, "\\n", *sorted(words)]))}
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=[], ignore_merges=True))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_PIECES), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([START, END, PAD])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=made, eos_token=END, pad_token=PAD, padding_side="left")
    tokenizer.add_tokens([AddedToken(phrase, normalized=False) for phrase in phrases])
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def common_phrases(texts: Iterable[Sequence[str]], share: float) -> list[str]:
    """The runs of words and signs that stand in at least this share of the sessions, as long as they get.

    Neighbours that stand together most often are joined, until none do so in enough sessions.

    Args:
        texts: of each session, what stands between the signs that begin and end a message.
        share: words that stand in fewer sessions are part of no phrase, nor are digits: names, labels and values, which
            differ between worlds, are spelt.
    """
    sessions = [[_PIECE.findall(part) for part in parts] for parts in texts]
    least = share * len(sessions)
    found = Counter(piece for rows in sessions for piece in {piece for row in rows for piece in row})
    common = {piece for piece, count in found.items() if count >= least and not piece.isdigit()}
    while True:
        pairs: Counter[tuple[str, str]] = Counter()
        for rows in sessions:
            pairs.update({pair for row in rows for pair in pairwise(row) if common.issuperset(pair)})
        joined = {pair for pair, count in pairs.items() if count >= least}
        if not joined:
            break
        # Pairs that share no piece with one that is joined before them are joined in the same go.
        taken: set[str] = set()
        chosen = set()
        for pair in sorted(joined, key=lambda pair: (-pairs[pair], pair)):
            if taken.isdisjoint(pair):
                taken.update(pair)
                chosen.add(pair)
        common |= {"".join(pair) for pair in chosen}
        sessions = [[_joined(row, chosen) for row in rows] for rows in sessions]
    used = {piece for rows in sessions for row in rows for piece in row if piece in common}
    return sorted({ended for piece in used if len(_PIECE.findall(ended := _ended(piece))) > 1})


def _ended(piece: str) -> str:
    """What is left without a word at either end: a phrase is found wherever its text stands, be it within a word."""
    return re.sub(r"^[^\W_]+|[^\W_]+$", "", piece)


def _joined(row: Sequence[str], pairs: Collection[tuple[str, str]]) -> list[str]:
    made: list[str] = []
    for piece in row:
        if made and (made[-1], piece) in pairs:
            made[-1] += piece
        else:
            made.append(piece)
    return made


def session_texts(env: str, split: str, sessions: int, tool_format: str) -> list[list[str]]:
    """What stands between the signs of a message, of references."""
    plain = own_tokenizer()
    with TemporaryDirectory() as folder:
        pi_gym.collect(env, "reference", split=split, sessions=sessions, out=folder)
        samples = [token_sample(one, plain, tool_format=tool_format) for one in pi_gym.read_trajectories(folder)]
    # An action begins behind the name of who acts, so that no phrase may reach over it.
    sign = re.compile(f"{re.escape(START)}(?:assistant\n)?|{re.escape(END)}")
    return [sign.split(plain.decode([*sample.prompt_ids, *sample.completion_ids])) for sample in samples]


@torch.no_grad()
def prepare(model: LlamaForCausalLM) -> None:
    """Begin where copying is near: else it takes ten times as many steps until a model finds out how.

    Every head looks for tokens like the one that asks, and hands on what it finds (Trockman and Kolter, 2023, "Mimetic
    initialization of self-attention layers": queries are keys, what values take out the output puts back).
    """
    embeddings = model.get_input_embeddings().weight
    width = embeddings.shape[1]
    # Of length 1: with the usual, smaller ones a model that may not change them cannot be sure of a word.
    torch.nn.init.normal_(embeddings, std=width**-0.5)
    for layer in model.model.layers:
        attention = layer.self_attn
        for into, out in ((attention.q_proj, attention.k_proj), (attention.v_proj, attention.o_proj)):
            turned = _SCALE * torch.linalg.qr(torch.randn(width, width))[0]
            into.weight.copy_(turned)
            out.weight.copy_(turned if out is attention.k_proj else turned.T)


def main() -> None:
    """Make the tokenizer and the model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", default="PiBench-Mini-v0", help="a registered environment")
    parser.add_argument("--out", type=Path, required=True, help="a folder")
    parser.add_argument("--tool-format", choices=("text", "schemas"), default="text", help="how tools are told")
    parser.add_argument("--sessions", type=int, default=600, help="references of a split that it knows the words of")
    parser.add_argument("--width", type=int, default=192, help="of the model; a multiple of 32")
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    texts = {
        split: session_texts(asked.env, split, asked.sessions, asked.tool_format) for split in ("train", "holdout")
    }
    phrases = common_phrases(texts["train"], share=0.2)
    words = {word for found in texts.values() for parts in found for part in parts for word in _WORD.findall(part)}
    numbers = map(str, range(10, 10**_DIGITS))
    tokenizer = own_tokenizer([*words, *numbers], ["assistant\n", *phrases])
    torch.manual_seed(asked.seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=asked.width,
        intermediate_size=2 * asked.width,
        num_hidden_layers=asked.layers,
        num_attention_heads=asked.width // 32,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
    )
    model = LlamaForCausalLM(config)
    prepare(model)
    model.save_pretrained(asked.out)
    tokenizer.save_pretrained(asked.out)
    print(f"{asked.out}: {model.num_parameters():,} weights, {len(tokenizer)} tokens, {len(phrases)} of them phrases")


if __name__ == "__main__":
    main()
