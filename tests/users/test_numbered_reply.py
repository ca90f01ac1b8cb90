"""A reply as numbered sentences: nothing of it is lost, and nothing of it can imitate a number."""

from __future__ import annotations

import pytest
from hostile_texts import HOSTILE
from hypothesis import given
from hypothesis import strategies as st
from support.blocks import tree

from pi_gym.templates import block
from pi_gym.users.numbered_reply import MAX_SENTENCES, number_sentences

ODD = st.sampled_from([".", "? ", "! ", "\n", "\r\n", "\u2028", "\x85", "s1: ", "s9: Which?", "。", " ", "<", "| "])


def quoted_lines(reply: str, most: int = 12_000) -> list[str]:
    (node,) = tree(block("reply", number_sentences(reply, most).quoted())).find("reply")
    return node.text


@pytest.mark.parametrize(
    ("reply", "sentences"),
    [
        ("On it.", ["On it."]),
        ("v1.2 is out. Which one? The 3.5 one!", ["v1.2 is out.", "Which one?", "The 3.5 one!"]),
        ("Which?\n\n- a\n- b", ["Which?", "- a", "- b"]),
        ("哪一个?红色。还是蓝色？", ["哪一个?红色。", "还是蓝色？"]),
        ("  \n", []),
    ],
)
def test_sentences_end_at_their_signs_and_at_line_ends(reply: str, sentences: list[str]) -> None:
    assert list(number_sentences(reply, 1_000).sentences.values()) == sentences


@given(st.lists(st.text(max_size=20) | ODD, max_size=12).map("".join))
def test_every_word_is_in_a_sentence_and_in_order(reply: str) -> None:
    shown = number_sentences(reply, 100_000)
    assert "".join("".join(shown.sentences.values()).split()) == "".join(reply.split())
    assert shown.left_out == 0


@given(st.lists(st.text(max_size=20) | ODD, min_size=1, max_size=12).map("".join).filter(str.strip))
def test_every_line_has_our_number_and_no_other(reply: str) -> None:
    lines = quoted_lines(reply)
    assert [line.split(":")[0] for line in lines] == [f"s{number}" for number in range(1, len(lines) + 1)]


@pytest.mark.parametrize("text", [one for one in HOSTILE if one.strip()])
def test_a_hostile_reply_stays_in_its_block(text: str) -> None:
    root = tree(block("reply", number_sentences(text, 12_000).quoted()))
    assert [child.shape() for child in root.children] == [("reply", (), ())]


@pytest.mark.parametrize("reply", ["Which? " * 5_000, "x" * 100_000, "<" * 100_000, "a\n" * 100_000])
@pytest.mark.parametrize("most", [10, 12_000])
def test_of_a_very_long_reply_the_middle_is_left_out_and_the_ids_go_on(reply: str, most: int) -> None:
    shown = number_sentences(reply, most)
    ids = list(shown.sentences)
    assert len(ids) <= MAX_SENTENCES
    assert len(shown.quoted()) <= 3 * most + 3_000
    assert int(ids[-1][1:]) == len(ids) + shown.left_out
    lines = [line for line in quoted_lines(reply, most) if line]
    assert [line.split(":")[0] for line in lines] == ids


def test_of_a_very_long_sentence_the_end_is_shown() -> None:
    (only,) = number_sentences("and " * 1_000 + "which colour?", 12_000).sentences.values()
    assert len(only) < 700
    assert only.endswith("which colour?")
