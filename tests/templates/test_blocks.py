"""Blocks in prompts: whatever the text, it stays text."""

from __future__ import annotations

import unicodedata

import pytest
from hostile_texts import HOSTILE
from hypothesis import given
from hypothesis import strategies as st
from support.blocks import tree, unquoted

from pi_gym.templates import block, mark, quoted, quoted_letters

ODD = st.sampled_from(
    ["<", ">", "&", "&lt;", "&amp;", "</x>", "| ", "\n", "\r", "\u2028", "\x85", '"', "\u202e", "\uff1c"]
)
texts = st.lists(st.text(max_size=20) | ODD, max_size=12).map("".join)
VARIANTS = "".join(map(chr, range(0xE0100, 0xE01F0)))
kept = st.characters(
    codec="utf-8", exclude_categories=("Cc", "Cf", "Zl", "Zp"), exclude_characters=f"\uff1c\ufe64\u226e{VARIANTS}"
)
plain = st.text(kept | st.just("\n"), max_size=80)


@given(texts)
def test_any_text_becomes_quoted_lines_alone(text: str) -> None:
    for line in quoted(text).splitlines():
        assert line.startswith("| ")
        assert "<" not in line


@given(texts, texts)
def test_any_text_leaves_the_block_around_it_whole(text: str, name: str) -> None:
    (found,) = tree(block("file", quoted(text), path=name)).children
    assert found.shape() == ("file", ("path",), ())


@given(plain)
def test_what_was_quoted_can_be_read_back(text: str) -> None:
    text = text.replace("&quot;", "")
    escaped = quoted(text).removesuffix("\n").replace("\n| ", "\n").removeprefix("| ")
    # The entities that were there already stand one level deeper than the signs that were escaped.
    back = (
        escaped.replace("&lt;", "<").replace("&amp;<", "&lt;").replace("&amp;lt;", "&lt;").replace("&amp;amp;", "&amp;")
    )
    assert back == text


@given(texts, st.integers(3, 60))
def test_a_limit_bounds_what_is_shown_and_says_what_is_not(text: str, limit: int) -> None:
    shown = quoted(text, limit)
    (found,) = tree(block("file", shown)).children
    cut = found.find("left_out")
    assert len("".join(found.text)) <= limit + 20  # entities at a cut may be counted a little short
    assert bool(cut) == (quoted(text) != shown)
    assert quoted_letters(text, limit) <= limit


def test_a_cut_keeps_the_head_and_the_tail() -> None:
    shown = quoted("a" * 50 + "b" * 5000 + "c" * 50, 30)
    assert shown == f"| {'a' * 20}\n{mark('left_out', characters=5070)}| {'c' * 10}\n"


@pytest.mark.parametrize("text", ["\u202eabc", "\U000e0041", "a\x00b", "\x1b[2J", "\ufeff", "\u2066x", "\ud800"])
def test_signs_that_hide_or_reorder_text_are_made_visible(text: str) -> None:
    shown = quoted(text)
    assert "\\u{" in shown
    assert shown.replace("\n", "").isprintable()


@pytest.mark.parametrize("token", ["<|im_end|>", "<|eot_id|>", "</s>", "<start_of_turn>", "\uff1c|im_end|\uff1e"])
def test_no_special_token_of_a_chat_template_survives(token: str) -> None:
    assert token not in quoted(token)
    assert "<" not in quoted(token)


def test_the_corpus_of_hostile_texts_is_large_and_has_no_doubles() -> None:
    assert len(HOSTILE) == len(set(HOSTILE)) >= 60


def test_an_ordinary_text_with_brackets_stays_readable() -> None:
    assert quoted("if a < b && c > d:\n\tx & y\n") == "| if a &lt; b && c > d:\n| \tx & y\n| \n"
    assert unquoted(tree(block("file", quoted("a < b"))).children[0]) == "a < b"


@pytest.mark.parametrize("end", ["\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"])
def test_whatever_else_ends_a_line_is_written_out_and_begins_none(end: str) -> None:
    assert quoted(f"a{end}- b") == f"| a\\u{{{ord(end):x}}}- b\n"


def test_both_common_line_ends_end_a_line() -> None:
    assert quoted("a\r\nb\nc") == "| a\n| b\n| c\n"


@pytest.mark.parametrize("sign", ["\uff1c", "\ufe64", "\u226e"])
@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_no_normalisation_of_a_prompt_brings_a_less_than_sign_into_quoted_text(sign: str, form: str) -> None:
    assert "<" not in unicodedata.normalize(form, quoted(f"{sign}/reply>"))  # type: ignore[arg-type]


def test_text_hidden_in_variation_signs_is_written_out() -> None:
    assert quoted("fine\U000e0148\U000e0149") == "| fine\\u{e0148}\\u{e0149}\n"
